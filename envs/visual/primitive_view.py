"""Pictures of ``primitive_skill-v0``: table, cubes, cabinet, apple and arm, drawn everywhere.

The camera stands before the table and looks along -x at the arm, so that -y is left and +y right.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..scenes import solids
from ..scenes.camera import Camera, Light, look
from ..scenes.solids import Paint, Solids, along
from .primitive_table import CUBE, Drawer, Item, Place, Table

if TYPE_CHECKING:
    from gymposium.types import Image

COLOURS: Mapping[str, Paint] = {
    "red_cube": (214, 44, 40),
    "green_cube": (44, 160, 62),
    "purple_cube": (138, 62, 176),
    "apple": (206, 36, 46),
    "left_target": (232, 150, 140),
    "right_target": (150, 214, 160),
}
_WOOD: Paint = (204, 174, 138)
_STEEL: Paint = (96, 100, 108)
_ARM: Paint = (236, 238, 240)
_LIGHT = Light(sun=(0.45, -0.55, 1.15), shade=0.62, sky=(0.80, 0.84, 0.88))
_BASE = (-615.0, 0.0, 0.0)
_LINK = 430.0
TABLE_CAMERA = Camera((620.0, 0.0, 500.0), (-610.0, 0.0, -455.0), 39)
CABINET_CAMERA = Camera((820.0, -190.0, 900.0), (-1080.0, -20.0, -660.0), 45)


def camera_of(table: Table) -> Camera:
    """The camera: nearer where there are only cubes."""
    return TABLE_CAMERA if table.drawer is None else CABINET_CAMERA


def picture(table: Table, marks: Mapping[str, Place], size: int) -> Image:
    """The table as uint8 ``[size, size, 3]``.

    Args:
        table: what stands there.
        marks: discs on the table, by name.
        size: in pixels.
    """
    made = Solids()
    wide = (700.0, 620.0, 20.0)
    made.add(solids.BOX, (-100, 0, -20), wide, _WOOD, pattern=solids.GRAIN, grain=70, casts=False)
    made.add(solids.BOX, (0, 0, -700), (6000, 6000, 10), (118, 122, 128), casts=False)
    for name, (x, y, _) in marks.items():
        made.add(solids.CYLINDER, (x, y, 0.4), (50, 50, 0.4), COLOURS[name], casts=False)
        made.add(solids.CYLINDER, (x, y, 0.6), (8, 8, 0.6), (250, 250, 250), casts=False)
    if table.drawer is not None:
        _cabinet(made, table.drawer)
    for item in table.items:
        _item(made, item)
    _arm(made, table)
    return look(made.scene(), camera_of(table), _LIGHT, width=size, height=size).picture


def _item(made: Solids, item: Item) -> None:
    turn = np.array(item.turn).reshape(3, 3)
    half = (item.half,) * 3
    colour = COLOURS[item.name]
    if item.half == CUBE:
        made.add(solids.BOX, item.place, half, colour, turn=turn)
        return
    made.add(solids.BALL, item.place, (item.half, item.half, 0.92 * item.half), colour)
    x, y, z = item.place
    made.add(solids.CYLINDER, (x, y, z + item.half), (3, 3, 9), (84, 60, 36))
    made.add(solids.BALL, (x + 10, y, z + item.half + 4), (11, 6, 3), (86, 150, 60))


def _cabinet(made: Solids, drawer: Drawer) -> None:
    x0, x1, y0, y1, high = drawer.x0, drawer.x1, drawer.y0, drawer.y1, drawer.height
    body: Paint = (150, 112, 78)
    inner: Paint = (206, 178, 142)

    def box(extent: tuple[float, ...], colour: Paint) -> None:
        a0, a1, b0, b1, c0, c1 = extent
        middle = ((a0 + a1) / 2, (b0 + b1) / 2, (c0 + c1) / 2)
        half = ((a1 - a0) / 2, (b1 - b0) / 2, (c1 - c0) / 2)
        made.add(solids.BOX, middle, half, colour, pattern=solids.GRAIN, grain=40)

    low, rim = drawer.floor - 15, drawer.rim + 10
    box((x0, x1, y0, y1, 0, low), body)
    box((x0, x1, y0, y1, rim, high), body)
    box((x0, x0 + 12, y0, y1, low, rim), body)
    box((x1 - 12, x1, y0, y1, low, rim), body)
    box((x0, x1, y0, y0 + 12, low, rim), body)
    front, back = drawer.front, drawer.front - 350
    box((x0 + 15, x1 - 15, back, front, drawer.floor - 10, drawer.floor), inner)
    box((x0 + 15, x0 + 25, back, front, drawer.floor, drawer.rim - 40), inner)
    box((x1 - 25, x1 - 15, back, front, drawer.floor, drawer.rim - 40), inner)
    box((x0, x1, front, front + 14, low, rim), (176, 134, 94))
    made.add(
        solids.BOX, ((x0 + x1) / 2, front + 24, (low + rim) / 2), (50, 10, 8), _STEEL
    )  # the handle


def _arm(made: Solids, table: Table) -> None:
    """An arm of two links that reaches to above the hand, and two fingers."""
    x, y, z = table.hand
    if table.held is not None:
        item = table.items[table.held]
        z = item.place[2] + 12
        spread = item.half + 5
    else:
        spread = 32.0
    wrist = np.array([x, y, z + 120.0])
    shoulder = np.array([_BASE[0], _BASE[1], 333.0])
    made.add(solids.CYLINDER, (_BASE[0], _BASE[1], 150), (75, 75, 150), _ARM)
    made.add(solids.BALL, tuple(shoulder), (82, 82, 82), _STEEL)
    way = wrist - shoulder
    away = min(float(np.linalg.norm(way)), 2 * _LINK - 1)
    side = np.cross(way, np.cross([0.0, 0.0, 1.0], way))
    side = side / max(float(np.linalg.norm(side)), 1e-9)
    elbow = shoulder + way / 2 + side * math.sqrt(_LINK**2 - (away / 2) ** 2)
    for start, end, thick in ((shoulder, elbow, 52.0), (elbow, wrist, 44.0)):
        middle, half, turn = along(start, end)
        made.add(solids.CYLINDER, tuple(middle), (thick, thick, half), _ARM, turn=turn)
    made.add(solids.BALL, tuple(elbow), (60, 60, 60), _STEEL)
    made.add(solids.BALL, tuple(wrist), (50, 50, 50), _STEEL)
    made.add(solids.CYLINDER, (x, y, z + 75), (30, 30, 25), _ARM)
    made.add(solids.BOX, (x, y, z + 45), (18, max(55.0, spread + 10), 12), (70, 72, 78))
    for sign in (-1, 1):
        finger = (x, y + sign * spread, z + 10)
        made.add(solids.BOX, finger, (9, 5, 32), (44, 46, 50))
