"""Tabular Q-learning: what it learns, and that it goes on where it stopped."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gymposium
from gymposium.agents.learning.q_learning import GreedyTable, QLearning, QLearningConfig
from gymposium.agents.methods import resolve_method
from gymposium.errors import GymposiumError, UnknownName, UsageError
from gymposium.types import TrainingTask

SURE = [
    {"name": "now", "rewards": [2], "probs": [1]},
    {"name": "worse", "rewards": [1], "probs": [1]},
    {"name": "ruin", "rewards": [-99], "probs": [1]},
]


def learn(task: TrainingTask, spec: str = "q_learning") -> QLearning:
    method: Any = resolve_method(spec).make()
    for _ in method.train(task):
        pass
    return method  # type: ignore[no-any-return]


def test_sure_outcomes_are_learned_exactly() -> None:
    task = TrainingTask(
        "survival_bandit-v0", {"arms": SURE, "horizon": 3}, budget={"steps": 6000}, seed=1
    )
    method = learn(task)
    world = gymposium.make("survival_bandit-v0", api="world", arms=SURE, horizon=3)
    (agent,) = method.agents().values()
    turns, total = world.reset(5), 0.0
    while turns:
        turns = world.step({"player_0": agent.act(turns["player_0"])})
        total += world.rewards["player_0"]
    assert total == 6
    first = max(method.visits, key=lambda key: method.visits[key].sum())
    assert method.values[first].max() == pytest.approx(6, abs=0.2)


def test_it_answers_a_partner_in_the_iterated_dilemma() -> None:
    task = TrainingTask(
        "iterated_matrix-v0",
        {"rounds": 1},
        seats=("player_0",),
        partners={"player_1": "scripted:tit_for_tat"},
        budget={"steps": 2000},
    )
    (agent,) = learn(task).agents().values()
    world = gymposium.make("iterated_matrix-v0", api="world", rounds=1)
    assert agent.act(world.reset(0)["player_0"]) == 1  # one shot: defect


def test_interrupted_and_gone_on_with_is_as_never_interrupted() -> None:
    task = TrainingTask("survival_bandit-v0", {}, budget={"steps": 9000}, seed=3)
    whole = learn(task, "q_learning?vary=budget&low=1&high=9").state_dict()
    half: Any = resolve_method("q_learning?vary=budget&low=1&high=9").make()
    for number, _ in enumerate(half.train(task)):
        if number == 1:
            break
    rest: Any = resolve_method("q_learning?vary=budget&low=1&high=9").make()
    rest.load_state_dict(half.state_dict())
    for _ in rest.train(task):
        pass
    found = rest.state_dict()
    assert found["keys"] == whole["keys"]
    assert np.array_equal(found["values"], whole["values"])
    assert found["rng"] == whole["rng"]


def test_a_state_never_met_is_answered_legally() -> None:
    world = gymposium.make("survival_bandit-v0", api="world")
    assert GreedyTable({}).act(world.reset(0)["player_0"]) == 0


@pytest.mark.parametrize("params", [{"epsilon": 2}, {"power": 0.5}, {"gamma": -1}])
def test_parameters_out_of_range_are_refused(params: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="q_learning"):
        QLearningConfig(**params)


@pytest.mark.parametrize(
    ("task", "says"),
    [
        (TrainingTask("iterated_matrix-v0"), "beside partners"),
        (TrainingTask("iterated_matrix-v0", seats=("player_9",)), "player_9"),
        (
            TrainingTask("principal_agent-v0", seats=("principal",), partners={"agent": "random"}),
            "Discrete",
        ),
    ],
)
def test_tasks_it_cannot_learn_are_refused(task: TrainingTask, says: str) -> None:
    with pytest.raises((UsageError, UnknownName, GymposiumError), match=says):
        learn(task)
