"""Parameters of ``conference-v0``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gymposium.errors import UsageError

from ..limits import choice, real, whole

MECHANISMS = ("ratings", "pairwise", "hybrid")
CHAIR = "chair"
_WORLD = "conference-v0"


def _count(default: int, doc: str, low: int, high: int) -> Any:
    return field(default=default, metadata={"doc": doc, "range": (low, high)})


def _number(default: float, doc: str, low: float, high: float) -> Any:
    return field(default=default, metadata={"doc": doc, "range": (low, high)})


@dataclass(frozen=True)
class ConferenceParams:
    """Parameters of ``conference-v0``; qualities, prestige and novelty are in standard units."""

    years: int = _count(4, "how often the venue is held", 1, 100)
    authors: int = _count(120, "each has one manuscript under review a year", 4, 2_000)
    institutions: int = _count(24, "where authors work; a few are large", 1, 1_000)
    topics: int = _count(12, "fields, which manuscripts lie round", 1, 100)
    reviewers: int = _count(40, "all reviewers, the seats among them", 1, 2_000)
    seats: int = _count(2, "reviewers that agents play", 1, 20)
    load: int = _count(9, "judgements of a reviewer a year", 1, 1_000)
    mechanism: str = field(
        default="ratings",
        metadata={
            "doc": "how it is judged; with chair a programme chair, a seat of its own, decides "
            "every year",
            "choices": (*MECHANISMS, CHAIR),
        },
    )
    rate: float = _number(0.3, "share that is accepted", 0.01, 0.99)
    band: float = _number(
        0.15, "hybrid: share on either side of the line that is compared in pairs", 0.01, 0.5
    )
    blind: bool = field(
        default=False, metadata={"doc": "reviewers do not see where a manuscript comes from"}
    )
    noise: float = _number(1.2, "standard error of reading a manuscript", 0, 20)
    harshness: float = _number(
        1.0, "how far reviewers differ in generosity, in points of the scale", 0, 10
    )
    prestige_bias: float = _number(
        0.4, "what a standard unit of prestige is worth to a cheap reviewer", -5, 5
    )
    novelty_aversion: float = _number(
        0.4, "what a standard unit of novelty costs with a cheap reviewer", -5, 5
    )
    position_bias: float = _number(
        0.0, "what standing first in a pair is worth to a cheap reviewer", -5, 5
    )
    tries: int = _count(3, "submissions of a manuscript before it is given up", 1, 20)
    revision: float = _number(0.1, "quality gained by revising a rejected manuscript", -2, 2)
    fame: float = _number(0.35, "log citations for a standard unit of prestige", -5, 5)
    citation_luck: float = _number(0.7, "standard deviation of log citations", 0, 5)
    memory: float = _number(
        0.8, "share of an institution's prestige that stays; the year's citations make the rest",
        0, 1,
    )  # fmt: skip

    def __post_init__(self) -> None:
        for name, item in type(self).__dataclass_fields__.items():
            value, allowed = getattr(self, name), item.metadata.get("range")
            if allowed is None:
                continue
            if item.type == "int":
                whole(_WORLD, name, value, *allowed)
            else:
                real(_WORLD, name, value, *allowed)
        choice(_WORLD, "mechanism", self.mechanism, (*MECHANISMS, CHAIR))
        if not isinstance(self.blind, bool):
            raise UsageError(f"{_WORLD}: blind={self.blind!r} must be true or false")
        if self.seats > self.reviewers:
            raise UsageError(
                f"{_WORLD}: seats={self.seats} are reviewers too, of whom there are "
                f"{self.reviewers}"
            )
        if self.load < 2 and self.mechanism in ("hybrid", CHAIR):
            raise UsageError(
                f"{_WORLD}: load=1 is too little for {self.mechanism}: a hybrid year has ratings "
                "first and pairs after"
            )

    @property
    def accepted(self) -> int:
        """How many are accepted a year: at least one, and not all."""
        return min(max(1, round(self.rate * self.authors)), self.authors - 1)
