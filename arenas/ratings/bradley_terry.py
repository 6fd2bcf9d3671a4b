"""One Bradley–Terry engine: maximum likelihood with ties, seat effects and a weak prior.

The model is Bradley & Terry (1952) with the ties of Davidson (1970, "On Extending the Bradley–Terry
Model to Accommodate Ties"): with the advantage ``d = strength_i - strength_j + side_a - side_b``,

    P(i wins) : P(j wins) : P(tie) = exp(d / 2) : exp(-d / 2) : nu

so that equal strengths tie most often, and with ``nu = 0`` it is plain Bradley–Terry. Davidson's
ties (rather than those of Rao & Kupper) keep wins plus half the ties a sufficient statistic and the
likelihood concave in (strengths, sides, log nu): Newton's method finds its only maximum. From
1,500 parameters on its steps are solved without ever forming the matrix (:mod:`.precision`).

The prior is made of pseudo-comparisons, so its weight can be read off: every strength and every
side effect wins and loses ``prior`` comparisons against an average one, and ``nu`` sees ``prior``
ties and decisions between equals. It keeps the unbeaten finite; ``prior=0`` is plain maximum
likelihood.

Ratings are reported in points of 400 / ln 10 per unit of strength (Elo's scale: 400 points are
odds of ten to one), centred at 0 over the agents that are connected by comparisons.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gymposium.errors import UsageError

from .ascent import Maximum, ascend
from .pair_counts import Floats, Ints, PairCounts, centred, components
from .precision import DENSE, Precision

if TYPE_CHECKING:
    from scipy.sparse import csr_array

POINTS = 400.0 / np.log(10.0)
PRIOR = 0.5
_MOST_LOG_TIE = 30.0
# Beyond this the smaller chance is nothing to the larger, and denormal numbers only cost time.
_LARGE = 100.0


@dataclass(frozen=True)
class Fit:
    """The maximum of the (penalised) likelihood.

    Attributes:
        strengths: per agent, in natural log-odds, centred at 0 within each component.
        sides: per side effect, in natural log-odds.
        tie: Davidson's ``nu``; 0 when nothing was tied.
        component: per agent, the number of its connected component; 0 is the largest.
        converged: whether the gradient vanished.
        iterations: Newton steps taken.
    """

    strengths: Floats
    sides: Floats
    tie: float
    component: Ints
    converged: bool
    iterations: int

    @property
    def points(self) -> Floats:
        """Ratings on Elo's scale."""
        return np.asarray(self.strengths * POINTS)

    def probabilities(
        self, first: int, second: int, *, advantage: float = 0.0
    ) -> tuple[float, float, float]:
        """Chances that ``first`` wins, loses and ties against ``second``."""
        half = 0.5 * (self.strengths[first] - self.strengths[second] + advantage)
        parts = np.array([np.exp(half), np.exp(-half), self.tie])
        win, loss, tie = parts / parts.sum()
        return float(win), float(loss), float(tie)


@dataclass(frozen=True)
class PriorWeights:
    """Weights of the pseudo-comparisons; the bootstrap draws them anew for every replica.

    Attributes:
        wins, losses: per strength and side effect, against an average one.
        tied, decided: between equals, for ``nu``.
    """

    wins: Floats
    losses: Floats
    tied: float
    decided: float

    @classmethod
    def equal(cls, parameters: int, prior: float) -> PriorWeights:
        """Every pseudo-comparison weighs ``prior``."""
        return cls(np.full(parameters, prior), np.full(parameters, prior), prior, prior)

    @classmethod
    def drawn(cls, parameters: int, prior: float, rng: np.random.Generator) -> PriorWeights:
        """Every pseudo-comparison weighs ``prior`` times an Exp(1) draw (Rubin 1981)."""
        draws = prior * rng.standard_exponential((2, parameters))
        tied, decided = prior * rng.standard_exponential(2)
        return cls(draws[0], draws[1], float(tied), float(decided))


def fit(
    counts: PairCounts, *, prior: float = PRIOR, tolerance: float = 1e-9, max_iterations: int = 100
) -> Fit:
    """Find the strengths that explain the outcomes best.

    Args:
        counts: what happened.
        prior: weight of each pseudo-comparison; 0 for plain maximum likelihood, which is infinite
            (``converged`` False) when somebody is unbeaten.
        tolerance: largest step, in log-odds, at which the search stops.
        max_iterations: Newton steps at most.

    Returns:
        The fit.

    Raises:
        UsageError: ``prior`` is negative.
    """
    if not prior >= 0:
        raise UsageError(f"Bradley–Terry: prior must be 0 or more, got {prior}")
    component = components(counts)
    problem = Likelihood(counts)
    weights = PriorWeights.equal(problem.parameters, prior)
    values, done, steps = problem.maximise(
        weights, tolerance=tolerance, max_iterations=max_iterations
    )
    strengths = centred(values[: counts.agents], component)
    tie = float(np.exp(values[-1])) if problem.has_ties else 0.0
    return Fit(strengths, values[counts.agents : -1], tie, component, done, steps)


