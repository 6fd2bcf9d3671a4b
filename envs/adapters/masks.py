"""What a foreign world says is legal, in the form that ``Space.sample(mask=)`` takes.

Libraries agree on the mask of a ``Discrete`` alone. Gymnasium's other spaces take a tuple or a dict
of such masks; learners of MultiDiscrete spaces (sb3-contrib) write all parts one behind the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from gymposium.errors import UsageError


def as_mask(space: Any, mask: Any, where: str) -> Any:
    """The mask for a space, or None where a space cannot be masked.

    Raises:
        UsageError: it does not fit the space, or leaves nothing that is legal.
    """
    if mask is None:
        return None
    if isinstance(space, spaces.Discrete):
        return _flags(mask, (int(space.n),), where)
    if isinstance(space, spaces.MultiDiscrete) and space.nvec.ndim == 1:
        return _by_part(space, mask, where)
    if isinstance(space, spaces.Tuple):
        parts = _sequence(mask, len(space.spaces), where)
        return tuple(
            as_mask(part, one, f"{where}[{i}]")
            for i, (part, one) in enumerate(zip(space.spaces, parts, strict=True))
        )
    if isinstance(space, spaces.Dict):
        if not isinstance(mask, Mapping):
            raise UsageError(f"{where} is a {type(mask).__name__}; an action space Dict needs one")
        return {
            key: as_mask(part, mask.get(key), f"{where}[{key!r}]")
            for key, part in space.spaces.items()
        }
    return None


def _by_part(space: spaces.MultiDiscrete, mask: Any, where: str) -> tuple[Any, ...]:
    sizes = [int(size) for size in space.nvec]
    if isinstance(mask, np.ndarray) and mask.shape == (sum(sizes),) and len(sizes) > 1:
        mask = np.split(mask, np.cumsum(sizes)[:-1])
    parts = _sequence(mask, len(sizes), where)
    named = enumerate(zip(sizes, parts, strict=True))
    return tuple(_flags(part, (size,), f"{where}[{i}]") for i, (size, part) in named)


def _sequence(mask: Any, length: int, where: str) -> Sequence[Any]:
    if not isinstance(mask, tuple | list | np.ndarray) or len(mask) != length:
        held = f"{len(mask)} parts" if hasattr(mask, "__len__") else f"a {type(mask).__name__}"
        raise UsageError(f"{where} has {held}; its action space has {length}")
    return list(mask)


def _flags(mask: Any, shape: tuple[int, ...], where: str) -> Any:
    try:
        flags = np.asarray(mask)
        good = flags.shape == shape and bool(np.isin(flags, (0, 1)).all())
    except (TypeError, ValueError):
        good = False
    if not good:
        raise UsageError(
            f"{where} must be {shape[0]} times 0 or 1, one for each action; got {mask!r:.120}"
        )
    return flags.astype(np.int8)


def allows_nothing(mask: Any) -> bool:
    """Whether some part of a mask leaves no action at all."""
    if isinstance(mask, Mapping):
        return any(allows_nothing(part) for part in mask.values())
    if isinstance(mask, tuple):
        return any(allows_nothing(part) for part in mask)
    return mask is not None and not np.any(mask)
