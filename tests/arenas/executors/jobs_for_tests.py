"""Work that other processes can import."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gymposium.errors import UsageError

Tell = Callable[[Any], None]
Stopping = Callable[[], bool]


def count_up(job: int, tell: Tell, stopping: Stopping) -> int:
    for i in range(job):
        tell((job, i))
    return job * job


def is_first(job: int, tell: Tell, stopping: Stopping) -> bool:
    return os.getpid() == job


class Stubborn(Exception):
    def __init__(self, one: str, two: str) -> None:
        super().__init__(one + two)


def fails(job: str, tell: Tell, stopping: Stopping) -> None:
    """``fail FILE`` fails once ``wait FILE`` has begun, which saves when it is stopped."""
    kind, _, file = job.partition(" ")
    if kind == "fail":
        while file and not Path(file).exists():
            time.sleep(0.01)
        raise UsageError("not this one")
    if job == "stubborn":
        raise Stubborn("cannot be ", "packed")
    if file:
        Path(file).touch()
    while not stopping():
        time.sleep(0.01)
    tell("saved")


def dies(job: int, tell: Tell, stopping: Stopping) -> None:
    if job:
        import threading

        threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGKILL)).start()
        while True:
            tell(b"x" * 10_000_000)
    time.sleep(0.05)


def dies_of(job: str, tell: Tell, stopping: Stopping) -> None:
    if job.isdigit():
        os._exit(int(job))
    os.kill(os.getpid(), getattr(signal, job))


def tells_or_dies(job: str, tell: Tell, stopping: Stopping) -> str:
    if "kill" in job:
        os.kill(os.getpid(), signal.SIGKILL)
    tell(job)
    return job


def forks_and_dies(job: int, tell: Tell, stopping: Stopping) -> None:
    if not os.fork():
        time.sleep(5)
        os._exit(0)
    os.kill(os.getpid(), signal.SIGKILL)


def forks_and_goes_on(job: int, tell: Tell, stopping: Stopping) -> int:
    os.fork()
    tell(job)
    time.sleep(0.05)
    tell(job)
    return job


def oversize(job: bytes, tell: Tell, stopping: Stopping) -> int:
    tell(job)
    return len(job)


def tells_and_waits(job: int, tell: Tell, stopping: Stopping) -> None:
    tell("begun")
    while not stopping():
        time.sleep(0.01)
    tell("saved")


def names_its_node(job: int, tell: Tell, stopping: Stopping) -> None:
    import ray

    time.sleep(0.2)
    tell(ray.get_runtime_context().get_node_id())
