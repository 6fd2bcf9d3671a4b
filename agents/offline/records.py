"""Transitions of a two-player game, recorded once and for all, and how they come about.

The theory's data are episodes of a behaviour policy in the game (:func:`collect`); the published
experiment draws single transitions, uniformly over (state, action, action)
(:func:`sample_triples`); a generative model gives every triple equally often
(:func:`sample_evenly`). Two-fold subsampling (Li, Shi, Chen, Chi and Wei, 2024) makes episodes'
transitions behave like independent ones.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from gymposium.errors import UsageError

from ...envs.markov_games.games import MarkovGame

Array: TypeAlias = np.ndarray[Any, Any]


class Policies(NamedTuple):
    """A pair of policies: ``max [H, S, A]`` and ``min [H, S, B]``, rows summing to one."""

    max: Array
    min: Array


@dataclass(frozen=True, eq=False)
class Records:
    """Transitions (h, s, a, b, r, s').

    Attributes:
        step, state, row, column, after: int64 ``[N]``; step from 0, row and column the actions.
        reward: float64 ``[N]``.
        episode: int64 ``[N]``: which episode each belongs to.
        size: (S, A, B).
        horizon: H.
    """

    step: Array
    state: Array
    row: Array
    column: Array
    reward: Array
    after: Array
    episode: Array
    size: tuple[int, int, int]
    horizon: int

    def __post_init__(self) -> None:
        if not len(self.step):
            raise UsageError("the data set is empty: nothing can be learned from no transitions")
        states, rows, columns = self.size
        for name, top in (
            ("step", self.horizon),
            ("state", states),
            ("row", rows),
            ("column", columns),
            ("after", states),
        ):
            values = getattr(self, name)
            if len(values) != len(self.step) or values.min() < 0 or values.max() >= top:
                raise UsageError(
                    f"the data set's {name} must be {len(self.step)} whole numbers from 0 to "
                    f"{top - 1}; got {len(values)} from {values.min()} to {values.max()}"
                )
        if not np.isfinite(self.reward).all():
            where = int(np.flatnonzero(~np.isfinite(self.reward))[0])
            raise UsageError(
                f"the data set's reward of transition {where} is {self.reward[where]}; every "
                "reward must be a number: drop such transitions, or mend what recorded them"
            )

    def __len__(self) -> int:
        return len(self.step)

    @property
    def episodes(self) -> int:
        """K, the number of episodes."""
        return len(np.unique(self.episode))

    def take(self, which: Array) -> Records:
        """Some of the transitions: indices or a mask."""
        parts = {name: getattr(self, name)[which] for name in COLUMNS}
        return dataclasses.replace(self, **parts)

    def first(self, count: int) -> Records:
        """The first ``count`` transitions."""
        return self.take(np.arange(min(count, len(self))))


COLUMNS = ("step", "state", "row", "column", "reward", "after", "episode")


def uniform(game: MarkovGame) -> Policies:
    """Both players choose anything, equally often."""
    rows, columns = game.counts
    shape = (game.horizon, game.states)
    return Policies(np.full((*shape, rows), 1 / rows), np.full((*shape, columns), 1 / columns))


def collect(
    game: MarkovGame, episodes: int, seed: int, behaviour: Policies | None = None
) -> Records:
    """Episodes of a behaviour policy.

    Args:
        game: what is played.
        episodes: K.
        seed: everything random derives from it.
        behaviour: what is done; default: :func:`uniform`.

    Raises:
        UsageError: no episodes.
    """
    if episodes < 1:
        raise UsageError(f"a data set needs at least 1 episode, got {episodes}")
    rng = np.random.default_rng(seed)
    played = behaviour or uniform(game)
    state = _draw(np.broadcast_to(game.start.cumsum(), (episodes, game.states)), rng)
    parts: list[tuple[Array, ...]] = []
    for step in range(game.horizon):
        row = _draw(played.max[step].cumsum(-1)[state], rng)
        column = _draw(played.min[step].cumsum(-1)[state], rng)
        after = _draw(_running(game, step)[state, row, column], rng)
        reward = game.reward(step)[state, row, column]
        parts.append((np.full(episodes, step), state, row, column, reward, after))
        state = after
    step_, state_, row_, column_, reward_, after_ = (
        np.stack([part[i] for part in parts], axis=1).ravel() for i in range(6)
    )
    number = np.repeat(np.arange(episodes), game.horizon)
    size = (game.states, *game.counts)
    return Records(step_, state_, row_, column_, reward_, after_, number, size, game.horizon)


def sample_triples(
    game: MarkovGame, count: int, seed: int, weights: Array | None = None
) -> Records:
    """Single transitions of triples (s, a, b) drawn independently, steps drawn uniformly.

    Args:
        game: where the next state is drawn; the published code draws it from a perturbed kernel.
        count: transitions.
        seed: everything random derives from it.
        weights: ``[S, A, B]``, how often each triple is drawn; default: all equally.
    """
    rng = np.random.default_rng(seed)
    size = (game.states, *game.counts)
    cells = math.prod(size)
    odds = None if weights is None else weights.ravel() / weights.sum()
    triple = rng.choice(cells, size=count, p=odds)
    return _transitions(game, triple, rng)


def sample_evenly(game: MarkovGame, each: int, seed: int) -> Records:
    """``each`` transitions of every triple (s, a, b): a generative model."""
    rng = np.random.default_rng(seed)
    cells = game.states * math.prod(game.counts)
    return _transitions(game, np.repeat(np.arange(cells), each), rng)


def subsample(data: Records, seed: int, *, how: str = "trim", delta: float = 0.1) -> Records:
    """Two-fold subsampling: transitions that behave as if they were drawn independently.

    The episodes are split in halves, main and auxiliary. ``split`` keeps the main half. ``trim``
    keeps, of each (h, s), at most ``max(0, n - 10 sqrt(n log(H S / delta)))`` of main's
    transitions, at random, where n counts the auxiliary half's: a lower bound on what main holds,
    which depends on nothing in main. ``none`` keeps everything.

    Args:
        data: of at least two episodes.
        seed: of the split and of what is kept.
        how: ``trim``, ``split`` or ``none``.
        delta: the chance that the bound may fail.

    Raises:
        UsageError: another ``how``, or nothing is left (``trim`` keeps nothing of a (h, s) with
            fewer than ``100 log(H S / delta)`` visits).
    """
    if how == "none":
        return data
    if how not in ("trim", "split"):
        raise UsageError(f"subsample must be trim, split or none, got {how!r:.40}")
    rng = np.random.default_rng(seed)
    names = rng.permutation(np.unique(data.episode))
    in_main = np.isin(data.episode, names[: len(names) // 2])
    main = np.flatnonzero(in_main)
    if how == "trim":
        cells = data.horizon * data.size[0]
        cell = data.step * data.size[0] + data.state
        seen = np.bincount(cell[~in_main], minlength=cells).astype(np.float64)
        bound = np.maximum(0, seen - 10 * np.sqrt(seen * math.log(cells / delta)))
        main = rng.permutation(main)
        main = main[np.argsort(cell[main], kind="stable")]  # grouped by cell, random within
        group = cell[main]
        rank = np.arange(len(main)) - np.searchsorted(group, group)
        main = np.sort(main[rank < np.floor(bound[group])])
    if not len(main):
        raise UsageError(
            f"subsampling ({how}) keeps none of {len(data)} transitions: no step and state is seen "
            "often enough; gather more, or use subsample=none"
        )
    return data.take(main)


def _transitions(game: MarkovGame, triple: Array, rng: np.random.Generator) -> Records:
    size = (game.states, *game.counts)
    state, row, column = (np.asarray(part) for part in np.unravel_index(triple, size))
    step = rng.integers(game.horizon, size=len(triple))
    after, reward = np.empty(len(triple), np.int64), np.empty(len(triple))
    for kernel in range(len(game.transitions)):
        here = slice(None) if len(game.transitions) == 1 else step == kernel
        after[here] = _draw(game.cumulative[kernel][state[here], row[here], column[here]], rng)
    at = step if len(game.rewards) > 1 else np.zeros_like(step)
    reward = game.rewards[at, state, row, column]
    number = np.arange(len(triple))
    return Records(step, state, row, column, reward, after, number, size, game.horizon)


def _running(game: MarkovGame, step: int) -> Array:
    running: Array = game.cumulative[step if len(game.cumulative) > 1 else 0]
    return running


def _draw(cumulative: Array, rng: np.random.Generator) -> Array:
    """One index a row, by inverting the running sums; the last possible one on a rounding error."""
    luck = rng.random(len(cumulative))[:, None] * cumulative[:, -1:]
    return np.asarray((cumulative <= luck).sum(axis=-1), np.int64)
