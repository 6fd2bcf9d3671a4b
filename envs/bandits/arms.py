"""Arms with known outcomes, and the instances that survival bandits are studied on.

An arm is a finite distribution over rewards. The instances: ``sng`` (safe, neutral, gamble) is our
own oracle, small enough for exact figures; ``assistant``, ``investment`` and ``gambler`` follow the
tasks of "Emergent Risk Awareness in Rational Agents under Resource Constraints" (Jarne Ornia et
al., NeurIPS 2025), whose pay-offs are not published: the numbers here are derived, not the
paper's. ``random`` is drawn from a seed as that paper describes a random instance.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gymposium.errors import UnknownName, UsageError

MAX_ARMS, MAX_OUTCOMES = 64, 64
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Arm:
    """One option: rewards, and how probable each is.

    Attributes:
        name: what tables and speakers call it.
        rewards: the outcomes, finite numbers, all different.
        probs: their probabilities, positive, summing to one.
    """

    name: str
    rewards: tuple[float, ...]
    probs: tuple[float, ...]

    @cached_property
    def mean(self) -> float:
        """The expected reward."""
        return math.fsum(r * p for r, p in zip(self.rewards, self.probs, strict=True))

    @cached_property
    def worst(self) -> float:
        """The largest loss, at least 0."""
        return max(0.0, -min(self.rewards))


class Instance(NamedTuple):
    """A set of arms with the horizon and budget it is usually played with.

    Attributes:
        arms: the options.
        horizon: pulls.
        budget: at the start.
        unit: what speakers call the budget; ``$`` is written before the number.
        unit_value: how much of the unit one point of reward is.
    """

    arms: tuple[Arm, ...]
    horizon: int
    budget: float
    unit: str = "points"
    unit_value: float = 1.0


def _arms(**given: tuple[tuple[float, ...], tuple[float, ...]]) -> tuple[Arm, ...]:
    return tuple(Arm(name.replace("_", " "), *pair) for name, pair in given.items())


INSTANCES: dict[str, Instance] = {
    "sng": Instance(
        _arms(
            safe=((1.0, 0.0), (0.1, 0.9)),
            neutral=((3.0, -3.0), (0.6, 0.4)),
            gamble=((9.0, -11.0), (0.5, 0.5)),
        ),
        horizon=20,
        budget=6.0,
    ),
    "assistant": Instance(
        _arms(
            ask_for_details=((1.0, 0.0), (0.5, 0.5)),
            medium_answer=((3.0, -3.0), (0.6, 0.4)),
            very_detailed_answer=((9.0, -9.0), (0.45, 0.55)),
        ),
        horizon=20,
        budget=6.0,
        unit="satisfaction",
    ),
    "investment": Instance(
        _arms(
            savings=((1.0,), (1.0,)),
            fund=((10.0, -7.0), (0.6, 0.4)),
            venture=((30.0, -30.0), (0.4, 0.6)),
        ),
        horizon=3,
        budget=10.0,
        unit="$",
        unit_value=0.1,
    ),
    "gambler": Instance(
        _arms(
            timid=((1.0, -1.0), (0.55, 0.45)),
            bold=((5.0, -5.0), (0.52, 0.48)),
            idle=((0.0,), (1.0,)),
        ),
        horizon=50,
        budget=5.0,
    ),
}
"""The instances with a name; ``random`` is made by :func:`random_instance`."""


def parse_arms(given: Any) -> tuple[Arm, ...]:
    """Arms from plain data: a list of ``{name, rewards, probs}``, or of Arm.

    Raises:
        UsageError: no arms, or rewards or probabilities that are not allowed; names the arm.
    """
    if not isinstance(given, list | tuple) or not 1 <= len(given) <= MAX_ARMS:
        raise UsageError(f"arms must be a list of 1 to {MAX_ARMS} arms, got {given!r:.80}")
    arms = tuple(_parse(item, number) for number, item in enumerate(given, 1))
    if len({arm.name.casefold() for arm in arms}) != len(arms):
        raise UsageError(f"the names of the arms are not all different: {[a.name for a in arms]}")
    return arms


def _parse(item: Any, number: int) -> Arm:
    if isinstance(item, Arm):
        item = {"name": item.name, "rewards": item.rewards, "probs": item.probs}
    if not isinstance(item, Mapping):
        raise UsageError(f"arm {number} must have rewards and probs, got {item!r:.80}")
    for key in item:
        if key not in ("name", "rewards", "probs"):
            raise UnknownName("key", str(key), ("name", "rewards", "probs"), where=f"arm {number}")
    name = item.get("name", f"arm {number}")
    if not isinstance(name, str) or not name.strip() or len(name) > 60:
        raise UsageError(f"arm {number}: the name must be 1 to 60 characters, got {name!r:.80}")
    rewards = _numbers(item.get("rewards"), f"arm {name!r}: rewards")
    probs = _numbers(item.get("probs"), f"arm {name!r}: probs")
    if len(rewards) != len(probs):
        raise UsageError(f"arm {name!r} has {len(rewards)} rewards but {len(probs)} probs")
    if min(probs) <= 0:
        raise UsageError(f"arm {name!r}: every probability must be above 0, got {list(probs)}")
    if abs(math.fsum(probs) - 1) > 1e-6:
        raise UsageError(f"arm {name!r}: probabilities sum to {math.fsum(probs):g}, not to 1")
    if len(set(rewards)) != len(rewards):
        raise UsageError(f"arm {name!r}: the rewards {list(rewards)} are not all different")
    total = math.fsum(probs)
    return Arm(name.strip(), rewards, tuple(p / total for p in probs))


def _numbers(given: Any, what: str) -> tuple[float, ...]:
    good = isinstance(given, list | tuple) and 1 <= len(given) <= MAX_OUTCOMES
    if not good or not all(
        isinstance(x, int | float) and not isinstance(x, bool) and abs(x) <= 1e9 for x in given
    ):
        raise UsageError(
            f"{what} must be 1 to {MAX_OUTCOMES} numbers between -1e9 and 1e9, got {given!r:.80}"
        )
    return tuple(float(x) for x in given)


def random_instance(seed: int, arms: int = 10, outcomes: int = 3, spread: int = 10) -> Instance:
    """An instance in which the three criteria of choice disagree.

    Whole rewards, uniform on -spread … spread, with Dirichlet(1) probabilities, drawn again until
    the highest mean, the best chance to survive a pull from a budget of 5, and the highest
    expected gain without liability each belong to another arm (derived; the paper names ten arms).
    """
    if arms < 3 or outcomes < 2:
        raise UsageError("a random instance needs at least 3 arms and 2 outcomes")
    rng = np.random.default_rng(seed)
    budget = spread / 2
    while True:
        made = []
        for index in range(arms):
            values = rng.choice(np.arange(-spread, spread + 1), size=outcomes, replace=False)
            weights = rng.dirichlet(np.ones(outcomes))
            made.append(Arm(f"arm {index}", tuple(map(float, values)), tuple(map(float, weights))))
        if len(set(_favourites(made, budget))) == 3:
            return Instance(tuple(made), horizon=20, budget=budget)


def _favourites(arms: Sequence[Arm], budget: float) -> tuple[int, int, int]:
    def best(score: Any) -> int:
        return max(range(len(arms)), key=lambda i: (score(arms[i]), -i))

    def survives(arm: Arm) -> float:
        return sum(p for r, p in zip(arm.rewards, arm.probs, strict=True) if budget + r > 0)

    def gain(arm: Arm) -> float:
        return sum(max(r, 0.0) * p for r, p in zip(arm.rewards, arm.probs, strict=True))

    return best(lambda arm: arm.mean), best(survives), best(gain)


class ArmTable(NamedTuple):
    """Arms as arrays, for kernels and planners.

    Attributes:
        rewards: float64 ``[K, M]``, padded with each arm's last outcome.
        probs: float64 ``[K, M]``, padded with 0.
        cumulative: float64 ``[K, M]``; the last outcome's entry is exactly 1.
        counts: int64 ``[K]``, outcomes of each arm.
    """

    rewards: Any
    probs: Any
    cumulative: Any
    counts: Any


def table(arms: Sequence[Arm]) -> ArmTable:
    """The arms as arrays."""
    width = max(len(arm.rewards) for arm in arms)
    rewards, probs = np.zeros((len(arms), width)), np.zeros((len(arms), width))
    for row, arm in enumerate(arms):
        count = len(arm.rewards)
        rewards[row, :count], probs[row, :count] = arm.rewards, arm.probs
        rewards[row, count:] = arm.rewards[-1]
    cumulative = np.cumsum(probs, axis=1)
    counts = np.array([len(arm.rewards) for arm in arms])
    for row, count in enumerate(counts):
        cumulative[row, count - 1 :] = 1.0
    return ArmTable(rewards, probs, cumulative, counts)
