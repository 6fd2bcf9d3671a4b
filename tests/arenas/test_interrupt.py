"""Ctrl-C: the first saves and says how to go on, the second stops hard; the store is readable."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

import gymposium
from gymposium.arenas.store import RunFolder
from gymposium.errors import StoreError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

AGENTS = """
import asyncio, time
from pathlib import Path

class Slow:
    deterministic = True
    def reset(self, seat, seed): pass
    async def act(self, turn):
        await asyncio.sleep(0.02)
        return 0

class Stuck:
    deterministic = True
    def reset(self, seat, seed): pass
    def act(self, turn):
        if turn.step == 3:
            Path(__file__).with_name("stuck").touch()
            while True:
                time.sleep(0.01)
        return 0
"""


def begin(tmp_path: Path, agent: str, *extra: str) -> subprocess.Popen[str]:
    (tmp_path / "mine.py").write_text(AGENTS, encoding="utf-8")
    scenario = tmp_path / "slow.yaml"
    scenario.write_text(
        "name: slow\nworld: iterated_matrix-v0\nparams: {rounds: 40}\n"
        "schedule: {kind: pairs, repeats: 200}\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "gymposium", "tournament", str(scenario)]
    command += ["--agent", f"{tmp_path / 'mine.py'}:{agent}", "--agent", "scripted:grim"]
    command += ["--out", str(tmp_path / "run"), *extra]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=tmp_path
    )


def wait_for(what: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        if what():
            return
        time.sleep(0.05)
    process.kill()
    raise AssertionError(f"it did not come to that: {process.communicate()[0]}")


def wait_for_matches(folder: Path, count: int, process: subprocess.Popen[str]) -> None:
    def finished() -> bool:
        # Until its tables are made, a folder is not a store yet.
        with suppress(StoreError), RunFolder(folder) as opened:
            return len(opened.keys()) >= count
        return False

    wait_for(finished, process)


def test_the_first_ctrl_c_saves_and_says_how_to_go_on(tmp_path: Path) -> None:
    process = begin(tmp_path, "Slow", "--concurrency", "4", "--trusted")
    wait_for_matches(tmp_path / "run", 3, process)
    time.sleep(0.3)  # the matches began together: let each have something to keep
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "gymposium resume" in said
    assert "Traceback" not in said
    run = gymposium.load(tmp_path / "run")
    assert 3 <= len(run.rows) < 800
    assert run.info["status"] == "interrupted"
    assert list((tmp_path / "run").glob("transcripts/*/*.partial.zst"))


def test_the_second_ctrl_c_stops_an_agent_that_never_returns(tmp_path: Path) -> None:
    process = begin(tmp_path, "Stuck", "--concurrency", "1", "--trusted")
    wait_for(lambda: (tmp_path / "stuck").exists(), process)
    assert process.stdout is not None
    process.send_signal(signal.SIGINT)
    heard = ""
    while "Ctrl-C" not in heard and (some := process.stdout.readline()):
        heard += some
    time.sleep(0.2)
    assert process.poll() is None, heard
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    gymposium.load(tmp_path / "run")
