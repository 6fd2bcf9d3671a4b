"""What a seat sees: 11 x 11 cells around it, turned to its heading, as two bytes a cell.

Row 0 is the farthest ahead (9 cells), row 9 the seat's own, row 10 one behind; column 5 is the
seat's own, its right hand to the right. The first byte is the item, the second whoever stands
there: bit 0 oneself, bit 1 another seat, bits 2 and 3 one's own heading (a compass, as steps may go
by the map) or the other's heading less one's own (in left turns), bits 4 to 7 four flags that the
world names. In worlds where seats hold something the item under oneself is what one holds. Off the
map is wall. A seat that is away sees only wall, and itself with the last flag.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .cache import kernel, part
from .state import (
    AWAY,
    FLAG_AWAY,
    HEADING_SHIFT,
    MARGIN,
    OTHER,
    SELF,
    WALL,
)

SIZE, AHEAD, SIDE = 11, 9, 5
CELLS = SIZE * SIZE
AGENT_PLANES = 10
_SOUTHWARD = np.array([1, 0, -1, 0], np.int64)
_EASTWARD = np.array([0, 1, 0, -1], np.int64)


@part
def see(state: Any, layout: Any, e: int, n: int, desk: Any) -> None:
    """Write the views of match ``e`` to ``desk.seen``, item in the low byte, seat in the high one.

    Flat unsigned indices make this several times as fast.
    """
    flat, grid = desk.seen, desk.grid
    cells = np.int64(e) * state.grid.shape[1]
    to = np.uint64(np.int64(e) * n * CELLS)
    for i in range(n):
        place = state.cell[e, i]
        if place == AWAY:  # a look from anywhere, overwritten below
            place = layout.spawns[0]
        heading = state.heading[e, i]
        ahead = np.int64(layout.forward[heading])
        right = np.int64(layout.forward[(heading + 3) & 3])
        corner = cells + place + AHEAD * ahead - SIDE * right
        for r in range(SIZE):
            at = np.uint64(corner - r * ahead)
            for _ in range(SIZE):
                flat[to] = grid[at]
                to += np.uint64(1)
                at += np.uint64(right)
    for i in range(n):
        first = np.uint64((np.int64(e) * n + i) * CELLS)
        if state.cell[e, i] == AWAY:
            for k in range(CELLS):
                flat[first + np.uint64(k)] = WALL
            flat[first + np.uint64(AHEAD * SIZE + SIDE)] |= np.uint16((SELF | FLAG_AWAY) << 8)
        else:
            _see_seats(state, layout, e, i, n, flat, grid, first)


@part
def _see_seats(
    state: Any, layout: Any, e: int, i: int, n: int, flat: Any, grid: Any, first: Any
) -> None:
    place, heading = state.cell[e, i], np.int64(state.heading[e, i])
    row, column = layout.row[place], layout.column[place]
    # What is ahead and to the right, as steps south and east.
    ahead_s, ahead_e = _SOUTHWARD[heading], _EASTWARD[heading]
    right_s, right_e = ahead_e, -ahead_s
    cells = np.int64(e) * state.grid.shape[1]
    own = np.uint64(AHEAD * SIZE + SIDE)
    for j in range(n):
        there = state.cell[e, j]
        if there == AWAY:
            continue
        south, east = layout.row[there] - row, layout.column[there] - column
        r = np.uint64(AHEAD - (south * ahead_s + east * ahead_e))
        c = np.uint64(SIDE + (south * right_s + east * right_e))
        relative = (state.heading[e, j] - heading) & 3
        code = state.flags[e, j] | OTHER | (relative << HEADING_SHIFT)
        # Who is out of sight is written to one's own cell, which is written last: no branches.
        seen = (r < np.uint64(SIZE)) & (c < np.uint64(SIZE))
        at = r * np.uint64(SIZE) + c if seen else own
        flat[first + at] = grid[np.uint64(cells + there)] | (code << 8)
    code = state.flags[e, i] | SELF | (heading << HEADING_SHIFT)
    item = state.holding[e, i] or grid[np.uint64(cells + place)]
    flat[first + own] = item | (code << 8)


@kernel
def look(state: Any, layout: Any, which: Any, desk: Any) -> None:
    """Write the views of the matches in ``which`` as they stand."""
    for e in range(len(which)):
        if which[e]:
            see(state, layout, e, state.cell.shape[1], desk)


def whole_map(state: Any, height: int, width: int) -> Any:
    """Every match's map in the same two bytes a cell, headings absolute: uint8 ``[E, H, W, 2]``."""
    envs, n = state.cell.shape
    rows, columns = height + 2 * MARGIN, width + 2 * MARGIN
    seats = np.zeros_like(state.grid)
    for j in range(n):
        here = np.flatnonzero(state.cell[:, j] != AWAY)
        code = OTHER | (state.heading[here, j].astype(np.uint8) << HEADING_SHIFT)
        seats[here, state.cell[here, j]] = code | state.flags[here, j]
    both = np.stack([state.grid, seats], axis=-1).reshape(envs, rows, columns, 2)
    inner = both[:, MARGIN : MARGIN + height, MARGIN : MARGIN + width]
    return np.ascontiguousarray(inner)


def planes(codes: Any, items: int) -> Any:
    """Codes ``[…, H, W, 2]`` as float32 planes ``[…, items - 1 + 10, H, W]``.

    The planes: each item but the empty one; oneself; another; the heading of who stands there,
    as in the code (four); the four flags.
    """
    codes = np.asarray(codes)
    item, seat = codes[..., 0], codes[..., 1]
    out = np.empty((*codes.shape[:-3], items - 1 + AGENT_PLANES, *codes.shape[-3:-1]), np.float32)
    for k in range(1, items):
        out[..., k - 1, :, :] = item == k
    first = items - 1
    out[..., first, :, :] = seat & SELF
    out[..., first + 1, :, :] = (seat & OTHER) != 0
    someone = (seat & (SELF | OTHER)) != 0
    heading = (seat >> HEADING_SHIFT) & 3
    for k in range(4):
        out[..., first + 2 + k, :, :] = someone & (heading == k)
        out[..., first + 6 + k, :, :] = (seat >> (4 + k)) & 1
    return out
