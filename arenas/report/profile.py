"""What agents are good and bad at: normalised returns by tag and by cell, a table for the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..ratings.breakdown import bounds_of, by_tag
from ..ratings.leaderboard import Leaderboard
from ..ratings.metrics import Mean, normalised_returns
from ..rows import MatchRow

AGENTS, TAGS, CELLS = 30, 24, 30


@dataclass(frozen=True, slots=True)
class Profile:
    """Marks of all agents under all tags.

    Attributes:
        agents: names, best overall first.
        columns: ``all`` and the tags and gaps.
        marks: agent -> column -> its mark.
        cells: the first cells of several.
        by_cell: agent -> cell -> its mark.
        hidden: cells left out.
    """

    agents: Sequence[str]
    columns: Sequence[str]
    marks: dict[str, dict[str, Mean]]
    cells: Sequence[str]
    by_cell: dict[str, dict[str, Mean]]
    hidden: int


def profile(scenario: Any, rows: Sequence[MatchRow], board: Leaderboard) -> Profile | None:
    """The table, or None where no cell has a scale.

    Args:
        scenario: as plain data, or just its name.
        rows: finished matches.
        board: whose replicas and confidence the intervals have.
    """
    settings = {"bootstrap": board.replicas, "confidence": board.confidence}
    found = normalised_returns(rows, bounds_of(scenario), **settings)  # type: ignore[arg-type]
    overall = [mean for mean in found if mean.cell is None]
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
    each = [mean for mean in found if mean.cell is not None and mean.subject in marks]
    cells = list(dict.fromkeys(str(mean.cell) for mean in each))
    shown = cells[:CELLS] if len(cells) > 1 else []  # of a single cell "all" says it already
    by_cell: dict[str, dict[str, Mean]] = {agent: {} for agent in marks}
    for mean in each:
        by_cell[mean.subject][str(mean.cell)] = mean
    hidden = len(cells) - len(shown) if shown else 0
    return Profile(list(marks), columns, marks, shown, by_cell, hidden)
