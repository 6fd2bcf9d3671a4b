"""Tabular two-player zero-sum Markov games: what is paid, and where one goes next.

A game is a kernel, rewards in [0, 1] of the first player, a distribution of first states and a
horizon (Shapley, 1953; finite horizon). Kernel and rewards have a leading axis of steps, of length
1 where every step is the same. ``GENERATORS`` makes games by name.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from gymposium.errors import UsageError

from .stage_games import solve_zero_sum
from .uncertainty import worst

Array: TypeAlias = np.ndarray[Any, Any]
SLACK = 1e-8
"""How far from 1 the probabilities of a row may sum."""


@dataclass(frozen=True, eq=False)
class MarkovGame:
    """A zero-sum game of ``S`` states, ``A`` x ``B`` actions and ``horizon`` steps.

    Attributes:
        transitions: float64 ``[H or 1, S, A, B, S]``; every row sums to one.
        rewards: float64 ``[H or 1, S, A, B]`` from 0 to 1: what ``max`` gets and ``min`` pays.
        start: float64 ``[S]``: the distribution of the first state.
        horizon: steps.
        names: of the states, or none.
        actions: names of the actions, of either player, or none.
        boards: what a spectator sees in each state, or none.
        story: what the game is about, in words, if anything.
    """

    transitions: Array
    rewards: Array
    start: Array
    horizon: int
    names: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    boards: tuple[str, ...] = ()
    story: str = ""

    def __post_init__(self) -> None:
        shape = self.rewards.shape
        if len(shape) != 4 or self.transitions.shape != (
            *self.transitions.shape[:1],
            *shape[1:],
            shape[1],
        ):
            raise UsageError(
                "a Markov game needs rewards [H or 1, S, A, B] and transitions "
                "[H or 1, S, A, B, S], "
                f"got {list(shape)} and {list(self.transitions.shape)}"
            )
        if self.horizon < 1 or not {len(self.transitions), len(self.rewards)} <= {1, self.horizon}:
            raise UsageError(
                f"a Markov game of horizon {self.horizon} needs 1 or {self.horizon} kernels and "
                f"rewards, got {len(self.transitions)} and {len(self.rewards)}"
            )
        check_probabilities(self.transitions, "transitions")
        check_probabilities(self.start, "start")
        bad = ~((self.rewards >= 0) & (self.rewards <= 1))
        if bad.any():
            place = [int(index[0]) for index in np.nonzero(bad)]
            raise UsageError(
                f"rewards must be numbers from 0 to 1; at {place} it is "
                f"{float(self.rewards[tuple(place)])!r}"
            )

    @property
    def states(self) -> int:
        """S."""
        return int(self.rewards.shape[1])

    @property
    def counts(self) -> tuple[int, int]:
        """(A, B)."""
        return int(self.rewards.shape[2]), int(self.rewards.shape[3])

    def kernel(self, step: int) -> Array:
        """``[S, A, B, S]`` at a step from 0."""
        kernel: Array = self.transitions[step if len(self.transitions) > 1 else 0]
        return kernel

    def reward(self, step: int) -> Array:
        """``[S, A, B]`` at a step from 0."""
        reward: Array = self.rewards[step if len(self.rewards) > 1 else 0]
        return reward

    @cached_property
    def cumulative(self) -> Array:
        """Running sums of ``transitions``, to draw next states with."""
        return self.transitions.cumsum(axis=-1)

    def swapped(self) -> MarkovGame:
        """The same game with the players' places exchanged: rewards become 1 - r."""
        return dataclasses.replace(
            self,
            transitions=np.ascontiguousarray(self.transitions.swapaxes(2, 3)),
            rewards=np.ascontiguousarray(1.0 - self.rewards.swapaxes(2, 3)),
        )


def check_probabilities(rows: Array, what: str) -> None:
    """Raise UsageError unless every row is a distribution."""
    total = rows.sum(axis=-1)
    bad = ~(np.abs(total - 1.0) <= SLACK) | ~(rows >= 0).all(axis=-1)
    if bad.any():
        place = [int(index[0]) for index in np.nonzero(np.atleast_1d(bad))]
        at = f" at {place}" if rows.ndim > 1 else ""
        found = float(np.atleast_1d(total)[tuple(place)])
        why = (
            f"sum to {found:.6g}" if abs(found - 1.0) > SLACK or math.isnan(found) else "go below 0"
        )
        raise UsageError(f"{what}: the probabilities{at} {why}; they must be >= 0 and sum to 1")


def dense(size: Sequence[int], horizon: int, rng: np.random.Generator) -> MarkovGame:
    """Kernel rows are normalised uniform numbers, rewards uniform: every state leads everywhere."""
    states, rows, columns = size
    kernel = rng.random((1, states, rows, columns, states))
    return _uniform_start(
        kernel / kernel.sum(-1, keepdims=True), rng.random(kernel.shape[:-1]), horizon
    )


