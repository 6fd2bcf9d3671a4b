"""Bots for Coop Mining: who works alone, who waits for partners, and who only helps."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from .bot import ZAP, GridBot, Sight

IRON, GOLD, STRUCK = 4, 5, 6
"""Item codes of ``coop_mining-v0``."""

_ORE = 0
_LINE = (8, 7, 6)  # rows of the cells that a mining beam passes, nearest first


class Miner(GridBot):
    """Base of the miners: goes for some kinds of ore and strikes them."""

    worlds: ClassVar[tuple[str, ...]] = ("coop_mining-v0",)
    slots: ClassVar[int] = 1
    wants: ClassVar[tuple[int, ...]]

    def decide(self, sight: Sight) -> Any:
        """Strike wanted ore if it is the first ahead, else go where there is some."""
        first = np.zeros(sight.rows, np.int64)
        for row in reversed(_LINE):
            item = sight.items[:, row, 5]
            first = np.where((item >= IRON) & (item <= STRUCK), item, first)
        wanted = sight.see(*self.wants)
        return np.where(np.isin(first, self.wants), ZAP, self.approach(sight, wanted, _ORE))


class IronMiner(Miner):
    """Mines iron only, which takes nobody else."""

    name = "iron_miner"
    summary = "Mines iron only, which takes nobody else."
    wants = (IRON,)


class GoldMiner(Miner):
    """Strikes gold only, and goes on until another joins."""

    name = "gold_miner"
    summary = "Strikes gold only, and goes on until another joins."
    wants = (GOLD, STRUCK)


class HelpfulMiner(Miner):
    """Mines iron, and helps with gold that another has struck; never strikes gold first."""

    name = "helpful_miner"
    summary = "Mines iron, and helps with gold that another has struck."
    wants = (IRON, STRUCK)


BOTS: dict[str, type] = {bot.name: bot for bot in (IronMiner, GoldMiner, HelpfulMiner)}
