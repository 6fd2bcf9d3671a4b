"""How a judge grades rooms, and how far to trust its grades.

What it asks
    What grades does a judge (a vision-language model, mostly) give to rooms that were made before?
    How much do its grades of one room scatter, and how do they compare with the grades by rule?

How
    The rooms are those of a finished run of ``scene_weaver-v0``, or are furnished by baselines.
    Each is shown from above, with its layout, in matches of ``room_judging-v0``, ``calls`` times,
    each in a match of its own so that no grade is remembered.

What counts as a case
    One room: the mean of its grades. Rooms of one planner are drawn with replacement.

Figures
    Mean grades by who made the rooms, beside the rule's; of each grade the judge's mean, what it
    gives more than the rule, their rank correlation over rooms, and the deviation between two
    grades of one room; the share of calls that were answered.

Source
    The four grades of Yang et al., SceneWeaver (NeurIPS 2025, arXiv 2509.20414); averaging three
    calls is its earlier code's. The comparison with rules is ours.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gymposium.errors import UsageError

from ...envs.limits import choice, whole
from ...envs.rooms.baselines import BASELINES
from ...envs.rooms.grades import GRADES
from ...envs.rooms.grammar import shell
from ...envs.rooms.layout import layout
from ...envs.rooms.room_types import room_type, room_types
from ...envs.societies.judging import spearman
from ..claims.statistics import mean
from ..ratings.pair_counts import Floats
from .findings import Findings, Plot, Point, Span, Table
from .rates import Rate
from .studies import Bench


class Made(NamedTuple):
    """A room to be judged: who made it, its layout as JSON, and what was wished for."""

    maker: str
    layout: str
    demand: str


class Judged(NamedTuple):
    """``judge`` [rooms, calls, 4], NaN for no answer; ``rule`` [rooms, 4]."""

    judge: Floats
    rule: Floats


@dataclass(frozen=True)
class RoomGrades:
    """The study's parameters, and the study."""

    played: str = field(
        default="", metadata={"doc": "a finished run of scene_weaver-v0; else rooms are furnished"}
    )
    rooms: int = field(default=12, metadata={"doc": "rooms judged, at most", "range": [2, 10_000]})
    calls: int = field(default=3, metadata={"doc": "grades of each room", "range": [1, 100]})
    shows: str = field(default="both", metadata={"doc": "picture and layout, or text alone"})
    size: int = field(default=512, metadata={"doc": "of the picture, in pixels"})

    def __post_init__(self) -> None:
        whole("rooms", "rooms", self.rooms, 2, 10_000)
        whole("rooms", "calls", self.calls, 1, 100)
        choice("rooms", "shows", self.shows, ("text", "both"))
        whole("rooms", "size", self.size, 32, 2048)
        if not isinstance(self.played, str):
            raise UsageError(f"rooms: played={self.played!r:.60} must be a path")

    def run(self, bench: Bench) -> Findings:
        """Have all rooms judged and compare the grades."""
        made = _of_run(self.played, self.rooms) if self.played else _furnished(self.rooms, bench)
        judged = self._judged(made, bench)
        return bench.findings(
            "rooms",
            self,
            matches=len(made) * self.calls,
            sentences=_sentences(judged),
            tables=[_by_maker(made, judged), _calibration(judged)],
            plots=[_plot(judged)],
        )

    def _judged(self, made: Sequence[Made], bench: Bench) -> Judged:
        cells = [
            {
                "id": "room_judging-v0",
                "name": f"{number:05}",
                "params": {
                    "given": it.layout,
                    "demand": it.demand,
                    "shows": self.shows,
                    "size": self.size,
                },
            }
            for number, it in enumerate(made)
        ]
        schedule = {"kind": "self_play", "repeats": self.calls}
        run = bench.play("grades", worlds=cells, schedule=schedule, metrics=["graded"])
        table = run.world_table("grades").sort_values(["cell", "block"], kind="stable")
        shape = (len(made), self.calls, len(GRADES))
        judge, rule = (
            table[name].to_numpy(dtype=np.float64, na_value=np.nan).reshape(shape)
            for name in ("judged", "rule")
        )
        return Judged(judge, rule[:, 0])


def _of_run(path: str, most: int) -> list[Made]:
    """The finished rooms of a run: every planner's, taken in turn, so that none is left out."""
    from ..run import Run

    table = Run(Path(path)).world_table("room")
    piles: dict[str, list[Made]] = {}
    for _, row in table.iterrows():
        maker = str(row["agents"]).partition("=")[2]
        kind = str(json.loads(row["layout"])["roomtype"]).replace("_", " ")
        piles.setdefault(maker, []).append(Made(maker, str(row["layout"]), kind))
    found: list[Made] = []
    for turn in range(max(map(len, piles.values()))):
        found += [pile[turn] for pile in piles.values() if turn < len(pile)]
    return found[:most]


