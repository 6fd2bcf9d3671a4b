from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymposium.arenas.ratings.leaderboard import leaderboard, ranks
from gymposium.arenas.rows import MatchRow, SeatRow
from gymposium.errors import UsageError

MakeMatch = Callable[..., MatchRow]
STRATEGIES = (
    "always_defect", "always_cooperate", "tit_for_tat", "grim", "win_stay_lose_shift",
)  # fmt: skip
END = st.floats(-100, 100)


def zero_sum_rows(
    make_match: MakeMatch,
    skills: dict[str, float],
    *,
    blocks: int = 8,
    home: float = 0.0,
    seed: int = 0,
) -> list[MatchRow]:
    rng = np.random.default_rng(seed)
    rows = []
    for block in range(blocks):
        for one, two in itertools.permutations(skills, 2):
            chance = 1 / (1 + math.exp(skills[two] - skills[one] - home))
            won = 1 if rng.random() < chance else -1
            rows.append(make_match([(one, won), (two, -won)], seed=block))
    return rows


@pytest.mark.parametrize("rounds", [10, 50])
@pytest.mark.parametrize("self_play", [True, False])
def test_always_defect_is_not_crowned_in_the_dilemma(
    make_match: MakeMatch,
    play_dilemma: Callable[[str, str, int], tuple[float, float]],
    rounds: int,
    self_play: bool,
) -> None:
    rows = []
    for seed, one, two in itertools.product(range(8), STRATEGIES, STRATEGIES):
        if self_play or one != two:
            returns = play_dilemma(one, two, rounds)
            rows.append(make_match([(one, returns[0]), (two, returns[1])], kind="mixed", seed=seed))
    board = leaderboard(rows)
    defector = next(row for row in board.rows if row.agent == "always_defect")
    assert {row.agent for row in board.rows if row.rank == 1} == {"grim", "tit_for_tat"}
    assert defector.rating < board.rows[0].rating
    assert defector.rank > 1
    assert all(row.connected for row in board.rows)
    # The same matches as if they were zero-sum crown it: the rule is what prevents that.
    naive = leaderboard([row._replace(kind="zero_sum") for row in rows])
    assert naive.rows[0].agent == "always_defect"


def test_order_points_and_record_of_a_simple_league(make_match: MakeMatch) -> None:
    rows = zero_sum_rows(make_match, {"weak": -2, "middle": 0, "strong": 2}, blocks=20)
    board = leaderboard(rows)
    assert [row.agent for row in board.rows] == ["strong", "middle", "weak"]
    assert [row.rank for row in board.rows] == [1, 2, 3]
    assert sum(row.rating for row in board.rows) == pytest.approx(0, abs=1e-6)
    assert sum(row.wins for row in board.rows) == len(rows)
    assert [row.matches for row in board.rows] == [80, 80, 80]
    assert len(board.pairs) == 3
    assert sum(pair.wins + pair.ties + pair.losses for pair in board.pairs) == len(rows)
    for row in board.rows:
        assert row.low is not None
        assert row.high is not None
        assert row.low < row.rating < row.high


def test_the_seat_effect_is_found_and_does_not_leak_into_ratings(make_match: MakeMatch) -> None:
    rows = zero_sum_rows(make_match, {"a": 0, "b": 0, "c": 0}, blocks=60, home=1.5)
    # "a" sits in the good seat twice as often; that alone must not make it better.
    rows += [row for row in rows if row.seats[0].agent == "a"]
    board = leaderboard(rows)
    first, second = board.seat_effect
    assert (first.seat, second.seat) == ("seat_0", "seat_1")
    assert first.points == pytest.approx(-second.points)
    assert first.low is not None
    assert first.low > 0
    assert first.points - second.points == pytest.approx(1.5 * 400 / math.log(10), rel=0.3)
    assert {row.rank for row in board.rows} == {1}


def test_one_seed_block_gives_no_interval_and_shares_all_ranks(make_match: MakeMatch) -> None:
    board = leaderboard(zero_sum_rows(make_match, {"a": 3, "b": 0, "c": -3}, blocks=1))
    for row in board.rows:
        assert (row.low, row.high, row.score_low, row.score_high) == (None,) * 4
        assert row.rank == 1
    assert any("one seed block" in note for note in board.notes)


def test_an_unbeaten_agent_is_finite_and_wide(make_match: MakeMatch) -> None:
    rows = [make_match([("a", 1), ("b", -1)], seed=seed) for seed in range(12)]
    best = leaderboard(rows).rows[0]
    assert best.agent == "a"
    assert best.high is not None
    assert best.low is not None
    assert math.isfinite(best.rating)
    assert best.high - best.low > 100


def test_agents_that_never_meet_are_marked(make_match: MakeMatch) -> None:
    rows = zero_sum_rows(make_match, {"a": 1, "b": 0, "c": 0})
    rows += zero_sum_rows(make_match, {"x": 9, "y": 0})
    board = leaderboard(rows)
    assert {row.agent: row.connected for row in board.rows} == {
        "a": True, "b": True, "c": True, "x": False, "y": False,
    }  # fmt: skip
    assert [row.agent for row in board.rows][-2:] == ["x", "y"]
    assert any("x, y" in note and "Let them meet" in note for note in board.notes)


