"""Pictures of grids: one drawn sprite for each code of a cell, laid side by side.

Sprites are drawn once, large, with Pillow, then made small: a picture of 300 x 300 is a copy of a
few tiles. What stands on something is drawn on it, so that every code has a sprite of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from gymposium.types import Image

Pen: TypeAlias = Any
Layer = Callable[[Pen], None]
_SCALE = 4
_UNIT = 100
"""Sprites are drawn on a square of so many units, ``_SCALE`` pixels each."""


def _box(pen: Pen, at: Sequence[float], fill: Any, *, round: float = 0, line: Any = None) -> None:
    pen.rounded_rectangle(
        [_SCALE * x for x in at], _SCALE * round, fill, line, 2 * _SCALE if line else 0
    )


def _disc(pen: Pen, at: Sequence[float], fill: Any, *, line: Any = None, thick: float = 2) -> None:
    x, y, rx, ry = at
    pen.ellipse(
        [_SCALE * v for v in (x - rx, y - ry, x + rx, y + ry)],
        fill,
        line,
        int(thick * _SCALE) if line else 0,
    )


def _shape(pen: Pen, points: Sequence[tuple[float, float]], fill: Any) -> None:
    pen.polygon([(_SCALE * x, _SCALE * y) for x, y in points], fill)


def _stroke(pen: Pen, points: Sequence[tuple[float, float]], fill: Any, thick: float) -> None:
    pen.line([(_SCALE * x, _SCALE * y) for x, y in points], fill, int(thick * _SCALE), "curve")


def _wall(pen: Pen) -> None:
    _box(pen, (0, 0, 100, 100), (92, 74, 70))
    for row, shift in enumerate((0, -25, 0, -25)):
        for column in range(3):
            x, y = shift + 50 * column, 25 * row
            shade = (176, 108, 84) if (row + column) % 2 else (164, 98, 78)
            _box(pen, (x + 2, y + 2, x + 48, y + 23), shade, round=3)
            _box(pen, (x + 4, y + 3, x + 46, y + 7), (196, 130, 104), round=2)


def _floor(pen: Pen) -> None:
    _box(pen, (0, 0, 100, 100), (222, 210, 188))
    _box(pen, (1.5, 1.5, 98.5, 98.5), (233, 223, 204), round=4)
    for x, y in ((22, 30), (70, 22), (48, 62), (80, 80), (18, 82)):
        _disc(pen, (x, y, 2.2, 1.6), (220, 208, 186))


def _target(pen: Pen) -> None:
    _disc(pen, (50, 50, 33, 33), (214, 64, 58))
    _disc(pen, (50, 50, 24, 24), (248, 238, 222))
    _disc(pen, (50, 50, 15, 15), (214, 64, 58))
    _disc(pen, (50, 50, 6, 6), (248, 238, 222))


def _crate(light: Any, dark: Any) -> Layer:
    def draw(pen: Pen) -> None:
        _box(pen, (13, 17, 93, 95), (120, 104, 84), round=7)  # its shadow
        _box(pen, (9, 9, 91, 91), dark, round=7)
        for k in range(4):
            _box(pen, (19, 19 + 15.5 * k, 81, 33 + 15.5 * k), light, round=2)
        _stroke(pen, [(22, 22), (78, 78)], dark, 11)
        _stroke(pen, [(22, 22), (78, 78)], light, 6)
        for x, y in ((15, 15), (85, 15), (15, 85), (85, 85)):
            _disc(pen, (x, y, 3, 3), (60, 48, 38))

    return draw


def _tick(pen: Pen) -> None:
    _disc(pen, (74, 27, 19, 19), (255, 255, 255))
    _disc(pen, (74, 27, 16, 16), (34, 152, 96))
    _stroke(pen, [(66, 27), (72, 33), (83, 20)], (255, 255, 255), 5)


def _person(coat: Any, hat: Any) -> Layer:
    def draw(pen: Pen) -> None:
        _disc(pen, (50, 90, 27, 6), (120, 112, 100))
        _box(pen, (36, 72, 47, 92), (62, 62, 84), round=4)
        _box(pen, (53, 72, 64, 92), (62, 62, 84), round=4)
        _box(pen, (29, 46, 71, 80), coat, round=13)
        _box(pen, (21, 49, 33, 72), coat, round=6)
        _box(pen, (67, 49, 79, 72), coat, round=6)
        _disc(pen, (27, 73, 6, 6), (246, 208, 172))
        _disc(pen, (73, 73, 6, 6), (246, 208, 172))
        _disc(pen, (50, 33, 20, 20), (246, 208, 172))
        _disc(pen, (43, 36, 3, 4), (40, 36, 40))
        _disc(pen, (57, 36, 3, 4), (40, 36, 40))
        _stroke(pen, [(44, 44), (50, 47), (56, 44)], (170, 90, 80), 2)
        pen.pieslice([_SCALE * v for v in (28, 8, 72, 50)], 180, 360, hat)
        _box(pen, (25, 26, 75, 32), hat, round=3)

    return draw


def _elf(pen: Pen) -> None:
    _person((46, 140, 82), (46, 140, 82))(pen)
    _shape(pen, [(30, 28), (70, 28), (57, 1)], (46, 140, 82))
    _box(pen, (26, 25, 74, 32), (250, 250, 250), round=3)
    _disc(pen, (57, 4, 5, 5), (250, 250, 250))


def _ice(pen: Pen) -> None:
    _box(pen, (0, 0, 100, 100), (190, 218, 236))
    _box(pen, (1.5, 1.5, 98.5, 98.5), (214, 235, 247), round=5)
    _stroke(pen, [(12, 30), (34, 12)], (240, 249, 254), 4)
    _stroke(pen, [(16, 44), (50, 14)], (240, 249, 254), 3)
    _stroke(pen, [(64, 90), (74, 72), (90, 64)], (186, 214, 232), 2)
    _stroke(pen, [(74, 72), (70, 60)], (186, 214, 232), 2)


def _hole(pen: Pen) -> None:
    rim = [(50, 12), (74, 18), (90, 38), (86, 66), (66, 86), (38, 88), (14, 70), (10, 40), (26, 20)]
    _shape(pen, rim, (244, 251, 255))
    inner = [(50 + (x - 50) * 0.86, 50 + (y - 50) * 0.86) for x, y in rim]
    _shape(pen, inner, (28, 66, 112))
    deep = [(50 + (x - 50) * 0.62, 54 + (y - 50) * 0.62) for x, y in rim]
    _shape(pen, deep, (16, 42, 80))
    _stroke(pen, [(30, 44), (40, 40), (50, 44)], (96, 146, 190), 3)
    _stroke(pen, [(52, 62), (62, 58), (72, 62)], (72, 120, 168), 3)


def _gift(pen: Pen) -> None:
    _disc(pen, (50, 88, 34, 6), (150, 170, 184))
    _box(pen, (20, 42, 80, 88), (208, 52, 60), round=4)
    _box(pen, (15, 32, 85, 48), (226, 74, 78), round=4)
    _box(pen, (43, 32, 57, 88), (250, 206, 74))
    for side in (-1, 1):
        _disc(pen, (50 + 13 * side, 23, 12, 9), (250, 206, 74))
        _disc(pen, (50 + 13 * side, 23, 6, 4), (208, 160, 40))
    _disc(pen, (50, 27, 6, 6), (250, 206, 74))


def _sinking(pen: Pen) -> None:
    _shape(pen, [(34, 56), (66, 56), (55, 26)], (46, 140, 82))
    _disc(pen, (55, 28, 5, 5), (250, 250, 250))
    _box(pen, (31, 52, 69, 60), (250, 250, 250), round=4)
    _disc(pen, (50, 66, 24, 6), None, line=(150, 196, 228), thick=3)
    for x in (22, 78):
        _box(pen, (x - 4, 40, x + 4, 64), (246, 208, 172), round=4)


def _cheering(pen: Pen) -> None:
    _gift(pen)
    for x, y in ((14, 16), (86, 16), (50, 8)):
        points = [(x, y - 9), (x + 3, y - 3), (x + 9, y), (x + 3, y + 3)]
        points += [(x, y + 9), (x - 3, y + 3), (x - 9, y), (x - 3, y - 3)]
        _shape(pen, points, (250, 206, 74))


def _fog(pen: Pen) -> None:
    _box(pen, (0, 0, 100, 100), (72, 78, 92))
    for x, y, wide in ((26, 34, 30), (70, 62, 34), (40, 84, 24), (84, 18, 22)):
        _disc(pen, (x, y, wide, wide / 2), (84, 91, 106))


_HELPER = _person((196, 72, 66), (120, 200, 160))
_WORKER = _person((45, 105, 205), (236, 184, 32))
SHEETS: dict[str, tuple[tuple[Layer, ...], ...]] = {
    "sokoban": (
        (_wall,),
        (_floor,),
        (_floor, _target),
        (_floor, _target, _crate((120, 186, 110), (66, 132, 70)), _tick),
        (_floor, _crate((222, 168, 96), (158, 104, 52))),
        (_floor, _WORKER),
        (_floor, _target, _WORKER),
    ),
    "frozen_lake": (
        (_ice,),
        (_ice, _hole),
        (_ice, _gift),
        (_ice, _elf),
        (_ice, _hole, _sinking),
        (_ice, _cheering, _elf),
    ),
}
"""The layers of every code's sprite, by world."""
SHEETS["pair_sokoban"] = (
    *SHEETS["sokoban"],
    (_floor, _HELPER),
    (_floor, _target, _HELPER),
    (_fog,),
)


