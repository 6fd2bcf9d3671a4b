"""The town as a Mesa model: what theory says of its strategies, and whose luck it draws."""

from __future__ import annotations

import copy
import pickle
import random

import numpy as np
import pytest

from gymposium.envs.societies import town_rules as rules
from gymposium.envs.societies.town_model import COLUMNS, TownModel
from gymposium.envs.societies.town_params import TownParams
from gymposium.envs.societies.town_rules import (
    COOPERATE,
    DEFECT,
    LIE,
    NOTHING,
    TRUTH,
    Deed,
)


def model_of(**given_):
    rng = np.random.default_rng(given_.pop("seed", 0))
    return TownModel(TownParams(**given_), rng)


def test_without_watching_and_gossip_a_discriminator_gives_to_each_defector_at_most_once():
    quiet = {"watch": 0, "gossip": 0, "slips": 0, "imitation": 0}
    model = model_of(people=20, places=1, cooperators=0, defectors=0.5, seats=1, **quiet)
    given_to = np.zeros((20, 20), int)
    for _ in range(300):
        model.step()
        met = np.flatnonzero(model.town.partner >= 0)
        kind = model._kind
        for i in met:
            j = model.town.partner[i]
            both = model.town.strategy[i] == 2 and model.town.strategy[j] == 1
            if both and min(i, j) > 0 and kind[i]:
                given_to[i, j] += 1
    assert given_to.max() == 1
    discriminators = np.flatnonzero(model.town.strategy[1:] == 2) + 1
    defectors = np.flatnonzero(model.town.strategy[1:] == 1) + 1
    assert given_to[np.ix_(discriminators, defectors)].all()  # in 300 hours all have met


def test_talk_spares_discriminators_gifts_to_defectors():
    def gifts(**given_):
        model = model_of(
            people=100, defectors=0.5, cooperators=0, slips=0, imitation=0, seats=1, **given_
        )
        total = 0
        for _ in range(60):
            model.step()
            i = np.flatnonzero((model.town.partner >= 0) & (model.town.strategy == 2))
            to_defector = model.town.strategy[model.town.partner[i]] == 1
            total += int((model._kind[i] & to_defector).sum())
        return total

    silent, watched = gifts(watch=0.0, gossip=0.0), gifts(watch=0.0, gossip=1.0)
    assert watched < silent


@pytest.mark.parametrize(("share", "each"), [(1.0, 2.0), (0.0, 0.0)])
def test_a_town_of_one_kind_earns_what_the_matrix_says(share, each):
    model = model_of(
        people=50, cooperators=share, defectors=1 - share, slips=0, imitation=0.5, seats=1
    )
    for _ in range(10):
        model.step()
        met = model.town.partner >= 0
        assert model.payoffs[met].tolist() == [each] * int(met.sum())


def test_standing_excuses_a_refusal_of_one_of_ill_repute_and_image_does_not():
    """Person 2 watches 0 refuse 1, of whom it thinks ill."""
    for norm, expected in (("image", -1), ("standing", 0)):
        params = TownParams(people=4, seats=2, places=1, norm=norm, watch=1, gossip=0, slips=0)
        town = rules.founded(params, np.random.default_rng(0))
        town.opinion[2, 1] = -2
        luck = rules.drawn(4, np.random.default_rng(0))._replace(
            order=np.array([0.1, 0.2, 0.3, 0.4]), which=np.zeros(4)
        )
        rules.go(town, params, luck, {0: 0, 1: 0})
        assert town.partner.tolist() == [1, 0, 3, 2]
        rules.meet(town, params, luck, {0: Deed(DEFECT, NOTHING), 1: Deed(COOPERATE, NOTHING)})
        assert town.opinion[2, 0] == expected
        assert town.opinion[2, 1] == -1


def listener(say, *, trust):
    """What person 1 thinks of 3 after seat 0, who thinks ill of 3, has spoken."""
    params = TownParams(people=4, seats=2, places=1, watch=0, gossip=0)
    town = rules.founded(params, np.random.default_rng(0))
    town.opinion[0, 3], town.news[0], town.opinion[1, 0] = -3, 3, trust
    luck = rules.drawn(4, np.random.default_rng(0))._replace(
        order=np.array([0.1, 0.2, 0.3, 0.4]), watch=np.ones(4)
    )
    rules.go(town, params, luck, {})
    town.partner = np.array([1, 0, 3, 2])
    rules.meet(town, params, luck, {0: Deed(COOPERATE, say), 1: Deed(COOPERATE, NOTHING)})
    return int(town.opinion[1, 3]), int(town.heard[1])


def test_a_lie_turns_an_opinion_round_and_the_distrusted_are_not_believed():
    assert listener(TRUTH, trust=0) == (-1, -1)
    assert listener(LIE, trust=0) == (1, 1)
    assert listener(NOTHING, trust=0) == (0, 0)
    assert listener(TRUTH, trust=-1) == (0, -1)


def test_shares_of_strategies_are_as_asked_for():
    town = rules.founded(
        TownParams(people=200, cooperators=0.25, defectors=0.5), np.random.default_rng(3)
    )
    assert np.bincount(town.strategy).tolist() == [50, 100, 50]


# The Mesa model.


def test_citizens_are_mesa_agents_that_see_their_rows():
    model = model_of(people=30, seats=2)
    model.step()
    assert len(model.agents) == 30
    assert [agent.place for agent in model.agents] == model.town.place.tolist()
    assert [agent.wealth for agent in model.agents] == model.town.wealth.tolist()
    assert [agent.strategy for agent in model.agents][:2] == ["seat", "seat"]


def test_the_data_collector_keeps_a_row_per_hour():
    model = model_of(people=30)
    for _ in range(7):
        model.step()
    frame = model.datacollector.get_model_vars_dataframe()
    assert list(frame.columns) == list(COLUMNS)
    assert frame["hour"].tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert frame[["cooperators", "defectors", "discriminators"]].sum(axis=1).round(9).eq(1).all()


def test_luck_comes_from_the_generator_handed_in_and_from_nowhere_else():
    def course(seed):
        model = model_of(people=40, seed=seed)
        for _ in range(5):
            model.step()
        return pickle.dumps((model.town, model.datacollector.model_vars))

    before = random.getstate(), np.random.get_state()[1].tobytes()  # noqa: NPY002
    assert course(1) == course(1)
    assert course(1) != course(2)
    assert (random.getstate(), np.random.get_state()[1].tobytes()) == before  # noqa: NPY002


def test_a_copy_between_the_steps_of_an_hour_goes_on_alike_and_alone():
    model = model_of(people=40)
    model.step()
    model.go({0: 1})
    twin = copy.deepcopy(model)
    for each in (model, twin):
        for _ in range(3):
            each.step()
    assert pickle.dumps(model.town) == pickle.dumps(twin.town)
    assert model.datacollector.model_vars == twin.datacollector.model_vars
    assert len(twin.agents) == 40
    assert twin.random.getstate() == model.random.getstate()
    assert twin.rng is not model.rng


def test_models_are_let_go():
    import mesa

    before = len(mesa.Agent._ids)
    for _ in range(3):
        model_of(people=10)
    assert len(mesa.Agent._ids) == before
