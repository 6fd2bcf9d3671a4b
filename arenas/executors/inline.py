"""Many matches at once in one process, on one event loop.

A sliding window: as soon as a match ends the next begins, so that language-model slots stay full.
The first Ctrl-C cancels what runs, keeps its partial records and returns; the second stops hard.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any, TypeVar

from .interrupts import two_stage_interrupt

T = TypeVar("T")


async def play_window(
    jobs: Iterable[T], play: Callable[[T], Awaitable[None]], *, concurrency: int
) -> None:
    """Play all jobs, at most ``concurrency`` at a time, in order of start.

    Args:
        jobs: consumed lazily, so that a schedule of any length takes constant memory.
        play: plays and stores one job.
        concurrency: matches in flight.

    Raises:
        Whatever ``play`` raises first; the other matches in flight are cancelled.
    """
    waiting = iter(jobs)

    async def work() -> None:
        for job in waiting:
            await play(job)
            # A match of plain bots never waits: without this nothing else would get a turn.
            await asyncio.sleep(0)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(concurrency):
                group.create_task(work())
    except BaseExceptionGroup as failures:
        raise _first(failures) from None


def run_to_end(main: Coroutine[Any, Any, T], *, on_interrupt: Callable[[], None]) -> T:
    """Run ``main`` to its end from synchronous code, in a notebook too.

    Args:
        main: the coroutine.
        on_interrupt: called at the first Ctrl-C, at once, before anything is saved.

    Raises:
        KeyboardInterrupt: after ``main`` was cancelled by Ctrl-C and has cleaned up.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _run(main, on_interrupt)
    # A notebook's loop is already running in this thread: use a thread of our own.
    box: list[T] = []
    failed: list[BaseException] = []

    def work() -> None:
        try:
            box.append(_run(main, on_interrupt))
        except BaseException as error:  # noqa: BLE001 - carried to the caller's thread and raised
            failed.append(error)

    thread = threading.Thread(target=work, name="gymposium-run")
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
    return box[0]


def _run(main: Coroutine[Any, Any, T], on_interrupt: Callable[[], None]) -> T:
    interrupted: Callable[[], bool] = bool

    async def guarded() -> T:
        nonlocal interrupted
        loop = asyncio.get_running_loop()
        task = asyncio.ensure_future(main)

        def stop() -> None:
            loop.call_soon_threadsafe(task.cancel)

        with two_stage_interrupt(stop, on_interrupt) as interrupted:
            return await task

    with asyncio.Runner() as runner:
        try:
            return runner.run(guarded())
        except asyncio.CancelledError:
            if interrupted():
                raise KeyboardInterrupt from None
            raise


def _first(failures: BaseExceptionGroup[BaseException]) -> BaseException:
    error: BaseException = failures
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
