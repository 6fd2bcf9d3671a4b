"""Soft pictures: a scene under a bright sky, lit from dozens of directions, each with shadows.

Light that comes from everywhere is what makes corners, undersides and the floor beneath a table
dark; here it is the sum over directions spread evenly over the sky, and a sun that is a small disc
of them, so that its shadows have soft edges. Colours are mixed as light mixes (linear), a part of
what is lit lights its surroundings in turn, and the picture is drawn finer than it is wanted.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .camera import Camera, View, corners_of, shine, spans_of
from .solids import WINDOW, Scene

if TYPE_CHECKING:
    from numpy.typing import NDArray

_GAMMA = 2.2
_BOUNCE = 0.55
"""The part of its light that a surface passes on to what is near it."""


class Day(NamedTuple):
    """A sky with a sun. Colours are red, green, blue, 1 for as bright as paper.

    Attributes:
        sun: towards it; any length.
        sunshine: its colour on what faces it.
        sky: colour of the light from all over the sky on open ground.
        ground: colour of the light from everywhere else, without shadows.
        beyond: what is seen where there is nothing, 0 to 255.
        rays: directions of the sky; the sun has a quarter as many.
    """

    sun: tuple[float, float, float]
    sunshine: tuple[float, float, float] = (0.66, 0.58, 0.46)
    sky: tuple[float, float, float] = (0.60, 0.60, 0.62)
    ground: tuple[float, float, float] = (0.20, 0.19, 0.18)
    beyond: tuple[int, int, int] = (244, 242, 238)
    rays: int = 40


def soft_look(
    scene: Scene, camera: Camera, day: Day, *, width: int, height: int, fine: int = 2
) -> View:
    """What the camera sees by day; equal arguments give equal pictures.

    Args:
        scene: the solids.
        camera: where from.
        day: sun and sky.
        width: of the picture in pixels.
        height: likewise.
        fine: pixels drawn along a side of each pixel of the picture.
    """
    from . import rays, sky_rays

    w, h = width * fine, height * fine
    seen, depth = np.empty((h, w), np.int64), np.empty((h, w))
    eye, axes = np.array(camera.eye, float), camera.axes
    zoom = 0.5 * h / math.tan(math.radians(camera.view) / 2)
    solids = scene.kind, scene.centre, scene.inverse, scene.edges, scene.bounds
    corners = corners_of(scene)
    spans = spans_of((corners - eye) @ axes.T, zoom, w, h)
    rays.find(*solids, spans, eye, axes, zoom, depth, seen)
    paint, place, facing = (np.zeros((h, w, 3), np.float32) for _ in range(3))
    sky_rays.surfaces(
        *solids, scene.colour, scene.pattern, scene.grain, eye, axes, zoom, depth, seen, paint,
        place, facing,
    )  # fmt: skip
    asked, answer = _asked(seen, fine)
    place, facing = place.reshape(-1, 3)[asked], facing.reshape(-1, 3)[asked]
    light = np.zeros_like(place)
    for way, tint, cells in _directions(day):
        lit = shine(scene, corners, way, cells)
        sky_rays.gather(place, facing, way, tint, *lit, light)
    things = np.where(seen < 0, -1, scene.thing[seen])
    bright = (scene.pattern[seen] == WINDOW) & (seen >= 0)
    finished = _finished(paint, light[answer], day, seen < 0, bright)
    shown = 255 * finished ** np.float32(1 / _GAMMA)  # the mean of what eyes see: smoother edges
    mean = shown.reshape(height, fine, width, fine, 3).mean(axis=(1, 3))
    picture = (mean + 0.5).astype(np.uint8)
    middle = fine // 2
    return View(picture, things[middle::fine, middle::fine], depth[middle::fine, middle::fine])


def _asked(seen: NDArray[np.int64], fine: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of which fine pixels the light is asked, and whose answer each of them takes.

    One is asked for a pixel of the picture that shows one solid, all where it shows several.
    """
    h, w = seen.shape
    own = np.arange(h * w).reshape(h, w)
    first = np.repeat(np.repeat(own[::fine, ::fine], fine, axis=0), fine, axis=1)
    blocks = seen.reshape(h // fine, fine, w // fine, fine)
    one = blocks.min(axis=(1, 3)) == blocks.max(axis=(1, 3))
    one = np.repeat(np.repeat(one, fine, axis=0), fine, axis=1)
    asked, answer = np.unique(np.where(one, first, own), return_inverse=True)
    return asked, answer.reshape(h, w)


def _finished(
    paint: NDArray[np.float32],
    light: NDArray[np.float32],
    day: Day,
    nothing: NDArray[np.bool_],
    bright: NDArray[np.bool_],
) -> NDArray[np.float32]:
    """Linear colours, 0 to 1, of paint in light."""
    paint = np.clip(paint, 0, 1.15) ** np.float32(_GAMMA)
    paint[bright] = 0.45 * np.minimum(paint[bright], 1) + 0.55
    light = light + np.array(day.ground, np.float32)
    light[bright] = 1
    grey = np.clip(light, 0, 1)
    passed = 1 - _BOUNCE * np.minimum(paint, 1) * (1 - grey)
    result: NDArray[np.float32] = np.clip(paint * light / passed, 0, 1)
    result[nothing] = (np.array(day.beyond, np.float32) / 255) ** _GAMMA
    return result


def _directions(day: Day) -> list[tuple[NDArray[np.float64], NDArray[np.float64], int]]:
    """Where light comes from, its colour, and how fine its map of shadows is."""
    turn = math.pi * (3 - math.sqrt(5))
    found = []
    for k in range(day.rays):  # evenly over the sky, down to six degrees above the horizon
        up = 1 - 0.9 * (k + 0.5) / day.rays
        out = math.sqrt(1 - up * up)
        way = np.array([out * math.cos(k * turn), out * math.sin(k * turn), up])
        found.append((way, np.array(day.sky) / (0.55 * day.rays), 256))
    sun = np.array(day.sun) / np.linalg.norm(day.sun)
    side = np.cross(sun, [0.0, 0.0, 1.0])
    side /= np.linalg.norm(side)
    above = np.cross(side, sun)
    count = max(1, day.rays // 4)
    for k in range(count):
        away = 0.06 * math.sqrt((k + 0.5) / count)
        way = sun + away * (math.cos(k * turn) * side + math.sin(k * turn) * above)
        found.append((way / np.linalg.norm(way), np.array(day.sunshine) / count, 512))
    return found
