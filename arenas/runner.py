"""Plays the matches a run still lacks and stores each as it ends.

The plan (which matches) is made in :mod:`.plan`; who sits where and how one match is played, in
:mod:`.host`; how many at once and in which processes, in :mod:`.executors` and :mod:`.shares`.
Wherever matches are played, this process alone writes the run folder.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from .host import Host, Job, Partial, Standing
from .meter import Meter
from .rows import Finished, MatchRow
from .store import RunFolder

_TICK_SECONDS = 0.25


class Reporter(Protocol):
    """What the runner tells about its progress (the command line draws it)."""

    def start(self, total: int, done: int) -> None:
        """So many matches are planned, so many of them are stored already."""
        ...

    def match_done(self, row: MatchRow) -> None:
        """A match has been stored."""
        ...

    def tick(self, stats: Mapping[str, Any]) -> None:
        """Several times a second: running, turns, llm_calls, tokens, money, stalled seats."""
        ...

    def message(self, text: str) -> None:
        """A sentence for the person who waits."""
        ...

    def stop(self) -> None:
        """The run has ended, well or not."""
        ...


class Runner:
    """Writes down what is played, here or elsewhere, and tells of it."""

    def __init__(self, folder: RunFolder, meter: Meter, reporter: Reporter) -> None:
        self._folder = folder
        self._meter = meter
        self._reporter = reporter

    def keep(self, told: Sequence[Finished | Partial]) -> None:
        """Store matches that ended together, whole or cut short.

        Raises:
            StoreError: full disk and the like; the matches count as not played.
        """
        finished = [each for each in told if isinstance(each, Finished)]
        if finished:
            self._folder.add_matches(finished)
        for each in told:
            if isinstance(each, Partial):
                self._folder.add_partial(each.key, each.record)
        for match in finished:
            self._reporter.match_done(match.row)

    async def play_here(self, host: Host, jobs: Iterable[Job]) -> None:
        """Play ``jobs`` in this process.

        Raises:
            BudgetSpent, BackendError, StoreError: the run stopped early and can be resumed.
            asyncio.CancelledError: interrupted; partial records have been kept.
        """
        ticker = asyncio.create_task(self._tick_for_ever(lambda: host.standing))
        try:
            await host.play(jobs, lambda match: self.keep([match]))
        finally:
            ticker.cancel()
            self.tick(host.standing)

    async def _tick_for_ever(self, standing: Callable[[], Standing]) -> None:
        while True:
            await asyncio.sleep(_TICK_SECONDS)
            self.tick(standing())

    def tick(self, standing: Standing) -> None:
        """Tell where we are."""
        total = self._meter.total
        self._reporter.tick(
            {
                "running": standing.running,
                "turns": standing.turns,
                "llm_calls": total.calls,
                "prompt_tokens": total.prompt_tokens,
                "completion_tokens": total.completion_tokens,
                "money": total.money,
                "stalled": list(standing.stalled),
            }
        )
