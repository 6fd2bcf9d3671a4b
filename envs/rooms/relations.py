"""What relations mean: where a thing may be for each to hold, and the nearest such place.

A relation offers options: a facing, a height, and bands that the thing's centre must lie in. A
*fixed* band pins the thing to a plane (the back to a wall, a side to a bed) and takes that
direction's freedom; the others only bound it (on the desk, within the room). Margins are the widest
gaps that still count, so furniture may touch (SceneWeaver's relation planes, arXiv 2509.20414;
knees have room between a sofa and the table before it).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from .bodies import Support, supports
from .catalogue import category
from .prisms import Floats
from .scene import MARGINS, SUPPORTS, WALL_KINDS, Item, Relation, RelationKind, Room, Scene, walls

SLACK = 0.015
"""Metres that a relation may be off and still hold: what rounding to centimetres can do."""
_TURN_SLACK = math.radians(5)
_K = RelationKind
_GAPS = {kind: (0.0, margin) for kind, margin in MARGINS.items()}
_GAPS[_K.SPACED_WALL] = (0.6, 1.0)
_GAPS[_K.FRONT_TO_FRONT] = (0.05, 0.5)
_ASIDE = 0.1
"""Metres that a thing may stick out along the face of its neighbour."""
_TURN_COST = 0.3
"""Metres of way that a radian of turn is worth when the nearest pose is chosen."""


class Band(NamedTuple):
    """``low`` <= direction · (x, y) <= ``high``; a fixed one takes away the freedom along it."""

    x: float
    y: float
    low: float
    high: float
    fixed: bool

    def miss(self, x: float, y: float) -> float:
        """The signed way along the direction that leads into the band."""
        at = self.x * x + self.y * y
        return self.low - at if at < self.low else min(self.high - at, 0.0)


class Option(NamedTuple):
    """One way for a relation to hold; None where it says nothing of the facing or the height."""

    yaw: float | None = None
    bottom: tuple[float, float] | None = None
    bands: tuple[Band, ...] = ()


class Pose(NamedTuple):
    """A place for a thing, the directions it is still free in [2, 2], and what is left to wish."""

    item: Item
    free: Floats
    broken: tuple[Relation, ...]


def half_sizes(item: Item, yaw: float | None = None) -> tuple[float, float]:
    """Half the extent of its rectangle along x and y [m]."""
    turn = item.rotation if yaw is None else yaw
    c, s = abs(math.cos(turn)), abs(math.sin(turn))
    depth, width = item.size[0] / 2, item.size[1] / 2
    return c * depth + s * width, s * depth + c * width


def turn_between(a: float, b: float) -> float:
    """The angle from ``a`` to ``b``, in -pi to pi."""
    return math.remainder(b - a, 2 * math.pi)


def options(scene: Scene, item: Item, relation: Relation) -> list[Option]:
    """All ways in which ``relation`` may hold of ``item``; none if its parent is not there."""
    kind = relation.kind
    if kind is _K.ON_FLOOR:
        return [Option(bottom=(0.0, 0.0))]
    if kind is _K.HANGING:
        top = scene.room.height - item.size[2]
        return [Option(bottom=(max(top - MARGINS[kind], 0.0), max(top, 0.0)))]
    if kind in WALL_KINDS:
        return list(_wall_options(scene.room, item, kind))
    parent = scene.by_id.get(relation.parent)
    if parent is None:
        return []
    if kind in SUPPORTS:
        return [_resting(item, support) for support in _surfaces(parent, item, kind)]
    return list(_side_options(item, parent, kind))


def _wall_options(room: Room, item: Item, kind: RelationKind) -> Iterator[Option]:
    low, high = _GAPS[kind]
    for wall in walls(room):
        if kind is _K.SIDE_AGAINST_WALL:
            turns, half = [math.pi / 2, -math.pi / 2], item.size[1] / 2
        else:
            turns, half = [0.0], item.size[0] / 2
        start = wall.offset + half
        for turn in turns:
            band = Band(*wall.normal, start + low, start + high, True)
            yield Option(math.remainder(wall.yaw + turn, 2 * math.pi), None, (band,))


def _surfaces(parent: Item, item: Item, kind: RelationKind) -> list[Support]:
    fitting = [s for s in supports(parent) if _fits(item, s)]
    inner = kind is _K.ON
    chosen = [s for s in fitting if s.inner == inner]
    return chosen or (fitting if inner else [])


def _fits(item: Item, support: Support) -> bool:
    """Whether a thing is no higher than the room above a surface and, in a shelf, no larger."""
    sides = zip(half_sizes(item, item.rotation - support.yaw), support.size, strict=True)
    within = not support.inner or all(2 * half <= side + SLACK for half, side in sides)
    return within and item.size[2] <= support.headroom


def _resting(item: Item, support: Support) -> Option:
    hx, hy = half_sizes(item, item.rotation - support.yaw)
    c, s = math.cos(support.yaw), math.sin(support.yaw)
    bands = []
    for (x, y), size, half in (((c, s), support.size[0], hx), ((-s, c), support.size[1], hy)):
        room = max(size / 2 - half, 0.0)
        middle = x * support.centre[0] + y * support.centre[1]
        bands.append(Band(x, y, middle - room, middle + room, False))
    margin = MARGINS[_K.ONTOP]
    return Option(None, (support.z, support.z + margin), tuple(bands))


def _side_options(item: Item, parent: Item, kind: RelationKind) -> Iterator[Option]:
    """Beside another thing: which of its faces, which way round, how far along the face."""
    depth, width = item.size[0] / 2, item.size[1] / 2
    deep, wide = parent.size[0] / 2, parent.size[1] / 2
    front, left, back, right = 0.0, math.pi / 2, math.pi, -math.pi / 2
    if kind is _K.FRONT_AGAINST:
        ahead = category(parent.category).front
        faces = [front] if ahead else [front, left, back, right]
        turn: float | None = None  # towards the face
        half, across = depth, width
    elif kind is _K.FRONT_TO_FRONT:
        faces, turn, half, across = [front], math.pi, depth, width
    elif kind is _K.BACK_TO_BACK:
        faces, turn, half, across = [back], math.pi, depth, width
    else:
        faces, turn, half, across = [left, right], 0.0, width, depth
    low, high = _GAPS[kind]
    for face in faces:
        reach, span = (deep, wide) if face in (front, back) else (wide, deep)
        yaw = parent.rotation + (face + math.pi if turn is None else turn)
        x, y = math.cos(parent.rotation + face), math.sin(parent.rotation + face)
        start = x * parent.location[0] + y * parent.location[1] + reach + half
        room = max(span - across, 0.0) + _ASIDE
        middle = -y * parent.location[0] + x * parent.location[1]
        bands = (
            Band(x, y, start + low, start + high, True),
            Band(-y, x, middle - room, middle + room, False),
        )
        yield Option(math.remainder(yaw, 2 * math.pi), None, bands)


def _met(item: Item, option: Option) -> bool:
    x, y, z = item.location
    if option.yaw is not None and abs(turn_between(item.rotation, option.yaw)) > _TURN_SLACK:
        return False
    if option.bottom is not None:
        low, high = option.bottom
        if not low - SLACK <= z <= high + SLACK:
            return False
    return all(abs(band.miss(x, y)) <= SLACK for band in option.bands)


def holds(scene: Scene, item: Item, relation: Relation) -> bool:
    """Whether the relation holds of the thing at its present place."""
    return any(_met(item, option) for option in options(scene, item, relation))


def broken(scene: Scene, item: Item) -> tuple[Relation, ...]:
    """The relations of a thing that do not hold."""
    return tuple(relation for relation in item.relations if not holds(scene, item, relation))


def inside(room: Room, item: Item, yaw: float | None = None) -> tuple[Band, Band]:
    """The bands that keep a thing's rectangle within the walls (its centre, if it is too long)."""
    hx, hy = half_sizes(item, yaw)
    x, y = room.size
    return (
        Band(1.0, 0.0, min(hx, x / 2), max(x - hx, x / 2), False),
        Band(0.0, 1.0, min(hy, y / 2), max(y - hy, y / 2), False),
    )


