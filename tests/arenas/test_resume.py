"""A run killed at any instant and started again ends as if nothing had happened."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gymposium
from gymposium.arenas.rows import MatchRow
from gymposium.arenas.run import Run
from gymposium.arenas.store import RunFolder
from gymposium.errors import BudgetSpent, StoreError, UsageError
from gymposium.scenarios.model import Scenario

BOTS = ["scripted:tit_for_tat", "scripted:always_defect", "scripted:grim", "random"]


def scenario(repeats: int = 3, rounds: int = 6, **fields: Any) -> Scenario:
    plain = {
        "name": "resumable",
        "worlds": [
            {
                "id": "iterated_matrix-v0",
                "name": "pd",
                "params": {"game": "prisoners-dilemma", "rounds": rounds},
            },
            {
                "id": "iterated_matrix-v0",
                "name": "pennies",
                "params": {"game": "matching-pennies", "rounds": rounds},
            },
        ],
        "agents": BOTS,
        "schedule": {"kind": "pairs", "repeats": repeats},
        "seed": 11,
    }
    return Scenario.model_validate({**plain, **fields})


def timeless(rows: list[MatchRow]) -> list[MatchRow]:
    return [
        row._replace(
            seconds=0.0,
            seats=tuple(seat._replace(seconds=0.0) for seat in row.seats),
        )
        for row in rows
    ]


def transcripts(path: Path) -> dict[str, bytes]:
    return {
        file.name: file.read_bytes()
        for file in path.glob("transcripts/*/*.zst")
        if ".partial" not in file.name
    }


def assert_same_run(one: Run, other: Run) -> None:
    assert timeless(one.rows) == timeless(other.rows)
    assert transcripts(one.path) == transcripts(other.path)
    assert one.table().equals(other.table())


PLAYER = """
import sys, gymposium
from gymposium.arenas.reporters import Silent
class Begun(Silent):
    def start(self, total, done):
        print("begun", flush=True)
