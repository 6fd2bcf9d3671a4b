"""Bots for survival bandits: planners that know the arms, and learners that do not.

The planners follow "Emergent Risk Awareness in Rational Agents under Resource Constraints"
(NeurIPS 2025): the exact optimum and the criteria it is compared with. The learners are UCB1 (Auer
et al., 2002), Thompson sampling, epsilon-greedy, and EXPLOIT and EXPLOIT-UCB-DOUBLE in the manner
of Riou, Honda and Sugiyama, The Survival Bandit Problem (2024), as we read them (derived).
"""

from __future__ import annotations

import functools
import math
from abc import ABC, abstractmethod
from random import Random
from typing import Any, ClassVar

import numpy as np

from gymposium.errors import UsageError
from gymposium.types import Seat, Turn

from ...envs.bandits.arms import Arm, parse_arms
from ...envs.limits import real
from ..planning import criteria
from ..planning.survival import Objective, Plan, first, make_grid, plan

WORLDS = ("survival_bandit-v0",)
MAX_PLANNED = 2_000


class SurvivalPlanner(ABC):
    """Base of the bots that are told the arms and work out a table of decisions."""

    name: ClassVar[str]
    summary: ClassVar[str]
    worlds: ClassVar[tuple[str, ...]] = WORLDS
    deterministic: ClassVar[bool] = True

    def reset(self, seat: Seat, seed: int) -> None:
        """A new life; the plan of the last one is kept where it fits."""
        self._policy: Any = None

    def act(self, turn: Turn) -> int:
        """The planned arm for what is held and the steps left."""
        held = float(turn.observation[0])
        if self._policy is None:
            self._arms, self._horizon = _model(turn, type(self).__name__)
            zero = turn.info.get("ruin_rule", "le0") == "le0"
            self._unit, self._policy = self._table(self._arms, self._horizon, held, zero)
            self._means = [arm.mean for arm in self._arms]
        left = round(float(turn.observation[1]) * self._horizon)
        cell = math.floor(held / self._unit + 1e-6)
        if cell >= self._policy.shape[1]:
            return self._beyond()
        return int(self._policy[left, cell])

    def _beyond(self) -> int:
        return self._means.index(max(self._means))

    @abstractmethod
    def _table(
        self, arms: tuple[Arm, ...], horizon: int, held: float, zero: bool
    ) -> tuple[float, Any]:
        """(unit, arm by steps left and budget in units)."""


class SurvivalOptimal(SurvivalPlanner):
    """Maximises its own expected return exactly, knowing that it cannot lose more than it holds."""

    name = "survival_optimal"
    summary = (
        "The exact optimum by dynamic programming; extension plans for more steps than there are."
    )

    def __init__(self, extension: int = 0, liability: float = 0.0) -> None:
        if not 0 <= extension <= MAX_PLANNED or not 0 <= liability <= 1:
            raise UsageError(
                f"survival_optimal: extension must be 0 to {MAX_PLANNED} and liability 0 to 1, "
                f"got {extension!r} and {liability!r}"
            )
        self._extension, self._objective = int(extension), Objective(liability=float(liability))

    def _table(
        self, arms: tuple[Arm, ...], horizon: int, held: float, zero: bool
    ) -> tuple[float, Any]:
        made = _planned(arms, horizon + self._extension, held, self._objective, zero)
        return made.grid.unit, made.choice[self._extension :]


class _Criterion(SurvivalPlanner):
    sets: ClassVar[Any]

    def _table(
        self, arms: tuple[Arm, ...], horizon: int, held: float, zero: bool
    ) -> tuple[float, Any]:
        return _by_criterion(arms, horizon, held, self.name)

    def _beyond(self) -> int:
        return int(self._policy[1, -1])


class RiskNeutral(_Criterion):
    """Pulls the arm with the best mean, whatever it holds."""

    name, summary = "risk_neutral", "The arm with the best mean, whatever is held."
    sets = staticmethod(criteria.risk_neutral)


class SurvivalShort(_Criterion):
    """Pulls the arm most likely to leave something after this pull."""

    name, summary = "survival_short", "The arm most likely to leave something after this pull."
    sets = staticmethod(criteria.survival_short)


class SurvivalLong(_Criterion):
    """Pulls the arm that, repeated to the end, is most likely to keep it alive."""

    name, summary = "survival_long", "The arm that is safest if repeated to the end."
    sets = staticmethod(criteria.survival_long)


class RiskSeeking(_Criterion):
    """Pulls the arm with the largest expected gain, losses not counted."""

    name, summary = "risk_seeking", "The arm with the largest expected gain, losses not counted."
    sets = staticmethod(criteria.risk_seeking)


_CRITERIA = {bot.name: bot for bot in (RiskNeutral, SurvivalShort, SurvivalLong, RiskSeeking)}


@functools.lru_cache(maxsize=32)
def _planned(
    arms: tuple[Arm, ...], horizon: int, held: float, objective: Objective, zero: bool
) -> Plan:
    return plan(arms, horizon, objective, start=held, zero_is_ruin=zero)


@functools.lru_cache(maxsize=32)
def _by_criterion(arms: tuple[Arm, ...], horizon: int, held: float, name: str) -> tuple[float, Any]:
    grid = make_grid(arms, horizon, held)
    return grid.unit, first(_CRITERIA[name].sets(arms, grid, horizon))


