"""The joiner's bench: a thing is built of disjoint prisms in its own frame, facing +x.

A builder gets a :class:`Kit` of the wanted size and adds parts. The origin is the centre of the
footprint at the bottom. Parts must fill the size exactly, must not overlap each other, and what
can carry other things is told by :meth:`Kit.surface`.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..prisms import Colour, Floats, Prism, box, ngon, prism

Span = tuple[float, float]


class Surface(NamedTuple):
    """A level rectangle that carries things: centre, size, height, room above [m]; own frame."""

    centre: tuple[float, float]
    size: tuple[float, float]
    z: float
    headroom: float


class Model(NamedTuple):
    """What a builder made, in the thing's own frame."""

    parts: tuple[Prism, ...]
    surfaces: tuple[Surface, ...]


FREE = 1.0
"""Headroom [m] told of a surface with nothing above it."""


class Kit:
    """Parts for a thing of ``size`` (depth, width, height), drawn by the style's generator."""

    def __init__(self, size: tuple[float, float, float], style: int) -> None:
        self.depth, self.width, self.height = size
        self.rng = np.random.default_rng([style, 0xF0])
        self._parts: list[Prism] = []
        self._surfaces: list[Surface] = []

    @property
    def x(self) -> Span:
        """From back to front."""
        return -self.depth / 2, self.depth / 2

    @property
    def y(self) -> Span:
        """From right to left."""
        return -self.width / 2, self.width / 2

    def model(self) -> Model:
        """What was built."""
        return Model(tuple(self._parts), tuple(self._surfaces))

    def pick(self, palette: Sequence[Colour]) -> Colour:
        """One of the colours, by style."""
        return palette[int(self.rng.integers(len(palette)))]

    def chance(self, share: float) -> bool:
        """True in this share of styles."""
        return bool(self.rng.random() < share)

    def box(self, x: Span, y: Span, z: Span, colour: Colour) -> None:
        """A box from and to along each axis; one without extent is left out."""
        if min(x[1] - x[0], y[1] - y[0], z[1] - z[0]) > 1e-6:
            self._parts.append(box(x, y, z, colour))

    def pad(self, x: Span, y: Span, z: Span, colour: Colour, *, cut: float = 0.04) -> None:
        """A box with its upright edges cut off, for cushions and mattresses, rounded at the top."""
        rim = min(0.35 * (z[1] - z[0]), cut / 2)
        self.slab(x, y, (z[0], z[1] - rim), colour, cut=cut)
        inner = (x[0] + rim, x[1] - rim), (y[0] + rim, y[1] - rim)
        self.slab(*inner, (z[1] - rim, z[1]), lighter(colour, 0.06), cut=cut)

    def slab(self, x: Span, y: Span, z: Span, colour: Colour, *, cut: float) -> None:
        """A box with its upright edges cut off by ``cut`` metres."""
        cut = min(cut, 0.45 * min(x[1] - x[0], y[1] - y[0]))
        (a, b), (c, d) = x, y
        outline = [
            (a + cut, c),
            (b - cut, c),
            (b, c + cut),
            (b, d - cut),
            (b - cut, d),
            (a + cut, d),
            (a, d - cut),
            (a, c + cut),
        ]
        self._parts.append(prism(outline, *z, colour))

    def poly(self, outline: Floats | Sequence[Span], z: Span, colour: Colour) -> None:
        """A prism over a convex outline."""
        self._parts.append(prism(outline, *z, colour))

    def disc(
        self, at: Span, radius: float, z: Span, colour: Colour, *, sides: int = 12, wide: float = 1
    ) -> None:
        """An upright round part; ``wide`` stretches it along y. Corners lie on the axes."""
        outline = ngon(0, 0, radius, sides=sides) * (1, wide) + at
        self._parts.append(prism(outline, *z, colour))

    def turned(
        self,
        at: Span,
        profile: Sequence[tuple[float, float]],
        colour: Colour,
        *,
        sides: int = 12,
        wide: float = 1,
    ) -> None:
        """A lathe's work: discs between consecutive (height, radius) of ``profile``.

        The radius of a disc is the mean of its two; a step is two entries of one height.
        """
        for (z0, r0), (z1, r1) in itertools.pairwise(profile):
            if z1 - z0 > 1e-6:
                self.disc(at, (r0 + r1) / 2, (z0, z1), colour, sides=sides, wide=wide)

    def cone(
        self, at: Span, radii: Span, z: Span, colour: Colour, *, steps: int = 4, sides: int = 12
    ) -> None:
        """A taper from one radius to another in ``steps`` discs, the widest of full radius."""
        heights = np.linspace(*z, steps + 1)
        for k in range(steps):
            share = k / max(steps - 1, 1)
            radius = radii[0] + share * (radii[1] - radii[0])
            self.disc(at, radius, (heights[k], heights[k + 1]), colour, sides=sides)

    def legs(self, x: Span, y: Span, z: Span, colour: Colour, *, thick: float = 0.045) -> None:
        """Four legs in the corners of a rectangle, square or round by style."""
        round_ = self.chance(0.4)
        for cx in (x[0] + thick / 2, x[1] - thick / 2):
            for cy in (y[0] + thick / 2, y[1] - thick / 2):
                if round_:
                    self.disc((cx, cy), thick / 2, z, colour, sides=8)
                else:
                    half = thick / 2
                    self.box((cx - half, cx + half), (cy - half, cy + half), z, colour)

    def drawers(
        self, x: float, y: Span, z: Span, colour: Colour, *, rows: int, deep: float
    ) -> None:
        """Fronts with handles, from ``x`` forward by ``deep`` (of which half are the handles)."""
        tall = (z[1] - z[0]) / rows
        for row in range(rows):
            z0, z1 = z[0] + row * tall + 0.008, z[0] + (row + 1) * tall - 0.008
            front = (y[0] + 0.008, y[1] - 0.008)
            self.box((x, x + deep / 2), front, (z0, z1), lighter(colour, 0.08))
            half = min(0.07, 0.2 * (y[1] - y[0]))
            middle, mid = sum(y) / 2, (z0 + z1) / 2
            self.box(
                (x + deep / 2, x + deep),
                (middle - half, middle + half),
                (mid - 0.008, mid + 0.008),
                METAL,
            )

    def doors(
        self, x: float, y: Span, z: Span, colour: Colour, *, leaves: int, deep: float
    ) -> None:
        """Leaves with upright handles, from ``x`` forward by ``deep`` (half are the handles)."""
        wide = (y[1] - y[0]) / leaves
        for leaf in range(leaves):
            y0, y1 = y[0] + leaf * wide + 0.005, y[0] + (leaf + 1) * wide - 0.005
            self.box(
                (x, x + deep / 2), (y0, y1), (z[0] + 0.005, z[1] - 0.005), lighter(colour, 0.08)
            )
            at = y1 - 0.04 if leaf % 2 == 0 and leaves > 1 else y0 + 0.03
            half = min(0.09, 0.2 * (z[1] - z[0]))
            mid = sum(z) / 2
            self.box((x + deep / 2, x + deep), (at, at + 0.015), (mid - half, mid + half), METAL)

    def surface(self, x: Span, y: Span, z: float, headroom: float = FREE) -> None:
        """Tell that things may stand on this rectangle, below ``headroom`` metres."""
        centre = (x[0] + x[1]) / 2, (y[0] + y[1]) / 2
        self._surfaces.append(Surface(centre, (x[1] - x[0], y[1] - y[0]), z, headroom))

    def top(self, inset: float = 0.0, *, front: float = 0.0) -> None:
        """Tell that the top carries things, but for ``front`` metres and a rim of ``inset``."""
        (a, b), (c, d) = self.x, self.y
        self.surface((a + inset, b - front - inset), (c + inset, d - inset), self.height)


