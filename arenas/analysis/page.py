"""The page of an audit: one self-contained file without scripts or requests, like a run's report.

Everything that agents or their authors named goes through autoescaping.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from ..export.writing import whole
from ..report import figures
from ..report.charts import WIDTH, Scale
from .findings import Curves, Span, Table
from .plots import plotted
from .rates import Rate
from .studies import study

if TYPE_CHECKING:
    from .audit import Audit

SCALE = Scale(0.0, 1.0)
_SENTENCE = 24  # letters; longer cells are words
_APART = 1000
_LEFT, _RIGHT, _TOP, _BOTTOM = 40.0, 700.0, 10.0, 190.0


class Line(NamedTuple):
    """One curve as SVG draws it.

    Attributes:
        name: of the curve.
        band: the points around its intervals.
        path: the points of its shares.
        number: from 0; picks the colour.
    """

    name: str
    band: str
    path: str
    number: int


def write_page(audit: Audit) -> None:
    """Write ``result.json`` and ``report.html`` into the audit's folder.

    Raises:
        StoreError: a file cannot be written.
    """
    plain = [found.to_json() for found in audit.findings]
    text = json.dumps(plain, indent=1, ensure_ascii=False, sort_keys=True)
    for name, content in (("result.json", text + "\n"), ("report.html", render_page(audit))):
        with whole(audit.path / name) as part:
            part.write_text(content, encoding="utf-8", errors="replace", newline="\n")


def render_page(audit: Audit) -> str:
    """The page as text; equal findings give equal bytes."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals |= {
        "f": figures,
        "width": round(WIDTH),
        "scale": SCALE,
        "is_rate": lambda cell: isinstance(cell, Rate),
        "is_span": lambda cell: isinstance(cell, Span),
        "span_scale": span_scale,
        "wordy": wordy,
        "drawn": drawn,
        "plotted": plotted,
        "cell": said,
    }
    here, there = files(__package__), files("gymposium.arenas.report")
    name = audit.findings[0].study
    return environment.from_string(here.joinpath("page.html").read_text("utf-8")).render(
        # Our own files, the only text that is not escaped.
        style=Markup(
            there.joinpath("page.css").read_text("utf-8")
            + here.joinpath("page.css").read_text("utf-8")
        ),
        name=name,
        summary=study(name).summary,
        findings=audit.findings,
        settings=json.dumps(dict(audit.findings[0].parameters), ensure_ascii=False),
    )


def said(cell: Any) -> str:
    """A cell of a table in words."""
    if isinstance(cell, Rate | Span):
        return cell.said
    if isinstance(cell, float):
        return figures.figure(cell)
    return "–" if cell is None else figures.plain(cell, 200)


def span_scale(table: Table) -> Scale | None:
    """One axis for all spans of a table, with 0 on it.

    None where rows have several to compare, and where values are so many times each other that all
    but the largest would lie on 0.
    """
    rows = [[cell for cell in row if isinstance(cell, Span)] for row in table.rows]
    if any(len(row) > 1 for row in rows):
        return None
    spans = [cell for row in rows for cell in row]
    values = sorted(span.value for span in spans)
    if len(values) > 2 and 0 < _APART * values[0] < values[-1]:
        return None
    ends = [end for span in spans for end in (span.low, span.high, span.value)]
    return Scale.around(ends, include=0.0)


def wordy(table: Table) -> set[int]:
    """Columns of sentences rather than figures, which break over lines."""
    return {
        at
        for row in table.rows
        for at, cell in enumerate(row)
        if at and isinstance(cell, str) and len(cell) > _SENTENCE
    }


def drawn(curves: Curves) -> list[Line]:
    """The curves as points of a plot 720 wide and 220 high."""
    most = max((len(line) for line in curves.lines.values()), default=1)
    made = []
    for number, (name, rates) in enumerate(curves.lines.items()):
        known = [(place, rate) for place, rate in enumerate(rates) if rate.interval is not None]
        across = [_x(place, most) for place, _ in known]
        shares = [rate.share or 0.0 for _, rate in known]
        ends = [rate.interval or (0.0, 1.0) for _, rate in known]
        upper = [_point(x, high) for x, (_, high) in zip(across, ends, strict=True)]
        lower = [_point(x, low) for x, (low, _) in zip(across, ends, strict=True)]
        made.append(
            Line(
                name,
                " ".join([*upper, *reversed(lower)]),
                " ".join(_point(x, share) for x, share in zip(across, shares, strict=True)),
                number,
            )
        )
    return made


def _x(place: int, most: int) -> float:
    return _LEFT + (_RIGHT - _LEFT) * (place / (most - 1) if most > 1 else 0.5)


def _point(x: float, share: float) -> str:
    return f"{x:.1f},{_BOTTOM - (_BOTTOM - _TOP) * share:.1f}"
