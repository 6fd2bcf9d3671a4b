"""Bots for Mushrooms: who eats for itself, for all, and for all others."""

from __future__ import annotations

from typing import Any, ClassVar

from .bot import GridBot, Sight

RED, GREEN, BLUE, ORANGE = 3, 4, 5, 6
"""Item codes of ``mushrooms-v0``."""


class Picker(GridBot):
    """Base of the pickers: goes for one kind, and round the others."""

    worlds: ClassVar[tuple[str, ...]] = ("mushrooms-v0",)
    slots: ClassVar[int] = 1
    kind: ClassVar[int]

    def decide(self, sight: Sight) -> Any:
        """To the nearest mushroom of the kind."""
        wanted = sight.see(self.kind)
        sight.walkable &= (sight.items < RED) | wanted
        return self.seek(sight, wanted, 0)


class SelfishPicker(Picker):
    """Eats red mushrooms only, which feed nobody else."""

    name = "selfish_picker"
    summary = "Eats red mushrooms only, which feed nobody else."
    kind = RED


class FairPicker(Picker):
    """Eats green mushrooms only, which feed all alike."""

    name = "fair_picker"
    summary = "Eats green mushrooms only, which feed all alike."
    kind = GREEN


class GenerousPicker(Picker):
    """Eats blue mushrooms only, which feed all others."""

    name = "generous_picker"
    summary = "Eats blue mushrooms only, which feed all others."
    kind = BLUE


BOTS: dict[str, type] = {bot.name: bot for bot in (SelfishPicker, FairPicker, GenerousPicker)}
