"""One empty room and every way to furnish it: nine spots a piece, and which go together.

A piece has one pose at each spot: its back to the wall, facing the room (corners back onto the
north or the south wall; the middle faces south). Whether two poses go together is asked of the
exact overlaps of :mod:`..contacts`, so an arrangement is valid exactly if the executor finds no
fault in it. With so few poses all valid arrangements can be listed, so it is known what is best for
whom.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..bodies import parts
from ..contacts import LEAST_DEPTH, LEAST_VOLUME
from ..prisms import Packed
from ..relations import half_sizes
from ..room_types import room_type
from ..scene import ROOM, Item, Opening, Relation, RelationKind, Room, Scene, Wall, walls
from ..zones import Zone, all_shares, before, door_zones, front_zone, strip, zone_of
from .pieces import FURNITURE, MIDDLE, SPOTS, Furniture, Piece

Ints = np.ndarray[Any, np.dtype[np.int64]]
Bools = np.ndarray[Any, np.dtype[np.bool_]]
GAP = 0.02
"""Metres between a piece and the wall behind it."""
CLEAR = 1.2
"""Metres of free floor that the wish for room before a piece asks for."""
BY_WINDOW, NEAR = 0.6, 0.8
"""Metres from the window, and between two pieces, that count as by and as near."""
TALL = 1.2
"""Metres from which a piece before the window takes its light."""
_BLOCKED = 0.2
_FACES = math.radians(35)
_SOUTH, _NORTH, _EAST, _WEST = -math.pi / 2, math.pi / 2, 0.0, math.pi
_YAWS = (0.0, _SOUTH, _SOUTH, _SOUTH, _EAST, _SOUTH, _WEST, _NORTH, _NORTH, _NORTH)
_DOOR = (0.1, 0.9, 2.05)
_WINDOW = (0.1, 1.4, 1.3)


class Plan(NamedTuple):
    """An empty room as small numbers: all that tells it from others.

    Attributes:
        room: type of room.
        pieces: how many of its pieces there are.
        x, y: its sides in decimetres.
        door: the spot on the edge that the door opens at.
        window: the wall that the window is in the middle of, by number.
    """

    room: str
    pieces: int
    x: int
    y: int
    door: int
    window: int

    @property
    def numbers(self) -> tuple[int, ...]:
        """The plan as observations hold it: type of room, sides, door, window."""
        return tuple(FURNITURE).index(self.room), self.x, self.y, self.door, self.window


def plan_of(numbers: Iterable[int], pieces: int) -> Plan:
    """The plan with these :attr:`Plan.numbers`."""
    room, x, y, door, window = (int(number) for number in numbers)
    return Plan(tuple(FURNITURE)[room], pieces, x, y, door, window)


DOORS = (1, 2, 3, 4, 6, 7, 8, 9)


def door_wall(spot: int) -> int:
    """The wall that a door at ``spot`` is in, by number."""
    return {4: 0, 6: 2}.get(spot, 3 if spot < 4 else 1)


def draw_plan(room: str, pieces: int, rng: np.random.Generator) -> Plan:
    """A size from the range of the type, a door, and a window in another wall."""
    kind = room_type(room)
    x, y = (
        int(rng.integers(math.ceil(10 * low), math.floor(10 * high) + 1))
        for low, high in zip(kind.low, kind.high, strict=True)
    )
    door = int(rng.choice(DOORS))
    window = int(rng.choice([wall for wall in range(4) if wall != door_wall(door)]))
    return Plan(room, pieces, x, y, door, window)


@lru_cache(maxsize=8)
def site_of(plan: Plan) -> Site:
    """The site of a plan; built once for all who look at it."""
    return Site(plan)


@dataclass(frozen=True)
class Site:
    """A plan with all that follows from it. K pieces, 10 spots of which 0 is the store."""

    plan: Plan

    @cached_property
    def furniture(self) -> Furniture:
        """What may be put here."""
        count = self.plan.pieces
        known = FURNITURE[self.plan.room]

        def within(pairs: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
            return tuple(pair for pair in pairs if max(pair) < count)

        clear = tuple(piece for piece in known.clear if piece < count)
        return Furniture(known.pieces[:count], within(known.facing), within(known.near), clear)

    @cached_property
    def shell(self) -> Scene:
        """The empty room, with its door and window."""
        room = Room(self.plan.room, (self.plan.x / 10, self.plan.y / 10))
        sides = walls(room)
        door, window = self.plan.door, sides[self.plan.window]
        entry = sides[door_wall(door)]
        column = 0.5 if door in (4, 6) else ((door - 1) % 3) / 2
        inset = 0.2 + _DOOR[1] / 2
        return Scene(
            room,
            (
                _opening("door", entry, inset + column * (entry.length - 2 * inset), 0.0, _DOOR),
                _opening("window", window, window.length / 2, 0.9, _WINDOW),
            ),
        )

    def item(self, piece: int, spot: int) -> Item:
        """A piece at a spot of the room."""
        thing = self.furniture.pieces[piece]
        return _posed(self.shell.room, thing, spot, f"{piece + 1}_{thing.category}")

    def scene(self, arrangement: Any) -> Scene:
        """The room with its pieces where ``arrangement`` [K] has them."""
        spots = enumerate(np.asarray(arrangement).tolist())
        return self.shell.with_items(*(self.item(piece, spot) for piece, spot in spots if spot))

    @cached_property
    def _poses(self) -> list[Item]:
        count = self.plan.pieces
        return [self.item(piece, spot) for piece in range(count) for spot in range(1, len(SPOTS))]

    @cached_property
    def stands(self) -> Bools:
        """``[K, 10]``: whether a piece can be there at all, with nothing else in the room."""
        room, (door,) = self.shell.room, door_zones(self.shell)
        found = np.ones((self.plan.pieces, len(SPOTS)), bool)
        fits = [_within(room, pose) and not door.shares(zone_of(pose)) for pose in self._poses]
        found[:, 1:] = np.reshape(fits, (self.plan.pieces, -1))
        return found

    @cached_property
    def together(self) -> Bools:
        """``[K, 10, K, 10]``: whether two pieces do not collide at these spots."""
        shared = Packed([parts(pose) for pose in self._poses]).all_pairs()
        clash = (shared.depth > LEAST_DEPTH) & (shared.volume > LEAST_VOLUME)
        return np.asarray(~self._pairs(clash | clash.T))

    @cached_property
    def arrangements(self) -> Ints:
        """``[N, K]``: every valid arrangement, the empty room first."""
        found = np.zeros((1, 0), np.int64)
        for piece in range(self.plan.pieces):
            allowed = np.broadcast_to(self.stands[piece], (len(found), len(SPOTS))).copy()
            for other in range(piece):
                allowed &= self.together[other, found[:, other], piece]
            rows, spots = np.nonzero(allowed)
            found = np.column_stack([found[rows], spots])
        return found

    def moves(self, arrangement: Any) -> Bools:
        """``[K, 10]``: where each piece could go now, its own place not counted."""
        now = np.asarray(arrangement)
        allowed = self.stands.copy()
        for other, spot in enumerate(now.tolist()):
            if spot:
                fits = self.together[other, spot].copy()
                fits[other] = True
                allowed &= fits
        allowed[np.arange(len(now)), now] = False
        return allowed

    def in_the_way(self, arrangement: Any, piece: int, spot: int) -> list[int]:
        """The pieces that keep ``piece`` from ``spot``; none where the spot itself is too small."""
        return [
            other
            for other, at in enumerate(np.asarray(arrangement).tolist())
            if at and other != piece and not self.together[other, at, piece, spot]
        ]

    # What is true of poses and of pairs of poses; never of what is in store.

    @cached_property
    def by_window(self) -> Bools:
        """``[K, 10]``: whether a piece is near the window."""
        light = before(self.shell.openings[1], BY_WINDOW)._replace(z=(0.0, 3.0))
        lit = [light.shares(zone_of(pose)) > 0 for pose in self._poses]
        return np.asarray(self._each(lit), bool)

    @cached_property
    def darkens(self) -> Bools:
        """``[K, 10]``: whether a piece takes the window's light."""
        tall = [piece.size[2] >= TALL for piece in self.furniture.pieces]
        return np.asarray(self.by_window & np.array(tall)[:, None])

    @cached_property
    def faces(self) -> Bools:
        """``[K, 10, K, 10]``: whether the first looks at the second's middle."""
        at = np.array([pose.location[:2] for pose in self._poses])
        way = at[None] - at[:, None]
        yaw = np.array([pose.rotation for pose in self._poses])[:, None]
        off = np.abs(np.angle(np.exp(1j * (np.arctan2(way[..., 1], way[..., 0]) - yaw))))
        return np.asarray(self._pairs(off <= _FACES))

    @cached_property
    def near(self) -> Bools:
        """``[K, 10, K, 10]``: whether less than :data:`NEAR` is between two pieces."""
        boxes = np.array([(*zone.x, *zone.y) for zone in map(zone_of, self._poses)])
        gap = [
            np.maximum(boxes[:, None, low] - boxes[None, :, low + 1], 0)
            + np.maximum(boxes[None, :, low] - boxes[:, None, low + 1], 0)
            for low in (0, 2)
        ]
        return np.asarray(self._pairs(np.hypot(*gap) <= NEAR))

    @cached_property
    def narrows(self) -> tuple[Bools, Bools]:
        """By walls ``[K, 10]``, by the second ``[K, 10, K, 10]``: less than CLEAR before it."""
        strips = [strip(p, CLEAR, p.size[1] / 2, (0.0, 2.0)) for p in self._poses]
        room = Zone((0.0, self.shell.room.size[0]), (0.0, self.shell.room.size[1]), (0.0, 3.0))
        walled = [ahead.shares(room) < ahead.volume - 1e-9 for ahead in strips]
        zones = [zone_of(pose) for pose in self._poses]
        return self._each(walled).astype(bool), self._pairs(all_shares(strips, zones) > 1e-6)

    @cached_property
    def blocks(self) -> tuple[Any, Any]:
        """The share of a piece's front strip that walls ``[K, 10]`` and others take."""
        x, y = self.shell.room.size
        zones = [zone_of(pose) for pose in self._poses]
        walled = np.zeros(len(zones))
        taken = np.zeros((len(zones), len(zones)))
        fronts = {n: front for n, pose in enumerate(self._poses) if (front := front_zone(pose))}
        for row, front in fronts.items():
            room = Zone((0.0, x), (0.0, y), front.z)
            walled[row] = 1 - front.shares(room) / front.volume
        if fronts:
            volumes = np.array([front.volume for front in fronts.values()])
            taken[list(fronts)] = all_shares(list(fronts.values()), zones) / volumes[:, None]
        return self._each(walled), self._pairs(taken)

    @cached_property
    def qualities(self) -> Any:
        """:meth:`quality` of all :attr:`arrangements`."""
        return self.quality(self.arrangements)

    def quality(self, arrangements: Ints) -> Any:
        """What anybody would want of ``[N, K]`` arrangements: ``[N]``, from 0 to 1.

        The share of what such a room must have, times one half; a quarter more if no front is
        blocked and one if nothing tall stands before the window.
        """
        kind, count = room_type(self.plan.room), arrangements.shape[1]
        pieces = np.arange(count)
        there = arrangements > 0
        fitting = [
            [p.category in r.categories for p in self.furniture.pieces] for r in kind.required
        ]
        least = np.array([role.least for role in kind.required])
        filled = (there.astype(int) @ np.array(fitting, int).T >= least).mean(1)
        walled, by_others = self.blocks
        taken = walled[pieces, arrangements]
        for other in range(count):
            at = arrangements[:, other, None]
            taken = taken + by_others[pieces, arrangements, other, at] * (pieces != other)
        free = ~(there & (taken > _BLOCKED)).any(1)
        light = ~self.darkens[pieces, arrangements].any(1)
        return filled * (0.5 + 0.25 * free + 0.25 * light)

    def _each(self, values: Any) -> Any:
        values = np.asarray(values).reshape(self.plan.pieces, -1)
        found = np.zeros((len(values), len(SPOTS)), values.dtype)
        found[:, 1:] = values
        return found

    def _pairs(self, values: Any) -> Any:
        """A table over pairs of poses, with the store, where nothing holds."""
        count, spots = self.plan.pieces, len(SPOTS)
        found = np.zeros((count, spots, count, spots), values.dtype)
        found[:, 1:, :, 1:] = values.reshape(count, spots - 1, count, spots - 1)
        return found


