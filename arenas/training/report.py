"""The page a training run ends in: the table, the curves of both kinds, and what can be played."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gymposium.errors import StoreError

from ..report import figures
from ..report.learning import METRICS, Plot, plots, pooled
from ..report.templates import template
from .curves import Row, read_rows
from .learner import EVALUATION, PROGRESS

if TYPE_CHECKING:
    from .run import TrainingRun

_FIRST = ("return", "min", "geomean", "gini")
_POINTS = 200
"""Moments of a learner's own figures that are drawn."""


def write_training_report(run: TrainingRun, path: Path) -> Path:
    """Write the page; it needs nothing else and asks for nothing.

    Args:
        run: finished or not.
        path: the file, replaced in one step.

    Returns:
        ``path``.

    Raises:
        StoreError: the file cannot be written.
    """
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_text(render(run), encoding="utf-8", errors="replace", newline="\n")
        part.replace(path)
    except OSError as error:
        raise StoreError(f"the report {path} cannot be written ({error.strerror})") from error
    return path


def render(run: TrainingRun) -> str:
    """The page as text."""
    table = run.table()
    measures = [name for name in table.columns if f"{name}_low" in table.columns]
    scenario = run.scenario
    return template("training.html").render(
        title=figures.name(scenario.name),
        description=figures.plain(scenario.description, 800),
        tiles=[
            (figures.name(scenario.world), "world"),
            (figures.count(len(scenario.methods)), "methods"),
            (figures.count(scenario.seeds), "seeds"),
            (figures.short(scenario.budget.steps), "steps each"),
        ],
        matches=scenario.evaluation.matches,
        measures=measures,
        rows=[_row(row, measures) for row in table.to_dict("records")],
        parts=_parts(run),
        learners=_learners(run),
        settings=figures.plain(
            json.dumps(scenario.model_dump(mode="json", exclude_defaults=True), indent=2), 12_000
        ),
    )


def _row(row: Mapping[Any, Any], measures: Sequence[str]) -> dict[str, Any]:
    cells = [(row[name], row[f"{name}_low"], row[f"{name}_high"]) for name in measures]
    known = [tuple(None if value != value else value for value in cell) for cell in cells]
    return {**row, "cells": known}


def _learners(run: TrainingRun) -> list[dict[str, Any]]:
    status = run.status()
    return [
        {
            "method": arm,
            "seed": seed,
            **status[arm, seed],
            "why": figures.plain(status[arm, seed]["why"], 300),
            "spec": figures.plain(f"trained:{folder}", 300),
        }
        for (arm, seed), folder in run.learners.items()
    ]


def _parts(run: TrainingRun) -> list[tuple[str, str, list[Plot]]]:
    evaluation = _curves(run, EVALUATION)
    progress = _curves(run, PROGRESS)
    return [
        ("In evaluation matches", "Measures of the matches played at checkpoints.", evaluation),
        ("While learning", "What the methods measured themselves.", progress),
    ]


def _curves(run: TrainingRun, file: str) -> list[Plot]:
    """The plots of one kind of curve, the measures that matter most first."""
    arms: dict[str, list[list[Row]]] = {}
    for (arm, _), folder in run.learners.items():
        rows = _thinned(read_rows(folder / file))
        arms.setdefault(arm, []).append(
            [{key: value for key, value in row.items() if key != "seconds"} for row in rows]
        )
    points = pooled(arms)
    ranks = {name: place for place, name in enumerate(_FIRST)}
    names = sorted(
        {point.metric for point in points}, key=lambda name: (ranks.get(name, len(ranks)), name)
    )
    shown = {name: place for place, name in enumerate(names[:METRICS])}
    drawn = plots(point for point in points if point.metric in shown)
    return sorted(drawn, key=lambda plot: shown.get(plot.metric, 0))


def _thinned(rows: list[Row]) -> list[Row]:
    """Every so many rows, the last one kept: the same moments for seeds that go in step."""
    every = -(-len(rows) // _POINTS) if rows else 1
    return [row for place, row in enumerate(rows, 1) if place % every == 0 or place == len(rows)]
