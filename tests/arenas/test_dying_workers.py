"""Runs over processes whose workers, driver or disk fail: nothing is lost, and no worker stays."""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gymposium
from gymposium.arenas.reporters import Silent
from gymposium.arenas.store import RunFolder
from gymposium.errors import GymposiumError, StoreError
from gymposium.scenarios.load import dump

from .test_resume import assert_same_run, scenario

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


WORKING = """
import sys, gymposium
from gymposium.arenas.reporters import Silent
class Begun(Silent):
    def match_done(self, row):
        if not self.said:
            print("begun", flush=True)
        self.said = True
    said = False
gymposium.run(sys.argv[2], out=sys.argv[1], workers=2, progress=Begun())
"""


@posix
def test_drivers_killed_at_random_instants_leave_no_worker_and_lose_nothing(
    tmp_path: Path, long: tuple[Path, gymposium.Run]
) -> None:
    file, whole = long
    folder = tmp_path / "killed"
    rng = np.random.default_rng(5)
    counts = []
    for _ in range(4):
        command = [sys.executable, "-c", WORKING, str(folder), str(file)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(float(rng.uniform(0.0, 0.2)))
            process.send_signal(signal.SIGKILL)
            # Workers hold the other ends of its output: when it closes, they are gone as well.
            process.stdout.read()
        with RunFolder(folder) as opened:
            counts.append(opened.count())
    assert counts == sorted(counts)
    assert 0 < counts[0] < len(whole.rows)
    assert_same_run(gymposium.run(file, out=folder, workers=2), whole)


# One a second or so: more of them for whoever has the time.
KILLS = int(os.environ.get("GYMPOSIUM_TEST_KILLS", 6))


@posix
def test_workers_killed_at_random_instants_cost_only_what_they_were_playing(
    tmp_path: Path, long: tuple[Path, gymposium.Run]
) -> None:
    file, whole = long
    rng = np.random.default_rng(6)

    class Killing(Silent):
        def __init__(self) -> None:
            self.done: list[str] = []
            self.said: list[str] = []
            self.due = 0
            total = len(whole.rows)
            self.when = {int(n) for n in rng.choice(np.arange(1, total - 5), KILLS, replace=False)}

        def match_done(self, row: Any) -> None:
            self.done.append(row.key)
            self.due += len(self.done) in self.when
            victims = multiprocessing.active_children()
            if self.due and victims:  # both may have just died, and not be replaced yet
                self.due -= 1
                os.kill(victims[int(rng.integers(len(victims)))].pid or 0, signal.SIGKILL)

        def message(self, text: str) -> None:
            self.said.append(text)

    watching = Killing()
    run = gymposium.run(file, out=tmp_path / "killed", workers=2, progress=watching)
    assert_same_run(run, whole)
    assert len(watching.done) == len(set(watching.done)) == len(whole.rows)
    assert any("SIGKILL" in text and "is played again" in text for text in watching.said)
    assert not multiprocessing.active_children()


DEADLY = """
import os
from pathlib import Path
class Deadly:
    deterministic = True
    def reset(self, seat, seed): pass
    def act(self, turn):
        if turn.step == 3 and not Path(__file__).with_name("mended").exists():
            os.kill(os.getpid(), 9)
        return 1
"""


@posix
def test_a_match_that_kills_every_worker_is_named_and_costs_no_other(tmp_path: Path) -> None:
    file = tmp_path / "deadly.py"
    file.write_text(DEADLY, encoding="utf-8")
    agents = ["random", "scripted:grim", f"{file}:Deadly"]
    worlds = [{"id": "iterated_matrix-v0", "params": {"rounds": 6}}]
    asked = scenario(worlds=worlds, repeats=2)
    with pytest.raises(
        GymposiumError,
        match=r"the match of .* with seed \d+ and .*Deadly.*3 worker processes \(SIGKILL.*resume",
    ):
        gymposium.run(asked, agents, out=tmp_path / "run", workers=2, trusted=True)
    assert not multiprocessing.active_children()
    rows = gymposium.load(tmp_path / "run").rows
    assert rows
    assert not any(seat.agent == "Deadly" for row in rows for seat in row.seats)
    (tmp_path / "mended").touch()
    whole = gymposium.run(asked, agents, out=tmp_path / "whole", trusted=True)
    assert_same_run(gymposium.resume(tmp_path / "run", workers=2), whole)


@posix
def test_the_first_ctrl_c_keeps_what_workers_were_playing(tmp_path: Path) -> None:
    file = tmp_path / "long.yaml"
    file.write_text(dump(scenario(repeats=20, rounds=20_000)), encoding="utf-8")
    command = [sys.executable, "-m", "gymposium", "tournament", str(file), "--workers", "2"]
    command += ["--out", str(tmp_path / "run")]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        with suppress(StoreError), RunFolder(tmp_path / "run") as opened:
            if opened.count():
                break
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: workers get it too
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "gymposium resume" in said
    assert "Traceback" not in said
    assert list((tmp_path / "run").glob("transcripts/*/*.partial.zst"))
    with RunFolder(tmp_path / "run") as opened:
        assert opened.info()["status"] == "interrupted"


def test_a_second_driver_of_one_folder_is_refused(tmp_path: Path) -> None:
    refused: list[Exception] = []

    class Rival(Silent):
        def start(self, total: int, done: int) -> None:
            def drive() -> None:
                try:
                    gymposium.run(scenario(), out=tmp_path / "run")
                except StoreError as error:
                    refused.append(error)

            rival = threading.Thread(target=drive)
            rival.start()
            rival.join()

    run = gymposium.run(scenario(), out=tmp_path / "run", workers=2, progress=Rival())
    assert len(run.rows) == run.info["scenario"]["schedule"]["repeats"] * 28
    (error,) = refused
    assert "another process is writing the run folder" in str(error)


@posix
def test_a_full_disk_stops_the_run_with_a_sentence_and_room_lets_it_go_on(
    tmp_path: Path, long: tuple[Path, gymposium.Run]
) -> None:
    file, whole = long
    folder = tmp_path / "run"
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    class Filling(Silent):
        def __init__(self) -> None:
            self.left = 20

        def match_done(self, row: Any) -> None:
            self.left -= 1
            if not self.left:
                resource.setrlimit(resource.RLIMIT_FSIZE, (200, before[1]))

    try:
        with pytest.raises(StoreError, match=r"finished matches are safe: make room"):
            gymposium.run(file, out=folder, workers=2, progress=Filling())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)
    with RunFolder(folder) as opened:
        assert (
            20 <= opened.count() < len(whole.rows)
        )  # those that ended together were stored together
    assert_same_run(gymposium.resume(folder, workers=2), whole)
