"""A furnished room as data: what stands where and why, with edits that return a new scene.

Conventions of SceneWeaver (Yang et al., arXiv 2509.20414, its code): metres, right-handed, the
floor is x-y with the origin at the room's lower left corner, z up. A thing's location is the
centre of its footprint and the height of its *bottom*; at rotation 0 it faces +x; rotation is
radians about z; size is (depth along its facing, width, height). Relations point from the child
to its parent, each with a margin.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from gymposium.errors import UnknownName, UsageError

Triple = tuple[float, float, float]
ROOM = "room"
"""The parent of relations to floor, walls and ceiling; no thing has this id."""


class RelationKind(StrEnum):
    """How a child stands to its parent."""

    ON_FLOOR = "on_floor"
    AGAINST_WALL = "against_wall"
    SIDE_AGAINST_WALL = "side_against_wall"
    FLUSH_WALL = "flush_wall"
    SPACED_WALL = "spaced_wall"
    HANGING = "hanging"
    ONTOP = "ontop"
    ON = "on"
    FRONT_AGAINST = "front_against"
    FRONT_TO_FRONT = "front_to_front"
    LEFTRIGHT = "leftright_leftright"
    SIDE_BY_SIDE = "side_by_side"
    BACK_TO_BACK = "back_to_back"


MARGINS: dict[RelationKind, float] = {
    RelationKind.ON_FLOOR: 0.01,
    RelationKind.AGAINST_WALL: 0.07,
    RelationKind.SIDE_AGAINST_WALL: 0.05,
    RelationKind.FLUSH_WALL: 0.02,
    RelationKind.SPACED_WALL: 0.8,
    RelationKind.HANGING: 0.05,
    RelationKind.ONTOP: 0.005,
    RelationKind.ON: 0.005,
    RelationKind.FRONT_AGAINST: 0.05,
    RelationKind.FRONT_TO_FRONT: 0.05,
    RelationKind.LEFTRIGHT: 0.05,
    RelationKind.SIDE_BY_SIDE: 0.0,
    RelationKind.BACK_TO_BACK: 0.0,
}
"""Metres: a gap between upright faces, a tolerance of height for floor, ceiling and supports."""
ROOM_KINDS = frozenset(list(RelationKind)[:6])
"""Relations whose parent is the room; the others name another thing."""
WALL_KINDS = frozenset(list(RelationKind)[1:5])
SUPPORTS = frozenset({RelationKind.ONTOP, RelationKind.ON})
"""Relations whose child rests on the parent, and moves and goes with it."""


class Relation(NamedTuple):
    """``parent`` is :data:`ROOM` or the id of another thing."""

    parent: str
    kind: RelationKind


@dataclass(frozen=True)
class Item:
    """One thing. ``style`` seeds its looks: colours, legs, drawers."""

    id: str
    category: str
    location: Triple
    rotation: float
    size: Triple
    relations: tuple[Relation, ...] = ()
    style: int = 0

    @property
    def supporter(self) -> str | None:
        """The id of the thing that it rests on or in; None on the floor, a wall, the ceiling."""
        return next((r.parent for r in self.relations if r.kind in SUPPORTS), None)

    def kinds(self) -> frozenset[RelationKind]:
        """The kinds of its relations."""
        return frozenset(relation.kind for relation in self.relations)


@dataclass(frozen=True)
class Opening:
    """A door or window: centre on the wall's inner face, bottom height, rotation into the room."""

    id: str
    kind: str
    location: Triple
    rotation: float
    size: Triple


@dataclass(frozen=True)
class Room:
    """A rectangular room: ``size`` is (x, y) in metres, ``height`` to the ceiling."""

    type: str
    size: tuple[float, float]
    height: float = 2.8


class Wall(NamedTuple):
    """One of four: ``yaw`` faces into the room along ``normal``; ``offset`` = normal · point."""

    name: str
    yaw: float
    normal: tuple[float, float]
    offset: float
    length: float


def walls(room: Room) -> tuple[Wall, Wall, Wall, Wall]:
    """West (x = 0), south (y = 0), east, north."""
    x, y = room.size
    return (
        Wall("west", 0.0, (1.0, 0.0), 0.0, y),
        Wall("south", math.pi / 2, (0.0, 1.0), 0.0, x),
        Wall("east", math.pi, (-1.0, 0.0), -x, y),
        Wall("north", -math.pi / 2, (0.0, -1.0), -y, x),
    )


def wall_of(room: Room, opening: Opening) -> Wall:
    """The wall that an opening is in: the nearest."""
    x, y, _ = opening.location
    return min(walls(room), key=lambda w: abs(w.normal[0] * x + w.normal[1] * y - w.offset))


