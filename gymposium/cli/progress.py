"""Progress on stderr: a live bar for a terminal, now and then a line for everything else."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

    from gymposium.arenas.rows import MatchRow

LINE_EVERY = 5.0
"""Seconds between lines when stderr is not a terminal."""


class Progress:
    """What the arena's runner reports to; counts cheaply, draws when ticked."""

    def __init__(self, *, live: bool | None = None) -> None:
        """Prepare.

        Args:
            live: draw a bar; default: if stderr is a terminal.
        """
        self._live = sys.stderr.isatty() if live is None else live
        self._total = self._done = self._played = self._faults = 0
        self._stats: Mapping[str, Any] = {}
        self._began = self._said = time.monotonic()
        self._bar: RichProgress | None = None
        self._task: TaskID | None = None

    def start(self, total: int, done: int) -> None:
        """A batch begins: ``done`` of ``total`` matches are stored already."""
        first = self._total == 0
        self._total, self._done = total, done
        if first:
            self._began = self._said = time.monotonic()
        if self._live:
            self._begin_bar()
        elif first:
            left = f" ({done} are done already)" if done else ""
            self._line(f"playing {total - done} matches{left}")

    def match_done(self, row: MatchRow) -> None:
        """A match is stored. Thousands may come in a second: only count."""
        self._done += 1
        self._played += 1
        for seat in row.seats:
            if seat.faults:
                self._faults += sum(seat.faults.values())

    def tick(self, stats: Mapping[str, Any]) -> None:
        """Show where we are; ``stats`` holds turns, llm_calls, tokens and stalled seats."""
        self._stats = stats
        if self._bar is not None and self._task is not None:
            self._bar.update(
                self._task, completed=self._done, total=self._total, details=self._details()
            )
        elif not self._live and time.monotonic() - self._said >= LINE_EVERY:
            self._line(self._sentence())

    def message(self, text: str) -> None:
        """A sentence that must be seen, at once."""
        if self._bar is not None:
            self._bar.console.print(text, markup=False, soft_wrap=True)
        else:
            self._line(text)

    def stop(self) -> None:
        """The run is over, or stopped; may be called twice."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
        elif not self._live and self._total:
            self._line(self._sentence())
        self._total = 0

    def _begin_bar(self) -> None:
        if self._bar is not None:
            return
        from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn
        from rich.progress import Progress as RichProgress

        self._bar = RichProgress(
            SpinnerColumn(),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.fields[details]}"),
            console=_stderr(),
            transient=True,
        )
        self._task = self._bar.add_task(
            "matches", total=self._total, completed=self._done, details=""
        )
        self._bar.start()

    def _sentence(self) -> str:
        return f"{self._done}/{self._total} matches, {self._details()}"

    def _details(self) -> str:
        seconds = time.monotonic() - self._began
        rate = self._played / seconds if seconds > 0 else 0.0
        parts = [f"{rate:.1f}/s" if rate else "0/s"]
        left = self._total - self._done
        if rate and left:
            parts.append(f"{clock(left / rate)} left")
        stats = self._stats
        parts.append(f"{stats.get('turns', 0):,} turns")
        if stats.get("llm_calls"):
            tokens = stats.get("prompt_tokens", 0) + stats.get("completion_tokens", 0)
            parts += [f"{stats['llm_calls']:,} LLM calls", f"{tokens:,} tokens"]
            if stats.get("money"):
                parts.append(f"${stats['money']:,.2f}")
        parts.append(f"{self._faults:,} fault{'' if self._faults == 1 else 's'}")
        if stalled := list(stats.get("stalled", ())):
            others = {1: "", 2: " and 1 more seat"}.get(
                len(stalled), f" and {len(stalled) - 1} more seats"
            )
            parts.append(f"waiting for {stalled[0]}{others}")
        return ", ".join(parts)

    def _line(self, text: str) -> None:
        self._said = time.monotonic()
        print(text, file=sys.stderr, flush=True)


def clock(seconds: float) -> str:
    """``75`` as ``1:15``, ``3700`` as ``1:01:40``."""
    whole = round(seconds)
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _stderr() -> Console:
    from rich.console import Console

    return Console(file=sys.stderr, highlight=False, emoji=False)
