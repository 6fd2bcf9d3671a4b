"""Normalised returns by what cells ask for: a profile of what an agent is good and bad at.

Cells of a scenario carry tags (``persuasion``, ``coordination``, ``held-out``, …). An agent's mark
under a tag is its mean normalised return over the cells that carry it, each cell counting once.
The tags of the Concordia Contest are where this comes from. Two pairs of tags are also compared:
how much better an agent does among its own kind than among strangers, and on the scenarios it could
be tuned on than on those it could not. Blocks hold every cell, so gaps are taken within blocks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..rows import MatchRow
from .metrics import Mean, Norm, Observed, means, scaled_returns

GAPS = (("resident", "visitor"), ("development", "held-out"))


def bounds_of(scenario: Any) -> dict[str, tuple[float, float]]:
    """The bounds that a scenario, as plain data, gives for its cells."""
    found = {it["name"]: it["bounds"] for it in _worlds(scenario) if it.get("bounds")}
    return {cell: (float(it["low"]), float(it["high"])) for cell, it in found.items()}


def by_tag(
    rows: Sequence[MatchRow],
    scenario: Any,
    *,
    norm: Norm = "bounds",
    bootstrap: int = 200,
    seed: int = 0,
    confidence: float = 0.95,
) -> list[Mean]:
    """Marks by tag, and gaps between pairs of tags.

    Args:
        rows: finished matches.
        scenario: as plain data; its cells' tags and bounds are read.
        norm: as for :func:`.metrics.scaled_returns`.
        bootstrap: replicas.
        seed: of the resampling.
        confidence: of the intervals.

    Returns:
        Per agent and tag a mean with the tag as ``cell``, in the order in which tags first occur;
        then per agent and gap one with ``resident - visitor`` and the like.
    """
    tags: dict[str, Sequence[str]] = {it["name"]: it.get("tags", ()) for it in _worlds(scenario)}
    marks: dict[tuple[str, int], dict[str, list[float]]] = {}
    for agent, cell, block, value in scaled_returns(rows, bounds_of(scenario), norm):
        marks.setdefault((agent, block), {}).setdefault(cell, []).append(value)
    order = list(dict.fromkeys(tag for carried in tags.values() for tag in carried))
    observed: list[Observed] = []
    gaps: list[Observed] = []
    for (agent, block), cells in marks.items():
        found = {
            tag: sum(mine) / len(mine)
            for tag in order
            if (mine := [_mean(cells[it]) for it in cells if tag in tags.get(it, ())])
        }
        observed += [(agent, tag, block, value) for tag, value in found.items()]
        gaps += [
            (agent, f"{one} - {other}", block, found[one] - found[other])
            for one, other in GAPS
            if one in found and other in found
        ]
    made = [
        mean
        for part in (observed, gaps)
        if part
        for mean in means(part, bootstrap=bootstrap, seed=seed, confidence=confidence)
        if mean.cell is not None
    ]
    places = {name: at for at, name in enumerate((*order, *(f"{a} - {b}" for a, b in GAPS)))}
    return sorted(made, key=lambda mean: (places[str(mean.cell)], mean.subject))


def _worlds(scenario: Any) -> Sequence[Mapping[str, Any]]:
    """The world entries; a run's scenario may be no more than a name."""
    worlds = scenario.get("worlds", ()) if isinstance(scenario, Mapping) else ()
    return [it for it in worlds if isinstance(it, Mapping) and "name" in it]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
