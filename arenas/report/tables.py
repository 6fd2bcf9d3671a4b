"""The leaderboard as a table for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ratings.leaderboard import Leaderboard, LeaderRow
from ..ratings.registry import RATINGS
from .figures import UNKNOWN, between, count, dollars, figure, fixed, name, share, short

if TYPE_CHECKING:
    from rich.table import Table


def leaderboard_table(board: Leaderboard, *, title: str = "Leaderboard", limit: int = 100) -> Table:
    """Rank, rating and score with intervals; faults and cost beside them.

    Args:
        board: from :func:`gymposium.arenas.ratings.leaderboard.leaderboard`.
        title: above the table.
        limit: rows shown; the caption says how many are not.

    Returns:
        A table to hand to a rich console; names are shown literally, without markup.
    """
    from rich.box import SIMPLE_HEAD
    from rich.markup import escape
    from rich.table import Table
    from rich.text import Text

    level = f"{100 * board.confidence:g} %"
    hidden = len(board.rows) - limit
    caption = (
        f"[…] are {level} intervals; an agent ranks behind those whose whole interval lies above "
        "its own."
    )
    if hidden > 0:
        caption = f"{hidden:,} more agents are not shown. {caption}"
    table = Table(title=escape(title), caption=Text(caption), box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("rank", justify="right")
    # A name is never cut: it is what a reader types next.
    table.add_column("agent", overflow="fold", min_width=12)
    models = any(row.llm_calls or row.parsed_share is not None for row in board.rows)
    # Where the rating is itself a mass, one column says it.
    masses = any(row.mass is not None and row.mass != row.rating for row in board.rows)
    headings = ["rating", *(["mass"] if masses else []), "score", "faults"]
    cached = any(row.cached_calls for row in board.rows)
    if models:
        headings += ["LLM\ncalls", "LLM\ntokens", *(["from\ncache"] if cached else [])]
        headings += ["money", "own\nanswers"]
    decimals = RATINGS[board.rating].decimals
    lines = [
        _cells(row, decimals, models=models, mass=masses, cached=cached)
        for row in board.rows[:limit]
    ]
    for number, heading in enumerate(headings, start=2):
        # Where the terminal is narrow, cells break at spaces and never inside a figure.
        widest = max((len(word) for line in lines for word in line[number].split()), default=1)
        table.add_column(heading, justify="right", min_width=widest)
    for line in lines:
        table.add_row(*(Text(cell) for cell in line))
    return table


def _cells(row: LeaderRow, decimals: int, *, models: bool, mass: bool, cached: bool) -> list[str]:
    faults = sum(row.faults.values())
    cells = [
        str(row.rank) if row.connected else "–",
        name(row.agent),
        _with_interval(fixed(row.rating, decimals), between(row.low, row.high, decimals)),
        *([_with_interval(fixed(row.mass, 3), between(row.mass_low, row.mass_high, 3))] * mass),
        _with_interval(figure(row.score), between(row.score_low, row.score_high)),
        f"{faults:,} ({_tight(share(row.fault_rate))})" if faults else "0",
    ]
    if models:
        tokens = row.prompt_tokens + row.completion_tokens
        cells += [count(row.llm_calls), short(tokens)]
        cells += [count(row.cached_calls)] if cached else []
        asked = row.llm_calls or row.cached_calls or row.parsed_share is not None
        cells += [dollars(row.money) if asked else UNKNOWN, _tight(share(row.parsed_share))]
    return cells


def _with_interval(value: str, interval: str) -> str:
    # In a narrow terminal the line breaks between the two, and nowhere else.
    return f"{value} {interval.replace(', ', '…')}"


def _tight(text: str) -> str:
    return text.replace(" ", "")
