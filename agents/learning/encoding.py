"""Observations as numbers: any Gymnasium space without graphs or sequences, flattened.

Pictures and maps of codes (Box, uint8, three axes) stay as they are, for a convolutional torso.
Everything else becomes one float vector: Discrete, MultiDiscrete and MultiBinary one-hot, bounded
Box entries scaled to -1 … 1, Dict and Tuple part after part. Text is left out: a network that
learns here does not read.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from gymposium.errors import UsageError

if TYPE_CHECKING:
    from gymposium.types import Space

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
_WIDEST = 512  # a Discrete with more values than this is one number, not one-hot


class Encoder(NamedTuple):
    """How one space's observations become arrays.

    Attributes:
        shape: of an encoded observation; three axes for pictures and codes, else one.
        dtype: uint8 for pictures and codes, else float32.
        encode: takes an element of the space, returns an array of that shape.
    """

    shape: tuple[int, ...]
    dtype: Any
    encode: Callable[[Any], Array]


def encoder(space: Space) -> Encoder:
    """The encoder of a space.

    Raises:
        UsageError: the space, or a part of it, cannot be flattened.
    """
    if type(space).__name__ == "Box" and space.dtype == np.uint8 and len(space.shape or ()) == 3:
        shape = tuple(int(size) for size in space.shape or ())
        return Encoder(shape, np.uint8, lambda seen: np.asarray(seen, dtype=np.uint8))
    width, write = _part(space, "observation")

    def encode(seen: Any) -> Array:
        out = np.zeros(width, np.float32)
        write(seen, out)
        return out

    return Encoder((width,), np.float32, encode)


def entries(space: Space) -> dict[str, slice]:
    """Where each entry of a Dict space lies in the vector that its observations are encoded as.

    Raises:
        UsageError: an entry cannot be flattened.
    """
    start, found = 0, {}
    for key, part in getattr(space, "spaces", {}).items():
        width, _ = _part(part, f"observation[{key!r}]")
        found[key] = slice(start, start + width)
        start += width
    return found


_Writer = Callable[[Any, Array], None]


def _part(space: Any, where: str) -> tuple[int, _Writer]:
    """Width of a part, and what writes an element of it into an array of zeros of that width."""
    kind = next((k.__name__ for k in type(space).__mro__ if k.__name__ in _PARTS), None)
    if kind is None:
        raise UsageError(
            f"a network cannot read the {where} space {type(space).__name__}; the spaces it can: "
            f"{', '.join(_PARTS)}"
        )
    return _PARTS[kind](space, where)


def _discrete(space: Any, where: str) -> tuple[int, _Writer]:
    start, n = int(space.start), int(space.n)
    if n > _WIDEST:
        return 1, lambda seen, out: out.__setitem__(0, 2 * (int(seen) - start) / (n - 1) - 1)
    return n, lambda seen, out: out.__setitem__(int(seen) - start, 1)


def _multi_discrete(space: Any, where: str) -> tuple[int, _Writer]:
    sizes = np.asarray(space.nvec).ravel()
    start = np.asarray(getattr(space, "start", np.zeros_like(space.nvec))).ravel()
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])

    def write(seen: Any, out: Array) -> None:
        out[first + np.asarray(seen).ravel() - start] = 1

    return int(sizes.sum()), write


def _multi_binary(space: Any, where: str) -> tuple[int, _Writer]:
    return int(np.prod(space.shape)), lambda seen, out: np.copyto(out, np.asarray(seen).ravel())


def _box(space: Any, where: str) -> tuple[int, _Writer]:
    low = np.asarray(space.low, np.float64).ravel()
    high = np.asarray(space.high, np.float64).ravel()
    with np.errstate(over="ignore", invalid="ignore"):  # of an unbounded one
        bounded = np.isfinite(low) & np.isfinite(high) & np.isfinite(high - low) & (high > low)
        middle = np.where(bounded, (low + high) / 2, 0)
        half = np.where(bounded, (high - low) / 2, 1)

    def write(seen: Any, out: Array) -> None:
        out[:] = (np.asarray(seen, np.float64).ravel() - middle) / half

    return len(low), write


def _text(space: Any, where: str) -> tuple[int, _Writer]:
    return 0, lambda seen, out: None


def _several(spaces: list[tuple[Any, Any]], where: str) -> tuple[int, _Writer]:
    parts = [(key, *_part(part, f"{where}[{key!r}]")) for key, part in spaces]
    ends = list(itertools.accumulate(width for _, width, _ in parts))

    def write(seen: Any, out: Array) -> None:
        for (key, width, inner), end in zip(parts, ends, strict=True):
            inner(seen[key], out[end - width : end])

    return ends[-1] if ends else 0, write


def _dict(space: Any, where: str) -> tuple[int, _Writer]:
    return _several(list(space.spaces.items()), where)


def _tuple(space: Any, where: str) -> tuple[int, _Writer]:
    return _several(list(enumerate(space.spaces)), where)


_PARTS: dict[str, Callable[[Any, str], tuple[int, _Writer]]] = {
    "Discrete": _discrete,
    "MultiDiscrete": _multi_discrete,
    "MultiBinary": _multi_binary,
    "Box": _box,
    "Dict": _dict,
    "Tuple": _tuple,
    "Text": _text,
}
