"""What all foreign worlds have in common: seats made from their spaces, and honest limits.

A foreign world keeps its own rules and its own state. It is seeded at every reset, and what it
draws from the process-wide generators of Python and numpy is made to come from the match's seed
too, the generators being put back afterwards. Its state cannot be read, so its fingerprint is a
hash of all that it has shown so far; a copy is made by playing the match again. Only observations,
masks and rewards reach agents: a foreign ``info`` may hold anything, the solution included.
"""

from __future__ import annotations

import copy
import hashlib
import importlib
import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, get_args

import numpy as np
from gymnasium import Space as GymnasiumSpace
from gymnasium.wrappers.utils import create_zero_array

from gymposium.errors import MissingExtra, UnknownName, UsageError
from gymposium.types import NOTHING, Action, Turn

from ..replay import Course, played_again
from ..world import RuleWorld, SumKind
from .masks import allows_nothing, as_mask

if TYPE_CHECKING:
    from gymposium.types import Space

MAX_STEPS = 10_000
"""Where a world that declares no limit of its own is cut off."""
RULES_LENGTH = 4_000
"""Characters of a foreign docstring that are passed on."""


class ForeignWorld(RuleWorld):
    """Base of the adapters.

    An adapter opens the environment in ``__init__``, calls ``_seat_foreign``, and supplies
    ``_restart``, ``_advance``, ``_actors`` and ``_about``.

    Attributes:
        id: prefix and the library's own id.
    """

    id: str  # type: ignore[misc]
    params: Mapping[str, Any]
    metric_names: ClassVar[tuple[str, ...]] = ()
    fault_rule = "For a seat without a legal answer a legal action is drawn at random."

    def _seat_foreign(
        self,
        ids: Sequence[str],
        observation_spaces: Mapping[str, Space],
        action_spaces: Mapping[str, Space],
        horizon: int | None,
    ) -> None:
        self._check_seats(ids, observation_spaces, action_spaces)
        # Spaces that are attributes of a class are shared by all that it makes; agents draw here.
        observation_spaces, action_spaces = copy.deepcopy((observation_spaces, action_spaces))
        self.horizon = MAX_STEPS if horizon is None else horizon
        self._seen: dict[str, Any] = {}
        self._masks: dict[str, Any] = {}
        self._reset_flags()
        self._match: Course = None
        self._seat_all(ids, observation_spaces, action_spaces)

    def _check_seats(
        self,
        ids: Sequence[str],
        observation_spaces: Mapping[str, Space],
        action_spaces: Mapping[str, Space],
    ) -> None:
        if not ids:
            raise UsageError(f"{self.id} has nobody to play it: possible_agents is empty")
        for seat in ids:
            if not isinstance(seat, str) or not seat or not seat.isprintable():
                raise UsageError(f"{self.id}: agents are named by printable text, got {seat!r:.80}")
            for what, held in ("observation", observation_spaces), ("action", action_spaces):
                if not isinstance(held[seat], GymnasiumSpace):
                    kind = type(held[seat]).__name__
                    raise UsageError(f"{self.id}: the {what} space of {seat} is a {kind}")
        if len(set(ids)) < len(ids):
            raise UsageError(f"{self.id}: two agents have the same name: {', '.join(ids):.200}")

    def _reset_flags(self) -> None:
        self._finished, self._cut, self._why = False, False, ""
        self._past = b""

    def reset(self, seed: int) -> dict[str, Turn]:
        """Begin a match."""
        self._match = (seed, [])
        return super().reset(seed)

    def __reduce__(self) -> tuple[Any, ...]:
        # Few foreign environments can be copied; every one can be played again.
        return _made_again, (self.id, self.params, self._match)

    # What an adapter writes.

    def _restart(self, seed: int) -> None:
        """Begin anew; fill ``_seen`` and ``_masks``."""
        raise NotImplementedError

    def _advance(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        """Play, update ``_seen``, ``_masks``, ``_finished``, ``_cut``, ``_why``; rewards."""
        raise NotImplementedError

    def _about(self) -> str:
        """What the library says about the world."""
        return ""

    # The rules, as RuleWorld asks for them.

    def _begin(self, rng: np.random.Generator) -> None:
        self._reset_flags()
        self._seen, self._masks = {}, {}
        self._steps = 0
        with self._own_luck(rng):
            self._restart(int(rng.integers(2**31)))
        self._remember({})

    def _play(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        chosen = {
            seat: self._drawn(seat) if action is None else action
            for seat, action in actions.items()
        }
        with self._own_luck(self._rng):
            rewards = {seat: _number(seat, it) for seat, it in self._advance(chosen).items()}
        self._steps += 1
        if self._match is not None:
            self._match[1].append(copy.deepcopy(dict(actions)))
        self._remember(rewards)
        return {seat: rewards.get(seat, 0.0) for seat in self.possible_seats}

    def _drawn(self, seat: str) -> Action:
        space = copy.deepcopy(self._true_spaces[seat])
        space.seed(int(self._rng.integers(2**31)))
        return space.sample(self._masks.get(seat))

    def _ended(self) -> tuple[bool, bool, str]:
        over = self._finished or self._cut
        if not over and self.horizon is not None and self._steps >= self.horizon:
            return False, True, f"the limit of {self.horizon} steps was reached"
        why = self._why or ("the world says that it is over" if over else "")
        return self._finished, self._cut and not self._finished, why

    def _observe(self, seat: str) -> Any:
        if seat not in self._seen:  # it has not come into the game yet
            return create_zero_array(self._observation_spaces[seat])
        seen = copy.deepcopy(self._seen[seat])
        if type(seen) is int:  # what Discrete spaces give, and what checkers of types expect
            return np.int64(seen)
        return seen

    def _mask(self, seat: str) -> Any:
        return copy.deepcopy(self._masks.get(seat))

    def _info(self, seat: str) -> Mapping[str, Any]:
        mask = self._mask(seat)
        return NOTHING if mask is None else {"action_mask": mask}

    def _state(self) -> bytes:
        return self._past

    def _mask_of(self, seat: str, mask: Any) -> Any:
        return as_mask(self._true_spaces[seat], mask, f"the action mask of {seat}")

    def _remember(self, rewards: Mapping[str, float]) -> None:
        if not (self._finished or self._cut):
            for seat in self._actors():
                if seat not in self.seats:
                    known = ", ".join(self.possible_seats)
                    raise UsageError(f"{seat!r} is to act, but possible_agents are {known:.200}")
                if allows_nothing(self._masks.get(seat)):
                    raise UsageError(f"the action mask of {seat} leaves nothing, and it is to act")
        shown = _bytes_of((self._seen, self._masks, dict(rewards), self._actors()))
        self._past = hashlib.blake2b(self._past + shown, digest_size=16).digest()

    @contextmanager
    def _own_luck(self, rng: np.random.Generator) -> Iterator[None]:
        """Have the process-wide generators follow the match's, and put them back."""
        seed = int(rng.integers(2**31))
        with luck_kept():
            random.setstate(random.Random(seed).getstate())
            np.random.set_state(np.random.RandomState(seed).get_state())  # noqa: NPY002
            yield

    # Words.

    def rules(self, seat: str) -> str:
        """The library's own description, cut to size, and how to answer."""
        about = " ".join(self._about().split("\r"))[:RULES_LENGTH].strip()
        others = [name for name in self.possible_seats if name != seat]
        company = f" The others are {', '.join(others)}." if others else ""
        return (
            f"You play {self.id} as {seat}.{company}\n{about}\n"
            f"Your aim is the highest total reward for yourself.\n{self.how_to_answer(seat)}"
        )


def _made_again(id: str, params: Mapping[str, Any], course: Course) -> RuleWorld:
    from ..registry import make_world

    return played_again(make_world(id, **params), course)


@contextmanager
def luck_kept() -> Iterator[None]:
    """Put the process-wide generators of Python and numpy back as they were."""
    python, numpys = random.getstate(), np.random.get_state()  # noqa: NPY002
    try:
        yield
    finally:
        random.setstate(python)
        np.random.set_state(numpys)  # noqa: NPY002


def _number(seat: str, reward: Any) -> float:
    try:
        return float(reward)
    except (TypeError, ValueError):
        raise UsageError(f"the reward of {seat} is {reward!r:.80}, which is no number") from None


def parts_of(answer: Any, names: Sequence[str], asked: str) -> tuple[Any, ...]:
    """What ``reset`` or ``step`` gave, if it is as many things as the library says.

    Raises:
        UsageError: it is not.
    """
    if not isinstance(answer, tuple) or len(answer) != len(names):
        count = len(answer) if isinstance(answer, tuple) else "no tuple"
        raise UsageError(f"{asked} must return ({', '.join(names)}); it returned {count}")
    return answer


def told_in(info: Any) -> Mapping[str, Any]:
    """An ``info``; some environments give None where they have nothing to say."""
    return info if isinstance(info, Mapping) else NOTHING


def check_kind(kind: Any, where: str) -> SumKind:
    """What the user says of how the seats' rewards relate.

    Raises:
        UnknownName: it is none of the three kinds.
    """
    if kind not in get_args(SumKind):
        raise UnknownName("kind", str(kind), get_args(SumKind), where=where)
    return kind  # type: ignore[no-any-return]


def must_import(module: str, what: str, *, extra: str) -> Any:
    """A library, or a sentence on how to get it.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtra(what, extra=extra, module=module) from error


def _bytes_of(value: Any) -> bytes:
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        return f"{array.dtype.str}{array.shape}".encode() + array.tobytes()
    if isinstance(value, Mapping):
        pairs = sorted(value.items(), key=lambda item: str(item[0]))
        return b"{" + b"".join(str(k).encode() + b":" + _bytes_of(v) for k, v in pairs) + b"}"
    if isinstance(value, list | tuple):
        return b"[" + b",".join(_bytes_of(item) for item in value) + b"]"
    return repr(value).encode()
