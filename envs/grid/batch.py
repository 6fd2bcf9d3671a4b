"""E matches of a grid world: their arrays and the calls of the kernels, nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import fairness
from .game import GridGame
from .rng import GOLDEN, mix
from .state import ABSENT, GAIN_TIMES, GAINS, RETURN, Desk, new_desk, new_state
from .views import SIZE, look

GROUP_METRICS = (
    "efficiency",
    "mean",
    "geomean",
    "geomean_defined",
    "min",
    "gini",
    "equality",
    "jain",
    "sustainability",
    "peace",
)
"""The measures that every grid world reports."""


class GridBatch:
    """Matches side by side; row ``e`` of every array is match ``e``."""

    def __init__(self, game: GridGame, envs: int) -> None:
        self.game, self.envs = game, envs
        self.state = new_state(
            game.layout,
            envs=envs,
            agents=game.agents,
            counters=game.counters,
            extras=game.extras,
        )
        self._desks: dict[int, Desk] = {}

    def new_views(self) -> Any:
        """A fresh array for views: uint16 ``[E, A, 11, 11]``, item and seat in its two bytes."""
        return np.empty((self.envs, self.game.agents, SIZE, SIZE), np.uint16)

    def begin(self, seeds: Any, which: Any, views: Any) -> None:
        """Begin the matches in ``which`` (bool ``[E]``) from ``seeds`` (uint64 ``[E]``)."""
        game, desk = self.game, self._desk(0, views)
        game.kernels.reset(self.state, game.layout, game.rules, seeds, which, desk)

    def step(self, actions: Any, idle: Any, views: Any, rewards: Any, low: int, high: int) -> None:
        """Play one step of the matches from ``low`` to ``high`` that are not ``idle``."""
        game, desk = self.game, self._desk(low, views)
        game.kernels.step(
            self.state, game.layout, game.rules, actions, idle, rewards, desk, low, high
        )

    def look(self, which: Any, views: Any) -> None:
        """Write what is seen in the matches in ``which``, as they stand (beams are gone)."""
        look(self.state, self.game.layout, which, self._desk(0, views))

    def _desk(self, low: int, views: Any) -> Desk:
        """The desk of the thread that plays the matches from ``low``."""
        if low not in self._desks:
            self._desks[low] = new_desk(self.game.layout, self.game.agents)
        view, grid = views.reshape(-1), self.state.grid.reshape(-1)
        return self._desks[low]._replace(seen=view, grid=grid)

    def new_events(self) -> None:
        """Give the step to come a fresh array for its events, as the last one was handed out."""
        self.state = self.state._replace(events=np.zeros_like(self.state.events))

    def group_metrics(self) -> dict[str, Any]:
        """The measures that every grid world reports, of the matches as they stand: ``[E]``."""
        tally, clock = self.state.tally, np.maximum(self.state.clock, 1)
        returns = tally[..., RETURN]
        times = tally[..., GAIN_TIMES] / np.maximum(tally[..., GAINS], 1)
        sums = tally.sum(1)
        return {
            "efficiency": returns.sum(-1) / clock,
            **fairness.group_metrics(returns),
            "sustainability": times.mean(-1),
            "peace": self.game.agents - sums[:, ABSENT] / clock,
            **{name: sums[:, column] for name, column in self.game.counted.items()},
        }


def following_seeds(seeds: Any) -> Any:
    """The seeds of the matches that follow those with ``seeds`` in the same rows, uint64."""
    return mix.py_func(seeds + GOLDEN)


def seed_of(number: int) -> int:
    """The 64-bit seed for any non-negative whole number: itself where it fits."""
    if number < 1 << 64:
        return number
    return int(np.random.SeedSequence(number).generate_state(1, np.uint64)[0])


def codes_of(views: Any) -> Any:
    """Views as bytes: uint8 ``[…, 11, 11, 2]``, sharing memory."""
    return views.view(np.uint8).reshape(*views.shape, 2)
