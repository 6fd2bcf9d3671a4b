"""Matches over processes: the same bytes at any number, and what is sent where."""

from __future__ import annotations

import tracemalloc
from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import gymposium
from gymposium.arenas.casting import seat_agents
from gymposium.arenas.host import Job
from gymposium.arenas.meter import Meter
from gymposium.arenas.plan import Plan
from gymposium.arenas.playing import Means, executor_for
from gymposium.arenas.reporters import Silent
from gymposium.arenas.shares import Sharing, Took, setup_of
from gymposium.arenas.store import RunFolder
from gymposium.errors import BudgetSpent, UsageError

from .test_resume import assert_same_run, scenario, timeless, transcripts


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> gymposium.Run:
    """What every executor must come to."""
    return gymposium.run(scenario(), out=tmp_path_factory.mktemp("whole") / "run")


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_any_number_of_workers_gives_the_bytes_of_one_process(
    tmp_path: Path, whole: gymposium.Run, workers: int
) -> None:
    run = gymposium.run(
        scenario(), out=tmp_path / "run", workers=workers, executor="processes", concurrency=7
    )
    assert_same_run(run, whole)


def test_swiss_rounds_are_paired_alike_over_processes(tmp_path: Path) -> None:
    pennies = [{"id": "iterated_matrix-v0", "params": {"game": "matching-pennies", "rounds": 7}}]
    swiss = scenario(worlds=pennies, schedule={"kind": "swiss", "repeats": 2, "rounds": 2})
    one = gymposium.run(swiss, out=tmp_path / "one")
    assert_same_run(gymposium.run(swiss, out=tmp_path / "two", workers=2), one)


FAULTY = """
import os, time
class Base:
    deterministic = True
    def reset(self, seat, seed): pass
class Illegal(Base):
    def act(self, turn): return 7 if turn.step % 3 else 1
class Broken(Base):
    def act(self, turn): raise ValueError(turn.step)
class Dying(Base):
    def act(self, turn): os._exit(3) if turn.step == 4 else None; return 0
class Sleepy(Base):
    def act(self, turn):
        if turn.step == 2: time.sleep(30)
        return 1
"""


def test_faults_time_limits_and_child_processes_are_the_same_over_processes(tmp_path: Path) -> None:
    file = tmp_path / "faulty.py"
    file.write_text(FAULTY, encoding="utf-8")
    agents = [f"{file}:{name}" for name in ("Illegal", "Broken", "Dying", "Sleepy")]
    world = [{"id": "iterated_matrix-v0", "params": {"rounds": 6}}]
    plan = {"kind": "self_play", "repeats": 1}
    one, two = (
        gymposium.run(
            scenario(worlds=world, schedule=plan, time_limit=0.5),
            agents,
            out=tmp_path / str(workers),
            workers=workers,
        )
        for workers in (1, 2)
    )
    assert timeless(one.rows) == timeless(two.rows)
    assert transcripts(one.path) == transcripts(two.path)
    kinds = {kind for row in two.rows for seat in row.seats for kind in seat.faults}
    assert kinds == {"illegal", "error", "crash", "timeout"}


def test_live_objects_and_names_of_this_process_are_not_sent_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gymposium.agents import registry

    def mine(turn: Any) -> int:
        return 0

    monkeypatch.setattr(registry, "_registered", {})
    registry.register_agent("homemade", lambda: mine)
    for agent in (mine, "homemade"):
        with pytest.raises(UsageError, match=r"this process only.*FILE\.py:ATTR"):
            gymposium.run(scenario(), [agent, "random"], out=tmp_path / "run", workers=2)
    assert not (tmp_path / "run").exists()


def test_people_and_models_of_a_users_code_stay_in_this_process(tmp_path: Path) -> None:
    file = tmp_path / "models.py"
    body = "    language = True\n    def act(self, turn):\n        return 0\n"
    file.write_text(f"class Model:\n{body}")
    for agent, said in (("human", ""), (f"{file}:Model", "only this process can make")):
        made, specs = seat_agents(scenario(), [agent, "random"])
        executor, note = executor_for(Plan(made, specs), Means(workers=2))
        assert executor.name == "inline"
        assert said in note
    agents = ["llm:scripted/legal", "random"]
    with pytest.raises(UsageError, match="--concurrency"):
        gymposium.run(scenario(), agents, out=tmp_path / "other", executor="ray")


