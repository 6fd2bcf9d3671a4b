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
    dark, picture = np.zeros((height, width), np.bool_), np.empty((height, width, 3), np.uint8)
    eye, axes = np.array(camera.eye, float), camera.axes
    zoom = 0.5 * height / math.tan(math.radians(camera.view) / 2)
    solids = scene.kind, scene.centre, scene.inverse
    at, sun = np.zeros(3), np.array(light.sun) / np.linalg.norm(light.sun)
    spans = _spans(scene, eye, axes, zoom, width, height)
    rays.find(*solids, spans, eye, axes, zoom, depth, seen)
    if light.shade < 1:
        rays.shadows(*solids, scene.casts, eye, axes, zoom, sun, depth, seen, dark, at)
    feet = np.array(light.feet, float).reshape(-1, 5)
    rays.paint(
        *solids, scene.colour, scene.pattern, scene.grain, scene.casts, eye, axes, zoom, sun,
        light.shade, feet, light.reach, np.array(light.sky), depth, seen, dark, at, np.zeros(3),
        picture,
    )  # fmt: skip
    things = np.where(seen < 0, -1, scene.thing[seen])
    return View(picture, things, depth)


def _spans(
    scene: Scene,
    eye: NDArray[np.float64],
    axes: NDArray[np.float64],
    zoom: float,
    width: int,
    height: int,
) -> NDArray[np.int64]:
    """For each solid the pixels that its box can cover: left, top, right, bottom, half open."""
    corners = scene.centre[:, None] + _CORNERS @ np.linalg.inv(scene.inverse).transpose(0, 2, 1)
    seen = (corners - eye) @ axes.T  # [N, 8, (ahead, right, up)]
    first, last = seen[:, _EDGES[:, 0]], seen[:, _EDGES[:, 1]]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (_NEAR - first[..., :1]) / (last[..., :1] - first[..., :1])
    crosses = (first[..., :1] > _NEAR) != (last[..., :1] > _NEAR)
    cut = np.where(crosses, first + np.where(crosses, share, 0) * (last - first), np.nan)
    points = np.concatenate([np.where(seen[..., :1] > _NEAR, seen, np.nan), cut], axis=1)
    x = 0.5 * width + zoom * points[..., 1] / points[..., 0]
    y = 0.5 * height - zoom * points[..., 2] / points[..., 0]
    shown = np.isfinite(x).any(axis=1)
    spans = np.zeros((len(scene.kind), 4), np.int64)
    for column, (values, most) in enumerate(((x, width), (y, height))):
        kept = np.where(np.isfinite(values), values, np.inf)
        spans[:, column] = np.clip(np.floor(kept.min(axis=1)), 0, most)
        kept = np.where(np.isfinite(values), values, -np.inf)
        spans[:, column + 2] = np.clip(np.ceil(kept.max(axis=1)), 0, most)
    spans[~shown] = 0
    return spans
