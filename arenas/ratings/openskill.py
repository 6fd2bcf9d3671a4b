"""Plackett–Luce and Thurstone–Mosteller ratings of whole rankings, by the ``openskill`` package.

Both are the Bayesian online updates of Weng & Lin (2011, "A Bayesian Approximation Method for
Online Ranking"), the open relatives of TrueSkill: they rank any number of sides and teams at once
(:mod:`.contests`). An agent begins at mu 25 with sigma 25/3; what is reported is mu.

The updates depend on the order of the contests, and contests of a tournament have none. So mu is
the mean over several shuffles, drawn from the run's seed, and each bootstrap replica, which draws
whole seed blocks, plays its contests in an order of its own: the interval holds the luck of the
order too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .contests import Contest, contests
from .pair_counts import Floats, components
from .rated import Evidence, Rated

_ORDERS = 16
# A contest takes some 25 microseconds: at most about ten seconds for the intervals.
_UPDATES = 400_000
_LEAST = 20


def plackett_luce(evidence: Evidence) -> Rated:
    """Mu of openskill's PlackettLuce model."""
    from openskill.models import PlackettLuce

    return _rate(evidence, PlackettLuce())


def thurstone_mosteller(evidence: Evidence) -> Rated:
    """Mu of openskill's ThurstoneMostellerFull model."""
    from openskill.models import ThurstoneMostellerFull

    return _rate(evidence, ThurstoneMostellerFull())


def _rate(evidence: Evidence, model: Any) -> Rated:
    agents = evidence.comparisons.agents
    number = {block: n for n, block in enumerate(evidence.comparisons.blocks)}
    found = contests(evidence.rows)
    by_block: list[list[Contest]] = [[] for _ in number]
    for contest in found:
        by_block[number[contest.block]].append(contest)
    rng = np.random.default_rng([evidence.seed, 2])
    orders = max(1, min(_ORDERS, _UPDATES // max(1, 4 * len(found))))
    values = np.mean([_play(model, agents, found, rng) for _ in range(orders)], axis=0)
    weights = evidence.weights(most=max(_LEAST, _UPDATES // max(1, len(found))))
    drawn = np.empty((len(weights), len(agents)))
    for row, weight in enumerate(weights.astype(int)):
        chosen = [it for one, times in zip(by_block, weight, strict=True) for it in one * times]
        drawn[row] = _play(model, agents, chosen, rng)
    few = f"Intervals rest on {len(weights)} bootstrap replicas, for each must replay all contests."
    return Rated(
        values=values,
        intervals=evidence.intervals(values, drawn),
        component=components(evidence.comparisons.counts()),
        replicas=len(weights),
        notes=(few,) if 2 <= len(weights) < evidence.replicas else (),
    )


def _play(
    model: Any, agents: Sequence[str], found: Sequence[Contest], rng: np.random.Generator
) -> Floats:
    """Mu of every agent after all contests, in a random order."""
    ratings = {agent: model.rating() for agent in agents}
    for index in rng.permutation(len(found)).tolist():
        _, sides, scores = found[index]
        teams = [[ratings[agent] for agent in side] for side in sides]
        for side, team in zip(sides, model.rate(teams, scores=list(scores)), strict=True):
            ratings.update(zip(side, team, strict=True))
    return np.array([ratings[agent].mu for agent in agents])
