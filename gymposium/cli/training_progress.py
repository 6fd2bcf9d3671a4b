"""Training on stderr: a bar and a curve for each method, live; now and then a line for the rest.

A curve is a row of eight-step blocks over the whole budget: each block is the mean over seeds of
what was measured there (evaluation matches where there are any, the method's own returns before),
and all methods share one scale, so that heights can be compared.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .progress import LINE_EVERY, clock

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

    from gymposium.arenas.training.learner import LearnerEvent
    from gymposium.scenarios.training import TrainingScenario

WIDTH = 32
"""Blocks of a curve."""
_BLOCKS = "▁▂▃▄▅▆▇█"
_DRAW_EVERY = 0.25


@dataclass
class Arm:
    """What is known of one method while it learns.

    Attributes:
        steps: by seed.
        trained, measured: values by block of the budget: the method's own, and from evaluations.
        latest: by seed, the newest value of either kind.
        over: seeds that have ended, and how.
    """

    steps: dict[int, int] = field(default_factory=dict)
    trained: dict[int, list[float]] = field(default_factory=dict)
    measured: dict[int, list[float]] = field(default_factory=dict)
    latest: dict[int, float] = field(default_factory=dict)
    over: dict[int, str] = field(default_factory=dict)

    def curve(self) -> list[float]:
        """The mean of each block up to the newest; one between two measurements is as before."""
        blocks = self.measured or self.trained
        drawn: list[float] = []
        for place in range(max(blocks, default=-1) + 1):
            found = blocks.get(place)
            before = drawn[-1] if drawn else math.nan
            drawn.append(sum(found) / len(found) if found else before)
        return drawn + [math.nan] * (WIDTH - len(drawn))


class TrainingProgress:
    """What training reports to; keeps count cheaply, draws a few times a second."""

    def __init__(self, *, live: bool | None = None) -> None:
        """Prepare.

        Args:
            live: draw; default: if stderr is a terminal.
        """
        self._live = sys.stderr.isatty() if live is None else live
        self._arms: dict[str, Arm] = {}
        self._total = self._seeds = 0
        self._already = 0.0
        self._measure = "return"
        self._began = self._said = self._drawn = time.monotonic()
        self._screen: Live | None = None

    def start(self, scenario: TrainingScenario, known: Sequence[LearnerEvent]) -> None:
        """Learning begins; ``known`` is what earlier sessions found."""
        self._arms = {entry.label: Arm() for entry in scenario.methods}
        self._total, self._seeds = scenario.budget.steps, scenario.seeds
        self._measure = scenario.stop.measure if scenario.stop else "return"
        self._began = self._said = time.monotonic()
        for event in known:
            self._take(event)
        self._already = self._steps()
        if self._live:
            from rich.console import Console
            from rich.live import Live

            self._screen = Live(
                self.drawing(), console=Console(file=sys.stderr, emoji=False), refresh_per_second=4
            )
            self._screen.start()
        else:
            learners = len(self._arms) * self._seeds
            self._line(f"training {learners} learners in {scenario.world}")

    def event(self, event: LearnerEvent) -> None:
        """A learner has got on."""
        self._take(event)
        now = time.monotonic()
        if event.status == "failed":
            self.message(f"{event.arm} on seed {event.seed} failed: {event.why}")
        if self._screen is not None and now - self._drawn >= _DRAW_EVERY:
            self._drawn = now
            self._screen.update(self.drawing())
        elif not self._live and now - self._said >= LINE_EVERY:
            self._line(self.sentence())

    def message(self, text: str) -> None:
        """A sentence that must be seen, at once."""
        if self._screen is not None:
            self._screen.console.print(text, markup=False, soft_wrap=True, highlight=False)
        else:
            self._line(text)

    def stop(self) -> None:
        """Training is over, or stopped; may be called twice."""
        if self._screen is not None:
            self._screen.update(self.drawing(), refresh=True)
            self._screen.stop()
            self._screen = None
        elif not self._live and self._arms:
            self._line(self.sentence())
        self._arms = {}

    def drawing(self) -> RenderableType:
        """The table of bars and curves."""
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        low, high = self._range()
        left = self._left()
        table = Table(box=None, pad_edge=False, caption_justify="left", expand=False)
        scale = f"{self._measure}, {low:.3g} to {high:.3g}" if low <= high else self._measure
        for title in ("method", "", "steps", scale, "now", "seeds done"):
            table.add_column(title, no_wrap=True)
        for name, arm in self._arms.items():
            part = self._part(arm)
            table.add_row(
                Text(name),
                ProgressBar(total=1.0, completed=part, width=16),
                f"{part:4.0%}",
                sparkline(arm.curve(), low, high),
                self._now(arm),
                f"{len(arm.over)}/{self._seeds}",
            )
        spent = clock(time.monotonic() - self._began)
        table.caption = f"{spent} spent" + (f", {left} left" if left else "")
        return table

    def sentence(self) -> str:
        """All in one line."""
        parts = [
            f"{name} {self._part(arm):.0%}" + (f" ({self._now(arm)})" if arm.latest else "")
            for name, arm in self._arms.items()
        ]
        left = self._left()
        return ", ".join(parts) + (f", {left} left" if left else "")

    def _take(self, event: LearnerEvent) -> None:
        arm = self._arms.setdefault(event.arm, Arm())
        arm.steps[event.seed] = max(event.step, arm.steps.get(event.seed, 0))
        block = min(WIDTH - 1, WIDTH * max(0, event.step - 1) // max(1, event.total))
        for found, kept in ((event.metrics, arm.trained), (event.measures, arm.measured)):
            value = found.get(self._measure if found is event.measures else "return")
            if value is not None and math.isfinite(value):
                kept.setdefault(block, []).append(value)
                if found is event.measures or not arm.measured:
                    arm.latest[event.seed] = value
        if event.status and event.status != "running":
            arm.over[event.seed] = event.status

    def _part(self, arm: Arm) -> float:
        """How much of an arm's work is done; a learner that has ended is done."""
        done = sum(
            self._total if arm.over.get(seed) == "finished" else min(step, self._total)
            for seed, step in arm.steps.items()
        )
        return done / max(1, self._total * self._seeds)

    def _now(self, arm: Arm) -> str:
        if not arm.latest:
            return ""
        return f"{sum(arm.latest.values()) / len(arm.latest):.4g}"

    def _steps(self) -> float:
        return sum(map(self._part, self._arms.values())) / max(1, len(self._arms))

    def _left(self) -> str:
        """The time that is left at the speed so far; "" if that cannot be told."""
        done, spent = self._steps(), time.monotonic() - self._began
        speed = (done - self._already) / spent if spent > 0 else 0.0
        return clock((1.0 - done) / speed) if speed > 0 and done < 1 else ""

    def _range(self) -> tuple[float, float]:
        values = [v for arm in self._arms.values() for v in arm.curve() if not math.isnan(v)]
        return (min(values), max(values)) if values else (math.inf, -math.inf)

    def _line(self, text: str) -> None:
        self._said = time.monotonic()
        print(text, file=sys.stderr, flush=True)


def sparkline(values: Sequence[float], low: float, high: float) -> str:
    """Values between ``low`` and ``high`` as blocks of eight heights; NaN as a blank."""
    span = high - low
    drawn = []
    for value in values:
        if math.isnan(value):
            drawn.append(" ")
        else:
            part = (value - low) / span if span > 0 else 0.5
            drawn.append(_BLOCKS[min(7, int(part * 8))])
    return "".join(drawn)
