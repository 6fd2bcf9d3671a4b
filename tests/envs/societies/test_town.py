"""The town: its rules against a plain-Python twin, what is conserved, and what theory says."""

from __future__ import annotations

import copy
import pickle
import random
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gymposium
from gymposium.envs.societies import town_rules as rules
from gymposium.envs.societies.town_model import COLUMNS, TownModel
from gymposium.envs.societies.town_params import GAMES, TownParams
from gymposium.envs.societies.town_rules import (
    COOPERATE,
    DEFECT,
    LIE,
    LIMIT,
    NOTHING,
    TRUTH,
    Deed,
)
from gymposium.errors import IllegalAction, MissingExtra, UnknownName, UsageError

from ...oracles.town_twin import TownTwin

chance = st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0])
towns = st.builds(
    TownParams,
    people=st.integers(4, 30),
    seats=st.integers(1, 4),
    places=st.integers(1, 4),
    game=st.sampled_from(sorted(GAMES)),
    norm=st.sampled_from(["image", "standing"]),
    cooperators=st.sampled_from([0.0, 0.2, 0.5]),
    defectors=st.sampled_from([0.0, 0.3, 0.5]),
    habit=chance,
    watch=chance,
    gossip=chance,
    lies=chance,
    slips=chance,
    imitation=chance,
)


def seat_choices(params, town, rng, *, meeting):
    """Something random, silence included, for every seat that is asked."""
    found = {}
    for seat in range(params.seats):
        silent = rng.random() < 0.2
        if not meeting:
            found[seat] = None if silent else int(rng.integers(params.places))
        elif town.partner[seat] >= 0:
            deed = Deed(int(rng.integers(2)), int(rng.integers(3)))
            found[seat] = None if silent else deed
    return found


def hour(params, town, rng):
    """One hour; its luck, what seats chose, payoffs and who was kind."""
    luck = rules.drawn(params.people, rng)
    chosen = seat_choices(params, town, rng, meeting=False)
    rules.go(town, params, luck, chosen)
    deeds = seat_choices(params, town, rng, meeting=True)
    before = copy.deepcopy(town)
    paid, kind = rules.meet(town, params, luck, deeds)
    return luck, chosen, deeds, before, paid, kind


@given(towns, st.integers(0, 2**32))
@settings(max_examples=150, deadline=None)
def test_every_hour_is_that_of_the_plain_python_twin(params, seed):
    rng = np.random.default_rng(seed)
    town = rules.founded(params, rng)
    twin = TownTwin(town, params)
    for _ in range(6):
        luck, chosen, deeds, _, paid, kind = hour(params, town, rng)
        twin.go(luck, chosen)
        assert [person.partner for person in twin.people] == town.partner.tolist()
        twins, kinds = twin.meet(luck, deeds)
        assert twins == paid.tolist()
        assert sorted(i for i, it in kinds.items() if it) == np.flatnonzero(kind).tolist()
        for i, person in enumerate(twin.people):
            assert person.place == town.place[i]
            assert person.news == town.news[i]
            assert person.strategy == town.strategy[i]
            assert person.wealth == pytest.approx(town.wealth[i])
            row = [person.thinks(k) for k in range(params.people)]
            assert row == town.opinion[i].tolist()


@given(towns, st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_what_is_conserved_and_bounded_in_every_hour(params, seed):
    rng = np.random.default_rng(seed)
    town = rules.founded(params, rng)
    both, only_me, only_other, nobody = params.matrix.ravel()
    sums = {2: 2 * both, 1: only_me + only_other, 0: 2 * nobody}
    for _ in range(8):
        _, _, deeds, before, paid, kind = hour(params, town, rng)
        # Everybody is somewhere, and meets at most one, who is at the same place and meets it.
        assert np.bincount(town.place, minlength=params.places).sum() == params.people
        met = np.flatnonzero(town.partner >= 0)
        assert (town.partner[town.partner[met]] == met).all()
        assert (town.place[town.partner[met]] == town.place[met]).all()
        assert (town.partner[met] != met).all()
        odd = np.bincount(town.place, minlength=params.places) % 2
        assert params.people - len(met) == odd.sum()
        # Each meeting pays what its cell pays, but for seats at fault.
        for i in met:
            j = town.partner[i]
            if deeds.get(i, "") is not None and deeds.get(j, "") is not None:
                assert paid[i] + paid[j] == pytest.approx(sums[int(kind[i]) + int(kind[j])])
        assert (paid[town.partner < 0] == 0).all()
        # Reputations are bounded, and move only by what was seen or heard at one's place.
        assert np.abs(town.opinion).max() <= LIMIT
        assert (np.diag(town.opinion) == 0).all()
        assert town.sums.tolist() == [town.opinion.sum(), np.count_nonzero(town.opinion)]
        everybody = np.arange(params.people**2)
        assert town.digest == rules.digested(everybody, town.opinion.ravel())
        changed = np.argwhere(town.opinion != before.opinion)
        for i, k in changed:
            here = town.place == town.place[i]
            heard = town.partner[i] >= 0 and before.news[town.partner[i]] == k
            assert (here[k] and town.partner[k] >= 0) or heard


def test_towns_that_differ_in_one_opinion_have_different_digests():
    place = np.arange(30**2)
    rng = np.random.default_rng(0)
    opinion = rng.integers(-LIMIT, LIMIT + 1, 30**2)
    seen = {int(rules.digested(place, opinion)[0])}
    for index in range(30**2):
        changed = opinion.copy()
        changed[index] = (changed[index] + LIMIT + 1) % (2 * LIMIT + 1) - LIMIT
        seen.add(int(rules.digested(place, changed)[0]))
    seen.add(int(rules.digested(place, rng.permutation(opinion))[0]))
    assert len(seen) == 30**2 + 2


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


# The world.


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