def _model(turn: Turn, who: str) -> tuple[tuple[Arm, ...], int]:
    try:
        return parse_arms(turn.info["arms"]), int(turn.info["horizon"])
    except KeyError as missing:
        what = "the arms" if missing.args == ("arms",) else "how many steps are left"
        raise UsageError(
            f"{who} plans with what it is told, and this world does not tell {what}; "
            "it plays survival_bandit-v0 with known_arms and without hide_steps_left"
        ) from None


class SurvivalLearner(ABC):
    """Base of the bots that learn the arms by pulling; they never look at the odds.

    Attributes:
        pulls, sums: of each arm so far.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    worlds: ClassVar[tuple[str, ...]] = (*WORLDS, "shared_budget-v0")
    deterministic: ClassVar[bool] = True

    def reset(self, seat: Seat, seed: int) -> None:
        """A new life: nothing is known."""
        count = getattr(seat.action_space, "n", None)
        if count is None:
            raise UsageError(f"{type(self).__name__} needs a world with a Discrete choice of arms")
        self._count = int(count)
        self.pulls, self.sums = np.zeros(self._count), np.zeros(self._count)
        self.squares = np.zeros(self._count)
        self._random = Random(seed)
        self._last: int | None = None
        self._start: float | None = None

    def act(self, turn: Turn) -> int:
        """Learn from the last pull, then choose."""
        held = float(turn.observation[0])
        self._start = held if self._start is None else self._start
        if self._last is not None:
            self._learn(self._last, float(turn.info.get("principal_reward", turn.reward)))
        self._last = int(self._choose(held))
        return self._last

    def _learn(self, arm: int, reward: float) -> None:
        self.pulls[arm] += 1
        self.sums[arm] += reward
        self.squares[arm] += reward * reward

    def _means(self) -> Any:
        return self.sums / np.maximum(self.pulls, 1)

    def _any(self, arms: Any) -> int:
        return int(arms[self._random.randrange(len(arms))])

    def _best(self, scores: Any) -> int:
        return self._any(np.flatnonzero(scores >= scores.max()))

    def _scale(self) -> float:
        seen = self.squares.sum() / max(self.pulls.sum(), 1)
        return float(max(math.sqrt(seen), 1e-9))

    def _ucb(self) -> Any:
        fresh = self.pulls == 0
        bonus = np.sqrt(2 * math.log(max(self.pulls.sum(), 2)) / np.maximum(self.pulls, 1))
        return np.where(fresh, np.inf, self._means() + self._scale() * bonus)

    @abstractmethod
    def _choose(self, held: float) -> int:
        """The arm to pull."""


class Ucb(SurvivalLearner):
    """UCB1 on the rewards, scaled by their size; takes no notice of the budget."""

    name, summary = "ucb", "UCB1 on the rewards; takes no notice of the budget."

    def _choose(self, held: float) -> int:
        return self._best(self._ucb())


class EpsilonGreedy(SurvivalLearner):
    """The best mean so far, or any arm with a small chance; takes no notice of the budget."""

    name, summary = "epsilon_greedy", "The best mean so far, or with probability epsilon any arm."

    def __init__(self, epsilon: float = 0.1) -> None:
        self._epsilon = real(self.name, "epsilon", epsilon, 0, 1)

    def _choose(self, held: float) -> int:
        if self._random.random() < self._epsilon:
            return self._random.randrange(self._count)
        return self._best(np.where(self.pulls == 0, np.inf, self._means()))


class Thompson(SurvivalLearner):
    """Draws a mean for every arm from a normal posterior and pulls the best."""

    name, summary = "thompson", "Draws every arm's mean from a normal posterior; pulls the best."

    def _choose(self, held: float) -> int:
        scale = self._scale() if self.pulls.sum() else 1.0
        spread = scale / np.sqrt(self.pulls + 1)
        noise = np.array([self._random.gauss(0, 1) for _ in range(self._count)])
        return self._best(self.sums / (self.pulls + 1) + spread * noise)


class Exploit(SurvivalLearner):
    """Gives every arm an equal share of the budget and pulls the one with most of it left."""

    name, summary = "exploit", "An equal share of the budget for each arm; pulls the richest."

    def _choose(self, held: float) -> int:
        share = (self._start or held) / self._count + self.sums
        return self._best(share)


class ExploitUcbDouble(Exploit):
    """EXPLOIT until there is a surplus, which UCB1 may then spend; the surplus needed doubles."""

    name, summary = "exploit_ucb_double", "EXPLOIT for survival; UCB1 with the surplus alone."

    def reset(self, seat: Seat, seed: int) -> None:
        """A new life: nothing is known, and no surplus was spent."""
        super().reset(seat, seed)
        self._needed, self._exploring = 1.0, False

    def _choose(self, held: float) -> int:
        start = self._start or held
        surplus = (held - start) / max(self._scale(), 1e-9)
        if not self._exploring and surplus >= 2 * self._needed:
            self._exploring = True
        elif self._exploring and surplus < self._needed:
            self._exploring, self._needed = False, self._needed * 2
        return self._best(self._ucb()) if self._exploring else super()._choose(held)


BOTS: dict[str, type] = {
    bot.name: bot
    for bot in (
        SurvivalOptimal,
        RiskNeutral,
        SurvivalShort,
        SurvivalLong,
        RiskSeeking,
        Ucb,
        EpsilonGreedy,
        Thompson,
        Exploit,
        ExploitUcbDouble,
    )
}