def dirichlet(size: Sequence[int], horizon: int, rng: np.random.Generator) -> MarkovGame:
    """Kernel rows are drawn from Dirichlet(0.3): a few next states matter, and which differs."""
    states, rows, columns = size
    kernel = rng.dirichlet(np.full(states, 0.3), (1, states, rows, columns))
    return _uniform_start(kernel, rng.random(kernel.shape[:-1]), horizon)


def symmetric(size: Sequence[int], horizon: int, rng: np.random.Generator) -> MarkovGame:
    """Both players face the same: r(s,a,b) = 1 - r(s,b,a) and P(s,a,b) = P(s,b,a)."""
    states, rows, columns = size
    if rows != columns:
        raise UsageError(
            f"a symmetric game needs as many rows as columns, got {rows} and {columns}"
        )
    kernel = rng.dirichlet(np.full(states, 0.3), (1, states, rows, rows))
    rewards = rng.random(kernel.shape[:-1])
    kernel = (kernel + kernel.swapaxes(2, 3)) / 2
    return _uniform_start(kernel, (1 + rewards - rewards.swapaxes(2, 3)) / 2, horizon)


def matrix(size: Sequence[int], horizon: int, rng: np.random.Generator) -> MarkovGame:
    """One state with uniform pay-offs: a repeated matrix game."""
    return from_matrix(rng.random(tuple(size[1:])), horizon)


def from_matrix(payoffs: Any, horizon: int = 1, actions: tuple[str, ...] = ()) -> MarkovGame:
    """One state, in which ``payoffs [A, B]`` are what ``max`` gets."""
    rewards = np.asarray(payoffs, np.float64)[None, None]
    return _uniform_start(np.ones((*rewards.shape, 1)), rewards, horizon, actions)


def _pennies(size: Sequence[int], horizon: int, rng: np.random.Generator) -> MarkovGame:
    return from_matrix([[1, 0], [0, 1]], horizon, ("heads", "tails"))


def _rock_paper_scissors(size: Sequence[int], horizon: int, rng: np.random.Generator) -> MarkovGame:
    pays = [[0.5, 0, 1], [1, 0.5, 0], [0, 1, 0.5]]
    return from_matrix(pays, horizon, ("rock", "paper", "scissors"))


def _pursuit(size: Sequence[int], horizon: int, rng: np.random.Generator) -> MarkovGame:
    from .grids import pursuit

    return pursuit(horizon)


def _soccer(size: Sequence[int], horizon: int, rng: np.random.Generator) -> MarkovGame:
    from .grids import soccer

    return soccer(horizon)


def _uniform_start(
    kernel: Array, rewards: Array, horizon: int, actions: tuple[str, ...] = ()
) -> MarkovGame:
    states = rewards.shape[1]
    return MarkovGame(kernel, rewards, np.full(states, 1.0 / states), horizon, (), actions)


GENERATORS: dict[str, Callable[[Sequence[int], int, np.random.Generator], MarkovGame]] = {
    "dense": dense,
    "dirichlet": dirichlet,
    "symmetric": symmetric,
    "matrix": matrix,
    "matching_pennies": _pennies,
    "rock_paper_scissors": _rock_paper_scissors,
    "grid_pursuit": _pursuit,
    "soccer": _soccer,
}
"""By name: ``(S, A, B), horizon, generator`` to a game; the last four know their own size."""


def perturbed(game: MarkovGame, radius: float, rng: np.random.Generator) -> MarkovGame:
    """The game under a random kernel within total variation ``radius`` of its own, row by row.

    Uniform noise from -radius to radius is added, negative entries are cut off and the rest is
    normalised; where that went too far, a share ``radius`` of Dirichlet(1) is mixed in instead.
    """
    clean = game.transitions
    noisy = np.clip(clean + rng.uniform(-radius, radius, clean.shape), 0.0, None)
    total = noisy.sum(-1, keepdims=True)
    noisy = np.where(total > 0, noisy / np.where(total > 0, total, 1.0), clean)
    far = 0.5 * np.abs(noisy - clean).sum(-1) > radius
    share = min(radius, 1.0)
    mixed = (1 - share) * clean + share * rng.dirichlet(np.ones(game.states), clean.shape[:-1])
    made = np.where(far[..., None], mixed, noisy)
    return with_kernel(game, made)


def with_kernel(game: MarkovGame, transitions: Array) -> MarkovGame:
    """The same game with another kernel, ``[H or 1, S, A, B, S]``."""
    return dataclasses.replace(game, transitions=transitions)


def feared(game: MarkovGame, radius: float, *, against: str = "max") -> Array:
    """The values by which nature harms one player most: ``[H + 1, S]``.

    Nature moves ``radius`` of probability, in total variation, from the states that are worth most
    to that player to the one that is worth least, where both go on with the strategies that are
    optimal under such a nature. They are what ``max`` gets.
    """
    sign = 1.0 if against == "max" else -1.0
    value = np.zeros((game.horizon + 1, game.states))
    for step in reversed(range(game.horizon)):
        bound = sign * worst(game.kernel(step), sign * value[step + 1], radius)
        value[step] = solve_zero_sum(game.reward(step) + bound).value
    return value
