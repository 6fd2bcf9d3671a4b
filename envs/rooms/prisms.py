"""Upright prisms, of which everything in a room is made, and the exact overlap of any two.

Furniture turns about the vertical only, so a convex outline between two heights stays one: the
common volume of two prisms is the area their outlines share times the heights they share, exact
and without a library for meshes. Every vertical section of a lamp, a cushion or a plant is a
polygon here; what tapers is a stack of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gymposium.errors import UsageError

Floats = NDArray[np.float64]
Colour = tuple[int, int, int]
MOST_CORNERS = 24
"""Corners of an outline; clipping two of them fills at most twice as many."""


@dataclass(frozen=True, eq=False)
class Prism:
    """A convex ``outline`` [N, 2] in metres, counter-clockwise, from height ``z0`` to ``z1``.

    ``colour`` is (red, green, blue), 0 to 255. Made by :func:`prism`, which checks the outline.
    """

    outline: Floats
    z0: float
    z1: float
    colour: Colour = (200, 200, 200)

    @property
    def volume(self) -> float:
        """Cubic metres."""
        return area(self.outline) * (self.z1 - self.z0)

    @property
    def centroid(self) -> tuple[float, float, float]:
        """The centre of its volume."""
        x, y = centroid(self.outline)
        return x, y, (self.z0 + self.z1) / 2

    def moved(self, x: float, y: float, z: float, yaw: float = 0.0) -> Prism:
        """The prism turned by ``yaw`` [rad] about the origin, then shifted."""
        return Prism(
            turned(self.outline, yaw) + np.array((x, y)), self.z0 + z, self.z1 + z, self.colour
        )


def prism(outline: ArrayLike, z0: float, z1: float, colour: Colour = (200, 200, 200)) -> Prism:
    """A prism over a convex outline in either direction of turning.

    Raises:
        UsageError: fewer than 3 or more than 24 corners, not convex, not finite, or no height.
    """
    corners = np.array(outline, dtype=np.float64)
    if corners.ndim != 2 or corners.shape[1] != 2 or not 3 <= len(corners) <= MOST_CORNERS:
        raise UsageError(
            f"a prism's outline has 3 to {MOST_CORNERS} corners [N, 2], not {corners.shape}"
        )
    if not (np.isfinite(corners).all() and np.isfinite([z0, z1]).all() and z0 < z1):
        raise UsageError(f"a prism needs finite corners and z0 < z1, not {z0} to {z1}")
    size = area(corners)
    if size < 0:
        corners = corners[::-1].copy()
        size = area(corners)
    edges = _after(corners) - corners
    turns = edges[:, 0] * _after(edges[:, 1]) - edges[:, 1] * _after(edges[:, 0])
    if size <= 0 or turns.min() < -1e-9:
        raise UsageError("a prism's outline must be convex and have an area; take its hull()")
    return Prism(corners, float(z0), float(z1), colour)


def box(
    x: tuple[float, float],
    y: tuple[float, float],
    z: tuple[float, float],
    colour: Colour = (200, 200, 200),
) -> Prism:
    """A box along the axes: from and to, in metres, on each."""
    return prism([(x[0], y[0]), (x[1], y[0]), (x[1], y[1]), (x[0], y[1])], z[0], z[1], colour)


def ngon(x: float, y: float, radius: float, *, sides: int = 12, turn: float = 0.0) -> Floats:
    """The outline [sides, 2] of a regular polygon about (x, y), corners at ``radius``."""
    angles = turn + 2 * np.pi * np.arange(sides) / sides
    return np.stack([x + radius * np.cos(angles), y + radius * np.sin(angles)], axis=1)


def turned(points: Floats, yaw: float) -> Floats:
    """Points [N, 2] turned by ``yaw`` [rad] about the origin."""
    c, s = np.cos(yaw), np.sin(yaw)
    return np.asarray(points @ np.array([[c, s], [-s, c]]))


def area(outline: Floats) -> float:
    """The signed area [m²]: positive for a counter-clockwise outline."""
    x, y = outline[:, 0], outline[:, 1]
    return float(x @ _after(y) - y @ _after(x)) / 2


def _after(corners: Floats) -> Floats:
    """For each corner the next: ``np.roll``, several times as fast on so few."""
    return np.concatenate((corners[1:], corners[:1]))


def centroid(outline: Floats) -> tuple[float, float]:
    """The centre of the area of a polygon."""
    origin = outline[0]
    moved = outline - origin
    after = np.roll(moved, -1, axis=0)
    cross = moved[:, 0] * after[:, 1] - moved[:, 1] * after[:, 0]
    centre = ((moved + after) * cross[:, None]).sum(axis=0) / (3 * cross.sum())
    return float(centre[0] + origin[0]), float(centre[1] + origin[1])


def hull(points: ArrayLike) -> Floats:
    """The convex hull [M, 2] of points [N, 2], counter-clockwise (Andrew's monotone chain)."""
    ordered = [tuple(p) for p in np.unique(np.asarray(points, dtype=np.float64), axis=0).tolist()]
    chain: list[tuple[float, ...]] = []
    for sweep in (ordered, ordered[::-1]):
        floor = len(chain)
        for p in sweep:
            while len(chain) - floor >= 2 and _turn(chain[-2], chain[-1], p) <= 1e-12:
                chain.pop()
            chain.append(p)
        chain.pop()
    return np.array(chain)


def _turn(a: Sequence[float], b: Sequence[float], c: Sequence[float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


class Overlaps(NamedTuple):
    """What bodies share, a row a body: arrays over pairs of bodies, zero where they are apart."""

    volume: Floats
    """[R, B] cubic metres."""
    depth: Floats
    """[R, B] metres of the deepest pair of parts; height counts as a way out."""
    push: Floats
    """[R, B, 3]: direction (x, y) in which the row's body leaves the column's, and how far."""


class Packed:
    """Bodies, each a few disjoint prisms, in flat arrays for the compiled overlap.

    ``place`` writes a moved body over its old place, so an optimiser packs a scene once.
    """

    def __init__(self, bodies: Iterable[Sequence[Prism]]) -> None:
        bodies = [tuple(body) for body in bodies]
        parts = [part for body in bodies for part in body]
        corners = [len(part.outline) for part in parts]
        self.points = np.concatenate([part.outline for part in parts] or [np.zeros((0, 2))])
        self.starts = np.concatenate([[0], np.cumsum(corners)]).astype(np.int64)
        self.heights = np.array([(part.z0, part.z1) for part in parts]).reshape(-1, 2)
        self.boxes = np.zeros((len(parts), 4))
        self.bodies = np.concatenate([[0], np.cumsum([len(b) for b in bodies])]).astype(np.int64)
        self.body_boxes = np.full((len(bodies), 6), np.inf)
        self.body_boxes[:, 3:] = -np.inf
        self._scratch = np.zeros((2, 2 * MOST_CORNERS + 8, 2))
        if not parts:
            return
        self.boxes[:, :2] = np.minimum.reduceat(self.points, self.starts[:-1])
        self.boxes[:, 2:] = np.maximum.reduceat(self.points, self.starts[:-1])
        full = np.flatnonzero(np.diff(self.bodies))
        first = self.bodies[:-1][full]
        self.body_boxes[full, :2] = np.minimum.reduceat(self.boxes[:, :2], first)
        self.body_boxes[full, 2:3] = np.minimum.reduceat(self.heights[:, :1], first)
        self.body_boxes[full, 3:5] = np.maximum.reduceat(self.boxes[:, 2:], first)
        self.body_boxes[full, 5:] = np.maximum.reduceat(self.heights[:, 1:], first)

    def __len__(self) -> int:
        return len(self.body_boxes)

    def place(self, index: int, body: Sequence[Prism]) -> None:
        """Write body ``index`` anew; its parts must be those it was packed with, moved."""
        first, last = self.bodies[index], self.bodies[index + 1]
        if first == last:
            return
        starts = self.starts[first : last + 1]
        points = np.concatenate([part.outline for part in body])
        self.points[starts[0] : starts[-1]] = points
        inner = starts[:-1] - starts[0]
        heights = np.array([(part.z0, part.z1) for part in body])
        self.heights[first:last] = heights
        self.boxes[first:last, :2] = np.minimum.reduceat(points, inner)
        self.boxes[first:last, 2:] = np.maximum.reduceat(points, inner)
        self.body_boxes[index, :2] = points.min(axis=0)
        self.body_boxes[index, 3:5] = points.max(axis=0)
        self.body_boxes[index, 2] = heights[:, 0].min()
        self.body_boxes[index, 5] = heights[:, 1].max()

    def all_pairs(self) -> Overlaps:
        """Every pair of bodies once: the upper triangle of [B, B] arrays."""
        return self._run(0, len(self), True)

    def of(self, index: int) -> Overlaps:
        """Body ``index`` against all others: arrays with one row."""
        return self._run(index, index + 1, False)

    def _run(self, first: int, last: int, later_only: bool) -> Overlaps:
        from .kernels.clipping import overlaps  # imports numba

        rows, bodies = last - first, len(self)
        found = Overlaps(
            np.zeros((rows, bodies)), np.zeros((rows, bodies)), np.zeros((rows, bodies, 3))
        )
        overlaps(
            first,
            last,
            later_only,
            self.points,
            self.starts,
            self.heights,
            self.boxes,
            self.bodies,
            self.body_boxes,
            self._scratch,
            found.volume,
            found.depth,
            found.push,
        )
        return found


def overlap_volume(a: Prism, b: Prism) -> float:
    """The volume [m³] that two prisms share, exact."""
    return float(Packed([[a], [b]]).all_pairs().volume[0, 1])


def separation(a: Prism, b: Prism) -> tuple[float, tuple[float, float]]:
    """How far [m] and in which direction of the plane ``a`` must move to leave ``b``.

    The shortest such translation (separating axes); 0 for prisms that are apart or only touch.
    """
    x, y, length = Packed([[a], [b]]).all_pairs().push[0, 1]
    return float(length), (float(x), float(y))
