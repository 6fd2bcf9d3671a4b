"""How well a group did and how evenly: welfare, fairness and what the social-dilemma papers report.

All functions take returns ``[…, A]`` (one per seat on the last axis) and give ``[…]``. Mean,
geometric mean and minimum are the alpha-fair welfares at 0, 1 and infinity (Mo and Walrand 2000; as
used by Kim and Sycara, Conflict-Aware Gradient Adjustment, 2025); efficiency, equality,
sustainability and peace are those of Perolat et al. (2017). Returns that are negative or zero break
logarithms and ratios: the geometric mean is then 0 and "not defined", Gini and Jain are NaN where
the sum is not positive. Compute them per seed from returns averaged over episodes, then aggregate.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any


def geomean(returns: Array) -> Array:
    """Geometric mean; 0 where any return is not positive (see :func:`geomean_defined`)."""
    returns = np.asarray(returns, np.float64)
    safe = np.where(returns > 0, returns, 1.0)
    return np.where(geomean_defined(returns), np.exp(np.log(safe).mean(-1)), 0.0)


def geomean_defined(returns: Array) -> Array:
    """Whether all returns are positive."""
    return (np.asarray(returns) > 0).all(-1)


def gini(returns: Array) -> Array:
    """Gini coefficient, 0 when all are equal; NaN where the sum is not positive."""
    returns = np.asarray(returns, np.float64)
    gaps = np.abs(returns[..., :, None] - returns[..., None, :]).sum((-1, -2))
    return _ratio(gaps, 2 * returns.shape[-1] * returns.sum(-1), returns)


def jain(returns: Array) -> Array:
    """Jain's index, 1 when all are equal; NaN where the sum is not positive."""
    returns = np.asarray(returns, np.float64)
    total = returns.sum(-1)
    return _ratio(total**2, returns.shape[-1] * (returns**2).sum(-1), returns)


def welfare(returns: Array, alpha: float) -> Array:
    """Alpha-fair welfare: sum of ``r^(1 - alpha) / (1 - alpha)``, of ``log r`` at alpha 1.

    Minus infinity where a return is not positive and alpha is at least 1; NaN where one is negative
    and alpha is between 0 and 1.
    """
    returns = np.asarray(returns, np.float64)
    if alpha == 0:
        return returns.sum(-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.log(returns) if alpha == 1 else returns ** (1 - alpha) / (1 - alpha)
    if alpha >= 1:
        each = np.where(returns > 0, each, -np.inf)
    return each.sum(-1)


def group_metrics(returns: Array) -> dict[str, Array]:
    """Mean, GeoMean, Min, Gini, equality (1 - Gini) and Jain, as float64 ``[…]``."""
    returns = np.asarray(returns, np.float64)
    unevenness = gini(returns)
    return {
        "mean": returns.mean(-1),
        "geomean": geomean(returns),
        "geomean_defined": geomean_defined(returns).astype(np.float64),
        "min": returns.min(-1),
        "gini": unevenness,
        "equality": 1 - unevenness,
        "jain": jain(returns),
    }


def _ratio(over: Array, under: Array, returns: Array) -> Array:
    defined = returns.sum(-1) > 0
    return np.where(defined, over / np.where(defined, under, 1.0), np.nan)
