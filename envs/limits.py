"""Checks of parameters, of worlds and bots: each refusal names whose, which, value and limits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gymposium.errors import UnknownName, UsageError


def whole(world: str, name: str, value: Any, low: int, high: int) -> int:
    """``value`` if it is a whole number from ``low`` to ``high``, else UsageError."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise UsageError(f"{world}: {name}={value!r} must be a whole number from {low} to {high}")
    return value


def wholes(world: str, name: str, value: Any, count: int, low: int, high: int) -> tuple[int, ...]:
    """``value`` as a tuple of ``count`` whole numbers from ``low`` to ``high``."""
    if not isinstance(value, (list, tuple)) or len(value) != count:
        raise UsageError(
            f"{world}: {name}={value!r} must be a list of {count} whole numbers "
            f"from {low} to {high}"
        )
    return tuple(whole(world, name, item, low, high) for item in value)


def pair(world: str, name: str, value: Any, low: int, high: int) -> tuple[int, int]:
    """``value`` as (lowest, highest), both from ``low`` to ``high``."""
    lowest, highest = wholes(world, name, value, 2, low, high)
    if lowest > highest:
        raise UsageError(f"{world}: {name}={value!r} must be [lowest, highest], in this order")
    return lowest, highest


def choice(world: str, name: str, value: Any, allowed: Sequence[str]) -> str:
    """``value`` if it is one of ``allowed``, else UnknownName with the nearest."""
    if value not in allowed:
        raise UnknownName(name, str(value), allowed, where=world)
    return str(value)


def real(world: str, name: str, value: Any, low: float, high: float) -> float:
    """``value`` as a float if it is a number from ``low`` to ``high``, else UsageError."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not low <= value <= high:
        raise UsageError(f"{world}: {name}={value!r} must be a number from {low:g} to {high:g}")
    return float(value)


def flag(world: str, name: str, value: Any) -> bool:
    """``value`` if it is true or false, else UsageError."""
    if not isinstance(value, bool):
        raise UsageError(f"{world}: {name}={value!r} must be true or false")
    return value
