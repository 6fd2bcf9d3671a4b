"""The kernels of Mushrooms: four kinds of food, whom they feed, and what they let grow."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..grid.beams import erase_beams, zap
from ..grid.cache import kernel, part
from ..grid.movement import begin_match, come_back, occupied, resolve, turn_and_aim
from ..grid.rng import below, uniform
from ..grid.state import (
    AWAY,
    COLLECTED,
    EMPTY,
    EVENT_CLEANED,
    EVENT_COLLECTED,
    FLAG_COLLECTED,
    FLAG_SPECIAL,
    Conduct,
)
from ..grid.tallies import clear_step, earn, end_step
from ..grid.views import see

RED, GREEN, BLUE, ORANGE = range(3, 7)
KINDS = 4
ITEMS = (
    "empty",
    "wall",
    "zap beam",
    "red mushroom",
    "green mushroom",
    "blue mushroom",
    "orange mushroom",
)
EVENT_SHARED = EVENT_CLEANED
"""This seat ate what feeds others: green or blue."""


class MushroomsRules(NamedTuple):
    """Mushrooms' numbers, as the kernels take them. Arrays are by kind: red, green, blue, orange.

    Attributes:
        conduct: moving and zapping.
        rewards: float64 ``[4]``, shared out by the kind's own rule.
        digestion: int64 ``[4]``, steps in which the eater can do nothing.
        lasting: int64 ``[4]``, steps after which an uneaten one is gone.
        spores: int64 ``[4]``, how many chances to grow an eaten one gives.
        growth: float64 ``[4, 4]``, chance that kind b grows when a was eaten.
        blight: chance for each red one to die when an orange one is eaten.
    """

    conduct: Conduct
    rewards: Any
    digestion: Any
    lasting: Any
    spores: Any
    growth: Any
    blight: float


@kernel
def reset(state: Any, layout: Any, rules: Any, seeds: Any, which: Any, desk: Any) -> None:
    """Begin the matches in ``which``, each from its seed, and write what seats see."""
    n = state.cell.shape[1]
    for e in range(len(which)):
        if not which[e]:
            continue
        begin_match(state, layout, e, n, seeds[e])
        for k in range(len(layout.sites)):
            kind = np.int64(state.grid[e, layout.sites[k]]) - RED
            if kind >= 0:
                state.extra[e, k] = rules.lasting[kind]
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
        _perish(state, layout, e)
        come_back(state, layout, e, n)
        if turn_and_aim(state, layout, rules.conduct, actions, e, desk):
            resolve(state, e, n, desk)
        for i in range(n):
            state.cell[e, i] = desk.target[i]
        _eat(state, layout, rules, e, n, rewards, desk)
        zap(state, layout, rules.conduct, actions, e, n, desk)
        for i in range(n):
            if state.cool[e, i, 1] > 0:
                if state.events[e, i, EVENT_COLLECTED] == 0:
                    state.cool[e, i, 1] -= 1
                if state.cool[e, i, 1] > 0:
                    state.flags[e, i] |= FLAG_SPECIAL
        end_step(state, rewards, e, n)
        if len(desk.seen):
            see(state, layout, e, n, desk)
        erase_beams(state, e, desk)


@part
def _perish(state: Any, layout: Any, e: int) -> None:
    for k in range(len(layout.sites)):
        if state.extra[e, k] > 0:
            state.extra[e, k] -= 1
            if state.extra[e, k] == 0:
                state.grid[e, layout.sites[k]] = EMPTY


@part
def _eat(state: Any, layout: Any, rules: Any, e: int, n: int, rewards: Any, desk: Any) -> None:
    """Everybody who stands on a mushroom eats it; afterwards spores fall, eater by eater."""
    eaten = desk.rank
    for i in range(n):
        eaten[i] = -1
        place = state.cell[e, i]
        if place == AWAY or state.grid[e, place] < RED:
            continue
        kind = np.int64(state.grid[e, place]) - RED
        eaten[i] = kind
        state.grid[e, place] = EMPTY
        state.extra[e, layout.index[place]] = 0
        state.stock[e, kind] += 1
        state.cool[e, i, 1] = rules.digestion[kind]
        state.events[e, i, EVENT_COLLECTED] = 1
        state.tally[e, i, COLLECTED] += 1
        state.flags[e, i] |= FLAG_COLLECTED
        _feed(state, rules, e, i, n, kind, rewards)
    for i in range(n):
        if eaten[i] >= 0:
            _spread(state, layout, rules, e, n, np.int64(eaten[i]))


@part
def _feed(state: Any, rules: Any, e: int, i: int, n: int, kind: int, rewards: Any) -> None:
    amount = rules.rewards[kind]
    if kind == 0:
        earn(rewards, e, i, amount)
        return
    if kind in (1, 2):
        state.events[e, i, EVENT_SHARED] = 1
    sharers = n - 1 if kind == 2 else n
    for j in range(n):
        if kind != 2 or j != i:
            earn(rewards, e, j, amount / sharers)


@part
def _spread(state: Any, layout: Any, rules: Any, e: int, n: int, kind: int) -> None:
    count = len(layout.sites)
    if kind == ORANGE - RED and rules.blight > 0.0:
        for k in range(count):
            site = layout.sites[k]
            if state.grid[e, site] == RED and uniform(state.rng, e) <= rules.blight:
                state.grid[e, site] = EMPTY
                state.extra[e, k] = 0
    for _ in range(rules.spores[kind]):
        for grown in range(KINDS):
            chance = rules.growth[kind, grown]
            if chance == 0.0 or uniform(state.rng, e) > chance:
                continue
            free = 0
            for k in range(count):
                site = layout.sites[k]
                if state.grid[e, site] == EMPTY and not occupied(state.cell, e, n, site):
                    free += 1
            if free == 0:
                continue
            wanted = below(state.rng, e, free)
            for k in range(count):
                site = layout.sites[k]
                if state.grid[e, site] == EMPTY and not occupied(state.cell, e, n, site):
                    if wanted == 0:
                        state.grid[e, site] = RED + grown
                        state.extra[e, k] = rules.lasting[grown]
                        break
                    wanted -= 1
