"""One Bradley–Terry engine: maximum likelihood with ties, seat effects and a weak prior.

The model is Bradley & Terry (1952) with the ties of Davidson (1970, "On Extending the Bradley–Terry
Model to Accommodate Ties"): with the advantage ``d = strength_i - strength_j + side_a - side_b``,

    P(i wins) : P(j wins) : P(tie) = exp(d / 2) : exp(-d / 2) : nu

so that equal strengths tie most often, and with ``nu = 0`` it is plain Bradley–Terry. Davidson's
ties (rather than those of Rao & Kupper) keep wins plus half the ties a sufficient statistic and the
likelihood concave in (strengths, sides, log nu): Newton's method finds its only maximum.

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
from typing import Any, TypeAlias

import numpy as np

from gymposium.errors import UsageError

Floats: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]
Ints: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]

POINTS = 400.0 / np.log(10.0)
PRIOR = 0.5
_MAX_STEP = 4.0
_LOG_TIE_BOUNDS = (-30.0, 30.0)
# Beyond this the smaller chance is nothing to the larger, and denormal numbers only cost time.
_LARGE = 100.0


@dataclass(frozen=True)
class PairCounts:
    """Outcomes by (pair, sides): all that the likelihood depends on.

    Attributes:
        agents: number of agents.
        sides: number of side effects.
        first, second: indices of the agents compared; equal ones inform the side effects only.
        first_side, second_side: indices of their sides, or -1 for none.
        wins, losses, ties: non-negative counts from the view of ``first``; fractions are fine.
    """

    agents: int
    sides: int
    first: Ints
    second: Ints
    first_side: Ints
    second_side: Ints
    wins: Floats
    losses: Floats
    ties: Floats

    @classmethod
    def of(
        cls,
        first: Any,
        second: Any,
        *,
        wins: Any,
        losses: Any = 0.0,
        ties: Any = 0.0,
        agents: int | None = None,
    ) -> PairCounts:
        """Counts without side effects, from anything that looks like arrays of equal length.

        Raises:
            UsageError: an index or a count is negative, or an index is not below ``agents``.
        """
        one, two = np.asarray(first, dtype=np.int64), np.asarray(second, dtype=np.int64)
        number = int(max(one.max(initial=-1), two.max(initial=-1))) + 1
        agents = number if agents is None else agents
        won, lost, tied = (
            np.broadcast_to(np.asarray(x, dtype=np.float64), one.shape)
            for x in (wins, losses, ties)
        )
        if number > agents or min(one.min(initial=0), two.min(initial=0)) < 0:
            raise UsageError(f"pair counts: agent indices must lie in 0 … {agents - 1}")
        if min(won.min(initial=0), lost.min(initial=0), tied.min(initial=0)) < 0:
            raise UsageError("pair counts: wins, losses and ties must not be negative")
        none = np.full_like(one, -1)
        return cls(agents, 0, one, two, none, none, won, lost, tied)


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


def components(counts: PairCounts) -> Ints:
    """Connected components of the graph of comparisons; the largest is number 0.

    Args:
        counts: what was compared; rows without any outcome do not connect.

    Returns:
        Per agent, the number of its component; equally large ones in order of their first agent.
    """
    label = np.arange(counts.agents)
    played = counts.wins + counts.losses + counts.ties > 0
    first, second = counts.first[played], counts.second[played]
    while True:
        before = label.copy()
        lowest = np.minimum(label[first], label[second])
        np.minimum.at(label, first, lowest)
        np.minimum.at(label, second, lowest)
        label = label[label]
        if np.array_equal(before, label):
            break
    roots, where, sizes = np.unique(label, return_inverse=True, return_counts=True)
    order = np.argsort(-sizes, kind="stable")
    rank = np.empty(len(roots), dtype=np.int64)
    rank[order] = np.arange(len(roots))
    return np.asarray(rank[where])


def centred(strengths: Floats, component: Ints) -> Floats:
    """Strengths shifted so that each component's mean is 0."""
    sums = np.bincount(component, weights=strengths)
    return np.asarray(strengths - (sums / np.maximum(np.bincount(component), 1))[component])


