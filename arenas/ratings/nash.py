"""Nash averaging: agents rated by what they win against the strongest mixture of agents.

Balduzzi et al. 2018, "Re-evaluating Evaluation". Pairwise margins (share won minus share lost) are
an antisymmetric game between two meta-players who each choose an agent. Its Nash equilibrium of
largest entropy weighs the agents that matter; an agent's rating is its expected margin against that
mixture: 0 for those in it, negative for the others. Copies of an agent change nothing for the rest,
and an agent that beats everybody holds all the mass.

The equilibria of an antisymmetric game form the polytope ``{p >= 0, sum p = 1, A p <= 0}``. It is
never empty, and its maximum of entropy is found in three sound steps, none of them non-convex:
agents with equal margins against everybody are one class (they share its mass evenly); a linear
program finds a strictly complementary equilibrium, whose support is the largest one (Goldman &
Tucker 1956); on that support the entropy is maximised through its smooth convex dual.

Like the ratings by strength, margins carry half a win and half a loss of prior a pair, redrawn in
replicas of their own, so that three won matches are not taken for certainty.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gymposium.errors import GymposiumError

from .bootstrap import once_a_block
from .bradley_terry import PRIOR
from .pair_counts import Floats, components
from .pairwise import scores_only
from .payoffs import pair_margins
from .rated import Evidence, Rated

_SAME = 10
_RANK = 1e-9


def max_entropy_nash(margins: Floats) -> Floats:
    """The Nash equilibrium of largest entropy.

    Args:
        margins: antisymmetric ``[n, n]``: what the row's agent wins from the column's.

    Returns:
        ``[n]`` masses that add up to 1; no agent wins anything against them on average.
    """
    _, first, kind, copies = np.unique(
        np.round(margins, _SAME), axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    kind = kind.reshape(-1)
    classes = margins[np.ix_(first, first)]
    return np.asarray((_solve(classes) / copies)[kind])


def _solve(game: Floats) -> Floats:
    size = len(game)
    point = _complementary(game)
    inside = point > np.maximum(-game @ point, 0.0)
    masses = np.zeros(size)
    if inside.sum() == 1:
        masses[inside] = 1.0
        return masses
    masses[inside] = _max_entropy(game[np.ix_(inside, inside)], game[np.ix_(~inside, inside)])
    return masses


def _complementary(game: Floats) -> Floats:
    """An equilibrium in which every agent is either used or loses: its support is the largest."""
    from scipy.optimize import linprog

    size = len(game)
    # Variables: p and t; every p_i + (-A p)_i is at least t, which is made as large as possible.
    cost = np.append(np.zeros(size), -1.0)
    upper = np.vstack(
        [
            np.column_stack([game, np.zeros(size)]),
            np.column_stack([game - np.eye(size), np.ones(size)]),
        ]
    )
    total = np.append(np.ones(size), 0.0)[None, :]
    bounds = [(0.0, 1.0)] * size + [(0.0, None)]
    found = linprog(
        cost, A_ub=upper, b_ub=np.zeros(2 * size), A_eq=total, b_eq=[1.0], bounds=bounds
    )
    if found.x is None:
        raise GymposiumError(
            f"nash_averaging: the linear program was not solved ({found.message}); use "
            "bradley_terry, and please report the matches"
        )
    return np.asarray(found.x[:size])


def _max_entropy(square: Floats, outside: Floats) -> Floats:
    """Maximise entropy over ``{p > 0, sum p = 1, square p = 0, outside p <= 0}``."""
    from scipy.linalg import null_space
    from scipy.optimize import minimize

    free = null_space(square, rcond=_RANK)
    if free.shape[1] == 1:  # the usual case: there is no choice
        return np.asarray(free[:, 0] / free[:, 0].sum())
    # The dual: prices of the constraints, free for equations and non-negative for the others.
    rows = np.vstack([square, outside])
    bounds: list[tuple[float | None, float | None]] = [(None, None)] * len(square)
    bounds += [(0.0, None)] * len(outside)

    def mixture(prices: Any) -> Floats:
        logits = -prices @ rows
        weights = np.exp(logits - logits.max())
        return np.asarray(weights / weights.sum())

    def dual(prices: Any) -> float:
        logits = -prices @ rows
        return float(logits.max() + np.log(np.exp(logits - logits.max()).sum()))

    def slope(prices: Any) -> Any:
        return -rows @ mixture(prices)

    found = minimize(
        dual,
        np.zeros(len(rows)),
        jac=slope,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": 5000, "maxfun": 20_000, "ftol": 1e-16, "gtol": 1e-10},
    )
    return mixture(found.x)


def nash_averaging(evidence: Evidence) -> Rated:
    """Margin against the max-entropy Nash mixture, and each agent's mass in it."""
    it = scores_only(evidence.comparisons)
    agents = len(it.agents)
    even = np.full((agents, agents), PRIOR)
    rng = np.random.default_rng([evidence.seed, 3])
    once = once_a_block(it)

    def solve(each: Floats, prior: Floats) -> Floats:
        """``[2, agents]`` ratings and masses; NaN if a pair was not drawn."""
        table = pair_margins(it.first, it.second, agents, each * it.wins, each * it.losses, prior)
        if np.isnan(table).any():
            return np.full((2, agents), np.nan)
        masses = max_entropy_nash(table)
        return np.array([np.minimum(table @ masses, 0.0) + 0.0, masses])

    values, masses = solve(np.ones(len(it.first)), even)
    weights = evidence.weights()
    drawn = np.array([solve(weight[it.block], even) for weight in weights])
    prior = np.array(
        [solve(once, PRIOR * rng.standard_exponential((agents, agents))) for _ in weights]
    )
    drawn, prior = drawn.reshape(-1, 2, agents), prior.reshape(-1, 2, agents)
    besides = [prior[:, n] if len(prior) else None for n in range(2)]
    return Rated(
        values=values,
        intervals=evidence.intervals(values, drawn[:, 0], besides=besides[0], bounds=(-1.0, 0.0)),
        component=components(evidence.comparisons.counts()),
        masses=masses,
        mass_intervals=evidence.intervals(
            masses, drawn[:, 1], besides=besides[1], bounds=(0.0, 1.0)
        ),
        replicas=evidence.replicas,
    )
