"""``gymposium train``: what it prints, how it ends, and how it is gone on with."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

import gymposium
from gymposium.arenas.training.learner import LearnerEvent
from gymposium.cli.app import app
from gymposium.cli.training_progress import WIDTH, TrainingProgress, sparkline
from gymposium.scenarios.training import load_training

METHOD = "ippo?num_envs=2&minibatches=1&rollout=5"
BASE = ["train", "iterated_matrix", "-m", METHOD, "-p", "rounds=5", "--workers", "1"]


@pytest.fixture(autouse=True)
def own_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


def test_it_ends_in_a_table_a_report_and_the_command_that_plays_what_was_learned():
    done = run(*BASE, "--steps", "1e2", "--every", 50, "--seeds", 2, "-o", "run")
    assert done.exit_code == 0, done.output
    assert "method" in done.output
    assert "return" in done.output
    assert "2" in done.output
    play = next(line for line in done.output.splitlines() if line.startswith("play: gymposium "))
    words = play.removeprefix("play: gymposium ").partition("  (and")[0].split()
    match = run(*words, "--out", "match")
    assert match.exit_code == 0, match.output
    report = (gymposium.TrainingRun("run").path / "report.html").read_text()
    assert "<svg" in report
    assert "ippo?num_envs=2" in report
    assert "<script" not in report


def test_json_has_stable_keys_and_resume_goes_further():
    assert run(*BASE, "--steps", 50, "-o", "run").exit_code == 0
    further = run("train", "--resume", "run", "--steps", 100, "--json", "--workers", 1)
    assert further.exit_code == 0, further.output
    told = json.loads(further.stdout)
    assert set(told) == {"run", "table", "agents", "report"}
    row = told["table"][0]
    assert row["method"] == METHOD
    assert row["steps"] == 100
    assert row["return_low"] is None  # a single seed has no interval
    again = run("resume", "run", "--budget", "steps=120", "--workers", 1)
    assert again.exit_code == 0, again.output
    assert gymposium.TrainingRun("run").curves["step"].max() == 120


def test_set_and_the_short_options_reach_the_scenario():
    words = ["--steps", 40, "--patience", 2, "--set", "evaluation.matches=1", "--seed", 5]
    done = run(*BASE, *words, "--partner", "player_1=random", "-o", "run")
    assert done.exit_code == 0, done.output
    scenario = gymposium.TrainingRun("run").scenario
    assert scenario.stop.patience == 2
    assert scenario.evaluation.matches == 1
    assert scenario.seed == 5
    assert scenario.partners == {"player_1": "random"}
    assert list(gymposium.TrainingRun("run").learners) == [(METHOD, 5)]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["train"], "in which world"),
        (["train", "iterated_matrix"], "names no method"),
        (["train", "iterated_matrx", "-m", "ippo"], "did you mean 'iterated_matrix-v0'"),
        (["train", "iterated_matrix", "-m", "fcgard"], "did you mean 'fcgrad'"),
        (["train", "iterated_matrix", "-m", "ippo?gama=1"], "did you mean 'gamma'"),
        (["train", "iterated_matrix", "-m", "ippo", "-p", "round=1"], "did you mean 'rounds'"),
        (["train", "iterated_matrix", "-m", "ippo", "--partner", "player_1"], "SEAT=AGENT"),
        (["train", "iterated_matrix", "-m", "ippo", "--set", "evaluation.evry=1"], "'every'"),
        (["train", "iterated_matrix", "--resume", "x"], "leave out the world"),
        (["train", "--resume", "nothing"], "unknown run 'nothing'"),
        (["info", "fcgrd"], "did you mean 'fcgrad'"),
    ],
)
def test_wrong_usage_is_one_sentence_and_exit_code_2(words, said):
    done = run(*words)
    assert done.exit_code == 2, done.output
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_methods_are_listed_and_have_pages():
    listed = run("train", "--list")
    assert listed.exit_code == 0
    for name in ("ippo", "fcgrad", "collective", "mappo"):
        assert name in listed.output
    assert json.loads(run("list", "methods", "--json").stdout)[0]["name"] == "aga"
    page = run("info", "fcgrad?beta=0.25")
    assert page.exit_code == 0, page.output
    assert "0.25" in page.output
    assert "weight of the collective gradient" in page.output


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_saves_says_how_to_go_on_and_ends_with_130(tmp_path, workers):
    words = [*BASE[:-1], str(workers), "--seeds", "2", "--steps", "1e9", "--every", "1e8"]
    process = subprocess.Popen(
        [sys.executable, "-m", "gymposium", *words, "-o", "run"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=tmp_path,
        start_new_session=True,
    )
    rows = tmp_path.glob
    deadline = time.monotonic() + 100
    while time.monotonic() < deadline and process.poll() is None:
        if sum(file.stat().st_size for file in rows("run/*/seed-*/progress.csv")) > 2000:
            break
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: parent and workers
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert "gymposium resume run" in said
    assert "Traceback" not in said
    stopped = gymposium.TrainingRun(tmp_path / "run")
    status = [entry["status"] for entry in stopped.status().values()]
    assert "interrupted" in status
    assert set(status) <= {"interrupted", "waiting"}
    for key, entry in stopped.status().items():
        if entry["status"] == "interrupted":
            curve = stopped.curves.query("seed == @key[1]")
            assert entry["step"] == curve["step"].max() > 0
            assert len(list(stopped.learners[key].glob("checkpoints/step-*"))) == 1


def event(arm, seed, step, **more):
    return LearnerEvent(arm, seed, step, 100, **more)


def test_curves_share_one_scale_and_show_evaluations_where_there_are_any():
    from rich.console import Console

    shown = TrainingProgress(live=False)
    scenario = load_training(
        {
            "name": "x",
            "world": "y",
            "methods": ["low", "high"],
            "seeds": 2,
            "budget": {"steps": 100},
        }
    )
    shown.start(scenario, [event("low", 0, 50, measures={"return": 0.0})])
    shown.event(event("high", 0, 50, metrics={"return": 99.0}))
    shown.event(event("high", 0, 100, measures={"return": 7.0}))
    shown.event(event("high", 0, 100, status="finished"))
    console = Console(width=120, record=True, file=open(os.devnull, "w"))  # noqa: SIM115
    console.print(shown.drawing())
    text = console.export_text()
    low, high = (line for line in text.splitlines() if line.startswith(("low", "high")))
    assert low.count("▁") == 1
    assert high.count("█") == 1
    assert "return, 0 to 7" in text
    assert " 25%" in low
    assert " 50%" in high
    assert "1/2" in high


def test_a_sparkline_has_a_block_a_value():
    assert sparkline([0.0, float("nan"), 1.0, 0.5], 0.0, 1.0) == "▁ █▅"
    assert sparkline([3.0], 3.0, 3.0) == "▅"
    assert WIDTH >= 16