class Likelihood:
    """The penalised log-likelihood of one set of pairs, for any outcome counts on them.

    Parameters are one vector: strengths, side effects, log nu. The bootstrap keeps one instance
    and calls :meth:`maximise` with each replica's counts, starting from the full fit.
    """

    def __init__(self, counts: PairCounts) -> None:
        self.counts = counts
        self.parameters = counts.parameters
        self.has_ties = bool(counts.ties.sum() > 0)
        self._sparse = self.parameters > DENSE
        spare = self.parameters
        shift = counts.agents
        plus = (counts.first, np.where(counts.first_side < 0, spare, counts.first_side + shift))
        minus = (counts.second, np.where(counts.second_side < 0, spare, counts.second_side + shift))
        # Without side effects the second index of each pair would only ever point at the spare.
        used = 2 if counts.sides else 1
        self._plus, self._minus = plus[:used], minus[:used]
        width = spare + 1
        self._width = width
        terms = () if self._sparse else self._cross_terms()
        self._cross = [(sign, one * width + two) for one, two, sign in terms]

    def _cross_terms(self) -> list[tuple[Ints, Ints, float]]:
        signed = [(index, 1.0) for index in self._plus] + [(index, -1.0) for index in self._minus]
        return [
            (one, two, sign * other)
            for number, (one, sign) in enumerate(signed)
            for two, other in signed[number + 1 :]
        ]

    def maximise(
        self,
        prior: PriorWeights,
        *,
        outcomes: tuple[Floats, Floats, Floats] | None = None,
        start: Floats | None = None,
        fixed: Sequence[int] = (),
        tolerance: float = 1e-9,
        max_iterations: int = 100,
    ) -> Maximum:
        """Newton's method with step halving.

        Args:
            prior: weights of the pseudo-comparisons.
            outcomes: wins, losses and ties per row; those of the counts if None.
            start: where to begin; at equality if None.
            fixed: indices of parameters that stay where they begin.
            tolerance: largest step, in log-odds, at which the search stops.
            max_iterations: Newton steps at most.

        Returns:
            The parameters, whether the search converged, and the number of steps.
        """
        counts = self.counts
        wins, losses, ties = outcomes or (counts.wins, counts.losses, counts.ties)
        data = (wins - losses, wins + losses + ties, float(ties.sum()))
        values = np.zeros(self.parameters + 1) if start is None else start
        free = np.setdiff1d(np.arange(self.parameters + self.has_ties), fixed)
        bound = np.full(len(values), np.inf)
        bound[-1] = _MOST_LOG_TIE
        return ascend(
            lambda at: self._evaluate(at, data, prior),
            lambda gradient, curvature: _newton_step(gradient, curvature, prior, free),
            values,
            low=-bound,
            high=bound,
            tolerance=tolerance,
            max_iterations=max_iterations,
        )

    def precision(self, values: Floats, prior: PriorWeights) -> Precision:
        """How sharply the counts pin down the parameters where they are ``values``."""
        it = self.counts
        data = (it.wins - it.losses, it.total, float(it.ties.sum()))
        _, _, pairs, diagonal = self._parts(values, data, prior)
        return self._as_precision(*pairs, diagonal)

    def _evaluate(
        self, values: Floats, data: tuple[Floats, Floats, float], prior: PriorWeights
    ) -> tuple[float, Floats, Floats | Precision]:
        """Log-likelihood, its gradient, and its negative Hessian."""
        level, gradient, pairs, diagonal = self._parts(values, data, prior)
        if self._sparse:
            return level, gradient, self._as_precision(*pairs, diagonal)
        return level, gradient, self._as_matrix(*pairs[:2], diagonal)

    def _parts(
        self, values: Floats, data: tuple[Floats, Floats, float], prior: PriorWeights
    ) -> tuple[float, Floats, tuple[Floats, Floats, float], Floats]:
        """Log-likelihood; gradient; per pair what makes up the Hessian; the prior's diagonal.

        Per pair that is the variance of half the score and its covariance with tying, and, over all
        pairs, what tying varies beyond that; the diagonal's last entry has all of tying.
        """
        difference, total, tied = data
        spare = self.parameters
        padded = np.append(values[:spare], 0.0)
        advantage = sum(padded[i] for i in self._plus) - sum(padded[i] for i in self._minus)
        # All of exp(d/2) : exp(-d/2) : nu divided by exp(|d|/2), so that nothing overflows.
        size = np.abs(advantage)
        small = np.exp(-np.minimum(size, _LARGE))
        log_tie = values[-1]
        even = (
            np.exp(log_tie - 0.5 * np.minimum(size, _LARGE))
            if self.has_ties
            else np.zeros_like(size)
        )
        whole = 1.0 + small + even
        lean = np.sign(advantage) * (1.0 - small) / whole
        tie = even / whole
        level = float(0.5 * difference @ advantage - total @ (0.5 * size + np.log(whole)))
        slope = 0.5 * (difference - total * lean)
        variance = 0.25 * total * (1.0 - tie - lean * lean)
        mixed = -0.5 * total * lean * tie
        gradient = np.zeros(spare + 1)
        for sign, indices in ((1.0, self._plus), (-1.0, self._minus)):
            for index in indices:
                gradient[:spare] += sign * np.bincount(index, slope, self._width)[:spare]
        diagonal = np.zeros(spare + 1)
        level += _add_prior(values, gradient, diagonal, prior)
        beyond = 0.0
        if self.has_ties:
            level += tied * log_tie + prior.tied * log_tie
            equal = np.exp(log_tie) / (2.0 + np.exp(log_tie))
            weight = prior.tied + prior.decided
            level -= weight * np.log(2.0 + np.exp(log_tie))
            gradient[-1] = tied - total @ tie + prior.tied - weight * equal
            beyond = float(total @ (tie * (1.0 - tie)))
            diagonal[-1] = beyond + weight * equal * (1.0 - equal)
        return level, gradient, (variance, mixed, beyond), diagonal

    def _as_matrix(self, variance: Floats, mixed: Floats, diagonal: Floats) -> Floats:
        spare, width = self.parameters, self._width
        flat = np.zeros(width * width)
        for sign, cell in self._cross:
            flat += sign * np.bincount(cell, weights=variance, minlength=width * width)
        square = flat.reshape(width, width)
        square = square + square.T
        hessian = np.zeros((width, width))
        hessian[:spare, :spare] = square[:spare, :spare]
        for sign, indices in ((1.0, self._plus), (-1.0, self._minus)):
            for index in indices:
                diagonal[:spare] += np.bincount(index, variance, width)[:spare]
                if self.has_ties:
                    edge = sign * np.bincount(index, mixed, width)[:spare]
                    hessian[:spare, -1] += edge
                    hessian[-1, :spare] += edge
        hessian[np.arange(width), np.arange(width)] += diagonal
        return hessian

    def _as_precision(
        self, variance: Floats, mixed: Floats, beyond: float, diagonal: Floats
    ) -> Precision:
        design = self.counts.design(columns=self.parameters + 1)
        if self.has_ties:
            # Each pair's two-by-two block as a square, and what is left of tying on the diagonal.
            ratio = np.where(variance > 0, mixed / np.maximum(variance, 1e-300), 0.0)
            design = _with_last_column(design, ratio)
            diagonal[-1] -= min(beyond, float(variance @ (ratio * ratio)))
        return Precision(design, np.maximum(variance, 0.0), diagonal)


