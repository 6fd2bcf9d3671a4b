"""The room about the things: walls in rectangles round their doors and windows.

Every format needs the same cut: a wall without its openings falls into a few rectangles, which
become faces of a mesh or boxes of a simulator.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

from ..scene import Opening, Scene, Wall, wall_of

LEAST = 1e-6
"""Metres below which a strip of wall is none."""


class Panel(NamedTuple):
    """A rectangle of a wall: from and to along it, and in height [m]."""

    along: tuple[float, float]
    height: tuple[float, float]


def hole(scene: Scene, wall: Wall, opening: Opening) -> Panel | None:
    """What an opening takes out of its wall, None if it lies beside or above it."""
    x, y, z = opening.location
    middle = _along(wall, (x, y))
    half = opening.size[1] / 2
    along = max(0.0, middle - half), min(wall.length, middle + half)
    height = max(0.0, z), min(scene.room.height, z + opening.size[2])
    empty = along[1] - along[0] < LEAST or height[1] - height[0] < LEAST
    return None if empty else Panel(along, height)


def holes(scene: Scene, wall: Wall) -> list[tuple[Opening, Panel]]:
    """The openings of a wall and what each takes out of it."""
    own = [opening for opening in scene.openings if wall_of(scene.room, opening) == wall]
    found = ((opening, hole(scene, wall, opening)) for opening in own)
    return [(opening, panel) for opening, panel in found if panel is not None]


def panels(scene: Scene, wall: Wall) -> list[Panel]:
    """A wall without its openings, in rectangles that only touch; openings may overlap."""
    cut = [panel for _, panel in holes(scene, wall)]
    marks = sorted({0.0, wall.length, *(end for panel in cut for end in panel.along)})
    found = []
    for strip in itertools.pairwise(marks):
        if strip[1] - strip[0] < LEAST:
            continue
        middle = sum(strip) / 2
        taken = sorted(p.height for p in cut if p.along[0] < middle < p.along[1])
        found += [Panel(strip, free) for free in _free(taken, scene.room.height)]
    return found


def _free(taken: Sequence[tuple[float, float]], top: float) -> list[tuple[float, float]]:
    """The heights from 0 to ``top`` that no interval takes; these are sorted."""
    found, at = [], 0.0
    for low, high in [*taken, (top, top)]:
        if low - at >= LEAST:
            found.append((at, low))
        at = max(at, high)
    return found


def point(wall: Wall, along: float, out: float = 0.0) -> tuple[float, float]:
    """The point of the plane ``along`` metres down the wall, ``out`` metres behind its face."""
    x, y = wall.normal
    start = _start(wall)
    way = _direction(wall)
    return (
        start[0] + along * way[0] - out * x,
        start[1] + along * way[1] - out * y,
    )


def _direction(wall: Wall) -> tuple[float, float]:
    """Along the wall such that (direction, up, normal into the room) is right-handed."""
    x, y = wall.normal
    return -y, x


def _start(wall: Wall) -> tuple[float, float]:
    """The end of the wall from which its direction leads along it."""
    x, y = wall.normal
    way = _direction(wall)
    foot = (x * wall.offset, y * wall.offset)
    backwards = way[0] + way[1] < 0
    return (
        foot[0] - way[0] * wall.length * backwards,
        foot[1] - way[1] * wall.length * backwards,
    )


def _along(wall: Wall, at: tuple[float, float]) -> float:
    start, way = _start(wall), _direction(wall)
    return (at[0] - start[0]) * way[0] + (at[1] - start[1]) * way[1]


def yaw(wall: Wall) -> float:
    """The turn [rad] about z that brings x along the wall."""
    way = _direction(wall)
    return math.atan2(way[1], way[0])
