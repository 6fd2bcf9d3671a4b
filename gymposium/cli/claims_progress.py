"""Progress of ``gymposium reproduce`` on stderr: a bar with the time left, or a line at times."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from .progress import LINE_EVERY, clock

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID


class ClaimsProgress:
    """Counts measurements, the one that is being made by the part of it that is done."""

    def __init__(self, *, live: bool | None = None) -> None:
        """Prepare.

        Args:
            live: draw a bar; default: if stderr is a terminal.
        """
        self._live = sys.stderr.isatty() if live is None else live
        self._total = self._done = self._made = 0
        self._fraction = 0.0
        self._what = ""
        self._began = self._said = time.monotonic()
        self._bar: RichProgress | None = None
        self._task: TaskID | None = None

    def start(self, total: int, done: int) -> None:
        """``done`` of ``total`` measurements are stored already."""
        self._total, self._done = total, done
        self._began = self._said = time.monotonic()
        if self._live and done < total:
            self._begin_bar()
        elif not self._live:
            left = f" ({done} are done already)" if done else ""
            self._line(f"making {total - done} measurements{left}")

    def measuring(self, arm: str, seed: int, fraction: float) -> None:
        """Show where we are."""
        self._what, self._fraction = f"{arm}, seed {seed}", fraction
        self._show()

    def measured(self, arm: str, seed: int) -> None:
        """One more is stored."""
        self._done += 1
        self._made += 1
        self._fraction = 0.0
        self._show()

    def stop(self) -> None:
        """The end, good or bad."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
        elif not self._live and self._made:
            self._line(self._sentence())

    def _show(self) -> None:
        if self._bar is not None and self._task is not None:
            self._bar.update(
                self._task, completed=self._done + self._fraction, details=self._details()
            )
        elif not self._live and time.monotonic() - self._said >= LINE_EVERY:
            self._line(self._sentence())

    def _sentence(self) -> str:
        return f"{self._done}/{self._total} measurements, {self._details()}"

    def _details(self) -> str:
        seconds = time.monotonic() - self._began
        made = self._made + self._fraction
        left = self._total - self._done - self._fraction
        parts = [f"{clock(seconds * left / made)} left"] if made > 0 and left > 0 else []
        return ", ".join([*parts, self._what])

    def _begin_bar(self) -> None:
        from rich.progress import BarColumn, SpinnerColumn, TextColumn
        from rich.progress import Progress as RichProgress

        from .output import console

        self._bar = RichProgress(
            SpinnerColumn(),
            BarColumn(bar_width=24),
            TextColumn("{task.completed:.0f}/{task.total}"),
            TextColumn("{task.fields[details]}", markup=False),
            console=console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task(
            "measurements", total=self._total, completed=self._done, details=""
        )
        self._bar.start()

    def _line(self, text: str) -> None:
        self._said = time.monotonic()
        print(text, file=sys.stderr, flush=True)
