"""Multi-RTZ-VI-LCB: any number of players, each with rewards and an uncertainty set of its own.

Theorem 3 of Li et al. (NeurIPS 2025) extends the method to general-sum games of m players. Each
player carries a lower bound on its own worst case backwards; where two players would have a
zero-sum stage game, m have a coarse correlated equilibrium of the stage game, found by a linear
program: the one of greatest welfare, so that the choice is stated (derived; the paper leaves it
open). With a known game the result is an exact robust coarse correlated equilibrium.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from gymposium.errors import GymposiumError, UsageError

from ....envs.markov_games.games import check_probabilities
from ....envs.markov_games.uncertainty import check_radius, worst
from .model import Penalty

Array: TypeAlias = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class JointModel:
    """A game of m players that is the same in every step, as it is known.

    Attributes:
        transitions: float64 ``[S, A1, …, Am, S]``.
        rewards: float64 ``[m, S, A1, …, Am]``, from 0 to 1.
        horizon: H.
        counts: int64 ``[S, A1, …, Am]``, or None where the game is known.
    """

    transitions: Array
    rewards: Array
    horizon: int
    counts: Array | None = None

    def __post_init__(self) -> None:
        players, *shape = self.rewards.shape
        if len(shape) != players + 1 or self.transitions.shape != (*shape, shape[0]):
            raise UsageError(
                "a game of m players needs rewards [m, S, A1, ..., Am] and transitions "
                f"[S, A1, ..., Am, S], got {list(self.rewards.shape)} and "
                f"{list(self.transitions.shape)}"
            )
        check_probabilities(self.transitions, "transitions")
        if not np.isfinite(self.rewards).all():
            raise UsageError("rewards of a game must be numbers; one is NaN or infinite")


class JointSolution(NamedTuple):
    """``policy [H, S, A1, …, Am]``: what to do jointly; ``values [H + 1, m, S]``: lower bounds."""

    policy: Array
    values: Array


def solve_jointly(
    model: JointModel,
    radii: Sequence[float],
    penalty: Penalty | None = None,
    divergence: str = "tv",
) -> JointSolution:
    """Robust value iteration with coarse correlated equilibria.

    Args:
        model: what is known.
        radii: one a player, >= 0.
        penalty: mistrust of estimates; default: none.
        divergence: of the sets.

    Raises:
        UsageError: not one radius a player, or one below 0.
    """
    players, states, *actions = model.rewards.shape
    _check_radii(radii, players)
    beta = penalty or Penalty(0.0)
    values = np.zeros((model.horizon + 1, players, states))
    policy = np.empty((model.horizon, states, *actions))
    for step in reversed(range(model.horizon)):
        stage = np.empty(model.rewards.shape)
        for player, radius in enumerate(radii):
            value = values[step + 1, player]
            low = worst(model.transitions, value, radius, divergence)
            mistrust = beta(model.transitions, model.counts, value, model.horizon)
            stage[player] = np.clip(model.rewards[player] + low - mistrust, 0.0, model.horizon)
        for state in range(states):
            joint = coarse_correlated(stage[:, state])
            policy[step, state] = joint
            values[step, :, state] = (stage[:, state] * joint).reshape(players, -1).sum(1)
    return JointSolution(policy, values)


def joint_gap(
    model: JointModel, policy: Array, radii: Sequence[float], divergence: str = "tv"
) -> Array:
    """What each player could gain in its own worst case by leaving: ``[m]``, over uniform starts.

    Args:
        model: the true nominal game.
        policy: ``[H, S, A1, …, Am]``.
        radii: one a player.
        divergence: of the sets.
    """
    players, states, *_ = model.rewards.shape
    _check_radii(radii, players)
    gains = np.empty(players)
    for player, radius in enumerate(radii):
        stays, leaves = np.zeros(states), np.zeros(states)
        for step in reversed(range(model.horizon)):
            reward = model.rewards[player]
            stay = reward + worst(model.transitions, stays, radius, divergence)
            leave = reward + worst(model.transitions, leaves, radius, divergence)
            stays = (stay * policy[step]).reshape(states, -1).sum(1)
            others = policy[step].sum(axis=player + 1, keepdims=True)
            axes = tuple(axis for axis in range(1, players + 1) if axis != player + 1)
            leaves = (leave * others).sum(axis=axes).max(axis=1)
        gains[player] = (leaves - stays).mean()
    return gains


def coarse_correlated(payoffs: Array) -> Array:
    """The coarse correlated equilibrium of greatest welfare of a stage game.

    Args:
        payoffs: float64 ``[m, A1, …, Am]``.

    Returns:
        A distribution ``[A1, …, Am]`` from which nobody gains by leaving beforehand.
    """
    from scipy.optimize import linprog

    players, *actions = payoffs.shape
    limits = []
    for player in range(players):
        for action in range(actions[player]):
            other = np.take(payoffs[player], [action], axis=player)
            limits.append((other - payoffs[player]).ravel())
    made = linprog(
        -payoffs.sum(axis=0).ravel(),
        A_ub=np.array(limits),
        b_ub=np.zeros(len(limits)),
        A_eq=np.ones((1, int(np.prod(actions)))),
        b_eq=[1.0],
    )
    if made.x is None:
        raise GymposiumError(f"no coarse correlated equilibrium was found: {made.message}")
    joint = np.maximum(made.x, 0.0)
    return np.asarray((joint / joint.sum()).reshape(actions))


def estimate_jointly(
    state: Array, actions: Array, rewards: Array, after: Array, size: Sequence[int], horizon: int
) -> JointModel:
    """Frequencies and mean rewards; triples never seen have a uniform kernel and reward 0.

    Args:
        state: int64 ``[N]``.
        actions: int64 ``[N, m]``.
        rewards: float64 ``[N, m]``.
        after: int64 ``[N]``, the next states.
        size: (S, A1, …, Am).
        horizon: H.

    Raises:
        UsageError: the data set is empty, or a reward is no number.
    """
    if not len(state):
        raise UsageError("the data set is empty: nothing can be learned from no transitions")
    if not np.isfinite(rewards).all():
        raise UsageError("the data set holds a reward that is no number")
    cells, states = int(np.prod(size)), size[0]
    cell = np.ravel_multi_index((state, *actions.T), tuple(size))
    counts = np.bincount(cell, minlength=cells)
    seen = np.bincount(cell * states + after, minlength=cells * states).reshape(cells, states)
    kernel = np.where(counts[:, None] > 0, seen / np.maximum(counts, 1)[:, None], 1.0 / states)
    paid = np.stack([np.bincount(cell, weights=one, minlength=cells) for one in rewards.T])
    return JointModel(
        kernel.reshape(*size, states),
        (paid / np.maximum(counts, 1)).reshape(-1, *size),
        horizon,
        counts.reshape(size),
    )


def _check_radii(radii: Sequence[float], players: int) -> None:
    if len(radii) != players:
        raise UsageError(f"{players} players need {players} radii, got {len(radii)}")
    for player, radius in enumerate(radii):
        check_radius(radius, f"radius of player {player}")
