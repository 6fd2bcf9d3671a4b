"""Bots for Gift: who keeps, who gives, and who gives back."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from gymposium.errors import UsageError

from ....envs.grid.state import FLAG_SPECIAL
from .bot import SLOTS, SPECIAL, ZAP, GridBot, Sight

TOKEN, HOLDS = 3, 4
"""Item codes of ``gift-v0``: under oneself is HOLDS plus 1 raw, 2 refined, 4 twice refined."""

_TOKENS, _OTHERS, _GIFT = 0, 1, 2
_LINE = slice(5, 9)  # rows of the four cells ahead


class GiftBot(GridBot):
    """Base of the Gift bots."""

    worlds: ClassVar[tuple[str, ...]] = ("gift-v0",)
    slots: ClassVar[int] = 3

    def keep(self, sight: Sight) -> Any:
        """Consume what is held; else go for tokens."""
        return np.where(self.held(sight) > 0, SPECIAL, self.gather(sight))

    def give(self, sight: Sight) -> Any:
        """Give raw tokens to whoever is ahead, consume finer ones; else go for tokens."""
        held = self.held(sight)
        ahead = sight.others[:, _LINE, 5].any(1)
        hand = np.where(ahead, ZAP, self.approach(sight, sight.others, _OTHERS))
        kept = np.where(held > 1, SPECIAL, hand)
        return np.where(held > 0, kept, self.gather(sight))

    def gather(self, sight: Sight) -> Any:
        """To the nearest token."""
        return self.seek(sight, sight.see(TOKEN), _TOKENS)

    def held(self, sight: Sight) -> Any:
        """1 raw, 2 refined, 4 twice refined, in sum; int64 ``[B]``."""
        return np.maximum(sight.items[:, 9, 5].astype(np.int64) - HOLDS, 0)


class TokenKeeper(GiftBot):
    """Consumes every token it picks up, and never gives one."""

    name = "token_keeper"
    summary = "Consumes every token it picks up, and never gives one."

    def decide(self, sight: Sight) -> Any:
        """Keep."""
        return self.keep(sight)


class TokenGiver(GiftBot):
    """Gives its raw tokens to whoever is near, and consumes what it is given."""

    name = "token_giver"
    summary = "Gives its raw tokens to whoever is near; consumes what it is given."

    def decide(self, sight: Sight) -> Any:
        """Give."""
        return self.give(sight)


class TokenReciprocator(GiftBot):
    """Gives as long as it has been given something not long ago, else keeps.

    Args:
        memory: for how many steps it returns a gift.
    """

    name = "token_reciprocator"
    summary = "Gives as long as it has lately been given something, else keeps."

    def __init__(self, memory: int = 100) -> None:
        if isinstance(memory, bool) or not isinstance(memory, int) or memory < 1:
            raise UsageError(f"{self.name}: memory={memory!r} must be a whole number from 1")
        self.memory = memory

    def decide(self, sight: Sight) -> Any:
        """Give while the last gift is not too long ago."""
        got = (sight.people[:, 9, 5] & FLAG_SPECIAL) != 0
        until = sight.minds[:, SLOTS + _GIFT]
        until[:] = np.where(got, sight.clock + self.memory, until)
        return np.where(sight.clock < until, self.give(sight), self.keep(sight))


BOTS: dict[str, type] = {bot.name: bot for bot in (TokenKeeper, TokenGiver, TokenReciprocator)}
