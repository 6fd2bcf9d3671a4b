"""Arrays as callers hand them to a batch of matches, checked with sentences that name the place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gymposium.errors import UsageError


def as_array(where: str, name: str, given: Any) -> Any:
    """``given`` as an array.

    Raises:
        UsageError: it is ragged, or nothing that NumPy can read.
    """
    try:
        return np.asarray(given)
    except (ValueError, TypeError) as error:
        raise UsageError(f"{where}: {name} must be one array, got {given!r:.80}") from error


def action_array(
    where: str, given: Any, *, shape: tuple[int, ...], actions: int, seats: Sequence[str]
) -> Any:
    """Actions of a step as C-contiguous int64.

    Args:
        where: the world's id.
        given: what the caller handed in.
        shape: ``(E, A)``, or ``(E,)`` where one seat is asked.
        actions: how many there are.
        seats: names of the A seats.

    Raises:
        UsageError: another shape or kind, or a number out of range: named with seat and row.
    """
    found = as_array(where, "actions", given)
    if found.shape != shape or found.dtype.kind not in "iu":
        raise UsageError(
            f"{where}: actions must be whole numbers of shape {shape}, "
            f"got {found.dtype} {found.shape}"
        )
    low, high = int(found.min()), int(found.max())
    if low < 0 or high >= actions:
        wrong = low if low < 0 else high
        row, seat = np.argwhere(found.reshape(len(found), -1) == wrong)[0]
        raise UsageError(
            f"{where}: action {wrong} of {seats[seat]} in row {row} is not in 0 … {actions - 1}"
        )
    return np.ascontiguousarray(found, np.int64)
