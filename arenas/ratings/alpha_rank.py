"""Alpha-rank: where a population of imitators spends its time, over a long run.

Omidshafiei et al. 2019, "α-Rank: Multi-Agent Evaluation by Evolution". A population of ``m`` plays
one strategy; now and then a mutant appears and takes over with its fixation probability, or dies
out. The chain over monomorphic populations has one stationary distribution: its masses rank the
strategies, cycles included, where no order by strength exists.

* One population (:func:`one_population`): everybody plays everybody. Fitness is the mean payoff in
  the well-mixed population, self-play included (Traulsen, Nowak & Pacheco 2006 give the fixation
  probability), so always-defect does not win for merely exploiting its partner.
* One population a seat (:func:`many_populations`): a state is a profile, one strategy per seat; a
  mutant differs in one seat and is compared by that seat's payoff.

Selection is strong (``ALPHA``) but finite, and the chain is solved exactly: the elimination of
Grassmann, Taksar & Heyman (1985) never subtracts, so all of it can be done in logarithms, and
chances like exp(-1000) keep their proportions.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from gymposium.errors import UsageError

from .pair_counts import Floats, components
from .payoffs import Payoffs
from .rated import Evidence, Rated

ALPHA = 10.0
POPULATION = 50
MOST_PROFILES = 225
"""Beyond this the chain over profiles takes minutes to resample."""


def one_population(
    payoffs: Floats, *, alpha: float = ALPHA, population: int = POPULATION
) -> Floats:
    """Masses of the strategies of a symmetric game between two.

    Args:
        payoffs: ``[n, n]``, of the row's strategy against the column's.
        alpha: selection intensity, positive.
        population: its size, 2 or more.

    Returns:
        ``[n]`` masses that add up to 1.
    """
    size = len(payoffs)
    if size == 1:
        return np.ones(1)
    # Of k mutants r among residents s: f_r - f_s is linear in k. Axes: s, r, k.
    k = np.arange(1, population)
    own, mixed = np.diag(payoffs), payoffs
    edge = (
        (k - 1) * own[None, :, None]
        + (population - k) * mixed.T[:, :, None]
        - k * mixed[:, :, None]
        - (population - k - 1) * own[:, None, None]
    ) / (population - 1)
    return stationary(_log_fixation(alpha * edge))


def many_populations(
    payoffs: Sequence[Floats], *, alpha: float = ALPHA, population: int = POPULATION
) -> Floats:
    """Masses of the profiles of any game.

    Args:
        payoffs: one ``[n_1, …, n_K]`` array a seat.
        alpha: selection intensity, positive.
        population: size of each population.

    Returns:
        ``[n_1, …, n_K]`` masses that add up to 1.
    """
    shape = np.shape(payoffs[0])
    profiles = list(product(*map(range, shape)))
    number = {profile: n for n, profile in enumerate(profiles)}
    chain = np.full((len(profiles), len(profiles)), -np.inf)
    for profile, here in number.items():
        for seat, size in enumerate(shape):
            others = [
                number[*profile[:seat], strategy, *profile[seat + 1 :]]
                for strategy in range(size)
                if strategy != profile[seat]
            ]
            values = np.asarray(payoffs[seat]).ravel()
            edge = values[others] - values[here]
            steps = np.broadcast_to(alpha * edge[:, None], (len(others), population - 1))
            chain[here, others] = _log_fixation(steps)
    return stationary(chain).reshape(shape)


def _log_fixation(edges: Floats) -> Floats:
    """Log chance that one mutant takes over; ``edges[..., k - 1]``: its gain among k mutants."""
    sums = -np.cumsum(edges, axis=-1)
    sums = np.concatenate([np.zeros((*sums.shape[:-1], 1)), sums], axis=-1)
    top = sums.max(axis=-1, keepdims=True)
    return np.asarray(-(top[..., 0] + np.log(np.exp(sums - top).sum(axis=-1))))


def stationary(chain: Floats) -> Floats:
    """The stationary distribution of an irreducible chain.

    Args:
        chain: ``[n, n]`` logarithms of the chances to go from the row's state to the column's, up
            to a common factor; what stands on the diagonal is unused.
    """
    work = chain.copy()
    size = len(work)
    for state in range(size - 1, 0, -1):
        work[:state, state] -= np.logaddexp.reduce(work[state, :state])
        through = work[:state, state, None] + work[state, :state]
        work[:state, :state] = np.logaddexp(work[:state, :state], through)
    mass = np.zeros(size)
    for state in range(1, size):
        mass[state] = np.logaddexp.reduce(mass[:state] + work[:state, state])
    mass = np.exp(mass - mass.max())
    return np.asarray(mass / mass.sum())


def alpha_rank(evidence: Evidence) -> Rated:
    """Masses of the agents in one population that plays any two seats."""
    game = _game(evidence)
    return _rate(evidence, [one_population(game.between_two(w)) for w in _weights(evidence)])


def alpha_rank_seats(evidence: Evidence) -> Rated:
    """Masses of the agents, averaged over seats, with one population a seat."""
    game = _game(evidence)
    if game.agents**game.seats > MOST_PROFILES:
        raise UsageError(
            f"alpha_rank_seats: {game.agents} agents in {game.seats} seats make "
            f"{game.agents**game.seats:,} profiles, and {MOST_PROFILES} can be solved: rate fewer "
            "agents, or use alpha_rank"
        )
    masses = []
    for weights in _weights(evidence):
        table = game.by_profile(weights)
        if np.isnan(table).any():
            masses.append(np.full(game.agents, np.nan))
            continue
        joint = many_populations(list(table))
        axes = [tuple(a for a in range(game.seats) if a != seat) for seat in range(game.seats)]
        masses.append(np.mean([joint.sum(axis=others) for others in axes], axis=0))
    return _rate(evidence, masses)


def _game(evidence: Evidence) -> Payoffs:
    it = evidence.comparisons
    return Payoffs(evidence.rows, it.agents, it.blocks)


def _weights(evidence: Evidence) -> list[Floats | None]:
    """All blocks once, then the replicas."""
    return [None, *evidence.weights()]


def _rate(evidence: Evidence, masses: Sequence[Floats]) -> Rated:
    values, drawn = masses[0], np.array([*masses[1:]]).reshape(-1, len(masses[0]))
    notes = []
    if len(drawn) and np.allclose(drawn, values, rtol=0, atol=1e-12):
        notes.append(
            "Every bootstrap replica gave the same masses: intervals without width say that the "
            "seeds agree, not that the masses are known exactly."
        )
    found = evidence.intervals(values, drawn, bounds=(0.0, 1.0))
    return Rated(
        values=values,
        intervals=found,
        component=components(evidence.comparisons.counts()),
        masses=values,
        mass_intervals=found,
        replicas=evidence.replicas,
        notes=notes,
    )
