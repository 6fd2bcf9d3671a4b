"""Pictures of floor plans: what a body in it sees, and the whole from above."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..scenes import solids
from ..scenes.camera import Camera, Light, View, look
from ..scenes.solids import Scene, Solids, about_z
from .floor_plan import FloorPlan, Room, Thing, heading
from .floor_plan_maker import turned

if TYPE_CHECKING:
    from gymposium.types import Image

EYE = 1.5
"""Height of the eye, in metres."""
CEILING = 2.6
_WALLS = {
    "kitchen": (240, 228, 200),
    "living": (214, 222, 214),
    "bedroom": (206, 214, 230),
    "bathroom": (206, 228, 230),
}
_FLOORS = {
    "kitchen": ((214, 208, 196), solids.TILES, 0.5),
    "living": ((186, 140, 92), solids.PLANKS, 0.16),
    "bedroom": ((200, 160, 116), solids.PLANKS, 0.14),
    "bathroom": ((190, 204, 210), solids.TILES, 0.33),
}
_RUGS = {"living": (176, 74, 66), "bedroom": (92, 112, 150)}


class Body(NamedTuple):
    """Where somebody stands and looks: metres, and degrees (horizon: downwards)."""

    x: float
    z: float
    yaw: float
    horizon: float


@functools.lru_cache(maxsize=64)
def scene_of(plan: FloorPlan) -> tuple[Scene, Light]:
    """The plan as solids, each with the index of its thing, and its light."""
    made, light = _built(plan, CEILING)
    for _, floor in plan.rooms:
        x, z, across, along = _middle(floor)
        wide = (across + 0.12, along + 0.12, 0.05)
        made.add(solids.BOX, (x, z, CEILING + 0.05), wide, (246, 245, 242))
    return made.scene(), light


def _built(plan: FloorPlan, high: float) -> tuple[Solids, Light]:
    """Floors, walls of that height, and things."""
    made = Solids()
    feet = [[*_middle(wall), CEILING] for wall in plan.walls]
    for kind, floor in plan.rooms:
        x, z, across, along = _middle(floor)
        colour, pattern, grain = _FLOORS[kind]
        wide = (across + 0.12, along + 0.12, 0.05)
        made.add(solids.BOX, (x, z, -0.05), wide, colour, pattern=pattern, grain=grain)
        if kind in _RUGS:
            mat = (0.32 * across + 0.2, 0.32 * along, 0.006)
            made.add(solids.BOX, (x, z, 0.006), mat, _RUGS[kind], pattern=solids.RUG)
    for wall in plan.walls:
        x, z, across, along = _middle(wall)
        half = (across, along, high / 2)
        paint = _WALLS[_nearest(plan, x, z)]
        made.add(solids.BOX, (x, z, high / 2), half, paint, pattern=solids.WALL)
    for index, thing in enumerate(plan.things):
        _build(made, thing, index)
        if thing.kind.blocks:
            feet.append([thing.x, thing.z, *(0.92 * part for part in thing.half), 1.0])
    return made, Light((0.35, -0.55, 0.75), 1.0, tuple(map(tuple, feet)), 0.55)


def _middle(floor: Sequence[float]) -> list[float]:
    x0, z0, x1, z1 = floor
    return [(x0 + x1) / 2, (z0 + z1) / 2, (x1 - x0) / 2, (z1 - z0) / 2]


def _nearest(plan: FloorPlan, x: float, z: float) -> str:
    def away(room: Room) -> float:
        x0, z0, x1, z1 = room.floor
        return max(x0 - x, x - x1, 0.0) + max(z0 - z, z - z1, 0.0)

    return min(plan.rooms, key=away).kind


def _build(made: Solids, thing: Thing, index: int) -> None:
    width, depth, height = thing.kind.size
    for part in thing.kind.parts:
        x0, x1, y0, y1, z0, z1 = part.extent
        x, z = turned((x0 + x1) * width / 4, (y0 + y1) * depth / 4, thing.yaw)
        half = ((x1 - x0) * width / 4, (y1 - y0) * depth / 4, (z1 - z0) * height / 2)
        made.add(
            part.shape,
            (thing.x + x, thing.z + z, thing.y + (z0 + z1) * height / 2),
            half,
            part.colour,
            turn=about_z(-math.radians(thing.yaw)),
            pattern=part.pattern,
            grain=0.12,
            thing=index,
        )


def seen(plan: FloorPlan, body: Body, *, width: int, height: int, view: float) -> View:
    """What the body sees.

    Args:
        plan: where it is.
        body: its place.
        width: of the picture in pixels.
        height: likewise.
        view: vertical angle of view in degrees.
    """
    scene, light = scene_of(plan)
    ahead_x, ahead_z = heading(body.yaw)
    tilt = math.radians(body.horizon)
    ahead = (ahead_x * math.cos(tilt), ahead_z * math.cos(tilt), -math.sin(tilt))
    camera = Camera((body.x, body.z, EYE), ahead, view)
    return look(scene, camera, light, width=width, height=height)


def from_above(
    plan: FloorPlan, body: Body, place: tuple[float, float], *, width: int, height: int
) -> Image:
    """The flat as a spectator sees it: without its ceiling, with the body and a ring at ``place``.

    Args:
        plan: what is shown.
        body: the orange figure; its nose is where it looks.
        place: x and z of the target.
        width: of the picture in pixels.
        height: likewise.
    """
    standing = tuple(it for it in plan.things if it.kind.place != "hung")
    made, light = _built(dataclasses.replace(plan, things=standing), 0.9)
    ahead_x, ahead_z = heading(body.yaw)
    made.add(solids.CYLINDER, (body.x, body.z, 0.5), (0.22, 0.22, 0.5), (240, 120, 30))
    made.add(solids.BALL, (body.x, body.z, 1.15), (0.22, 0.22, 0.22), (250, 200, 150))
    nose = (body.x + 0.22 * ahead_x, body.z + 0.22 * ahead_z, 1.15)
    made.add(solids.BALL, nose, (0.1, 0.1, 0.1), (200, 60, 30))
    for step in range(16):
        angle = math.radians(22.5 * step)
        dot = (place[0] + 0.5 * math.cos(angle), place[1] + 0.5 * math.sin(angle), 0.95)
        made.add(solids.BALL, dot, (0.06, 0.06, 0.06), (220, 30, 120))
    x0, z0 = plan.rooms[0].floor[:2]
    x1, z1 = plan.rooms[-1].floor[2:]
    away = max((x1 - x0) * height / width, 1.15 * (z1 - z0)) * 1.2 + 0.6
    slope = math.radians(62)
    eye = (
        (x0 + x1) / 2,
        (z0 + z1) / 2 - away * math.cos(slope) - 0.15,
        0.3 + away * math.sin(slope),
    )
    camera = Camera(eye, (0.0, math.cos(slope), -math.sin(slope)), 50)
    light = light._replace(sky=(0.93, 0.94, 0.96))
    return look(made.scene(), camera, light, width=width, height=height).picture
