from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest

from gymposium.arenas.ratings.contests import contests
from gymposium.arenas.ratings.leaderboard import leaderboard
from gymposium.arenas.ratings.registry import RATINGS, rating
from gymposium.arenas.rows import MatchRow
from gymposium.errors import UnknownName, UsageError

MakeMatch = Callable[..., MatchRow]
SKILLS = {"ann": 2.0, "bob": 1.0, "cid": 0.0, "dee": -1.0}


def duels(make_match: MakeMatch, kind: str, *, blocks: int = 60) -> list[MatchRow]:
    """Everybody against everybody, itself included, with chances by skill."""
    rng = np.random.default_rng(5)
    rows = []
    for block in range(blocks):
        for one, two in itertools.product(SKILLS, repeat=2):
            if kind == "zero_sum":
                chance = 1 / (1 + math.exp(SKILLS[two] - SKILLS[one]))
                won = 1.0 if rng.random() < chance else -1.0
                returns = (won, -won)
            else:  # what one earns depends on its skill and on luck
                returns = (SKILLS[one] + rng.normal(), SKILLS[two] + rng.normal())
            seats = list(zip((one, two), returns, strict=True))
            rows.append(make_match(seats, kind=kind, seed=block))
    return rows


@pytest.mark.parametrize("name", RATINGS)
@pytest.mark.parametrize("kind", ["zero_sum", "mixed", "cooperative"])
def test_rating_order_equals_skill_order(make_match: MakeMatch, name: str, kind: str) -> None:
    board = leaderboard(duels(make_match, kind), rating=name, bootstrap=24)
    ratings = {row.agent: row.rating for row in board.rows}
    # Long-run masses of the weak are all but zero, yet never out of order.
    assert sorted(ratings, key=lambda agent: -ratings[agent]) == list(SKILLS)
    assert len(set(ratings.values())) == len(SKILLS)
    for row in board.rows:
        assert row.low <= row.rating <= row.high
        assert row.connected


@pytest.mark.parametrize("name", RATINGS)
def test_equal_input_gives_equal_output(make_match: MakeMatch, name: str) -> None:
    rows = duels(make_match, "zero_sum", blocks=4)
    one, two = (leaderboard(it, rating=name, bootstrap=20) for it in (rows, rows[::-1]))
    assert one == two
    assert one.rating == name


@pytest.mark.parametrize("name", RATINGS)
def test_one_seed_block_gives_no_interval(make_match: MakeMatch, name: str) -> None:
    board = leaderboard(duels(make_match, "zero_sum", blocks=1), rating=name)
    assert {(row.low, row.high) for row in board.rows} == {(None, None)}
    assert {row.rank for row in board.rows} == {1}


@pytest.mark.parametrize("name", RATINGS)
def test_one_agent_and_none_are_rated_without_fuss(make_match: MakeMatch, name: str) -> None:
    alone = [make_match([("a", 0), ("a", 0)], seed=seed) for seed in range(3)]
    assert [row.agent for row in leaderboard(alone, rating=name).rows] == ["a"]
    assert leaderboard([], rating=name).rows == []


def trios(make_match: MakeMatch, kind: str = "zero_sum") -> list[MatchRow]:
    rng = np.random.default_rng(2)
    rows = []
    for block, trio in itertools.product(range(30), itertools.permutations(SKILLS, 3)):
        luck = {agent: SKILLS[agent] + rng.gumbel() for agent in trio}
        first = max(trio, key=luck.get)
        seats = [(agent, 2.0 if agent == first else -1.0) for agent in trio]
        rows.append(make_match(seats, kind=kind, seed=block))
    return rows


@pytest.mark.parametrize("name", RATINGS)
def test_three_seats_are_rated_right_or_refused_in_one_sentence(
    make_match: MakeMatch, name: str
) -> None:
    rows = trios(make_match)
    if name in ("elo", "alpha_rank"):
        with pytest.raises(UsageError, match=f"{name} is defined for 2 sides.*cell has 3: use"):
            leaderboard(rows, rating=name)
    elif name == "alpha_rank_seats":
        with pytest.raises(UsageError, match="no schedule has all line-ups of 3 seats, so use"):
            leaderboard(rows, rating=name)
    else:
        board = leaderboard(rows, rating=name, bootstrap=20)
        assert [row.agent for row in board.rows] == list(SKILLS)


