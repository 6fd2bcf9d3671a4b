"""Checked access to what was read from JSON: each refusal names the field and shows its value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gymposium.errors import UsageError


def mapping(value: object, where: str) -> Mapping[str, Any]:
    """``value`` if it is an object."""
    if not isinstance(value, Mapping):
        raise UsageError(f"{where} must be an object, not {shown(value)}")
    return value


def field(fields: Mapping[str, Any], name: str, where: str) -> Any:
    """The field ``name``, which must be there."""
    if name not in fields:
        raise UsageError(f"{where} lacks {name!r}")
    return fields[name]


def numbers(
    fields: Mapping[str, Any], name: str, where: str, count: int, limits: tuple[float, float]
) -> list[float]:
    """The field ``name``: ``count`` numbers within ``limits``."""
    values = field(fields, name, where)
    place = f"{where}.{name}"
    if not isinstance(values, list | tuple) or len(values) != count:
        raise UsageError(f"{place} must be a list of {count} numbers, not {shown(values)}")
    return [number(value, f"{place}[{k}]", limits) for k, value in enumerate(values)]


def number(value: object, where: str, limits: tuple[float, float]) -> float:
    """``value`` if it is a number within ``limits``; no other is finite."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UsageError(f"{where} must be a number, not {shown(value)}")
    if not limits[0] <= value <= limits[1]:  # also refuses what is not a number
        raise UsageError(f"{where} must lie in {limits[0]:g} to {limits[1]:g}, not {shown(value)}")
    return float(value)


def plain(name: str) -> str:
    """A name for a sentence: as it is if it can be printed, else as :func:`shown` has it."""
    return name if name.isprintable() and len(name) <= 60 else shown(name)


def shown(value: object) -> str:
    """``value`` for a sentence, cut short."""
    if isinstance(value, int) and abs(value) > 10**30:
        return "a huge number"
    text = (
        repr(value) if isinstance(value, str | int | float | bool | None) else type(value).__name__
    )
    return text if len(text) <= 60 else f"{text[:57]}…"
