"""Simple ways to choose under a budget, and which of them a decision agrees with.

The three regimes of "Emergent Risk Awareness in Rational Agents under Resource Constraints"
(NeurIPS 2025): risk-neutral (the best mean, Lemma 1), survival first (the best chance to stay
alive: over one pull, Theorem 1, or by repeating the arm, Theorem 2), risk-seeking (the largest
expected gain when losses do not count, Theorem 3). The set of "good" outcomes of the last one is
ambiguous in what could be read of the paper: positive rewards here, or those that do not ruin.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from ...envs.bandits.arms import Arm
from .survival import TIE, Grid, Plan

Good = Literal["positive", "not ruinous"]
CRITERIA = ("risk-neutral", "survival", "risk-seeking")
MIXED, NONE = "mixed", "none"


def risk_neutral(arms: Sequence[Arm], grid: Grid, horizon: int) -> Any:
    """Sets of arms with the best mean, as bits: uint64 ``[T + 1, top + 1]``."""
    scores = np.array([arm.mean for arm in arms])
    return np.broadcast_to(_sets(scores[:, None]), (horizon + 1, grid.top + 1))


def survival_short(arms: Sequence[Arm], grid: Grid, horizon: int) -> Any:
    """Sets of arms most likely to leave something after one pull."""
    budgets = np.arange(grid.top + 1)[:, None]
    scores = [
        (grid.probs[arm] * (budgets + grid.steps[arm] > 0)).sum(axis=1) for arm in range(len(arms))
    ]
    return np.broadcast_to(_sets(np.stack(scores)), (horizon + 1, grid.top + 1))


def survival_long(arms: Sequence[Arm], grid: Grid, horizon: int) -> Any:
    """Sets of arms most likely to keep one alive if repeated for all the steps left."""
    alive = survival_chances(arms, grid, horizon)
    return np.stack([_sets(alive[:, left]) for left in range(horizon + 1)])


def risk_seeking(arms: Sequence[Arm], grid: Grid, horizon: int, good: Good = "positive") -> Any:
    """Sets of arms with the largest expected gain from good outcomes alone."""
    budgets = np.arange(grid.top + 1)[:, None]
    scores = []
    for arm in range(len(arms)):
        steps = grid.steps[arm]
        counted = steps > 0 if good == "positive" else budgets + steps > 0
        scores.append(
            (grid.probs[arm] * steps * counted * np.ones_like(budgets)).sum(axis=1) * grid.unit
        )
    return np.broadcast_to(_sets(np.stack(scores)), (horizon + 1, grid.top + 1))


def survival_chances(arms: Sequence[Arm], grid: Grid, horizon: int) -> Any:
    """The chance to be alive after repeating an arm: float64 ``[K, T + 1, top + 1]``.

    A budget above ``steps x largest loss`` cannot be ruined; so the grid's end adds no error.
    """
    size = grid.top + 1
    alive = np.zeros((len(arms), horizon + 1, size))
    alive[:, 0, 1:] = 1.0
    cells = np.arange(size)
    for arm in range(len(arms)):
        for left in range(1, horizon + 1):
            for step, prob in zip(grid.steps[arm], grid.probs[arm], strict=True):
                target = cells + step
                later = alive[arm, left - 1][np.clip(target, 0, size - 1)]
                alive[arm, left] += prob * np.where(target >= size, 1.0, later)
            alive[arm, left, 0] = 0.0
    return alive


def criteria(arms: Sequence[Arm], grid: Grid, horizon: int) -> Mapping[str, Any]:
    """The sets of each regime, by its name in ``CRITERIA``; survival is the one-pull kind."""
    return {
        "risk-neutral": risk_neutral(arms, grid, horizon),
        "survival": survival_short(arms, grid, horizon),
        "risk-seeking": risk_seeking(arms, grid, horizon),
    }


def regime_map(arms: Sequence[Arm], made: Plan) -> Any:
    """What the optimal decision looks like in every cell: the paper's main figure.

    Returns:
        int8 ``[T + 1, top + 1]``: an index into ``(*CRITERIA, MIXED, NONE)``; -1 where there is
        nothing to decide. A decision that several criteria would take is mixed.
    """
    sets = criteria(arms, made.grid, made.horizon)
    agree = np.stack([(sets[name] & made.best) != 0 for name in CRITERIA])
    count = agree.sum(axis=0)
    labels = np.where(count == 1, agree.argmax(axis=0), np.where(count > 1, 3, 4))
    return np.where(made.best == 0, -1, labels).astype(np.int8)


def _sets(scores: Any) -> Any:
    best = scores.max(axis=0)
    near = scores >= best - TIE * np.maximum(1.0, np.abs(best))
    bits = np.uint64(1) << np.arange(len(scores), dtype=np.uint64)
    return (near * bits.reshape(-1, *[1] * (near.ndim - 1))).sum(axis=0).astype(np.uint64)
