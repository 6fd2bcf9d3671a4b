"""How a venue comes to a decision: deal out, rate or compare, score, select, measure.

Pure functions over arrays. The scale, the reviewers' taste and the citations are those of the
reproduction in our notes on Zhang et al., From Replication to Redesign: Exploring Pairwise
Comparisons for LLM-Based Peer Review (2025); readings with a standard error, from which both
ratings and comparisons follow, are ours (derived).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array, diags_array
from scipy.sparse.linalg import cg
from scipy.stats import rankdata

Array = np.ndarray[Any, np.dtype[Any]]

LOWEST, HIGHEST = 1, 10
PRIOR = 0.1
"""Wins and losses that every manuscript is given against one of average strength."""


def rated(quality: Array) -> Array:
    """The mark, 1 to 10, that a quality deserves; int64, shape of ``quality``."""
    return np.clip(np.round(6.3 + 0.55 * quality), LOWEST, HIGHEST).astype(np.int64)


def dealt(among: Array, count: int, rng: np.random.Generator) -> Array:
    """``count`` manuscripts of ``among``, each as often as any other, give or take one."""
    rounds = -(-count // len(among))
    return np.concatenate([rng.permutation(among) for _ in range(rounds)])[:count]


def paired(among: Array, count: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """``count`` pairs of different manuscripts, round after round of random partners."""
    each = len(among) // 2
    rounds = [rng.permutation(among)[: 2 * each] for _ in range(-(-count // each))]
    return (
        np.concatenate([row[::2] for row in rounds])[:count],
        np.concatenate([row[1::2] for row in rounds])[:count],
    )


def mean_ratings(manuscript: Array, rating: Array, count: int) -> Array:
    """Mean rating of each of ``count`` manuscripts; of one without any, the mean of all."""
    if not len(rating):
        return np.zeros(count)
    given = np.bincount(manuscript, minlength=count)
    total = np.bincount(manuscript, rating, minlength=count)
    return np.where(given > 0, total / np.maximum(given, 1), rating.mean())


def bradley_terry(winner: Array, loser: Array, count: int, *, prior: float = PRIOR) -> Array:
    """Log strengths of ``count`` items, the maximum of likelihood by Newton's method, mean 0.

    Args:
        winner: int64 [comparisons].
        loser: int64 [comparisons].
        count: of items.
        prior: wins and losses of every item against a phantom of strength 1. With 0 the win graph
            must be strongly connected.

    Returns:
        float64 [count], rounded to a millionth: what is beyond differs between machines, and would
        order equals.
    """
    # Sparse steps by conjugate gradients: they scale, hold where only differences count (prior 0),
    # and ask nothing of threaded linear algebra, which many small matches at once would fight for.
    everything = np.arange(count)
    rows, columns = np.concatenate([winner, loser]), np.concatenate([loser, winner])
    scores = np.zeros(count)
    for _ in range(100):
        happened = 1 / (1 + np.exp(scores[loser] - scores[winner]))
        strong = 1 / (1 + np.exp(-scores))
        surprise, weight = 1 - happened, np.tile(happened * (1 - happened), 2)
        pull: Array = np.bincount(winner, surprise, count) - np.bincount(loser, surprise, count)
        pull = pull + prior * (1 - 2 * strong)
        bent = np.bincount(rows, weight, count) + 2 * prior * strong * (1 - strong)
        curve = csr_array(
            (
                np.concatenate([bent, -weight]),
                (np.concatenate([everything, rows]), np.concatenate([everything, columns])),
            )
        )
        step, _ = cg(curve, pull, rtol=1e-4, M=diags_array(1 / np.maximum(bent, 1e-12)))
        longest = np.abs(step).max()
        scores += step * min(1.0, 2.0 / max(longest, 1e-12))  # far away the curve is flat
        if longest < 1e-8:
            break
    return np.asarray((scores - scores.mean()).round(6))


def order(score: Array, tie: Array) -> Array:
    """Indices from the best to the worst; equal scores in the order of ``tie``."""
    return np.lexsort((tie, -score))


def near_line(ranking: Array, accepted: int, band: float) -> Array:
    """The part of ``ranking`` within ``band`` of the line on either side, at least one on each."""
    reach = max(1, round(band * len(ranking)))
    return ranking[max(0, accepted - reach) : accepted + reach]


def novelty(place: Array) -> Array:
    """Distance of each row of ``place`` to its nearest other, in standard units; float64 [n]."""
    from scipy.spatial import cKDTree

    distance, _ = cKDTree(place).query(place, k=2)  # the nearest of all is oneself
    return standard(np.asarray(distance)[:, 1])


def standard(values: Array) -> Array:
    """Mean 0 and standard deviation 1; all 0 if they are equal."""
    spread = values.std()
    return np.asarray((values - values.mean()) / spread if spread > 0 else values * 0.0)


def gini(counts: Array) -> float:
    """Gini coefficient of non-negative counts, zeros included; 0 if there is nothing."""
    ordered, total = np.sort(counts), counts.sum()
    if not total:
        return 0.0
    weight = 2 * np.arange(1, len(counts) + 1) - len(counts) - 1
    return float((weight * ordered).sum() / (len(counts) * total))


def spearman(one: Array, other: Array) -> float:
    """Rank correlation, ties by their mean rank; 0 if either is constant."""
    ranks = [standard(rankdata(values)) for values in (one, other)]
    return float((ranks[0] * ranks[1]).mean())


def selection(quality: Array, chosen: Array) -> dict[str, float]:
    """How good a selection is where the truth is known.

    Args:
        quality: float64 [n].
        chosen: indices of those accepted.

    Returns:
        ``overlap``, the share of the truly best that were chosen, and ``efficiency``, the gain of
        mean quality over chance as a share of what was possible.
    """
    best = np.argsort(-quality, kind="stable")[: len(chosen)]
    gain = quality[chosen].mean() - quality.mean()
    possible = quality[best].mean() - quality.mean()
    return {
        "overlap": len(np.intersect1d(best, chosen)) / len(chosen),
        "efficiency": float(gain / possible) if possible > 0 else 1.0,
    }
