from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import gymposium
from gymposium.arenas.analysis.findings import Findings
from gymposium.arenas.analysis.rates import Rate
from gymposium.arenas.analysis.room_grades import (
    Judged,
    Made,
    RoomGrades,
    _between_calls,
    _by_maker,
    _calibration,
    _of_room,
)
from gymposium.envs.rooms.baselines import BASELINES
from gymposium.errors import UsageError

GRADES = ("realism", "function", "layout", "completion")


def audited(out: Path, agent: str, **params: object) -> Findings:
    chosen = {"rooms": 6, "calls": 3, "shows": "text", **params}
    return gymposium.audit("rooms", [agent], chosen, out=out).findings[0]


def rows(found: Findings, title: str) -> dict[str, list[object]]:
    (it,) = (it for it in found.tables if it.title == title)
    return {str(row[0]): list(row[1:]) for row in it.rows}


def test_a_grader_without_error_agrees_with_the_rule_and_with_itself(tmp_path: Path) -> None:
    found = audited(tmp_path, "scripted:room_grader")
    assert found.matches == 18
    for name, (judge, rule, above, rank, spread) in rows(found, "Judge and rule").items():
        assert abs(judge.value - rule) <= 0.5, name  # it answers in whole grades
        assert above.low >= -0.5, name
        assert above.high <= 0.5, name
        assert rank is None or rank > 0.8, name
        assert spread == 0
    made = rows(found, "Grades by who made the rooms")
    assert list(made) == [it.name for it in BASELINES.values() if it.rooms is None]
    assert "answered 100 %" in found.sentences[0]


def test_error_and_kindness_are_seen_for_what_they_are(tmp_path: Path) -> None:
    kind = audited(tmp_path, "scripted:room_grader?error=1&kindness=-2", rooms=9, calls=6)
    spreads = [row[-1] for row in rows(kind, "Judge and rule").values()]
    assert 0.6 < np.mean(spreads) < 1.4  # 9 x 5 x 4 draws, some cut at 10
    for _, _, above, _, _ in rows(kind, "Judge and rule").values():
        assert above.high < -1


def test_a_stand_in_for_a_language_model_grades_what_it_is_shown(tmp_path: Path) -> None:
    # scripted/legal is no model: it fills the JSON Schema of an answer at random.
    found = audited(tmp_path, "llm:scripted/legal?images=true", rooms=2, shows="both", size=32)
    assert "answered 100 %" in found.sentences[0]
    assert any(row[-1] > 0 for row in rows(found, "Judge and rule").values())


def test_rooms_of_a_run_are_judged_by_who_made_them(tmp_path: Path) -> None:
    scenario = {
        "name": "two planners",
        "world": "scene_weaver-v0",
        "params": {"room": "hallway", "steps": 2},
        "schedule": {"kind": "self_play", "repeats": 2},
    }
    agents = ["random", {"spec": "random", "name": "other"}]
    gymposium.run(scenario, agents, out=tmp_path / "run")
    found = audited(tmp_path / "a", "scripted:room_grader", played=str(tmp_path / "run"))
    made = rows(found, "Grades by who made the rooms")
    assert {name: row[0] for name, row in made.items()} == {"random": 2, "other": 2}


def test_means_deviations_and_missing_answers_by_hand() -> None:
    judge = np.full((2, 3, 4), np.nan)
    judge[0, :, 0] = (4, 6, 8)
    judge[1, :2, 0] = (1, 3)
    judged = Judged(judge, np.full((2, 4), 5.0))
    assert _of_room(judged)[:, 0].tolist() == [6, 2]
    assert np.isnan(_of_room(judged)[:, 1]).all()
    # (4 + 0 + 4) + (1 + 1) over 2 + 1 degrees of freedom
    assert np.isclose(_between_calls(judged)[0], np.sqrt(10 / 3))
    assert np.isnan(_between_calls(judged)[1])
    made = [Made("a", "", ""), Made("b", "", "")]
    assert [row[:2] for row in _by_maker(made, judged).rows] == [["a", 1], ["b", 1]]
    realism, function = _calibration(judged).rows[:2]
    assert realism[1].value == 4
    assert realism[3].value == -1
    assert function[1] is None


@pytest.mark.parametrize("wrong", [{"rooms": 1}, {"calls": 0}, {"shows": "smell"}, {"played": 3}])
def test_parameters_out_of_range_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError, match=next(iter(wrong))):
        RoomGrades(**wrong)


def test_the_page_and_the_data_are_written(tmp_path: Path) -> None:
    audited(tmp_path, "scripted:room_grader", rooms=3, calls=1)
    (found,) = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert found["study"] == "rooms"
    assert "no truth" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert Rate(3, 3).said in found["sentences"][0]


def test_the_interval_of_a_mean_grade_lies_within_the_grades() -> None:
    judge = np.stack([np.full((2, 4), grade) for grade in (9.5, 3.5)])
    judged = Judged(judge, np.stack([np.full(4, rule) for rule in (0.5, 10.0)]))
    (cells,) = _by_maker([Made("planner", "{}", "bedroom")] * 2, judged).rows
    assert (cells[2].value, cells[2].low, cells[2].high) == (6.5, 0.0, 10.0)
    difference = _calibration(judged).rows[0][3]
    assert (difference.value, difference.low, difference.high) == (1.25, -10.0, 10.0)


def test_one_room_has_a_mean_too_though_no_interval() -> None:
    judged = Judged(np.full((1, 2, 4), 7.0), np.full((1, 4), 9.0))
    (cells,) = _by_maker([Made("planner", "{}", "bedroom")], judged).rows
    assert cells == ["planner", 1, *[7.0, 9.0] * 4]
    assert [row[1:4] for row in _calibration(judged).rows] == [[7.0, 9.0, -2.0]] * 4
