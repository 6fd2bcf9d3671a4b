"""Bots that misread the state with a set probability: who sees better succeeds more often."""

from __future__ import annotations

import numpy as np
import pytest

from gymposium.agents.registry import resolve
from gymposium.agents.scripted.arms import ArmPlanner
from gymposium.agents.scripted.wayfinders import Wayfinder
from gymposium.envs.registry import make_world
from gymposium.errors import UsageError

SEAT = "player_0"


def outcomes(id, bot, seeds, **params):
    world, found = make_world(id, **{"size": 16, **params}), []
    for seed in seeds:
        agent = bot()
        turns = world.reset(seed)
        agent.reset(world.seats[SEAT], seed)
        while turns:
            turns = world.step({SEAT: agent.act(turns[SEAT])})
        found.append(world.outcome)
    return found


def mean(found, name):
    return float(np.mean([outcome.metrics[name] for outcome in found]))


CASES = [
    ("navigation-v0", Wayfinder, {}),
    ("primitive_skill-v0", ArmPlanner, {"task": "stack"}),
    ("primitive_skill-v0", ArmPlanner, {"task": "place", "representation": "structured"}),
]


@pytest.mark.parametrize(("id", "bot", "params"), CASES)
def test_success_grows_with_the_accuracy_of_beliefs(id, bot, params):
    levels = [
        outcomes(id, lambda chance=chance: bot(chance, chance), range(24), **params)
        for chance in (0.0, 0.5, 1.0)
    ]
    for name in ("success", "state_estimation"):
        low, middle, high = (mean(found, name) for found in levels)
        assert low < middle < high, name
        assert low <= 0.1
    assert mean(levels[2], "success") == 1
    assert mean(levels[2], "state_estimation") == 1
    assert mean(levels[2], "format_rate") == 1


@pytest.mark.parametrize("task", ["align", "place", "stack", "drawer"])
def test_the_planner_foresees_exactly_what_it_will_have_done(task):
    found = outcomes("primitive_skill-v0", ArmPlanner, range(10), task=task)
    assert mean(found, "success") == 1
    assert mean(found, "transition_modeling") == 1
    wrong = outcomes("primitive_skill-v0", lambda: ArmPlanner(1.0, 0.0), range(10), task=task)
    assert mean(wrong, "success") == 1
    assert mean(wrong, "transition_modeling") == 0


@pytest.mark.parametrize("strategy", ["no_think", "free_think", "state_estimation"])
@pytest.mark.parametrize(("id", "bot", "params"), CASES[:2])
def test_replies_have_the_form_of_every_strategy(id, bot, params, strategy):
    found = outcomes(id, bot, range(3), strategy=strategy, **params)
    assert mean(found, "format_rate") == 1
    assert mean(found, "success") == 1


def test_they_are_known_by_name_and_refuse_other_worlds():
    for spec, other in (("scripted:wayfinder?seeing=0.5", "primitive_skill-v0"),
                        ("scripted:arm_planner", "iterated_matrix-v0")):  # fmt: skip
        agent, world = resolve(spec).create(), make_world(other)
        turns = world.reset(0)
        seat, turn = next(iter(turns.items()))
        agent.reset(world.seats[seat], 0)
        with pytest.raises(UsageError, match="only"):
            agent.act(turn)
    with pytest.raises(UsageError):
        resolve("scripted:wayfinder?seeing=2").create()
