"""A world or an agent that changes the current folder takes nothing else with it.

Everything named by a relative path, the run's folder first of all, stays where it was when the run
began, in this process and in workers; and the current folder is afterwards what it was before.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import gymposium
from gymposium.arenas.reporters import Silent
from gymposium.arenas.rows import MatchRow
from gymposium.arenas.viewer.film import Film
from gymposium.arenas.viewer.replay import replay
from gymposium.cli.app import app
from gymposium.errors import BudgetSpent

from .test_resume import timeless, transcripts
from .three_steps import THREE_STEPS

WORLD = f'''{THREE_STEPS}
import os
import tempfile
from dataclasses import dataclass


@dataclass(frozen=True)
class WandererParams:
    """When it goes to a new, empty folder: at no time, as it is made, in reset or in step."""

    goes: str = ""


class Wanderer(ThreeSteps):
    """Say a number, three times."""

    id = "wanderer-v0"

    def __init__(self, goes=""):
        super().__init__(WandererParams(goes))

    def _happens(self, what):
        if what == self.params.goes:
            os.chdir(tempfile.mkdtemp(dir=os.environ["WANDERED_TO"]))


class Settled(Wanderer):
    """Another world of the same file, loaded after the first has gone away."""

    id = "settled-v0"
'''
AGENTS = '''
import os
import tempfile
from pathlib import Path


class Reader:
    """Reads a file of its own where the run was begun, whenever it is made and reset."""

    deterministic = True

    def __init__(self):
        self.said = int(Path("said.txt").read_text())

    def reset(self, seat, seed):
        self.said = int(Path("said.txt").read_text())

    def act(self, turn):
        return self.said


class Stroller:
    """Goes away itself."""

    deterministic = True

    def act(self, turn):
        os.chdir(tempfile.mkdtemp(dir=os.environ["WANDERED_TO"]))
        return 1
'''
METHOD_WORLD = {"budget": {"steps": 60}, "evaluation": {"every": 30, "matches": 2}, "seeds": 1}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which everything is begun."""
    home, away = tmp_path / "home", tmp_path / "away"
    home.mkdir()
    away.mkdir()
    (home / "world.py").write_text(WORLD, encoding="utf-8")
    (home / "agents.py").write_text(AGENTS, encoding="utf-8")
    (home / "said.txt").write_text("1", encoding="utf-8")
    monkeypatch.setenv("WANDERED_TO", str(away))
    monkeypatch.chdir(home)
    return home


def asked(*goes: str, agents: tuple[str, ...] = ("agents.py:Reader", "random")) -> dict[str, Any]:
    worlds = [
        {"id": "world.py:Wanderer", "name": f"wanderer-{number}", "params": {"goes": when}}
        for number, when in enumerate(goes)
    ]
    return {
        "name": "wandering",
        "worlds": [*worlds, {"id": "world.py:Settled", "name": "settled"}],
        "agents": list(agents),
        "schedule": {"kind": "self_play", "repeats": 3},
    }


def wandered(home: Path) -> list[Path]:
    """What was written where the worlds went to."""
    away = home.parent / "away"
    assert list(away.iterdir()), "no world has gone anywhere"
    return [path for path in away.rglob("*") if path.is_file()]


@pytest.mark.parametrize("goes", ["init", "reset", "step"])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_is_where_it_was_asked_for(home: Path, goes: str, workers: int) -> None:
    run = gymposium.run(asked(goes), out="run", workers=workers, concurrency=2)
    assert Path.cwd() == home
    assert wandered(home) == []
    assert (home / "run" / "run.sqlite").is_file()
    assert len(run.rows) == len(transcripts(home / "run")) == 12
    assert {kind for row in run.rows for seat in row.seats for kind in seat.faults} == set()
    reader = [seat for row in run.rows for seat in row.seats if "Reader" in seat.agent]
    assert {seat.return_ for seat in reader} == {3.0}
    assert run.report() == Path("run", "report.html")
    assert (home / "run" / "report.html").is_file()


def test_what_is_played_is_what_a_world_that_stays_plays(home: Path) -> None:
    runs = [
        gymposium.run(asked(goes, agents=("random",)), out=f"run-{number}", workers=workers)
        for number, (goes, workers) in enumerate([("", 1), ("step", 1), ("step", 2)])
    ]
    one, *others = [[row.seats for row in timeless(run.rows)] for run in runs]
    assert one == others[0] == others[1]


def test_an_agent_in_this_process_may_go_away_too(home: Path) -> None:
    agents = ("agents.py:Stroller", "agents.py:Reader")
    run = gymposium.run(asked("", agents=agents), out="run", trusted=True)
    assert Path.cwd() == home
    assert wandered(home) == []
    assert len(run.rows) == 12


def test_a_run_that_was_stopped_goes_on_where_it_is(home: Path) -> None:
    class Stop(Silent):
        def match_done(self, row: MatchRow) -> None:
            raise BudgetSpent("one is enough for now")

    with pytest.raises(BudgetSpent):
        gymposium.run(asked("step"), out="run", progress=Stop())
    assert Path.cwd() == home
    run = gymposium.resume("run")
    assert len(run.rows) == 12
    assert wandered(home) == []


def test_a_film_is_where_it_was_asked_for(home: Path) -> None:
    run = gymposium.run(asked("reset", "step", agents=("random",)), out="run")
    for key in (row.key for row in run.rows[:2]):
        replay(run, key, [Film(Path(f"{key}.gif"), fps=4)])
        assert (home / f"{key}.gif").stat().st_size > 0
    assert wandered(home) == []


@pytest.mark.parametrize("workers", [1, 2])
def test_the_command_line_leaves_everything_where_it_was(home: Path, workers: int) -> None:
    (home / "asked.json").write_text(json.dumps(asked("init", "step")), encoding="utf-8")
    words = ["tournament", "asked.json", "--out", "run", "--workers", str(workers), "--json"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert (home / "run" / "report.html").is_file()
    assert Path.cwd() == home
    assert wandered(home) == []


@pytest.mark.parametrize("goes", ["init", "reset", "step"])
@pytest.mark.parametrize("workers", [1, 2])
def test_training_is_where_it_was_asked_for(home: Path, goes: str, workers: int) -> None:
    run = gymposium.train(
        "world.py:Wanderer",
        ["ippo?num_envs=2&epochs=1&minibatches=1"],
        params={"goes": goes},
        out="learned",
        workers=workers,
        **METHOD_WORLD,
    )
    assert Path.cwd() == home
    assert wandered(home) == []
    assert {each["status"] for each in run.status().values()} == {"finished"}
    assert os.listdir(home / "learned")
