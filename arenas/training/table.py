"""The table a training run ends in: what each method's learners do at their end, with intervals.

A learner counts once, with its last evaluation; a method's figure is the mean over its seeds and
its interval comes from drawing seeds with replacement (:mod:`arenas.ratings.bootstrap`, stretched
for few seeds). All methods draw the same seeds together, since they learned on the same ones.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..ratings.bootstrap import block_weights, check_confidence, interval
from .curves import Row, read_rows
from .learner import EVALUATION

if TYPE_CHECKING:
    import pandas as pd

    from .run import TrainingRun

SHOWN = ("return", "min", "geomean", "gini")
"""Measures of the table, where they are known; the rest is in ``evaluations``."""


def table(run: TrainingRun, *, confidence: float, bootstrap: int) -> pd.DataFrame:
    """One row a method, in the scenario's order.

    Args:
        run: finished or not; a learner without an evaluation does not count.
        confidence: of the intervals.
        bootstrap: replicas.

    Returns:
        Columns ``method``, ``seeds``, ``steps`` (mean of the last evaluations), for each measure
        its mean, ``_low`` and ``_high`` (NaN with fewer than two seeds), and ``status``.

    Raises:
        UsageError: ``confidence`` or ``bootstrap`` make no sense.
    """
    import pandas as pd

    check_confidence(confidence, bootstrap)
    status = run.status()
    made = []
    for entry in run.scenario.methods:
        mine = {seed: path for (arm, seed), path in run.learners.items() if arm == entry.label}
        ends = {
            seed: found[-1]
            for seed, path in mine.items()
            if (found := read_rows(path / EVALUATION))
        }
        states = [status[entry.label, seed]["status"] for seed in mine]
        made.append(
            {
                "method": entry.label,
                "seeds": len(ends),
                "steps": float(np.mean([row["step"] for row in ends.values()])) if ends else 0.0,
                **_measures(ends, run, confidence, bootstrap),
                "status": _summary(states),
            }
        )
    return pd.DataFrame(made)


def _measures(
    ends: Mapping[int, Row], run: TrainingRun, confidence: float, bootstrap: int
) -> dict[str, float]:
    stop = run.scenario.stop
    names = dict.fromkeys([*SHOWN, *([stop.measure] if stop else [])])
    found: dict[str, float] = {}
    weights = block_weights(run.scenario.seeds, bootstrap, run.scenario.seed)
    for name in names:
        values = {seed: row[name] for seed, row in ends.items() if name in row}
        known = {seed: value for seed, value in values.items() if math.isfinite(value)}
        if not values:
            continue
        found[name] = float(np.mean(list(known.values()))) if known else math.nan
        low, high = _interval(known, weights, found[name], run, confidence)
        found[f"{name}_low"], found[f"{name}_high"] = low, high
    return found


def _interval(
    values: Mapping[int, float],
    weights: np.ndarray[Any, np.dtype[np.float64]],
    estimate: float,
    run: TrainingRun,
    confidence: float,
) -> tuple[float, float]:
    drawn = weights[:, [seed - run.scenario.seed for seed in values]]
    with np.errstate(invalid="ignore", divide="ignore"):
        replicas = drawn @ np.array(list(values.values())) / drawn.sum(axis=1)
    found = interval(estimate, replicas, blocks=len(values), confidence=confidence)
    return (math.nan, math.nan) if found is None else found


def _summary(states: list[str]) -> str:
    counts = {state: states.count(state) for state in dict.fromkeys(states)}
    if len(counts) == 1:
        return next(iter(counts))
    return ", ".join(f"{count} {state}" for state, count in counts.items())
