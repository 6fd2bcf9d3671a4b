"""A shared budget: sums, shares, and one end for all."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gymposium
from gymposium.errors import UnknownName, UsageError

ID = "shared_budget-v0"
SURE = [
    {"name": "up", "rewards": [2], "probs": [1]},
    {"name": "down", "rewards": [-5], "probs": [1]},
    {"name": "rest", "rewards": [0], "probs": [1]},
]
UP, DOWN, REST = range(3)


def world(**params: Any) -> Any:
    made = gymposium.make(ID, api="world", **{"arms": SURE, "budget": 6, "horizon": 4, **params})
    made.reset(0)
    return made


def test_all_outcomes_go_into_one_budget() -> None:
    made = world()
    turns = made.step({"player_0": UP, "player_1": DOWN})
    assert turns["player_0"].observation.tolist()[:1] == [3.0]
    assert made.rewards == {"player_0": 2.0, "player_1": -5.0}


def test_each_sees_its_own_choice_first() -> None:
    made = world()
    turns = made.step({"player_0": UP, "player_1": REST})
    assert turns["player_0"].observation.tolist()[2:] == [1.0, 3.0]
    assert turns["player_1"].observation.tolist()[2:] == [3.0, 1.0]
    assert "you rest, player_0 up" in turns["player_1"].text


def test_one_gamble_is_everyones_ruin_and_nobody_pays_beyond_the_budget() -> None:
    made = world()
    assert made.step({"player_0": DOWN, "player_1": DOWN}) == {}
    outcome = made.outcome
    assert outcome.terminated == {"player_0": True, "player_1": True}
    assert outcome.returns == {"player_0": -3.0, "player_1": -3.0}  # 4 beyond, given back by halves
    assert outcome.metrics["shortfall"] == 4.0


def test_equal_shares_make_it_cooperative() -> None:
    made = world(sharing="equal", players=3)
    assert made.kind == "cooperative"
    made.step({"player_0": UP, "player_1": UP, "player_2": DOWN})
    assert list(made.rewards.values()) == pytest.approx([-1 / 3] * 3)


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 2**32), players=st.integers(2, 5), sharing=st.sampled_from(["own", "equal"])
)
def test_together_they_earn_what_the_budget_grew_by(seed: int, players: int, sharing: str) -> None:
    made = gymposium.make(ID, api="world", players=players, sharing=sharing, horizon=15)
    turns = made.reset(seed)
    while turns:
        last = made.observe("player_0")[0]
        turns = made.step({seat: (seed + index) % 3 for index, seat in enumerate(turns)})
        grew = made.observe("player_0")[0] - last
        assert sum(made.rewards.values()) == pytest.approx(grew)
    low, high = made.return_range
    assert all(low <= total <= high for total in made.outcome.returns.values())


def test_the_silent_pull_nothing() -> None:
    made = world()
    made.step({"player_0": None, "player_1": UP})
    assert made.rewards == {"player_0": 0.0, "player_1": 2.0}


def test_the_default_budget_grows_with_the_seats() -> None:
    made = gymposium.make(ID, api="world", players=4)
    made.reset(0)
    assert made.observe("player_0")[0] == 24.0


@pytest.mark.parametrize("players", [1, 51, 2.0, True])
def test_a_number_of_seats_that_is_none_is_refused(players: Any) -> None:
    with pytest.raises(UsageError, match="players must be a whole number from 2 to 50"):
        gymposium.make(ID, players=players)


def test_an_unknown_sharing_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="equal"):
        gymposium.make(ID, sharing="equel")
