"""What claims about audits of values, and about moving values, measure.

Each function takes ``(params, seed, scale)`` and returns measures. Respondents' tastes, outcomes,
lotteries and citizens are drawn anew for every seed. :func:`linear_control` is the small
reproduction of utility control after Mazeika et al. (Utility Engineering, 2025).
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...agents.scripted.respondents import Values
from ...envs.preferences.outcome import outcomes
from ..ratings.pair_counts import Floats, Ints
from .findings import Findings, Span
from .rates import Rate
from .studies import Bench

_FEATURES, _OUTCOMES, _BIASED = 12, 200, 0
_NEVER = 1e-6


def audited(params: Mapping[str, Any], seed: int, scale: str) -> Mapping[str, float]:
    """An agent put through ``gymposium audit values``, and the truth about it where it is known.

    ``params``: ``agent`` (a spec; ``{seed}`` in it becomes the seed), and parameters of the study.
    """
    from ...agents.registry import resolve
    from .values import ValueAudit
    from .values_findings import coherent, findings

    given = dict(params)
    agent = str(given.pop("agent")).replace("{seed}", str(seed))
    study = ValueAudit(**{"draw": seed, "together": 100_000, **given})
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(resolve(agent), seed, Path(folder))
        valued = study.valued(bench)
        found = findings(valued, study, bench)
    made = _told(found) | {"coherent": float(coherent(valued))}
    if "known_values" in agent:
        worth = [it.worth for it in outcomes("base", size=study.size, seed=seed)]
        values = Values(taste=seed)
        truth = [values.base(at, it) for at, it in enumerate(worth)]
        level = valued.main.scale.values[: study.size]
        made["recovered"] = float(np.corrcoef(level, truth)[0, 1])
    return made


def _told(found: Findings) -> dict[str, float]:
    """The figures of a findings' tables by short names."""
    rows = {str(row[0]): row[1] for table in found.tables for row in table.rows}
    names = {
        "held-out accuracy": "accuracy",
        "held-out log loss": "log loss",
        "confidence": "confidence",
        "circles, by majority": "hard circles",
        "circles, as chances": "soft circles",
        "held-out pairs decided, orders pooled": "decided",
        "what stands first is preferred": "first preferred",
        "the same wins in both orders": "same winner",
        "correlation with what is expected": "lotteries",
        "dollars for one of meals": "dollars a meal",
        "distance: mean of |P − its share|": "distance",
    }
    made = {short: _number(rows[name]) for name, short in names.items() if name in rows}
    for table in found.tables:
        if table.title.startswith("Discounting") and len(table.rows) == 2:
            (_, _, one), (_, _, two) = table.rows
            made["hyperbolic less exponential"] = one - two
        if table.title.startswith("Means") and table.rows:
            made["stories"] = float(np.mean([row[1] for row in table.rows]))
            made["stories turned round"] = float(np.mean([row[2] for row in table.rows]))
    for plot in found.plots:
        if plot.title == "Does the scale predict?":
            dots = plot.lines["held-out pairs"]
            made["miscalibration"] = float(np.mean([abs(it.x - it.y) for it in dots]))
    return made


def _number(cell: Any) -> float:
    if isinstance(cell, Span):
        return cell.value
    if isinstance(cell, Rate):
        return float("nan") if cell.share is None else cell.share
    return float("nan") if cell is None else float(cell)


def linear_control(params: Mapping[str, Any], seed: int, scale: str) -> Mapping[str, float]:
    """A linear respondent, biased on one feature, trained on an assembly's shares.

    ``params``: perhaps ``questions``. Measures: agreement with the assembly's majority on pairs of
    outcomes never trained on, and the biased feature's share of all weight: ``before``, ``after``,
    and after training on ``shuffled`` shares.
    """
    rng = np.random.default_rng([2502, seed])
    feature = rng.normal(size=(_OUTCOMES, _FEATURES))
    shared = rng.normal(size=_FEATURES)
    citizens = shared + 0.7 * rng.normal(size=(6, _FEATURES))
    start = shared.copy()
    start[_BIASED] = 3.0 * np.abs(shared).max() * rng.choice([-1.0, 1.0])
    half = _OUTCOMES // 2
    asked = _pairs(half, int(params.get("questions", 1500)), rng)
    gaps = feature[asked[:, 0]] - feature[asked[:, 1]]
    votes = rng.random((6, len(asked))) < _logistic(citizens @ gaps.T)
    shares = votes.mean(axis=0)
    test = half + _pairs(half, 2000, rng)
    unseen = feature[test[:, 0]] - feature[test[:, 1]]
    truth = _logistic(citizens @ unseen.T).mean(axis=0)
    found = {}
    trained = {
        "before": start,
        "after": _trained(start, gaps, shares),
        "shuffled": _trained(start, gaps, rng.permutation(shares)),
    }
    for name, weights in trained.items():
        chosen = _logistic(unseen @ weights)
        found[f"{name} majority"] = float(((chosen > 0.5) == (truth > 0.5)).mean())
        found[f"{name} distance"] = float(np.abs(chosen - truth).mean())
        found[f"{name} bias"] = float(abs(weights[_BIASED]) / np.abs(weights).sum())
    return found


def _trained(start: Floats, gaps: Floats, shares: Floats) -> Floats:
    """Weights after soft-label training from ``start``."""
    from scipy.optimize import minimize

    def loss(weights: Floats) -> tuple[float, Floats]:
        ahead = gaps @ weights
        value = np.logaddexp(0, ahead) - shares * ahead
        return float(value.mean()), gaps.T @ (_logistic(ahead) - shares) / len(shares)

    return np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B").x)


def _pairs(items: int, number: int, rng: np.random.Generator) -> Ints:
    one = rng.integers(0, items, number)
    return np.stack([one, (one + rng.integers(1, items, number)) % items], axis=1)


def _logistic(ahead: Floats) -> Floats:
    return np.asarray(np.clip(0.5 * (1.0 + np.tanh(0.5 * ahead)), _NEVER, 1 - _NEVER))
