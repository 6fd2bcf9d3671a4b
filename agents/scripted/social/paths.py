"""Shortest ways through what a seat sees, for whole batches of views at a time.

Breadth-first search in the 11 x 11 window, compiled by Numba at the first call (and kept on disk),
so that a bot costs microseconds a turn. Directions are relative to the seat, in left turns: 0 is
ahead, 1 left, 2 back, 3 right.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

NOWHERE = -1


@cache
def _compiled() -> Any:
    import numba

    return numba.njit(cache=True, nogil=True)(_search)


def first_steps(
    walkable: Any, goals: Any, start: tuple[int, int], order: Any
) -> tuple[Any, Any, Any]:
    """The first step of a shortest way to the nearest goal, for every view.

    Args:
        walkable: bool ``[B, H, W]``, cells that can be walked on.
        goals: bool ``[B, H, W]``; a goal need not be walkable, it ends the way.
        start: the seat's own (row, column); it is never a goal.
        order: int ``[B]``, the direction that is tried first where ways are equally short.

    Returns:
        Directions int64 ``[B]`` (NOWHERE if no goal can be reached), lengths int64 ``[B]``, and the
        goals reached int64 ``[B]`` as ``row * W + column``.
    """
    walkable, goals = np.ascontiguousarray(walkable), np.ascontiguousarray(goals)
    found = np.empty((3, len(walkable)), np.int64)
    _compiled()(walkable, goals, start[0], start[1], np.asarray(order, np.int64), found)
    return found[0], found[1], found[2]


def _search(walkable: Any, goals: Any, row: int, column: int, order: Any, found: Any) -> None:
    batch, height, width = walkable.shape
    size = height * width
    first = np.empty(size, np.int64)
    length = np.empty(size, np.int64)
    queue = np.empty(size, np.int64)
    for b in range(batch):
        found[0, b], found[1, b], found[2, b] = -1, 0, -1
        first[:] = -2
        own = row * width + column
        first[own], length[own], queue[0] = -1, 0, own
        head, tail = 0, 1
        while head < tail:
            at = queue[head]
            head += 1
            r, c = at // width, at % width
            if at != own:
                if goals[b, r, c]:
                    found[0, b], found[1, b], found[2, b] = first[at], length[at], at
                    break
                if not walkable[b, r, c]:
                    continue
            for k in range(4):
                turn = (k + order[b]) & 3
                nr = r - 1 if turn == 0 else r + 1 if turn == 2 else r
                nc = c - 1 if turn == 1 else c + 1 if turn == 3 else c
                if nr < 0 or nr >= height or nc < 0 or nc >= width:
                    continue
                to = nr * width + nc
                if first[to] != -2 or not (walkable[b, nr, nc] or goals[b, nr, nc]):
                    continue
                first[to] = turn if at == own else first[at]
                length[to] = length[at] + 1
                queue[tail] = to
                tail += 1
