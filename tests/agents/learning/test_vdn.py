"""Value decomposition: what it can represent, what it learns, what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from gymposium.agents.checkpoints import read_checkpoint, write_checkpoint
from gymposium.agents.learning.checkpoint import policies_from_state
from gymposium.agents.learning.vdn import ValueDecider
from gymposium.agents.methods import resolve_method
from gymposium.envs.registry import make_world
from gymposium.errors import UsageError
from gymposium.types import TrainingTask


def train(method: str, updates: int, *, steps: int = 4000, **params: Any) -> Any:
    made: Any = resolve_method(method).make()
    task = TrainingTask("iterated_matrix-v0", {"rounds": 1, **params}, budget={"steps": steps})
    training = made.train(task)
    for _ in range(updates):
        next(training)
    return made


def values(made: Any) -> Any:
    """Each seat's value of its actions at the start, ``[seats, actions]``."""
    world = make_world("iterated_matrix-v0", **made._task.params)
    turns = world.reset(0)
    seen = np.stack([made.source._read.encode(turn.observation) for turn in turns.values()])
    return made.decider.network.act(seen[None]).logits[:, 0].numpy()


def test_the_sum_of_its_values_is_the_best_sum_that_fits_the_teams_payoffs() -> None:
    # While all actions are equally likely, least squares over additive functions has a closed form:
    # row mean + column mean - mean; what is left over no sum can say.
    team = np.array([[3.0, 1.0], [2.0, -4.0]])
    payoffs = [[[half, half] for half in row] for row in (team / 2).tolist()]
    made = train(
        "vdn?num_envs=256&minibatches=1&lr=0.01&anneal=false&explore_last=1&epochs=4",
        60,
        steps=100_000,
        game="custom",
        payoffs=payoffs,
    )
    own, other = values(made)
    additive = team.mean(1)[:, None] + team.mean(0) - team.mean()
    np.testing.assert_allclose(own[:, None] + other, additive, atol=0.35)


def test_minds_that_add_up_cooperate_where_each_for_itself_would_defect() -> None:
    made = train("vdn?num_envs=64&minibatches=2&lr=0.01", 30, game="prisoners-dilemma")
    worth = values(made)
    assert (worth[:, 0] > worth[:, 1]).all()
    agents = made.agents()
    world = make_world("iterated_matrix-v0", rounds=1, game="prisoners-dilemma")
    turns = world.reset(0)
    for seat, agent in agents.items():
        agent.reset(world.seats[seat], 0)
        assert {agent.act(turns[seat]) for _ in range(20)} == {0}


def test_a_saved_policy_still_takes_what_is_worth_most(tmp_path: Path) -> None:
    made = train("vdn?num_envs=8&minibatches=1", 1)
    facts = {
        "method": "vdn",
        "params": {},
        "world": "iterated_matrix-v0",
        "world_params": {},
        "seats": {},
        "policies": list(made.agents()),
        "deterministic": True,
        "step": made.steps,
    }
    saved = read_checkpoint(write_checkpoint(tmp_path, facts, made.state_dict()))
    policies = policies_from_state(saved.state()["policies"])
    assert len(policies) == 2
    assert all(policy.greedy for policy in policies.values())


@pytest.mark.parametrize("explore", [0.0, 0.3, 1.0])
def test_exploring_takes_every_open_action_equally_often(explore: float) -> None:
    made = train("vdn?num_envs=8&minibatches=1", 1)
    decider = ValueDecider(
        made.decider.network, made.decider.layout, np.random.default_rng(0), central=False
    )
    decider.explore = explore
    with torch.no_grad():
        made.decider.network.parameters["actor.output.bias"].copy_(torch.tensor([5.0, 0.0]))
    seen = np.zeros((20_000, 2, *made.source.spaces.shape), np.float32)
    starts = np.zeros(seen.shape[:2], bool)
    drawn, worth = decider.decide(seen, None, None, starts)
    second = drawn.choices[..., 0].mean()
    assert second == pytest.approx(explore / 2, abs=0.01)
    np.testing.assert_allclose(worth, 5, atol=0.01)
    only = np.zeros((*seen.shape[:2], 2), bool)
    only[..., 1] = True
    drawn, worth = decider.decide(seen, None, only, starts)
    assert (drawn.choices == 1).all()
    assert (worth < 4).all()


@pytest.mark.parametrize(
    ("world", "why"),
    [("haggling-v0", "one choice"), ("weights_task-v0", "act in turn|one choice|act and end")],
)
def test_what_no_sum_of_simultaneous_choices_describes_is_refused(world: str, why: str) -> None:
    made: Any = resolve_method("vdn?num_envs=2").make()
    seats = list(make_world(world).seats)
    task = TrainingTask(world, seats=seats[:1], partners=dict.fromkeys(seats[1:], "random"))
    with pytest.raises(UsageError, match=why):
        next(made.train(task))