def _opening(
    kind: str, wall: Wall, along: float, sill: float, size: tuple[float, float, float]
) -> Opening:
    across = max(0.0, -wall.offset)
    place = (across, along, sill) if wall.normal[0] else (along, across, sill)
    return Opening(f"{kind}_1", kind, place, wall.yaw, size)


def _posed(room: Room, thing: Piece, spot: int, name: str) -> Item:
    floor = Relation(ROOM, RelationKind.ON_FLOOR)
    relations = (floor,) if spot == MIDDLE else (floor, Relation(ROOM, RelationKind.AGAINST_WALL))
    item = Item(name, thing.category, (0.0, 0.0, 0.0), _YAWS[spot], thing.size, relations)
    half = half_sizes(item)
    row, column = divmod(spot - 1, 3)
    place = [
        (side / 2, h + GAP, side - h - GAP)[end]
        for side, h, end in zip(room.size, half, ((1, 0, 2)[column], (2, 0, 1)[row]), strict=True)
    ]
    return Item(name, thing.category, (place[0], place[1], 0.0), _YAWS[spot], thing.size, relations)


def _within(room: Room, pose: Item) -> bool:
    zone = zone_of(pose)
    return all(
        span[0] >= -1e-9 and span[1] <= side + 1e-9
        for span, side in zip((zone.x, zone.y), room.size, strict=True)
    )