def _furnished(count: int, bench: Bench) -> list[Made]:
    """Rooms of the baselines that know every type, on shells of their own."""
    makers = [it for it in BASELINES.values() if it.rooms is None]
    kinds = sorted(room_types())
    found = []
    for number in range(count):
        rng = np.random.default_rng([bench.seed, number])
        kind = room_type(kinds[number // len(makers) % len(kinds)])
        maker = makers[number % len(makers)]
        scene = maker.furnish(shell(kind, rng), rng)
        text = json.dumps(layout(scene, digits=4))
        found.append(Made(maker.name, text, kind.name.replace("_", " ")))
    return found


def _mean(values: Floats, least: float = 0.0) -> Span | float | None:
    """The mean over rooms with its interval, alone where one room has none; None of no room.

    The interval, which few rooms leave wide, goes no further than what can be: ``least`` to 10.
    """
    found = mean(values[np.isfinite(values)]) if np.isfinite(values).any() else None
    if found is None or found.value is None:
        return None
    if found.low is None or found.high is None:
        return found.value
    return Span(found.value, max(found.low, least), min(found.high, 10.0))


def _of_room(judged: Judged) -> Floats:
    """The mean grade of each room [rooms, 4], NaN where no call was answered."""
    known = np.isfinite(judged.judge)
    total = np.where(known, judged.judge, 0.0).sum(axis=1)
    count = known.sum(axis=1)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _between_calls(judged: Judged) -> Floats:
    """The deviation [4] of the grades of one room, pooled over rooms with two or more."""
    known = np.isfinite(judged.judge)
    count = known.sum(axis=1)
    off = np.where(known, judged.judge - _of_room(judged)[:, None], 0.0)
    free = np.maximum(count - 1, 0).sum(axis=0)
    spread = np.sqrt((off**2).sum(axis=(0, 1)) / np.maximum(free, 1))
    return np.where(free > 0, spread, np.nan)


def _by_maker(made: Sequence[Made], judged: Judged) -> Table:
    rooms, rows = _of_room(judged), []
    for maker in dict.fromkeys(it.maker for it in made):
        own = np.array([it.maker == maker for it in made])
        cells: list[Any] = [maker, int(own.sum())]
        for number in range(len(GRADES)):
            cells += [_mean(rooms[own, number]), float(judged.rule[own, number].mean())]
        rows.append(cells)
    columns = ["made by", "rooms"]
    for name in GRADES:
        columns += [name, f"{name}, by rule"]
    return Table("Grades by who made the rooms", columns, rows, "Means over rooms, 0 to 10.")


def _calibration(judged: Judged) -> Table:
    rooms, spread, rows = _of_room(judged), _between_calls(judged), []
    for number, name in enumerate(GRADES):
        mine, rule = rooms[:, number], judged.rule[:, number]
        known = np.isfinite(mine)
        rows.append(
            [
                name,
                _mean(mine),
                float(rule.mean()),
                _mean(mine - rule, least=-10.0),
                _correlation(mine[known], rule[known]),
                None if np.isnan(spread[number]) else float(spread[number]),
            ]
        )
    columns = (
        "grade", "judge", "rule", "judge − rule", "rank correlation", "deviation between calls",
    )  # fmt: skip
    note = "The rule's grades are no truth: where the two part, look at the rooms."
    return Table("Judge and rule", columns, rows, note)


def _correlation(one: Floats, two: Floats) -> float | None:
    if len(one) < 3 or np.ptp(one) == 0 or np.ptp(two) == 0:
        return None
    return float(spearman(one, two))


def _plot(judged: Judged) -> Plot:
    rooms = _of_room(judged)
    lines = {
        name: [
            Point(float(rule), float(mine))
            for rule, mine in sorted(
                zip(judged.rule[:, number], rooms[:, number], strict=True), key=lambda it: it[0]
            )
            if np.isfinite(mine)
        ]
        for number, name in enumerate(GRADES)
    }
    return Plot("The judge's grades over the rule's", "by rule", "by the judge", lines, dots=True)


def _sentences(judged: Judged) -> list[str]:
    rooms, spread = _of_room(judged), _between_calls(judged)
    answered = Rate.of(np.isfinite(judged.judge).all(axis=-1).ravel().tolist())
    said = [f"It answered {answered.said} of the calls."]
    above = rooms - judged.rule
    if np.isfinite(above).any():
        said.append(
            f"On average it gives {np.nanmean(above):+.2f} against the rule, and its grades of one "
            f"room deviate by {np.nanmean(spread):.2f}."
            if np.isfinite(spread).any()
            else f"On average it gives {np.nanmean(above):+.2f} against the rule."
        )
    return said
