"""Jobs in this process, or over worker processes that are started afresh (``spawn``).

Jobs know nothing of each other and draw from their own seeds, so results do not depend on the
number of workers. Each worker has a pipe of its own: what a job tells while it runs comes to the
caller as it happens, and a worker killed in the middle of a sentence garbles nobody else's. Where
jobs may be repeated, another worker takes the place of one that died. The first Ctrl-C asks the
jobs to save what they have and end; the second stops hard.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
import types
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import wait
from typing import Any, Generic, TypeVar

from gymposium.errors import GymposiumError

from .interrupts import two_stage_interrupt
from .worker import Work, serve

J = TypeVar("J")
R = TypeVar("R")

_POLL_SECONDS = 0.1
_AHEAD = 2  # jobs given to a worker: the one it does, and the next
_FAREWELL_SECONDS = 10.0
_DEATHS_EACH, _DEATHS_LEAST = 4, 6
"""Deaths for each worker, and at least so many: if no job is done between them, it is the machine,
or the jobs are all alike, and further workers would die as well."""


def run_jobs(
    work: Work[J, R],
    jobs: Sequence[J],
    *,
    workers: int,
    on_told: Callable[[Sequence[Any]], None],
    on_interrupt: Callable[[], None],
) -> list[R]:
    """Do all jobs, in this process if there is one worker or one job.

    Arguments, result and errors are those of :func:`in_processes`.
    """
    if workers > 1 and len(jobs) > 1:
        return in_processes(work, jobs, workers=workers, on_told=on_told, on_interrupt=on_interrupt)
    stop = threading.Event()
    with two_stage_interrupt(stop.set, on_interrupt) as interrupted:
        results = []
        for job in jobs:
            results.append(work(job, lambda event: on_told([event]), stop.is_set))
            if stop.is_set():
                break
    if interrupted():
        raise KeyboardInterrupt
    return results


def in_processes(
    work: Work[J, R],
    jobs: Iterable[J],
    *,
    workers: int,
    on_told: Callable[[Sequence[Any]], None],
    on_interrupt: Callable[[], None],
    on_lost: Callable[[J, str], Iterable[J]] | None = None,
) -> list[R]:
    """Do all jobs in worker processes.

    Args:
        work: a function of a module; it and the jobs must be picklable.
        jobs: started in this order, and taken only when a worker is about to need them.
        workers: processes, at most.
        on_told: called, in this thread, with what jobs tell: all that one told in a short while.
        on_interrupt: called at the first Ctrl-C, at once.
        on_lost: called with the job that a worker was doing when it died, and with why it died;
            gives the jobs to be done in its stead. None: what jobs do cannot be repeated, and a
            death ends it all.

    Returns:
        The results, in the order of the jobs, what is done in a job's stead included.

    Raises:
        KeyboardInterrupt: Ctrl-C, after the jobs have saved what they had.
        GymposiumError: a worker process died, or one after another did.
        Exception: whatever a job, ``jobs`` or ``on_told`` raised first; the jobs were asked to
            save and end.
    """
    crew = _Crew(work, iter(jobs), workers, on_told, on_lost)
    with two_stage_interrupt(crew.ask_to_stop, on_interrupt) as interrupted:
        results = crew.run()
    if interrupted():
        raise KeyboardInterrupt
    return results


class _Worker:
    """One worker process as its parent sees it."""

    def __init__(self, work: Work[Any, Any], *, with_main: bool) -> None:
        context = multiprocessing.get_context("spawn")
        self.line, theirs = context.Pipe()
        self.given: dict[int, Any] = {}  # the first is the one it does
        self.begun = False
        self.process = context.Process(target=serve, args=(theirs, work), name="gymposium-worker")
        with _main_module(hidden=not with_main):
            self.process.start()
        theirs.close()

    def give(self, number: int, job: Any, packed: bytes) -> None:
        self.given[number] = job
        with suppress(OSError):  # it has died: that is heard as the end of its line
            self.line.send_bytes(packed)

    @property
    def silent(self) -> bool:
        """It has died, and all that it said has been heard, though its line may not end.

        What it has forked may hold the line open.
        """
        if self.process.exitcode is None:
            return False
        try:
            return not self.line.poll()
        except OSError:
            return True

    @property
    def halted(self) -> bool:
        """It was stopped (SIGSTOP), and hears nothing until it is told to go on."""
        if not hasattr(os, "waitid") or self.process.pid is None:
            return False
        state = os.WSTOPPED | os.WNOHANG | os.WNOWAIT
        with suppress(ChildProcessError):
            return os.waitid(os.P_PID, self.process.pid, state) is not None
        return False


class _Crew(Generic[J, R]):
    """All workers, what they were given, and what came back."""

    def __init__(
        self,
        work: Work[J, R],
        jobs: Iterator[J],
        most: int,
        on_told: Callable[[Sequence[Any]], None],
        on_lost: Callable[[J, str], Iterable[J]] | None,
    ) -> None:
        self._work, self._jobs, self._most = work, jobs, most
        self._on_told, self._on_lost = on_told, on_lost
        self._again: deque[J] = deque()
        self._deaths = 0  # since anything was done
        self._workers: list[_Worker] = []
        self._results: dict[int, R] = {}
        self._count = 0
        self._failed: BaseException | None = None
        self._listening = True
        self._stop = False
        self._stop_sent = False

    def ask_to_stop(self) -> None:
        """Let jobs save and end; may be called from a signal handler."""
        self._stop = True

    def run(self) -> list[R]:
        try:
            self._hand_out()
            while any(worker.given for worker in self._workers):
                lines = {worker.line: worker for worker in self._workers}
                for line in wait(list(lines), timeout=_POLL_SECONDS):
                    self._hear(lines[line])  # type: ignore[index]
                for worker in [worker for worker in self._workers if worker.silent]:
                    self._lost(worker)
                if self._stop:
                    self._send_stop()
                    for worker in self._workers:
                        if worker.halted:  # it would never save what it has
                            worker.process.kill()
                else:
                    self._hand_out()
        finally:
            self._dismiss()
        if self._failed is not None:
            raise self._failed
        return [self._results[number] for number in sorted(self._results)]

    def _hand_out(self) -> None:
        while not self._stop and self._wants_more():
            try:
                job = self._again.popleft() if self._again else next(self._jobs)
                packed = pickle.dumps((self._count, job), protocol=pickle.HIGHEST_PROTOCOL)
                worker = self._least_busy(packed)
            except StopIteration:
                return
            except Exception as error:  # noqa: BLE001 - raised when the others have ended
                self._fail(error)
                return
            worker.give(self._count, job, packed)
            self._count += 1

    def _wants_more(self) -> bool:
        may_grow = len(self._workers) < self._most
        return may_grow or any(len(worker.given) < _AHEAD for worker in self._workers)

    def _least_busy(self, packed: bytes) -> _Worker:
        """Who has least to do; a new worker while all others have something."""
        found = min(self._workers, key=lambda worker: len(worker.given), default=None)
        if found is None or (found.given and len(self._workers) < self._most):
            found = _Worker(self._work, with_main=b"__main__" in packed)
            self._workers.append(found)
        return found

    def _hear(self, worker: _Worker) -> None:
        try:
            kind, number, what = worker.line.recv()
        except (EOFError, OSError):
            self._lost(worker)
            return
        if kind == "begun":
            worker.begun = True
        elif kind == "told":
            self._tell(what)
        else:
            del worker.given[number]
            if kind == "done":
                self._results[number] = what
                self._deaths = 0
            else:
                self._fail(what)

    def _tell(self, events: Sequence[Any]) -> None:
        if not self._listening:
            return
        try:
            self._on_told(events)
        except Exception as error:  # noqa: BLE001 - raised when the others have ended
            self._listening = False
            self._fail(error)

    def _fail(self, error: BaseException) -> None:
        self._failed = self._failed or error
        self._stop = True

    def _lost(self, worker: _Worker) -> None:
        """The worker is gone: asked to, or not."""
        self._workers.remove(worker)
        worker.line.close()
        worker.process.join(_FAREWELL_SECONDS)
        if not worker.given or self._stop_sent:
            return
        self._deaths += 1
        cause = _cause(worker.process.exitcode)
        try:
            self._again.extendleft(reversed([*self._instead(worker, cause)]))
        except Exception as error:  # noqa: BLE001 - raised when the others have ended
            self._fail(error)

    def _instead(self, worker: _Worker, cause: str) -> Iterator[J]:
        """What is to be done in place of what a dead worker had been given."""
        many = max(_DEATHS_LEAST, _DEATHS_EACH * self._most)
        who = "a worker process"
        if self._deaths >= many:
            who = f"{many} worker processes, one after another,"
        # What raises as it is imported would do so again; what was killed need not be.
        again = worker.begun or (worker.process.exitcode or 0) < 0
        if self._on_lost is None or not again or self._deaths >= many:
            raise GymposiumError(
                f"{who} died{'' if worker.begun else ' as it began'} ({cause}); what was saved is "
                "safe: resume, perhaps with fewer workers"
            )
        jobs = list(worker.given.values())
        if worker.begun:
            yield from self._on_lost(jobs.pop(0), cause)
        yield from jobs

    def _send_stop(self) -> None:
        if self._stop_sent:
            return
        self._stop_sent = True
        for worker in self._workers:
            with suppress(OSError):
                worker.line.send_bytes(b"")

    def _dismiss(self) -> None:
        for worker in self._workers:
            worker.line.close()
        for worker in self._workers:
            worker.process.join(_FAREWELL_SECONDS)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()


def _cause(code: int | None) -> str:
    if code is not None and code < 0:
        with suppress(ValueError):
            name = signal.Signals(-code).name
            return f"{name}; out of memory?" if name == "SIGKILL" else name
    return f"exit code {code}"


@contextmanager
def _main_module(*, hidden: bool) -> Iterator[None]:
    """What a fresh process imports as ``__main__``: nothing, unless jobs refer to it.

    Then a script needs no guard, and workers begin without whatever the script imports.
    """
    before = sys.modules["__main__"]
    if hidden:
        sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = before
