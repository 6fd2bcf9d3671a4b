"""Progress: counts what is stored, and says it in lines where no bar can be drawn."""

import pytest

from gymposium.arenas.rows import MatchRow, SeatRow
from gymposium.cli import progress as module
from gymposium.cli.progress import Progress, clock


def row(faults=0):
    seat = SeatRow("p0", "a", "focal", None, 1.0, faults={"illegal": faults} if faults else {})
    return MatchRow("k", "w", "mixed", "c", 0, 0, (seat,))


def test_lines_come_seldom_and_hold_everything(capsys, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    shown = Progress(live=False)
    shown.start(10, 2)
    for step in range(1, 4):
        now[0] = 4.0 * step
        shown.match_done(row(faults=1))
        stats = {"turns": 1500, "llm_calls": 12, "prompt_tokens": 1000, "completion_tokens": 34}
        shown.tick({**stats, "stalled": ["m in p1", "m in p0"]})
    shown.message("stopping")
    shown.stop()
    shown.stop()
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "playing 8 matches (2 are done already)"
    assert lines[1] == (
        "4/10 matches, 0.2/s, 0:24 left, 1,500 turns, 12 LLM calls, 1,034 tokens, 2 faults, "
        "waiting for m in p1 and 1 more seat"
    )
    assert lines[2] == "stopping"
    assert lines[3].startswith("5/10 matches")
    assert len(lines) == 4


def test_a_later_batch_of_a_swiss_run_goes_on_counting(capsys):
    shown = Progress(live=False)
    shown.start(2, 0)
    shown.match_done(row())
    shown.match_done(row())
    shown.start(4, 2)
    shown.match_done(row())
    shown.stop()
    assert "3/4 matches" in capsys.readouterr().err.splitlines()[-1]


def test_a_bar_is_drawn_and_taken_away(capsys):
    shown = Progress(live=True)
    shown.start(2, 0)
    shown.match_done(row())
    shown.tick({"turns": 3})
    shown.message("a sentence [with brackets]")
    shown.stop()
    assert "a sentence [with brackets]" in capsys.readouterr().err


@pytest.mark.parametrize(("seconds", "text"), [(0.4, "0:00"), (75, "1:15"), (3700, "1:01:40")])
def test_clock(seconds, text):
    assert clock(seconds) == text
