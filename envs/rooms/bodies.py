"""Things as bodies in the room: parts, footprint, bounds and surfaces at their poses."""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np

from .catalogue import category, model
from .prisms import Floats, Prism, hull, turned
from .scene import Item, Scene

INNER = 0.5
"""Headroom [m] from which a surface is a top, and not a board inside a thing."""


class Support(NamedTuple):
    """A level rectangle in the room that carries things: its centre, size along ``yaw``, height."""

    centre: tuple[float, float]
    size: tuple[float, float]
    z: float
    headroom: float
    yaw: float

    @property
    def inner(self) -> bool:
        """Whether it is a board inside, with walls or posts about what stands there."""
        return self.headroom < INNER

    def local(self, x: float, y: float) -> tuple[float, float]:
        """A point of the room in the frame of the rectangle, from its centre."""
        dx, dy = x - self.centre[0], y - self.centre[1]
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        return c * dx + s * dy, c * dy - s * dx

    def outward(self, x: float, y: float) -> tuple[float, float]:
        """The point of the room at (x, y) in the frame of the rectangle."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        return self.centre[0] + c * x - s * y, self.centre[1] + s * x + c * y

    @property
    def outline(self) -> Floats:
        """The corners [4, 2], counter-clockwise."""
        a, b = self.size[0] / 2, self.size[1] / 2
        return turned(np.array([(-a, -b), (a, -b), (a, b), (-a, b)]), self.yaw) + self.centre


@functools.lru_cache(maxsize=8192)
def parts(item: Item) -> tuple[Prism, ...]:
    """The disjoint prisms that a thing is made of, where it stands.

    Raises:
        UnknownName: the catalogue does not have its category.
    """
    x, y, z = item.location
    built = model(item.category, item.size, item.style)
    return tuple(part.moved(x, y, z, item.rotation) for part in built.parts)


@functools.lru_cache(maxsize=4096)
def _local_footprint(name: str, size: tuple[float, float, float], style: int) -> Floats:
    return hull(np.concatenate([part.outline for part in model(name, size, style).parts]))


def footprint(item: Item) -> Floats:
    """The convex hull [N, 2] of a thing seen from above."""
    local = _local_footprint(item.category, item.size, item.style)
    return turned(local, item.rotation) + item.location[:2]


def supports(item: Item) -> tuple[Support, ...]:
    """The surfaces of a thing that can carry others, lowest first."""
    x, y, z = item.location
    built = model(item.category, item.size, item.style)
    found = []
    for surface in sorted(built.surfaces, key=lambda s: s.z):
        cx, cy = turned(np.array([surface.centre]), item.rotation)[0]
        centre = (x + float(cx), y + float(cy))
        found.append(Support(centre, surface.size, z + surface.z, surface.headroom, item.rotation))
    return tuple(found)


@functools.lru_cache(maxsize=4096)
def _local_mass(name: str, size: tuple[float, float, float], style: int) -> tuple[float, ...]:
    built = model(name, size, style).parts
    volumes = np.array([part.volume for part in built])
    x, y, z = volumes @ np.array([part.centroid for part in built]) / volumes.sum()
    return float(volumes.sum()), float(x), float(y), float(z)


def volume(item: Item) -> float:
    """Cubic metres of its parts."""
    return _local_mass(item.category, item.size, item.style)[0]


def mass(item: Item) -> float:
    """Kilograms, by its category's density."""
    return volume(item) * category(item.category).density


def centre_of_mass(item: Item) -> tuple[float, float, float]:
    """Where its weight acts, in the room."""
    _, x, y, z = _local_mass(item.category, item.size, item.style)
    (dx, dy) = turned(np.array([(x, y)]), item.rotation)[0]
    return item.location[0] + float(dx), item.location[1] + float(dy), item.location[2] + z


def bodies(scene: Scene) -> list[tuple[Prism, ...]]:
    """The parts of every thing of a scene, in its order."""
    return [parts(item) for item in scene]
