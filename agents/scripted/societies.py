"""Bots for the societies: residents of ``town-v0``.

The cooperator, the defector and the discriminator are the strategies of Nowak and Sigmund's
Evolution of indirect reciprocity by image scoring (1998); the slanderer lives on what is said.
All stay at the place where they are: who is known somewhere meets those who know it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from gymposium.errors import UsageError
from gymposium.types import Seat, Turn

from ...envs.societies.town_rules import COOPERATE, DEFECT, LIE, SAYINGS, TRUTH

TOWN = ("town-v0",)
_DEEDS = 2 * len(SAYINGS)


class Resident(ABC):
    """Base of the town's bots."""

    name: ClassVar[str]
    summary: ClassVar[str]
    worlds: ClassVar[tuple[str, ...]] = TOWN
    deterministic: ClassVar[bool] = True

    def reset(self, seat: Seat, seed: int) -> None:
        """Learn how many places there are."""
        if "crowd" not in getattr(seat.observation_space, "spaces", {}):
            raise UsageError(
                f"{type(self).__name__} plays town-v0 only; seat {seat.id!r} is another world's"
            )
        self._places = int(seat.action_space.n) - _DEEDS  # type: ignore[attr-defined]

    def act(self, turn: Turn) -> int:
        """Stay; in a meeting do and say what this one does."""
        seen = turn.observation
        if seen["partner"] < 0:
            return int(seen["place"])
        act, say = self.deed(seen)
        return self._places + act * len(SAYINGS) + say

    @abstractmethod
    def deed(self, seen: Any) -> tuple[int, int]:
        """What to do and what to say to the partner."""


class TownCooperator(Resident):
    """Cooperates with everybody and tells the truth."""

    name = "town_cooperator"
    summary = "Cooperates with everybody and tells the truth."

    def deed(self, seen: Any) -> tuple[int, int]:
        """Cooperate."""
        return COOPERATE, TRUTH


class TownDefector(Resident):
    """Defects on everybody and tells the truth."""

    name = "town_defector"
    summary = "Defects on everybody and tells the truth."

    def deed(self, seen: Any) -> tuple[int, int]:
        """Defect."""
        return DEFECT, TRUTH


class TownDiscriminator(Resident):
    """Cooperates with those it does not think ill of, and tells the truth.

    Args:
        least: the lowest opinion, -5 to 5, at which it still cooperates.
    """

    name = "town_discriminator"
    summary = "Cooperates with those it does not think ill of, and tells the truth."

    def __init__(self, least: int = 0) -> None:
        if isinstance(least, bool) or not isinstance(least, int) or not -5 <= least <= 5:
            raise UsageError(f"town_discriminator: least={least!r} must be a number from -5 to 5")
        self._least = least

    def deed(self, seen: Any) -> tuple[int, int]:
        """By the partner's image."""
        return (COOPERATE if seen["opinion"] >= self._least else DEFECT), TRUTH


class TownSlanderer(TownDiscriminator):
    """Cooperates as a discriminator does, and tells the opposite of what it thinks."""

    name = "town_slanderer"
    summary = "Cooperates as a discriminator does, and tells the opposite of what it thinks."

    def deed(self, seen: Any) -> tuple[int, int]:
        """The discriminator's deed, and a lie."""
        return super().deed(seen)[0], LIE


BOTS: dict[str, type[Resident]] = {
    bot.name: bot for bot in (TownDiscriminator, TownCooperator, TownDefector, TownSlanderer)
}
