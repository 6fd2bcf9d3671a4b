"""Thurstone's comparisons: normal utilities, with one variance for all or with a variance each.

Thurstone (1927, "A Law of Comparative Judgment"): each time an item is judged its utility is drawn
anew, ``N(mu_i, sigma_i^2)``, and the higher one is preferred,

    P(i > j) = Phi((mu_i - mu_j) / sqrt(sigma_i^2 + sigma_j^2))

*Case V* has ``sigma_i^2 = 1/2`` for all, so that ``P = Phi(mu_i - mu_j)``. With variances of their
own (as Mazeika et al. 2025, "Utility Engineering", fit them) an item about which judges are of two
minds may lie anywhere, while one that is certain may not.

Ties count as half a preference each way. The prior is made of pseudo-comparisons: every mean wins
and loses ``prior`` of them against an average item; every log-variance is normal around case V's,
which keeps both finite where answers never contradict one another. Means are found by Newton's
method, means and variances together by Fisher scoring from there (:mod:`.ascent`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import log_ndtr

from .ascent import Maximum, ascend
from .bradley_terry import PriorWeights
from .pair_counts import Floats, PairCounts
from .precision import Precision

if TYPE_CHECKING:
    from scipy.sparse import csr_array

EVERYBODYS = 0.5
"""The variance of every item in case V."""
_WIDEST = 8.0
"""Log-variances stay so near to case V's."""
_TINY = 1e-5
_ENOUGH = 1e-3
"""A rise in log-likelihood that no amount of data could show."""
_ROOT = 0.5 * np.log(2 * np.pi)


def case_five(
    counts: PairCounts, *, prior: float, weights: PriorWeights | None = None
) -> tuple[Maximum, Precision]:
    """Means, then side effects, of items whose variances are all one half.

    Args:
        counts: what was preferred.
        prior: pseudo-comparisons won and lost by each, positive unless nobody is unbeaten.
        weights: of the pseudo-comparisons, instead; a bootstrap draws them.

    Returns:
        The maximum, and the precision there.
    """
    design = counts.design()
    wins, losses = _halved(counts)
    given = weights or PriorWeights.equal(counts.parameters, prior)

    def evaluate(values: Floats) -> tuple[float, Floats, Precision]:
        advantage = design @ values
        level, slope, curvature = _told(advantage, wins, losses)
        more, pull, diagonal = _told(values, given.wins, given.losses)
        gradient = design.T @ slope + pull
        return float(level.sum() + more.sum()), gradient, Precision(design, curvature, diagonal)

    found = ascend(evaluate, _solved, np.zeros(counts.parameters))
    return found, evaluate(found.values)[2]


def means_and_variances(
    counts: PairCounts, *, prior: float, stiffness: float = 1.0
) -> tuple[Maximum, Precision]:
    """Means, side effects and then log-variances of items that differ in both.

    Args:
        counts: what was preferred.
        prior: pseudo-comparisons won and lost by each mean.
        stiffness: precision of the prior of log-variances around case V's; larger is nearer to it.

    Returns:
        The maximum, and the precision there (from the expected information).
    """
    sides, agents = counts.design(), counts.agents
    means = counts.parameters
    wins, losses = _halved(counts)
    total = wins + losses
    centre = np.log(EVERYBODYS)

    def evaluate(values: Floats) -> tuple[float, Floats, Precision]:
        spread = np.exp(values[means:])
        pair = spread[counts.first] + spread[counts.second] + _TINY
        advantage = (sides @ values[:means]) / np.sqrt(pair)
        level, slope, _ = _told(advantage, wins, losses)
        more, pull, diagonal = _told(values[:means], prior, prior)
        off = values[means:] - centre
        jacobian = _jacobian(counts, sides, advantage, pair, spread)
        gradient = jacobian.T @ slope
        gradient[:means] += pull
        gradient[means:] -= stiffness * off
        known = total * np.exp(-advantage * advantage - 2 * _ROOT - _log_both(advantage))
        # What the expected information lacks of the Hessian, where it would make steps too long.
        bends = np.maximum(0.0, -_bent(counts, advantage, pair, spread, slope))
        every = np.concatenate([diagonal, stiffness + bends])
        height = float(level.sum() + more.sum() - 0.5 * stiffness * (off @ off))
        return height, gradient, Precision(jacobian, known, every)

    start = np.concatenate([case_five(counts, prior=prior)[0].values, np.full(agents, centre)])
    bound = np.concatenate([np.full(means, np.inf), np.full(agents, _WIDEST)])
    middle = np.concatenate([np.zeros(means), np.full(agents, centre)])
    found = ascend(
        evaluate,
        lambda gradient, precision: precision.solve(gradient, tolerance=1e-3),
        start,
        low=middle - bound,
        high=middle + bound,
        tolerance=1e-6,
        enough=_ENOUGH,
    )
    return found, evaluate(found.values)[2]


def _halved(counts: PairCounts) -> tuple[Floats, Floats]:
    half = 0.5 * counts.ties
    return counts.wins + half, counts.losses + half


def _solved(gradient: Floats, precision: Precision) -> Floats:
    return precision.solve(gradient, tolerance=1e-6)


def _told(
    advantage: Floats, wins: Floats | float, losses: Floats | float
) -> tuple[Floats, Floats, Floats]:
    """Per row: log-likelihood, slope, and minus the curvature, in the advantage."""
    level_won, level_lost = log_ndtr(advantage), log_ndtr(-advantage)
    density = -0.5 * advantage * advantage - _ROOT
    up, down = np.exp(density - level_won), np.exp(density - level_lost)
    curvature = wins * up * (up + advantage) + losses * down * (down - advantage)
    slope = wins * up - losses * down
    return wins * level_won + losses * level_lost, slope, np.maximum(curvature, 0.0)


def _log_both(advantage: Floats) -> Floats:
    return np.asarray(log_ndtr(advantage) + log_ndtr(-advantage))


def _bent(
    counts: PairCounts, advantage: Floats, pair: Floats, spread: Floats, slope: Floats
) -> Floats:
    """Per log-variance, the slope times the second derivative of the standardised advantage."""
    bent = np.zeros(counts.agents)
    for index in (counts.first, counts.second):
        share = spread[index] / pair
        second = slope * advantage * share * (0.75 * share - 0.5)
        bent += np.bincount(index, second, counts.agents)
    return bent


def _jacobian(
    counts: PairCounts, sides: csr_array, advantage: Floats, pair: Floats, spread: Floats
) -> csr_array:
    """How each row's standardised advantage moves with means, side effects and log-variances."""
    from scipy.sparse import csr_array as make
    from scipy.sparse import hstack

    rows = np.arange(len(advantage))
    inner = -0.5 * advantage / pair
    parts = [(counts.first, inner * spread[counts.first])]
    parts += [(counts.second, inner * spread[counts.second])]
    moved = make(
        (
            np.concatenate([value for _, value in parts]),
            (np.concatenate([rows, rows]), np.concatenate([index for index, _ in parts])),
        ),
        shape=(len(rows), counts.agents),
    )
    scaled = sides.multiply(1.0 / np.sqrt(pair)[:, None])
    return make(hstack([scaled, moved], format="csr"))
