"""Floor plans at random: a flat of one to three rooms, with walls, doors and furniture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .floor_plan import FloorPlan, Rectangle, Room, Thing
from .furniture import ROOMS, Kind, furniture

_WALL, _DOOR = 0.12, 1.1
_SIZES = {
    "kitchen": ((3.8, 5.2), (3.6, 5.0)),
    "living": ((4.8, 6.6), (4.4, 5.8)),
    "bedroom": ((4.2, 5.6), (4.2, 5.4)),
    "bathroom": ((3.2, 4.2), (3.2, 4.2)),
}
_FIRST = {
    "kitchen": ("Fridge", "CounterTop", "StoveBurner", "DiningTable"),
    "living": ("Sofa", "TVStand", "CoffeeTable"),
    "bedroom": ("Bed", "Dresser", "Desk"),
    "bathroom": ("Bathtub", "Toilet", "Sink"),
}
_TRIES = 25
_AIR = 0.12
"""Free space round a thing, in metres."""


def make_plan(rng: np.random.Generator, count: int = 1) -> FloorPlan:
    """A flat at random; each type of thing is there at most once.

    Args:
        rng: draws everything.
        count: rooms, 1 to 3, in a row along x, with doors between them.
    """
    kinds = [ROOMS[index] for index in rng.permutation(len(ROOMS))[:count]]
    widths = [rng.uniform(*_SIZES[kind][0]) for kind in kinds]
    depth = max(rng.uniform(*_SIZES[kind][1]) for kind in kinds)
    rooms, left = [], 0.0
    for kind, width in zip(kinds, widths, strict=True):
        right = round(left + width, 2)
        rooms.append(Room(kind, Rectangle(left, 0.0, right, round(depth, 2))))
        left = round(right + _WALL, 2)
    walls, doors = walls_of(rooms, [float(rng.uniform(0.6, depth - 0.6 - _DOOR)) for _ in rooms])
    return furnish(rng, FloorPlan(tuple(rooms), tuple(walls), ()), doors)


def walls_of(
    rooms: Sequence[Room], places: Sequence[float]
) -> tuple[list[Rectangle], list[Rectangle]]:
    """Walls about rooms in a row along x, and the floor before and in the doors between them.

    Args:
        rooms: from left to right.
        places: z where the door in the right wall of each begins; the last is not used.
    """
    x0, z0, _, z1 = rooms[0].floor
    x1 = rooms[-1].floor.x1
    walls = [
        Rectangle(x0 - _WALL, z0 - _WALL, x1 + _WALL, z0),
        Rectangle(x0 - _WALL, z1, x1 + _WALL, z1 + _WALL),
        Rectangle(x0 - _WALL, z0, x0, z1),
        Rectangle(x1, z0, x1 + _WALL, z1),
    ]
    doors = []
    for room, place in zip(rooms[:-1], places, strict=False):
        x, low = room.floor.x1, round(place, 2)
        high = round(low + _DOOR, 2)
        walls += [Rectangle(x, z0, x + _WALL, low), Rectangle(x, high, x + _WALL, z1)]
        doors.append(Rectangle(x - 0.7, low, x + _WALL + 0.7, high))
    return walls, doors


def furnish(
    rng: np.random.Generator,
    plan: FloorPlan,
    kept_free: Sequence[Rectangle] = (),
    *,
    density: float = 0.75,
) -> FloorPlan:
    """The plan with more things in it.

    Args:
        rng: draws everything.
        plan: rooms, walls and perhaps things.
        kept_free: floor where nothing is put.
        density: the chance of each type that the room can do without.
    """
    things = list(plan.things)
    for room in plan.rooms:
        there = {thing.type for thing in things}
        kinds = [it for it in furniture().values() if room.kind in it.rooms]
        kinds = [kinds[index] for index in rng.permutation(len(kinds))]
        first = _FIRST[room.kind]
        kinds.sort(key=lambda it: (it.place == "top", it.place == "hung", it.type not in first))
        for kind in kinds:
            if kind.type in there or (kind.type not in first and rng.random() > density):
                continue
            for _ in range(_TRIES):
                found = _somewhere(rng, kind, room, things)
                if found is not None and _fits(found, things, room, kept_free):
                    things.append(found)
                    there.add(kind.type)
                    break
    return FloorPlan(plan.rooms, plan.walls, tuple(things))


def _somewhere(
    rng: np.random.Generator, kind: Kind, room: Room, things: Sequence[Thing]
) -> Thing | None:
    """The kind of thing at a random place of its sort; it may not fit there."""
    if kind.place == "top":
        return _on_top(rng, kind, room, things)
    x0, z0, x1, z1 = room.floor
    width, depth, _ = kind.size
    if kind.place == "floor":
        turn = int(rng.integers(4)) * 90
        inset = 0.9
        return Thing(
            kind.type,
            round(float(rng.uniform(x0 + inset, x1 - inset)), 2),
            round(float(rng.uniform(z0 + inset, z1 - inset)), 2),
            turn,
        )
    side, off = int(rng.integers(4)), depth / 2 + (0.0 if kind.place == "hung" else 0.02)
    if side % 2 == 0:
        if x1 - x0 < width + 0.1:
            return None
        x = float(rng.uniform(x0 + width / 2, x1 - width / 2))
        z = z1 - off if side == 0 else z0 + off
    else:
        if z1 - z0 < width + 0.1:
            return None
        z = float(rng.uniform(z0 + width / 2, z1 - width / 2))
        x = x1 - off if side == 1 else x0 + off
    return Thing(kind.type, round(x, 3), round(z, 3), 90 * side, kind.height)


def _on_top(
    rng: np.random.Generator, kind: Kind, room: Room, things: Sequence[Thing]
) -> Thing | None:
    carriers = [it for it in things if it.type in kind.upon and _inside(it, room)]
    if not carriers:
        return None
    carrier = carriers[int(rng.integers(len(carriers)))]
    u0, u1, v0, v1 = carrier.kind.spot
    width, depth, _ = carrier.kind.size
    room_u = max(0.0, (u1 - u0) * width / 2 - kind.size[0]) / 2
    room_v = max(0.0, (v1 - v0) * depth / 2 - kind.size[1]) / 2
    u = (u0 + u1) * width / 4 + rng.uniform(-room_u, room_u)
    v = (v0 + v1) * depth / 4 + rng.uniform(-room_v, room_v)
    x, z = turned(float(u), float(v), carrier.yaw)
    place = round(carrier.x + x, 3), round(carrier.z + z, 3)
    return Thing(kind.type, *place, carrier.yaw, round(carrier.y + carrier.kind.top, 3))


def turned(across: float, along: float, yaw: int) -> tuple[float, float]:
    """(x, z) of an offset given in the axes of a thing with that yaw."""
    sin, cos = {0: (0, 1), 90: (1, 0), 180: (0, -1), 270: (-1, 0)}[yaw]
    return across * cos + along * sin, along * cos - across * sin


def _inside(thing: Thing, room: Room) -> bool:
    x0, z0, x1, z1 = room.floor
    return x0 <= thing.x <= x1 and z0 <= thing.z <= z1


def _fits(
    found: Thing, things: Sequence[Thing], room: Room, kept_free: Sequence[Rectangle]
) -> bool:
    kind, foot = found.kind, found.foot
    x0, z0, x1, z1 = room.floor
    slack = 0.001
    if foot.x0 < x0 - slack or foot.x1 > x1 + slack or foot.z0 < z0 - slack or foot.z1 > z1 + slack:
        return False
    if any(_overlap(foot, area, 0.0) for area in kept_free) and kind.place != "top":
        return False
    for other in things:
        if kind.place == "top":
            if other.kind.place == "top" and _overlap(foot, other.foot, 0.02):
                return False
        elif kind.place == "hung" or other.kind.place == "hung":
            low, high = found.y, found.y + kind.size[2]
            apart = other.y >= high or other.y + other.kind.size[2] <= low
            if not apart and _overlap(foot, other.foot, 0.15):
                return False
        elif other.kind.blocks:
            air = _AIR if kind.place == other.kind.place == "wall" else 0.55
            if _overlap(foot, other.foot, air):
                return False
    return True


def _overlap(a: Rectangle, b: Rectangle, air: float) -> bool:
    return a.x0 < b.x1 + air and b.x0 < a.x1 + air and a.z0 < b.z1 + air and b.z0 < a.z1 + air
