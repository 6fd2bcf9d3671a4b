"""What becomes of rooms from elsewhere: boxes named by others, made things of our catalogue.

Nothing is dropped in silence: what has no category here, or cannot stand in a room of ours, is
listed, and so is every name that was only guessed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gymposium.errors import UsageError

from ..catalogue import Mount, category
from ..fields import shown
from ..implied import with_implied_relations
from ..layout import MOST_OBJECTS, ROOM_SIZES
from ..relations import half_sizes
from ..scene import Item, Opening, Room, Scene, Triple
from .foreign import named

HEIGHT = 2.8
"""Metres to the ceiling where nothing says it."""
MARGIN = 0.3
"""Metres from the things to the walls where no floor is known."""
_NEAR_FLOOR = 0.05
"""Metres within which what stands on floors is put on it."""
_HEIGHTS = (1.8, 20.0)
MOST_LEFT_OUT = 2000
"""Things that are left out for want of a category; what has more is no room."""


@dataclass(frozen=True)
class Imported:
    """A room that was read, with what could not be taken over and what was assumed."""

    scene: Scene
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Box(NamedTuple):
    """A thing of another program, z up, where its field is, and the names it goes by."""

    where: str
    names: tuple[str, ...]
    location: Triple
    facing: float
    size: Triple | None


class Floor(NamedTuple):
    """A rectangle of floor from (x0, y0) to (x1, y1) at height z, and the height of the room."""

    low: tuple[float, float]
    high: tuple[float, float]
    z: float = 0.0
    height: float | None = None


class Account:
    """Things being taken over, with the list of those that are not."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.left_out: list[str] = []
        self.notes: list[str] = []

    def take(self, box: Box) -> None:
        """Add a box as a thing of the catalogue, or say why not.

        Raises:
            UsageError: there are too many.
        """
        found = next(((n, at) for n in box.names if (at := named(n)) is not None), None)
        if found is None:
            if len(self.left_out) == MOST_LEFT_OUT:
                raise UsageError(
                    f"{box.where}: nothing in the catalogue is like this and {MOST_LEFT_OUT:,} "
                    "other things; that is no room"
                )
            what = " / ".join(map(shown, box.names)) or "nameless"
            self.left_out.append(f"{box.where}: nothing in the catalogue is like {what}")
            return
        said, match = found
        if match.guessed:
            self.notes.append(f"{box.where}: {shown(said)} was taken for {match.category!r}")
        if len(self.items) == MOST_OBJECTS:
            raise UsageError(f"{box.where}: a room holds at most {MOST_OBJECTS} things")
        size = box.size
        if size is None:
            size = category(match.category).middle
            self.notes.append(f"{box.where}: has no size; the usual one of its category was taken")
        name = f"{len(self.items) + 1}_{match.category}"
        self.items.append(Item(name, match.category, box.location, box.facing, size))

    def floor(self) -> Floor:
        """The rectangle about the things taken."""
        self.notes.append("the file has no floor; the room is the rectangle about its things")
        if not self.items:
            return Floor((0.0, 0.0), (4.0, 4.0))
        half = np.array([half_sizes(item) for item in self.items])
        at = np.array([item.location[:2] for item in self.items])
        low, high = (at - half).min(axis=0) - MARGIN, (at + half).max(axis=0) + MARGIN
        return Floor((float(low[0]), float(low[1])), (float(high[0]), float(high[1])))

    def room(self, kind: str, floor: Floor, where: str) -> Room:
        """The room over a floor.

        Raises:
            UsageError: it is too small or too large.
        """
        sides = (floor.high[0] - floor.low[0], floor.high[1] - floor.low[1])
        if not all(ROOM_SIZES[0] <= side <= ROOM_SIZES[1] for side in sides):
            raise UsageError(
                f"{where} is {sides[0]:.4g} x {sides[1]:.4g} m; sides of rooms lie in "
                f"{ROOM_SIZES[0]:g} to {ROOM_SIZES[1]:g} m"
            )
        tops = [item.location[2] - floor.z + item.size[2] for item in self.items]
        height = max([HEIGHT, *tops]) if floor.height is None else floor.height
        return Room(kind, sides, min(max(height, _HEIGHTS[0]), _HEIGHTS[1]))

    def done(self, room: Room, floor: Floor, openings: Sequence[Opening] = ()) -> Imported:
        """The room with all that was taken, its corner at the origin, relations added."""
        items = tuple(_shifted(item, floor) for item in self.items)
        scene = with_implied_relations(Scene(room, tuple(openings), items))
        self.notes += [
            f"{item.id} rests on nothing and has no relation"
            for item in scene
            if not item.relations
        ]
        return Imported(scene, tuple(self.left_out), tuple(self.notes))


def _shifted(item: Item, floor: Floor) -> Item:
    x, y, z = item.location
    z -= floor.z
    mount = category(item.category).mount
    if mount in (Mount.FLOOR, Mount.RUG) and abs(z) <= _NEAR_FLOOR:
        z = 0.0
    at = (x - floor.low[0], y - floor.low[1], z)
    return Item(item.id, item.category, at, item.rotation, item.size)
