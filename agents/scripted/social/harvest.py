"""Bots for Harvest: who takes all, who leaves enough, and who minds."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from gymposium.errors import UsageError

from ....envs.grid.state import FLAG_COLLECTED
from .bot import ZAP, GridBot, Sight

APPLE, PATCH = 3, 4
"""Item codes of ``harvest-v0``."""

_APPLES = 0
# The cells within two of a cell, without itself: those that count for regrowth.
_NEAR = [(r, c) for r in range(-2, 3) for c in range(-2, 3) if 0 < r * r + c * c <= 4]


class HarvestBot(GridBot):
    """Base of the Harvest bots."""

    worlds: ClassVar[tuple[str, ...]] = ("harvest-v0",)
    slots: ClassVar[int] = 1


class GreedyHarvester(HarvestBot):
    """Eats every apple it can find, the last of a patch too."""

    name = "greedy_harvester"
    summary = "Eats every apple it can find, the last of a patch too."

    def decide(self, sight: Sight) -> Any:
        """To the nearest apple."""
        return self.seek(sight, sight.see(APPLE), _APPLES)


class SustainableHarvester(HarvestBot):
    """Eats only apples that have enough others near, so that patches grow back.

    Args:
        leave: apples that must be left within two cells of one that is eaten.
    """

    name = "sustainable_harvester"
    summary = "Eats only apples that have enough others near, so that patches grow back."

    def __init__(self, leave: int = 3) -> None:
        if isinstance(leave, bool) or not isinstance(leave, int) or not 0 <= leave <= len(_NEAR):
            raise UsageError(
                f"{self.name}: leave={leave!r} must be a whole number from 0 to {len(_NEAR)}"
            )
        self.leave = leave

    def decide(self, sight: Sight) -> Any:
        """To the nearest apple that can be spared, round those that cannot."""
        apples = sight.see(APPLE)
        spare = apples & (near(apples) >= self.leave)
        sight.walkable &= ~apples | spare
        return self.seek(sight, spare, _APPLES)


class HarvestSanctioner(SustainableHarvester):
    """Harvests sustainably, and zaps whoever it sees eat where too little is left.

    One apple fewer than it leaves itself is not held against anybody: two may eat at once.

    Args:
        leave: apples that must be left within two cells of one that is eaten.
    """

    name = "harvest_sanctioner"
    summary = "Harvests sustainably; zaps those it sees eat where too little is left."

    def decide(self, sight: Sight) -> Any:
        """Zap a greedy eater in reach, else harvest."""
        eaters = sight.others & ((sight.people & FLAG_COLLECTED) != 0)
        greedy = eaters & (near(sight.see(APPLE)) < self.leave - 1)
        return np.where(sight.in_reach(greedy), ZAP, super().decide(sight))


def near(apples: Any) -> Any:
    """How many apples are within two cells of each cell, as far as is seen: int ``[B, H, W]``."""
    padded = np.pad(apples, ((0, 0), (2, 2), (2, 2)))
    height, width = apples.shape[1:]
    counts = np.zeros(apples.shape, np.int64)
    for r, c in _NEAR:
        counts += padded[:, 2 + r : 2 + r + height, 2 + c : 2 + c + width]
    return counts


BOTS: dict[str, type] = {
    bot.name: bot for bot in (GreedyHarvester, SustainableHarvester, HarvestSanctioner)
}
