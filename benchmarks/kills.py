"""Kill -9 at random instants: fifty drivers, fifty workers, and not a match lost or changed.

Run: ``python benchmarks/kills.py [SEED]``. Drivers: a run over two workers is killed, resumed and
killed again, at instants from before its first match to after its last. Workers: one of the two is
killed, and again one, while the run goes on with others in their place. Whenever a run comes to its
end its rows and transcripts must be those of one nobody disturbed, and another begins. Linux only.
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
from gymposium.errors import StoreError
from gymposium.scenarios.load import dump
from gymposium.scenarios.model import Scenario

KILLS = 50
DRIVERS_AT, WORKERS_AFTER = (0.2, 1.1), (0.05, 0.4)
"""Instants, in lengths of an undisturbed run over processes: on a busy machine it takes longer."""
WORLD = {"id": "iterated_matrix-v0", "params": {"rounds": 60}}
AGENTS = ("scripted:tit_for_tat", "scripted:grim", "random")
DRIVER = "import sys, gymposium; gymposium.run(sys.argv[1], out=sys.argv[2], workers=2)"


def main(seed: int) -> None:
    """Kill, resume and compare; print how often of each."""
    schedule = {"kind": "pairs", "repeats": 150, "self_play": False}
    asked = Scenario.model_validate(
        {"name": "kills", "worlds": [WORLD], "agents": AGENTS, "schedule": schedule}
    )
    rng = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as home:
        file = Path(home) / "kills.yaml"
        file.write_text(dump(asked), encoding="utf-8")
        whole = gymposium.run(asked, out=Path(home) / "whole")
        began = time.monotonic()
        with _driver(file, Path(home) / "spread") as driver:
            _all_of(driver)
        _compare(gymposium.load(Path(home) / "spread"), whole)
        length = time.monotonic() - began
        _kill_drivers(file, whole, rng, length)
        _kill_workers(file, whole, rng, length)


def _kill_drivers(file: Path, whole: Run, rng: np.random.Generator, length: float) -> None:
    ends = kept = 0
    under_way = False
    killed_at: list[int] = []
    while len(killed_at) < KILLS or under_way:
        folder = file.parent / f"driver-{ends}"
        with _driver(file, folder) as driver:
            if len(killed_at) < KILLS:
                time.sleep(length * float(rng.uniform(*DRIVERS_AT)))
                driver.kill()
            # Workers hold the other ends of its output: when it closes, they are gone as well.
            said = _all_of(driver)
        stored = _count(folder)
        if stored < kept:
            raise SystemExit(f"{kept - stored} stored matches are gone")
        if driver.returncode == -signal.SIGKILL:
            killed_at.append(stored)
            kept, under_way = stored, True
            continue
        if driver.returncode:
            raise SystemExit(f"a run went on so: {said}")
        _compare(gymposium.load(folder), whole)
        ends, kept, under_way = ends + 1, 0, False
    _report("driver", killed_at, whole, f"{ends} runs, resumed after each,")


def _kill_workers(file: Path, whole: Run, rng: np.random.Generator, length: float) -> None:
    killed_at: list[int] = []
    ends = resumed = 0
    while len(killed_at) < KILLS:
        folder = file.parent / f"worker-{ends}"
        with _driver(file, folder) as driver:
            while len(killed_at) < KILLS:
                if not _wait(driver, length * float(rng.uniform(*WORKERS_AFTER))):
                    break
                if (stored := _kill_one(driver, folder, rng)) is not None:
                    killed_at.append(stored)
            said = _all_of(driver)
        if driver.returncode:
            if "resume" not in said:
                raise SystemExit(f"workers' deaths were told so: {said}")
            gymposium.resume(folder, workers=2)
            resumed += 1
        _compare(gymposium.load(folder), whole)
        ends += 1
    _report("worker", killed_at, whole, f"{ends} runs ({resumed} of them resumed)")


def _report(who: str, killed_at: list[int], whole: Run, ended: str) -> None:
    begun = sum(0 < at < len(whole.rows) for at in killed_at)
    print(
        f"{len(killed_at)} kills of a {who}, {begun} of them between the first and the last of "
        f"{len(whole.rows):,} matches; {ended} came to the undisturbed one's bytes",
        flush=True,
    )


def _driver(file: Path, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", DRIVER, str(file), str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def _all_of(driver: subprocess.Popen[str]) -> str:
    assert driver.stdout is not None
    said = driver.stdout.read()
    driver.wait()
    return said


def _wait(driver: subprocess.Popen[str], seconds: float) -> bool:
    """Whether the run is still going after so long."""
    try:
        driver.wait(seconds)
    except subprocess.TimeoutExpired:
        return True
    return False


def _kill_one(driver: subprocess.Popen[str], folder: Path, rng: np.random.Generator) -> int | None:
    """Kill one of the workers; the matches stored by then, None if there was none to kill."""
    stored = _count(folder)
    workers = _workers(driver.pid)
    if not workers:
        return None
    try:
        os.kill(workers[int(rng.integers(len(workers)))], signal.SIGKILL)
    except ProcessLookupError:
        return None
    return stored


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
