"""The thin class above a world's pure rules: turns, rewards and bookkeeping for our own worlds.

A world written here supplies six small methods (``_begin``, ``_actors``, ``_observe``, ``_play``,
``_ended``, ``_state``) and its words; this class turns them into the ``World`` protocol of
:mod:`gymposium.types`. The PettingZoo and Gymnasium views (``envs/views/``) are derived from it.
"""

from __future__ import annotations

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from gymnasium.spaces import Discrete

from gymposium.errors import IllegalAction, UsageError
from gymposium.types import NOTHING, Action, Outcome, Seat, Turn

from .seeds import checked_seed
from .space_faults import fault
from .speaker import Speaker
from .words import SpaceWords

if TYPE_CHECKING:
    from gymposium.types import Image, Space

SumKind = Literal["zero_sum", "mixed", "cooperative"]
_INTEGERS = (int, np.int64)


class NotFinite(UsageError):
    """A reward that no store could keep and no rating could count: nan or infinite."""


class RuleWorld(SpaceWords, ABC):
    """Base of the worlds in this package; it is its own :class:`~gymposium.types.Words`.

    Attributes:
        seats: what each seat is told before the match, by id, in seating order.
        kind: whether seats of one match may be compared with each other (only in ``zero_sum``).
        fault_rule: what happens, in words, to a seat that gives no legal answer.
        horizon: the most steps a match lasts, or None.
        turn_based: True if at most one seat ever acts at a time (then AEC is the natural view).
        return_range: (lowest, highest) return a seat can end with.
        rewards: the rewards of the latest step, by seat.
        metric_names: all measures a finished match may have.
    """

    id: ClassVar[str]
    turn_based: ClassVar[bool] = False
    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi", "rgb_array"], "render_fps": 1}
    kind: SumKind = "mixed"
    fault_rule: str
    horizon: int | None = None
    return_range: tuple[float, float] = (-np.inf, np.inf)
    seats: dict[str, Seat]
    rewards: dict[str, float]
    _speaker: Speaker

    def __new__(cls, *args: Any, **named: Any) -> Self:
        """Remember how the world is made, so that turns can speak without holding it."""
        world = super().__new__(cls)
        world._speaker = Speaker(cls, args, named)
        return world

    def _seat_all(
        self,
        ids: Sequence[str],
        observation_spaces: Mapping[str, Space],
        action_spaces: Mapping[str, Space],
        *,
        roles: Mapping[str, str] = NOTHING,
        teams: Mapping[str, str] = NOTHING,
        whole_replies: Sequence[str] = (),
    ) -> None:
        """Fill ``seats``; called at the end of a world's ``__init__``."""
        self.possible_seats = tuple(ids)  # rules() below may name the others
        self._observation_spaces = dict(observation_spaces)
        self._action_spaces = dict(action_spaces)
        # What actions are checked against: an agent may write on the spaces it is handed.
        self._true_spaces = copy.deepcopy(self._action_spaces)
        # Discrete.contains costs more than a whole step of a small game: compare plain ints here.
        self._choices = {
            seat: (int(space.start), int(space.start + space.n))
            for seat, space in action_spaces.items()
            if isinstance(space, Discrete)
        }
        self.seats = {
            seat: Seat(
                id=seat,
                observation_space=observation_spaces[seat],
                action_space=action_spaces[seat],
                rules=self.rules(seat),
                role=roles.get(seat, "player"),
                team=teams.get(seat),
                horizon=self.horizon,
                fault_rule=self.fault_rule,
                whole_reply=seat in whole_replies,
            )
            for seat in ids
        }
        self._over: bool | None = None
        self._step_count = 0

    # The rules: what a world writes.

    @abstractmethod
    def _begin(self, rng: np.random.Generator) -> None:
        """Set the state to the start of a match. All later draws come from ``rng`` too."""

    @abstractmethod
    def _actors(self) -> Sequence[str]:
        """The seats that must act now, in seating order."""

    @abstractmethod
    def _observe(self, seat: str) -> Any:
        """A fresh observation for ``seat``, sharing no memory with the state."""

    @abstractmethod
    def _play(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        """Advance by one step; an action of None invokes the fault rule. Returns the rewards."""

    @abstractmethod
    def _ended(self) -> tuple[bool, bool, str]:
        """(terminated, truncated, reason) after the latest step."""

    @abstractmethod
    def _state(self) -> bytes:
        """The rule state as bytes, without the generator; equal states give equal bytes."""

    def _mask(self, seat: str) -> Any:
        """What ``action_space.sample(mask=)`` accepts, or None."""
        return None

    def _info(self, seat: str) -> Mapping[str, Any]:
        """Extras of a turn; the default is none."""
        return NOTHING

    def _check(self, seat: str, action: Action) -> None:
        """Raise IllegalAction if ``action``, an element of the space, is not allowed *now*."""

    def _metrics(self) -> dict[str, float]:
        """The world's own measures of the finished match, of ``metric_names`` where they exist."""
        return {}

    def _tables(self) -> Mapping[str, Mapping[str, Sequence[Any]]]:
        """Tables about the finished match, by name, each as columns; the default is none."""
        return {}

    # The World protocol.

    @property
    def words(self) -> RuleWorld:
        """The world in words; these worlds speak for themselves."""
        return self

    def reset(self, seed: int) -> dict[str, Turn]:
        """Begin a match.

        Args:
            seed: any non-negative integer; equal seeds give equal matches for equal actions.

        Returns:
            The seats that act first, each with its Turn.
        """
        self._rng = np.random.default_rng(checked_seed(self.id, seed))
        self._step_count = 0
        self._over = False
        zero = dict.fromkeys(self.possible_seats, 0.0)
        self.rewards, self._pending, self._returns = dict(zero), dict(zero), zero
        self._begin(self._rng)
        return self._turns()

    def step(self, actions: Mapping[str, Action]) -> dict[str, Turn]:
        """Play one step.

        Args:
            actions: an action for each seat that was asked, or None for "no legal answer".

        Returns:
            The seats to act next; empty when the match is over.

        Raises:
            IllegalAction: an action is outside its space or not allowed now; nothing has changed.
            UsageError: the match has not begun or is over, or the wrong seats answered.
        """
        if self._over is not False:
            state = "is over" if self._over else "has not begun"
            raise UsageError(f"{self.id}: the match {state}; call reset(seed) before step")
        asked = self._actors()
        if len(actions) != len(asked) or any(seat not in actions for seat in asked):
            raise UsageError(
                f"{self.id}: step needs an action from {', '.join(asked)}; "
                f"got {', '.join(actions) or 'none'}"
            )
        for seat, action in actions.items():
            if action is not None:
                self.check(seat, action)
        rewards = self._play(actions)
        self.rewards = dict(rewards)
        for seat, reward in rewards.items():
            if not math.isfinite(reward):
                raise NotFinite(f"the reward of {seat} is {reward}; rewards are finite numbers")
            self._pending[seat] += reward
            self._returns[seat] += reward
        self._step_count += 1
        self._terminated, self._truncated, self._reason = self._ended()
        if self._terminated or self._truncated:
            self._over = True
            return {}
        return self._turns()

    def check(self, seat: str, action: Action) -> None:
        """Raise IllegalAction, with a sentence for the speaker, unless ``action`` is legal now."""
        if not self.in_space(seat, action):
            raise IllegalAction(
                f"{action!r:.200} is not one of the actions of {seat}: "
                f"{fault(self._true_spaces[seat], action)}"
            )
        self._check(seat, action)

    def in_space(self, seat: str, action: Action) -> bool:
        """Whether ``action`` is an element of the seat's action space, legal now or not."""
        if type(action) in _INTEGERS and seat in self._choices:
            low, high = self._choices[seat]
            return bool(low <= action < high)
        space = self._true_spaces[seat]
        return bool(space.contains(action)) and _scalar_where_due(space, action)

    @property
    def outcome(self) -> Outcome:
        """How the match ended.

        Raises:
            UsageError: the match is not over.
        """
        if self._over is not True:
            raise UsageError(f"{self.id}: there is no outcome before the match is over")
        ids = self.possible_seats
        return Outcome(
            returns=dict(self._returns),
            final_rewards=dict(self._pending),
            final_observations={seat: self._observe(seat) for seat in ids},
            terminated=dict.fromkeys(ids, self._terminated),
            truncated=dict.fromkeys(ids, self._truncated),
            metrics=self._metrics(),
            reason=self._reason,
            tables=self._tables(),
        )

    def fingerprint(self) -> bytes:
        """State and generator position as bytes, for verifying replays."""
        return b"%d|%b|%b" % (self._step_count, self._state(), _position(self._rng))

    @property
    def untouched(self) -> bool:
        """Whether the spaces that agents were handed are still as they were made."""
        return self._true_spaces == self._action_spaces

    def observe(self, seat: str) -> Any:
        """A fresh observation for any seat, asked or not (for the derived views)."""
        return self._observe(seat)

    def actors(self) -> tuple[str, ...]:
        """The seats that must act now; empty before the start and after the end."""
        return tuple(self._actors()) if self._over is False else ()

    def mask(self, seat: str) -> Any:
        """The seat's action mask now, as in ``Turn.action_mask``."""
        return self._mask(seat)

    def info(self, seat: str) -> Mapping[str, Any]:
        """The seat's extras now, as in ``Turn.info``."""
        return self._info(seat)

    @property
    def ended(self) -> tuple[bool, bool]:
        """(terminated, truncated); both False while the match goes on."""
        return (self._terminated, self._truncated) if self._over else (False, False)

    def render(self) -> str:
        """The state in words for a spectator, who sees everything.

        Raises:
            UsageError: the match has not begun.
        """
        if self._over is None:
            raise UsageError(f"{self.id}: there is nothing to see before reset(seed)")
        return "\n".join(
            f"[{seat}] {self.describe(seat, self._observe(seat), NOTHING)}"
            for seat in self.possible_seats
        )

    def draw(self) -> Image:
        """The state as a picture for a spectator, who sees everything.

        Worlds with nothing of their own to show get the text of ``render`` on a card.

        Returns:
            uint8, height x width x 3; one size for the whole match.

        Raises:
            UsageError: the match has not begun.
        """
        from .text_card import text_card

        text = self.render()
        return text_card(self.id, f"step {self._step_count}", text, seats=self.possible_seats)

    def close(self) -> None:
        """Nothing to release."""

    def _turns(self) -> dict[str, Turn]:
        turns = {}
        pending = self._pending
        for seat in self._actors():
            turns[seat] = Turn(
                seat,
                self._step_count,
                self._observe(seat),
                pending[seat],
                self._action_spaces[seat],
                self._mask(seat),
                self._info(seat),
                words=self._speaker,
            )
            pending[seat] = 0.0
        return turns


def _position(rng: np.random.Generator) -> bytes:
    # PCG64's state is one 128-bit number: cheaper to format than to pickle the generator.
    state = rng.bit_generator.state
    return b"%x.%d.%x" % (state["state"]["state"], state["has_uint32"], state["uinteger"])


def _scalar_where_due(space: Space, action: Any) -> bool:
    """Gymnasium takes an array of no dimensions for an element of Discrete; rules cannot."""
    parts = getattr(space, "spaces", None)
    if isinstance(parts, Mapping):
        return all(_scalar_where_due(part, action[key]) for key, part in parts.items())
    return not (hasattr(space, "n") and isinstance(action, np.ndarray) and not action.shape)
