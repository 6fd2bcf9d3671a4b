"""Batches of grid matches behind one small interface: what single and vector worlds step.

A single world is the batch of one, so that both are the same match, bit for bit.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from . import sokoban_lists
from .kernels import frozen_lake, sokoban, sokoban_maker


class Board(Protocol):
    """E matches of one world.

    Attributes:
        height, width: of the grid.
        codes: how many codes a cell may have.
    """

    height: int
    width: int
    codes: int

    @property
    def grid(self) -> Any:
        """The cells, uint8 ``[E, H W]``; the batch's own."""
        ...

    @property
    def clock(self) -> Any:
        """Steps so far, int64 ``[E]``; the batch's own."""
        ...

    def begin(self, seeds: Any, which: Any) -> None:
        """Begin the matches ``which``, bool ``[E]``, with ``seeds``, uint64 ``[E]``."""
        ...

    def play(self, actions: Any, idle: Any, rewards: Any) -> tuple[Any, Any]:
        """One step where not idle; writes rewards, float32 ``[E]``. Returns (over, success)."""
        ...


class SokobanBoard:
    """Sokoban; see :class:`Board`.

    Args:
        rows: E.
        size: cells a side.
        boxes: in each room.
        split: ``train``, ``test``, or ``any`` for rooms made for each match.
        level: the one room of the list, or None to draw it.
    """

    codes = sokoban_maker.CODES

    def __init__(self, rows: int, *, size: int, boxes: int, split: str, level: int | None) -> None:
        self.height = self.width = size
        self._boxes, self._split, self._level = boxes, split, -1 if level is None else level
        self._desk = sokoban_maker.new_desk(size, size, boxes) if split == "any" else None
        self.rooms = sokoban.Rooms(
            grid=np.zeros((rows, size * size), np.uint8),
            player=np.zeros(rows, np.int64),
            off=np.zeros(rows, np.int64),
            clock=np.zeros(rows, np.int64),
            rng=np.zeros((rows, 4), np.uint64),
        )

    @property
    def grid(self) -> Any:
        """The cells, uint8 ``[E, H W]``."""
        return self.rooms.grid

    @property
    def clock(self) -> Any:
        """Steps so far, int64 ``[E]``."""
        return self.rooms.clock

    def begin(self, seeds: Any, which: Any) -> None:
        """Begin matches."""
        if self._desk is None:
            pool = sokoban_lists.pool(self._split)
            sokoban.deal(seeds, which, self.rooms, pool, self._level)
        else:
            size = self.width
            sokoban.make(seeds, which, self.rooms, self._desk, size, size, self._boxes)

    def play(self, actions: Any, idle: Any, rewards: Any) -> tuple[Any, Any]:
        """One step; a match is over when all boxes are on targets."""
        solved = np.empty(len(idle), np.bool_)
        sokoban.play(actions, idle, self.rooms, self.width, rewards, solved)
        return solved, solved


class FrozenLakeBoard:
    """FrozenLake; see :class:`Board`.

    Args:
        rows: E.
        size: cells a side.
        frozen: chance that a cell is.
        slippery: whether one slips.
        first, count: the lakes of a list, by number; a count of 0 for lakes of each match's own.
    """

    codes = frozen_lake.CODES

    def __init__(
        self, rows: int, *, size: int, frozen: float, slippery: bool, first: int, count: int
    ) -> None:
        self.height = self.width = size
        self._frozen, self._slippery, self._list = float(frozen), slippery, (first, count)
        cells = size * size
        self.lakes = frozen_lake.Lakes(
            grid=np.zeros((rows, cells), np.uint8),
            player=np.zeros(rows, np.int64),
            clock=np.zeros(rows, np.int64),
            rng=np.zeros((rows, 4), np.uint64),
            queue=np.zeros(cells, np.int64),
            seen=np.zeros(cells, np.uint8),
        )

    @property
    def grid(self) -> Any:
        """The cells, uint8 ``[E, H W]``."""
        return self.lakes.grid

    @property
    def clock(self) -> Any:
        """Steps so far, int64 ``[E]``."""
        return self.lakes.clock

    def begin(self, seeds: Any, which: Any) -> None:
        """Begin matches."""
        first, count = self._list
        frozen_lake.begin(seeds, which, self.lakes, self.width, self._frozen, first, count)

    def play(self, actions: Any, idle: Any, rewards: Any) -> tuple[Any, Any]:
        """One step; a match is over on the goal or in a hole."""
        ends = np.empty(len(idle), np.uint8)
        frozen_lake.play(actions, idle, self.lakes, self.width, self._slippery, rewards, ends)
        return ends > frozen_lake.GOING, ends == frozen_lake.AT_GOAL
