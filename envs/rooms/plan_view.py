"""The plan of a room with everything labelled: the top view with marks that planners look at.

Metres along both axes, walls, doors with their swing, windows, every thing in its own colours under
an outline, with its id and an arrow where its front is (SceneWeaver's marked top view, arXiv
2509.20414). Things that collide or stand out of the room can be marked in red.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..limits import whole
from ..palette import INK, PAPER, QUIET, Colour
from ..text_card import font, printable
from .bodies import footprint, parts
from .catalogue import Mount, category
from .contacts import collisions, is_rug, outside
from .decor import finish_of
from .prisms import Floats
from .scene import Item, Opening, Scene

if TYPE_CHECKING:
    from gymposium.types import Image

LONGEST_LABEL = 22
"""Letters of an id that are shown."""
SIZES = (32, 2048)
_WALL = 0.12
_RED: Colour = (214, 40, 40)
_SKY: Colour = (150, 190, 220)
_AWAY = tuple((dx, dy) for r in (0, 1, 2, 3) for dx in (0, -1, 1) for dy in (-r, r))


class _Sheet(NamedTuple):
    """Where metres are on the picture (y goes up), and how wide a thin line is."""

    zoom: float
    left: float
    bottom: float
    thin: int = 1

    def at(self, x: float, y: float) -> tuple[float, float]:
        return self.left + self.zoom * x, self.bottom - self.zoom * y

    def all(self, points: Floats) -> list[tuple[float, float]]:
        return [self.at(float(x), float(y)) for x, y in points]


def plan_view(scene: Scene, *, size: int = 512, labels: bool = True, marks: bool = False) -> Image:
    """The room from above as uint8 ``[size, size, 3]``; equal scenes give equal pictures.

    Args:
        scene: what to draw.
        size: of the picture in pixels, 32 to 2048; below 256 no letter can be read.
        labels: whether ids are written.
        marks: whether what collides or stands out of the room is outlined in red.

    Raises:
        UsageError: no such size.
    """
    from PIL import Image as Pictures
    from PIL import ImageDraw

    sheet = _sheet(scene, whole("the plan of a room", "size", size, *SIZES))
    times = 3 if size <= 1024 else 2  # drawn finer than wanted, but for letters
    fine = _Sheet(times * sheet.zoom, times * sheet.left, times * sheet.bottom, times)
    sketch = Pictures.new("RGB", (size * times, size * times), PAPER)
    pen = ImageDraw.Draw(sketch)
    _draw_room(pen, scene, fine)
    faulty = _faulty(scene) if marks else frozenset()
    stacked = sorted(scene, key=lambda i: (not is_rug(i), i.location[2], i.size[2], i.id))
    for item in stacked:
        _draw_item(pen, item, fine)
    for item in stacked:
        if item.id in faulty:
            outline = fine.all(footprint(item))
            pen.line([*outline, *outline[:2]], _RED, 3 * times, joint="curve")
    picture = sketch.resize((size, size), Pictures.Resampling.BOX)
    pen = ImageDraw.Draw(picture)
    _write_axes(pen, scene, sheet)
    if labels:
        _write_labels(pen, stacked, faulty, sheet, size)
    return np.asarray(picture, np.uint8).copy()


def _sheet(scene: Scene, size: int) -> _Sheet:
    """The room in the middle, with a margin for what is written beside it."""
    x, y = scene.room.size
    margin = min(max(26.0, 0.07 * size), 0.2 * size)
    zoom = (size - 1.6 * margin) / (max(x, y) + 2 * _WALL)
    spare = size - 1.6 * margin
    left = margin + (spare - zoom * (x + 2 * _WALL)) / 2 + zoom * _WALL
    bottom = size - margin - (spare - zoom * (y + 2 * _WALL)) / 2 - zoom * _WALL
    return _Sheet(zoom, left, bottom)


def _faulty(scene: Scene) -> frozenset[str]:
    pairs = collisions(scene)
    return frozenset({name for pair in pairs for name in (pair.a, pair.b)}.union(outside(scene)))


def _rectangle(pen: Any, sheet: _Sheet, corners: Sequence[float], fill: Colour) -> None:
    x0, y0, x1, y1 = corners
    (left, low), (right, high) = sheet.at(x0, y0), sheet.at(x1, y1)
    pen.rectangle((left, high, right, low), fill)


def _draw_room(pen: Any, scene: Scene, sheet: _Sheet) -> None:
    x, y = scene.room.size
    _rectangle(pen, sheet, (-_WALL, -_WALL, x + _WALL, y + _WALL), (92, 94, 100))
    red, green, blue = finish_of(scene.room).floor
    pale = ((red + 255) // 2, (green + 255) // 2, (blue + 255) // 2)
    _rectangle(pen, sheet, (0, 0, x, y), pale)
    line = tuple(part - 14 for part in pale)
    for metre in range(1, math.ceil(x)):
        pen.line((*sheet.at(metre, 0), *sheet.at(metre, y)), line, sheet.thin)
    for metre in range(1, math.ceil(y)):
        pen.line((*sheet.at(0, metre), *sheet.at(x, metre)), line, sheet.thin)
    for opening in scene.openings:
        _draw_opening(pen, opening, sheet, pale)


def _draw_opening(pen: Any, opening: Opening, sheet: _Sheet, floor: Colour) -> None:
    """A gap in the wall: with panes for a window, with its leaf and swing for a door."""
    (x, y, _), half = opening.location, opening.size[1] / 2
    ahead = np.array([math.cos(opening.rotation), math.sin(opening.rotation)])
    along = np.array([-ahead[1], ahead[0]])
    middle = np.array([x, y])
    gap = [
        middle + s * half * along - d * ahead for s, d in ((1, 0), (-1, 0), (-1, _WALL), (1, _WALL))
    ]
    door = opening.kind == "door"
    pen.polygon(sheet.all(np.array(gap)), floor if door else (250, 250, 250))
    if not door:
        for deep in (0.35 * _WALL, 0.65 * _WALL):
            ends = np.array([middle + s * half * along - deep * ahead for s in (1, -1)])
            pen.line(sheet.all(ends), _SKY, 2 * sheet.thin)
        return
    hinge = middle + half * along
    turns = np.linspace(0, math.pi / 2, 25)[:, None]
    swing = hinge + 2 * half * (np.sin(turns) * ahead - np.cos(turns) * along)
    pen.line(sheet.all(swing), QUIET, sheet.thin)
    pen.line(sheet.all(np.array([hinge, hinge + 2 * half * ahead])), INK, 2 * sheet.thin)


def _draw_item(pen: Any, item: Item, sheet: _Sheet) -> None:
    """Its parts from the lowest up, the outline about them, and an arrow at its front."""
    hangs = category(item.category).mount is Mount.CEILING  # one looks through to what is below
    for part in () if hangs else sorted(parts(item), key=lambda part: part.z1):
        pen.polygon(sheet.all(part.outline), part.colour)
    outline = sheet.all(footprint(item))
    thin = hangs or min(item.size[:2]) < 0.3
    pen.line([*outline, *outline[:2]], INK, sheet.thin if thin else 2 * sheet.thin)
    if not category(item.category).front:
        return
    ahead = np.array([math.cos(item.rotation), math.sin(item.rotation)])
    tip = np.array(item.location[:2]) + (item.size[0] / 2 + 0.13) * ahead
    aside = np.array([-ahead[1], ahead[0]])
    head = np.array([tip, tip - 0.11 * ahead + 0.08 * aside, tip - 0.11 * ahead - 0.08 * aside])
    pen.polygon(sheet.all(head), (36, 92, 190))


def _write_axes(pen: Any, scene: Scene, sheet: _Sheet) -> None:
    x, y = scene.room.size
    left, bottom = sheet.at(-_WALL, -_WALL)
    right, top = sheet.at(x + _WALL, y + _WALL)
    for metre in range(math.floor(x) + 1):
        at = sheet.at(metre, 0)[0]
        pen.line((at, bottom + 2, at, bottom + 6), INK)
        pen.text((at, bottom + 8), str(metre), INK, font(11), anchor="mt")
    for metre in range(math.floor(y) + 1):
        at = sheet.at(0, metre)[1]
        pen.line((left - 6, at, left - 2, at), INK)
        pen.text((left - 9, at), str(metre), INK, font(11), anchor="rm")
    pen.text((right, bottom + 20), "x [m]", QUIET, font(11), anchor="rt")
    pen.text((left, top - 4), "y [m]", QUIET, font(11), anchor="rb")


def _write_labels(
    pen: Any, items: Sequence[Item], faulty: frozenset[str], sheet: _Sheet, size: int
) -> None:
    """Every id where it fits best: at its thing, else beside it with a line to it."""
    letters = font(10 if size < 700 else 13)
    most = min(LONGEST_LABEL, size // 12)
    taken: list[tuple[float, float, float, float]] = []
    for item in sorted(items, key=lambda item: (-item.size[0] * item.size[1], item.id)):
        word = printable(item.id)
        if len(word) > most:
            word = word[: most - 2] + ".."
        wide, tall = letters.getlength(word) + 4, letters.size + 3
        x, y = sheet.at(*item.location[:2])
        best = min(
            (
                _boxed(x + dx * 0.6 * wide, y + dy * (tall + 1), wide, tall, size)
                for dx, dy in _AWAY
            ),
            key=lambda box: (
                sum(_common(box, other) for other in taken),
                math.dist(_middle(box), (x, y)),
            ),
        )
        taken.append(best)
        middle = _middle(best)
        if math.dist(middle, (x, y)) > tall:
            start = min(max(x, 1), size - 2), min(max(y, 1), size - 2)
            pen.line((*start, *middle), QUIET)
        colour = _RED if item.id in faulty else INK
        pen.rectangle(best, PAPER, QUIET if item.id not in faulty else _RED)
        pen.text(middle, word, colour, letters, anchor="mm")


Box = tuple[float, float, float, float]


def _boxed(x: float, y: float, wide: float, tall: float, size: int) -> Box:
    """A box about a point, pushed into the picture."""
    left = min(max(round(x - wide / 2), 1), size - math.ceil(wide) - 2)
    top = min(max(round(y - tall / 2), 1), size - math.ceil(tall) - 2)
    return left, top, left + math.ceil(wide), top + math.ceil(tall)


def _middle(box: Box) -> tuple[float, float]:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def _common(a: Box, b: Box) -> float:
    wide, tall = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    return max(wide, 0.0) * max(tall, 0.0)
