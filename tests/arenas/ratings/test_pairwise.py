from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gymposium.arenas.ratings.leaderboard import LeaderRow, leaderboard
from gymposium.arenas.rows import MatchRow
from gymposium.errors import UnknownName, UsageError

from .conftest import match

MakeMatch = Callable[..., MatchRow]
SCALED = ("bradley_terry", "elo")


def league(skills: dict[str, float], *, blocks: int = 10, seed: int = 0) -> list[MatchRow]:
    rng = np.random.default_rng(seed)
    rows = []
    for block in range(blocks):
        for one, two in itertools.permutations(skills, 2):
            chance = 1 / (1 + math.exp(skills[two] - skills[one]))
            won = 1 if rng.random() < chance else -1
            rows.append(match([(one, won), (two, -won)], seed=block))
    return rows


def by_name(rows: list[MatchRow], **options: object) -> dict[str, LeaderRow]:
    return {row.agent: row for row in leaderboard(rows, **options).rows}  # type: ignore[arg-type]


def test_elo_is_where_online_updates_in_random_orders_settle(make_match: MakeMatch) -> None:
    rows = league({"a": 1.0, "b": 0.0, "c": -0.7}, blocks=40)
    rows += [make_match([("a", 0), ("b", 0)], seed=block) for block in range(20)]
    rng = np.random.default_rng(3)
    scores, settled = {"a": 0.0, "b": 0.0, "c": 0.0}, []
    for sweep in range(400):
        for index in rng.permutation(len(rows)):
            one, two = rows[index].seats
            expected = 1 / (1 + 10 ** ((scores[two.agent] - scores[one.agent]) / 400))
            step = 0.5 * ((np.sign(one.return_) + 1) / 2 - expected)
            scores[one.agent] += step
            scores[two.agent] -= step
        if sweep >= 100:
            settled.append([scores[name] for name in "abc"])
    ours = by_name(rows, rating="elo", bootstrap=0)
    # Ours carry half a win and half a loss of prior each, which weighs little here.
    online = np.mean(settled, axis=0)
    assert [ours[name].rating for name in "abc"] == pytest.approx(online, abs=6)


@given(st.randoms(use_true_random=False))
@settings(max_examples=10)
def test_elo_does_not_depend_on_the_order_of_matches(random: object) -> None:
    rows = league({"a": 1, "b": 0, "c": -1}, blocks=3)
    mixed = list(rows)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    assert leaderboard(rows, rating="elo", bootstrap=9) == leaderboard(
        mixed, rating="elo", bootstrap=9
    )


def test_elo_counts_a_tie_as_half_a_win(make_match: MakeMatch) -> None:
    drawn = [make_match([("a", 0), ("b", 0)], seed=seed) for seed in range(4)]
    split = [make_match([("a", s), ("b", -s)], seed=i) for i, s in enumerate((1, -1, 1, -1))]
    ahead = [make_match([("a", 1), ("b", -1)], seed=seed) for seed in range(4, 7)]
    one, two = (by_name(rows + ahead, rating="elo", bootstrap=0) for rows in (drawn, split))
    assert one["a"].rating == pytest.approx(two["a"].rating, abs=1e-6)
    assert one["a"].rating > 0


@pytest.mark.parametrize("rating", SCALED)
def test_one_anchor_shifts_everybody_and_widens_nobody(rating: str) -> None:
    rows = league({"a": 1, "b": 0, "c": -1, "rare": 0})
    # The anchor is hardly ever seen: its own rating is poorly known.
    rows = [row for row in rows if row.block < 2 or "rare" not in {s.agent for s in row.seats}]
    free, pinned = (
        by_name(rows, rating=rating),
        by_name(rows, rating=rating, anchors={"rare": 1500}),
    )
    shift = 1500 - free["rare"].rating
    assert pinned["rare"].rating == 1500
    for name, row in pinned.items():
        before = free[name]
        assert row.rating == pytest.approx(before.rating + shift, abs=1e-6)
        assert row.high - row.low == pytest.approx(before.high - before.low, abs=1e-9)
        assert row.rank == before.rank


