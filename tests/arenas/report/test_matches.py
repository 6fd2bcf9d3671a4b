"""What the report tells of matches: which are shown, in whose words, why agents failed."""

from __future__ import annotations

import re
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
import zstandard

import gymposium
from gymposium.arenas.ratings.leaderboard import leaderboard
from gymposium.arenas.report import render_report
from gymposium.arenas.report.labels import Labels
from gymposium.arenas.report.matrix import matrix
from gymposium.arenas.report.reasons import reasons
from gymposium.arenas.report.transcripts import worth_showing
from gymposium.arenas.rows import MatchRow, SeatRow

MakeRows = Callable[..., list[MatchRow]]


class Forgetful:
    """Raises in every second match's second step."""

    def reset(self, seat: Any, seed: int) -> None:
        self._odd = seed % 2

    def act(self, turn: Any) -> int:
        if self._odd and turn.step == 1:
            raise ValueError("<b>lost</b> the thread")
        return 0


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> gymposium.Run:
    scenario = {"name": "pd", "world": "iterated_matrix-v0", "params": {"rounds": 3}}
    return gymposium.run(
        gymposium.load_scenario({**scenario, "schedule": {"repeats": 4}}),
        ["scripted:tit_for_tat", "scripted:always_defect", Forgetful],
        out=tmp_path_factory.mktemp("runs") / "run",
        trusted=True,
    )


def test_a_faulted_match_is_shown_first_and_then_agents_not_seen_yet(run: gymposium.Run) -> None:
    shown = worth_showing(run.rows, 3)
    assert sum(shown[0].seats[0].faults.values()) > 0
    assert {seat.agent for row in shown for seat in row.seats} == {
        "Forgetful", "scripted:tit_for_tat", "scripted:always_defect",
    }  # fmt: skip
    assert len({row.key for row in worth_showing(run.rows, 1000)}) == len(run.rows)
    assert worth_showing([], 6) == []
    assert worth_showing(run.rows, 0) == []


def test_the_page_speaks_the_worlds_words_and_says_why_an_agent_failed(run: gymposium.Run) -> None:
    page = run.report().read_text("utf-8")
    assert '<pre class="">defect</pre>' in page
    assert "Round 1 of 3." in page  # bots are not shown words, readers are
    assert "&lt;b&gt;lost&lt;/b&gt; the thread" in page
    assert "<b>lost</b>" not in page
    assert "faults)" in page
    why = page.split("Could it play</h2>")[1].split("</section>")[0]
    assert "<b>error</b>: ValueError: &lt;b&gt;lost" in why


def test_a_lost_record_takes_neither_page_nor_reasons_away(
    run: gymposium.Run, tmp_path: Path
) -> None:
    def lost(key: str) -> Any:
        raise gymposium.StoreError("gone")

    assert reasons(run.rows, lost) == {}
    for file in run.path.glob("transcripts/*/*.zst"):
        file.rename(file.with_suffix(".away"))
    try:
        page = run.report().read_text("utf-8")
    finally:
        for file in run.path.glob("transcripts/*/*.away"):
            file.rename(file.with_suffix(".zst"))
    assert "Leaderboard" in page
    assert "A few matches" not in page


def test_a_world_that_is_gone_leaves_data_as_they_are() -> None:
    lines = [
        {"kind": "match", "world": "not_there-v0", "params": {}},
        {"kind": "step", "turns": {"a": {"observation": 3}}, "replies": {"a": {"action": 1}}},
    ]
    assert list(Labels().of(lines)) == lines


def test_a_world_that_no_longer_understands_its_record_leaves_data_too() -> None:
    lines = [
        {"kind": "match", "world": "iterated_matrix-v0", "params": {}},
        {"kind": "step", "turns": {"a": {"observation": "?"}}, "replies": {"a": {"action": "?"}}},
    ]
    step = list(Labels().of(lines))[1]
    assert step["turns"]["a"]["text"] is None
    assert step["replies"]["a"]["words"] is None


def test_a_run_of_a_hundred_megabytes_opens_in_little_memory(run: gymposium.Run) -> None:
    key = run.rows[0].key
    header = run.transcript(key)[0]
    seats = list(header["seating"])
    step = {"kind": "step", "turns": {s: {"observation": 0, "text": "x" * 2_000} for s in seats}}
    huge = {"kind": "step", "turns": {seats[0]: {"observation": "y" * 40_000_000}}}
    file = next(run.path.glob(f"transcripts/*/{key}.jsonl.zst"))
    kept = file.read_bytes()
    with zstandard.open(file, "wb") as out:
        out.write(orjson.dumps(header) + b"\n")
        for number in range(15_000):
            out.write(orjson.dumps({**step, "step": number}) + b"\n")
        out.write(orjson.dumps(huge) + b"\n")
        out.write(orjson.dumps({"kind": "outcome", "outcome": {"reason": "at last"}}) + b"\n")
    del huge
    tracemalloc.start()
    try:
        (told,) = list(render_told(run, key))
        size = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        file.write_bytes(kept)
    assert told.reason == "at last"
    assert told.hidden == 15_001 - len(told.steps)
    assert size < 25_000_000