def test_an_agent_that_is_another_one_where_it_is_to_play_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def act(turn):\n    return 0\n", encoding="utf-8")
    agents = [f"{file}:act", "random"]
    original = Silent.start

    class Meddling(Silent):
        def start(self, total: int, done: int) -> None:
            original(self, total, done)
            file.write_text("def act(turn):\n    return 1\n", encoding="utf-8")

    with pytest.raises(UsageError, match=r"is not on .* what it is where the run is driven"):
        gymposium.run(scenario(), agents, out=tmp_path / "run", workers=2, progress=Meddling())


def test_a_world_registered_here_is_known_there(tmp_path: Path) -> None:
    from gymposium.envs import registry

    known = registry.spec("iterated_matrix-v0")
    import dataclasses

    registry.register(dataclasses.replace(known, id="homemade_matrix-v3"))
    try:
        asked = scenario(worlds=[{"id": "homemade_matrix-v3", "params": {"rounds": 2}}])
        assert gymposium.run(asked, out=tmp_path / "run", workers=2).rows
    finally:
        registry.unregister("homemade_matrix-v3")


def sharing(
    least: int = 1, limits: dict[str, float] | None = None, stored: Collection[str] = ()
) -> Sharing:
    setup = setup_of({}, [], reasks=0, concurrency=8, workers=2)
    return Sharing(
        setup,
        Meter(limits or {}),
        lambda _: None,
        lambda _: None,
        lacks=lambda key: key not in stored,
        least=least,
    )


def test_shares_grow_until_one_lasts_a_tenth_of_a_second_and_lose_no_job() -> None:
    jobs: list[Job] = list(range(1000))  # type: ignore[arg-type]
    asked = sharing()
    sizes, dealt = [], []
    for share in asked.shares(jobs, len(jobs), 1):
        sizes.append(len(share.jobs))
        dealt += share.jobs
        asked.take([Took(len(share.jobs), 0.002 * len(share.jobs))])
    assert dealt == jobs
    assert sizes[0] == 1
    assert set(sizes[1:-1]) <= {49, 50}
    slow = sharing(least=4)
    first = next(slow.shares(jobs, len(jobs), 1))
    slow.take([Took(4, 40.0)])
    assert len(first.jobs) == 4 == len(next(slow.shares(jobs, len(jobs), 1)).jobs)


def test_planning_a_long_run_takes_no_more_memory_than_planning_a_short_one() -> None:
    def peak(repeats: int) -> int:
        plan = Plan(*seat_agents(scenario(repeats=repeats), None))
        asked = sharing()
        tracemalloc.start()
        (batch,) = plan.batches(list)
        dealt = 0
        for share in asked.shares(batch.jobs(), batch.total, 1):
            dealt += len(share.jobs)
            asked.take([Took(len(share.jobs), 0.002 * len(share.jobs))])
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert dealt == batch.total == repeats * 28
        return found

    # Whatever else runs in this process is counted too, so the least of three.
    peaks = [min(peak(repeats) for _ in range(3)) for repeats in (20, 2000)]
    assert peaks[1] < 1.2 * peaks[0] + 20_000


def test_a_run_over_processes_stops_when_its_seconds_are_spent_and_goes_on(tmp_path: Path) -> None:
    folder, counts = tmp_path / "run", []
    while len(set(counts)) < 2 and len(counts) < 6:  # a busy machine may need many to begin
        limit = {"seconds": 2.0 * 2 ** len(counts)}
        play = partial(gymposium.resume, folder)
        if not counts:
            play = partial(gymposium.run, scenario(repeats=5000), out=folder)
        with pytest.raises(BudgetSpent, match="seconds"):
            play(workers=2, budget=limit)
        with RunFolder(folder) as opened:
            counts.append(opened.count())
    assert counts == sorted(counts)
    assert counts[0] < counts[-1] < 5000 * 12 * 2


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="needs a second file system")
def test_a_run_folder_on_another_file_system_is_like_any(
    whole: gymposium.Run, tmp_path_factory: pytest.TempPathFactory
) -> None:
    import shutil
    import tempfile

    folder = Path(tempfile.mkdtemp(dir="/dev/shm"))
    try:
        assert_same_run(gymposium.run(scenario(), out=folder / "run", workers=2), whole)
    finally:
        shutil.rmtree(folder)