@pytest.mark.parametrize("rating", SCALED)
def test_several_anchors_stay_where_they_are_put_and_widen_nobody(rating: str) -> None:
    rows = league({"a": 1.5, "b": 0.5, "c": -0.5, "d": -1.5}, blocks=20)
    anchors = {"a": 1400.0, "d": 1000.0}
    free, pinned = by_name(rows, rating=rating), by_name(rows, rating=rating, anchors=anchors)
    assert {name: pinned[name].rating for name in anchors} == anchors
    for name, row in pinned.items():
        assert row.low <= row.rating <= row.high
        assert row.high - row.low == pytest.approx(free[name].high - free[name].low, abs=1e-9)
    assert 1400 > pinned["b"].rating > pinned["c"].rating > 1000


def test_between_anchors_the_others_are_at_the_maximum_of_the_likelihood(
    make_match: MakeMatch,
) -> None:
    results = [1] * 6 + [-1] * 2
    rows = [make_match([("low", -s), ("new", s)], seed=i) for i, s in enumerate(results)]
    rows += [make_match([("high", s), ("new", -s)], seed=i) for i, s in enumerate(results)]
    new = by_name(rows, rating="elo", anchors={"low": -300.0, "high": 300.0}, bootstrap=0)["new"]
    assert new.rating == pytest.approx(0, abs=1e-6)
    pulled = by_name(rows, rating="elo", anchors={"low": -300.0, "high": 500.0}, bootstrap=0)
    grid = np.linspace(-400, 600, 100_001)

    def loss(rival: float, won: int) -> np.ndarray:
        ahead = np.log(10) / 400 * (grid - rival)
        return won * np.logaddexp(0, -ahead) + (8 - won) * np.logaddexp(0, ahead)

    level = np.log(10) / 400 * (grid - 100)  # the prior: half a win and a loss against the average
    total = loss(-300, 6) + loss(500, 2) + 0.5 * (np.logaddexp(0, level) + np.logaddexp(0, -level))
    assert pulled["new"].rating == pytest.approx(grid[total.argmin()], abs=0.1)


def test_anchors_leave_a_component_without_one_alone(make_match: MakeMatch) -> None:
    rows = league({"a": 1, "b": 0, "c": 0})
    rows += league({"x": 1, "y": 0}, seed=1)
    free, pinned = by_name(rows, bootstrap=0), by_name(rows, bootstrap=0, anchors={"a": 9.0})
    assert [pinned[n].rating for n in "xy"] == [free[n].rating for n in "xy"]


@pytest.mark.parametrize("rating", SCALED)
def test_perfect_separation_stays_finite_ordered_and_wide(rating: str) -> None:
    names = ["a", "b", "c", "d"]
    rows = [
        match([(one, 1), (two, -1)], seed=block)
        for block in range(6)
        for one, two in itertools.combinations(names, 2)
    ]
    board = leaderboard(rows, rating=rating)
    assert [row.agent for row in board.rows] == names
    for row in board.rows:
        assert math.isfinite(row.rating)
        assert row.high - row.low > 100


def test_an_anchor_that_nobody_knows_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'alice'"):
        leaderboard(league({"alice": 1, "bob": 0}), anchors={"alise": 0.0})


@pytest.mark.parametrize("rating", ["nash_averaging", "openskill", "alpha_rank"])
def test_a_rating_without_a_scale_takes_no_anchor(rating: str) -> None:
    with pytest.raises(UsageError, match="anchors are for bradley_terry, elo"):
        leaderboard(league({"a": 1, "b": 0}), rating=rating, anchors={"a": 0.0})


def test_elo_ignores_seats_which_bradley_terry_corrects_for() -> None:
    rows = league({"a": 0, "b": 0}, blocks=20)
    home = [
        row._replace(
            seats=tuple(
                seat._replace(return_=1.0 - 2.0 * place) for place, seat in enumerate(row.seats)
            ),
        )
        for row in rows
    ]
    home += [row for row in home if row.seats[0].agent == "a"]
    elo, strength = by_name(home, rating="elo"), by_name(home)
    assert elo["a"].rating > 50
    assert abs(strength["a"].rating) < elo["a"].rating / 2
    assert leaderboard(home, rating="elo").seat_effect == []
