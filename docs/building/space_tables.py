"""Spaces as tables: what a seat sees and what it may do, read from the spaces themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces


class Part(NamedTuple):
    """One leaf of a space.

    Attributes:
        place: dotted path within the space; "" for the space itself.
        kind: the space's type.
        shape: of its arrays, or "" where there are none.
        dtype: of its arrays.
        values: what they may be.
    """

    place: str
    kind: str
    shape: str
    dtype: str
    values: str


def parts(space: Any, place: str = "") -> Iterator[Part]:
    """The leaves of a space, in order."""
    if isinstance(space, spaces.Dict):
        for key, inner in space.spaces.items():
            yield from parts(inner, f"{place}.{key}" if place else str(key))
    elif isinstance(space, spaces.Tuple):
        for index, inner in enumerate(space.spaces):
            yield from parts(inner, f"{place}[{index}]")
    else:
        shape = getattr(space, "shape", None)
        dtype = getattr(space, "dtype", None)
        plain = isinstance(space, spaces.Text) or shape is None
        yield Part(
            place,
            type(space).__name__,
            "" if plain else str(tuple(shape)),
            "" if plain or dtype is None else str(np.dtype(dtype)),
            _values(space),
        )


def _values(space: Any) -> str:
    if isinstance(space, spaces.Discrete):
        return f"{space.start} to {space.start + space.n - 1}"
    if isinstance(space, spaces.Box):
        low, high = np.unique(space.low), np.unique(space.high)
        return f"{_ends(low)} to {_ends(high)}"
    if isinstance(space, spaces.MultiDiscrete):
        most = np.unique(np.asarray(space.nvec) - 1)
        return f"0 to {_ends(most)}"
    if isinstance(space, spaces.MultiBinary):
        return "0 or 1"
    if isinstance(space, spaces.Text):
        return f"{space.min_length} to {space.max_length} characters"
    return ""


def _ends(values: Any) -> str:
    if len(values) == 1:
        return f"{values[0]:g}"
    return f"{values[0]:g} … {values[-1]:g}"
