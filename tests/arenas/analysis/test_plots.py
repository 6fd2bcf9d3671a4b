from __future__ import annotations

import json
from pathlib import Path

import pytest

from gymposium.arenas.analysis.audit import Audit
from gymposium.arenas.analysis.findings import Findings, Plot, Point, Span, Table
from gymposium.arenas.analysis.page import render_page, span_scale, wordy
from gymposium.arenas.analysis.plots import plotted

PLOT = Plot(
    "Worth",
    "place <i>",
    "value",
    {"ours": [Point(0, 0, -1, 1), Point(10, 4, 3, 5), Point(5, float("nan"))], "truth": []},
)


def found(**fields: object) -> Findings:
    return Findings("survival", "a", "a@1", True, {}, 0, 3, ["Said."], **fields)


def test_points_stand_where_their_numbers_say() -> None:
    shown = plotted(PLOT)
    ours, truth = shown.lines
    assert ours.dots == [(60, 210), (700, 50)]  # heights from -1 to 5 over 240 pixels
    assert ours.bars == [(60, 250, 170), (700, 90, 10)]
    assert truth.path == ""
    assert (60.0, "0") in shown.across
    assert (210.0, "0") in shown.up


@pytest.mark.parametrize("dots", [False, True])
def test_a_page_draws_plots_and_spans_and_escapes_their_words(dots: bool) -> None:
    plot = Plot(PLOT.title, PLOT.across, PLOT.up, PLOT.lines, dots=dots)
    table = Table("T", ("item", "worth"), [("<b>x</b>", Span(0.5, -1, 2)), ("y", None)])
    page = render_page(Audit(Path(), (found(plots=[plot], tables=[table]),)))
    assert ('<circle class="spot"' in page) == dots
    assert "place &lt;i&gt;" in page
    assert "&lt;b&gt;x&lt;/b&gt;" in page
    assert "0.5 [−1, 2]" in page
    assert "<script" not in page


def test_plots_and_spans_become_plain_data() -> None:
    plain = found(plots=[PLOT], tables=[Table("T", ("a",), [(Span(1.0, 0.5, 2.0),)])]).to_json()
    assert json.loads(json.dumps(plain["tables"]))[0]["rows"] == [
        [{"value": 1.0, "low": 0.5, "high": 2.0}]
    ]
    assert json.loads(json.dumps(plain["plots"]))[0]["lines"]["ours"][0] == [0, 0, -1, 1]


def test_sentences_in_a_table_break_over_lines_and_figures_do_not() -> None:
    rows = [("m1", "1 … 12", "white letters in the abstract; a comment"), ("m2", None, "short")]
    assert wordy(Table("What was tried", ("a", "b", "c"), rows)) == {2}


def test_spans_of_very_different_sizes_are_told_in_figures_alone() -> None:
    def spans(*values: float) -> Table:
        return Table("Rates", ("", "rate"), [("a", Span(it, it / 2, it * 2)) for it in values])

    assert span_scale(spans(0.002, 3.0, 6934.2)) is None
    assert span_scale(spans(0.2, 3.0, 5.0)) is not None
    assert Span(6934.2, 3131.0, 999.4).said == "6,930 [3,130, 999]"
    assert Span(-0.0029, -1234.0, 3e12).said == "−0.0029 [−1,230, 3e+12]"
