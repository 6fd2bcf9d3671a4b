"""Intervals by resampling seed blocks.

Matches of one seed block share their seeds, so they are not independent of each other: whole blocks
are drawn with replacement, jointly over all cells and agents (the cluster bootstrap; Efron &
Tibshirani 1993, chapter 8). Two things the plain percentile interval gets wrong are put right:

* **Few blocks.** With ``B`` blocks its tails are too short by about ``sqrt((B - 1) / B)`` times
  normal over Student quantiles (Hesterberg 2015, "What Teachers Should Know About the Bootstrap",
  section 5.3). Deviations from the estimate are stretched by that factor. With a single block
  nothing is known about the spread, and there is no interval: None, never one of zero width.
* **No losses.** Resampling matches that somebody always won gives the same rating every time. A
  second set of replicas therefore keeps all blocks, counts each pair at most once a block (matches
  of a block may all say the same), and reweights the pseudo-comparisons of the prior by Exp(1)
  draws (the Bayesian bootstrap, Rubin 1981): the rating of an unbeaten agent stays as uncertain as
  it is. Both deviations are added as squares; only the first is stretched.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from gymposium.errors import UsageError

from .bradley_terry import PRIOR, Fit, Likelihood, PriorWeights
from .comparisons import Comparisons
from .pair_counts import Floats, centred

_GRID = 20_001
_LARGE = 2_000
# Enough for any data that say something; where they do not, intervals are huge anyway.
_STEPS = 30


class Interval(NamedTuple):
    """Both ends of a confidence interval."""

    low: float
    high: float


class Replicas(NamedTuple):
    """Bootstrap replicas of a fit: one row a replica, in natural log-odds.

    Attributes:
        strengths, sides: with the blocks drawn anew (strengths centred as in the fit).
        prior_strengths, prior_sides: with the prior's weights drawn anew instead.
    """

    strengths: Floats
    sides: Floats
    prior_strengths: Floats
    prior_sides: Floats


def block_weights(blocks: int, replicas: int, seed: int) -> Floats:
    """How often each block is drawn in each replica.

    Args:
        blocks: number of seed blocks.
        replicas: number of replicas.
        seed: equal seeds give equal draws.

    Returns:
        ``[replicas, blocks]`` counts, each row adding up to ``blocks``.
    """
    if blocks == 0:
        return np.zeros((replicas, 0))
    rng = np.random.default_rng(seed)
    chances = np.full(blocks, 1.0 / blocks)
    return rng.multinomial(blocks, chances, size=replicas).astype(np.float64)


def bootstrap(
    comparisons: Comparisons, fit: Fit, weights: Floats, *, seed: int, prior: float = PRIOR
) -> Replicas:
    """Fit every replica, starting from the full fit.

    Args:
        comparisons: counts by block.
        fit: the fit to all of them.
        weights: ``[replicas, blocks]`` from :func:`block_weights`.
        seed: of the draws that reweight the prior.
        prior: as given to :func:`~.bradley_terry.fit`.

    Returns:
        As many replicas with the prior's weights drawn as with the blocks drawn.
    """
    rng = np.random.default_rng([seed, 1])
    counts, group = comparisons.counts_and_groups()
    likelihood = Likelihood(counts)
    rows, size = len(counts.first), likelihood.parameters
    log_tie = np.log(fit.tie) if fit.tie > 0 else 0.0
    start = np.concatenate([fit.strengths, fit.sides, [log_tie]])
    drawn = np.empty((2, len(weights), size))
    equal = PriorWeights.equal(size, prior)

    def add_up(each: Floats) -> tuple[Floats, Floats, Floats]:
        wins, losses, ties = (
            np.bincount(group, weights=each * x, minlength=rows).astype(np.float64, copy=False)
            for x in (comparisons.wins, comparisons.losses, comparisons.ties)
        )
        return wins, losses, ties

    def refit(weight: PriorWeights, outcomes: tuple[Floats, Floats, Floats]) -> Floats:
        # A step below 1e-2 leaves an error near its square: some hundredths of a rating point.
        values, _, _ = likelihood.maximise(
            weight, outcomes=outcomes, start=start, tolerance=1e-2, max_iterations=_STEPS
        )
        strengths = centred(values[: counts.agents], fit.component)
        return np.concatenate([strengths, values[counts.agents : -1]])

    once = add_up(once_a_block(comparisons))
    for number, weight in enumerate(weights):
        drawn[0, number] = refit(equal, add_up(weight[comparisons.block]))
        drawn[1, number] = refit(PriorWeights.drawn(size, prior, rng), once)
    agents = counts.agents
    return Replicas(
        drawn[0, :, :agents], drawn[0, :, agents:], drawn[1, :, :agents], drawn[1, :, agents:]
    )


def once_a_block(comparisons: Comparisons) -> Floats:
    """Weights of the entries with which no pair counts more than once in any block."""
    pairs = np.stack([comparisons.block, comparisons.first, comparisons.second])
    _, where = np.unique(pairs, axis=1, return_inverse=True)
    where = where.reshape(-1)
    total = comparisons.wins + comparisons.losses + comparisons.ties
    return np.asarray(1.0 / np.maximum(1.0, np.bincount(where, weights=total)[where]))


def interval(
    estimate: float,
    replicas: Floats,
    *,
    blocks: int,
    confidence: float = 0.95,
    besides: Floats | None = None,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> Interval | None:
    """Percentile interval, stretched for small numbers of blocks.

    Args:
        estimate: the figure from all the data.
        replicas: the figure in each replica; NaN where it could not be computed.
        blocks: number of blocks that carry information about the figure.
        confidence: share of intervals that should cover the truth.
        besides: replicas that vary something else than the blocks; their deviations are added as
            squares, without stretching.
        bounds: what the figure cannot leave, such as (0, 1) for a share: stretching could.

    Returns:
        The interval, which contains the estimate, or None with fewer than two blocks or replicas.
    """
    known = replicas[~np.isnan(replicas)]
    if blocks < 2 or len(known) < 2 or not np.isfinite(estimate):
        return None
    below, above = stretch(blocks, confidence) * _deviations(estimate, known, confidence)
    if besides is not None:
        more = _deviations(estimate, besides, confidence)
        below, above = np.hypot([below, above], more)
    low, high = max(bounds[0], estimate - below), min(bounds[1], estimate + above)
    return Interval(float(min(low, estimate)) + 0.0, float(max(high, estimate)) + 0.0)


def _deviations(estimate: float, replicas: Floats, confidence: float) -> Floats:
    """How far the percentiles lie below and above the estimate, at least 0."""
    tail = 0.5 * (1.0 - confidence)
    low, high = np.quantile(replicas, [tail, 1.0 - tail])
    return np.maximum(0.0, [estimate - low, high - estimate])


@lru_cache(maxsize=1024)
def stretch(blocks: int, confidence: float) -> float:
    """How much too short plain percentile intervals are with so few blocks."""
    normal = NormalDist().inv_cdf(0.5 + 0.5 * confidence)
    spread = np.sqrt(blocks / (blocks - 1.0))
    return float(spread * student_quantile(0.5 + 0.5 * confidence, blocks - 1) / normal)


def student_quantile(probability: float, freedom: int) -> float:
    """Quantile of Student's t, by integrating its density in the angle ``atan(t / sqrt(freedom))``.

    Args:
        probability: between 0.5 and 1.
        freedom: degrees of freedom, at least 1.

    Returns:
        The quantile, to about six digits.
    """
    if freedom > _LARGE:
        return NormalDist().inv_cdf(probability)
    angle = np.linspace(0.0, 0.5 * np.pi, _GRID)
    density = np.cos(angle) ** (freedom - 1)
    mass = np.concatenate([[0.0], np.cumsum(0.5 * (density[1:] + density[:-1]))])
    found = np.interp(2.0 * probability - 1.0, mass / mass[-1], angle)
    return float(np.sqrt(freedom) * np.tan(found))


def check_confidence(confidence: float, replicas: int) -> None:
    """Refuse levels and replica counts that mean nothing.

    Raises:
        UsageError: ``confidence`` is not between 0 and 1, or ``replicas`` is negative.
    """
    if not 0.0 < confidence < 1.0:
        raise UsageError(f"ratings: confidence must lie between 0 and 1, got {confidence}")
    if replicas < 0:
        raise UsageError(f"ratings: bootstrap must be 0 or more replicas, got {replicas}")
