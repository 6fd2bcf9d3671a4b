"""Bots for the societies: residents of ``town-v0``, reviewers and chairs of ``conference-v0``.

The cooperator, the defector and the discriminator are the strategies of Nowak and Sigmund's
Evolution of indirect reciprocity by image scoring (1998); the slanderer says the opposite. All stay
at the place where they are: who is known somewhere meets those who know it. The reviewers differ
in what they make of their reading.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from gymposium.errors import UnknownName, UsageError
from gymposium.types import Seat, Turn

from ...envs.societies.conference_params import MECHANISMS
from ...envs.societies.town_rules import COOPERATE, DEFECT, LIE, SAYINGS, TRUTH

TOWN = ("town-v0",)
CONFERENCE = ("conference-v0",)
MEETING = 1  # the town's phase
COMPARE, MARKS = 1, 10  # the conference's task, and how many marks there are
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
        if seen["phase"] != MEETING:
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


class HonestReviewer:
    """Judges manuscripts by what it reads in them; as chair it always chooses one mechanism.

    Args:
        mechanism: what it chooses as chair.
    """

    name: ClassVar[str] = "honest_reviewer"
    summary: ClassVar[str] = "Judges by what it reads; as chair it always chooses one mechanism."
    worlds: ClassVar[tuple[str, ...]] = CONFERENCE
    deterministic: ClassVar[bool] = True

    def __init__(self, mechanism: str = "hybrid") -> None:
        if mechanism not in MECHANISMS:
            raise UnknownName("mechanism", str(mechanism), MECHANISMS, where=self.name)
        self._mechanism = MECHANISMS.index(mechanism)

    def reset(self, seat: Seat, seed: int) -> None:
        """Nothing is kept from one match to another."""
        if not {"figures", "first"} & set(getattr(seat.observation_space, "spaces", {})):
            raise UsageError(
                f"{self.name} plays conference-v0 only; seat {seat.id!r} is another world's"
            )

    def act(self, turn: Turn) -> int:
        """The mark that the reading deserves, the better of two, or the mechanism."""
        seen = turn.observation
        if "figures" in seen:
            return self._mechanism
        first, second = self.think(seen["first"]), self.think(seen["second"])
        if seen["task"] == COMPARE:
            return MARKS + int(second > first)
        return min(max(round(6.3 + 0.55 * first), 1), MARKS) - 1

    def think(self, manuscript: Any) -> float:
        """What it thinks of a manuscript's quality, from (reading, novelty, prestige)."""
        return float(manuscript[0])


class ShrinkingReviewer(HonestReviewer):
    """Expects a manuscript to be nearer to the average than it reads, as a statistician would.

    Args:
        mechanism: what it chooses as chair.
        noise: the standard error of a reading, as the rules tell it.
    """

    name = "shrinking_reviewer"
    summary = "Expects a manuscript to be nearer to the average than it reads."

    def __init__(self, mechanism: str = "hybrid", noise: float = 1.2) -> None:
        super().__init__(mechanism)
        self._share = 1 / (1 + noise**2)

    def think(self, manuscript: Any) -> float:
        """The mean of what is likely, quality having a standard deviation of 1."""
        return float(manuscript[0]) * self._share


class SnobbishReviewer(HonestReviewer):
    """Adds the prestige of the institution to what it reads.

    Args:
        mechanism: what it chooses as chair.
        weight: what a standard unit of prestige is worth to it.
    """

    name = "snobbish_reviewer"
    summary = "Adds the prestige of the institution to what it reads."

    def __init__(self, mechanism: str = "ratings", weight: float = 1.0) -> None:
        super().__init__(mechanism)
        self._weight = weight

    def think(self, manuscript: Any) -> float:
        """The reading, and a bonus for the name."""
        return float(manuscript[0] + self._weight * manuscript[2])


BOTS: dict[str, type[Resident] | type[HonestReviewer]] = {
    bot.name: bot
    for bot in (
        TownDiscriminator,
        TownCooperator,
        TownDefector,
        TownSlanderer,
        HonestReviewer,
        ShrinkingReviewer,
        SnobbishReviewer,
    )
}