def test_two_mixed_agents_without_a_common_place_are_not_rated_apart(
    make_match: MakeMatch,
) -> None:
    rows = [make_match([("a", 5), ("b", 0)], kind="mixed", seed=seed) for seed in range(6)]
    board = leaderboard(rows)
    assert [(row.rating, row.connected) for row in board.rows] == [(0, False), (0, False)]
    assert any("self-play" in note for note in board.notes)
    assert {row.agent: row.score for row in board.rows} == {"a": 5, "b": 0}


def test_a_board_that_rests_on_self_play_alone_says_so(make_match: MakeMatch) -> None:
    def rows(agents: str) -> list[MatchRow]:
        groups = [tuple(name * 3) for name in agents]
        groups += [mix[i:] + mix[:i] for mix in itertools.combinations(agents, 3) for i in range(3)]
        return [
            make_match([(a, ord(a)) for a in group], kind="mixed", seed=seed)
            for group in groups
            for seed in range(5)
        ]

    def told(agents: str) -> bool:
        notes = leaderboard(rows(agents)).notes
        return any("only their matches against themselves" in note for note in notes)

    assert told("abc")
    assert not told("abcd")  # a and b both met c and d
    pairs = [make_match([(a, 1), (b, 0)], kind="mixed") for a in "abc" for b in "abc"]
    alone = [make_match([(a, ord(a))], kind="mixed") for a in "abc"]
    for others in (pairs, alone):
        assert not any("against themselves" in note for note in leaderboard(others).notes)


def test_faults_and_cost_stand_beside_the_rating(make_match: MakeMatch) -> None:
    def seat(agent: str, role: str = "focal", **more: object) -> SeatRow:
        return SeatRow(agent, agent, role, None, 0.0, turns=5, **more)

    llm = {"llm_turns": 4, "parsed_turns": 3, "llm_calls": 6, "prompt_tokens": 100}
    rows = [
        MatchRow(
            str(block), "w", "zero_sum", "c", block, block,
            (
                seat("model", faults={"illegal": 1}, completion_tokens=9, **llm),
                seat("bot"),
                seat("referee", "judge", faults={"error": 7}, llm_calls=50),
            ),
        )
        for block in range(2)
    ]  # fmt: skip
    board = leaderboard(rows)
    found = {row.agent: row for row in board.rows}
    assert set(found) == {"model", "bot"}
    model, bot = found["model"], found["bot"]
    assert (model.faults, model.fault_rate) == ({"illegal": 2}, 0.2)
    assert (model.llm_calls, model.prompt_tokens, model.completion_tokens) == (12, 200, 18)
    assert (model.parsed_share, bot.parsed_share) == (0.75, None)
    assert model.rating == pytest.approx(bot.rating, abs=1e-6)


def test_equal_input_gives_equal_output_in_any_order(make_match: MakeMatch) -> None:
    rows = zero_sum_rows(make_match, {"a": 1, "b": 0, "c": -1})
    assert leaderboard(rows, bootstrap=30) == leaderboard(rows[::-1], bootstrap=30)


def test_renaming_agents_keeps_ratings(make_match: MakeMatch) -> None:
    rows = zero_sum_rows(make_match, {"a": 1, "b": 0, "c": -1})
    names = {"a": "z", "b": "y", "c": "x"}
    renamed = [
        row._replace(
            seats=tuple(s._replace(agent=names[s.agent]) for s in row.seats),
        )
        for row in rows
    ]
    before = {names[row.agent]: row.rating for row in leaderboard(rows, bootstrap=0).rows}
    after = {row.agent: row.rating for row in leaderboard(renamed, bootstrap=0).rows}
    assert after == pytest.approx(before, abs=1e-6)


def test_nothing_played_is_an_empty_board() -> None:
    board = leaderboard([])
    assert board.rows == []
    assert board.notes
    assert board.to_frame().empty


def test_to_frame_has_a_row_per_agent(make_match: MakeMatch) -> None:
    frame = leaderboard(zero_sum_rows(make_match, {"a": 1, "b": 0})).to_frame()
    assert list(frame["agent"]) == ["a", "b"]
    assert {"rank", "rating", "low", "high", "score", "fault_rate"} <= set(frame.columns)


@pytest.mark.parametrize("kwargs", [{"confidence": 1.0}, {"bootstrap": -1}])
def test_senseless_settings_are_refused(kwargs: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        leaderboard([], **kwargs)


@given(st.lists(st.tuples(END, END).map(sorted), min_size=1, max_size=12))
def test_ranks_are_one_plus_those_wholly_above(intervals: list[list[float]]) -> None:
    lows, highs = zip(*intervals, strict=True)
    found = ranks(lows, highs)
    assert found == [1 + sum(low > high for low in lows) for high in highs]
    assert min(found) == 1
    for (low, high), rank in zip(intervals, found, strict=True):
        overlapping_the_top = high >= max(lows)
        assert (rank == 1) == overlapping_the_top
        assert low <= high


@given(st.lists(st.tuples(END, END).map(sorted), min_size=2, max_size=8))
def test_an_unknown_interval_neither_loses_nor_wins_a_rank(intervals: list[list[float]]) -> None:
    lows, highs = map(list, zip(*intervals, strict=True))
    before = ranks(lows, highs)
    after = ranks([*lows, None], [*highs, None])
    assert after == [*before, 1]
