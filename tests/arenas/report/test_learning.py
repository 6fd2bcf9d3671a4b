from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymposium.arenas.ratings.leaderboard import leaderboard
from gymposium.arenas.report import render_report
from gymposium.arenas.report.learning import (
    ARMS,
    METRICS,
    PLOT_HEIGHT,
    PLOT_WIDTH,
    POINTS,
    CurvePoint,
    curves_of,
    plots,
    pooled,
)

EVIL = "<script>alert(1)</script>"


def test_seeds_are_pooled_to_a_mean_with_a_student_interval() -> None:
    seeds = [[{"step": 10, "return": value}] for value in (1.0, 2.0, 3.0)]
    (point,) = pooled({"ppo": seeds})
    assert (point.arm, point.step, point.metric, point.value) == ("ppo", 10, "return", 2)
    # t(0.975, 2) = 4.302653, standard error 1 / sqrt(3)
    assert point.high - point.value == pytest.approx(4.302653 / math.sqrt(3), rel=1e-4)
    assert point.value - point.low == pytest.approx(point.high - point.value)


def test_one_seed_has_a_line_without_a_band() -> None:
    points = pooled({"ppo": [[{"step": s, "return": s} for s in range(5)]]})
    assert {(p.low, p.high) for p in points} == {(None, None)}
    (plot,) = plots(points)
    assert plot.curves[0].band == ""
    assert len(plot.curves[0].line.split()) == 5


@given(
    st.lists(
        st.builds(
            CurvePoint,
            st.sampled_from(["a", "b"]),
            st.floats(-1e12, 1e12),
            st.sampled_from(["x", "y"]),
            st.floats(allow_infinity=True, allow_nan=True),
            st.none() | st.floats(-1e6, 1e6),
            st.none() | st.floats(-1e6, 1e6),
        )
    )
)
def test_whatever_was_measured_is_drawn_inside_the_plot(points: list[CurvePoint]) -> None:
    for plot in plots(points):
        for curve in plot.curves:
            for pair in (curve.line + " " + curve.band).split():
                x, y = map(float, pair.split(","))
                assert 0 <= x <= PLOT_WIDTH
                assert 0 <= y <= PLOT_HEIGHT


def test_many_points_arms_and_metrics_are_cut_and_said() -> None:
    points = [CurvePoint("a", step, "m", step) for step in range(10_000)]
    line = plots(points)[0].curves[0].line.split()
    assert len(line) == POINTS
    assert line[0].startswith("6.0,")
    arms = [CurvePoint(f"arm {n:02}", 0, "m", n) for n in range(ARMS + 3)]
    assert plots(arms)[0].hidden == 3
    metrics = [CurvePoint("a", 0, f"metric {n:02}", n) for n in range(METRICS + 5)]
    assert len(plots(metrics)) == METRICS


def test_curves_in_a_run_folder_are_found_and_drawn(tmp_path: Path) -> None:
    for seed in range(2):
        folder = tmp_path / "ppo" / f"seed-{seed}"
        folder.mkdir(parents=True)
        (folder / "progress.csv").write_text("step,return\n0,1\n10,2\n", encoding="utf-8")
    points = curves_of(tmp_path)
    assert [(p.arm, p.step, p.value) for p in points] == [("ppo", 0, 1), ("ppo", 10, 2)]
    page = render_report({}, leaderboard([]), [], learning=points)
    assert "<h2>Learning</h2>" in page
    assert page.count("<polyline") == 1
    assert curves_of(tmp_path / "ppo") == []


def test_names_of_arms_and_metrics_are_escaped() -> None:
    page = render_report({}, leaderboard([]), [], learning=[CurvePoint(EVIL, 0, EVIL, 1)])
    assert "<script" not in page
    assert "&lt;script&gt;" in page
