"""All categories by name, and the model of a thing of any size and style."""

from __future__ import annotations

import functools
import re

import numpy as np

from gymposium.errors import UnknownName

from ..prisms import Prism
from . import (
    bath,
    beds,
    electronics,
    kitchen,
    lights,
    plants,
    rugs,
    seating,
    small,
    sports,
    storage,
    tables,
    tableware,
    toys,
    wall,
)
from .kit import Kit, Model, Surface
from .table import Category, Size

_FILES = (
    beds,
    seating,
    tables,
    storage,
    kitchen,
    bath,
    sports,
    electronics,
    lights,
    plants,
    wall,
    rugs,
    small,
    tableware,
    toys,
)
CATEGORIES: dict[str, Category] = {row.name: row for file in _FILES for row in file.ROWS}
NAMES = {other: row.name for row in CATEGORIES.values() for other in (row.name, *row.other_names)}
"""The category that each spelling, in words joined by ``_``, stands for."""


def category(name: str) -> Category:
    """The category called ``name``.

    Raises:
        UnknownName: the catalogue has none of that name; the nearest are offered.
    """
    try:
        return CATEGORIES[name]
    except KeyError:
        raise UnknownName("category of furniture", name, CATEGORIES) from None


def find(words: str) -> str | None:
    """The category that words from elsewhere mean ("Night Stand", "couch"), or None."""
    spaced = (
        re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[-_\d]+", " ", words).lower().split()
    )
    spaced = spaced[:-1] if spaced[-1:] == ["factory"] else spaced
    for first in range(len(spaced)):  # "large round dining table": the longest ending that is known
        for joint in ("_", ""):
            plain = joint.join(spaced[first:])
            for spelling in (plain, plain.removesuffix("s"), plain.removesuffix("es")):
                if spelling in NAMES:
                    return NAMES[spelling]
    return None


@functools.lru_cache(maxsize=4096)
def model(name: str, size: Size, style: int = 0) -> Model:
    """Parts and surfaces of a thing in its own frame: origin below its centre, facing +x.

    A size outside the category's range is built at the nearest size in it and stretched.

    Raises:
        UnknownName: no such category.
    """
    row = category(name)
    near = tuple(
        min(max(s, low), high) for s, low, high in zip(size, row.low, row.high, strict=True)
    )
    kit = Kit((near[0], near[1], near[2]), style)
    row.build(kit)
    return _fitted(kit.model(), size)


def _fitted(built: Model, size: Size) -> Model:
    """The model stretched to fill its size exactly, also one out of the category's range."""
    corners = np.concatenate([part.outline for part in built.parts])
    low, high = corners.min(axis=0), corners.max(axis=0)
    middle, scale = (low + high) / 2, np.array(size[:2]) / (high - low)
    bottom = min(part.z0 for part in built.parts)
    tall = size[2] / (max(part.z1 for part in built.parts) - bottom)

    def fitted(surface: Surface) -> Surface:
        x, y = (np.array(surface.centre) - middle) * scale
        depth, width = np.array(surface.size) * scale
        z = (surface.z - bottom) * tall
        return Surface(
            (float(x), float(y)), (float(depth), float(width)), z, surface.headroom * tall
        )

    parts = (
        Prism(
            (part.outline - middle) * scale,
            (part.z0 - bottom) * tall,
            (part.z1 - bottom) * tall,
            part.colour,
        )
        for part in built.parts
    )
    return Model(tuple(parts), tuple(fitted(surface) for surface in built.surfaces))