def _with_last_column(design: csr_array, column: Floats) -> csr_array:
    from scipy.sparse import csr_array as make

    rows = np.arange(len(column))
    last = np.full_like(rows, design.shape[1] - 1)
    added = make((column, (rows, last)), shape=design.shape)
    return make(design + added)


def _newton_step(
    gradient: Floats, curvature: Floats | Precision, prior: PriorWeights, free: Ints
) -> Floats:
    step = np.zeros_like(gradient)
    if len(free) == 0:
        return step
    if isinstance(curvature, Precision):
        moves = np.zeros(len(step), dtype=bool)
        moves[free] = True
        return curvature.solve(gradient, free=moves, tolerance=1e-6)
    inner, slope = curvature[np.ix_(free, free)], gradient[free]
    if prior.wins.any():
        step[free] = np.linalg.solve(inner, slope)
    else:  # the level of the strengths is free: take the shortest step
        step[free] = np.linalg.lstsq(inner, slope, rcond=1e-12)[0]
    return step


def _add_prior(values: Floats, gradient: Floats, diagonal: Floats, prior: PriorWeights) -> float:
    """Add the pseudo-comparisons against an average opponent; returns their log-likelihood."""
    inner = values[:-1]
    weight = prior.wins + prior.losses
    chance = 0.5 * (1.0 + np.tanh(0.5 * inner))
    gradient[:-1] += prior.wins - weight * chance
    diagonal[:-1] += weight * chance * (1.0 - chance)
    lost = np.logaddexp(0.0, inner)
    return float(prior.wins @ (inner - lost) - prior.losses @ lost)
