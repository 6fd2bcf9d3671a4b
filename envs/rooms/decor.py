"""Floor, walls, doors and windows of a room as solids, in the finish of its type."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import NamedTuple

from ..scenes import solids
from ..scenes.solids import Paint, Solids, about_z
from .scene import Opening, Room, Scene, Wall, wall_of, walls

THICK = 0.1
"""Metres of a wall."""
_RIM = 0.06
"""Height [m] at which a wall is cut."""
_TRIM: Paint = (248, 246, 242)
_STEEL: Paint = (150, 152, 156)
_BASE: Paint = (206, 200, 192)
_EDGE = 0.06
"""Metres of the frame about an opening."""


class Finish(NamedTuple):
    """What floor and walls are made of; ``grain`` is the width [m] of a plank or tile."""

    floor: Paint
    pattern: int
    grain: float
    wall: Paint


_PLANKS = (solids.PLANKS, 0.14)
_PLAIN = Finish((206, 176, 138), *_PLANKS, (236, 231, 222))
FINISHES: dict[str, Finish] = {
    "bedroom": Finish((208, 176, 136), *_PLANKS, (214, 220, 224)),
    "living_room": Finish((196, 156, 112), *_PLANKS, (234, 228, 216)),
    "dining_room": Finish((186, 144, 102), *_PLANKS, (220, 218, 202)),
    "kitchen": Finish((222, 216, 206), solids.TILES, 0.4, (238, 230, 210)),
    "bathroom": Finish((196, 208, 212), solids.TILES, 0.3, (216, 230, 232)),
    "laundry_room": Finish((206, 208, 206), solids.TILES, 0.33, (224, 230, 226)),
    "children_room": Finish((222, 194, 154), *_PLANKS, (240, 226, 196)),
    "office": Finish((172, 176, 180), solids.PLAIN, 1.0, (230, 231, 228)),
    "meeting_room": Finish((150, 160, 170), solids.PLAIN, 1.0, (234, 234, 232)),
    "gym": Finish((128, 134, 140), solids.TILES, 1.0, (228, 226, 222)),
    "restaurant": Finish((160, 116, 80), *_PLANKS, (224, 208, 186)),
    "waiting_room": Finish((202, 204, 200), solids.TILES, 0.6, (226, 232, 230)),
    "library": Finish((150, 106, 72), *_PLANKS, (222, 216, 198)),
    "hallway": Finish((202, 190, 172), solids.TILES, 0.45, (238, 232, 222)),
    "studio": Finish((200, 164, 122), *_PLANKS, (230, 228, 224)),
}
"""By type of room; others get oak and a warm white."""


def finish_of(room: Room) -> Finish:
    """The finish of a room's type."""
    return FINISHES.get(room.type, _PLAIN)


def build_shell(made: Solids, scene: Scene, cut: Collection[str], *, rims: bool) -> None:
    """Add floor, walls and what is in them.

    Args:
        made: what to add to.
        scene: the room.
        cut: names of the walls of which only a rim is left.
        rims: whether those and the edge of the floor are seen.
    """
    x, y = scene.room.size
    finish = finish_of(scene.room)
    made.add(
        solids.BOX,
        (x / 2, y / 2, -0.01),
        (x / 2, y / 2, 0.01),
        finish.floor,
        pattern=finish.pattern,
        grain=finish.grain,
        casts=False,
    )
    if rims:
        under = (x / 2 + THICK, y / 2 + THICK, 0.06)
        made.add(solids.BOX, (x / 2, y / 2, -0.0605), under, _BASE, casts=False)
    for wall in walls(scene.room):
        if wall.name not in cut:
            _build_wall(made, scene, wall, finish.wall, scene.room.height, solids.WALL)
        elif rims:
            _build_wall(made, scene, wall, finish.wall, _RIM, solids.PLAIN)


