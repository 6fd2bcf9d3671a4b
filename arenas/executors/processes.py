"""Jobs in this process, or over worker processes that are started afresh (``spawn``).

Jobs know nothing of each other and draw from their own seeds, so results do not depend on the
number of workers. What a job tells while it runs comes to the caller as it happens. The first
Ctrl-C asks the jobs to save what they have and end; the second stops hard.
"""

from __future__ import annotations

import multiprocessing
import os
import queue
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, TypeVar

from gymposium.errors import GymposiumError

J = TypeVar("J")
R = TypeVar("R")
Work = Callable[[J, Callable[[Any], None], Callable[[], bool]], R]
"""``work(job, tell, stopping)``: tell anything picklable; save and return when stopping()."""

_POLL_SECONDS = 0.1


def run_jobs(
    work: Work[J, R],
    jobs: Sequence[J],
    *,
    workers: int,
    on_event: Callable[[Any], None],
    on_interrupt: Callable[[], None],
) -> list[R]:
    """Do all jobs.

    Args:
        work: a function of a module; with more than one worker it and the jobs must be picklable.
        jobs: started in this order.
        workers: processes; with 1 everything happens in this one.
        on_event: called, in this thread, with what jobs tell.
        on_interrupt: called at the first Ctrl-C, at once.

    Returns:
        The results, in the order of the jobs.

    Raises:
        KeyboardInterrupt: Ctrl-C, after the jobs have saved what they had.
        GymposiumError: a worker process died.
        Exception: whatever a job raised first; the others were asked to save and end.
    """
    if workers <= 1 or len(jobs) <= 1:
        return _here(work, jobs, on_event, on_interrupt)
    context = multiprocessing.get_context("spawn")
    events, stop = context.Queue(), context.Event()
    with _on_ctrl_c(stop.set, on_interrupt) as interrupted:
        pool = ProcessPoolExecutor(
            min(workers, len(jobs)),
            mp_context=context,
            initializer=_begin_worker,
            initargs=(events, stop),
        )
        with pool:
            futures = [pool.submit(_in_worker, work, job) for job in jobs]
            results = _collect(futures, events, stop, on_event)
    if interrupted():
        raise KeyboardInterrupt
    return results


def _here(
    work: Work[J, R],
    jobs: Sequence[J],
    on_event: Callable[[Any], None],
    on_interrupt: Callable[[], None],
) -> list[R]:
    stop = threading.Event()
    with _on_ctrl_c(stop.set, on_interrupt) as interrupted:
        results = []
        for job in jobs:
            results.append(work(job, on_event, stop.is_set))
            if stop.is_set():
                break
    if interrupted():
        raise KeyboardInterrupt
    return results


def _collect(
    futures: Sequence[Future[R]], events: Any, stop: Any, on_event: Callable[[Any], None]
) -> list[R]:
    failed: BaseException | None = None
    pending = set(futures)
    while pending:
        done, pending = wait(pending, timeout=_POLL_SECONDS, return_when=FIRST_COMPLETED)
        for event in _waiting(events):
            on_event(event)
        for future in done:
            error = None if future.cancelled() else future.exception()
            if error is not None and failed is None:
                failed = error
        if failed is not None or stop.is_set():
            stop.set()
            for future in pending:
                future.cancel()
    for event in _waiting(events):
        on_event(event)
    if isinstance(failed, BrokenProcessPool):
        raise GymposiumError(
            "a worker process died (killed, or out of memory); what it had saved is safe: "
            "resume, perhaps with fewer workers"
        ) from failed
    if failed is not None:
        raise failed
    return [future.result() for future in futures if not future.cancelled()]


def _waiting(events: Any) -> Iterator[Any]:
    while True:
        try:
            yield events.get_nowait()
        except queue.Empty:
            return


_events: Any = None
_stop: Any = None


def _begin_worker(events: Any, stop: Any) -> None:
    """Remember the lines to the parent; Ctrl-C is the parent's to hear."""
    global _events, _stop
    _events, _stop = events, stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _in_worker(work: Work[J, R], job: J) -> R:
    parent = multiprocessing.parent_process()

    def stopping() -> bool:
        # A worker whose parent was killed must not go on writing into its folders.
        return bool(_stop.is_set()) or parent is None or not parent.is_alive()

    return work(job, _events.put, stopping)


@contextmanager
def _on_ctrl_c(
    stop: Callable[[], None], on_interrupt: Callable[[], None]
) -> Iterator[Callable[[], bool]]:
    pressed = 0

    def handle(_signal: int, _frame: object) -> None:
        nonlocal pressed
        pressed += 1
        if pressed > 1:
            # Whatever is on disk is whole; children end when their parent is gone.
            os._exit(130)
        on_interrupt()
        stop()

    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = signal.signal(signal.SIGINT, handle)
    try:
        yield lambda: pressed > 0
    finally:
        signal.signal(signal.SIGINT, before)
