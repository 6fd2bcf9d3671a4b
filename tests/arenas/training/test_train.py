"""Training runs: what they leave, when they end, and that nothing about how they ran shows."""

from __future__ import annotations

import errno
import json
import os

import numpy as np
import pytest

import gymposium
from gymposium.agents.checkpoints import checkpoints, digest
from gymposium.arenas.training.learner import LearnerEvent
from gymposium.arenas.training.train import Silent
from gymposium.errors import GymposiumError, StoreError, UnknownName, UsageError

SMALL = {"params": {"rounds": 5}, "budget": {"steps": 300}, "evaluation": {"every": 100}}


def small(out, methods=("tabular",), **changes):
    return gymposium.train("iterated_matrix", list(methods), out=out, **{**SMALL, **changes})


def state(run):
    """All that must be the same however a run came about: everything but times."""
    kept = {}
    for key, folder in run.learners.items():
        rows = run.curves.query("method == @key[0] and seed == @key[1]").drop(columns="seconds")
        found = checkpoints(folder / "checkpoints")
        kept[key] = (
            rows.to_csv(index=False),
            (folder / "evaluation.csv").read_text(),
            (folder / "best.json").read_text(),
            {step: digest(path) for step, path in found.items()},
        )
    return kept


def test_a_run_leaves_curves_evaluations_checkpoints_and_agents(tmp_path):
    run = small(tmp_path / "run", ["tabular", "tabular?lr=0.5"], seeds=2)
    assert run.path == tmp_path / "run"
    assert set(run.curves["method"]) == {"tabular", "tabular?lr=0.5"}
    assert set(run.curves["seed"]) == {0, 1}
    assert run.curves["step"].max() == 300
    assert sorted(run.evaluations["step"].unique()) == [100, 200, 300]
    assert len(run.agents()) == 4
    assert {entry["status"] for entry in run.status().values()} == {"finished"}
    again = gymposium.TrainingRun(run.path)
    assert again.scenario == run.scenario


def test_a_tabular_learner_learns_to_defect(tmp_path):
    run = small(tmp_path / "run", budget={"steps": 3000}, evaluation={"every": 1500, "matches": 20})
    last = run.evaluations.iloc[-1]
    assert last["rate_defect"] > 0.9


def test_seeds_matter_and_are_shared_by_the_methods(tmp_path):
    run = small(tmp_path / "run", ["tabular", {"spec": "tabular", "name": "twin"}], seeds=2)
    found = state(run)
    assert found["tabular", 0][0] != found["tabular", 1][0]
    for seed in (0, 1):
        mine, twin = found["tabular", seed], found["twin", seed]
        assert mine[0].replace("tabular", "twin") == twin[0]
        assert mine[1:] == twin[1:]


def test_every_evaluation_plays_the_same_seeds_and_stores_every_seat(tmp_path):
    run = small(tmp_path / "run", ["tabular", "tabular?lr=0.5"], seeds=2)
    seeds = set()
    for folder in run.learners.values():
        played = gymposium.load(folder / "evaluation")
        assert len(played.rows) == 3 * run.scenario.evaluation.matches
        assert all(len(row.seats) == 2 for row in played.rows)
        for cell in {row.cell for row in played.rows}:
            seeds.add(tuple(row.seed for row in played.rows if row.cell == cell))
        last = [row for row in played.rows if row.cell == "step 300"]
        mean = np.mean([seat.return_ for row in last for seat in row.seats])
        written = (folder / "evaluation.csv").read_text().splitlines()
        names, values = written[0].split(","), written[-1].split(",")
        assert float(values[names.index("return")]) == pytest.approx(mean)
    assert len(seeds) == 1


@pytest.mark.parametrize("workers", [2, 3])
def test_the_number_of_workers_changes_nothing(tmp_path, workers):
    here = small(tmp_path / "here", ["tabular", "tabular?lr=0.5"], seeds=2)
    there = small(tmp_path / "there", ["tabular", "tabular?lr=0.5"], seeds=2, workers=workers)
    assert state(here) == state(there)
    assert here.table().equals(there.table())