def _build_wall(
    made: Solids, scene: Scene, wall: Wall, paint: Paint, top: float, pattern: int
) -> None:
    """The wall up to ``top`` in pieces about its openings; whole openings are filled."""
    corner = THICK if wall.normal[0] else 0.0  # west and east walls take the corners
    openings = [o for o in scene.openings if wall_of(scene.room, o) == wall]
    at = -corner
    for opening in sorted(openings, key=lambda o: _along(wall, o)[0]):
        first, last = _along(wall, opening)
        low, high = opening.location[2], opening.location[2] + opening.size[2]
        _slab(made, wall, (at, first), (0.0, top), paint, pattern)
        _slab(made, wall, (first, last), (0.0, min(low, top)), paint, pattern)
        _slab(made, wall, (first, last), (high, top), paint, pattern)
        at = max(at, last)
        if high <= top:
            (_fill_door if opening.kind == "door" else _fill_window)(made, wall, opening)
    _slab(made, wall, (at, wall.length + corner), (0.0, top), paint, pattern)


def _along(wall: Wall, opening: Opening) -> tuple[float, float]:
    """From and to of an opening along its wall."""
    at = opening.location[1] if wall.normal[0] else opening.location[0]
    return at - opening.size[1] / 2, at + opening.size[1] / 2


def _slab(
    made: Solids,
    wall: Wall,
    along: tuple[float, float],
    z: tuple[float, float],
    paint: Paint,
    pattern: int = solids.PLAIN,
    deep: tuple[float, float] = (-THICK, 0.0),
) -> None:
    """A board in a wall: from and to along it, in height, and into the room; none if empty."""
    half = ((along[1] - along[0]) / 2, (deep[1] - deep[0]) / 2, (z[1] - z[0]) / 2)
    if min(half) <= 1e-6:
        return
    normal = wall.normal
    out = wall.offset + (deep[0] + deep[1]) / 2
    middle = (along[0] + along[1]) / 2
    if normal[0]:
        centre = (normal[0] * out, middle, (z[0] + z[1]) / 2)
    else:
        centre = (middle, normal[1] * out, (z[0] + z[1]) / 2)
    turn = about_z(wall.yaw - math.pi / 2)
    made.add(solids.BOX, centre, half, paint, turn=turn, pattern=pattern)


def _frame(made: Solids, wall: Wall, opening: Opening) -> None:
    first, last = _along(wall, opening)
    low, high = opening.location[2], opening.location[2] + opening.size[2]
    deep = (0.0, 0.015)
    for along in ((first - _EDGE, first), (last, last + _EDGE)):
        _slab(made, wall, along, (low, high), _TRIM, deep=deep)
    _slab(made, wall, (first - _EDGE, last + _EDGE), (high, high + _EDGE), _TRIM, deep=deep)


def _fill_window(made: Solids, wall: Wall, opening: Opening) -> None:
    first, last = _along(wall, opening)
    low, high = opening.location[2], opening.location[2] + opening.size[2]
    _slab(made, wall, (first, last), (low, high), _TRIM, solids.WINDOW, (-0.06, -0.03))
    _frame(made, wall, opening)
    sill = (first - _EDGE, last + _EDGE)
    _slab(made, wall, sill, (low - 0.04, low), _TRIM, deep=(0.0, 0.06))


def _fill_door(made: Solids, wall: Wall, opening: Opening) -> None:
    first, last = _along(wall, opening)
    tall = opening.size[2]
    leaf: Paint = (226, 214, 196)
    _slab(made, wall, (first, last), (0.0, tall), leaf, deep=(-0.07, -0.03))
    inner = (first + 0.13, last - 0.13)
    for z in ((0.12, 0.42 * tall), (0.5 * tall, tall - 0.13)):
        _slab(made, wall, inner, z, (216, 203, 184), deep=(-0.03, -0.022))
    handle = (last - 0.16, last - 0.05)
    _slab(made, wall, handle, (1.03, 1.05), _STEEL, deep=(-0.03, 0.02))
    _frame(made, wall, opening)
