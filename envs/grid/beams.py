"""Beams: their shapes, whom they hit, and how they are drawn for one step.

Three shapes. ``short`` (SocialJax): one and two cells ahead and the two diagonals ahead. ``wide``
(Melting Pot): three lanes abreast, ``length`` cells ahead;
``line``: one of them. Walls stop a lane; seats do not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .cache import part
from .movement import ZAP
from .state import AWAY, BEAM, EVENT_ZAPPED, FLAG_ZAPS, WALL, ZAPPED, ZAPS

Cells = tuple[list[tuple[int, int]], list[int]]


def beam_cells(shape: str, length: int) -> Cells:
    """(steps ahead, steps to the right) of each cell, and the cell that must be free before it."""
    if shape == "short":
        return [(1, 0), (2, 0), (1, 1), (1, -1)], [-1, 0, -1, -1]
    cells: list[tuple[int, int]] = []
    behind: list[int] = []
    for lane in (0,) if shape == "line" else (0, 1, -1):
        for ahead in range(1, length + 1):
            behind.append(len(cells) - 1 if ahead > 1 else -1)
            cells.append((ahead, lane))
    return cells, behind


def beam_offsets(cells: list[tuple[int, int]], forward: Any) -> Any:
    """int32 ``[4, b]``: what to add to a cell for each cell of the beam, by heading."""
    return np.array(
        [
            [
                ahead * forward[heading] + right * forward[(heading + 3) % 4]
                for ahead, right in cells
            ]
            for heading in range(4)
        ],
        np.int32,
    )


@part
def reach(state: Any, layout: Any, e: int, i: int, desk: Any) -> Any:
    """Write the cells of seat ``i``'s beam to ``desk.lit``; -1 where a wall is in the way."""
    lit = desk.lit
    place, heading = state.cell[e, i], state.heading[e, i]
    count = layout.beam.shape[1]
    for k in range(count):
        before = layout.behind[k]
        there = place + layout.beam[heading, k]
        if (before >= 0 and lit[before] < 0) or state.grid[e, there] == WALL:
            there = -1
        lit[k] = there
    return count


@part
def draw_beam(state: Any, layout: Any, e: int, count: int, code: int, desk: Any) -> None:
    """Draw the beam in ``desk.lit`` over bare ground; ``desk.drawn`` remembers what was there."""
    lit, drawn = desk.lit, desk.drawn
    for k in range(count):
        there = lit[k]
        if there >= 0 and layout.bare[state.grid[e, there]]:
            at = drawn[0, 0]
            drawn[1, at] = there
            drawn[2, at] = state.grid[e, there]
            drawn[0, 0] = at + 1
            state.grid[e, there] = code


@part
def erase_beams(state: Any, e: int, desk: Any) -> None:
    """Put back what the beams were drawn over."""
    drawn = desk.drawn
    for k in range(drawn[0, 0]):
        state.grid[e, drawn[1, k]] = drawn[2, k]
    drawn[0, 0] = 0


@part
def zap(state: Any, layout: Any, conduct: Any, actions: Any, e: int, n: int, desk: Any) -> None:
    """Fire the zapping beams, all at once, and deal with who is hit."""
    any_hit = False
    for i in range(n):
        if state.cool[e, i, 0] > 0:
            state.cool[e, i, 0] -= 1
        elif actions[e, i] == ZAP and acts(state, conduct, e, i):
            state.cool[e, i, 0] = conduct.zap_cooldown
            state.flags[e, i] |= FLAG_ZAPS
            state.tally[e, i, ZAPS] += 1
            count = reach(state, layout, e, i, desk)
            any_hit |= _hit(state, e, i, n, desk.lit, count)
            draw_beam(state, layout, e, count, BEAM, desk)
    if any_hit:
        _send_away(state, conduct, e, n)


@part
def acts(state: Any, conduct: Any, e: int, i: int) -> bool:
    """Whether seat ``i`` is there and need not rest."""
    return state.cell[e, i] != AWAY and not (conduct.rests and state.cool[e, i, 1] > 0)


@part
def first_hit(state: Any, e: int, i: int, n: int, lit: Any, count: int) -> int:
    """The seat that seat ``i``'s beam meets first, in the order of its cells; -1 if none."""
    for k in range(count):
        if lit[k] >= 0:
            for j in range(n):
                if j != i and state.cell[e, j] == lit[k]:
                    return j
    return -1


@part
def _hit(state: Any, e: int, i: int, n: int, lit: Any, count: int) -> bool:
    found = False
    for j in range(n):
        place = state.cell[e, j]
        if place == AWAY or j == i:
            continue
        for k in range(count):
            if lit[k] == place:
                state.events[e, j, EVENT_ZAPPED] += 1
                found = True
    return found


@part
def _send_away(state: Any, conduct: Any, e: int, n: int) -> None:
    for j in range(n):
        if state.events[e, j, EVENT_ZAPPED]:
            state.tally[e, j, ZAPPED] += 1
            if conduct.zap == 1:
                state.out[e, j] = 1
            elif conduct.zap == 2:
                state.out[e, j] = conduct.zap_steps
                state.cell[e, j] = AWAY
