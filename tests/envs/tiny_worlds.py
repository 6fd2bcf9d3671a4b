"""Worlds for tests only: one seat, and ones that are wrong in one way each."""

from __future__ import annotations

import itertools
import random
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces

from gymposium.envs.registry import WorldSpec
from gymposium.envs.world import RuleWorld
from gymposium.errors import IllegalAction, UsageError
from gymposium.types import NOTHING, Action


@dataclass(frozen=True)
class GuessParams:
    """Parameters of ``Guess``."""

    numbers: int = 5
    guesses: int = 8

    def __post_init__(self) -> None:
        if not 2 <= self.numbers <= 100:
            raise UsageError(f"guess: numbers={self.numbers} must be from 2 to 100")


class Guess(RuleWorld):
    """Find a hidden number; no number may be tried twice running."""

    id: ClassVar[str] = "guess-v0"
    turn_based: ClassVar[bool] = True
    kind = "cooperative"
    fault_rule = "No legal answer wastes the guess."
    return_range = (-100.0, 1.0)

    def __init__(self, **params: Any) -> None:
        self.params = GuessParams(**params)
        self.horizon = self.params.guesses
        space = spaces.Dict(
            {"last": spaces.Discrete(self.params.numbers + 1), "hint": spaces.Box(-1, 1, (1,))}
        )
        action = spaces.Discrete(self.params.numbers)
        self._seat_all(["guesser"], {"guesser": space}, {"guesser": action})

    def _begin(self, rng: np.random.Generator) -> None:
        self._hidden = int(rng.integers(self.params.numbers))
        self._last, self._guesses, self._found = 0, 0, False

    def _actors(self) -> Sequence[str]:
        return self.possible_seats

    def _observe(self, seat: str) -> Any:
        far = 0 if not self._last else np.sign(self._hidden + 1 - self._last)
        return {"last": self._last, "hint": np.array([far], np.float32)}

    def _mask(self, seat: str) -> Any:
        mask = np.ones(self.params.numbers, np.int8)
        if self._last:
            mask[self._last - 1] = 0
        return mask

    def _info(self, seat: str) -> Mapping[str, Any]:
        return {"action_mask": self._mask(seat)}

    def _check(self, seat: str, action: Action) -> None:
        if action == self._last - 1:
            raise IllegalAction(f"{action} was just tried; try another number")

    def _play(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        guess = actions["guesser"]
        self._guesses += 1
        if guess is None:
            return {"guesser": -1.0}
        self._last = int(guess) + 1
        self._found = guess == self._hidden
        return {"guesser": 1.0 if self._found else -0.1}

    def _ended(self) -> tuple[bool, bool, str]:
        if self._found:
            return True, False, "the number was found"
        return False, self._guesses >= self.params.guesses, "no guesses are left"

    def _state(self) -> bytes:
        return b"%d,%d,%d" % (self._hidden, self._last, self._guesses)


class Wordless(Guess):
    __doc__ = None


class Wrong(Guess):
    """The parts of Guess that the broken worlds below replace."""

    def __init_subclass__(cls) -> None:
        cls.__doc__ = Guess.__doc__


class Unseeded(Wrong):
    # A new generator each time, as without a seed, yet the same ones whenever the test is run.
    _fresh = itertools.count()

    def _begin(self, rng: np.random.Generator) -> None:
        super()._begin(np.random.default_rng(next(self._fresh)))


class Unmoved(Wrong):
    def _begin(self, rng: np.random.Generator) -> None:
        super()._begin(np.random.default_rng(0))

    def fingerprint(self) -> bytes:
        return self._state()


class GlobalDraws(Wrong):
    def _play(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        random.random()
        return super()._play(actions)


class OutOfSpace(Wrong):
    def _observe(self, seat: str) -> Any:
        return {**super()._observe(seat), "last": -1}


class MaskLies(Wrong):
    def _mask(self, seat: str) -> Any:
        return np.ones(self.params.numbers, np.int8)


class MaskUntold(Wrong):
    def _info(self, seat: str) -> Mapping[str, Any]:
        return NOTHING


class Endless(Wrong):
    def _ended(self) -> tuple[bool, bool, str]:
        return False, False, ""


class OutOfRange(Wrong):
    return_range = (0.5, 0.6)


class SharedMemory(Wrong):
    def _begin(self, rng: np.random.Generator) -> None:
        super()._begin(rng)
        self._hint = np.zeros(1, np.float32)

    def _observe(self, seat: str) -> Any:
        seen = super()._observe(seat)
        self._hint[:] = seen["hint"]
        return {**seen, "hint": self._hint}


class StateInWords(Wrong):
    def describe(self, seat: str, observation: Any, info: Mapping[str, Any]) -> str:
        return f"{self._guesses} guesses made"


class CrashingParser(Wrong):
    def parse(self, seat: str, text: str, observation: Any, info: Mapping[str, Any]) -> Action:
        return int(text)


class Mumbling(Wrong):
    def format(self, seat: str, action: Action) -> str:
        return "1"


class NoFaults(Wrong):
    def _play(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        if actions["guesser"] is None:
            raise KeyError("guesser")
        return super()._play(actions)


class Credulous(Wrong):
    def check(self, seat: str, action: Action) -> None:
        return


class Invisible(Wrong):
    def render(self) -> str:
        return ""


class Ruleless(Wrong):
    fault_rule = ""


class Sticky(Wrong):
    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        state.pop("_last", None)
        return state

    _last = 0


class NumpyDraws(Wrong):
    def _begin(self, rng: np.random.Generator) -> None:
        super()._begin(rng)
        self._hidden = int(np.random.randint(self.params.numbers))  # noqa: NPY002


class NoNumber(Wrong):
    def _play(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        super()._play(actions)
        return {"guesser": float("nan")}


class Unpicklable(Wrong):
    def _begin(self, rng: np.random.Generator) -> None:
        super()._begin(rng)
        self._rule = lambda guess: guess == self._hidden


class Crashing(Wrong):
    def _observe(self, seat: str) -> Any:
        return {**super()._observe(seat), "last": (0, self._last)[self._guesses]}


class Quitting(Wrong):
    def _play(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        sys.exit("had enough")


class ShowsItself(Wrong):
    def _info(self, seat: str) -> Mapping[str, Any]:
        return {"action_mask": self._mask(seat), "world": self}


class ShowsItsLuck(Wrong):
    def _info(self, seat: str) -> Mapping[str, Any]:
        return {"action_mask": self._mask(seat), "debug": {"rng": [self._rng]}}


class ShowsItsSeed(Wrong):
    def reset(self, seed: int) -> dict[str, Any]:
        self._seed = seed
        return super().reset(seed)

    def _info(self, seat: str) -> Mapping[str, Any]:
        return {"action_mask": self._mask(seat), "seed": np.int64(self._seed)}


class TellsItsSeed(ShowsItsSeed):
    def _info(self, seat: str) -> Mapping[str, Any]:
        return {"tens": self._seed // 10, "ones": self._seed % 10}

    def describe(self, seat: str, observation: Any, info: Mapping[str, Any]) -> str:
        match = 10 * info["tens"] + info["ones"] if info else 0
        return f"Match {match}: {super().describe(seat, observation, info)}"


class Talkative(Wrong):
    def _play(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        print("guessing", actions["guesser"])
        return super()._play(actions)


BROKEN: dict[type[Guess], int] = {
    Ruleless: 1,
    OutOfSpace: 2,
    MaskLies: 2,
    MaskUntold: 2,
    Endless: 3,
    OutOfRange: 3,
    Unseeded: 4,
    Unmoved: 5,
    Sticky: 6,
    GlobalDraws: 7,
    SharedMemory: 8,
    StateInWords: 8,
    CrashingParser: 9,
    Mumbling: 9,
    NoFaults: 10,
    Credulous: 11,
    Invisible: 12,
    Wordless: 1,
    NumpyDraws: 7,
    NoNumber: 3,
    Unpicklable: 6,
    Crashing: 2,
    Quitting: 2,
    ShowsItself: 14,
    ShowsItsLuck: 14,
    ShowsItsSeed: 14,
    TellsItsSeed: 14,
    Talkative: 15,
}
"""Each broken world, and the requirement that must catch it."""

GUESS = WorldSpec(
    id="guess-v0",
    entry_point="guess_for_tests:Guess",
    summary="Find a hidden number.",
    seats=(1, 1),
    kind="cooperative",
    turn_based=True,
)
