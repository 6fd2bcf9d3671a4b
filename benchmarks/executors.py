"""Matches over processes: what two workers gain, and what scheduling a match costs.

Run: ``python benchmarks/executors.py``. 4,000 matches of an iterated prisoners' dilemma of 100
rounds with one and with two workers; then matches of a single round, inline and with one worker,
against the same matches played, recorded and stored one after another in a plain loop: the rest is
what planning them, dealing them out and taking them in costs. ``--many`` also plays 10,000 and
100,000 of them and says how much memory that took. Run folders are made in memory where the system
has a place for it: what a disk takes to make a file is the same whoever plays.
"""

from __future__ import annotations

import asyncio
import resource
import sys
import tempfile
import time
from pathlib import Path

import gymposium
from gymposium.agents.registry import resolve
from gymposium.arenas.host import Host, HostOptions
from gymposium.arenas.meter import Meter
from gymposium.arenas.plan import Plan
from gymposium.arenas.reporters import Silent
from gymposium.arenas.runner import Runner
from gymposium.arenas.store import RunFolder
from gymposium.scenarios.model import Scenario

MATCHES = 4_000
MANY = 100_000
ROUNDS = 3
IN_MEMORY = Path("/dev/shm")
PLACE = IN_MEMORY if IN_MEMORY.is_dir() else None
GOALS = {"inline": 0.2, "processes": 1.0}
BOTS = ("scripted:tit_for_tat", "scripted:grim")


def scenario(rounds: int, matches: int) -> Scenario:
    """Two bots, two seatings."""
    return Scenario.model_validate(
        {
            "name": "bench",
            "worlds": [{"id": "iterated_matrix-v0", "params": {"rounds": rounds}}],
            "agents": BOTS,
            "schedule": {"kind": "pairs", "repeats": matches // 2, "self_play": False},
            "time_limit": None,
        }
    )


def seconds(rounds: int, matches: int, workers: int, executor: str) -> float:
    """Wall time of a run."""
    with tempfile.TemporaryDirectory(dir=PLACE) as folder:
        began = time.perf_counter()
        path = Path(folder) / "run"
        gymposium.run(scenario(rounds, matches), out=path, workers=workers, executor=executor)
        return time.perf_counter() - began


def plain(matches: int) -> float:
    """Seconds of the same one-round matches, played and stored one by one in a plain loop."""
    plan = Plan(scenario(1, matches), {spec: resolve(spec) for spec in BOTS})
    host = Host(plan.agents, plan.make_world, reasks=2, meter=Meter(), options=HostOptions())
    (batch,) = plan.batches(list)
    jobs = list(batch.jobs())

    with tempfile.TemporaryDirectory(dir=PLACE) as home:
        folder = RunFolder(Path(home) / "run", write=True, create=True)

        async def all_of_them() -> None:
            runner = Runner(folder, Meter(), Silent())
            for job in jobs:
                runner.keep([await host.play_one(job, print)])

        with folder:
            began = time.perf_counter()
            asyncio.run(all_of_them())
            return time.perf_counter() - began


def main() -> None:
    """Print the figures."""
    of: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(ROUNDS):  # in turns, the best of each: processors and disks have their moods
        for workers, spent in of.items():
            spent.append(seconds(100, MATCHES, workers, "processes"))
    one, two = (min(spent) for spent in of.values())
    print(f"{MATCHES:,} matches of 100 rounds: one worker {one:.1f} s, two {two:.1f} s")
    print(f"two workers against one: {one / two:.2f} (goal: 1.7)")
    times: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        times.setdefault("plain", []).append(plain(MATCHES))
        for executor in GOALS:
            times.setdefault(executor, []).append(seconds(1, MATCHES, 1, executor))
    best = {name: min(each) / MATCHES * 1e3 for name, each in times.items()}
    print(f"playing, recording and storing a match of one round: {best['plain']:.2f} ms")
    for executor, goal in GOALS.items():
        spent = best[executor] - best["plain"]
        print(f"beyond that, {executor}: {spent:.2f} ms a match (goal: {goal} ms)")
    if "--many" in sys.argv:
        for count in (MANY // 10, MANY):
            spent = seconds(1, count, 2, "processes")
            print(f"{count:,} matches with two workers: {spent:.0f} s; {_most_memory()}")


def _most_memory() -> str:
    """Peaks of this process and of the largest worker so far."""
    of = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    mine, worker = (resource.getrusage(who).ru_maxrss / 1024 for who in of)
    return f"at most {mine:.0f} MB here, {worker:.0f} MB in a worker"


if __name__ == "__main__":
    main()
