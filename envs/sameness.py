"""Equality of nested data with arrays in it, down to types and dtypes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np


def same(one: Any, two: Any, *, exact: bool = True) -> bool:
    """Whether two values are equal all the way down.

    Args:
        one: nested dicts, lists, tuples, arrays and scalars.
        two: what it is compared with.
        exact: types and dtypes must be equal too; else an int may equal a numpy integer.

    Returns:
        True if they are; NaN equals NaN.
    """
    if isinstance(one, np.ndarray) and isinstance(two, np.ndarray):
        if exact and one.dtype != two.dtype:
            return False
        floats = one.dtype.kind in "fc" and two.dtype.kind in "fc"
        return bool(np.array_equal(one, two, equal_nan=floats))
    if isinstance(one, Mapping) and isinstance(two, Mapping):
        return one.keys() == two.keys() and all(same(one[k], two[k], exact=exact) for k in one)
    if isinstance(one, list | tuple) and isinstance(two, list | tuple):
        return len(one) == len(two) and all(
            same(a, b, exact=exact) for a, b in zip(one, two, strict=True)
        )
    if isinstance(one, np.ndarray) or isinstance(two, np.ndarray):
        scalars = np.ndim(one) == np.ndim(two) == 0  # Box samples of no dimension are scalars
        return not exact and scalars and same(np.asarray(one), np.asarray(two), exact=False)
    if exact and type(one) is not type(two):
        return False
    return bool(one == two) or (one != one and two != two)


def arrays_in(value: Any) -> Iterator[np.ndarray[Any, Any]]:
    """Every array in nested data."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from arrays_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from arrays_in(item)
