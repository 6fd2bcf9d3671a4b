"""What agents are good and bad at: normalised returns by tag, as a table for the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..ratings.breakdown import bounds_of, by_tag
from ..ratings.leaderboard import Leaderboard
from ..ratings.metrics import Mean, normalised_returns
from ..rows import MatchRow

AGENTS, TAGS = 30, 24


@dataclass(frozen=True, slots=True)
class Profile:
    """Marks of all agents under all tags.

    Attributes:
        agents: names, best overall first.
        columns: ``all`` and the tags and gaps.
        marks: agent -> column -> its mark.
    """

    agents: Sequence[str]
    columns: Sequence[str]
    marks: dict[str, dict[str, Mean]]


def profile(scenario: Any, rows: Sequence[MatchRow], board: Leaderboard) -> Profile | None:
    """The table, or None where no cell has a scale.

    Args:
        scenario: as plain data, or just its name.
        rows: finished matches.
        board: whose replicas and confidence the intervals have.
    """
    settings = {"bootstrap": board.replicas, "confidence": board.confidence}
    overall = [
        mean
        for mean in normalised_returns(rows, bounds_of(scenario), **settings)  # type: ignore[arg-type]
        if mean.cell is None
    ]
    if not overall:
        return None
    overall.sort(key=lambda mean: (-mean.value, mean.subject))
    marks = {mean.subject: {"all": mean} for mean in overall[:AGENTS]}
    columns = ["all"]
    for mean in by_tag(rows, scenario, **settings):  # type: ignore[arg-type]
        column = str(mean.cell)
        if column not in columns and len(columns) <= TAGS:
            columns.append(column)
        if mean.subject in marks and column in columns:
            marks[mean.subject][column] = mean
    return Profile(list(marks), columns, marks)
