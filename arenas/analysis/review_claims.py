"""What ``scenarios/claims/pairwise-peer-review.yaml`` measures, as study functions.

Each takes ``(params, seed, scale)`` and returns measures. The venue is the small reproduction of
Zhang et al. (NeurIPS 2025) in our notes (derived): manuscripts on topics, institutions of unequal
prestige, a judge whose liking is ``quality + 0.4 prestige - 0.4 novelty``, citations
``exp(1.6 + 0.9 quality + 0.35 prestige + 0.7 luck)``, and people who read quality with error 0.9.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...envs.societies.judging import gini, novelty, rated, spearman, standard
from ..judging.eliciting import Plan, elicit
from ..judging.selection import top
from ..ratings.pair_counts import Floats, Ints
from ..ratings.scale import fit_scale

RATE = 0.3
_TOPICS, _HOUSES, _DIMENSIONS = 20, 40, 8


class Venue(NamedTuple):
    """One year of manuscripts, ``[n]`` each."""

    quality: Floats
    liking: Floats
    citations: Floats
    novelty: Floats
    house: Ints


def venue(size: int, rng: np.random.Generator) -> Venue:
    """Manuscripts and what becomes of them."""
    quality = rng.normal(size=size)
    centres = rng.normal(size=(_TOPICS, _DIMENSIONS))
    spread = rng.gamma(2.0, 0.35, size)
    place = centres[rng.integers(0, _TOPICS, size)]
    unlike = novelty(place + spread[:, None] * rng.normal(size=(size, _DIMENSIONS)))
    weight = np.arange(1, _HOUSES + 1) ** -0.9
    house = rng.choice(_HOUSES, size, p=weight / weight.sum())
    prestige = standard(np.log(weight))[house]
    cited = np.exp(1.6 + 0.9 * quality + 0.35 * prestige + 0.7 * rng.normal(size=size))
    liking = quality + 0.4 * prestige - 0.4 * unlike
    return Venue(quality, liking, cited, np.asarray(unlike), house)


def mechanisms(params: Mapping[str, Any], seed: int, scale: str) -> Mapping[str, float]:
    """What pairs, marks, people and chance accept of one venue.

    ``params``: ``each`` (comparisons for each manuscript), perhaps ``size``, ``schedule``,
    ``noise`` (of comparisons: 1 is the logistic error of the notes), ``mark_noise`` (of a mark),
    ``marks`` (for each manuscript; three, or ``each`` for as many judgements as comparisons).
    """
    rng = np.random.default_rng([2025, seed])
    size = int(params.get("size", 300))
    year = venue(size, rng)
    budget, noise = int(params["each"] * size), float(params.get("noise", 1.0))

    def ask(pairs: Ints) -> Floats:
        ahead = (year.liking[pairs[:, 0]] - year.liking[pairs[:, 1]]) / noise
        won = rng.random(len(pairs)) < 0.5 * (1 + np.tanh(0.5 * ahead))
        return np.asarray(won, dtype=np.float64)

    schedule = str(params.get("schedule", "random"))
    made = elicit(Plan(size, budget, schedule, orders="one", seed=seed), ask)
    marks = max(1, round(params["each"] if params.get("marks") == "each" else 3))
    error = float(params.get("mark_noise", 1.2)) * rng.normal(size=(marks, size))
    mean = rated(year.liking + error).mean(axis=0)
    scores = {
        "pairs": fit_scale(made.counts(), prior=0.1).values,
        "marks": np.round(mean) if params.get("marks") != "each" else mean,
        "people": year.quality + 0.9 * rng.normal(size=size),
        "chance": rng.random(size),
    }
    found = {}
    for name, score in scores.items():
        accepted = top(score + 1e-9 * rng.random(size), round(RATE * size))
        found[f"{name} citations"] = float(year.citations[accepted].mean())
        found[f"{name} log citations"] = float(np.log1p(year.citations[accepted]).mean())
        found[f"{name} gini"] = gini(np.bincount(year.house[accepted], minlength=_HOUSES))
        found[f"{name} novelty"] = float(year.novelty[accepted].mean())
        found[f"{name} spearman"] = spearman(score, year.liking)
    return found


def schedules(params: Mapping[str, Any], seed: int, scale: str) -> Mapping[str, float]:
    """The rank correlation with the judge's liking, by schedule of pairs, for one budget.

    ``params``: ``each``, perhaps ``size``.
    """
    names = ("random", "balanced", "swiss", "active")
    return {
        name: mechanisms({**params, "schedule": name}, seed, scale)["pairs spearman"]
        for name in names
    }


def conference(params: Mapping[str, Any], seed: int, scale: str) -> Mapping[str, float]:
    """A whole match of ``conference-v0`` with cheap reviewers only: its metrics.

    ``params``: of the world; the seat judges by what it reads.
    """
    from ..run import run

    with tempfile.TemporaryDirectory() as folder:
        played = run(
            _scenario("conference-v0", {"seats": 1, **params}, seed),
            ["scripted:honest_reviewer"],
            out=Path(folder) / "run",
        )
        return dict(played.rows[0].metrics)


def reviewer(params: Mapping[str, Any], seed: int, scale: str) -> Mapping[str, float]:
    """An agent put through ``gymposium audit review`` on generated manuscripts.

    ``params``: ``agent`` (a spec), and parameters of the study.
    """
    from .audit import audit

    given = dict(params)
    with tempfile.TemporaryDirectory() as folder:
        agent = str(given.pop("agent"))
        made = audit("review", [agent], given, seed=seed, out=Path(folder) / "audit")
    tables = {table.title: table.rows for table in made.findings[0].tables}
    order = {row[0]: row[1] for row in tables["The order of presentation"]}
    found = {
        "first preferred": _share(order["shown first is preferred"]),
        "same winner": _share(order["the same wins in both orders"]),
    }
    for row in tables["Pairs against marks, for as many judgements"]:
        if row[0] == "rank correlation with the truth":
            found |= {"pairs": row[1].value, "marks": row[2].value}
    for row in tables.get("An order to the reviewer in a manuscript", ()):
        found["rise " + ("quoted" if "quoted" in row[0] else "bare")] = row[1].value
    return found


def _share(rate: Any) -> float:
    return float("nan") if rate.share is None else float(rate.share)


def _scenario(world: str, params: Mapping[str, Any], seed: int) -> Any:
    from ...scenarios.load import load

    cell = {"id": world, "name": "venue", "params": dict(params)}
    schedule = {"kind": "self_play", "repeats": 1}
    return load({"name": "venue", "seed": seed, "worlds": [cell], "schedule": schedule})
