"""A fair semaphore that hands out several permits at once.

A match takes the permits for all its child processes together, so that two matches can never each
hold one process and wait for the other's.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Permits:
    """``capacity`` permits, first come first served."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._free = capacity
        self._queue: deque[tuple[int, asyncio.Future[None]]] = deque()

    @asynccontextmanager
    async def take(self, count: int) -> AsyncIterator[None]:
        """Hold ``count`` permits (at most the capacity) for the length of a ``with`` block."""
        count = min(count, self.capacity)
        if count == 0:
            yield
            return
        await self._acquire(count)
        try:
            yield
        finally:
            self._release(count)

    async def _acquire(self, count: int) -> None:
        if not self._queue and self._free >= count:
            self._free -= count
            return
        granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.append((count, granted))
        try:
            await granted
        except asyncio.CancelledError:
            if granted.done() and not granted.cancelled():
                self._release(count)
            else:
                self._queue.remove((count, granted))
                self._serve()
            raise

    def _release(self, count: int) -> None:
        self._free += count
        self._serve()

    def _serve(self) -> None:
        while self._queue and self._queue[0][0] <= self._free:
            count, granted = self._queue.popleft()
            if not granted.cancelled():
                self._free -= count
                granted.set_result(None)