class Likelihood:
    """The penalised log-likelihood of one set of pairs, for any outcome counts on them.

    Parameters are one vector: strengths, side effects, log nu. The bootstrap keeps one instance
    and calls :meth:`maximise` with each replica's counts, starting from the full fit.
    """

    def __init__(self, counts: PairCounts) -> None:
        self.counts = counts
        self.parameters = counts.agents + counts.sides
        self.has_ties = bool(counts.ties.sum() > 0)
        spare = self.parameters
        shift = counts.agents
        plus = (counts.first, np.where(counts.first_side < 0, spare, counts.first_side + shift))
        minus = (counts.second, np.where(counts.second_side < 0, spare, counts.second_side + shift))
        # Without side effects the second index of each pair would only ever point at the spare.
        used = 2 if counts.sides else 1
        self._plus, self._minus = plus[:used], minus[:used]
        width = spare + 1
        self._width = width
        self._cross = [(sign, one * width + two) for one, two, sign in self._cross_terms()]

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
    ) -> tuple[Floats, bool, int]:
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
        values = np.zeros(self.parameters + 1) if start is None else start.copy()
        level, gradient, hessian = self._evaluate(values, data, prior)
        free = np.setdiff1d(np.arange(self.parameters + self.has_ties), fixed)
        for iteration in range(max_iterations):
            step = _newton_step(gradient, hessian, prior, free)
            largest = float(np.abs(step).max(initial=0.0))
            if largest < tolerance:
                return values + step, True, iteration
            step *= min(1.0, _MAX_STEP / largest)
            for _ in range(30):
                proposal = values + step
                proposal[-1] = np.clip(proposal[-1], *_LOG_TIE_BOUNDS)
                new_level, gradient, hessian = self._evaluate(proposal, data, prior)
                if new_level >= level - 1e-12 * max(1.0, abs(level)):
                    break
                step *= 0.5
            values, level = proposal, new_level
        return values, False, max_iterations

    def _evaluate(
        self, values: Floats, data: tuple[Floats, Floats, float], prior: PriorWeights
    ) -> tuple[float, Floats, Floats]:
        """Log-likelihood, its gradient, and its negative Hessian."""
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
        gradient = np.zeros(spare + 1)
        hessian = np.zeros((spare + 1, spare + 1))
        self._add_pairs(gradient, hessian, 0.5 * (difference - total * lean), total, lean, tie)
        level += _add_prior(values, gradient, hessian, prior)
        if self.has_ties:
            level += tied * log_tie + prior.tied * log_tie
            equal = np.exp(log_tie) / (2.0 + np.exp(log_tie))
            weight = prior.tied + prior.decided
            level -= weight * np.log(2.0 + np.exp(log_tie))
            gradient[-1] = tied - total @ tie + prior.tied - weight * equal
            hessian[-1, -1] = total @ (tie * (1.0 - tie)) + weight * equal * (1.0 - equal)
        return level, gradient, hessian

    def _add_pairs(
        self,
        gradient: Floats,
        hessian: Floats,
        slope: Floats,
        total: Floats,
        lean: Floats,
        tie: Floats,
    ) -> None:
        spare, width = self.parameters, self._width
        variance = 0.25 * total * (1.0 - tie - lean * lean)
        mixed = -0.5 * total * lean * tie
        flat = np.zeros(width * width)
        for sign, cell in self._cross:
            flat += sign * np.bincount(cell, weights=variance, minlength=width * width)
        square = flat.reshape(width, width)
        square = square + square.T
        hessian[:spare, :spare] += square[:spare, :spare]
        diagonal = np.zeros(width)
        for sign, indices in ((1.0, self._plus), (-1.0, self._minus)):
            for index in indices:
                gradient[:spare] += sign * np.bincount(index, slope, width)[:spare]
                diagonal += np.bincount(index, variance, width)
                if self.has_ties:
                    edge = sign * np.bincount(index, mixed, width)[:spare]
                    hessian[:spare, -1] += edge
                    hessian[-1, :spare] += edge
        hessian[np.arange(spare), np.arange(spare)] += diagonal[:spare]


def _newton_step(gradient: Floats, hessian: Floats, prior: PriorWeights, free: Ints) -> Floats:
    step = np.zeros_like(gradient)
    if len(free) == 0:
        return step
    inner, slope = hessian[np.ix_(free, free)], gradient[free]
    if prior.wins.any():
        step[free] = np.linalg.solve(inner, slope)
    else:  # the level of the strengths is free: take the shortest step
        step[free] = np.linalg.lstsq(inner, slope, rcond=1e-12)[0]
    return step


def _add_prior(values: Floats, gradient: Floats, hessian: Floats, prior: PriorWeights) -> float:
    """Add the pseudo-comparisons against an average opponent; returns their log-likelihood."""
    inner = values[:-1]
    weight = prior.wins + prior.losses
    chance = 0.5 * (1.0 + np.tanh(0.5 * inner))
    gradient[:-1] += prior.wins - weight * chance
    number = np.arange(len(inner))
    hessian[number, number] += weight * chance * (1.0 - chance)
    lost = np.logaddexp(0.0, inner)
    return float(prior.wins @ (inner - lost) - prior.losses @ lost)
