"""What a study found about one agent: sentences, tables and curves, as plain data.

Findings hold no times and no paths, so that equal matches give equal findings, byte for byte.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from .rates import Rate


@dataclass(frozen=True, slots=True)
class Span:
    """An estimate with its interval, in a unit of its own; alone in its row it is drawn as well."""

    value: float
    low: float
    high: float

    @property
    def said(self) -> str:
        """``1.24 [0.9, 1.58]``."""
        value, low, high = (_three_figures(it) for it in (self.value, self.low, self.high))
        return f"{value} [{low}, {high}]".replace("-", "−")


def _three_figures(number: float) -> str:
    short = f"{number:.3g}"
    return f"{float(short):,.0f}" if 1e3 <= abs(number) < 1e9 else short


class Point(NamedTuple):
    """A place in a plot, with the interval of its height where there is one."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Plot:
    """Anything over a number.

    Attributes:
        title: what is shown.
        across: what goes from left to right, in words.
        up: what goes upwards, in words.
        lines: by name, the points from left to right.
        dots: draw points with their intervals instead of lines with bands.
        note: how to read it.
    """

    title: str
    across: str
    up: str
    lines: Mapping[str, Sequence[Point]]
    dots: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Figures in rows.

    Attributes:
        title: what they are.
        columns: headings; the first names the row.
        rows: a cell is words, a number, a :class:`~.rates.Rate`, a :class:`Span` or None.
        note: how to read them.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Curves:
    """Shares over something that goes on, such as rounds.

    Attributes:
        title: what they are.
        across: what goes on, in words.
        lines: by name, a Rate for each of 1, 2, 3, …
        note: how to read them.
    """

    title: str
    across: str
    lines: Mapping[str, Sequence[Rate]]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Map:
    """One word for each cell of a grid.

    Attributes:
        title: what they are.
        across: what the columns are, in words.
        columns: their names.
        down: what the rows are, in words.
        rows: ``(name, word of each column)``.
        words: all words there may be, in the order of the key.
        note: how to read them.
    """

    title: str
    across: str
    columns: Sequence[str]
    down: str
    rows: Sequence[tuple[str, Sequence[str]]]
    words: Sequence[str]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Findings:
    """What one study found about one agent.

    Attributes:
        study: its name.
        agent: the agent's spec.
        identity: what the agent is: its spec and the hash of its code or model.
        deterministic: the agent says that equal seeds give equal play.
        parameters: of the study.
        seed: of the study.
        matches: matches played.
        sentences: the findings in words, the most important first.
        tables: the figures.
        curves: the courses.
        maps: the grids.
        plots: the pictures.
    """

    study: str
    agent: str
    identity: str
    deterministic: bool
    parameters: Mapping[str, Any]
    seed: int
    matches: int
    sentences: Sequence[str]
    tables: Sequence[Table] = ()
    curves: Sequence[Curves] = field(default=())
    maps: Sequence[Map] = ()
    plots: Sequence[Plot] = ()

    def to_json(self) -> dict[str, Any]:
        """Plain data; a rate is ``{hits, cases, share, low, high}``, a point a list of four."""
        plain = asdict(self)
        plain["tables"] = [
            {**asdict(it), "rows": [[_plain(cell) for cell in row] for row in it.rows]}
            for it in self.tables
        ]
        plain["curves"] = [
            {**asdict(it), "lines": {k: [_plain(r) for r in line] for k, line in it.lines.items()}}
            for it in self.curves
        ]
        return plain


def _plain(cell: Any) -> Any:
    if isinstance(cell, Span):
        return asdict(cell)
    if not isinstance(cell, Rate):
        return cell
    low, high = cell.interval or (None, None)
    return {**asdict(cell), "share": cell.share, "low": low, "high": high}
