"""The scenarios that come with the package: sound, distinct, small enough, and they run."""

import json
from collections import Counter

import jsonschema
import pytest
import yaml

from gymposium.arenas.run import run
from gymposium.arenas.schedule import schedule
from gymposium.envs.registry import make_world, specs
from gymposium.scenarios.load import change, named, validate_against_registry
from gymposium.scenarios.model import Scenario

NAMES = sorted(named())


def matches_of(scenario):
    worlds = validate_against_registry(scenario, make_world)
    agents = [entry.label for entry in scenario.agents]
    seats = {cell: list(world.seats) for cell, world in worlds.items()}
    kinds = {cell: world.kind for cell, world in worlds.items()}
    return worlds, schedule(scenario, agents, seats, kinds)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_named_like_its_scenario_and_says_what_it_asks(name):
    scenario = named()[name].load()
    assert scenario.name == name
    assert 40 <= len(scenario.description) <= 300
    assert scenario.agents


@pytest.mark.parametrize("name", NAMES)
def test_a_file_fits_the_published_json_schema(name):
    schema = json.loads(json.dumps(Scenario.model_json_schema()))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(yaml.safe_load(named()[name].file.read_text("utf-8")), schema)


def test_the_json_schema_knows_the_shorthand_and_refuses_a_misspelt_field():
    schema = Scenario.model_json_schema()
    jsonschema.validate({"name": "x", "world": "w", "params": {}}, schema)
    for bad in ({"name": "x"}, {"name": "x", "world": "w", "sede": 1}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(bad, schema)


def test_no_two_scenarios_are_equal_up_to_their_names():
    seen = {}
    for name in NAMES:
        data = named()[name].load().model_dump(mode="json")
        del data["name"], data["description"]
        twin = seen.setdefault(json.dumps(data, sort_keys=True), name)
        assert twin == name


def test_every_family_of_worlds_has_two_scenarios():
    families = Counter(listed.family for listed in named().values())
    modules = {spec.entry_point.split(".envs.")[1].split(".")[0] for spec in specs()}
    for family in modules & {"dilemmas", "markets", "social"}:
        assert families[family] >= 2


@pytest.mark.parametrize("name", NAMES)
def test_a_scenario_runs_and_every_metric_it_shows_is_measured(name, tmp_path):
    scenario = change(without_weights(named()[name].load()), time_limit=None)
    few = {**scenario.schedule.model_dump(), "repeats": 1}
    scenario = change(scenario, schedule=few)
    finished = run(scenario, out=tmp_path / "run")
    _, first = matches_of(scenario)
    assert len(finished.rows) >= len(first)
    assert {row.cell for row in finished.rows} == set(scenario.cells)
    for metric in scenario.metrics:
        assert any(metric in row.metrics for row in finished.rows), metric
    assert not any(seat.faults for row in finished.rows for seat in row.seats)


def without_weights(scenario):
    """The same scenario with the scripted stand-in in the language model's place."""
    stand_in = {"llm:smollm2": "random"}
    agents = [stand_in.get(entry.spec, entry.spec) for entry in scenario.agents]
    return change(scenario, agents=list(dict.fromkeys(agents)))


def test_the_demo_asks_a_language_model_at_most_80_times_over_at_least_three_seed_blocks():
    demo = named()["demo"].load()
    worlds, matches = matches_of(demo)
    turns = 0
    for spec in matches:
        world = worlds[spec.cell]
        steps = world.horizon
        each = -(-steps // len(world.seats)) if world.turn_based else steps
        turns += each * sum(agent.startswith("llm:") for agent in spec.seating.values())
    assert 0 < turns <= 80
    assert len({spec.block for spec in matches}) >= 3
    kinds = {agent.split(":")[0] for spec in matches for agent in spec.seating.values()}
    assert kinds == {"random", "llm", "scripted"}
    assert len(worlds) == 3


# What the descriptions promise.


def returns(finished, agent, cell=None):
    return [
        seat.return_
        for row in finished.rows
        for seat in row.seats
        if seat.agent == agent and cell in (None, row.cell)
    ]


def mean(values):
    return sum(values) / len(values)


def test_prisoners_dilemma_always_defecting_is_never_behind_and_yet_earns_less(tmp_path):
    finished = run("prisoners-dilemma", out=tmp_path / "run")
    defector = "scripted:always_defect"
    for row in finished.rows:
        by_agent = {seat.agent: seat.return_ for seat in row.seats}
        if defector in by_agent:
            assert by_agent[defector] == max(by_agent.values())
    among = [
        seat.return_
        for row in finished.rows
        for seat in row.seats
        if {other.agent for other in row.seats} == {"scripted:tit_for_tat", "scripted:grim"}
    ]
    assert mean(returns(finished, defector)) < mean(among)


def test_auctions_bidding_ones_value_pays_only_under_the_second_price_rule(tmp_path):
    finished = run("auctions", out=tmp_path / "run")
    truthful = "scripted:truthful_bidder"
    assert mean(returns(finished, truthful, "second-price")) > 0
    assert set(returns(finished, truthful, "first-price")) == {0.0}
    assert mean(returns(finished, truthful, "all-pay")) < 0


def test_matching_pennies_is_compared_within_the_match(tmp_path):
    finished = run("matching-pennies", out=tmp_path / "run")
    assert {row.kind for row in finished.rows} == {"zero_sum"}
    for row in finished.rows:
        assert sum(seat.return_ for seat in row.seats) == 0


def test_stag_hunt_visitors_meet_residents_only(tmp_path):
    finished = run("stag-hunt-visitors", out=tmp_path / "run")
    for row in finished.rows:
        assert sorted(seat.role for seat in row.seats) == ["background", "focal"]
    seats = Counter(
        (s.agent, s.seat) for row in finished.rows for s in row.seats if s.role == "focal"
    )
    assert len(set(seats.values())) == 1


def test_pennies_swiss_plays_three_rounds_of_new_opponents(tmp_path):
    finished = run("pennies-swiss", out=tmp_path / "run")
    rounds = {}
    for row in finished.rows:
        rounds.setdefault(row.block // 5, set()).add(frozenset(seat.agent for seat in row.seats))
    assert sorted(rounds) == [0, 1, 2]
    assert len(set.union(*rounds.values())) == sum(len(pairs) for pairs in rounds.values()) == 9


def test_haggling_the_firm_keep_more_of_a_deal_and_the_yielding_miss_fewer(tmp_path):
    finished = run("haggling", out=tmp_path / "run")
    pair = ("scripted:boulware_bargainer", "scripted:conceder_bargainer")
    kept = {name: [] for name in pair}
    for row in finished.rows:
        total = sum(seat.return_ for seat in row.seats)
        if {seat.agent for seat in row.seats} == set(pair) and total > 0:
            for seat in row.seats:
                kept[seat.agent].append(seat.return_ / total)
    assert mean(kept[pair[0]]) > mean(kept[pair[1]])
    deals = {
        name: mean(
            [
                row.metrics["agreement"]
                for row in finished.rows
                if name in {seat.agent for seat in row.seats}
            ]
        )
        for name in pair
    }
    assert deals[pair[1]] >= deals[pair[0]]
