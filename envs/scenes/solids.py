"""Boxes, cylinders, balls and prisms, of which the scenes in this room are put together.

Each solid is the image of a unit shape (the cube, the upright cylinder, the ball, all from -1 to 1)
under a turn, a scaling and a shift: so a ray meets it where the ray, taken back, meets the unit
shape, and one small kernel draws them all. A prism is the part of the cube on the inner side of
each of its upright edges. Axes are right-handed with z up; lengths are the
world's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

BOX, CYLINDER, BALL, PRISM = range(4)
PLAIN, PLANKS, TILES, WALL, GRAIN, STRIPES, WINDOW, RUG = range(8)
"""How a surface is patterned: by these in the colour of its solid."""

Paint = tuple[int, int, int]


class Scene(NamedTuple):
    """N solids as arrays, ready to be drawn.

    Attributes:
        kind: int64 ``[N]``, of BOX, CYLINDER, BALL, PRISM.
        centre: float64 ``[N, 3]``.
        inverse: float64 ``[N, 3, 3]``, takes an offset from the centre into the unit shape.
        edges: float64 ``[E, 3]``, of all prisms: a, b, c, inside is a x + b y <= c, unit shape.
        bounds: int64 ``[N, 2]``, which of the edges are a prism's: from and to.
        colour: float64 ``[N, 3]``, 0 to 1.
        pattern: int64 ``[N]``.
        grain: float64 ``[N]``, size of the pattern in lengths.
        thing: int64 ``[N]``, which thing it is a part of; -1 for none.
        casts: bool ``[N]``, whether it throws a shadow.
    """

    kind: NDArray[np.int64]
    centre: NDArray[np.float64]
    inverse: NDArray[np.float64]
    edges: NDArray[np.float64]
    bounds: NDArray[np.int64]
    colour: NDArray[np.float64]
    pattern: NDArray[np.int64]
    grain: NDArray[np.float64]
    thing: NDArray[np.int64]
    casts: NDArray[np.bool_]


class Solids:
    """A list of solids that grows."""

    def __init__(self) -> None:
        self._rows: list[tuple[Any, ...]] = []
        self._edges: list[tuple[float, float, float]] = []

    def add(
        self,
        kind: int,
        centre: Sequence[float],
        half: Sequence[float],
        colour: Paint,
        *,
        turn: ArrayLike | None = None,
        outline: ArrayLike | None = None,
        pattern: int = PLAIN,
        grain: float = 1.0,
        thing: int = -1,
        casts: bool = True,
    ) -> None:
        """One more solid.

        Args:
            kind: BOX, CYLINDER, BALL or PRISM.
            centre: its middle.
            half: half its extents along its own axes, all above 0.
            colour: red, green, blue, 0 to 255.
            turn: [3, 3], its axes as columns; None if they are the scene's.
            outline: [M, 2], the convex outline of a PRISM, counter-clockwise, about its middle.
            pattern: how it is painted.
            grain: size of the pattern.
            thing: which thing it is a part of.
            casts: whether it throws a shadow.
        """
        axes = np.eye(3) if turn is None else np.asarray(turn, float)
        inverse = axes.T / np.asarray(half, float)[:, None]
        paint = [part / 255 for part in colour]
        first = len(self._edges)
        if outline is not None:
            corners = np.asarray(outline, float) / np.asarray(half, float)[:2]
            across = (np.roll(corners, -1, axis=0) - corners)[:, ::-1] * (1.0, -1.0)
            self._edges += zip(*across.T.tolist(), (across * corners).sum(1).tolist(), strict=True)
        bounds = (first, len(self._edges))
        row = (kind, centre, inverse, bounds, paint, pattern, grain, thing, casts)
        self._rows.append(row)

    def scene(self) -> Scene:
        """All of them; there must be at least one."""
        kind, centre, inverse, bounds, colour, pattern, grain, thing, casts = zip(
            *self._rows, strict=True
        )
        return Scene(
            np.array(kind, np.int64),
            np.array(centre, np.float64),
            np.array(inverse, np.float64),
            np.array(self._edges, np.float64).reshape(-1, 3),
            np.array(bounds, np.int64),
            np.array(colour, np.float64),
            np.array(pattern, np.int64),
            np.array(grain, np.float64),
            np.array(thing, np.int64),
            np.array(casts, np.bool_),
        )


def about_z(angle: float) -> NDArray[np.float64]:
    """The turn by ``angle`` radians about the upward axis, counter-clockwise seen from above."""
    cos, sin = np.cos(angle), np.sin(angle)
    return np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]])


def along(start: ArrayLike, end: ArrayLike) -> tuple[Any, float, Any]:
    """Middle, half length and turn of a solid whose own z axis runs from ``start`` to ``end``."""
    first, last = np.asarray(start, float), np.asarray(end, float)
    length = float(np.linalg.norm(last - first))
    z = (last - first) / length
    side = np.cross(z, [0.0, 0.0, 1.0] if abs(z[2]) < 0.9 else [1.0, 0.0, 0.0])
    x = side / np.linalg.norm(side)
    return (first + last) / 2, length / 2, np.stack([x, np.cross(z, x), z], axis=1)
