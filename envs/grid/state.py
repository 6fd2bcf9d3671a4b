"""The state of many matches as arrays, and the map they are played on.

Cells are numbers: ``(row + MARGIN) * stride + column + MARGIN`` in a map with a margin of wall as
wide as the view is deep, so that no kernel ever checks for the edge.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

MARGIN = 9
EMPTY, WALL, BEAM = 0, 1, 2
"""Item codes that every world shares; its own begin at 3."""

SOUTH, EAST, NORTH, WEST = 0, 1, 2, 3
"""Headings; a left turn adds one."""

AWAY = -1
"""The cell of a seat that is not on the map."""

# Columns of ``State.tally``.
RETURN, GAIN_TIMES, GAINS, ZAPPED, ZAPS, CLEANED, COLLECTED, ABSENT = range(8)
TALLIES = 8
# Columns of ``State.events``.
EVENT_ZAPPED, EVENT_CLEANED, EVENT_COLLECTED = range(3)
EVENTS = ("zapped", "cleaned", "collected")
# Bits of a seat's code in a view, below the four flags.
SELF, OTHER, HEADING_SHIFT, FLAG_SHIFT = 1, 2, 2, 4
FLAG_ZAPS, FLAG_COLLECTED, FLAG_SPECIAL, FLAG_AWAY = 16, 32, 64, 128


class State(NamedTuple):
    """E matches of A seats. Every array is C-contiguous; axis 0 is the match.

    Attributes:
        grid: uint8 ``[E, cells]``, item codes (seats are not in it).
        cell: int32 ``[E, A]``, where each seat is, or AWAY.
        heading: int8 ``[E, A]``.
        out: int32 ``[E, A]``, steps until a seat that was zapped comes back; 0 is in play.
        cool: int32 ``[E, A, 2]``, steps until the zapping and the other beam may fire again.
        flags: uint8 ``[E, A]``, what each seat did in the latest step (``FLAG_…``).
        carried: int32 ``[E, A, 3]``, how much of what each seat holds.
        holding: uint8 ``[E, A]``, an item code that sums this up for the seat itself, or 0.
        clock: int64 ``[E]``, steps played.
        stock: int64 ``[E, K]``, the world's own counters.
        extra: int64 ``[E, M]``, the world's own numbers per site.
        rng: uint64 ``[E, 4]``.
        tally: float64 ``[E, A, TALLIES]``, sums over the match.
        events: int32 ``[E, A, 3]``, counts of the latest step.
    """

    grid: Any
    cell: Any
    heading: Any
    out: Any
    cool: Any
    flags: Any
    carried: Any
    holding: Any
    clock: Any
    stock: Any
    extra: Any
    rng: Any
    tally: Any
    events: Any


class Layout(NamedTuple):
    """What never changes in a world: its map, as numbers of cells.

    Attributes:
        row, column: int32 ``[cells]``, where each cell is in the padded map.
        forward: int32 ``[4]``, what to add to a cell for one step in each heading.
        base: uint8 ``[cells]``, item codes at the start.
        open: uint8 ``[256]``, 1 for the item codes that a seat may stand on.
        bare: uint8 ``[256]``, 1 for the item codes that a beam is drawn over.
        spawns: int32 ``[S]``, where seats appear.
        fixed: int32 ``[A]`` or ``[0]``, where each seat starts if that is fixed.
        sites: int32 ``[n]``, where something grows (apples, coins, ore, …).
        index: int32 ``[cells]``, the number of the site at a cell, or -1.
    banks: int32 ``[m]``, where dirt may lie.
        near: int32 ``[k]``, what to add to a cell for each of its neighbours in a growth rule.
        beam: int32 ``[4, b]``, what to add to a cell for each cell of a beam, by heading.
        behind: int32 ``[b]``, which cell of the beam must be free of wall for this one; -1 none.
    """

    row: Any
    column: Any
    forward: Any
    base: Any
    open: Any
    bare: Any
    spawns: Any
    fixed: Any
    sites: Any
    index: Any
    banks: Any
    near: Any
    beam: Any
    behind: Any


class Conduct(NamedTuple):
    """How seats move and zap, the same in every grid world.

    Attributes:
        egocentric: steps are relative to the heading, not to the map.
        zap: 0 nothing happens to the zapped, 1 they begin anew at once, 2 they are away a while.
        zap_steps: how long they are away.
        zap_cooldown: steps between two shots of one seat.
        rests: who still has to wait (``State.cool``, second column) does nothing at all.
    """

    egocentric: bool
    zap: int
    zap_steps: int
    zap_cooldown: int
    rests: bool = False


class Desk(NamedTuple):
    """What a call of a kernel works on beside the state: outputs, and arrays to work in.

    Attributes:
        seen: uint16 ``[E * A * 121]``, views to be written; ``[0]`` if none are wanted.
        grid: ``State.grid``, flat.
        target: int32 ``[A]``, where each seat would be.
        rank: int32 ``[A]``, a random order.
        loses: uint8 ``[A]``.
        lit: int32 ``[b]``, the cells of a beam.
        drawn: int32 ``[3, 2 A b + 1]``: a count, cells drawn over, what was there.
        grown: int32 ``[n]``, sites that change at the same time.
    """

    seen: Any
    grid: Any
    target: Any
    rank: Any
    loses: Any
    lit: Any
    drawn: Any
    grown: Any


def new_desk(layout: Layout, agents: int) -> Desk:
    """A desk for one thread; views and grid are laid on it at each call."""
    width = layout.beam.shape[1]
    return Desk(
        seen=np.zeros(0, np.uint16),
        grid=np.zeros(0, np.uint8),
        target=np.empty(agents, np.int32),
        rank=np.empty(agents, np.int32),
        loses=np.empty(agents, np.uint8),
        lit=np.empty(width, np.int32),
        drawn=np.zeros((3, 2 * agents * width + 1), np.int32),
        grown=np.empty(len(layout.sites), np.int32),
    )


def new_state(layout: Layout, *, envs: int, agents: int, counters: int, extras: int) -> State:
    """All-zero state for ``envs`` matches of ``agents`` seats."""
    seats = (envs, agents)
    return State(
        grid=np.zeros((envs, len(layout.base)), np.uint8),
        cell=np.zeros(seats, np.int32),
        heading=np.zeros(seats, np.int8),
        out=np.zeros(seats, np.int32),
        cool=np.zeros((*seats, 2), np.int32),
        flags=np.zeros(seats, np.uint8),
        carried=np.zeros((*seats, 3), np.int32),
        holding=np.zeros(seats, np.uint8),
        clock=np.zeros(envs, np.int64),
        stock=np.zeros((envs, counters), np.int64),
        extra=np.zeros((envs, extras), np.int64),
        rng=np.zeros((envs, 4), np.uint64),
        tally=np.zeros((*seats, TALLIES), np.float64),
        events=np.zeros((*seats, len(EVENTS)), np.int32),
    )
