"""What there is to see of a match: scenes, and the spectator who turns its events into them.

A scene is a state of the world with what led to it: who has done what, and what each got for it.
The spectator is told the same three things as the record of a match (asked, answered, ended), so
that a match being played and one replayed from its record are watched in one way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from gymposium.types import Action, Outcome, Turn, World

from ...envs.text_card import text_card
from ...envs.world import RuleWorld

if TYPE_CHECKING:
    from gymposium.types import Image


@dataclass(frozen=True, slots=True)
class SeatLine:
    """One seat in a scene.

    Attributes:
        seat, agent: who sits where.
        action: what it has just done, in words; empty if it was not asked.
        reward: what it has just got.
        total: its return so far.
    """

    seat: str
    agent: str
    action: str
    reward: float
    total: float


@dataclass(frozen=True, slots=True)
class Scene:
    """A state of a match.

    Attributes:
        world: the world's id.
        step: steps played so far.
        picture: the world's own frame, uint8 HxWx3.
        text: the state in words.
        pictured: the world has a picture of its own; otherwise ``text`` says more.
        seats: in seating order.
        reason: why the match ended; empty before its end.
    """

    world: str
    step: int
    picture: Image
    text: str
    pictured: bool
    seats: tuple[SeatLine, ...]
    reason: str = ""


class Screen(Protocol):
    """Where scenes are shown."""

    def show(self, scene: Scene) -> bool:
        """Show a scene, taking the time it needs; False if the viewer has left."""
        ...

    def end(self) -> None:
        """The match is over, or will not be shown any further."""
        ...


class Spectator:
    """Watches one match and shows it on screens.

    Attributes:
        screens: those whose viewer has not left.
    """

    def __init__(self, seating: Mapping[str, str], screens: Sequence[Screen]) -> None:
        """Take a seat.

        Args:
            seating: seat id -> agent's name.
            screens: where to show the match.
        """
        self._seating = seating
        self._done: dict[str, str] = {}
        self._totals = dict.fromkeys(seating, 0.0)
        self.screens = list(screens)

    def asked(self, world: World, turns: Mapping[str, Turn], step: int) -> None:
        """The seats are about to act in this state."""
        if not self.screens:
            return
        rewards: Mapping[str, float] = getattr(world, "rewards", {})
        if step:
            for seat, reward in rewards.items():
                self._totals[seat] += reward
        self._show(world, step, rewards if step else {}, turns)

    def answered(self, world: World, actions: Mapping[str, Action]) -> None:
        """These are their actions; None where no legal one came."""
        if self.screens:
            self._done = {
                seat: "(no answer)" if action is None else world.words.format(seat, action)
                for seat, action in actions.items()
            }

    def ended(self, world: World, outcome: Outcome, step: int) -> None:
        """The match is over after ``step`` steps."""
        if self.screens:
            self._totals = dict(outcome.returns)
            rewards: Mapping[str, float] = getattr(world, "rewards", {})
            self._show(world, step, rewards, {}, reason=outcome.reason or "The match is over.")
        self.leave()

    def leave(self) -> None:
        """Stop watching."""
        for screen in self.screens:
            screen.end()
        self.screens = []

    def _show(
        self,
        world: World,
        step: int,
        rewards: Mapping[str, float],
        turns: Mapping[str, Turn],
        *,
        reason: str = "",
    ) -> None:
        name = str(getattr(world, "id", type(world).__name__))
        if isinstance(world, RuleWorld):
            text, picture = world.render(), world.draw()
            pictured = type(world).draw is not RuleWorld.draw
        else:
            text = "\n".join(f"[{seat}] {turn.text}" for seat, turn in turns.items()) or reason
            picture = text_card(name, f"step {step}", text, seats=tuple(self._seating))
            pictured = False
        lines = tuple(
            SeatLine(
                seat, agent, self._done.get(seat, ""), rewards.get(seat, 0.0), self._totals[seat]
            )
            for seat, agent in self._seating.items()
        )
        scene = Scene(name, step, picture, text, pictured, lines, reason)
        for screen in tuple(self.screens):
            if not screen.show(scene):
                screen.end()
                self.screens.remove(screen)


def seating_of(header: Mapping[str, Any]) -> Mapping[str, str]:
    """Who sits where, by a record's first line."""
    return {str(seat): str(agent) for seat, agent in header["seating"].items()}
