"""The tightest budget at which a policy still earns enough: by bisection, and exactly.

Tzannetos, Kamalaruban and Singla (NeurIPS 2025) search it by bisection on rollouts. On a sample the
value of a budget is a step function that rises at the costs of the rollouts, so its limit is an
order statistic (derived), which is the oracle of the search and can be used in its place.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
_SLACK = 1e-12
"""Sums of rewards are compared with a threshold times their number up to rounding."""


def enough(costs: Array, returns: Array, budget: float, beta: float) -> bool:
    """Whether the mean of what ``budget`` pays is at least ``beta``."""
    return bool(returns[costs <= budget].sum() >= beta * len(costs) - _SLACK)


def bisect(
    costs: Array,
    returns: Array,
    *,
    beta: float,
    target: float,
    highest: float,
    halvings: int = 20,
    tolerance: float = 0.0,
) -> float:
    """The tightest budget that is enough, by halving ``[target, highest]``.

    Args:
        costs: of the rollouts, ``[M]``.
        returns: of the rollouts, ``[M]``.
        beta: the least mean return.
        target: returned if it is enough.
        highest: returned if nothing is.
        halvings: at most so many.
        tolerance: stop when the interval is no wider.

    Returns:
        A budget that is enough, at most ``max(tolerance, (highest - target) / 2**halvings)`` above
        the tightest; or ``highest``.
    """
    if enough(costs, returns, target, beta):
        return target
    if not enough(costs, returns, highest, beta):
        return highest
    low, high = target, highest
    for _ in range(halvings):
        if high - low <= tolerance:
            break
        middle = (low + high) / 2
        if enough(costs, returns, middle, beta):
            high = middle
        else:
            low = middle
    return high


def exact(costs: Array, returns: Array, *, beta: float, target: float, highest: float) -> float:
    """The limit of :func:`bisect`: for returns of 0 and 1 the ceil(beta M)-th cost of a success."""
    if enough(costs, returns, target, beta):
        return target
    order = np.argsort(costs, kind="stable")
    reached = np.cumsum(returns[order]) >= beta * len(costs) - _SLACK
    if not reached.any():
        return highest
    return float(min(max(costs[order][reached.argmax()], target), highest))
