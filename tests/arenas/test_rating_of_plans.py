"""Whether a rating is defined is known before the first match; stored matches are rated anew."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import gymposium
from gymposium.arenas.ratings.registry import RATINGS
from gymposium.cli.app import app
from gymposium.errors import UsageError

BOTS = ["scripted:tit_for_tat", "scripted:always_defect", "random"]


def cli(*words: str) -> Any:
    return CliRunner().invoke(app, list(words))


class Watcher:
    """Any agent; says so if it is ever asked."""

    asked = 0

    def reset(self, seat: Any, seed: int) -> None:
        type(self).asked += 1

    def act(self, turn: Any) -> Any:
        return turn.action_space.sample()


@pytest.mark.parametrize(
    ("rating", "changes", "said"),
    [
        ("alpha_rank", {"schedule": {"self_play": False}}, "self_play: true"),
        ("alpha_rank_seats", {"schedule": {"self_play": False}}, "self_play: true"),
        ("alpha_rank", {"params": {"game": "public-goods", "players": 3}}, "2 sides in a match"),
        (
            "alpha_rank_seats",
            {"params": {"game": "public-goods", "players": 3}},
            "no schedule has all line-ups of 3 seats, so use bradley_terry",
        ),
        ("no_such", {}, "unknown rating 'no_such'"),
        ("nash_averigng", {}, "did you mean 'nash_averaging'"),
    ],
)
def test_what_a_rating_is_not_defined_for_is_refused_before_any_match(
    tmp_path: Path, rating: str, changes: dict[str, Any], said: str
) -> None:
    data = {"name": "x", "world": "iterated_matrix-v0", "rating": rating, **changes}
    Watcher.asked = 0
    with pytest.raises(UsageError, match=said):
        gymposium.run(
            gymposium.load_scenario(data), [Watcher, *BOTS], out=tmp_path / "run", trusted=True
        )
    assert Watcher.asked == 0
    assert not (tmp_path / "run").exists()


def test_swiss_rounds_leave_pairs_unplayed_so_nash_averaging_is_refused(tmp_path: Path) -> None:
    data = {
        "name": "x", "world": "iterated_matrix-v0", "params": {"game": "matching-pennies"},
        "schedule": {"kind": "swiss"}, "rating": "nash_averaging",
    }  # fmt: skip
    four = [*BOTS, "scripted:coin"]
    with pytest.raises(UsageError, match="no match does"):
        gymposium.run(gymposium.load_scenario(data), four, out=tmp_path / "run")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "run"
    words = ["tournament", "iterated_matrix-v0", "--set", "schedule.repeats=4", "-o", str(path)]
    done = cli(*words, *(w for bot in BOTS for w in ("-a", bot)), "--rating", "elo", "--json")
    assert done.exit_code == 0, done.output
    return path


def test_a_scenarios_rating_is_the_one_its_run_shows(played: Path) -> None:
    run = gymposium.load(played)
    assert run.leaderboard().rating == "elo"
    assert run.leaderboard("bradley_terry").rating == "bradley_terry"
    assert "Rated by elo" in run.report().read_text("utf-8")


@pytest.mark.parametrize("rating", RATINGS)
def test_rate_gives_every_rating_of_a_stored_run(played: Path, rating: str) -> None:
    shown = cli("rate", str(played), "--rating", rating)
    assert shown.exit_code == 0, shown.output
    for bot in BOTS:
        assert bot in shown.output
    (board,) = json.loads(cli("rate", str(played), "--rating", rating, "--json").output)
    assert board["rating"] == rating
    assert {row["agent"] for row in board["rows"]} == set(BOTS)


def test_rate_pins_anchors_and_takes_several_ratings(played: Path) -> None:
    words = ["--rating", "elo", "--rating", "bradley_terry", "--anchor", "random=1000", "--json"]
    boards = json.loads(cli("rate", str(played), *words).output)
    assert [board["rating"] for board in boards] == ["elo", "bradley_terry"]
    for board in boards:
        assert {row["rating"] for row in board["rows"] if row["agent"] == "random"} == {1000}


@pytest.mark.parametrize("anchor", ["random", "random=x", "=5", "random=nan", "random=1e300"])
def test_an_anchor_that_is_no_number_is_refused(played: Path, anchor: str) -> None:
    shown = cli("rate", str(played), "--anchor", anchor)
    assert shown.exit_code == 2
    assert "write AGENT=POINTS" in shown.output


def test_ratings_are_listed() -> None:
    assert set(RATINGS) == {
        it["name"] for it in json.loads(cli("list", "ratings", "--json").output)
    }
