"""Whether data cover what matters: occupancies, concentrability, and the rate it enters.

The data of Li et al. (NeurIPS 2025) need not visit everything, only what either player can reach
by leaving equilibrium alone, in any world of its uncertainty set: C* is the least C such that
``min(d(s, a, b), 1 / (S (A + B))) <= C d_b(s, a, b)`` for all such occupancies d (their equation
22, clipped as there). The greatest occupancies are found exactly: with the other player fixed,
reaching a state is a decision problem in which player and nature pull together.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np

from ....envs.markov_games.games import MarkovGame
from ....envs.markov_games.uncertainty import best
from ...offline.records import Policies, Records

Array: TypeAlias = np.ndarray[Any, Any]


def occupancy(game: MarkovGame, policies: Policies) -> Array:
    """How likely each (state, action, action) is at each step: ``[H, S, A, B]``."""
    here = game.start
    found = []
    for step in range(game.horizon):
        joint = np.einsum("s,sa,sb->sab", here, policies.max[step], policies.min[step])
        found.append(joint)
        here = np.einsum("sab,sabt->t", joint, game.kernel(step))
    return np.stack(found)


def recorded(data: Records) -> Array:
    """The same, as a share of the records' episodes: ``[H, S, A, B]``."""
    shape = (data.horizon, *data.size)
    cell = np.ravel_multi_index((data.step, data.state, data.row, data.column), shape)
    return np.bincount(cell, minlength=math.prod(shape)).reshape(shape) / data.episodes


def concentrability(
    game: MarkovGame,
    data: Array,
    equilibrium: Policies,
    *,
    radius_max: float,
    radius_min: float,
    divergence: str = "tv",
) -> float:
    """C*: how badly the data miss what matters; from ``1 / (S (A + B))`` to infinity.

    Args:
        game: the nominal one.
        data: ``[H, S, A, B]``, how likely the data are to show each.
        equilibrium: a robust one, (mu*, nu*).
        radius_max: of the set of ``max``.
        radius_min: of the set of ``min``.
        divergence: of the sets.
    """
    rows, columns = game.counts
    cap = 1.0 / (game.states * (rows + columns))
    to_max = _reach(game, equilibrium.min, radius_max, divergence, mover=0)
    to_min = _reach(game, equilibrium.max, radius_min, divergence, mover=1)
    leaving_max = np.broadcast_to((to_max[..., None] * equilibrium.min)[:, :, None, :], data.shape)
    leaving_min = np.broadcast_to((to_min[..., None] * equilibrium.max)[..., None], data.shape)
    most = np.minimum(np.maximum(leaving_max, leaving_min), cap)
    with np.errstate(divide="ignore"):
        ratio = most / data
    return float(np.max(ratio, where=most > 0, initial=0.0))


def _reach(game: MarkovGame, other: Array, radius: float, divergence: str, *, mover: int) -> Array:
    """``[H, S]``: the greatest chance of each state at each step, nature helping the mover."""
    pattern = "sab,sb->sa" if mover == 0 else "sab,sa->sb"
    found = np.empty((game.horizon, game.states))
    for target in range(game.states):
        for step in range(game.horizon):
            chance = np.zeros(game.states)
            chance[target] = 1.0
            for earlier in reversed(range(step)):
                later = best(game.kernel(earlier), chance, radius, divergence)
                chance = np.einsum(pattern, later, other[earlier]).max(axis=1)
            found[step, target] = game.start @ chance
    return found


def horizon_factor(radius: float, horizon: int) -> float:
    """``(H s - 1 + (1 - s)^H) / s^2``: steps that matter, squared, when doubt cuts them short."""
    if radius * horizon < 0.1:  # the difference would cancel
        total, term = 0.0, horizon * (horizon - 1) / 2
        for power in range(2, 40):
            total += term
            term *= -radius * (horizon - power) / (power + 1)
        return total
    return (horizon * radius - 1 + (1 - min(radius, 1.0)) ** horizon) / radius**2


def rate_factor(radius_max: float, radius_min: float, horizon: int) -> float:
    """The factor f of the sample complexity ``C* H^4 S (A + B) f / eps^2``."""
    return min(horizon_factor(radius_max, horizon), horizon_factor(radius_min, horizon), horizon)
