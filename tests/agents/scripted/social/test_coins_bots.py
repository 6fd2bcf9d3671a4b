"""The Coins bots do what their names promise."""

from __future__ import annotations

import numpy as np
import pytest

from gymposium.agents.registry import resolve
from gymposium.errors import UsageError

from .table import Table


def coins(*bots, horizon=600, **params):
    table = Table("coins-v0", bots, horizon=horizon, **params)
    return table.play(), table.world.outcome.metrics


def test_own_coins_does_no_harm_but_by_a_coin_that_appears_under_its_foot():
    _, metrics = coins("own_coins", "own_coins")
    assert metrics["own_coins"] > 60
    assert metrics["foreign_coins"] <= 0.05 * metrics["own_coins"]


def test_greedy_coins_takes_as_many_of_either_colour():
    _, metrics = coins("greedy_coins", "greedy_coins", horizon=1000)
    taken = metrics["own_coins"] + metrics["foreign_coins"]
    assert taken > 100
    assert abs(metrics["foreign_coins"] / taken - 0.5) < 0.15


def test_greed_pays_against_the_fair_and_costs_both_among_the_greedy():
    fair = coins("own_coins", "own_coins")[0].tally("RETURN")
    mixed = coins("own_coins", "greedy_coins")[0].tally("RETURN")
    greedy = coins("greedy_coins", "greedy_coins")[0].tally("RETURN")
    assert mixed[1] > fair[1] > mixed[0]
    assert fair.sum() > greedy.sum()


def test_a_reciprocator_is_fair_to_the_fair_and_greedy_to_the_greedy():
    _, fair = coins("reciprocal_coins", "own_coins")
    assert fair["foreign_coins"] <= 0.05 * fair["own_coins"]
    returns = {
        bot: np.sum([coins(bot, "greedy_coins", seed=s)[0].tally("RETURN")[1] for s in range(3)])
        for bot in ("own_coins", "reciprocal_coins")
    }
    assert returns["reciprocal_coins"] < returns["own_coins"] - 30


def test_three_seats_know_their_own_colours():
    table, metrics = coins(*["own_coins"] * 3, map="coins_four_corners", colour_probs=[7, 1, 1])
    assert metrics["foreign_coins"] <= 0.1 * metrics["own_coins"]
    assert table.tally("COLLECTED")[0] > 2 * table.tally("COLLECTED")[1:].max()


def test_nonsense_parameters_are_refused():
    with pytest.raises(UsageError, match="whole number from 1"):
        resolve("scripted:reciprocal_coins?memory=0").create()
