"""Measures of an evaluation and the table of a run, against closed forms."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from gymposium.arenas.ratings.bootstrap import student_quantile
from gymposium.arenas.rows import MatchRow, SeatRow
from gymposium.arenas.training.curves import CurveFile
from gymposium.arenas.training.evaluation import measures
from gymposium.arenas.training.table import table
from gymposium.scenarios.training import load_training


def row(returns, metrics=None, faults=0):
    seats = tuple(
        SeatRow(f"s{place}", "x", "focal", None, value, {"illegal": faults} if place == 0 else {})
        for place, value in enumerate(returns)
    )
    return MatchRow("k", "w-v0", "mixed", "c", 0, 0, seats, metrics or {})


@pytest.mark.parametrize(
    ("returns", "gini", "geomean"),
    [
        ((4, 4, 4, 4), 0.0, 4.0),
        ((8, 0, 0, 0), 0.75, 0.0),
        ((1, 3), 0.25, math.sqrt(3)),
        ((1, -3), math.nan, 0.0),
    ],
)
def test_fairness_of_known_returns(returns, gini, geomean):
    seats = [f"s{place}" for place in range(len(returns))]
    found = measures([row(returns)], seats)
    assert found["gini"] == pytest.approx(gini, nan_ok=True)
    assert found["geomean"] == pytest.approx(geomean)
    assert found["min"] == min(returns)
    assert found["return"] == pytest.approx(np.mean(returns))
    assert found["return.s1"] == returns[1]


def test_fairness_is_of_returns_averaged_over_matches_and_only_of_those_who_learn():
    matches = [row((8, 0, 99), {"gini": 0.5, "apples": 2.0}, faults=1), row((0, 8, 99))]
    found = measures(matches, ["s0", "s1"])
    assert found["gini"] == 0.0  # they took turns
    assert found["return"] == 4.0
    assert found["apples"] == 2.0
    assert found["faults"] == 0.5
    assert "return.s2" not in found
    alone = measures([row((3, 99))], ["s0"])
    assert alone == {"return": 3.0, "faults": 0.0}


def a_run(tmp_path, values):
    """A run of methods whose last evaluation on each seed is given."""
    scenario = load_training(
        {"name": "x", "world": "w", "methods": list(values), "seeds": 4, "seed": 10}
    )
    learners, status = {}, {}
    for arm, ends in values.items():
        for seed, value in enumerate(ends, 10):
            folder = tmp_path / arm / str(seed)
            folder.mkdir(parents=True)
            curve = CurveFile(folder / "evaluation.csv")
            if value is not None:
                curve.add({"step": 1, "return": -5.0})
                curve.add({"step": 2, "return": value, "gini": math.nan})
            learners[arm, seed] = folder
            status[arm, seed] = {"status": "waiting" if value is None else "finished"}
    return SimpleNamespace(scenario=scenario, learners=learners, status=lambda: status)


def test_the_table_averages_the_last_evaluations_and_its_intervals_are_of_seeds(tmp_path):
    ends = {
        "even": [3.0, 3.0, 3.0, 3.0],
        "odd": [1.0, 2.0, 3.0, 6.0],
        "part": [1.0, None, 3.0, None],
    }
    made = table(a_run(tmp_path, ends), confidence=0.95, bootstrap=4000).set_index("method")
    assert list(made["return"]) == [3.0, 3.0, 2.0]
    assert tuple(made.loc["even", ["return_low", "return_high"]]) == (3.0, 3.0)
    low, high = made.loc["odd", ["return_low", "return_high"]]
    error = np.std(ends["odd"], ddof=1) / 2
    half = student_quantile(0.975, 3) * error
    assert (high - low) / 2 == pytest.approx(half, rel=0.15)  # what Student's interval says
    assert low < 3.0 < high
    assert made.loc["part", "seeds"] == 2
    assert made.loc["part", "status"] == "2 finished, 2 waiting"
    assert math.isnan(made.loc["even", "gini"])


def test_a_single_seed_has_no_interval(tmp_path):
    made = table(a_run(tmp_path, {"one": [1.0, None, None, None]}), confidence=0.9, bootstrap=50)
    assert made["return"].iloc[0] == 1.0
    assert np.isnan(made[["return_low", "return_high"]].iloc[0]).all()
