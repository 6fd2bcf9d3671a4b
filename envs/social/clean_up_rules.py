"""The kernels of Clean-Up: apples, dirt, beams, in the order in which a step happens."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..grid.beams import draw_beam, erase_beams, reach, zap
from ..grid.cache import kernel, part
from ..grid.movement import (
    CLEAN,
    begin_match,
    come_back,
    occupied,
    resolve,
    turn_and_aim,
)
from ..grid.rng import below, skip, uniform
from ..grid.state import (
    AWAY,
    CLEANED,
    COLLECTED,
    EVENT_CLEANED,
    EVENT_COLLECTED,
    FLAG_COLLECTED,
    FLAG_SPECIAL,
    Conduct,
)
from ..grid.tallies import clear_step, earn, end_step
from ..grid.views import see

APPLE, ORCHARD, SPAWN, RIVER, BANK, DIRT, CLEAN_BEAM = range(3, 10)
ITEMS = (
    "empty",
    "wall",
    "zap beam",
    "apple",
    "orchard",
    "spawn point",
    "river",
    "clean bank",
    "dirt",
    "clean beam",
)
# Columns of ``State.stock``.
DIRTY, DIRTY_SUM, APPLES, APPLES_SUM = range(4)


class CleanUpRules(NamedTuple):
    """Clean-Up's numbers, as the kernels take them.

    Attributes:
        conduct: moving and zapping.
        clean_cooldown: steps between two cleanings of one seat.
        sprout: float64 ``[m + 1]``: ``1 / log(1 - p)`` of an apple by how many banks are dirty;
            0 where nothing grows.
        dirt_rate: chance of a new piece of dirt in a step.
        dirt_delay: steps played before the first one.
    """

    conduct: Conduct
    clean_cooldown: int
    sprout: Any
    dirt_rate: float
    dirt_delay: int


@kernel
def reset(state: Any, layout: Any, rules: Any, seeds: Any, which: Any, desk: Any) -> None:
    """Begin the matches in ``which``, each from its seed, and write what seats see."""
    n = state.cell.shape[1]
    for e in range(len(which)):
        if not which[e]:
            continue
        begin_match(state, layout, e, n, seeds[e])
        for bank in layout.banks:
            if state.grid[e, bank] == DIRT:
                state.stock[e, DIRTY] += 1
        for site in layout.sites:
            if state.grid[e, site] == APPLE:
                state.stock[e, APPLES] += 1
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
        _grow(state, layout, rules, e, n)
        _spoil(state, layout, rules, e)
        come_back(state, layout, e, n)
        if turn_and_aim(state, layout, rules.conduct, actions, e, desk):
            resolve(state, e, n, desk)
        _move_and_eat(state, e, n, desk.target, rewards)
        _beams(state, layout, rules, actions, e, n, desk)
        state.stock[e, DIRTY_SUM] += state.stock[e, DIRTY]
        state.stock[e, APPLES_SUM] += state.stock[e, APPLES]
        end_step(state, rewards, e, n)
        if len(desk.seen):
            see(state, layout, e, n, desk)
        erase_beams(state, e, desk)


@part
def _grow(state: Any, layout: Any, rules: Any, e: int, n: int) -> None:
    inverse_log = rules.sprout[state.stock[e, DIRTY]]
    if inverse_log == 0.0:
        return
    count = len(layout.sites)
    at = -1.0
    while True:
        at += 1.0 + skip(state.rng, e, inverse_log)
        if at >= count:
            return
        site = layout.sites[np.int64(at)]
        if state.grid[e, site] == ORCHARD and not occupied(state.cell, e, n, site):
            state.grid[e, site] = APPLE
            state.stock[e, APPLES] += 1


@part
def _spoil(state: Any, layout: Any, rules: Any, e: int) -> None:
    clean = len(layout.banks) - state.stock[e, DIRTY]
    if state.clock[e] <= rules.dirt_delay or clean == 0:
        return
    if uniform(state.rng, e) > rules.dirt_rate:
        return
    wanted = below(state.rng, e, clean)
    for bank in layout.banks:
        if state.grid[e, bank] == BANK:
            if wanted == 0:
                state.grid[e, bank] = DIRT
                state.stock[e, DIRTY] += 1
                return
            wanted -= 1


@part
def _move_and_eat(state: Any, e: int, n: int, target: Any, rewards: Any) -> None:
    for i in range(n):
        place = target[i]
        state.cell[e, i] = place
        if place != AWAY and state.grid[e, place] == APPLE:
            state.grid[e, place] = ORCHARD
            state.stock[e, APPLES] -= 1
            state.events[e, i, EVENT_COLLECTED] = 1
            state.tally[e, i, COLLECTED] += 1
            state.flags[e, i] |= FLAG_COLLECTED
            earn(rewards, e, i, 1.0)


@part
def _beams(state: Any, layout: Any, rules: Any, actions: Any, e: int, n: int, desk: Any) -> None:
    for i in range(n):  # cleaning first: whoever is hit in this very step still cleans
        if state.cool[e, i, 1] > 0:
            state.cool[e, i, 1] -= 1
        elif actions[e, i] == CLEAN and state.cell[e, i] != AWAY:
            _clean(state, layout, rules, e, i, desk)
    zap(state, layout, rules.conduct, actions, e, n, desk)


@part
def _clean(state: Any, layout: Any, rules: Any, e: int, i: int, desk: Any) -> None:
    state.cool[e, i, 1] = rules.clean_cooldown
    state.flags[e, i] |= FLAG_SPECIAL
    count, lit = reach(state, layout, e, i, desk), desk.lit
    for k in range(count):
        if lit[k] >= 0 and state.grid[e, lit[k]] == DIRT:
            state.grid[e, lit[k]] = BANK
            state.stock[e, DIRTY] -= 1
            state.events[e, i, EVENT_CLEANED] += 1
            state.tally[e, i, CLEANED] += 1
    draw_beam(state, layout, e, count, CLEAN_BEAM, desk)
