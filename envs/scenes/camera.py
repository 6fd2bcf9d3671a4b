"""A pinhole camera, and what it sees of a scene."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .solids import Scene

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymposium.types import Image

_NEAR = 1e-3
_CORNERS = np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)], float)
_EDGES = np.array([[i, i ^ bit] for i in range(8) for bit in (1, 2, 4) if i < i ^ bit])


@dataclass(frozen=True)
class Camera:
    """Where it stands, where it looks and how wide.

    Attributes:
        eye: its place.
        ahead: where it looks, not straight up or down; any length.
        view: its vertical angle of view in degrees.
    """

    eye: tuple[float, float, float]
    ahead: tuple[float, float, float]
    view: float

    @property
    def axes(self) -> NDArray[np.float64]:
        """Unit vectors ahead, to the right and up, as rows."""
        ahead = np.array(self.ahead) / np.linalg.norm(self.ahead)
        right = np.cross(ahead, [0.0, 0.0, 1.0])
        right /= np.linalg.norm(right)
        return np.stack([ahead, right, np.cross(right, ahead)])


class Light(NamedTuple):
    """How a scene is lit.

    Attributes:
        sun: towards the light; any length.
        shade: share of the light that reaches a shadow; 1 for no shadows.
        feet: what stands on the floor: x, y, half extents, height; the floor beside it is darker.
        reach: how far.
        sky: red, green, blue of nothing, 0 to 1.
    """

    sun: tuple[float, float, float] = (0.4, -0.5, 0.8)
    shade: float = 1.0
    feet: Sequence[Sequence[float]] = ()
    reach: float = 1.0
    sky: tuple[float, float, float] = (0.86, 0.90, 0.94)


class View(NamedTuple):
    """A picture and what is on it.

    Attributes:
        picture: uint8 ``[height, width, 3]``.
        things: int64 ``[height, width]``, the thing each pixel shows, -1 for none.
        distance: float64 ``[height, width]``, to what it shows, along the camera's axis.
    """

    picture: Image
    things: NDArray[np.int64]
    distance: NDArray[np.float64]


def look(scene: Scene, camera: Camera, light: Light, *, width: int, height: int) -> View:
    """What the camera sees; equal arguments give equal pictures.

    Args:
        scene: the solids.
        camera: where from.
        light: how it is lit.
        width: of the picture in pixels.
        height: likewise.
    """
    from . import rays

    seen, depth = np.empty((height, width), np.int64), np.empty((height, width))
    picture = np.empty((height, width, 3), np.uint8)
    eye, axes = np.array(camera.eye, float), camera.axes
    zoom = 0.5 * height / math.tan(math.radians(camera.view) / 2)
    solids = scene.kind, scene.centre, scene.inverse, scene.edges, scene.bounds
    corners = corners_of(scene)
    spans = spans_of((corners - eye) @ axes.T, zoom, width, height)
    rays.find(*solids, spans, eye, axes, zoom, depth, seen)
    sun = np.array(light.sun) / np.linalg.norm(light.sun)
    lit = shine(scene, corners, sun) if light.shade < 1 and scene.casts.any() else _NO_SHADOWS
    feet = np.array(light.feet, float).reshape(-1, 5)
    rays.paint(
        *solids, scene.colour, scene.pattern, scene.grain, eye, axes, zoom, sun, light.shade,
        *lit, feet, light.reach, np.array(light.sky), depth, seen, np.zeros(3), picture,
    )  # fmt: skip
    things = np.where(seen < 0, -1, scene.thing[seen])
    return View(picture, things, depth)


Shine = tuple["NDArray[np.float64]", "NDArray[np.float64]", "NDArray[np.float64]", float]
_NO_SHADOWS: Shine = np.zeros((1, 1)), np.zeros(3), np.eye(3), 1.0
_CELLS = 400
"""Cells along a side of the map of shadows."""


def corners_of(scene: Scene) -> NDArray[np.float64]:
    """The corners float64 ``[N, 8, 3]`` of the box about each solid, turned with it."""
    turned = np.linalg.inv(scene.inverse).transpose(0, 2, 1)
    corners: NDArray[np.float64] = scene.centre[:, None] + _CORNERS @ turned
    return corners


def shine(
    scene: Scene, corners: NDArray[np.float64], sun: NDArray[np.float64], count: int = _CELLS
) -> Shine:
    """How far the light gets past what throws shadows: a map, its corner, axes and pitch."""
    from . import rays

    kept = scene.casts
    side = np.cross(sun, [0.0, 1.0, 0.0] if abs(sun[1]) < 0.9 else [1.0, 0.0, 0.0])
    side /= np.linalg.norm(side)
    axes = np.stack([-sun, side, np.cross(side, sun)])
    flat = corners[kept] @ axes.T
    low, high = flat.min(axis=(0, 1)), flat.max(axis=(0, 1))
    pitch = float(max(high[1:] - low[1:]) / (count - 4))
    corner = (low - pitch * np.array([1.0, 2.0, 2.0])) @ axes
    cells = (flat[..., 1:] - low[1:]) / pitch + 2
    spans = np.concatenate([np.floor(cells.min(axis=1)), np.ceil(cells.max(axis=1))], axis=1)
    depth = np.empty((count, count))
    rays.cover(
        scene.kind[kept], scene.centre[kept], scene.inverse[kept], scene.edges, scene.bounds[kept],
        np.clip(spans, 0, count).astype(np.int64), corner, axes, pitch, depth,
    )  # fmt: skip
    return depth, corner, axes, pitch


def spans_of(seen: NDArray[np.float64], zoom: float, width: int, height: int) -> NDArray[np.int64]:
    """The pixels that each box can cover: left, top, right, bottom, half open.

    Args:
        seen: float64 ``[N, 8, 3]``, its corners: ahead, to the right and up of the eye.
        zoom: pixels to a unit at a distance of one.
        width: of the picture.
        height: likewise.
    """
    first, last = seen[:, _EDGES[:, 0]], seen[:, _EDGES[:, 1]]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (_NEAR - first[..., :1]) / (last[..., :1] - first[..., :1])
    crosses = (first[..., :1] > _NEAR) != (last[..., :1] > _NEAR)
    cut = np.where(crosses, first + np.where(crosses, share, 0) * (last - first), np.nan)
    points = np.concatenate([np.where(seen[..., :1] > _NEAR, seen, np.nan), cut], axis=1)
    x = 0.5 * width + zoom * points[..., 1] / points[..., 0]
    y = 0.5 * height - zoom * points[..., 2] / points[..., 0]
    shown = np.isfinite(x).any(axis=1)
    spans = np.zeros((len(seen), 4), np.int64)
    for column, (values, most) in enumerate(((x, width), (y, height))):
        kept = np.where(np.isfinite(values), values, np.inf)
        spans[:, column] = np.clip(np.floor(kept.min(axis=1)), 0, most)
        kept = np.where(np.isfinite(values), values, -np.inf)
        spans[:, column + 2] = np.clip(np.ceil(kept.max(axis=1)), 0, most)
    spans[~shown] = 0
    return spans
