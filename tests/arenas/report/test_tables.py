from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from rich.console import Console

from gymposium.arenas.ratings.leaderboard import leaderboard
from gymposium.arenas.report import leaderboard_table
from gymposium.arenas.rows import MatchRow, SeatRow

MakeRows = Callable[..., list[MatchRow]]


def show(rows: list[MatchRow], *, width: int = 120, limit: int = 100) -> str:
    console = Console(file=io.StringIO(), width=width)
    console.print(leaderboard_table(leaderboard(rows, bootstrap=20), limit=limit))
    written = console.file
    assert isinstance(written, io.StringIO)
    return written.getvalue()


def test_the_table_has_rating_interval_score_faults_and_cost(make_rows: MakeRows) -> None:
    text = show(make_rows(blocks=8))
    for words in ("rank", "agent", "rating", "score", "faults", "calls", "tokens", "answers"):
        assert words in text
    bob = next(line for line in text.splitlines() if " bob " in line)
    # 32 seats of 5 turns with one fault, 6 calls, 1050 tokens, 3 of 4 answers its own.
    for words in ("32 (20%)", "192", "33.6k", "75%", "…"):
        assert words in bob, words


def test_without_language_models_their_columns_are_left_out() -> None:
    rows = [
        MatchRow(
            str(n), "w", "zero_sum", "c", n, n,
            (SeatRow("x", "a", "focal", None, 1.0), SeatRow("y", "b", "focal", None, -1.0)),
        )
        for n in range(3)
    ]  # fmt: skip
    assert "tokens" not in show(rows)


@pytest.mark.parametrize("width", [60, 80, 200])
def test_figures_are_whole_and_lines_fit(make_rows: MakeRows, width: int) -> None:
    text = show(make_rows(("a_rather_long_agent_name", "bob", "carol")), width=width)
    assert max(map(len, text.splitlines())) <= width


def test_names_are_shown_literally(make_rows: MakeRows) -> None:
    assert "[red]x[/red]" in show(make_rows(("[red]x[/red]", "b", "\x1b[31mred")))
    assert "\x1b" not in show(make_rows(("[red]x[/red]", "b", "\x1b[31mred")))


def test_a_long_board_says_how_much_is_missing(make_rows: MakeRows) -> None:
    text = show(make_rows([f"agent{n}" for n in range(8)]), limit=5)
    assert "3 more agents are not shown." in text