@dataclass(frozen=True)
class Scene:
    """A room and what is in it. Edits return another scene; ids stay unique.

    Raises:
        UsageError: two things share an id, or one is called ``room``.
    """

    room: Room
    openings: tuple[Opening, ...] = ()
    items: tuple[Item, ...] = ()

    def __post_init__(self) -> None:
        ids = [opening.id for opening in self.openings] + [item.id for item in self.items]
        if len({*ids, ROOM}) <= len(ids):
            twice = next(i for n, i in enumerate([*ids, ROOM]) if i in [ROOM, *ids[:n]])
            raise UsageError(f"two things in the room are called {twice!r}; ids must differ")

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __contains__(self, name: object) -> bool:
        return name in self.by_id

    @functools.cached_property
    def by_id(self) -> dict[str, Item]:
        """The things by their ids."""
        return {item.id: item for item in self.items}

    @functools.cached_property
    def resting(self) -> dict[str, tuple[str, ...]]:
        """For every supporter the ids of what rests on it, in order."""
        found: dict[str, tuple[str, ...]] = {}
        for item in self.items:
            if item.supporter is not None:
                found[item.supporter] = (*found.get(item.supporter, ()), item.id)
        return found

    def __getitem__(self, name: str) -> Item:
        """The thing called ``name``.

        Raises:
            UnknownName: there is none.
        """
        try:
            return self.by_id[name]
        except KeyError:
            raise UnknownName("object", name, self.by_id, where="the room") from None

    def burden(self, name: str) -> tuple[str, ...]:
        """The ids of all that rests on ``name``, directly or not, nearest first."""
        found: dict[str, None] = {}
        queue = list(self.resting.get(name, ()))
        while queue:
            child = queue.pop(0)
            if child not in found and child != name:
                found[child] = None
                queue += self.resting.get(child, ())
        return tuple(found)

    def fresh_id(self, category: str, taken: Iterable[str] = ()) -> str:
        """``NUMBER_category`` with the smallest number above all those in use."""
        numbers = [i.partition("_")[0] for i in (*self.by_id, *taken)]
        return f"{1 + max([int(n) for n in numbers if n.isdecimal()], default=0)}_{category}"

    def with_items(self, *items: Item) -> Scene:
        """The scene with more things."""
        return replace(self, items=(*self.items, *items))

    def replaced(self, *items: Item) -> Scene:
        """The scene with these things in place of those of the same ids; others stay put."""
        new = {self[item.id].id: item for item in items}
        return replace(self, items=tuple(new.get(item.id, item) for item in self.items))

    def without(self, *names: str) -> Scene:
        """The scene without these things, all that rests on them, and relations to any of them."""
        gone = {self[name].id for name in names}.union(*(self.burden(name) for name in names))
        kept = (item for item in self.items if item.id not in gone)
        return replace(self, items=tuple(_forget(item, gone) for item in kept))

    def moved(
        self, name: str, location: Triple | None = None, rotation: float | None = None
    ) -> Scene:
        """The scene with one thing at another pose; what rests on it is carried along."""
        old = self[name]
        new = replace(
            old,
            location=old.location if location is None else location,
            rotation=old.rotation if rotation is None else rotation,
        )
        carried = (carried_along(self[child], old, new) for child in self.burden(name))
        return self.replaced(new, *carried)

    def resized(self, name: str, size: Triple) -> Scene:
        """The scene with one thing of another size; what rests on it keeps its place on it.

        Heights scale with the supporter, sizes of what it carries do not.
        """
        old = self[name]
        ratio = [new / was for new, was in zip(size, old.size, strict=True)]
        changed = [replace(old, size=size)]
        for child in (self[child] for child in self.resting.get(name, ())):
            x, y = _local(child.location, old)
            x, y = _outward((x * ratio[0], y * ratio[1]), old)
            z = old.location[2] + (child.location[2] - old.location[2]) * ratio[2]
            new = replace(child, location=(x, y, z))
            above = (carried_along(self[top], child, new) for top in self.burden(child.id))
            changed += [new, *above]
        return self.replaced(*changed)


def carried_along(item: Item, old: Item, new: Item) -> Item:
    """``item`` moved as if it stood fixed on a supporter that went from ``old`` to ``new``."""
    x, y = _outward(_local(item.location, old), new)
    z = item.location[2] + new.location[2] - old.location[2]
    turn = new.rotation - old.rotation
    return replace(
        item, location=(x, y, z), rotation=item.rotation + turn if turn else item.rotation
    )


def _local(location: Triple, frame: Item) -> tuple[float, float]:
    dx, dy = location[0] - frame.location[0], location[1] - frame.location[1]
    c, s = math.cos(frame.rotation), math.sin(frame.rotation)
    return c * dx + s * dy, c * dy - s * dx


def _outward(point: tuple[float, float], frame: Item) -> tuple[float, float]:
    c, s = math.cos(frame.rotation), math.sin(frame.rotation)
    x, y = point
    return frame.location[0] + c * x - s * y, frame.location[1] + s * x + c * y


def _forget(item: Item, gone: set[str]) -> Item:
    kept = tuple(relation for relation in item.relations if relation.parent not in gone)
    return item if kept == item.relations else replace(item, relations=kept)
