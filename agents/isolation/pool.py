"""Children kept for reuse: starting one costs half a second, resetting one a millisecond.

A child serves one seat of one match at a time and then waits for the next match of the same agent;
each match gets a fresh instance, though module globals of the user's file live on. How many matches
with children run at once is the arena's business; the pool bounds how many start at the same moment
and how many idle ones stay.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import weakref
from collections import OrderedDict

from gymposium.errors import AgentFault

from .process import ChildProcess, ChildSpec

_FAREWELL_SECONDS = 2.0


class ChildPool:
    """Idle children by what they run; belongs to one event loop.

    Attributes:
        starting: processes that may be starting at the same time.
        idle_limit: idle children beyond this are ended, the longest idle first.
    """

    def __init__(self, *, starting: int | None = None, idle_limit: int | None = None) -> None:
        cores = os.cpu_count() or 1
        self.starting = starting or cores
        self.idle_limit = max(8, 2 * cores) if idle_limit is None else idle_limit
        self._idle: OrderedDict[ChildProcess, bytes] = OrderedDict()
        self._all: set[ChildProcess] = set()
        self._now_starting = 0
        self._waiting: list[asyncio.Future[None]] = []
        self._refusals: dict[bytes, AgentFault] = {}

    async def take(self, spec: ChildSpec) -> ChildProcess:
        """An idle child for ``spec``, or a new one that has imported the user's code.

        Raises:
            AgentFault: the code cannot be imported; remembered, since it would be so again.
        """
        key = spec.key
        while True:
            if key in self._refusals:
                raise AgentFault("error", str(self._refusals[key]))
            child = self._take_idle(key)
            if child is not None:
                return child
            if self._now_starting < self.starting:
                return await self._start(spec, key)
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            await turn

    def give_back(self, spec: ChildSpec, child: ChildProcess) -> None:
        """The match is over: keep the child if it is fit for another, else end it."""
        if not child.idle:
            child.kill()
            return
        self._idle[child] = spec.key
        while len(self._idle) > self.idle_limit:
            oldest, _ = self._idle.popitem(last=False)
            oldest.kill()
        self._wake()

    async def close(self) -> None:
        """End every child, and wait until they are gone."""
        children, self._all = list(self._all), set()
        self._idle.clear()
        for child in children:
            child.kill()
        if children:
            exits = [child.exited for child in children]
            await asyncio.wait(exits, timeout=_FAREWELL_SECONDS)

    def _take_idle(self, key: bytes) -> ChildProcess | None:
        for child, runs in reversed(self._idle.items()):
            if runs == key:
                del self._idle[child]
                # It may have died while idle.
                return child if child.idle else self._take_idle(key)
        return None

    async def _start(self, spec: ChildSpec, key: bytes) -> ChildProcess:
        self._now_starting += 1
        try:
            child = await ChildProcess.start(spec)
        except AgentFault as fault:
            if fault.kind == "error":
                self._refusals[key] = fault
            raise
        finally:
            self._now_starting -= 1
            self._wake()
        self._all.add(child)
        child.exited.add_done_callback(lambda _: self._all.discard(child))
        return child

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for turn in waiting:
            if not turn.done():
                turn.set_result(None)


_pools: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, ChildPool] = (
    weakref.WeakKeyDictionary()
)


def current_pool() -> ChildPool:
    """The running event loop's own pool."""
    loop = asyncio.get_running_loop()
    pool = _pools.get(loop)
    if pool is None:
        pool = _pools[loop] = ChildPool()
    return pool


async def shutdown() -> None:
    """End all children of the running event loop."""
    pool = _pools.pop(asyncio.get_running_loop(), None)
    if pool is not None:
        with contextlib.suppress(asyncio.TimeoutError):
            await pool.close()
