"""Dynamic programming for survival bandits: what a rational agent does with what it holds.

The budget lives on a grid of whole units, so values are exact up to rounding. The recursion is
that of "Emergent Risk Awareness in Rational Agents under Resource Constraints" (NeurIPS 2025);
objectives other than the agent's (the principal's, shared liability, shaped rewards) are the same
recursion with another reward, derived here. Above ``horizon x largest loss`` ruin is out of reach
and the best arm by mean is best, which is how the grid ends without bias.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd
from typing import Any, NamedTuple

import numpy as np

from gymposium.errors import UsageError

from ...envs.bandits.arms import Arm, table

TIE = 1e-9
"""Values this close (relative to the scale of the rewards) are ties."""
MAX_CELLS = 200_000_000


@dataclass(frozen=True)
class Objective:
    """What is maximised, or measured, along a life.

    A pull from budget b with outcome R pays ``max(-b, R + shaping)`` if ``limited``, else
    ``R + shaping``; then ``-liability x (loss beyond b)`` and, at ruin, ``-ruin_cost``.

    Attributes:
        limited: losses beyond the budget are not charged.
        liability: the share of the loss beyond the budget that is charged after all.
        ruin_cost: paid once, at ruin.
        shaping: per arm, per outcome: added to the reward, not to the budget; None is nothing.
    """

    limited: bool = True
    liability: float = 0.0
    ruin_cost: float = 0.0
    shaping: Sequence[Sequence[float]] | None = None


AGENT, PRINCIPAL = Objective(), Objective(limited=False)


class Grid(NamedTuple):
    """Budgets as whole multiples of a unit.

    Attributes:
        unit: the size of one step.
        steps: int64 ``[K, M]``: each outcome in units.
        probs: float64 ``[K, M]``; padding has probability 0.
        top: the highest budget, in units.
    """

    unit: float
    steps: Any
    probs: Any
    top: int


@dataclass(frozen=True)
class Plan:
    """An optimal policy with its values.

    Attributes:
        grid: the budgets.
        value: float64 ``[T + 1, top + 1]``: what is still to be gained with k steps left.
        best: uint64 ``[T + 1, top + 1]``: the set of optimal arms, as bits; row 0 is empty.
        means: float64 ``[K]``.
        zero_is_ruin: a budget of exactly zero is the end.
    """

    grid: Grid
    value: Any
    best: Any
    means: Any
    zero_is_ruin: bool = True

    @property
    def horizon(self) -> int:
        """The most steps left that are planned for."""
        return len(self.value) - 1

    @cached_property
    def choice(self) -> Any:
        """int16 ``[T + 1, top + 1]``: the optimal arm with the lowest number; -1 where none is."""
        return np.where(self.best == 0, np.int16(-1), first(self.best))

    def value_at(self, budget: float, left: int) -> float:
        """The value of ``budget`` with ``left`` steps to go, also above the grid."""
        cell = self._cell(budget)
        if cell > self.grid.top:
            return left * float(self.means.max())
        return float(self.value[left, cell])

    def arms_at(self, budget: float, left: int) -> tuple[int, ...]:
        """The optimal arms for ``budget`` with ``left`` steps to go, also above the grid."""
        cell = self._cell(budget)
        if cell > self.grid.top:
            return tuple(np.flatnonzero(self.means >= self.means.max() - TIE).tolist())
        bits = int(self.best[left, cell])
        return tuple(arm for arm in range(len(self.means)) if bits >> arm & 1)

    def _cell(self, budget: float) -> int:
        cell = round(budget / self.grid.unit)
        if abs(cell * self.grid.unit - budget) > 1e-6:
            raise UsageError(
                f"the budget {budget:g} is no multiple of the plan's unit {self.grid.unit:g}: "
                "plan with start set to it"
            )
        return cell


def first(sets: Any) -> Any:
    """The arm with the lowest number in each set of arms, int16; 0 for an empty one."""
    low = sets & (~sets + np.uint64(1))
    return np.log2(np.maximum(low, np.uint64(1)).astype(np.float64)).astype(np.int16)


def make_grid(arms: Sequence[Arm], horizon: int, start: float = 0.0) -> Grid:
    """The budgets that planning needs.

    Args:
        arms: the options.
        horizon: steps planned for.
        start: a budget that must be on the grid, as all that can follow from it then are.

    Raises:
        UsageError: the rewards have no common unit, or the grid is too large.
    """
    if horizon < 1:
        raise UsageError(f"a plan needs a horizon of at least 1, got {horizon}")
    values = [reward for arm in arms for reward in arm.rewards]
    unit = _unit([*values, start] if start else values)
    full = table(arms)
    steps = np.rint(full.rewards / unit).astype(np.int64)
    largest_loss = max(0, int(-steps.min()))
    top = max(horizon * largest_loss, round(start / unit), 1)
    if (horizon + 1) * (top + 1) > MAX_CELLS:
        raise UsageError(
            f"the plan would have {(horizon + 1) * (top + 1):,} cells ({horizon} steps, budgets up "
            f"to {top} units of {unit:g}); at most {MAX_CELLS:,}: shorten the horizon or round "
            "the rewards to a coarser unit"
        )
    return Grid(unit, steps, full.probs, top)


def plan(
    arms: Sequence[Arm],
    horizon: int,
    objective: Objective = AGENT,
    *,
    start: float = 0.0,
    zero_is_ruin: bool = True,
) -> Plan:
    """The policy that maximises ``objective`` over ``horizon`` steps, from every budget.

    Args:
        arms: the options.
        horizon: steps.
        objective: what is maximised.
        start: a budget that must be on the grid, as all that can follow from it then are.
        zero_is_ruin: ruin when nothing is left (else when less than nothing is).

    Raises:
        UsageError: as :func:`make_grid`.
    """
    grid = make_grid(arms, horizon, start)
    pull = _Pull(arms, grid, objective, zero_is_ruin)
    value = np.zeros((horizon + 1, grid.top + 1))
    best = np.zeros((horizon + 1, grid.top + 1), np.uint64)
    slack = TIE * max(1.0, float(np.abs(grid.steps).max()) * grid.unit)
    quality = np.empty((len(arms), grid.top + 1))
    bits = [np.uint64(1 << arm) for arm in range(len(arms))]
    for left in range(1, horizon + 1):
        later = pull.padded(value[left - 1], left - 1)
        for arm, row in enumerate(quality):
            pull.worth(arm, later, row)
        quality.max(axis=0, out=value[left])
        for bit, optimal in zip(bits, quality >= value[left] - slack, strict=True):
            best[left] |= optimal * bit
        if zero_is_ruin:
            value[left, 0], best[left, 0] = 0.0, 0
    return Plan(grid, value, best, pull.means, zero_is_ruin)


def evaluate(
    arms: Sequence[Arm],
    grid: Grid,
    policy: Any,
    objective: Objective = AGENT,
    *,
    zero_is_ruin: bool = True,
) -> Any:
    """What a policy is worth under an objective it may not have been made for.

    Args:
        arms: the options.
        grid: the budgets, from :func:`make_grid`.
        policy: whole numbers ``[T + 1, top + 1]``: the arm with k steps left; row 0 is not used.
            Above the grid the best arm by mean is taken.
        objective: what is measured.
        zero_is_ruin: as in :func:`plan`.

    Returns:
        float64 ``[T + 1, top + 1]``.
    """
    pull = _Pull(arms, grid, objective, zero_is_ruin)
    value = np.zeros(policy.shape)
    worth = np.empty(grid.top + 1)
    for left in range(1, len(policy)):
        later = pull.padded(value[left - 1], left - 1)
        for arm in range(len(arms)):
            here = policy[left] == arm
            if here.any():
                value[left, here] = pull.worth(arm, later, worth)[here]
        if zero_is_ruin:
            value[left, 0] = 0.0
    return value


def worths(arms: Sequence[Arm], made: Plan, left: int, objective: Objective = AGENT) -> Any:
    """What each arm is worth with ``left`` steps to go, the plan being followed afterwards.

    Args:
        arms: the plan's.
        made: the plan.
        left: from 1 to the plan's horizon.
        objective: the plan's.

    Returns:
        float64 ``[K, top + 1]``.
    """
    pull = _Pull(arms, made.grid, objective, made.zero_is_ruin)
    later = pull.padded(made.value[left - 1], left - 1)
    rows = [pull.worth(arm, later, np.empty(made.grid.top + 1)) for arm in range(len(arms))]
    return np.stack(rows)


class _Pull:
    """One pull of an arm from every budget at once."""

    def __init__(
        self, arms: Sequence[Arm], grid: Grid, objective: Objective, zero_is_ruin: bool
    ) -> None:
        self._grid, self._objective = grid, objective
        self._first = 1 if zero_is_ruin else 0  # the lowest budget that is alive
        self._margin = int(np.abs(grid.steps).max())
        shaping = _shaping(arms, grid, objective)
        self.means = (grid.probs * (grid.steps * grid.unit + shaping)).sum(axis=1)
        self._outcomes = [
            [(s, p, extra) for s, p, extra in zip(*row, strict=True) if p > 0]
            for row in zip(grid.steps.tolist(), grid.probs.tolist(), shaping.tolist(), strict=True)
        ]
        self._paid = np.stack([self._expected(row) for row in self._outcomes])

    def padded(self, value: Any, left: int) -> Any:
        """``value`` with what lies below and above the grid, so that a pull is a slice of it."""
        margin, size = self._margin, len(value)
        later = np.zeros(size + 2 * margin)
        later[margin + self._first : margin + size] = value[self._first :]
        later[margin + size :] = left * self.means.max()
        return later

    def worth(self, arm: int, later: Any, out: Any) -> Any:
        """Value of pulling ``arm`` if what follows is worth ``later``; written into ``out``."""
        size = self._grid.top + 1
        out[:] = self._paid[arm]
        for step, prob, _ in self._outcomes[arm]:
            start = self._margin + step
            out += prob * later[start : start + size]
        return out

    def _expected(self, outcomes: Sequence[tuple[int, float, float]]) -> Any:
        budgets = np.arange(self._grid.top + 1) * self._grid.unit
        return sum(prob * self._reward(budgets, step, extra) for step, prob, extra in outcomes)

    def _reward(self, budgets: Any, step: int, extra: float) -> Any:
        objective, raw = self._objective, step * self._grid.unit
        left = budgets + raw
        paid = np.maximum(-budgets, raw + extra) if objective.limited else raw + extra
        if objective.liability and objective.limited:
            paid = paid + objective.liability * np.minimum(left, 0.0)
        if objective.ruin_cost:
            alive = np.arange(self._grid.top + 1) + step >= self._first
            paid = paid - np.where(alive, 0.0, objective.ruin_cost)
        return paid * np.ones_like(budgets)


def _shaping(arms: Sequence[Arm], grid: Grid, objective: Objective) -> Any:
    shaping = np.zeros(grid.probs.shape)
    for row, given in enumerate(objective.shaping or ()):
        if len(given) != len(arms[row].rewards):
            raise UsageError(f"shaping of arm {arms[row].name!r} must have one number an outcome")
        shaping[row, : len(given)] = given
    return shaping


def _unit(values: Sequence[float]) -> float:
    fractions = [Fraction(value).limit_denominator(10_000) for value in values if value]
    for value, fraction in zip([v for v in values if v], fractions, strict=True):
        if abs(float(fraction) - value) > 1e-9 * max(1.0, abs(value)):
            raise UsageError(
                f"planning needs rewards and budgets on a common grid; {value!r} is no multiple of "
                "1/10000: round it"
            )
    if not fractions:
        return 1.0
    below = 1
    for fraction in fractions:
        below = below * fraction.denominator // gcd(below, fraction.denominator)
    above = 0
    for fraction in fractions:
        above = gcd(above, int(fraction * below))
    return float(Fraction(above, below))
