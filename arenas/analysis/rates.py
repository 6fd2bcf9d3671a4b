"""Shares with exact intervals: so many of so many, and what that allows to be said.

The interval is that of Clopper and Pearson (1934): it covers the true share with at least the
stated probability however small the sample. Differences of two shares are given Newcombe's (1998)
square-and-add interval over the exact ones, which is approximate.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Rate:
    """``hits`` of ``cases`` independent cases; without cases nothing is known."""

    hits: int
    cases: int

    @classmethod
    def of(cls, seen: Iterable[bool]) -> Rate:
        """The share of true ones."""
        found = list(seen)
        return cls(sum(found), len(found))

    def __add__(self, other: Rate) -> Rate:
        return Rate(self.hits + other.hits, self.cases + other.cases)

    @property
    def share(self) -> float | None:
        """The observed share."""
        return self.hits / self.cases if self.cases else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The exact interval."""
        if not self.cases:
            return None
        misses = self.cases - self.hits
        low = _beta((1 - CONFIDENCE) / 2, self.hits, misses + 1) if self.hits else 0.0
        high = _beta((1 + CONFIDENCE) / 2, self.hits + 1, misses) if misses else 1.0
        return low, high

    @property
    def said(self) -> str:
        """``97 % [92, 99]``, or a dash."""
        if self.share is None or self.interval is None:
            return "–"
        low, high = self.interval
        return f"{100 * self.share:.0f} % [{100 * low:.0f}, {100 * high:.0f}]"


@dataclass(frozen=True, slots=True)
class Difference:
    """How much larger one share is than another, from -1 to 1."""

    value: float
    low: float
    high: float


def difference(one: Rate, two: Rate) -> Difference | None:
    """``one`` minus ``two``; None unless there are cases of both."""
    p, q, first, second = one.share, two.share, one.interval, two.interval
    if p is None or q is None or first is None or second is None:
        return None
    return Difference(
        p - q,
        max(-1.0, p - q - math.hypot(p - first[0], second[1] - q)),
        min(1.0, p - q + math.hypot(first[1] - p, q - second[0])),
    )


def _beta(level: float, a: int, b: int) -> float:
    from scipy.stats import beta

    return float(beta.ppf(level, a, b))
