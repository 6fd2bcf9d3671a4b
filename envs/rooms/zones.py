"""Floor that should stay clear: before doors, before fronts, and under windows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .catalogue import category
from .prisms import Floats, Prism, box
from .relations import half_sizes
from .scene import Item, Opening, Scene

DOOR_DEPTH = 0.9
"""Metres before a door, over its width, in which nothing may stand."""
_LOW = 0.03
"""Metres below which one steps over a thing (a rug, a mat)."""


class Zone(NamedTuple):
    """A box along the axes of the room: from and to, on each."""

    x: tuple[float, float]
    y: tuple[float, float]
    z: tuple[float, float]

    def shares(self, other: Zone) -> float:
        """The volume [m³] shared with another."""
        result = 1.0
        for (a, b), (c, d) in zip(self, other, strict=True):
            side = min(b, d) - max(a, c)
            if side <= 0.0:
                return 0.0
            result *= side
        return result

    @property
    def volume(self) -> float:
        """Cubic metres."""
        return math.prod(high - low for low, high in self)

    def prism(self) -> Prism:
        """The zone as a body."""
        return box(self.x, self.y, self.z)


def all_shares(some: Sequence[Zone], others: Sequence[Zone]) -> Floats:
    """:meth:`Zone.shares` of each of some with each of others, ``[N, M]``."""
    first, second = np.array(some)[:, None], np.array(others)[None]
    sides = np.minimum(first[..., 1], second[..., 1]) - np.maximum(first[..., 0], second[..., 0])
    x, y, z = np.moveaxis(np.maximum(sides, 0.0), -1, 0)
    return np.asarray(x * y * z)


def zone_of(item: Item) -> Zone:
    """The box along the axes about a thing."""
    x, y, z = item.location
    hx, hy = half_sizes(item)
    return Zone((x - hx, x + hx), (y - hy, y + hy), (z, z + item.size[2]))


def door_zones(scene: Scene) -> tuple[Zone, ...]:
    """What must stay clear before each door."""
    doors = (opening for opening in scene.openings if opening.kind == "door")
    return tuple(before(door, DOOR_DEPTH) for door in doors)


def before(opening: Opening, depth: float) -> Zone:
    """The space ``depth`` metres into the room over the whole opening."""
    x, y, z = opening.location
    ahead = (math.cos(opening.rotation), math.sin(opening.rotation))
    half = opening.size[1] / 2
    spans = []
    for at, way, across in ((x, ahead[0], ahead[1]), (y, ahead[1], ahead[0])):
        ends = (at - abs(across) * half, at + abs(across) * half)
        spans.append((ends[0] + min(way, 0.0) * depth, ends[1] + max(way, 0.0) * depth))
    return Zone(spans[0], spans[1], (max(z, _LOW), z + opening.size[2]))


def front_zone(item: Item) -> Zone | None:
    """The strip before a thing's front that its use needs, None for things without a front."""
    reach = category(item.category).reach
    if reach <= 0:
        return None
    low = item.location[2] + _LOW
    # A shoulder past each edge does not block.
    return strip(item, reach, 0.4 * item.size[1], (low, low + item.size[2]))


def strip(item: Item, reach: float, half: float, z: tuple[float, float]) -> Zone:
    """The space ``reach`` metres ahead of a thing, ``half`` metres to each side of its middle."""
    c, s = math.cos(item.rotation), math.sin(item.rotation)
    way = item.size[0] / 2 + reach / 2
    hx = abs(c) * reach / 2 + abs(s) * half
    hy = abs(s) * reach / 2 + abs(c) * half
    x, y = item.location[0] + way * c, item.location[1] + way * s
    return Zone((x - hx, x + hx), (y - hy, y + hy), z)


def belongs(scene: Scene, a: Item, b: Item) -> bool:
    """Whether one of two things is related to the other, directly or by what it rests on."""
    family = {a.id, *([a.supporter] if a.supporter else [])}
    kin = {b.id, *([b.supporter] if b.supporter else [])}
    return (
        bool(family & kin)
        or any(r.parent in kin for r in a.relations)
        or any(r.parent in family for r in b.relations)
    )
