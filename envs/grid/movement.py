"""Turning, stepping and coming back: the one resolver of conflicts between moving seats.

The rules (those of Melting Pot, as SocialJax has resolved them since August 2026): who stays keeps
the cell; of several that move to one cell a uniformly random one gets it; two that would swap both
stay; following into a cell that is being left is allowed, and so are circles of three and more. Who
cannot move stays, which may stop others in turn, until nothing changes. Seats never share a cell.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .cache import part
from .rng import below, seed_match
from .state import AWAY

TURN_LEFT, TURN_RIGHT, STAY, ZAP, CLEAN = 0, 1, 6, 7, 8
"""Action codes that are not steps; 2 to 5 step."""

MAP_STEPS = ("step east", "step west", "step south", "step north")
OWN_STEPS = ("step left", "step right", "step forward", "step backward")
# By action: how far to turn (in left turns), whether to step, and in which heading (east, west,
# south, north; or, added to one's own heading, left, right, on and back). No world has more.
MOST_ACTIONS = 16
_TURNS = np.array([1, 3] + [0] * 14, np.int8)
_MOVES = np.array([0, 0, 1, 1, 1, 1] + [0] * 10, np.int32)
_STEPS = np.array([0, 0, 1, 3, 0, 2] + [0] * 10, np.int32)


@part
def occupied(cell: Any, e: int, n: int, place: int) -> bool:
    """Whether a seat stands on ``place``."""
    for j in range(n):  # noqa: SIM110 - compiled
        if cell[e, j] == place:
            return True
    return False


@part
def turn_and_aim(state: Any, layout: Any, conduct: Any, actions: Any, e: int, desk: Any) -> bool:
    """Turn the seats that turn and write where each would be; True if some are in each other's way.

    Tables in place of branches: what agents do is hard to predict, for a processor too.
    """
    cell, target, clash = state.cell, desk.target, False
    for i in range(actions.shape[1]):
        place = cell[e, i]
        target[i] = place
        if place == AWAY or (conduct.rests and state.cool[e, i, 1] > 0):
            continue
        action = actions[e, i]
        heading = state.heading[e, i]
        state.heading[e, i] = (heading + _TURNS[action]) & 3
        ahead = (_STEPS[action] + conduct.egocentric * heading) & 3
        step = layout.forward[ahead] * _MOVES[action]
        target[i] = place + step * layout.open[state.grid[e, place + step]]
    for i in range(actions.shape[1]):
        for j in range(i):
            same = target[i] == target[j]
            swap = (target[i] == cell[e, j]) & (target[j] == cell[e, i])
            clash |= same | swap
    return clash


@part
def resolve(state: Any, e: int, n: int, desk: Any) -> None:
    """Turn the wishes in ``desk.target`` into where each seat ends, pairwise distinct.

    A random order is drawn at the first contest between two that move, and only then.
    """
    cell, target, rank, loses = state.cell, desk.target, desk.rank, desk.loses
    ranked = False
    changed = True
    while changed:
        changed = False
        for i in range(n):
            loses[i] = 0
            goal = target[i]
            if goal == cell[e, i]:
                continue
            for j in range(n):
                if j == i:
                    continue
                if target[j] == goal:
                    if cell[e, j] != goal:
                        if not ranked:
                            ranked = True
                            shuffle(state.rng, e, n, rank)
                        if rank[j] < rank[i]:
                            continue
                    loses[i] = 1
                    changed = True
                elif cell[e, j] == goal and target[j] == cell[e, i]:
                    loses[i] = 1
                    changed = True
        if changed:
            for i in range(n):
                if loses[i]:
                    target[i] = cell[e, i]


@part
def shuffle(rng: Any, e: int, n: int, order: Any) -> None:
    """A uniformly random permutation of 0 … n - 1."""
    for i in range(n):
        order[i] = i
    for i in range(n - 1, 0, -1):
        j = below(rng, e, i + 1)
        order[i], order[j] = order[j], order[i]


@part
def appear(state: Any, layout: Any, e: int, i: int, n: int) -> None:
    """Put seat ``i`` on a random spawn cell where nobody stands, heading south, east or north."""
    while True:
        place = layout.spawns[below(state.rng, e, len(layout.spawns))]
        if not occupied(state.cell, e, n, place):
            break
    state.cell[e, i] = place
    state.heading[e, i] = below(state.rng, e, 3)


@part
def come_back(state: Any, layout: Any, e: int, n: int) -> None:
    """Count down the seats that were zapped; whose time is over appears anew."""
    for i in range(n):
        if state.out[e, i] == 1:
            state.cell[e, i] = AWAY
    for i in range(n):
        if state.out[e, i] > 0:
            state.out[e, i] -= 1
            if state.out[e, i] == 0:
                appear(state, layout, e, i, n)


@part
def begin_match(state: Any, layout: Any, e: int, n: int, seed: Any) -> None:
    """Set the generator and the map, forget the last match and put seats where they start."""
    seed_match(state.rng, e, seed)
    for place in range(len(layout.base)):
        state.grid[e, place] = layout.base[place]
    for k in range(state.stock.shape[1]):
        state.stock[e, k] = 0
    for k in range(state.extra.shape[1]):
        state.extra[e, k] = 0
    state.clock[e] = 0
    for i in range(n):
        state.cell[e, i] = AWAY
        state.out[e, i] = 0
        state.cool[e, i, 0] = 0
        state.cool[e, i, 1] = 0
        state.flags[e, i] = 0
        state.holding[e, i] = 0
        for k in range(state.carried.shape[2]):
            state.carried[e, i, k] = 0
        for k in range(state.tally.shape[2]):
            state.tally[e, i, k] = 0.0
        for k in range(state.events.shape[2]):
            state.events[e, i, k] = 0
    for i in range(n):
        if len(layout.fixed):
            state.cell[e, i] = layout.fixed[i]
            state.heading[e, i] = below(state.rng, e, 3)
        else:
            appear(state, layout, e, i, n)
