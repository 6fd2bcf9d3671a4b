"""Learning curves: figures over training steps, one line an arm, with bands, as inline SVG.

The points are plain rows (arm, step, metric, value, low, high), so that a report of a training run
and a table of claims draw them alike. :func:`pooled` makes them from several seeds: the mean at
each step with a Student interval over seeds, and none where a single seed leaves the spread
unknown.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..ratings.bootstrap import student_quantile
from . import figures
from .charts import Scale, Tick

METRICS, ARMS, POINTS = 12, 8, 400
CURVES = "progress.csv"
PLOT_WIDTH, PLOT_HEIGHT = 520.0, 190.0


class CurvePoint(NamedTuple):
    """One figure at one step.

    Attributes:
        arm: the line it belongs to.
        step: of training.
        metric: what was measured; one plot each.
        value: the figure.
        low, high: its interval, or None when unknown.
    """

    arm: str
    step: float
    metric: str
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Curve:
    """One line of a plot: ``line`` and ``band`` are SVG point lists, the band empty if unknown."""

    arm: str
    color: int
    line: str
    band: str
    last: str


@dataclass(frozen=True, slots=True)
class Plot:
    """One metric over steps; ``hidden`` arms are not drawn."""

    metric: str
    curves: Sequence[Curve]
    steps: Sequence[Tick]
    values: Sequence[Tick]
    hidden: int


def plots(points: Iterable[CurvePoint]) -> list[Plot]:
    """The first ``METRICS`` metrics, each with at most ``ARMS`` arms of ``POINTS`` points.

    Args:
        points: in any order; those that are not finite are left out.

    Returns:
        Plots whose words have been made harmless; escaping is the template's business.
    """
    found: dict[str, dict[str, list[CurvePoint]]] = {}
    for point in points:
        if math.isfinite(point.value) and math.isfinite(point.step):
            found.setdefault(point.metric, {}).setdefault(point.arm, []).append(point)
    return [_plot(metric, found[metric]) for metric in sorted(found)[:METRICS]]


def pooled(runs: Mapping[str, Sequence[Sequence[Mapping[str, float]]]]) -> list[CurvePoint]:
    """Curves of several seeds as one curve an arm.

    Args:
        runs: arm -> one list of rows a seed; a row has a ``step`` and figures by metric.

    Returns:
        A point for every (arm, metric, step) that any seed measured: the mean over the seeds that
        did, with a 95 % interval if two or more did.
    """
    points = []
    for arm, seeds in runs.items():
        values: dict[tuple[str, float], list[float]] = {}
        for rows in seeds:
            for row in rows:
                for metric, value in row.items():
                    if metric != "step" and math.isfinite(value):
                        values.setdefault((metric, row["step"]), []).append(value)
        for (metric, step), each in sorted(values.items()):
            mean, low, high = float(np.mean(each)), None, None
            if len(each) > 1:
                error = float(np.std(each, ddof=1)) / math.sqrt(len(each))
                half = student_quantile(0.975, len(each) - 1) * error
                low, high = mean - half, mean + half
            points.append(CurvePoint(arm, step, metric, mean, low, high))
    return points


def _plot(metric: str, arms: dict[str, list[CurvePoint]]) -> Plot:
    shown = {arm: _thinned(arms[arm]) for arm in sorted(arms)[:ARMS]}
    every = [point for points in shown.values() for point in points]
    across = Scale.around((point.step for point in every), width=PLOT_WIDTH)
    up = Scale.around((x for p in every for x in (p.value, p.low, p.high)), width=PLOT_HEIGHT)

    def height(value: float) -> float:
        return round(PLOT_HEIGHT - up.x(value), 2)

    curves = []
    for color, (arm, points) in enumerate(shown.items()):
        known = [p for p in points if p.low is not None and p.high is not None]
        edge = [(p.step, p.high) for p in known] + [(p.step, p.low) for p in reversed(known)]
        curves.append(
            Curve(
                arm=figures.name(arm),
                color=color,
                line=" ".join(f"{across.x(p.step)},{height(p.value)}" for p in points),
                band=" ".join(f"{across.x(x)},{height(y)}" for x, y in edge if y is not None),
                last=figures.figure(points[-1].value)
                + ("" if points[-1].low is None else " ")
                + ("" if points[-1].low is None else figures.between(*points[-1][4:])),
            )
        )
    values = [Tick(round(PLOT_HEIGHT - tick.x, 2), tick.label) for tick in up.ticks()]
    return Plot(figures.name(metric), curves, across.ticks(), values, len(arms) - len(shown))


def _thinned(points: list[CurvePoint]) -> list[CurvePoint]:
    """In order of steps, evenly thinned to ``POINTS``, the first and the last kept."""
    ordered = sorted(points, key=lambda point: point.step)
    if len(ordered) <= POINTS:
        return ordered
    kept = np.linspace(0, len(ordered) - 1, POINTS).round().astype(int)
    return [ordered[index] for index in kept]


def curves_of(folder: Path) -> list[CurvePoint]:
    """The curves of agents trained in a run folder: ``ARM/seed-N/progress.csv``, seeds pooled.

    Args:
        folder: of a run; without such files there are no curves.
    """
    files = sorted(folder.glob(f"*/seed-*/{CURVES}"))
    if not files:
        return []
    from ..training.curves import read_rows

    runs: dict[str, list[list[dict[str, float]]]] = {}
    for file in files:
        runs.setdefault(file.parent.parent.name, []).append(read_rows(file))
    return pooled(runs)
