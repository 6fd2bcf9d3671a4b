"""Which waiting call is served next: the one whose prompt a free slot already holds most of.

A slot keeps what it computed for its last prompt, and a prompt that begins alike needs only the
rest. Serving in order of arrival would give the buyer's slot to the seller and have both start from
nothing; choosing the best match, with a limit on how often a call is passed over, halves the work
when many matches share few slots.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

Prompt = Sequence[Mapping[str, Any]]
PATIENCE = 4
"""A call is passed over at most this many times the number of slots."""


@dataclass(slots=True, eq=False)
class Waiting:
    """One call in the queue.

    Attributes:
        request: what to ask the server.
        begin: called, in the serving thread, when the model begins on it.
        done: where the answer goes.
        stop: set when nobody waits for the answer any more.
        passed_over: how many later calls were served before it.
    """

    request: dict[str, Any]
    begin: Callable[[], object] = lambda: None
    done: Future[list[dict[str, Any]]] = field(default_factory=Future)
    stop: threading.Event = field(default_factory=threading.Event)
    passed_over: int = 0


class PrefixQueue:
    """Calls waiting for ``slots`` slots; safe for any number of threads."""

    def __init__(self, slots: int) -> None:
        self._free: list[Prompt] = [()] * slots
        self._waiting: list[Waiting] = []
        self._lock = threading.Lock()
        self._patience = PATIENCE * slots

    def put(self, call: Waiting) -> None:
        """Queue a call."""
        with self._lock:
            self._waiting.append(call)

    def take(self) -> Waiting | None:
        """The call to serve next, or None if none waits; ``give_back`` must follow."""
        with self._lock:
            while self._waiting:
                call, slot = self._best()
                self._waiting.remove(call)
                if not call.done.set_running_or_notify_cancel():
                    continue
                del self._free[slot]
                for other in self._waiting:
                    other.passed_over += 1
                return call
            return None

    def give_back(self, call: Waiting) -> None:
        """The slot that served ``call`` is free, and holds its prompt."""
        with self._lock:
            self._free.append(call.request["messages"])

    def drain(self) -> list[Waiting]:
        """Take out everything that waits."""
        with self._lock:
            waiting, self._waiting = self._waiting, []
            return waiting

    def _best(self) -> tuple[Waiting, int]:
        oldest = self._waiting[0]
        calls = [oldest] if oldest.passed_over >= self._patience else self._waiting
        best = (-1, 0, 0)
        for place, call in enumerate(calls):
            for slot, held in enumerate(self._free):
                # Among equal matches the oldest call wins, and the slot that was free longest.
                found = (shared(call.request["messages"], held), -place, -slot)
                best = max(best, found)
        return calls[-best[1]], -best[2]


def shared(one: Prompt, other: Prompt) -> int:
    """Characters that two prompts have in common at their beginning."""
    total = 0
    for left, right in zip(one, other, strict=False):
        a, b = left["content"], right["content"]
        if left["role"] != right["role"]:
            break
        if a != b:
            return total + _shared(a, b)
        total += len(a)
    return total


def _shared(a: str, b: str) -> int:
    """Length of the common beginning, by bisection: comparing slices is far quicker than a loop."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
