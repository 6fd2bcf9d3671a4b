"""Watching a match while it is played: a recorder that also tells a spectator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gymposium.types import Action, Outcome, Turn, World

from ..asking import Answer
from ..record import Recorder
from .scenes import Screen, Spectator, seating_of


class WatchedRecorder(Recorder):
    """Writes a match down and shows it on screens as it is played."""

    def __init__(
        self, header: Mapping[str, Any], screens: Sequence[Screen], *, text: frozenset[str]
    ) -> None:
        super().__init__(header, text=text)
        self._spectator = Spectator(seating_of(header), screens)
        self._world: World | None = None
        self._steps = 0

    def asked(self, world: World, turns: Mapping[str, Turn], step: int) -> None:
        """Write down and show what the seats are about to be shown."""
        super().asked(world, turns, step)
        self._world, self._steps = world, step
        self._spectator.asked(world, turns, step)

    def answered(self, actions: Mapping[str, Action], answers: Mapping[str, Answer]) -> None:
        """Write down the step."""
        super().answered(actions, answers)
        if self._world is not None:
            self._spectator.answered(self._world, actions)

    def ended(self, world: World, outcome: Outcome) -> None:
        """Write down and show the end."""
        super().ended(world, outcome)
        self._spectator.ended(world, outcome, self._steps + 1)

    def finish(self) -> bytes:
        """The whole record; also of a match that was interrupted, whose screens are closed."""
        self._spectator.leave()
        return super().finish()


def watched(screens: Callable[[Mapping[str, Any]], Sequence[Screen]]) -> Callable[..., Recorder]:
    """A maker of recorders for ``run(recorder=…)``; ``screens`` makes each match's own screens."""

    def make(header: Mapping[str, Any], *, text: frozenset[str] = frozenset()) -> Recorder:
        return WatchedRecorder(header, screens(header), text=text)

    return make