def render_told(run: gymposium.Run, key: str) -> Any:
    from gymposium.arenas.report.transcripts import tell

    return tell([Labels().of(run._skimmed(key))])


def test_the_matrix_shows_counts_and_intervals_from_both_sides(make_rows: MakeRows) -> None:
    board = leaderboard(make_rows(blocks=8))
    rows = dict(matrix(["alice", "bob"], board.pairs))
    mine, theirs = rows["alice"][1], rows["bob"][0]
    assert rows["alice"][0] is None
    assert mine.played == theirs.played == "16"
    assert int(mine.text) + int(theirs.text) == pytest.approx(100, abs=1)
    low, high = map(int, mine.interval.split("–"))
    assert 0 <= low <= int(mine.text) <= high <= 100
    assert theirs.interval == f"{100 - high}–{100 - low}"
    page = render_report({}, board, make_rows(blocks=8))
    assert "n = 16" in page
    assert "won" in mine.title


def test_a_doubtful_duel_is_not_coloured(make_rows: MakeRows) -> None:
    one = leaderboard(make_rows(blocks=1))
    for _, duels in matrix([row.agent for row in one.rows], one.pairs):
        assert not any(duel.sure for duel in duels if duel)
        assert all(duel.interval == "" for duel in duels if duel)


def test_measures_of_one_cell_are_not_repeated_as_their_own_average(make_rows: MakeRows) -> None:
    here, there = make_rows(cells=["here"]), make_rows(cells=["there"])
    only = [
        MatchRow(
            row.key, row.world, row.kind, row.cell, row.seed, row.block, row.seats, {"lone": 1.0}
        )
        for row in here
    ]
    page = render_report({}, leaderboard(only + there), only + there)
    measures = page.split("own measures</h2>")[1].split("</section>")[0]
    assert "average over cells" not in measures
    both = make_rows(cells=["here", "there"])
    page = render_report({}, leaderboard(both), both)
    assert "average over cells" in page


def test_normalised_returns_are_told_cell_by_cell_where_there_are_several(
    make_rows: MakeRows,
) -> None:
    def section(cells: list[str]) -> str:
        worlds = [{"name": it, "bounds": {"low": -1, "high": 1}} for it in cells]
        rows = make_rows(cells=cells)
        page = render_report({"scenario": {"worlds": worlds}}, leaderboard(rows), rows)
        return page.split("Normalised returns</h2>")[1].split("</section>")[0]

    several = section(["here", "the<re"])
    assert "Cell by cell" in several
    told = several.split("Cell by cell")[1]
    assert [told.count(f'<td class="name">{name}') for name in ("here", "the&lt;re")] == [1, 1]
    assert len(re.findall(r"<td>[01]\.\d\d <small>", told)) == 2 * 3
    assert "Cell by cell" not in section(["here"])
    many = section([f"cell {number}" for number in range(33)])
    assert "3 more cells are not shown" in many


def test_what_it_took_lists_bots_and_models(make_rows: MakeRows) -> None:
    rows = make_rows()
    bot = [
        MatchRow(
            "b" + row.key, row.world, row.kind, row.cell, row.seed, row.block,
            (SeatRow("seat_0", "bot", "focal", None, 0.0, turns=5, seconds=1.0), row.seats[1]),
        )
        for row in rows
    ]  # fmt: skip
    page = render_report({}, leaderboard(rows + bot), rows + bot)
    took = page.split("What it took</h2>")[1].split("</section>")[0]
    assert "bot" in took
    assert "262.5" in took or "263" in took  # (1,000 + 50) tokens for 4 of 5 turns


@pytest.mark.parametrize("rating", ["nash_averaging", "alpha_rank", "openskill", "elo"])
def test_every_rating_has_a_page_in_its_own_unit(make_rows: MakeRows, rating: str) -> None:
    board = leaderboard(make_rows(), rating=rating)
    page = render_report({}, board, make_rows())
    assert f"Rated by {rating}" in page
    assert ("<th>Mass</th>" in page) == (rating == "nash_averaging")
    assert "400 are odds" in page if rating == "elo" else "400 are odds" not in page
