"""Geometry of the page's small charts: numbers only, which the template draws as inline SVG."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass

WIDTH, HEIGHT = 168.0, 18.0
_MARGIN = 6.0
_LETTER = 7.0
_MOST = 1e300


@dataclass(frozen=True, slots=True)
class Tick:
    """A labelled position on an axis."""

    x: float
    label: str


@dataclass(frozen=True, slots=True)
class Bar:
    """An estimate with its interval; without one only the estimate is drawn, hollow."""

    x: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear axis from ``start`` to ``stop`` over ``width`` pixels."""

    start: float
    stop: float
    width: float = WIDTH

    @classmethod
    def around(
        cls,
        values: Iterable[float | None],
        *,
        include: float | None = None,
        width: float = WIDTH,
    ) -> Scale:
        """The scale that shows all finite values."""
        finite = (value for value in values if value is not None and math.isfinite(value))
        # Differences of larger numbers are infinite; these are drawn at the edge.
        known = [min(_MOST, max(-_MOST, value)) for value in finite]
        known += [] if include is None else [include]
        if not known:
            return cls(-1.0, 1.0, width)
        start, stop = min(known), max(known)
        if stop - start <= 1e-12 * max(1.0, abs(start), abs(stop)):
            half = max(1.0, 0.1 * abs(start))
            start, stop = start - half, stop + half
        return cls(start, stop, width)

    def x(self, value: float) -> float:
        """Pixels from the left edge."""
        part = (value - self.start) / (self.stop - self.start)
        return round(_MARGIN + min(1.0, max(0.0, part)) * (self.width - 2 * _MARGIN), 2)

    def bar(self, value: float, low: float | None, high: float | None) -> Bar | None:
        """The bar of an estimate, or None when there is no estimate."""
        if not math.isfinite(value):
            return None
        if low is None or high is None:
            return Bar(self.x(value), None, None)
        return Bar(self.x(value), self.x(low), self.x(high))

    def ticks(self) -> list[Tick]:
        """Two to six round numbers."""
        span = self.stop - self.start
        power = 10.0 ** math.floor(math.log10(span))
        steps = [it * power for it in (0.1, 0.2, 0.5, 1.0, 2.0) if span <= 5 * it * power]
        best = self._every(steps[0])
        for step in steps[1:]:
            wider = self._every(step)
            if len(wider) < 2 or _legible(best):
                break
            best = wider
        return best

    def _every(self, step: float) -> list[Tick]:
        first = math.ceil(self.start / step - 1e-9)
        last = math.floor(self.stop / step + 1e-9)
        return [
            Tick(self.x(number * step), f"{number * step:.10g}".replace("-", "−"))
            for number in range(first, last + 1)
        ]


def _legible(ticks: list[Tick]) -> bool:
    """Whether no label runs into the next."""
    return all(
        b.x - a.x >= _LETTER * (len(a.label) + len(b.label)) / 2 + _MARGIN
        for a, b in itertools.pairwise(ticks)
    )
