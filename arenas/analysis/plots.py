"""Geometry of an audit's plots: numbers only, which the template draws as inline SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from ..report.charts import Scale
from .findings import Plot, Point

_LEFT, _RIGHT, _TOP, _BOTTOM = 60.0, 700.0, 10.0, 250.0
_MARGIN = 6.0  # what a Scale leaves at either end


class Drawn(NamedTuple):
    """One line as SVG draws it.

    Attributes:
        name: of the line.
        path: its points.
        band: the points around its intervals.
        dots: its points as pairs.
        bars: ``(x, low, high)`` of its intervals.
        number: from 0; picks the colour.
    """

    name: str
    path: str
    band: str
    dots: Sequence[tuple[float, float]]
    bars: Sequence[tuple[float, float, float]]
    number: int


class Plotted(NamedTuple):
    """A plot 720 wide and 300 high; ticks are (pixels, label)."""

    lines: Sequence[Drawn]
    across: Sequence[tuple[float, str]]
    up: Sequence[tuple[float, str]]


def plotted(plot: Plot) -> Plotted:
    """The plot in pixels; points that are not finite are left out."""
    lines = {name: [it for it in line if _known(it)] for name, line in plot.lines.items()}
    points = [point for line in lines.values() for point in line]
    wide = Scale.around((it.x for it in points), width=_RIGHT - _LEFT + 2 * _MARGIN)
    ends = [end for it in points for end in (it.y, it.low, it.high)]
    high = Scale.around(ends, width=_BOTTOM - _TOP + 2 * _MARGIN)

    def x(value: float) -> float:
        return round(wide.x(value) - _MARGIN + _LEFT, 2)

    def y(value: float) -> float:
        return round(_BOTTOM - (high.x(value) - _MARGIN), 2)

    made = []
    for number, (name, line) in enumerate(lines.items()):
        bars = [
            (x(it.x), y(it.low), y(it.high))
            for it in line
            if it.low is not None and it.high is not None
        ]
        dots = [(x(it.x), y(it.y)) for it in line]
        edge = [(at, top) for at, _, top in bars] + [(at, low) for at, low, _ in reversed(bars)]
        made.append(Drawn(name, _path(dots), _path(edge), dots, bars, number))
    return Plotted(
        made,
        [(round(tick.x - _MARGIN + _LEFT, 2), tick.label) for tick in wide.ticks()],
        [(round(_BOTTOM - (tick.x - _MARGIN), 2), tick.label) for tick in high.ticks()],
    )


def _known(point: Point) -> bool:
    return all(part is None or math.isfinite(part) for part in point)


def _path(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
