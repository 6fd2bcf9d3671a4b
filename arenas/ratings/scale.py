"""Items on one latent scale, by any of three models of comparisons, with what is known about it.

A comparison study ends here, whoever was asked: manuscripts compared by reviewers, outcomes by a
respondent, agents by matches. :func:`fit_scale` takes counts and gives a :class:`Scale`: a value of
each item, the chance that one is preferred to another, and draws from the (Laplace) posterior, from
which come intervals of values, of ranks, and chances to be among the best.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gymposium.errors import UnknownName, UsageError

from .bradley_terry import PRIOR, Likelihood, PriorWeights
from .pair_counts import Floats, Ints, PairCounts, centred, components
from .precision import DENSE, Precision

MODELS: Mapping[str, str] = {
    "bradley_terry": "logistic noise, ties by Davidson's parameter",
    "thurstone": "normal noise, the same for all items (case V)",
    "thurstone_variances": "normal noise, with a variance for each item",
}


class Ends(NamedTuple):
    """Lower and upper ends of intervals, ``[items]`` each."""

    low: Floats
    high: Floats


@dataclass(frozen=True)
class Scale:
    """Items on a scale.

    Attributes:
        model: one of ``MODELS``.
        values: ``[items]``, centred at 0 within each component; in log-odds for Bradley–Terry, else
            in units in which a difference of 1 between items of usual variance is ``Phi(1)``.
        variances: ``[items]``, of an item's own utility; one half for all in ``thurstone``, none in
            ``bradley_terry``.
        sides: effects of the counts' sides, such as being shown first, in the same unit.
        tie: Davidson's ``nu``.
        component: ``[items]``; values of different components cannot be compared.
        precision: of the parameters; the first are the values.
        converged: whether the search ended.
    """

    model: str
    values: Floats
    variances: Floats | None
    sides: Floats
    tie: float
    component: Ints
    precision: Precision
    converged: bool

    def chances(self, first: Any, second: Any, *, side: float = 0.0) -> Floats:
        """How likely ``first`` is preferred to ``second``; a tie is half of that.

        Args:
            first: item numbers.
            second: item numbers, as many.
            side: added to the advantage, such as the effect of being shown first.
        """
        ahead = self.values[first] - self.values[second] + side
        if self.variances is None:
            half = 0.5 * np.clip(ahead, -600, 600)
            won, lost = np.exp(half), np.exp(-half)
            return np.asarray((won + 0.5 * self.tie) / (won + lost + self.tie))
        from scipy.special import ndtr

        spread = np.sqrt(self.variances[first] + self.variances[second])
        return np.asarray(ndtr(ahead / spread))

    def information(self, first: Any, second: Any) -> Floats:
        """Fisher's information of one more comparison about how far ``first`` is ahead."""
        chance = np.clip(self.chances(first, second), 1e-12, 1 - 1e-12)
        if self.variances is None:
            return np.asarray(chance * (1.0 - chance))
        spread = self.variances[first] + self.variances[second]
        ahead = self.values[first] - self.values[second]
        density = np.exp(-ahead * ahead / spread) / (2 * np.pi * spread)
        return np.asarray(density / (chance * (1.0 - chance)))

    def draws(self, number: int = 200, *, seed: int = 0) -> Floats:
        """``[number, items]`` values drawn from the posterior, centred like the values."""
        rng = np.random.default_rng(seed)
        around = self.precision.draws(number, rng)[:, : len(self.values)]
        return np.stack([self.values + centred(draw, self.component) for draw in around])

    @cached_property
    def errors(self) -> Floats:
        """``[items]``, the posterior's standard deviations; from 200 draws beyond 1,500."""
        if self.precision.size > DENSE:
            return np.asarray(self.draws(200).std(axis=0))
        same = self.component[:, None] == self.component
        shift = np.eye(len(same)) - same / np.bincount(self.component)[self.component]
        return np.asarray(np.sqrt(np.maximum(0.0, ((shift @ self.covariance) * shift).sum(1))))

    @cached_property
    def covariance(self) -> Floats:
        """``[items, items]``, of the values before they are centred; for small sizes."""
        size = len(self.values)
        return self.precision.covariance()[:size, :size]

    def intervals(self, confidence: float = 0.95) -> Ends:
        """Intervals of the values."""
        from scipy.special import ndtri

        half = float(ndtri(0.5 + 0.5 * confidence)) * self.errors
        return Ends(self.values - half, self.values + half)

    def standardised(self) -> tuple[Floats, Floats]:
        """Values with mean 0 and (sample) variance 1, and variances on the same scale."""
        spread = self.values.std(ddof=1) if len(self.values) > 1 else 0.0
        unit = float(spread) or 1.0
        variances = np.zeros_like(self.values) if self.variances is None else self.variances
        return (self.values - self.values.mean()) / unit, variances / unit**2


def ranks(draws: Floats) -> Ints:
    """Per draw the rank of each item, 1 for the highest; ``[number, items]``."""
    order = np.argsort(-draws, axis=1, kind="stable")
    found = np.empty_like(order)
    np.put_along_axis(found, order, np.arange(1, draws.shape[1] + 1)[None, :], axis=1)
    return found


def fit_scale(counts: PairCounts, model: str = "bradley_terry", *, prior: float = PRIOR) -> Scale:
    """Find the scale that explains the outcomes best.

    Args:
        counts: what was compared with what; sides are fitted too.
        model: one of ``MODELS``.
        prior: weight of the pseudo-comparisons that each item wins, and loses, against an average.

    Raises:
        UnknownName: there is no such model.
        UsageError: ``prior`` is not positive.
    """
    if model not in MODELS:
        raise UnknownName("model of comparisons", model, MODELS)
    if not prior > 0:
        raise UsageError(f"{model}: prior must be above 0, got {prior}")
    items, parameters = counts.agents, counts.parameters
    component = components(counts)
    tie, variances = 0.0, None
    if model == "bradley_terry":
        problem, weights = Likelihood(counts), PriorWeights.equal(parameters, prior)
        found = problem.maximise(weights)
        precision = problem.precision(found.values, weights)
        tie = float(np.exp(found.values[-1])) if problem.has_ties else 0.0
    else:
        from . import thurstone

        fitter = thurstone.case_five if model == "thurstone" else thurstone.means_and_variances
        found, precision = fitter(counts, prior=prior)
        variances = np.full(items, thurstone.EVERYBODYS)
        if model == "thurstone_variances":
            variances = np.exp(found.values[parameters:])
    return Scale(
        model,
        centred(found.values[:items], component),
        variances,
        found.values[items:parameters],
        tie,
        component,
        precision,
        found.converged,
    )
