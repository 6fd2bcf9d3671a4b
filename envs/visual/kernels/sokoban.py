"""Pushing boxes, for many rooms at a time: the rules of ``sokoban-v0``.

Rooms are rows of cell codes with walls all round. Rewards are gym-sokoban's (Schrader, 2018), which
Wang et al., VAGEN (2025), use: a step costs, a box onto a target pays, off it costs, all on pays.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...grid.cache import kernel, part
from ...grid.rng import below, seed_match
from .sokoban_maker import BOX, BOX_ON, FLOOR, PLAYER, PLAYER_ON, TARGET, Desk, make_room

STEP, ONTO, OFF, ALL = -0.1, 1.0, -1.0, 10.0
"""Rewards: of every step, of a box onto a target, off one, of all boxes on targets."""


class Rooms(NamedTuple):
    """E matches.

    Attributes:
        grid: uint8 ``[E, H W]``, codes.
        player: int64 ``[E]``, cells.
        off: int64 ``[E]``, boxes that are on no target.
        clock: int64 ``[E]``, steps.
        rng: uint64 ``[E, 4]``.
    """

    grid: Any
    player: Any
    off: Any
    clock: Any
    rng: Any


@part
def _count(rooms: Any, e: int) -> None:
    """Set what follows from the codes of a room that begins."""
    rooms.off[e], rooms.clock[e] = 0, 0
    for cell in range(rooms.grid.shape[1]):
        what = rooms.grid[e, cell]
        if what == BOX:
            rooms.off[e] += 1
        if what in (PLAYER, PLAYER_ON):
            rooms.player[e] = cell


@kernel
def deal(seeds: Any, which: Any, rooms: Rooms, pool: Any, level: int) -> None:
    """Begin matches with rooms of a list.

    Args:
        seeds: uint64 ``[E]``.
        which: bool ``[E]``, the matches to begin.
        rooms: changed.
        pool: uint8 ``[L, H W]``.
        level: the one to begin with, or -1 to draw it.
    """
    for e in range(which.shape[0]):
        if which[e]:
            seed_match(rooms.rng, e, seeds[e])
            index = level if level >= 0 else below(rooms.rng, e, pool.shape[0])
            for cell in range(pool.shape[1]):  # a slice would be copied first
                rooms.grid[e, cell] = pool[index, cell]
            _count(rooms, e)


@kernel
def make(
    seeds: Any, which: Any, rooms: Rooms, desk: Desk, height: int, width: int, boxes: int
) -> None:
    """Begin matches with rooms made for the purpose; see :func:`deal` and :mod:`.sokoban_maker`."""
    for e in range(which.shape[0]):
        if which[e]:
            seed_match(rooms.rng, e, seeds[e])
            make_room(rooms.rng, e, rooms.grid, desk, height, width, boxes)
            _count(rooms, e)


@kernel
def play(actions: Any, idle: Any, rooms: Rooms, width: int, rewards: Any, solved: Any) -> None:
    """One step in every match that is not idle.

    Args:
        actions: int64 ``[E]``, 0 up, 1 down, 2 left, 3 right.
        idle: bool ``[E]``.
        rooms: changed.
        width: of a room.
        rewards: float32 ``[E]``, written.
        solved: bool ``[E]``, written: all boxes are on targets.
    """
    grid = rooms.grid
    for e in range(actions.shape[0]):
        rewards[e], solved[e] = 0.0, False
        if idle[e]:
            continue
        action = actions[e]
        along = width if action < 2 else 1
        if action == 0 or action == 2:
            along = -along
        here = rooms.player[e]
        there = here + along
        what = grid[e, there]
        reward = STEP
        if what in (BOX, BOX_ON):
            beyond = grid[e, there + along]
            if beyond in (FLOOR, TARGET):
                if beyond == TARGET:
                    reward += ONTO
                    rooms.off[e] -= 1
                grid[e, there + along] = BOX_ON if beyond == TARGET else BOX
                if what == BOX_ON:
                    reward += OFF
                    rooms.off[e] += 1
                what = TARGET if what == BOX_ON else FLOOR
        if what in (FLOOR, TARGET):
            grid[e, here] = TARGET if grid[e, here] == PLAYER_ON else FLOOR
            grid[e, there] = PLAYER_ON if what == TARGET else PLAYER
            rooms.player[e] = there
        rooms.clock[e] += 1
        if rooms.off[e] == 0:
            reward += ALL
            solved[e] = True
        rewards[e] = reward
