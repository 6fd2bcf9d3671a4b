"""Walking on ice with holes, for many lakes at a time: the rules of ``frozen_lake-v0``.

Maps are those of Wang et al., VAGEN (2025): each cell is frozen with some probability, start and
goal are random and distinct, and a way must lead from one to the other. Slipping is Gymnasium's:
one goes where one wants or to either side, each one time in three.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...grid.cache import kernel, part
from ...grid.rng import below, seed_match, uniform

FROZEN, HOLE, GOAL, PLAYER, FALLEN, ARRIVED = range(6)
CODES = 6
ON_GOAL, BONUS = 1.0, 9.0
GOING, IN_HOLE, AT_GOAL = range(3)


class Lakes(NamedTuple):
    """E matches.

    Attributes:
        grid: uint8 ``[E, S S]``, codes.
        player: int64 ``[E]``, cells.
        clock: int64 ``[E]``, steps.
        rng: uint64 ``[E, 4]``.
        queue: int64 ``[S S]``, for looking for a way.
        seen: uint8 ``[S S]``, likewise.
    """

    grid: Any
    player: Any
    clock: Any
    rng: Any
    queue: Any
    seen: Any


@part
def _next(cell: int, action: int, size: int) -> int:
    """Where a move leads; the edge holds one back."""
    row, column = cell // size, cell % size
    if action == 0:
        row = max(row - 1, 0)
    elif action == 1:
        row = min(row + 1, size - 1)
    elif action == 2:
        column = max(column - 1, 0)
    else:
        column = min(column + 1, size - 1)
    return row * size + column


@part
def _joined(lakes: Lakes, e: int, size: int, start: int) -> bool:
    """Whether a way leads from ``start`` to the goal."""
    lakes.seen[:] = 0
    lakes.seen[start], lakes.queue[0] = 1, start
    first, last = 0, 1
    while first < last:
        cell = lakes.queue[first]
        first += 1
        if lakes.grid[e, cell] == GOAL:
            return True
        for action in range(4):
            there = _next(cell, action, size)
            if not lakes.seen[there] and lakes.grid[e, there] != HOLE:
                lakes.seen[there] = 1
                lakes.queue[last] = there
                last += 1
    return False


@kernel
def _freeze(lakes: Lakes, e: int, size: int, frozen: float) -> None:
    """Write a lake into row ``e``; all draws come from its generator."""
    cells = size * size
    while True:
        for cell in range(cells):
            lakes.grid[e, cell] = FROZEN if uniform(lakes.rng, e) <= frozen else HOLE
        start = below(lakes.rng, e, cells)
        goal = below(lakes.rng, e, cells - 1)
        goal += goal >= start
        lakes.grid[e, start], lakes.grid[e, goal] = FROZEN, GOAL
        if _joined(lakes, e, size, start):
            lakes.grid[e, start] = PLAYER
            lakes.player[e] = start
            return


@kernel
def begin(
    seeds: Any, which: Any, lakes: Lakes, size: int, frozen: float, first: int, count: int
) -> None:
    """Begin matches.

    Args:
        seeds: uint64 ``[E]``.
        which: bool ``[E]``, the matches to begin.
        lakes: changed.
        size: cells a side.
        frozen: chance of a cell.
        first: number of the first lake of a list.
        count: lakes of that list; 0 for a lake of the match's own.
    """
    for e in range(which.shape[0]):
        if which[e]:
            seed_match(lakes.rng, e, seeds[e])
            lakes.clock[e] = 0
            if count == 0:
                _freeze(lakes, e, size, frozen)
                continue
            number = first + below(lakes.rng, e, count)
            seed_match(lakes.rng, e, np.uint64(number))
            _freeze(lakes, e, size, frozen)
            seed_match(lakes.rng, e, seeds[e])  # slips are the match's own


@kernel
def play(
    actions: Any, idle: Any, lakes: Lakes, size: int, slips: bool, rewards: Any, ends: Any
) -> None:
    """One step in every match that is not idle.

    Args:
        actions: int64 ``[E]``, 0 up, 1 down, 2 left, 3 right.
        idle: bool ``[E]``.
        lakes: changed.
        size: cells a side.
        slips: whether the ice is slippery.
        rewards: float32 ``[E]``, written.
        ends: uint8 ``[E]``, written: GOING, IN_HOLE or AT_GOAL.
    """
    for e in range(actions.shape[0]):
        rewards[e], ends[e] = 0.0, GOING
        if idle[e]:
            continue
        action = actions[e]
        if slips:
            luck = below(lakes.rng, e, 3)
            if luck > 0:  # up and down slip to the left or right, left and right up or down
                action = (2 if action < 2 else 0) + luck - 1
        here = lakes.player[e]
        there = _next(here, action, size)
        lakes.clock[e] += 1
        if there == here:
            continue
        what = lakes.grid[e, there]
        lakes.grid[e, here] = FROZEN
        lakes.player[e] = there
        if what == HOLE:
            lakes.grid[e, there], ends[e] = FALLEN, IN_HOLE
        elif what == GOAL:
            lakes.grid[e, there], ends[e] = ARRIVED, AT_GOAL
            rewards[e] = ON_GOAL + BONUS
        else:
            lakes.grid[e, there] = PLAYER
