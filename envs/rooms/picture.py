"""Pictures of furnished rooms as one would show them: soft daylight, the near walls cut away.

Every part of every thing is drawn as the prism that it is; floor and walls have the finish of the
type of room. From outside, the walls between the eye and the room are cut down to a low rim, and
what hangs on them is left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gymposium.errors import UnknownName

from ..limits import whole
from ..scenes import solids
from ..scenes.camera import Camera
from ..scenes.daylight import Day, soft_look
from ..scenes.solids import Solids, about_z
from .bodies import parts
from .catalogue import Mount, category
from .decor import THICK, build_shell
from .prisms import Floats, Prism
from .relations import turn_between
from .scene import Item, Room, Scene, Wall, wall_of, walls

if TYPE_CHECKING:
    from gymposium.types import Image

_CORNERS = {
    "south_west": (1.0, 1.0),
    "south_east": (-1.0, 1.0),
    "north_east": (-1.0, -1.0),
    "north_west": (1.0, -1.0),
}
VIEWS = ("corner", "opposite", "door", "above", *_CORNERS)
"""From above the corner that most things face, from across, from the door, straight down, or from
above a given corner."""
SIZES = (16, 2048)
EYE = 1.6
"""Height [m] of an eye in the door."""
_LENS = 26.0
_MANY = 2_000_000
"""Pixels above which a picture is drawn no finer than it is wanted."""
_CEILING = (250, 248, 243)


def draw(scene: Scene, *, view: str = "corner", width: int = 640, height: int = 480) -> Image:
    """The room as uint8 ``[height, width, 3]``; equal scenes give equal pictures.

    Args:
        scene: what to draw.
        view: one of :data:`VIEWS`.
        width: of the picture in pixels, 16 to 2048.
        height: likewise.

    Raises:
        UnknownName: there is no such view.
        UsageError: no such size.
    """
    for name, pixels in (("width", width), ("height", height)):
        whole("the picture of a room", name, pixels, *SIZES)
    stand = _stand(scene, view, width / height)
    made = Solids()
    build_shell(made, scene, stand.cut, rims=not stand.ceiling)
    for index, item in enumerate(scene):
        if _shows(scene, item, stand):
            for part in parts(item):
                _add_prism(made, part, index, flat=category(item.category).mount is Mount.RUG)
    day = Day(sun=stand.sun, rays=48)
    if stand.ceiling:
        day = day._replace(beyond=_CEILING)
    fine = 2 if width * height <= _MANY else 1
    seen = soft_look(made.scene(), stand.camera, day, width=width, height=height, fine=fine)
    return seen.picture


def camera_of(
    scene: Scene, view: str, aspect: float
) -> tuple[Camera, frozenset[str], frozenset[str]]:
    """The camera of a view, the names of the walls that are cut for it, the ids not drawn.

    Args:
        scene: what is drawn.
        view: one of :data:`VIEWS`.
        aspect: width over height of the picture.

    Raises:
        UnknownName: there is no such view.
    """
    stand = _stand(scene, view, aspect)
    hidden = frozenset(item.id for item in scene if not _shows(scene, item, stand))
    return stand.camera, stand.cut, hidden


@dataclass(frozen=True)
class _Stand:
    """Where the camera stands, where the sun does, and which walls and lamps it makes us cut."""

    camera: Camera
    sun: tuple[float, float, float]
    cut: frozenset[str]
    ceiling: bool = False
    lamps: bool = True


def _stand(scene: Scene, view: str, aspect: float) -> _Stand:
    if view in ("corner", "opposite"):
        view = _corner(scene, across=view == "opposite")
    if view in _CORNERS:
        way, far = _CORNERS[view], frozenset(view.split("_"))
        ahead = np.array([0.7 * way[0], 0.72 * way[1], -0.66])
        # the light comes over the camera's left shoulder
        sun = (-0.2 * way[0] + 0.75 * way[1], -0.75 * way[0] - 0.2 * way[1], 1.25)
        return _Stand(_framed(scene.room, ahead, aspect, far), sun, far)
    if view == "above":
        every = frozenset(wall.name for wall in walls(scene.room))
        camera = _framed(scene.room, np.array([0.0, 0.002, -1.0]), aspect, every, lens=9.0)
        return _Stand(camera, (-0.45, 0.5, 1.3), every, lamps=False)
    if view == "door":
        return _at_door(scene, aspect)
    raise UnknownName("view", view, VIEWS)


def _at_door(scene: Scene, aspect: float) -> _Stand:
    """An eye in the first door, or in the middle of the south wall, that looks across the room."""
    (x, y), doors = scene.room.size, [o for o in scene.openings if o.kind == "door"]
    wall = wall_of(scene.room, doors[0]) if doors else walls(scene.room)[1]
    at = np.array(doors[0].location[:2] if doors else (x / 2, 0.0)) - np.multiply(0.1, wall.normal)
    way = np.array([x / 2, y / 2]) + np.multiply(0.15, wall.normal) - at
    ahead = (float(way[0]), float(way[1]), -0.22 * float(np.hypot(*way)))
    wide = math.degrees(2 * math.atan(math.tan(math.radians(40)) / max(aspect, 1.0)))
    camera = Camera((float(at[0]), float(at[1]), EYE), ahead, wide)
    sun = (-0.8 * wall.normal[0] + 0.3, -0.8 * wall.normal[1] + 0.2, 1.2)
    return _Stand(camera, sun, frozenset({wall.name}), ceiling=True)


def _corner(scene: Scene, *, across: bool) -> str:
    """The corner that the fronts of things face most, by the area of each front."""

    def faced(name: str) -> float:
        x, y = _CORNERS[name]
        fronts = (i for i in scene if category(i.category).front)
        return sum(
            -(x * math.cos(i.rotation) + y * math.sin(i.rotation)) * i.size[1] * i.size[2]
            for i in fronts
        )

    names = list(_CORNERS)
    best = names.index(max(names, key=lambda name: round(faced(name), 6)))
    return names[(best + 2 * across) % 4]


def _framed(
    room: Room, ahead: Floats, aspect: float, cut: frozenset[str], lens: float = _LENS
) -> Camera:
    """The camera that looks along ``ahead`` and just has the whole room in its picture."""
    (x, y), tall = room.size, room.height
    shown = [(a, b, 0.0) for a in (-THICK, x + THICK) for b in (-THICK, y + THICK)]
    for wall in walls(room):
        if wall.name not in cut or len(cut) == 4:  # seen from above, tall things lean outwards
            shown += [(*end, tall) for end in _ends(room, wall)]
    points = np.array(shown)
    axes = Camera((0.0, 0.0, 0.0), tuple(ahead.tolist()), lens).axes
    flat = points @ axes.T
    up = math.tan(math.radians(lens) / 2) / 1.06
    aside = up * aspect
    middle = (flat.min(axis=0) + flat.max(axis=0)) / 2
    for _ in range(8):  # perspective moves the edges, so centre and distance settle together
        away = flat - middle
        far = np.maximum(np.abs(away[:, 1]) / aside, np.abs(away[:, 2]) / up) - away[:, 0]
        seen = away[:, 1:] / (away[:, :1] + far.max())
        middle[1:] += far.max() * (seen.min(axis=0) + seen.max(axis=0)) / 2
    eye = (middle - np.array([far.max(), 0.0, 0.0])) @ axes
    return Camera(tuple(eye.tolist()), tuple(ahead.tolist()), lens)


def _ends(room: Room, wall: Wall) -> Iterator[tuple[float, float]]:
    x, y = room.size
    for a in (0.0, x) if not wall.normal[0] else (max(0.0, -wall.offset),):
        for b in (0.0, y) if wall.normal[0] else (max(0.0, -wall.offset),):
            yield a, b


def _shows(scene: Scene, item: Item, stand: _Stand) -> bool:
    """Whether a thing is drawn: not on a cut wall, nor where one looks through the ceiling."""
    mount = category(item.category).mount
    if mount is Mount.CEILING:
        return stand.lamps
    if mount is not Mount.WALL:
        return True
    own = min(walls(scene.room), key=lambda w: (abs(turn_between(w.yaw, item.rotation)), w.name))
    return own.name not in stand.cut


def _add_prism(made: Solids, part: Prism, thing: int, *, flat: bool) -> None:
    """A part as the solid that it is: a box, something round, or else a prism over its outline."""
    low, high = part.outline.min(axis=0), part.outline.max(axis=0)
    at, tall = (low + high) / 2, (part.z1 - part.z0) / 2
    outline, turn = part.outline - at, None
    kind, half = solids.PRISM, (high - low) / 2
    round_ = _round(outline)
    if round_ is not None:
        kind, (half, yaw) = solids.CYLINDER, round_
        turn = about_z(yaw)
    elif _upright(outline):
        (ax, ay), (bx, by) = outline[1] - outline[0], outline[2] - outline[1]
        kind, half = solids.BOX, np.array([math.hypot(ax, ay), math.hypot(bx, by)]) / 2
        turn = about_z(math.atan2(ay, ax))
    made.add(
        kind,
        (float(at[0]), float(at[1]), (part.z0 + part.z1) / 2),
        (float(half[0]), float(half[1]), tall),
        part.colour,
        turn=turn,
        outline=outline if kind == solids.PRISM else None,
        thing=thing,
        casts=not flat,
    )


def _upright(outline: Floats) -> bool:
    """Whether an outline is a rectangle."""
    if len(outline) != 4:
        return False
    sides = np.roll(outline, -1, axis=0) - outline
    across = np.abs((sides * np.roll(sides, -1, axis=0)).sum(axis=1))
    return bool((across < 1e-9).all())


def _round(outline: Floats) -> tuple[Floats, float] | None:
    """Half axes and turn of the ellipse that an outline about its middle goes round, if it does."""
    if len(outline) < 8:
        return None
    values, axes = np.linalg.eigh(2 * np.cov(outline.T, bias=True))
    if values[0] <= 0:
        return None
    half = np.sqrt(values)
    unit = outline @ axes / half
    sides = np.hypot(*(np.roll(unit, -1, axis=0) - unit).T)
    if np.ptp(sides) > 0.02 or np.abs(np.hypot(*unit.T) - 1).max() > 0.02:
        return None
    return half, math.atan2(axes[1, 0], axes[0, 0])
