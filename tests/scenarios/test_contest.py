"""The contest's scenarios are what they say: held out, resident or visitor, small where small."""

from __future__ import annotations

import pytest

import gymposium
from gymposium.envs.registry import make_world
from gymposium.scenarios.load import change, named

CONTESTS = ("concordia_contest", "concordia_contest_mini")
MOST_CALLS, MOST_TOKENS = 150, 900


def worlds(name, tag=""):
    return [it for it in named()[name].load().worlds if not tag or tag in it.tags]


def test_there_are_as_many_scenarios_as_in_the_contest():
    assert len(worlds("concordia_contest")) == 26
    assert len(worlds("concordia_contest", "held-out")) == 14


@pytest.mark.parametrize("name", CONTESTS)
def test_no_scenario_is_held_out_and_for_development_under_the_same_rules(name):
    def rules(tag):
        # Defaults written out: a parameter set to its default makes no other scenario.
        return {(it.id, repr(make_world(it.id, **it.params).params)) for it in worlds(name, tag)}

    assert not rules("held-out") & rules("development")
    for world in worlds(name):
        assert ("held-out" in world.tags) != ("development" in world.tags), world.name


@pytest.mark.parametrize("name", CONTESTS)
def test_a_visitor_is_alone_and_residents_are_visited_by_one(name):
    for world in worlds(name):
        main = make_world(world.id, **world.params).main
        focal = [seat for seat in main if seat not in world.roles]
        if "visitor" in world.tags:
            assert focal == ["player_0"], world.name
        else:
            assert len(focal) == len(main) - 1, world.name
        assert set(world.roles.values()) == {"background"}


def test_the_small_contest_asks_a_model_as_often_as_it_says(tmp_path):
    mini = named()["concordia_contest_mini"].load()
    (model,) = [it for it in mini.agents if it.spec == "llm:smollm2"]
    stand_in = {"spec": "llm:scripted/legal", "params": model.params}
    run = gymposium.run(change(mini, agents=[stand_in]), out=tmp_path / "run", cache=False)
    calls = [
        call
        for row in run.rows
        for step in run.transcript(row.key)
        for reply in step.get("replies", {}).values()
        for call in reply.get("calls", ())
    ]
    assert len(calls) == 138 <= MOST_CALLS
    assert "138 turns" in mini.description
    # The stand-in counts words, of which SmolLM2 makes up to 1.8 tokens each in these prompts.
    assert 1.8 * max(call["usage"]["$tuple"][0] for call in calls) <= MOST_TOKENS
