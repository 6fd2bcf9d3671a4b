"""Rows of matches: how a batch begins them, knows which are over, and seeds the ones that follow.

What every vector world does alike (:mod:`.vector` has the rules), whatever its kernels are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from gymposium.errors import UsageError

from .arrays import as_array
from .exclusive import Exclusive
from .grid.batch import following_seeds
from .seeds import row_seeds

MODES = {
    "next_step": AutoresetMode.NEXT_STEP,
    "same_step": AutoresetMode.SAME_STEP,
    "disabled": AutoresetMode.DISABLED,
}


class Rows(Exclusive):
    """The part of a vector world that keeps account of its rows.

    Attributes:
        num_envs: E, the number of rows.
        autoreset_mode: what happens after a match has ended.
        metadata: the world's, with that mode.
        seeds: uint64 ``[E]``, the seed of the match being played in each row.
    """

    def __init__(self, num_envs: int, autoreset: str, metadata: Mapping[str, Any]) -> None:
        super().__init__()
        self.num_envs = num_envs
        self.autoreset_mode = MODES[autoreset]
        self.metadata = {**metadata, "autoreset_mode": self.autoreset_mode}
        self.seeds = np.zeros(num_envs, np.uint64)
        self._ended: Any = None

    def _opening(self, seed: int | None, mask: Any) -> tuple[Any, Any]:
        """(rows to begin, seeds of all rows then); rows that begin are no longer over.

        Raises:
            UsageError: ``mask`` has the wrong shape or dtype, or rows that are not in it have never
                begun; nothing has changed.
        """
        rows = self.num_envs
        which = np.ones(rows, np.bool_) if mask is None else as_array(self.id, "mask", mask)
        if which.shape != (rows,) or which.dtype != np.bool_:
            raise UsageError(f"{self.id}: mask must be {rows} booleans, one per row")
        first = self._ended is None
        if first and not which.all():
            raise UsageError(f"{self.id}: the first reset must begin every row")
        if first and seed is None:
            seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
        fresh = following_seeds(self.seeds) if seed is None else row_seeds(self.id, seed, rows)
        self._ended = np.zeros(rows, np.bool_) if first else self._ended & ~which
        return which, np.where(which, fresh, self.seeds)

    def _following(self, which: Any) -> Any:
        """Seeds of all rows once the next match has begun in the rows ``which``."""
        return np.where(which, following_seeds(self.seeds), self.seeds)

    def _idle(self) -> Any:
        """The rows whose match is over, bool ``[E]``.

        Raises:
            UsageError: there are some, and it is the caller who begins them.
        """
        idle = self._ended
        if self.autoreset_mode is AutoresetMode.DISABLED and idle.any():
            raise UsageError(
                f"{self.id}: row {int(np.argmax(idle))} is over: call reset(mask=…) before step"
            )
        return idle

    def _require_begun(self) -> None:
        if self._ended is None:
            raise UsageError(f"{self.id}: nothing has begun; call reset(seed) before step")
