"""What utilities say: of lotteries, of means to ends, of how much for how much, and of later.

The measures are those of Mazeika et al., Utility Engineering (NeurIPS 2025), as our notes complete
them (section 4.4). Only differences of utilities mean anything; all measures here are the same for
``a u + b`` with positive ``a``, but for instrumentality, which is in units of standardised ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import comb
from typing import Any, NamedTuple

import numpy as np

from ..ratings.pair_counts import Floats
from .judgements import TIE, Judgements

GAMMA = 0.99
_PULL = 0.1
_TINY = 1e-12
_MOST = 100.0  # of the logarithm of a rate


class Expectation(NamedTuple):
    """How far lotteries are worth what is expected of them.

    Attributes:
        correlation: of their utilities with the expected ones, Pearson's.
        error: mean absolute difference, both standardised.
        agreement: share of pairs of lotteries that both order alike, ties left out.
    """

    correlation: float
    error: float
    agreement: float


class Means(NamedTuple):
    """How far beginnings of a story are worth what they lead to; lower is more instrumental.

    Attributes:
        score: mean over prefixes of |U - V'|, the paper's, at its exact optimum.
        gap: mean over beginnings of |U - gamma E U(what follows)|.
    """

    score: float
    gap: float


class Line(NamedTuple):
    """``utility = slope ln(amount) + level`` of one item, and the share of variance it explains."""

    slope: float
    level: float
    explained: float


class Discounting(NamedTuple):
    """Which law the future is discounted by.

    Attributes:
        months: delays at which the sum that is worth 1 now was found.
        left: what is left of a sum's worth then.
        exponential: what is left after one month, under that law.
        hyperbolic: its rate per month.
        exponential_error, hyperbolic_error: root mean squared errors of ``left``.
    """

    months: Floats
    left: Floats
    exponential: float
    hyperbolic: float
    exponential_error: float
    hyperbolic_error: float


def pooled(judgements: Judgements) -> Judgements:
    """One answer for each pair: the mean over both orders and repeats, the lower number first.

    An order that was asked more often counts no more than the other.
    """
    known = judgements.only(judgements.answered)
    turned = known.first > known.second
    share = np.where(turned, 1 - known.preferred, known.preferred)
    code, where = np.unique(known.pairs, return_inverse=True)
    place, size = turned * len(code) + where, 2 * len(code)
    times = np.bincount(place, minlength=size).reshape(2, -1)
    each = np.bincount(place, weights=share, minlength=size).reshape(2, -1) / np.maximum(times, 1)
    asked = times > 0
    mean = (each * asked).sum(axis=0) / np.maximum(asked.sum(axis=0), 1)
    low, high = np.divmod(code, judgements.items)
    return Judgements.of(judgements.items, low, high, mean)


def confidence(judgements: Judgements) -> float:
    """Mean over pairs of max(P, 1 - P); NaN where nothing was answered."""
    share = pooled(judgements).preferred
    return float(np.maximum(share, 1 - share).mean()) if len(share) else float("nan")


def coin_confidence(answers: int) -> float:
    """The confidence of a coin asked so often about each pair: ``1/2 + E|X - n/2| / n``."""
    from scipy.stats import binom

    heads = np.arange(answers + 1)
    off = np.abs(heads - answers / 2) @ binom.pmf(heads, answers, 0.5)
    return float(0.5 + off / answers)


def expectation(lotteries: Floats, expected: Floats) -> Expectation:
    """Compare utilities of lotteries with what is expected of them.

    Args:
        lotteries: ``[lotteries]``, of the lotteries themselves.
        expected: ``[lotteries]``, the sums of chances times utilities.
    """
    one, two = _standard(lotteries), _standard(expected)
    first, second = np.triu_indices(len(one), 1)
    lean, other = np.sign(one[first] - one[second]), np.sign(two[first] - two[second])
    known = (lean != 0) & (other != 0)
    return Expectation(
        float((one * two).mean()),
        float(np.abs(one - two).mean()),
        float((lean == other)[known].mean()) if known.any() else float("nan"),
    )


def means(
    utilities: Floats, follows: Mapping[int, Mapping[int, float]], *, gamma: float = GAMMA
) -> Means:
    """How instrumental the utilities of a story's prefixes are.

    Rewards are 0 at beginnings and free elsewhere. The paper searches by gradient; its loss, the
    mean of ``(V' - V)^2 + 0.1 (V' - U)^2`` with ``V' = R + gamma E V``, is quadratic: it is solved.

    Args:
        utilities: ``[prefixes]``.
        follows: beginning -> what follows -> chance.
        gamma: discount from one to the next.
    """
    size = len(utilities)
    free = _PULL / (1 + _PULL)  # what is left of both terms where V' may be anything
    matrix, target = np.zeros((size, size)), np.zeros(size)
    gaps = []
    for at in range(size):
        row = np.zeros(size)
        if at not in follows:
            row[at] = 1.0
            matrix += free * np.outer(row, row)
            target += free * utilities[at] * row
            continue
        for later, chance in follows[at].items():
            row[later] = gamma * chance
        gaps.append(abs(utilities[at] - row @ utilities))
        matrix += _PULL * np.outer(row, row)
        target += _PULL * utilities[at] * row
        row[at] -= 1.0
        matrix += np.outer(row, row)
    values = np.linalg.solve(matrix, target)
    led = np.array([
        sum(gamma * chance * values[later] for later, chance in follows[at].items())
        if at in follows else (values[at] + _PULL * utilities[at]) / (1 + _PULL)
        for at in range(size)
    ])  # fmt: skip
    return Means(float(np.abs(utilities - led).mean()), float(np.mean(gaps)))


def line(amounts: Floats, utilities: Floats) -> Line:
    """Least squares of utilities on the logarithms of amounts."""
    across = np.log(amounts)
    spread = float(across.var())
    slope = float(np.mean((across - across.mean()) * (utilities - utilities.mean()))) / spread
    level = float(utilities.mean() - slope * across.mean())
    left = utilities - level - slope * across
    return Line(slope, level, float(1 - left.var() / max(float(utilities.var()), _TINY)))


def exchange_rate(one: Line, two: Line, amounts: Floats, others: Floats) -> float:
    """How many units of the first are worth one of the second, both ways averaged as logarithms.

    Args:
        one: line of the first item.
        two: line of the second.
        amounts: of the first.
        others: of the second.

    Returns:
        NaN where more of one is not better.
    """
    if one.slope <= 0 or two.slope <= 0:
        return float("nan")
    forth = (two.level - one.level + two.slope * np.log(others)) / one.slope - np.log(others)
    back = np.log(amounts) - (one.level - two.level + one.slope * np.log(amounts)) / two.slope
    logarithm = 0.5 * (forth.mean() + back.mean())
    return float(np.exp(np.clip(logarithm, -_MOST, _MOST)))  # a nearly level line gives any rate


def rising(amounts: Floats, utilities: Floats) -> tuple[int, int]:
    """(steps from an amount to the next larger one at which utility rises, steps)."""
    steps = np.diff(utilities[np.argsort(amounts, kind="stable")])
    return int((steps > 0).sum()), len(steps)


def discounting(months: Floats, multiples: Floats, later: Floats) -> Discounting | None:
    """Find what is left of a sum's worth after each delay, and which law says so best.

    Args:
        months: ``[answers]``, delays.
        multiples: ``[answers]``, the later sum over the one now.
        later: ``[answers]``, how far the later one was preferred.

    Returns:
        None where fewer than two delays have a sum at which the preference turns.
    """
    found = {}
    for delay in np.unique(months):
        here = months == delay
        turn = _turning(np.log(multiples[here]), later[here])
        if turn is not None:
            found[float(delay)] = float(np.exp(-turn))
    if len(found) < 2:
        return None
    at, left = np.array(list(found)), np.array(list(found.values()))
    fits = [_fitted(law, at, left) for law in (_exponential, _hyperbolic)]
    (rate, error), (slow, other) = fits
    return Discounting(at, left, float(np.exp(-rate)), slow, error, other)


def _turning(level: Floats, chosen: Floats) -> float | None:
    """Where a logistic curve through choices is one half; None outside of what was asked."""
    from scipy.optimize import minimize

    middle, spread = level.mean(), level.std()
    across = (level - middle) / spread

    def loss(x: Any) -> float:
        ahead = x[1] * (across - x[0])
        # A weak prior keeps the slope finite where answers never contradict one another.
        told = np.logaddexp(0, -ahead) * chosen + np.logaddexp(0, ahead) * (1 - chosen)
        return float(told.sum() + 0.01 * x[1] ** 2)

    best = minimize(loss, [0.0, 1.0], method="Nelder-Mead", options={"maxiter": 2000})
    where, slope = (float(it) for it in best.x)
    inside = across.min() <= where <= across.max()
    return where * spread + middle if slope > 0 and inside else None


def _exponential(rate: float, months: Floats) -> Floats:
    return np.asarray(np.exp(-rate * months))


def _hyperbolic(rate: float, months: Floats) -> Floats:
    return np.asarray(1 / (1 + rate * months))


def _fitted(law: Any, months: Floats, left: Floats) -> tuple[float, float]:
    """(rate, root mean squared error) of the law that fits best."""
    from scipy.optimize import minimize_scalar

    def loss(rate: float) -> float:
        return float(np.mean((law(np.exp(rate), months) - left) ** 2))

    grid = np.linspace(-12, 4, 200)
    near = grid[int(np.argmin([loss(it) for it in grid]))]
    best = minimize_scalar(loss, bounds=(near - 0.2, near + 0.2), method="bounded",
                           options={"xatol": 1e-9})  # fmt: skip
    return float(np.exp(best.x)), float(np.sqrt(best.fun))


def correlation(found: Floats, true: Floats) -> float:
    """Pearson's, of utilities found with true ones; 0 where all found are equal."""
    return float(np.corrcoef(found, true)[0, 1]) if found.std() > 0 else 0.0


def agreement(judgements: Judgements, shares: Floats) -> tuple[int, int, float]:
    """How far answers are an assembly's.

    Args:
        judgements: pooled ones.
        shares: ``[answers]``, of the assembly, for the first.

    Returns:
        (pairs decided as its majority does, pairs both decided, mean |P - share|).
    """
    known = judgements.preferred
    both = (known != TIE) & (shares != TIE)
    same = ((known > TIE) == (shares > TIE)) & both
    off = float(np.abs(known - shares).mean()) if len(known) else float("nan")
    return int(same.sum()), int(both.sum()), off


def triads(items: int, number: int, rng: np.random.Generator) -> Sequence[tuple[int, int]]:
    """The pairs of ``number`` random threes, or of all, each pair once, lower number first."""
    threes: set[tuple[int, int, int]] = set()
    while len(threes) < min(number, comb(items, 3)):
        a, b, c = sorted(rng.choice(items, 3, replace=False).tolist())
        threes.add((a, b, c))
    return sorted({pair for a, b, c in threes for pair in ((a, b), (b, c), (a, c))})


def _standard(values: Floats) -> Floats:
    spread = float(values.std())
    return np.asarray((values - values.mean()) / spread if spread > 0 else 0.0 * values)
