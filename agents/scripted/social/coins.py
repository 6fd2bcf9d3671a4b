"""Bots for Coins: who leaves others theirs, who takes all, and who does as was done to it."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from gymposium.errors import UsageError

from ....envs.grid.state import FLAG_SPECIAL
from .bot import SLOTS, GridBot, Sight

FIRST_COIN = 3
"""Item code of the first seat's coins in ``coins-v0``; the others' follow."""

_COINS, _WRONGED = 0, 1


class CoinsBot(GridBot):
    """Base of the Coins bots."""

    worlds: ClassVar[tuple[str, ...]] = ("coins-v0",)

    def own(self, sight: Sight) -> Any:
        """To the nearest coin of its own, round those of others."""
        mine = sight.see(FIRST_COIN + self.place)
        sight.walkable &= (sight.items < FIRST_COIN) | mine
        return self.seek(sight, mine, _COINS)

    def any(self, sight: Sight) -> Any:
        """To the nearest coin, whosever it is."""
        return self.seek(sight, sight.items >= FIRST_COIN, _COINS)


class OwnCoins(CoinsBot):
    """Takes only coins of its own colour."""

    name = "own_coins"
    summary = "Takes only coins of its own colour, and walks round the others'."

    def decide(self, sight: Sight) -> Any:
        """Its own."""
        return self.own(sight)


class GreedyCoins(CoinsBot):
    """Takes the nearest coin, whosever it is."""

    name = "greedy_coins"
    summary = "Takes the nearest coin, whosever it is."

    def decide(self, sight: Sight) -> Any:
        """Any."""
        return self.any(sight)


class ReciprocalCoins(CoinsBot):
    """Takes only its own coins until it sees another take a foreign one; then any, for a while.

    Args:
        memory: for how many steps it takes back.
    """

    name = "reciprocal_coins"
    summary = "Takes only its own coins, but any for a while after it saw another's taken."

    def __init__(self, memory: int = 50) -> None:
        if isinstance(memory, bool) or not isinstance(memory, int) or memory < 1:
            raise UsageError(f"{self.name}: memory={memory!r} must be a whole number from 1")
        self.memory = memory

    def decide(self, sight: Sight) -> Any:
        """Its own, unless a foreign coin has been taken not long ago."""
        seen = (sight.others & ((sight.people & FLAG_SPECIAL) != 0)).any((1, 2))
        until = sight.minds[:, SLOTS + _WRONGED]
        until[:] = np.where(seen, sight.clock + self.memory, until)
        angry = sight.clock < until
        fair = ~angry[:, None, None] & (sight.items >= FIRST_COIN)
        fair &= sight.items != FIRST_COIN + self.place
        sight.walkable &= ~fair
        goals = (sight.items >= FIRST_COIN) & ~fair
        return self.seek(sight, goals, _COINS)


BOTS: dict[str, type] = {bot.name: bot for bot in (OwnCoins, GreedyCoins, ReciprocalCoins)}
