"""Pulling arms under a budget, for many lives at a time.

The rules are those of "Emergent Risk Awareness in Rational Agents under Resource Constraints"
(NeurIPS 2025): the budget follows the rewards, a loss is charged up to what is held, and a spent
budget ends the life. One uniform number a pull picks the outcome of whichever arm is pulled, so
that policies compared under one seed share their luck.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..grid.cache import kernel, part
from ..grid.rng import draw, seed_match

EPSILON = 1e-9
"""Budgets this close to zero count as spent: fractions of rewards do not add up exactly."""

RAW, SHORTFALL, RUINED = range(3)
"""Columns of the event array: the reward before clipping, the loss escaped, whether ruined now."""
EVENTS = 3
_TO_UNIT = 1.0 / (1 << 53)
_HIGH = np.uint64(11)


@part
def outcome(rng: Any, e: int, arm: int, cumulative: Any, counts: Any) -> int:
    """Which outcome of ``arm`` the next uniform number picks."""
    u = np.int64(draw(rng, e) >> _HIGH) * _TO_UNIT
    k = 0
    while k < counts[arm] - 1 and u >= cumulative[arm, k]:
        k += 1
    return k


@kernel
def begin(seeds: Any, which: Any, budget: Any, clock: Any, rng: Any, start: float) -> None:
    """Start the lives in ``which`` anew."""
    for e in range(budget.shape[0]):
        if which[e]:
            seed_match(rng, e, seeds[e])
            budget[e] = start
            clock[e] = 0


@kernel
def pull(
    arms: Any,
    idle: Any,
    budget: Any,
    clock: Any,
    rng: Any,
    table: Any,
    rules: Any,
    rewards: Any,
    events: Any,
    seen: Any,
    share: float,
) -> None:
    """One pull in every life that is not idle.

    Args:
        arms: int ``[E]``.
        idle: bool ``[E]``, lives to leave alone.
        budget: float64 ``[E]``, changed.
        clock: int64 ``[E]``, pulls so far, changed.
        rng: uint64 ``[E, 4]``, changed.
        table: (rewards ``[K, M]``, cumulative ``[K, M]``, counts ``[K]``).
        rules: (limited liability?, is a budget of exactly zero ruin?, cap or infinity).
        rewards: float32 ``[E]``, written.
        events: float32 ``[E, EVENTS]``, written.
        seen: float32 ``[E, 1 or 2]``, written: what is held, and the share of time left; ``[0, 2]``
            where nobody looks.
        share: of the horizon that one step is.
    """
    looks, dated = seen.shape[0] > 0, seen.shape[1] > 1
    payoffs, cumulative, counts = table
    limited, zero_is_ruin, cap = rules
    for e in range(arms.shape[0]):
        if idle[e]:
            rewards[e] = 0.0
            events[e, :] = 0.0
            continue
        arm = arms[e]
        raw = payoffs[arm, outcome(rng, e, arm, cumulative, counts)]
        held = budget[e]
        left = held + raw
        ruined = left <= EPSILON if zero_is_ruin else left < -EPSILON
        short = max(0.0, -left) if ruined else 0.0
        rewards[e] = raw + short if limited else raw
        events[e, RAW], events[e, SHORTFALL] = raw, short
        events[e, RUINED] = 1.0 if ruined else 0.0
        budget[e] = 0.0 if ruined else min(max(left, 0.0), cap)
        clock[e] += 1
        if looks:
            seen[e, 0] = budget[e]
            if dated:
                seen[e, 1] = 1.0 - clock[e] * share
