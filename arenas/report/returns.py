"""Returns by cell: each agent's mean with its interval, and how its returns were spread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..ratings.comparisons import is_rated
from ..ratings.metrics import Mean
from ..rows import MatchRow
from .charts import HEIGHT, Bar, Scale
from .summary import CellSummary

CELLS, AGENTS, BINS = 30, 30, 28


@dataclass(frozen=True, slots=True)
class Spread:
    """One agent's returns in one cell.

    Attributes:
        mean: with its interval.
        bar: the mean on the cell's scale.
        columns: (x, width, height) of the histogram's bars, in pixels.
        title: the spread in words.
    """

    mean: Mean
    bar: Bar | None
    columns: Sequence[tuple[float, float, float]]
    title: str


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of the scenario: its agents on a scale of its own, the best first."""

    summary: CellSummary
    scale: Scale
    spreads: Sequence[Spread]
    hidden: int


def cells(
    means: Sequence[Mean], rows: Sequence[MatchRow], summaries: Sequence[CellSummary]
) -> list[Cell]:
    """The first ``CELLS`` cells with at most ``AGENTS`` agents each.

    Args:
        means: of returns, per agent and cell.
        rows: the matches, for the spread.
        summaries: the cells there are.
    """
    shown = summaries[:CELLS]
    returns: dict[tuple[str, str], list[float]] = {}
    wanted = {it.cell for it in shown}
    for row in rows:
        if row.cell in wanted:
            for seat in row.seats:
                if is_rated(seat):
                    returns.setdefault((row.cell, seat.agent), []).append(seat.return_)
    by_cell: dict[str, list[Mean]] = {}
    for mean in means:
        by_cell.setdefault(str(mean.cell), []).append(mean)
    return [_cell(it, by_cell.get(it.cell, []), returns) for it in shown]


def _cell(
    summary: CellSummary, means: list[Mean], returns: dict[tuple[str, str], list[float]]
) -> Cell:
    ordered = sorted(means, key=lambda mean: (-mean.value, mean.subject))
    shown = ordered[:AGENTS]
    values = [np.array(returns.get((summary.cell, mean.subject), [])) for mean in shown]
    ends = [x for mean in shown for x in (mean.value, mean.low, mean.high)]
    ends += [float(x) for each in values if len(each) for x in (each.min(), each.max())]
    scale = Scale.around(ends)
    spreads = [_spread(mean, each, scale) for mean, each in zip(shown, values, strict=True)]
    return Cell(summary, scale, spreads, len(ordered) - len(shown))


def _spread(
    mean: Mean, values: np.ndarray[tuple[int], np.dtype[np.float64]], scale: Scale
) -> Spread:
    bar = scale.bar(mean.value, mean.low, mean.high)
    values = values[np.isfinite(values)]
    if not len(values):
        return Spread(mean, bar, (), "")
    counts, edges = np.histogram(values, bins=BINS, range=(scale.start, scale.stop))
    columns = [
        (
            scale.x(left),
            round(scale.x(right) - scale.x(left), 2),
            round(HEIGHT * n / counts.max(), 2),
        )
        for n, left, right in zip(counts.tolist(), edges[:-1], edges[1:], strict=True)
        if n
    ]
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
    title = (
        f"{len(values):,} returns from {values.min():g} to {values.max():g}; "
        f"half of them between {low:g} and {high:g}, the middle one {middle:g}"
    )
    return Spread(mean, bar, columns, title)
