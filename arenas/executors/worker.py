"""What a worker process does: jobs, one after another, as long as its parent lives."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import queue
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from gymposium.errors import GymposiumError

J = TypeVar("J")
R = TypeVar("R")
Work = Callable[[J, Callable[[Any], None], Callable[[], bool]], R]
"""``work(job, tell, stopping)``: tell anything picklable; save and return when stopping()."""

_TOGETHER_SECONDS = 0.02  # what is told within this time travels together
_FAREWELL_SECONDS = 10.0  # what a parent that lives waits for a worker to end
_ORPHANED_SECONDS = 1.0  # for an orderly end, if what is being done soon asks whether to stop


def serve(line: Connection[Any, Any], work: Work[Any, Any]) -> None:
    """The worker: do what comes until the line ends; Ctrl-C is the parent's to hear."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "register_at_fork"):  # what a job forks must not speak for it
        os.register_at_fork(after_in_child=line.close)
    jobs = _Jobs(line)
    with suppress(OSError):  # the parent is gone, and nobody wants to know any more
        line.send(("begun", 0, None))
        for number, job in jobs:
            try:
                result = work(job, jobs.tell, jobs.stopping)
            except Exception as error:  # noqa: BLE001 - the job's own; told to the parent
                jobs.answer("failed", number, _portable(error))
            else:
                jobs.answer("done", number, result)


class _Jobs:
    """The worker's end of the line."""

    def __init__(self, line: Connection[Any, Any]) -> None:
        self._line = line
        self._waiting: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._stop = False
        self._told: list[Any] = []
        self._sent = 0.0
        # Always at the ear: parent and worker never wait for each other to read.
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        try:
            while packed := self._line.recv_bytes():
                self._waiting.put(packed)
        except (EOFError, OSError):
            self._end()
            _end_with_parent()
        self._end()

    def _end(self) -> None:
        self._stop = True
        self._waiting.put(b"")

    def __iter__(self) -> Iterator[tuple[int, Any]]:
        while (packed := self._waiting.get()) and not self._stop:
            yield pickle.loads(packed)

    def tell(self, event: Any) -> None:
        self._told.append(event)
        if time.monotonic() - self._sent > _TOGETHER_SECONDS:
            self._flush()

    def stopping(self) -> bool:
        self._flush()
        return self._stop

    def answer(self, kind: str, number: int, what: Any) -> None:
        self._flush()
        self._line.send((kind, number, what))

    def _flush(self) -> None:
        if self._told:
            told, self._told = self._told, []
            self._line.send(("told", 0, told))
            self._sent = time.monotonic()


def _end_with_parent() -> None:
    """A worker whose parent was killed must not go on writing into its folders, nor for nobody."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join(_FAREWELL_SECONDS)
        if not parent.is_alive():
            time.sleep(_ORPHANED_SECONDS)
            os._exit(1)


def _portable(error: Exception) -> Exception:
    """The error, or one like it that can travel."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # noqa: BLE001 - whatever its own class does when it is packed
        return GymposiumError(f"{type(error).__name__}: {error}")
    return error