path, source, concurrency = sys.argv[1:4]
gymposium.run(source, out=path, concurrency=int(concurrency), progress=Begun())
"""


def test_twenty_kills_at_random_instants_lose_and_double_nothing(tmp_path: Path) -> None:
    from gymposium.scenarios.load import dump

    file = tmp_path / "resumable.yaml"
    file.write_text(dump(scenario(repeats=250, rounds=20)), encoding="utf-8")
    whole = gymposium.run(file, out=tmp_path / "whole")
    rng = np.random.default_rng(5)
    folder = tmp_path / "killed"
    counts = []
    for _ in range(20):
        command = [sys.executable, "-c", PLAYER, str(folder), str(file), str(rng.integers(1, 65))]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(float(rng.uniform(0.0, 0.2)))
            process.send_signal(signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
        # A death before the tables were made leaves nothing to read, and nothing to lose.
        with suppress(StoreError), RunFolder(folder) as opened:
            counts.append(len(opened.keys()))
    assert counts == sorted(counts)
    assert sum(0 < count < len(whole.rows) for count in counts) >= 10, counts
    assert_same_run(gymposium.run(file, out=folder), whole)


CRASHER = """
import os, sys
from pathlib import Path
import gymposium
from gymposium.arenas.store import folder
from gymposium.scenarios.load import load
path, source, place, at = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
count = 0
owner = folder if hasattr(folder, place) else folder.RunFolder
original = getattr(owner, place)
def dying(*args):
    global count
    count += 1
    if count == at:
        *others, last = args
        original(*others, last[: len(last) // 2] if place == "_write_transcript" else last)
        os._exit(9)
    return original(*args)
setattr(owner, place, dying)
gymposium.run(load(source), out=path, concurrency=4, workers=int(sys.argv[5]))
"""


@pytest.mark.parametrize(
    ("place", "at", "workers"), [("_write_transcript", 7, 1), ("_insert", 7, 1), ("_insert", 40, 2)]
)
def test_a_death_between_transcript_and_commit_leaves_whole_matches_only(
    tmp_path: Path, place: str, at: int, workers: int
) -> None:
    from gymposium.scenarios.load import dump

    file = tmp_path / "resumable.yaml"
    file.write_text(dump(scenario()), encoding="utf-8")
    folder = tmp_path / "killed"
    command = [sys.executable, "-c", CRASHER, str(folder), str(file), place, str(at), str(workers)]
    assert subprocess.run(command, check=False).returncode == 9
    with RunFolder(folder) as opened:
        stored = len(opened.rows())
    assert stored == at - 1 if workers == 1 else stored < at  # those that came together were lost
    assert_same_run(gymposium.resume(folder), gymposium.run(file, out=tmp_path / "whole"))


@pytest.mark.parametrize("concurrency", [1, 8, 64])
def test_the_same_seed_gives_the_same_bytes_at_any_concurrency(
    tmp_path: Path, concurrency: int
) -> None:
    one = gymposium.run(scenario(), out=tmp_path / "one", concurrency=3)
    assert_same_run(gymposium.run(scenario(), out=tmp_path / "other", concurrency=concurrency), one)


def test_another_seed_gives_other_play(tmp_path: Path) -> None:
    one = gymposium.run(scenario(), out=tmp_path / "one")
    other = gymposium.run(scenario(), out=tmp_path / "other", seed=12)
    assert {row.key for row in one.rows}.isdisjoint(row.key for row in other.rows)
    assert [row.seats for row in timeless(one.rows)] != [row.seats for row in timeless(other.rows)]


def test_resuming_a_finished_run_plays_nothing(tmp_path: Path) -> None:
    first = gymposium.run(scenario(), out=tmp_path / "run")
    again = gymposium.resume(tmp_path / "run")
    assert again.rows == first.rows


def test_running_into_the_same_folder_goes_on_with_the_same_run(tmp_path: Path) -> None:
    first = gymposium.run(scenario(), out=tmp_path / "run")
    assert gymposium.run(scenario(), out=tmp_path / "run").rows == first.rows


def test_a_folder_is_not_mixed_with_another_run(tmp_path: Path) -> None:
    gymposium.run(scenario(), out=tmp_path / "run")
    with pytest.raises(UsageError, match="another scenario"):
        gymposium.run(scenario(repeats=5), out=tmp_path / "run")


AGENT = """
class Mine:
    deterministic = True
    def reset(self, seat, seed): pass
    def act(self, turn): return {action}
"""


def test_an_agent_that_changed_since_is_not_mixed_with_its_former_self(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(AGENT.format(action=0), encoding="utf-8")
    agents = [f"{file}:Mine", "random"]
    gymposium.run(scenario(repeats=1), agents, out=tmp_path / "run", trusted=True)
    file.write_text(AGENT.format(action=1), encoding="utf-8")
    with pytest.raises(UsageError, match="has changed since"):
        gymposium.resume(tmp_path / "run")


def test_live_objects_are_asked_for_again(tmp_path: Path) -> None:
    def mine(turn: Any) -> int:
        return 0

    gymposium.run(scenario(repeats=1), [mine, "random"], out=tmp_path / "run")
    with pytest.raises(UsageError, match="live Python object"):
        gymposium.resume(tmp_path / "run")
    assert gymposium.resume(tmp_path / "run", [mine, "random"]).rows


def test_a_run_stopped_by_its_budget_ends_as_an_unlimited_one(tmp_path: Path) -> None:
    agents = ["llm:scripted/legal", "scripted:grim"]
    whole = gymposium.run(scenario(), agents, out=tmp_path / "whole", concurrency=1)
    with pytest.raises(BudgetSpent, match=r"budget\.calls"):
        gymposium.run(scenario(), agents, out=tmp_path / "run", budget={"calls": 20}, concurrency=1)
    with RunFolder(tmp_path / "run") as folder:
        assert 0 < len(folder.keys()) < len(whole.rows)
        assert folder.spent()["llm:scripted/legal"].calls <= 20
    resumed = gymposium.resume(tmp_path / "run", budget={"calls": 10_000})
    assert timeless(resumed.rows) == timeless(whole.rows)
    with RunFolder(whole.path) as one, RunFolder(resumed.path) as other:
        assert counted(one) == counted(other)


def counted(folder: RunFolder) -> dict[str, tuple[int, int]]:
    return {agent: (spent.calls, spent.tokens) for agent, spent in folder.spent().items()}


def test_a_run_of_bots_stops_when_its_seconds_are_spent(tmp_path: Path) -> None:
    with pytest.raises(BudgetSpent, match="seconds"):
        gymposium.run(scenario(repeats=500), out=tmp_path / "run", budget={"seconds": 0.05})
    with RunFolder(tmp_path / "run") as folder:
        assert len(folder.keys()) < 500 * 12


def test_partial_records_are_dropped_once_their_match_is_whole(tmp_path: Path) -> None:
    run = gymposium.run(scenario(repeats=1), out=tmp_path / "run")
    lost = run.rows[0].key
    with RunFolder(run.path, write=True) as folder:
        folder._db.execute("DELETE FROM matches WHERE key = ?", (lost,))
        folder._db.execute("DELETE FROM seats WHERE match_key = ?", (lost,))
        folder._db.execute("DELETE FROM metrics WHERE match_key = ?", (lost,))
        folder.add_partial(lost, b"begun")
    assert list(run.path.glob("transcripts/*/*.partial.zst"))
    gymposium.resume(run.path)
    assert not list(run.path.glob("transcripts/*/*.partial.zst"))


def test_swiss_rounds_resume_where_they_were(tmp_path: Path) -> None:
    pennies = [{"id": "iterated_matrix-v0", "params": {"game": "matching-pennies", "rounds": 7}}]
    swiss = scenario(worlds=pennies, schedule={"kind": "swiss", "repeats": 1, "rounds": 3})
    whole = gymposium.run(swiss, out=tmp_path / "whole")
    part = gymposium.run(swiss, out=tmp_path / "part")
    with RunFolder(part.path, write=True) as folder:
        dropped = [row.key for row in part.rows[len(part.rows) // 2 :]]
        for key in dropped:
            for table, column in (("matches", "key"), ("seats", "match_key")):
                folder._db.execute(f"DELETE FROM {table} WHERE {column} = ?", (key,))
            folder._db.execute("DELETE FROM metrics WHERE match_key = ?", (key,))
            folder.transcript_path(key).unlink()
    assert_same_run(gymposium.resume(part.path), whole)


def test_a_missing_transcript_gets_a_sentence(tmp_path: Path) -> None:
    run = gymposium.run(scenario(repeats=1), out=tmp_path / "run")
    with RunFolder(run.path) as folder:
        file = folder.transcript_path(run.rows[0].key)
    file.write_bytes(file.read_bytes()[:20])
    with pytest.raises(StoreError, match="corrupt"):
        run.transcript(run.rows[0].key)
    file.unlink()
    with pytest.raises(StoreError, match="missing"):
        run.transcript(run.rows[0].key)
