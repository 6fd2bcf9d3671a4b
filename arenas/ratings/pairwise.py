"""Bradley–Terry, Elo and Thurstone: ratings of pairwise comparisons, by the one engine.

*Bradley–Terry* estimates strengths, seat effects and a tie parameter together
(:mod:`.bradley_terry`). *Elo* (Elo 1978, "The Rating of Chessplayers") knows no seats and counts a
tie as half a win. Elo's update ``R += K (score - expected)`` depends on the order of the games and
on ``K``; matches of a tournament have no order. What is reported is therefore where the updates of
all games together move nobody, ``sum(score - expected) = 0`` for every agent: the maximum of the
logistic likelihood, and the point around which the updates wander for small ``K`` in any order.

*Thurstone* is case V of :mod:`.thurstone`: the same with normal noise.

*Anchors* are agents whose rating is given. They pin the scale and are no evidence: one anchor
shifts all ratings of its component alike; with several, the others are fitted between them. Every
interval keeps the width that it has without anchors, so a rarely seen anchor makes nobody else look
uncertain.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from .bootstrap import Interval, Replicas, bootstrap, interval, once_a_block
from .bradley_terry import POINTS, PRIOR, Fit, Likelihood, PriorWeights, fit
from .comparisons import Comparisons
from .pair_counts import Floats, centred, components
from .rated import Evidence, Rated, SeatEffect


def bradley_terry(evidence: Evidence) -> Rated:
    """Points of strength, corrected for seats; 400 are odds of ten to one."""
    return _rate(evidence, evidence.comparisons)


def elo(evidence: Evidence) -> Rated:
    """Elo points that one more pass over the same games would not move."""
    return _rate(evidence, scores_only(evidence.comparisons))


def thurstone(evidence: Evidence) -> Rated:
    """Means of normal strengths (Thurstone's case V), corrected for seats; a tie is half a win.

    Resampling follows Bradley–Terry's: blocks drawn anew, and the prior reweighted.
    """
    from .thurstone import case_five  # SciPy's special functions are not needed before

    it = evidence.comparisons
    counts, group = it.counts_and_groups()
    rng = np.random.default_rng([evidence.seed, 1])
    component = components(counts)
    size, rows = counts.agents, len(counts.first)

    def means(each: Floats, prior: PriorWeights | None = None) -> Floats:
        outcomes = (it.wins, it.losses, it.ties)
        won, lost, tied = (np.bincount(group, each * x, rows).astype(float) for x in outcomes)
        drawn = replace(counts, wins=won, losses=lost, ties=tied)
        found, _ = case_five(drawn, prior=PRIOR, weights=prior)
        return centred(found.values[:size], component)

    whole = np.ones(len(it.block))
    values, once = means(whole), once_a_block(it)
    weights = evidence.weights()
    blocks = np.array([means(weight[it.block]) for weight in weights]).reshape(-1, size)
    priors = [PriorWeights.drawn(counts.parameters, PRIOR, rng) for _ in weights]
    besides = np.array([means(once, prior) for prior in priors]).reshape(-1, size)
    return Rated(
        values=values,
        intervals=evidence.intervals(values, blocks, besides=besides),
        component=component,
        replicas=evidence.replicas,
    )


def scores_only(comparisons: Comparisons) -> Comparisons:
    """The comparisons as Elo sees them: no seats, a tie is half a win and half a loss."""
    nowhere = np.full_like(comparisons.first, -1)
    half = 0.5 * comparisons.ties
    return replace(
        comparisons,
        sides=(),
        first_side=nowhere,
        second_side=nowhere,
        wins=comparisons.wins + half,
        losses=comparisons.losses + half,
        ties=np.zeros_like(half),
    )


def _rate(evidence: Evidence, comparisons: Comparisons) -> Rated:
    fitted = fit(comparisons.counts())
    replicas = bootstrap(comparisons, fitted, evidence.weights(), seed=evidence.seed)
    found = evidence.intervals(
        fitted.points, replicas.strengths * POINTS, besides=replicas.prior_strengths * POINTS
    )
    number = {agent: n for n, agent in enumerate(comparisons.agents)}
    given = {number[agent]: value for agent, value in evidence.anchors.items()}
    values = anchored(comparisons, fitted, given)
    moved = values - fitted.points
    rough = "The rating fit did not converge; treat the ratings as rough."
    return Rated(
        values=values,
        intervals=[
            it and Interval(it.low + shift, it.high + shift)
            for it, shift in zip(found, moved.tolist(), strict=True)
        ],
        component=fitted.component,
        seat_effect=_seat_effects(comparisons, fitted, replicas, evidence.confidence),
        tie=fitted.tie,
        replicas=evidence.replicas,
        notes=() if fitted.converged else (rough,),
    )


def anchored(comparisons: Comparisons, fitted: Fit, given: Mapping[int, float]) -> Floats:
    """Ratings in points with some of them given.

    Args:
        comparisons: what ``fitted`` was fitted to.
        fitted: the fit without anchors.
        given: agent's index -> its rating in points.

    Returns:
        Ratings; the anchors' are as given, and components without any anchor are left alone.
    """
    values = fitted.points.copy()
    shift = np.zeros_like(values)
    for component in {int(fitted.component[agent]) for agent in given}:
        members = fitted.component == component
        inside = [agent for agent in given if members[agent]]
        shift[members] = np.mean([given[agent] - values[agent] for agent in inside])
    pinned = list(given)
    if len(pinned) > 1:
        counts = comparisons.counts()
        likelihood = Likelihood(counts)
        log_tie = np.log(fitted.tie) if fitted.tie > 0 else 0.0
        start = np.concatenate([fitted.strengths, fitted.sides, [log_tie]])
        start[pinned] = (np.array(list(given.values())) - shift[pinned]) / POINTS
        equal = PriorWeights.equal(likelihood.parameters, PRIOR)
        found, _, _ = likelihood.maximise(equal, start=start, fixed=pinned)
        values = np.asarray(found[: counts.agents] * POINTS)
    values = values + shift
    for agent, value in given.items():
        values[agent] = value
    return values


def _seat_effects(
    comparisons: Comparisons, fitted: Fit, replicas: Replicas, confidence: float
) -> list[SeatEffect]:
    effects = []
    cells = np.array([side.cell for side in comparisons.sides])
    for number, side in enumerate(comparisons.sides):
        same = np.flatnonzero(cells == side.cell)
        value, drawn, prior = (
            (x[..., number] - x[..., same].mean(axis=-1)) * POINTS
            for x in (fitted.sides, replicas.sides, replicas.prior_sides)
        )
        value = float(value)
        held = (comparisons.first_side == number) | (comparisons.second_side == number)
        blocks = len(np.unique(comparisons.block[held]))
        found = interval(value, drawn, blocks=blocks, confidence=confidence, besides=prior)
        low, high = found or (None, None)
        effects.append(SeatEffect(side.cell, side.seat, value, low, high))
    return effects
