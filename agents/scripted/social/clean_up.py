"""Bots for Clean-Up: who cleans, who only eats, who does as others do, and who minds.

The kinds are those of Melting Pot's background populations (Agapiou et al. 2022): unconditional
cleaners and free riders, conditional cooperators, and sanctioners.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from gymposium.errors import UsageError

from ....envs.grid.state import FLAG_COLLECTED, FLAG_SPECIAL
from .bot import SLOTS, SPECIAL, ZAP, GridBot, Sight

APPLE, ORCHARD, BANK, DIRT = 3, 4, 7, 8
"""Item codes of ``clean_up-v0``."""

_APPLES, _DIRT, _OWN = 0, 1, 2


class CleanUpBot(GridBot):
    """Base of the Clean-Up bots: how to eat and how to clean."""

    worlds: ClassVar[tuple[str, ...]] = ("clean_up-v0",)
    slots: ClassVar[int] = 3

    def eat(self, sight: Sight) -> Any:
        """To the nearest apple; without any, to the orchard, and about it."""
        apples, orchard = sight.see(APPLE), sight.see(ORCHARD)
        none, there = ~apples.any((1, 2)), sight.standing_on(ORCHARD)
        goals = apples | (orchard & (none & ~there)[:, None, None])
        go = self.seek(sight, goals, _APPLES)
        return np.where(none & there, self.wander(sight), go)

    def clean(self, sight: Sight) -> Any:
        """Clean the dirt in reach; else go where there is some, or about the banks."""
        dirt, banks = sight.see(DIRT), sight.see(BANK)
        none, there = ~dirt.any((1, 2)), sight.standing_on(BANK)
        goals = dirt | (banks & (none & ~there)[:, None, None])
        go = self.approach(sight, goals, _DIRT)
        go = np.where(none & there, self.wander(sight), go)
        return np.where(sight.in_reach(dirt), SPECIAL, go)


class RiverCleaner(CleanUpBot):
    """Cleans all the time, and never goes for an apple."""

    name = "river_cleaner"
    summary = "Cleans all the time, and never goes for an apple."

    def decide(self, sight: Sight) -> Any:
        """Clean."""
        return self.clean(sight)


class FreeRider(CleanUpBot):
    """Goes for apples all the time, and never cleans."""

    name = "free_rider"
    summary = "Goes for apples all the time, and never cleans."

    def decide(self, sight: Sight) -> Any:
        """Eat."""
        return self.eat(sight)


class CleaningReciprocator(CleanUpBot):
    """Cleans as long as it has lately seen others do so, else eats.

    Args:
        patience: how many steps it goes on cleaning without seeing another clean.
    """

    name = "cleaning_reciprocator"
    summary = "Cleans as long as it has lately seen others clean, else eats."

    def __init__(self, patience: int = 100) -> None:
        self.patience = _steps(self.name, "patience", patience)

    def decide(self, sight: Sight) -> Any:
        """Clean while the last cleaning that was seen is not too long ago."""
        seen = (sight.others & ((sight.people & FLAG_SPECIAL) != 0)).any((1, 2))
        latest = sight.minds[:, SLOTS + _OWN]
        latest[:] = np.where(seen, sight.clock, latest)
        return np.where(sight.clock - latest < self.patience, self.clean(sight), self.eat(sight))


class CleaningTurnTaker(CleanUpBot):
    """Cleans and eats by turns; even and odd seats swap places.

    Args:
        spell: steps of one turn.
    """

    name = "cleaning_turn_taker"
    summary = "Cleans and eats by turns; even seats clean while odd ones eat."

    def __init__(self, spell: int = 100) -> None:
        self.spell = _steps(self.name, "spell", spell)

    def decide(self, sight: Sight) -> Any:
        """Whose turn it is to clean, cleans."""
        cleans = (sight.clock // self.spell + self.place) % 2 == 0
        return np.where(cleans, self.clean(sight), self.eat(sight))


class CleaningSanctioner(CleaningTurnTaker):
    """Takes turns at cleaning and eating, and zaps whoever it sees eat within its reach.

    Args:
        spell: steps of one turn.
    """

    name = "cleaning_sanctioner"
    summary = "Takes turns at cleaning and eating; zaps those it sees eat within its reach."

    def decide(self, sight: Sight) -> Any:
        """Zap an eater in reach, else go on."""
        eaters = sight.others & ((sight.people & FLAG_COLLECTED) != 0)
        return np.where(sight.in_reach(eaters), ZAP, super().decide(sight))


def _steps(bot: str, name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise UsageError(f"{bot}: {name}={value!r} must be a whole number of at least 1")
    return value


BOTS: dict[str, type] = {
    bot.name: bot
    for bot in (
        RiverCleaner,
        FreeRider,
        CleaningReciprocator,
        CleaningTurnTaker,
        CleaningSanctioner,
    )
}