@cache
def sheet(name: str, size: int) -> Any:
    """The sprites of a world at ``size`` pixels: uint8 ``[codes, size, size, 3]``."""
    from PIL import Image as Pictures

    made = [_sprite(layers, size, Pictures) for layers in SHEETS[name]]
    tiles = np.stack(made)
    tiles.flags.writeable = False
    return tiles


def _sprite(layers: Sequence[Layer], size: int, pictures: Any) -> Any:
    from PIL import ImageDraw

    side = _SCALE * _UNIT
    canvas = pictures.new("RGB", (side, side))
    pen = ImageDraw.Draw(canvas)
    for draw in layers:
        draw(pen)
    return np.asarray(canvas.resize((size, size), pictures.Resampling.LANCZOS))


def picture(name: str, codes: Any, pixels: int) -> Image:
    """A grid in sprites.

    Args:
        name: of the sheet.
        codes: uint8 ``[H, W]``.
        pixels: of the longer side; what does not divide evenly is left out.

    Returns:
        uint8 ``[H size, W size, 3]``, fresh.
    """
    height, width = codes.shape
    size = pixels // max(height, width)
    tiles = sheet(name, size)[codes]
    laid: Image = tiles.swapaxes(1, 2).reshape(height * size, width * size, 3)
    return laid
