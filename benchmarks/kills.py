"""Kill -9 at random instants: fifty drivers, fifty workers, and not a match lost or changed.

Run: ``python benchmarks/kills.py [SEED]``. A run over two workers is killed, resumed and killed
again, at instants from before its first match to after its last; whenever it comes to its end its
rows and transcripts must be those of a run nobody disturbed, and another one begins. POSIX only.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import gymposium
from gymposium.arenas.run import Run
from gymposium.arenas.store import RunFolder
from gymposium.errors import GymposiumError, StoreError
from gymposium.scenarios.load import dump
from gymposium.scenarios.model import Scenario

KILLS = 50
WORLD = {"id": "iterated_matrix-v0", "params": {"rounds": 60}}
AGENTS = ("scripted:tit_for_tat", "scripted:grim", "random")
DRIVER = "import sys, gymposium; gymposium.run(sys.argv[1], out=sys.argv[2], workers=2)"


def main(seed: int) -> None:
    """Kill, resume and compare; print how often of each."""
    schedule = {"kind": "pairs", "repeats": 300, "self_play": False}
    asked = Scenario.model_validate(
        {"name": "kills", "worlds": [WORLD], "agents": AGENTS, "schedule": schedule}
    )
    rng = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as home:
        file = Path(home) / "kills.yaml"
        file.write_text(dump(asked), encoding="utf-8")
        whole = gymposium.run(asked, out=Path(home) / "whole")
        for who in ("driver", "worker"):
            _kill(who, file, whole, rng)


def _kill(who: str, file: Path, whole: Run, rng: np.random.Generator) -> None:
    kills = ends = number = kept = 0
    killed_at: list[int] = []
    while True:
        folder = file.parent / f"{who}-{number}"
        last = kills == KILLS
        victim = None if last else _one_kill(who, file, folder, float(rng.uniform(0.2, 3.0)), rng)
        if last:
            gymposium.run(file, out=folder, workers=2)
        kills += victim is True
        stored = _count(folder)
        if victim and stored < kept:
            raise SystemExit(f"{kept - stored} stored matches are gone")
        if victim:
            killed_at.append(stored)
        kept = stored
        if not victim:
            _compare(gymposium.load(folder), whole)
            ends, number, kept = ends + 1, number + 1, 0
        if last:
            break
    begun = sum(0 < at < len(whole.rows) for at in killed_at)
    print(
        f"{kills} kills of a {who}, {begun} of them between the first and the last of "
        f"{len(whole.rows):,} matches; {ends} runs came to the undisturbed one's bytes",
        flush=True,
    )


def _one_kill(who: str, file: Path, folder: Path, delay: float, rng: np.random.Generator) -> bool:
    """Play on for so many seconds, then kill; False if the run came to its end before."""
    with subprocess.Popen(
        [sys.executable, "-c", DRIVER, str(file), str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as driver:
        time.sleep(delay)
        victim = driver.pid
        if who == "worker":
            while not (workers := _workers(driver.pid)) and driver.poll() is None:
                time.sleep(0.01)
            victim = workers[int(rng.integers(len(workers)))] if workers else 0
        if driver.poll() is None and victim:
            try:
                os.kill(victim, signal.SIGKILL)
            except ProcessLookupError:
                victim = 0
        # Workers hold the other ends of its output: when it closes, they are gone as well.
        assert driver.stdout is not None
        said = driver.stdout.read()
    if driver.returncode == 0:
        return False
    if who == "worker" and f"{GymposiumError.__name__}: a worker process died" not in said:
        raise SystemExit(f"a worker's death was told so: {said}")
    return True


def _workers(parent: int) -> list[int]:
    children = Path(f"/proc/{parent}/task/{parent}/children")
    found = children.read_text(encoding="utf-8").split() if children.exists() else []
    named = {int(pid): Path(f"/proc/{pid}/cmdline").read_bytes() for pid in found}
    return [pid for pid, line in named.items() if b"spawn_main" in line]


def _count(folder: Path) -> int:
    try:
        with RunFolder(folder) as opened:
            return opened.count()
    except StoreError:  # killed before there was one
        return 0


def _compare(run: Run, whole: Run) -> None:
    mine, theirs = (
        [(row.key, row.reason, [(it.agent, it.return_, it.faults) for it in row.seats])
         for row in each.rows]
        for each in (run, whole)
    )  # fmt: skip
    if mine != theirs:
        raise SystemExit("rows differ from those of an undisturbed run")
    for row in whole.rows:
        with RunFolder(run.path) as one, RunFolder(whole.path) as other:
            here, there = one.transcript_path(row.key), other.transcript_path(row.key)
        if here.read_bytes() != there.read_bytes():
            raise SystemExit(f"the transcript {here} differs")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
