"""The town as a world: what its seats may do, what they are told and what comes of it."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import gymposium
from gymposium.errors import IllegalAction, MissingExtra, UnknownName, UsageError


def play(world, seed, choose):
    turns = world.reset(seed)
    while turns:
        turns = world.step({seat: choose(turn) for seat, turn in turns.items()})
    return world.outcome


def first_legal(turn):
    return int(np.flatnonzero(turn.action_mask)[0])


def test_each_phase_has_its_actions_and_says_so():
    world = gymposium.make("town-v0", api="world", people=6, seats=2, places=1)
    world.reset(0)
    with pytest.raises(IllegalAction, match="no meeting"):
        world.check("resident_0", 1)
    turns = world.step({"resident_0": 0, "resident_1": 0})
    seat = next(iter(turns))
    assert turns[seat].info["partner"] >= 0
    with pytest.raises(IllegalAction, match="cooperate or defect"):
        world.check(seat, 0)


def test_the_hour_goes_on_without_the_seats_where_none_meets_anybody():
    world = gymposium.make("town-v0", api="world", people=4, seats=1, places=12, hours=40, habit=0)
    turns, steps = world.reset(0), 0
    while turns:
        turns = world.step({seat: first_legal(turn) for seat, turn in turns.items()})
        steps += 1
    assert 40 < steps < 80
    assert world.outcome.tables["series"]["hour"] == list(range(1, 41))


def test_silence_costs_the_lowest_payoff_and_never_the_partner():
    world = gymposium.make(
        "town-v0", api="world", people=4, seats=4, places=1, game="prisoners-dilemma", hours=1
    )
    turns = world.reset(0)
    turns = world.step(dict.fromkeys(turns, 0))
    one = "resident_0"
    mate = f"resident_{turns[one].info['partner']}"
    cooperate = 1
    world.step({seat: None if seat == one else cooperate for seat in turns})
    assert world.outcome.returns[one] == 0.0
    assert world.outcome.returns[mate] == 3.0


def test_metrics_are_those_of_the_series():
    world = gymposium.make("town-v0", api="world", people=50, hours=8, seats=2)
    outcome = play(world, 4, first_legal)
    series = outcome.tables["series"]
    assert outcome.metrics["payoff"] == pytest.approx(np.mean(series["payoff"]))
    assert outcome.metrics["payoff"] * 8 * 50 == pytest.approx(world.model.town.wealth.sum())
    assert outcome.metrics["seat_cooperation"] == 1.0
    weight = np.array(series["meetings"])
    expected = np.dot(series["cooperation"], weight) / weight.sum()
    assert outcome.metrics["cooperation"] == pytest.approx(expected)
    assert set(outcome.metrics) == set(world.metric_names)


def test_a_person_met_is_called_by_name_and_a_lie_can_be_said_in_words():
    world = gymposium.make("town-v0", api="world", people=6, seats=1, places=1)
    world.reset(1)
    ((seat, turn),) = world.step({"resident_0": 0}).items()
    assert f"You meet person {turn.info['partner']}." in turn.text
    said = world.parse(seat, "I defect and lie.", turn.observation, turn.info)
    assert world.format(seat, said) == "defect and lie"
    with pytest.raises(IllegalAction):
        world.parse(seat, "cooperate", turn.observation, turn.info)


def test_observations_are_of_one_kind_in_towns_of_any_size():
    small, large = (
        gymposium.make("town-v0", api="world", people=people, hours=hours).seats["resident_0"]
        for people, hours in ((20, 5), (300, 50))
    )
    assert small.observation_space == large.observation_space
    assert small.action_space == large.action_space


def test_names_stand_in_info_and_words_do_without_them():
    world = gymposium.make("town-v0", api="world", people=6, seats=1, places=1)
    world.reset(1)
    ((seat, turn),) = world.step({"resident_0": 0}).items()
    partner = world.model.town.partner[0]
    assert turn.info["partner"] == partner
    assert world.describe(seat, turn.observation, {}).startswith("Hour 1 of 24.")
    assert "You meet somebody." in world.describe(seat, turn.observation, {})


@pytest.mark.parametrize(
    ("given_", "says"),
    [
        ({"people": 3}, "people=3 must be a whole number from 4 to 5000"),
        ({"seats": 9, "people": 8}, "seats=9 must be a whole number from 1 to 8"),
        ({"habit": 1.5}, "habit=1.5 must be a number from 0 to 1"),
        ({"cooperators": 0.6, "defectors": 0.6}, "must not exceed 1"),
        ({"payoffs": [1, 2]}, "must be a list of 4 numbers"),
    ],
)
def test_parameters_out_of_range_are_refused_in_a_sentence(given_, says):
    with pytest.raises(UsageError, match=says):
        gymposium.make("town-v0", api="world", **given_)


def test_an_unknown_game_is_met_with_the_nearest():
    with pytest.raises(UnknownName, match="stag-hunt"):
        gymposium.make("town-v0", api="world", game="stag_hunt")


def test_without_mesa_the_install_line_is_given(monkeypatch):
    monkeypatch.setitem(sys.modules, "mesa", None)
    with pytest.raises(MissingExtra, match=r"pip install 'gymposium\[mesa\]'"):
        gymposium.make("town-v0", api="world")
