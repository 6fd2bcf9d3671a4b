"""Maps as text files: one symbol a cell, a legend per world, and errors that name the place.

A ``map`` parameter is the name of a map that comes with the world, the path of a text file, or the
text itself (recognised by its line breaks). Every seat needs a cell to appear on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from gymposium.errors import UnknownName, UsageError

from ..start_folder import located
from .state import MARGIN, WALL

MOST_CELLS = 100_000
Place = tuple[int, int]


@dataclass(frozen=True)
class GridMap:
    """A map as read.

    Attributes:
        name: for messages.
        rows: the text, one string a row, all equally long.
    """

    name: str
    rows: tuple[str, ...]

    @property
    def height(self) -> int:
        """Rows."""
        return len(self.rows)

    @property
    def width(self) -> int:
        """Columns."""
        return len(self.rows[0])

    @property
    def stride(self) -> int:
        """Cells in a row of the padded map."""
        return self.width + 2 * MARGIN

    @property
    def forward(self) -> Any:
        """int32 ``[4]``: what to add to a cell for one step south, east, north and west."""
        return np.array([self.stride, 1, -self.stride, -1], np.int32)

    @property
    def padded(self) -> Place:
        """Rows and columns with the margins."""
        return (self.height + 2 * MARGIN, self.stride)

    def cell(self, place: Place) -> int:
        """The number of a (row, column)."""
        return (place[0] + MARGIN) * self.stride + place[1] + MARGIN

    def places(self, symbols: str) -> list[Place]:
        """All cells with one of ``symbols``, row by row."""
        return [
            (r, c)
            for r, row in enumerate(self.rows)
            for c, symbol in enumerate(row)
            if symbol in symbols
        ]

    def cells(self, symbols: str) -> Any:
        """:meth:`places` as numbers of cells, int32."""
        return np.array([self.cell(place) for place in self.places(symbols)], np.int32)

    def codes(self, meaning: Mapping[str, int]) -> Any:
        """uint8 item codes of the padded map, the margin being wall."""
        padded = np.full(self.padded, WALL, np.uint8)
        inner = [[meaning[symbol] for symbol in row] for row in self.rows]
        padded[MARGIN:-MARGIN, MARGIN:-MARGIN] = inner
        return padded.ravel()


def read_map(
    source: str, *, package: str, names: Sequence[str], legend: Mapping[str, str]
) -> GridMap:
    """Find, read and check a map.

    Args:
        source: a name, a path, or the text itself.
        package: the package whose ``maps`` folder holds the named ones.
        names: those of this world.
        legend: the symbols a map may have, each with its meaning.

    Raises:
        UnknownName: no such map.
        UsageError: the text is no map; the message names the row, the column and the symbol.
    """
    name, text = _text(source, package, names)
    rows = text.rstrip("\n").split("\n")
    if not any(rows):
        raise UsageError(f"map {name}: it is empty")
    if len(rows) * len(rows[0]) > MOST_CELLS:
        raise UsageError(f"map {name}: it has more than {MOST_CELLS} cells")
    for r, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise UsageError(
                f"map {name}: row {r} has {len(row)} symbols, but row 1 has {len(rows[0])}: "
                "all rows of a map must be equally long (fill up with '.')"
            )
        for c, symbol in enumerate(row, 1):
            if symbol not in legend:
                known = ", ".join(f"{key!r} {what}" for key, what in legend.items())
                raise UsageError(
                    f"map {name}: unknown symbol {symbol!r} in row {r}, column {c}; known: {known}"
                )
    return GridMap(name, tuple(rows))


def _text(source: str, package: str, names: Sequence[str]) -> tuple[str, str]:
    if "\n" in source:
        return "(given as text)", source.strip("\n")
    if source in names:
        file = resources.files(package) / "maps" / f"{source}.txt"
        return source, file.read_text(encoding="utf-8")
    path = Path(source)
    if path.suffix != ".txt" and not located(path).exists():
        raise UnknownName("map", source, names)
    try:
        return str(path), located(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"map {source}: the file cannot be read: {error}") from error


def spawn_cells(grid: GridMap, symbols: str, agents: int) -> Any:
    """The cells where seats may appear, int32; enough for ``agents`` of them.

    Raises:
        UsageError: there are fewer than seats.
    """
    found = grid.cells(symbols)
    if len(found) < agents:
        raise UsageError(
            f"map {grid.name}: {agents} agents need as many spawn points "
            f"({' or '.join(map(repr, symbols))}), but there are {len(found)}"
        )
    return found


def start_cells(
    grid: GridMap, wanted: Sequence[Any], *, agents: int, spawns: str, goals: str, walls: str
) -> Any:
    """Where each seat starts, int32 ``[agents]``; ``[0]`` if that is left to chance.

    Args:
        grid: the map.
        wanted: per seat ``near`` or ``far`` (the spawn points nearest to or farthest from any of
            ``goals``, on foot; seats that want the same get the next best) or ``[row, column]``.
        agents: how many seats.
        spawns: symbols of spawn points.
        goals: symbols that distance is measured from.
        walls: symbols that stop a walk.

    Raises:
        UsageError: a wrong number of them, an unknown word, a cell off the map or taken.
    """
    if not wanted:
        return np.zeros(0, np.int32)
    if len(wanted) != agents:
        raise UsageError(f"spawn_positions names {len(wanted)} places for {agents} agents")
    distance = _distances(grid, goals, walls)
    ranked = sorted(grid.places(spawns), key=lambda place: (distance.get(place, 10**9), place))
    taken: list[Place] = []
    for want in wanted:
        if isinstance(want, str):
            if want not in ("near", "far"):
                raise UnknownName("spawn position", want, ("near", "far"))
            free = [place for place in ranked if place not in taken]
            taken.append(free[0] if want == "near" else free[-1])
            continue
        place = (int(want[0]), int(want[1]))
        inside = 0 <= place[0] < grid.height and 0 <= place[1] < grid.width
        if not inside or grid.rows[place[0]][place[1]] in walls or place in taken:
            raise UsageError(
                f"map {grid.name}: spawn position {list(place)} is off the map, a wall or taken"
            )
        taken.append(place)
    return np.array([grid.cell(place) for place in taken], np.int32)


def _distances(grid: GridMap, goals: str, walls: str) -> dict[Place, int]:
    """Steps from each cell to the nearest goal, by breadth-first search."""
    reached = dict.fromkeys(grid.places(goals), 0)
    queue = deque(reached)
    while queue:
        r, c = queue.popleft()
        for place in ((r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)):
            inside = 0 <= place[0] < grid.height and 0 <= place[1] < grid.width
            if inside and place not in reached and grid.rows[place[0]][place[1]] not in walls:
                reached[place] = reached[(r, c)] + 1
                queue.append(place)
    return reached
