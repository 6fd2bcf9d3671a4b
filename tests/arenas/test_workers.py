"""Matches over processes: the same bytes at any number, and nothing lost to any death."""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Collection
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
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
from gymposium.errors import BudgetSpent, GymposiumError, StoreError, UsageError
from gymposium.scenarios.load import dump

from .test_resume import assert_same_run, scenario, timeless, transcripts

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


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


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, gymposium.Run]:
    """A scenario that takes some seconds, and what it comes to."""
    home = tmp_path_factory.mktemp("long")
    file = home / "resumable.yaml"
    file.write_text(dump(scenario(repeats=20, rounds=40)), encoding="utf-8")
    return file, gymposium.run(file, out=home / "whole")


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
            total = len(whole.rows)
            self.when = {int(n) for n in rng.choice(np.arange(1, total - 5), KILLS, replace=False)}

        def match_done(self, row: Any) -> None:
            self.done.append(row.key)
            if len(self.done) in self.when:
                victims = multiprocessing.active_children()
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
