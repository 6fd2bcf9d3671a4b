"""Bots for Matrix Arena: who gathers one strategy and then looks for somebody to meet."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from gymposium.errors import UsageError

from ....envs.grid.state import FLAG_COLLECTED
from .bot import SLOTS, ZAP, GridBot, Sight

FIRST, SECOND, NOT_READY = 3, 4, 6
"""Item codes of ``matrix_arena-v0``; under oneself NOT_READY or more is what one holds."""

_RESOURCES, _OTHERS, _GATHERED = 0, 1, 2


class Gatherer(GridBot):
    """Base of the gatherers.

    Args:
        amount: resources that it gathers before it looks for a meeting.
    """

    worlds: ClassVar[tuple[str, ...]] = ("matrix_arena-v0",)
    slots: ClassVar[int] = 3
    wants: ClassVar[tuple[int, ...]]

    def __init__(self, amount: int = 3) -> None:
        if isinstance(amount, bool) or not isinstance(amount, int) or amount < 1:
            raise UsageError(f"{self.name}: amount={amount!r} must be a whole number from 1")
        self.amount = amount

    def decide(self, sight: Sight) -> Any:
        """Gather enough, round the other kind; then meet whoever is in reach."""
        own, gathered = sight.people[:, 9, 5], sight.minds[:, SLOTS + _GATHERED]
        gathered += (own & FLAG_COLLECTED) != 0
        gathered[sight.items[:, 9, 5] == NOT_READY] = 0  # a new start, or after a meeting
        wanted = sight.see(*self.wants)
        sight.walkable &= ((sight.items != FIRST) & (sight.items != SECOND)) | wanted
        meets = np.where(
            sight.in_reach(sight.others), ZAP, self.approach(sight, sight.others, _OTHERS)
        )
        return np.where(gathered >= self.amount, meets, self.seek(sight, wanted, _RESOURCES))


class CooperativeGatherer(Gatherer):
    """Gathers only the first strategy (cooperate, stag, dove), then meets others.

    Args:
        amount: resources that it gathers before it looks for a meeting.
    """

    name = "cooperative_gatherer"
    summary = "Gathers only the first strategy (cooperate, stag, dove), then meets others."
    wants = (FIRST,)


class SelfishGatherer(Gatherer):
    """Gathers only the second strategy (defect, hare, hawk), then meets others.

    Args:
        amount: resources that it gathers before it looks for a meeting.
    """

    name = "selfish_gatherer"
    summary = "Gathers only the second strategy (defect, hare, hawk), then meets others."
    wants = (SECOND,)


class MixedGatherer(Gatherer):
    """Gathers whatever is near, then meets others.

    Args:
        amount: resources that it gathers before it looks for a meeting.
    """

    name = "mixed_gatherer"
    summary = "Gathers whatever is near, then meets others."
    wants = (FIRST, SECOND)


BOTS: dict[str, type] = {
    bot.name: bot for bot in (CooperativeGatherer, SelfishGatherer, MixedGatherer)
}
