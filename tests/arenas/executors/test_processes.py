"""Jobs over processes: results in order, events as they come, no death and no Ctrl-C unheard."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gymposium.arenas.executors.choice import choose
from gymposium.arenas.executors.processes import in_processes, run_jobs
from gymposium.errors import GymposiumError, UnknownName, UsageError

from .jobs_for_tests import (
    count_up,
    dies,
    dies_of,
    fails,
    forks_and_dies,
    forks_and_goes_on,
    is_first,
    oversize,
    tells_and_waits,
    tells_or_dies,
)

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


def quiet(_: Any) -> None:
    pass


def nobody() -> None:
    pass


def elsewhere(work: Any, jobs: Any, workers: int = 2, on_told: Any = quiet) -> list[Any]:
    return in_processes(work, jobs, workers=workers, on_told=on_told, on_interrupt=nobody)


@pytest.mark.parametrize("workers", [1, 2])
def test_results_are_in_the_order_of_the_jobs_and_nothing_told_is_lost(workers: int) -> None:
    told: list[Any] = []
    assert elsewhere(count_up, range(20), workers, told.extend) == [n * n for n in range(20)]
    assert sorted(told) == sorted((n, i) for n in range(20) for i in range(n))
    for n in range(20):
        assert [i for m, i in told if m == n] == list(range(n))


def test_one_worker_or_one_job_stays_in_this_process() -> None:
    assert run_jobs(is_first, [os.getpid()], workers=4, on_told=quiet, on_interrupt=nobody) == [
        True
    ]
    two = [os.getpid()] * 2
    assert all(run_jobs(is_first, two, workers=1, on_told=quiet, on_interrupt=nobody))
    assert not any(run_jobs(is_first, two, workers=2, on_told=quiet, on_interrupt=nobody))


def test_jobs_are_taken_only_when_somebody_is_about_to_need_them() -> None:
    ended: list[int] = []
    ahead: list[int] = []

    def jobs() -> Iterator[int]:
        for n in range(30):
            ahead.append(n - len(ended))
            yield 1

    elsewhere(count_up, jobs(), 2, ended.extend)
    assert max(ahead) <= 2 * 2 + 1


def test_no_jobs_no_workers() -> None:
    assert elsewhere(count_up, []) == []


def test_what_a_job_raises_is_raised_and_the_others_may_save(tmp_path: Path) -> None:
    told: list[Any] = []
    file = tmp_path / "begun"
    with pytest.raises(UsageError, match="not this one"):
        elsewhere(fails, [f"wait {file}", f"fail {file}"], 2, told.extend)
    assert told == ["saved"]


def test_what_the_jobs_themselves_raise_is_raised() -> None:
    def jobs() -> Iterator[int]:
        yield 1
        raise GymposiumError("there are no more")

    with pytest.raises(GymposiumError, match="no more"):
        elsewhere(count_up, jobs())


def test_what_the_listener_raises_ends_it_and_it_is_told_no_more() -> None:
    heard: list[Any] = []

    def full(told: Any) -> None:
        heard.append(told)
        raise OSError("full")

    with pytest.raises(OSError, match="full"):
        elsewhere(count_up, range(2, 50), 2, full)
    assert len(heard) == 1


def test_an_error_that_cannot_travel_is_told_in_words() -> None:
    with pytest.raises(GymposiumError, match="Stubborn: cannot be packed"):
        elsewhere(fails, ["stubborn", "wait"])


@posix
def test_a_worker_killed_in_the_middle_of_a_long_sentence_is_heard() -> None:
    with pytest.raises(GymposiumError, match=r"worker process died \(SIGKILL.*resume"):
        elsewhere(dies, [1, 0, 0, 0])


def lost(job: str, cause: str) -> list[str]:
    """In the stead of ``2 kill 3``: ``2`` and ``3``; of ``kill`` itself, it once more."""
    assert "SIGKILL" in cause
    return [job] if job == "kill" else job.replace("kill", "").split()


@posix
def test_another_worker_takes_the_place_of_one_that_died_and_blames_only_what_it_was_doing() -> (
    None
):
    told: list[str] = []
    jobs = ["1", "2 kill 3", *"456789"]
    instead = in_processes(
        tells_or_dies, jobs, workers=1, on_told=told.extend, on_interrupt=nobody, on_lost=lost
    )
    assert instead == [*"123456789"]
    assert sorted(told) == [*"123456789"]
    assert not multiprocessing.active_children()


@posix
def test_where_every_job_kills_its_worker_an_end_is_made() -> None:
    with pytest.raises(GymposiumError, match="8 worker processes, one after another, died"):
        in_processes(
            tells_or_dies,
            ["kill"] * 2,
            workers=2,
            on_told=quiet,
            on_interrupt=nobody,
            on_lost=lost,
        )
    assert not multiprocessing.active_children()


@posix
def test_a_worker_that_dies_is_heard_though_what_it_forked_lives_on() -> None:
    with pytest.raises(GymposiumError, match=r"worker process died \(SIGKILL"):
        elsewhere(forks_and_dies, [1, 2], 1)


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("SIGKILL", r"\(SIGKILL; out of memory\?\)"),
        ("SIGSEGV", r"\(SIGSEGV\)"),
        ("SIGABRT", r"\(SIGABRT\)"),
        ("SIGTERM", r"\(SIGTERM\)"),
        ("7", r"\(exit code 7\)"),
    ],
)
@posix
def test_how_a_worker_died_is_named_and_memory_suspected_only_where_it_is_likely(
    how: str, says: str
) -> None:
    with pytest.raises(GymposiumError, match=f"worker process died {says}"):
        elsewhere(dies_of, [how, how], 1)


@posix
def test_what_a_job_forks_does_not_speak_for_it() -> None:
    told: list[int] = []
    assert elsewhere(forks_and_goes_on, [1, 2, 3], 2, told.extend) == [1, 2, 3]
    assert sorted(told) == [1, 1, 2, 2, 3, 3]


def test_parent_and_worker_never_wait_for_each_other_to_read() -> None:
    blob = b"x" * 3_000_000
    told: list[Any] = []
    assert (
        elsewhere(oversize, [blob] * 6, 2, lambda some: told.extend(map(len, some)))
        == [3_000_000] * 6
    )
    assert told == [3_000_000] * 6


@posix
def test_ctrl_c_lets_jobs_save_and_takes_no_more() -> None:
    told: list[Any] = []
    said: list[str] = []

    def hear(some: Any) -> None:
        if not told:
            threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        told.extend(some)

    with pytest.raises(KeyboardInterrupt):
        in_processes(
            tells_and_waits,
            range(1000),
            workers=2,
            on_told=hear,
            on_interrupt=lambda: said.append("stopping"),
        )
    assert said == ["stopping"]
    assert told.count("saved") == told.count("begun") <= 3


def test_workers_need_no_guarded_main(tmp_path: Any) -> None:
    import subprocess

    script = tmp_path / "unguarded.py"
    script.write_text(
        "import gymposium\n"
        "print('main')\n"
        f"run = gymposium.run('iterated_matrix', ['random', 'scripted:grim'], workers=2,"
        f" out={str(tmp_path / 'run')!r})\n"
        "print(len(run.rows) > 0)\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout.split() == ["main", "True"], done.stderr


def test_the_executor_follows_from_the_workers_unless_it_is_named() -> None:
    assert choose(None, None).name == choose(None, 1).name == "inline"
    assert choose(None, 2).name == choose("processes", 1).name == "processes"
    assert choose("ray:10.0.0.1:6379", 3).address == "10.0.0.1:6379"
    with pytest.raises(UnknownName, match="did you mean 'processes'"):
        choose("process", None)
    with pytest.raises(UsageError, match="inline plays in one process"):
        choose("inline", 2)
    with pytest.raises(UsageError, match="at least 1"):
        choose(None, 0)
    with pytest.raises(UsageError, match=r"1000000 workers are too many for .*concurrency"):
        choose(None, 10**6)
    assert choose("ray", 10**6).workers == 10**6