def lighter(colour: Colour, share: float) -> Colour:
    """The colour moved towards white by ``share``, or towards black for a negative one."""
    goal = 255 if share > 0 else 0
    r, g, b = (round(c + (goal - c) * abs(share)) for c in colour)
    return r, g, b


OAK: Colour = (193, 154, 107)
WALNUT: Colour = (112, 78, 54)
BIRCH: Colour = (222, 196, 158)
WHITE: Colour = (240, 238, 233)
BLACK: Colour = (45, 45, 48)
METAL: Colour = (150, 153, 158)
STEEL: Colour = (196, 199, 203)
CERAMIC: Colour = (245, 245, 242)
GLASS: Colour = (178, 208, 218)
SCREEN: Colour = (28, 32, 40)
LINEN: Colour = (236, 229, 216)
LIGHT: Colour = (255, 240, 205)
LEAF: Colour = (92, 138, 82)
EARTH: Colour = (92, 68, 52)
WOODS: tuple[Colour, ...] = (OAK, WALNUT, BIRCH, (163, 116, 78), (205, 172, 128))
FURNITURE: tuple[Colour, ...] = (*WOODS, WHITE, (214, 208, 196), (120, 138, 148))
FABRICS: tuple[Colour, ...] = (
    (124, 142, 156),
    (176, 122, 104),
    (136, 152, 126),
    (201, 180, 150),
    (98, 108, 128),
    (190, 150, 90),
    (152, 118, 140),
    (178, 178, 174),
)
BRIGHTS: tuple[Colour, ...] = (
    (214, 96, 84),
    (232, 176, 74),
    (92, 148, 190),
    (118, 172, 118),
    (164, 128, 186),
    (238, 146, 116),
)
POTS: tuple[Colour, ...] = ((184, 108, 78), (228, 222, 212), (96, 104, 112), (146, 132, 116))