class StopAfter(Silent):
    """Presses Ctrl-C once a learner has told so many things."""

    def __init__(self, events):
        self.left = events
        self.said = []

    def event(self, event: LearnerEvent) -> None:
        self.left -= 1
        if self.left == 0:
            import signal

            signal.raise_signal(signal.SIGINT)

    def message(self, text: str) -> None:
        self.said.append(text)


@pytest.mark.parametrize("events", [1, 7, 20, 21, 22, 45, 63])
def test_a_run_stopped_by_ctrl_c_and_resumed_equals_one_that_never_was(tmp_path, events):
    whole = small(tmp_path / "whole")
    stopper = StopAfter(events)
    with pytest.raises(KeyboardInterrupt):
        small(tmp_path / "cut", progress=stopper)
    assert "gymposium resume" in stopper.said[0]
    cut = gymposium.TrainingRun(tmp_path / "cut")
    if events < 63:
        assert cut.status()["tabular", 0]["status"] == "interrupted"
    resumed = gymposium.resume_training(tmp_path / "cut")
    assert state(resumed) == state(whole)
    assert resumed.table().equals(whole.table())


def test_the_same_command_goes_on_with_the_same_run_and_refuses_another(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        small(tmp_path / "run", progress=StopAfter(9))
    assert small(tmp_path / "run").status()["tabular", 0]["status"] == "finished"
    with pytest.raises(UsageError, match="another training run"):
        small(tmp_path / "run", params={"rounds": 6})
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").touch()
    with pytest.raises(UsageError, match="not empty"):
        small(tmp_path / "other")


def test_a_finished_run_is_gone_on_with_when_its_budget_is_raised(tmp_path):
    small(tmp_path / "run")
    further = gymposium.resume_training(tmp_path / "run", budget={"steps": 600})
    at_once = small(tmp_path / "once", budget={"steps": 600})
    assert further.curves["step"].max() == 600
    kept = {key: value[:3] for key, value in state(further).items()}
    assert kept == {key: value[:3] for key, value in state(at_once).items()}


@pytest.mark.parametrize("calls", [0, 1, 2, 3, 5, 8])
def test_a_full_disk_is_named_and_the_resumed_run_equals_one_that_never_met_it(
    tmp_path, monkeypatch, calls
):
    whole = small(tmp_path / "whole")
    left, real = [calls], os.fsync

    def full(number):
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(number)

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        with pytest.raises(GymposiumError, match="No space left"):
            small(tmp_path / "cut")
    if (tmp_path / "cut" / "training.json").exists():
        resumed = gymposium.resume_training(tmp_path / "cut")
    else:  # it never began
        resumed = small(tmp_path / "cut")
    assert state(resumed) == state(whole)


def test_a_finished_run_resumed_does_nothing(tmp_path):
    before = state(small(tmp_path / "run"))
    assert state(gymposium.resume_training(tmp_path / "run")) == before


def test_it_ends_early_when_the_measure_no_longer_improves(tmp_path):
    run = small(
        tmp_path / "run",
        ["tabular?lr=0.0"],
        budget={"steps": 100_000},
        evaluation={"every": 50},
        stop={"patience": 2, "margin": 100.0},
    )
    found = run.status()["tabular?lr=0.0", 0]
    assert found["step"] == 150  # the first, and two that were not better
    assert found["why"] == "return has not improved for 2 evaluations"
    assert gymposium.resume_training(run.path).status()["tabular?lr=0.0", 0]["step"] == 150


def test_an_unknown_measure_to_stop_by_is_named(tmp_path):
    with pytest.raises(GymposiumError, match=r"unknown measure 'retrun'.*'return'"):
        small(tmp_path / "run", stop={"measure": "retrun"})


def test_a_budget_of_seconds_ends_it_with_an_evaluation(tmp_path):
    run = small(tmp_path / "run", ["tabular?nap=0.05"], budget={"steps": 10**9, "seconds": 0.3})
    found = run.status()["tabular?nap=0.05", 0]
    assert found["why"] == "all 0.3 seconds"
    assert run.evaluations["step"].iloc[-1] == found["step"]


def test_a_method_that_ends_by_itself_is_measured_at_its_end(tmp_path):
    run = small(tmp_path / "run", ["tabular?ends_after=40"], evaluation={"every": 1000})
    assert list(run.evaluations["step"]) == [40]
    assert run.status()["tabular?ends_after=40", 0]["why"] == "the method ended"


def test_a_learner_that_fails_is_named_and_the_others_are_finished(tmp_path):
    said = r"raise_at=50 on seed 0 failed.*ZeroDivisionError.*\(tabular.py:\d+\)"
    with pytest.raises(GymposiumError, match=said):
        small(tmp_path / "run", ["tabular?raise_at=50", "tabular"])
    status = gymposium.TrainingRun(tmp_path / "run").status()
    assert status["tabular?raise_at=50", 0]["status"] == "failed"
    assert status["tabular", 0]["status"] == "finished"


def test_the_newest_checkpoints_and_the_best_are_kept(tmp_path):
    run = small(
        tmp_path / "run",
        budget={"steps": 1000},
        checkpoints={"keep": 2, "every": 50},
        evaluation={"every": 200, "matches": 2},
    )
    folder = run.learners["tabular", 0]
    best = json.loads((folder / "best.json").read_text())
    measured = run.evaluations.set_index("step")["return"]
    assert measured[best["step"]] == measured.max()
    assert set(checkpoints(folder / "checkpoints")) == {best["step"], 950, 1000}


def test_partners_sit_in_the_other_seats_while_learning_and_in_evaluation(tmp_path):
    run = small(
        tmp_path / "run",
        partners={"player_1": "scripted:always_cooperate"},
        budget={"steps": 3000},
        evaluation={"every": 3000, "matches": 10},
    )
    assert run.evaluations["return"].iloc[-1] > 20  # 5 a round against a cooperator
    played = gymposium.load(run.learners["tabular", 0] / "evaluation")
    seats = {seat.seat: (seat.agent, seat.role) for seat in played.rows[0].seats}
    assert seats["player_1"] == ("scripted:always_cooperate", "background")
    assert [entry["spec"] for entry in run.agents()] == [f"trained:{run.learners['tabular', 0]}"]


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"methods": ["tabluar"]}, UnknownName, "unknown method 'tabluar'.*'tabular'"),
        ({"methods": ["tabular?lrr=1"]}, UnknownName, "'lrr' in the method tabular.*'lr'"),
        ({"methods": []}, UsageError, "names no method"),
        ({"methods": ["tabular", "tabular"]}, UsageError, "'tabular' is there twice"),
        ({"params": {"roundz": 3}}, UnknownName, "'roundz'.*'rounds'"),
        ({"partners": {"player_9": "random"}}, UnknownName, "'player_9'"),
        ({"partners": {"player_1": "scripted:grimm"}}, UnknownName, "scripted:grim"),
        ({"partners": {"player_0": "random", "player_1": "random"}}, UsageError, "none learns"),
        ({"seats": ["player_0"]}, UsageError, "'player_1' neither learns nor has a partner"),
        ({"evaluation": {"partners": {"player_1": "random"}}}, UsageError, "'player_1' learns"),
        ({"budget": {"step": 3}}, UsageError, "unknown field 'step'.*'steps'"),
        ({"seeds": 0}, UsageError, "seeds"),
    ],
)
def test_what_cannot_be_used_as_written_is_said_before_anything_is_made(
    tmp_path, changes, error, words
):
    wanted = {**SMALL, "methods": ["tabular"], **changes}
    methods = wanted.pop("methods")
    with pytest.raises(error, match=words):
        gymposium.train("iterated_matrix", methods, out=tmp_path / "run", **wanted)
    assert not (tmp_path / "run").exists()


def test_a_folder_that_is_no_training_run_is_refused(tmp_path):
    with pytest.raises(StoreError, match="is not a training run"):
        gymposium.TrainingRun(tmp_path)
    (tmp_path / "training.json").write_text("{")
    with pytest.raises(StoreError, match="corrupt"):
        gymposium.TrainingRun(tmp_path)
    (tmp_path / "training.json").write_text('{"format": 99}')
    with pytest.raises(StoreError, match="another version"):
        gymposium.TrainingRun(tmp_path)
