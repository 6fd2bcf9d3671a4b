"""The kernels of Harvest: apples that come back only where apples are left."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..grid.beams import erase_beams, zap
from ..grid.cache import kernel, part
from ..grid.movement import begin_match, come_back, occupied, resolve, turn_and_aim
from ..grid.rng import skip, uniform
from ..grid.state import AWAY, COLLECTED, EVENT_COLLECTED, FLAG_COLLECTED, Conduct
from ..grid.tallies import clear_step, earn, end_step
from ..grid.views import see

APPLE, PATCH, SPAWN = range(3, 6)
ITEMS = ("empty", "wall", "zap beam", "apple", "bare patch", "spawn point")
# Columns of ``State.stock``.
APPLES, APPLES_SUM = range(2)


class HarvestRules(NamedTuple):
    """Harvest's numbers, as the kernels take them.

    Attributes:
        conduct: moving and zapping.
        inverse_log: ``1 / log(1 - p)`` for the highest rate of regrowth p; 0 where nothing grows.
        share: float64 ``[4]``, the rate with 0, 1, 2, 3 or more apples near, as a part of p.
    """

    conduct: Conduct
    inverse_log: float
    share: Any


@kernel
def reset(state: Any, layout: Any, rules: Any, seeds: Any, which: Any, desk: Any) -> None:
    """Begin the matches in ``which``, each from its seed, and write what seats see."""
    n = state.cell.shape[1]
    for e in range(len(which)):
        if not which[e]:
            continue
        begin_match(state, layout, e, n, seeds[e])
        state.stock[e, APPLES] = len(layout.sites)
        see(state, layout, e, n, desk)


@kernel
def step(
    state: Any,
    layout: Any,
    rules: Any,
    actions: Any,
    idle: Any,
    rewards: Any,
    desk: Any,
    low: int,
    high: int,
) -> None:
    """Play one step of the matches from ``low`` to ``high`` that are not ``idle``."""
    n = state.cell.shape[1]
    for e in range(low, high):
        if idle[e]:
            continue
        clear_step(state, e, n)
        _grow(state, layout, rules, e, n, desk.grown)
        come_back(state, layout, e, n)
        if turn_and_aim(state, layout, rules.conduct, actions, e, desk):
            resolve(state, e, n, desk)
        _move_and_eat(state, e, n, desk.target, rewards)
        zap(state, layout, rules.conduct, actions, e, n, desk)
        state.stock[e, APPLES_SUM] += state.stock[e, APPLES]
        end_step(state, rewards, e, n)
        if len(desk.seen):
            see(state, layout, e, n, desk)
        erase_beams(state, e, desk)


@part
def _grow(state: Any, layout: Any, rules: Any, e: int, n: int, grown: Any) -> None:
    """Regrow apples, all at once, by how many apples were near before."""
    count, found = len(layout.sites), 0
    if rules.inverse_log == 0.0 or state.stock[e, APPLES] == count:
        return
    # Candidates come at the highest rate; each is kept with its own rate's share of it.
    at = -1.0
    while True:
        at += 1.0 + skip(state.rng, e, rules.inverse_log)
        if at >= count:
            break
        site = layout.sites[np.int64(at)]
        if state.grid[e, site] != PATCH or occupied(state.cell, e, n, site):
            continue
        near = 0
        for step in layout.near:
            if state.grid[e, site + step] == APPLE:
                near += 1
        if uniform(state.rng, e) <= rules.share[min(near, 3)]:
            grown[found] = site
            found += 1
    for k in range(found):
        state.grid[e, grown[k]] = APPLE
    state.stock[e, APPLES] += found


@part
def _move_and_eat(state: Any, e: int, n: int, target: Any, rewards: Any) -> None:
    for i in range(n):
        place = target[i]
        state.cell[e, i] = place
        if place != AWAY and state.grid[e, place] == APPLE:
            state.grid[e, place] = PATCH
            state.stock[e, APPLES] -= 1
            state.events[e, i, EVENT_COLLECTED] = 1
            state.tally[e, i, COLLECTED] += 1
            state.flags[e, i] |= FLAG_COLLECTED
            earn(rewards, e, i, 1.0)
