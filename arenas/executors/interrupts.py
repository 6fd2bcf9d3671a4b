"""Ctrl-C in two stages: the first asks for an orderly end, the second stops hard."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def two_stage_interrupt(
    stop: Callable[[], None], on_interrupt: Callable[[], None]
) -> Iterator[Callable[[], bool]]:
    """Hear Ctrl-C for the length of a ``with`` block; outside the main thread nothing is heard.

    Args:
        stop: called at the first one, from the signal handler.
        on_interrupt: called before it, to tell the person.

    Yields:
        Says whether there was one.
    """
    pressed = 0

    def handle(_signal: int, _frame: object) -> None:
        nonlocal pressed
        pressed += 1
        if pressed > 1:
            # Committed transactions are safe whatever happens to the process, and workers end
            # when their parent is gone.
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
