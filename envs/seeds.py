"""Seeds as the worlds take them: one check for every door, and the seeds of a batch's rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from gymposium.errors import UsageError


def checked_seed(where: str, seed: Any) -> int:
    """``seed`` as a Python integer.

    Raises:
        UsageError: it is not a whole number, or negative.
    """
    whole = isinstance(seed, (int, np.integer)) and not isinstance(seed, bool)
    if not whole or seed < 0:
        raise UsageError(f"{where}: a seed must be a whole number of at least 0, got {seed!r:.80}")
    return int(seed)


def row_seeds(where: str, seed: Any, rows: int) -> Any:
    """The seeds spawned from a batch's one, uint64 ``[rows]``; the rule stands in ``envs.vector``.

    Raises:
        UsageError: see :func:`checked_seed`.
    """
    root = checked_seed(where, seed)
    spawned = [np.random.SeedSequence(root, spawn_key=(row,)) for row in range(rows)]
    return np.array([child.generate_state(1, np.uint64)[0] for child in spawned], np.uint64)
