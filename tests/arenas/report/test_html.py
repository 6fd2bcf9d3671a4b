from __future__ import annotations

import re
import time
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from gymposium.arenas.ratings.leaderboard import Leaderboard, leaderboard
from gymposium.arenas.report import render_report, write_report
from gymposium.arenas.rows import MatchRow, SeatRow
from gymposium.errors import StoreError

MakeRows = Callable[..., list[MatchRow]]
EVIL = "<script>alert('x')</script><img src=x onerror=alert(1)>\"'></td></style>{{ 7*7 }}"
VOID = {"meta", "circle", "line", "img", "br", "wbr"}
INFO = {
    "scenario": {"name": "duels", "title": "Duels", "description": "Two at a time."},
    "seed": 3,
    "version": "0.1.0",
    "commit": "abc123",
    "machine": "a small one",
    "agents": {"alice": {"spec": "scripted:alice", "deterministic": True}},
}


class Page(HTMLParser):
    """What a browser would see: tags, attributes, text; complains about unbalanced tags."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] != "style":
            self.text += data


def record(words: str = "hello", steps: int = 2) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = [
        {"kind": "match", "cell": "duel", "seed": 5, "seating": {"seat_0": words}}
    ]
    for number in range(steps):
        shown = {"observation": {"$array": ["<i8", [2], [4, 2]]}, "reward": 0.0, "text": words}
        answer = {
            "action": {"say": words},
            "text": words,
            "thought": words,
            "calls": [{"completion": words}],
            "fault": words,
            "errors": [{"kind": "illegal", "error": words}],
        }
        lines.append(
            {
                "kind": "step",
                "step": number,
                "turns": {"seat_0": shown},
                "replies": {"seat_0": answer},
            }
        )
    outcome = {"returns": {"seat_0": 1.5}, "reason": words}
    return [*lines, {"kind": "outcome", "outcome": outcome}]


def render(rows: list[MatchRow], transcripts: Any = (), info: Any = INFO) -> str:
    return render_report(info, leaderboard(rows, bootstrap=20), rows, transcripts)


def test_the_page_says_what_was_run_and_what_came_out(make_rows: MakeRows) -> None:
    text = Page(render(make_rows(), record())).text
    for words in (
        "Duels", "Two at a time.", "abc123", "a small one", "0.1.0", "scripted:alice",
        "alice", "bob", "carol", "Leaderboard", "Could it play", "Head to head", "Seat effects",
        "Returns by cell", "welfare", "Prompt tokens", "illegal", "hello", "seed 5", "95 %",
    ):  # fmt: skip
        assert words in text, words


def test_what_a_model_says_is_inert_wherever_it_stands(make_rows: MakeRows) -> None:
    rows = make_rows((EVIL, "bob", "carol" + EVIL), cells=(EVIL,))
    rows = [
        MatchRow(
            row.key, EVIL, row.kind, row.cell, row.seed, row.block,
            tuple(
                SeatRow(EVIL + s.seat, s.agent, s.role, None, s.return_, {EVIL: 1}, 5)
                for s in row.seats
            ),
            {EVIL: 1.0}, EVIL,
        )
        for row in rows
    ]  # fmt: skip
    info = {
        "scenario": {"title": EVIL, "description": EVIL, EVIL: EVIL},
        "agents": {EVIL: {"spec": EVIL}},
        "machine": EVIL,
        EVIL: EVIL,
    }
    clean = Page(render(make_rows(), record(), INFO))
    page = Page(render(rows, record(EVIL), info))
    assert not {"script", "img", "iframe", "object", "embed", "link", "base"} & set(page.tags)
    assert set(page.tags) <= set(clean.tags) | {"wbr"}
    assert [name for _, name, _ in page.attributes if name.startswith("on")] == []
    assert "alert('x')" in page.text
    assert page.text.count("{{ 7*7 }}") > 3


def test_nothing_is_fetched(make_rows: MakeRows) -> None:
    text = render(make_rows(), record())
    page = Page(text)
    fetching = {"src", "href", "srcset", "action", "xlink:href", "data", "poster"}
    assert [found for found in page.attributes if found[1] in fetching] == []
    assert not re.search(r"https?:|url\(|@import|//[a-z]", text)
    assert "default-src 'none'" in text


def test_equal_input_gives_equal_bytes(make_rows: MakeRows, tmp_path: Path) -> None:
    rows = make_rows()
    board = leaderboard(rows, bootstrap=20)
    one = write_report(INFO, board, rows, record(), tmp_path / "one.html")
    two = write_report(INFO, board, rows[::-1], [record()], tmp_path / "two.html")
    assert one.read_bytes() == two.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.html", "two.html"]


def test_a_hundred_thousand_matches_and_endless_talk_stay_small(
    make_rows: MakeRows, tmp_path: Path
) -> None:
    names = [f"agent_{n:03}_{'<' * 200}" for n in range(300)]
    cells = [f"cell {n}" for n in range(50)]
    seat = [[SeatRow(s, a, "focal", None, float(n % 7)) for s in "ab"] for n, a in enumerate(names)]
    rows = [
        MatchRow(
            "", "w", "zero_sum", cells[n % 50], n, n % 9,
            (seat[n % 300][0], seat[(n * 7 + 1) % 300][1]), {f"m{n % 100}": 1.0},
        )
        for n in range(100_000)
    ]  # fmt: skip
    talk = [record("<&\"'" * 50_000, steps=400) for _ in range(40)]
    board = leaderboard(rows, bootstrap=5)
    began = time.perf_counter()
    path = write_report(INFO, board, rows, talk, tmp_path / "report.html")
    assert time.perf_counter() - began < 20
    assert path.stat().st_size < 5_000_000
    text = Page(path.read_text("utf-8")).text
    assert "100 more agents are not shown" in text
    assert "20 more cells are not shown" in text
    assert "more steps are not shown" in text
    assert "more characters" in text


def test_control_characters_and_surrogates_are_replaced(make_rows: MakeRows) -> None:
    text = render(make_rows(), record("a\x00b\u202ec\ud800d\x1b[31m"))
    assert not re.search("[\x00\u202e\ud800\x1b]", text)
    assert "a�b�c�d�[31m" in text


@pytest.mark.parametrize(
    "strange",
    [
        [{"kind": "step"}],
        [{"kind": "match", "seating": None}, {"kind": "step", "turns": 3, "replies": []}],
        [{"kind": "step", "turns": {"a": None}, "replies": {"b": {"errors": "x", "text": 3}}}],
        [{"kind": "outcome", "outcome": {"returns": {"a": {"$float": "nan"}}, "reason": None}}],
        [[]],
        [{}],
    ],
)
def test_half_written_records_are_told_as_far_as_they_go(
    make_rows: MakeRows, strange: list[Any]
) -> None:
    Page(render(make_rows(), strange))


def test_wire_tags_are_not_shown_to_readers(make_rows: MakeRows) -> None:
    lines = record()
    del lines[1]["turns"]["seat_0"]["text"]
    text = Page(render(make_rows(), lines)).text
    assert "[4, 2]" in text
    assert "$array" not in text


def test_an_empty_run_has_a_page_too() -> None:
    text = Page(render_report({}, leaderboard([]), [], [])).text
    assert "Nobody was rated." in text
    assert "Nothing was compared" in text


def test_one_seed_block_shows_no_interval_and_says_why(make_rows: MakeRows) -> None:
    text = render(make_rows(blocks=1))
    assert "one seed block" in text
    assert 'class="band"' not in text
    assert 'class="open"' in text
    assert "No difference between the 3 agents is established." in text


def test_background_and_judges_are_listed_by_role_but_not_ranked(make_rows: MakeRows) -> None:
    rows = [
        MatchRow(
            str(seed), "w", "mixed", "c", seed, seed,
            (
                SeatRow("a", agent, "focal", None, value, turns=1),
                SeatRow("b", "resident", "background", None, 0.0, turns=1),
                SeatRow("c", "referee", "judge", None, 0.0, llm_calls=1),
            ),
        )
        for seed in range(3) for agent, value in (("alice", 1.0), ("bob", 0.0))
    ]  # fmt: skip
    page = render(rows)
    board, play = page.split("Could it play</h2>")
    assert "resident" not in board.split("Leaderboard</h2>")[1]
    assert "resident" in play.split("</section>")[0]
    assert "referee" not in play.split("</section>")[0]
    assert "referee" in play


def test_a_folder_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be written"):
        write_report({}, Leaderboard([]), [], [], tmp_path / "nowhere" / "report.html")