def test_a_refusal_names_ratings_that_would_do(make_match: MakeMatch) -> None:
    rows = trios(make_match)
    with pytest.raises(UsageError) as refused:
        leaderboard(rows, rating="elo")
    named = str(refused.value).split(": use ")[1].split(" or ")
    assert "openskill" in named
    assert "elo" not in named


def test_two_teams_of_two_are_two_sides(make_match: MakeMatch) -> None:
    rows = [
        make_match(
            [("ann", won), ("cid", won), ("bob", -won), ("dee", -won)],
            teams=["x", "x", "y", "y"], seed=seed,
        )
        for seed, won in enumerate([1, 1, -1, 1])
    ]  # fmt: skip
    for name in ("elo", "openskill"):
        found = {row.agent: row.rating for row in leaderboard(rows, rating=name).rows}
        assert found["ann"] == pytest.approx(found["cid"])
        assert found["ann"] > found["bob"]


@pytest.mark.parametrize("name", ["nash_averaging", "alpha_rank"])
def test_a_pair_that_never_meets_is_named(make_match: MakeMatch, name: str) -> None:
    rows = duels(make_match, "zero_sum", blocks=2)
    gone = [row for row in rows if {s.agent for s in row.seats} != {"ann", "dee"}]
    with pytest.raises(UsageError, match="ann with dee"):
        leaderboard(gone, rating=name)
    board = leaderboard(gone)
    assert any("common opponents only: ann and dee" in note for note in board.notes)


def test_outside_zero_sum_worlds_alpha_rank_wants_self_play(make_match: MakeMatch) -> None:
    rows = duels(make_match, "mixed", blocks=2)
    gone = [row for row in rows if len({s.agent for s in row.seats}) == 2]
    with pytest.raises(UsageError, match=r"ann with ann.*schedule\.self_play: true"):
        leaderboard(gone, rating="alpha_rank")
    zero_sum = duels(make_match, "zero_sum", blocks=6)
    apart = [row for row in zero_sum if len({s.agent for s in row.seats}) == 2]
    assert leaderboard(apart, rating="alpha_rank").rows[0].agent == "ann"


def test_payoffs_need_seats_that_all_are_rated(make_match: MakeMatch) -> None:
    rows = [make_match([("a", 1), ("b", 0)], kind="mixed", roles=["focal", "background"])]
    with pytest.raises(UsageError, match="background seats: use bradley_terry"):
        leaderboard(rows, rating="alpha_rank")


def test_an_unknown_rating_offers_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'openskill"):
        rating("openskil")


def test_a_contest_keeps_a_ranking_whole(make_match: MakeMatch) -> None:
    trio = make_match([("a", 3), ("b", 1), ("c", 1)])
    found = contests([trio])
    assert [(it.sides, it.scores) for it in found] == [((("a",), ("b",), ("c",)), (3, 1, 1))]
    twice = make_match([("a", 3), ("a", 1), ("c", 1)])
    assert contests([twice])[0].sides == (("a",), ("c",))
    assert contests([twice])[0].scores == (2, 1)
    alone = make_match([("a", 3), ("a", 1)])
    assert contests([alone]) == []


def test_mixed_worlds_are_ranked_by_place_and_never_within_a_match(make_match: MakeMatch) -> None:
    rows = [
        make_match([(x, value), ("z", 9)], kind="mixed")
        for x, value in zip("abc", (1, 2, 3), strict=True)
    ]
    assert [(it.sides, it.scores) for it in contests(rows)] == [
        ((("a",), ("b",), ("c",)), (1, 2, 3))
    ]


def test_an_agent_that_plays_for_both_teams_ranks_nothing(make_match: MakeMatch) -> None:
    row = make_match([("a", 1), ("b", 1), ("a", 0), ("c", 0)], teams=["x", "x", "y", "y"])
    assert contests([row]) == []
