from __future__ import annotations

import json
import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gymposium.agents.learning.tool_bandit import (
    BanditPlanner,
    Beliefs,
    ToolBandit,
    ToolBanditConfig,
)
from gymposium.agents.scripted.room_planners import trust_in
from gymposium.errors import UsageError
from gymposium.types import TrainingTask

TASK = TrainingTask("scene_weaver-v0", {"room": "hallway", "steps": 3}, budget={"steps": 12})


def turn(reward: float = 0.0, completion: float = 5.0, offered: tuple[str, ...] = ()) -> Any:
    """A turn after the first, in which only completion is at fault."""
    return SimpleNamespace(
        observation={"physics": [9, 0, 0, 0], "grades": [10, 10, 10, completion]},
        info={
            "offered": offered or ("add_rule", "add_gpt", "update_size", "terminate"),
            "comments": ("", "", "", "much of the floor is empty"),
        },
        reward=reward,
    )


def called(planner: BanditPlanner, seen: Any) -> str:
    return str(json.loads(planner.act(seen))["tool"])


def fresh(beliefs: Beliefs, rng: np.random.Generator | None = None) -> BanditPlanner:
    planner = BanditPlanner(beliefs, rng)
    planner.reset(None, 0)  # type: ignore[arg-type]
    return planner


def test_a_promise_begins_at_the_trust_and_ends_at_what_calls_brought() -> None:
    beliefs = Beliefs(ToolBanditConfig(prior=4, gain=0.05))
    assert math.isclose(beliefs.mean("layout", "update_layout", 0.8), 0.04)
    for _ in range(4):
        beliefs.learn("layout", "update_layout", 0.1)
    assert math.isclose(beliefs.mean("layout", "update_layout", 0.8), 0.07)
    assert math.isclose(beliefs.mean("layout", "add_gpt", 0.8), 0.04)
    assert math.isclose(beliefs.deviation("layout", "update_layout"), 0.05 / 8**0.5)
    for _ in range(10_000):
        beliefs.learn("layout", "update_layout", 0.1)
    assert math.isclose(beliefs.mean("layout", "update_layout", 0.8), 0.1, abs_tol=1e-4)


def test_without_experience_the_most_trusted_tool_is_called_and_less_so_after_it_failed() -> None:
    trust = trust_in("completion", "much of the floor is empty")
    assert max(trust, key=trust.__getitem__) == "add_rule"
    planner = fresh(Beliefs(ToolBanditConfig()))
    assert called(planner, turn()) == "add_rule"
    assert called(planner, turn(reward=0.03)) == "add_rule"  # it helped
    assert called(planner, turn(reward=0.0)) == "add_gpt"  # it did not
    calls = [called(planner, turn()) for _ in range(30)]
    assert calls[-1] == "terminate"  # in the end nothing promises enough


def test_experience_overrules_trust() -> None:
    beliefs = Beliefs(ToolBanditConfig())
    for _ in range(50):
        beliefs.learn("completion", "add_rule", 0.0)
        beliefs.learn("completion", "update_size", 0.06)
    assert called(fresh(beliefs), turn()) == "update_size"


def test_it_learns_only_while_it_trains_and_tries_other_tools_then() -> None:
    beliefs = Beliefs(ToolBanditConfig())
    planner = fresh(beliefs)
    planner.act(turn())
    planner.told(0.2)
    assert not beliefs.count
    rng = np.random.default_rng(0)
    tried = []
    for _ in range(60):
        trainee = fresh(beliefs, rng)
        tried.append(called(trainee, turn()))
        trainee.told(0.02)
    assert {"add_rule", "add_gpt", "update_size"} <= set(tried)
    assert sum(beliefs.count.values()) == 60 - tried.count("terminate")


def test_where_nothing_is_wrong_it_ends_and_where_it_may_not_end_it_goes_on() -> None:
    planner = fresh(Beliefs(ToolBanditConfig()))
    assert called(planner, turn(completion=10.0)) == "terminate"
    assert called(planner, turn(completion=10.0, offered=("update_size",))) == "update_size"


def test_training_goes_on_from_a_saved_state_bit_for_bit() -> None:
    straight = ToolBandit()
    steps = [progress.step for progress in straight.train(TASK)]
    assert steps[-1] == straight.steps >= 12
    half = ToolBandit()
    for _ in half.train(TrainingTask(TASK.world, TASK.params, budget={"steps": 4})):
        pass
    resumed = ToolBandit()
    resumed.load_state_dict(half.state_dict())
    for _ in resumed.train(TASK):
        pass
    one, two = resumed.state_dict(), straight.state_dict()
    assert all(np.array_equal(one.pop(name), two.pop(name)) for name in ("total", "count"))
    assert one == two


@pytest.mark.parametrize(
    ("world", "params"),
    [("iterated_matrix-v0", {}), ("scene_weaver-v0", {"control": "choice"})],
)
def test_other_worlds_are_refused(world: str, params: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="control: call"):
        next(iter(ToolBandit().train(TrainingTask(world, params))))


@pytest.mark.parametrize("name", ["prior", "gain", "spread"])
def test_parameters_must_be_above_0(name: str) -> None:
    with pytest.raises(UsageError, match=name):
        ToolBanditConfig(**{name: 0.0})
