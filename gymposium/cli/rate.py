"""``gymposium rate``: other ratings of a run, from the matches that are stored."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from . import arguments
from .output import console, print_json, print_lines
from .resume import RUN, find_run

if TYPE_CHECKING:
    from gymposium.arenas.ratings.leaderboard import Leaderboard


def rate(
    run: Path = RUN,
    ratings: list[str] = typer.Option(
        [],
        "--rating",
        metavar="NAME",
        help="which rating, repeat for several (default: the scenario's); see `gymposium list "
        "ratings`",
        show_default=False,
    ),
    anchors: list[str] = typer.Option(
        [],
        "--anchor",
        metavar="AGENT=POINTS",
        help="give an agent's rating and let the others follow (bradley_terry, elo)",
        show_default=False,
    ),
    bootstrap: int = typer.Option(200, "--bootstrap", min=0, help="replicas behind the intervals"),
    confidence: float = typer.Option(0.95, "--confidence", help="of the intervals"),
    as_json: bool = arguments.JSON,
) -> None:
    """Rate a run's agents anew from its stored matches; nothing is played."""
    from gymposium.arenas.report.tables import leaderboard_table
    from gymposium.arenas.run import load

    stored = load(find_run(run))
    given = _given(anchors)
    wanted: list[str | None] = [*ratings] or [None]
    boards = [
        stored.leaderboard(name, anchors=given, bootstrap=bootstrap, confidence=confidence)
        for name in wanted
    ]
    if as_json:
        print_json([_plain(board) for board in boards])
        return
    for board in boards:
        print()
        console().print(leaderboard_table(board, title=board.rating))
        for note in board.notes:
            print_lines(f"note: {note}")


def _given(anchors: list[str]) -> dict[str, float]:
    """``AGENT=POINTS``; an agent's name may hold ``=``, points cannot."""
    from gymposium.errors import UsageError

    found: dict[str, float] = {}
    for text in anchors:
        agent, _, value = text.rpartition("=")
        try:
            found[agent] = float(value)
        except ValueError:
            agent = ""
        if not agent or not -1e9 < found[agent] < 1e9:
            raise UsageError(f"--anchor {text}: write AGENT=POINTS, such as random=1000")
    return found


def _plain(board: Leaderboard) -> dict[str, Any]:
    return {
        "rating": board.rating,
        "anchors": dict(board.anchors),
        "confidence": board.confidence,
        "blocks": board.blocks,
        "replicas": board.replicas,
        "rows": [asdict(row) for row in board.rows],
        "pairs": [asdict(pair) for pair in board.pairs],
        "notes": list(board.notes),
    }