def snap(scene: Scene, item: Item) -> Pose:
    """The nearest pose in which as many of its relations hold as can, within the walls."""
    offers = [(relation, options(scene, item, relation)) for relation in item.relations]
    best: Pose | None = None
    least = (len(item.relations) + 1, math.inf)
    for chosen in itertools.product(*(found or [Option()] for _, found in offers)):
        moved, bands = _settle(scene.room, item, chosen)
        unmet = tuple(
            relation
            for (relation, found), option in zip(offers, chosen, strict=True)
            if not found or not _met(moved, option)
        )
        way = math.dist(moved.location, item.location)
        way += _TURN_COST * abs(turn_between(item.rotation, moved.rotation))
        if (len(unmet), way) < least:
            least = (len(unmet), way)
            best = Pose(moved, freedom(bands), unmet)
    assert best is not None  # the product of no offers is one empty choice
    return best


def _settle(room: Room, item: Item, chosen: Sequence[Option]) -> tuple[Item, list[Band]]:
    """The thing brought into the bands of the chosen options, one projection after the other."""
    yaw = item.rotation
    for option in reversed(chosen):  # the first to say a facing decides
        if option.yaw is not None:
            near = abs(turn_between(item.rotation, option.yaw)) <= _TURN_SLACK / 5
            yaw = item.rotation if near else option.yaw
    x, y, z = item.location
    bands = [*inside(room, item, yaw), *(band for option in chosen for band in option.bands)]
    for _ in range(3):
        for band in bands:
            way = band.miss(x, y)
            x, y = x + way * band.x, y + way * band.y
    for option in chosen:
        if option.bottom is not None:
            z = min(max(z, option.bottom[0]), option.bottom[1])
    z = min(max(z, 0.0), max(room.height - item.size[2], 0.0))
    if (x, y, z) == item.location and yaw == item.rotation:
        return item, bands
    return replace(item, location=(x, y, z), rotation=yaw), bands


def freedom(bands: Sequence[Band]) -> Floats:
    """The projector [2, 2] on the directions that no fixed band takes."""
    free = np.eye(2)
    for band in bands:
        if band.fixed:
            along = free @ (band.x, band.y)
            length = float(np.hypot(*along))
            if length > 0.05:
                along = along / length
                free = free - np.outer(along, along)
    return free
