"""Trained policies as ordinary agents."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest
import torch

from gymposium.agents.checks import check_agent
from gymposium.agents.learning.policy import Policy, PolicyAgent
from gymposium.agents.methods import resolve_method
from gymposium.arenas.asking import Player
from gymposium.arenas.match import Match
from gymposium.envs.registry import make_world
from gymposium.errors import UsageError
from gymposium.types import TrainingTask


def policy(world: str, query: str = "", seat: str = "", **params: Any) -> Policy:
    made: Any = resolve_method(f"ippo?num_envs=4&minibatches=2&rollout=4{query}").make()
    next(iter(made.train(TrainingTask(world, params))))
    found = made.policies()
    return found[seat or next(iter(found))]  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def recurrent() -> Policy:
    made = policy("iterated_matrix-v0", "&recurrent=8", rounds=6)
    with torch.no_grad():  # an early policy hardly listens: make its memory heard
        made.network.parameters["actor.output.weight"].mul_(300)
    return made


@pytest.mark.parametrize("query", ["", "&recurrent=8"])
def test_a_policy_passes_the_conformance_kit(query: str) -> None:
    trained = policy("iterated_matrix-v0", query)
    check_agent(PolicyAgent(trained), "iterated_matrix-v0")


def test_policies_sit_in_matches_of_the_arena() -> None:
    made: Any = resolve_method("ippo?num_envs=4&minibatches=2").make()
    next(iter(made.train(TrainingTask("haggling-v0"))))
    world, agents = make_world("haggling-v0"), made.agents()
    players = {seat: Player(world.seats[seat], mind, seat) for seat, mind in agents.items()}
    outcome = asyncio.run(Match(world, players, seed=3).play())
    assert not any(outcome.faults.values())


def turns(seed: int, actions: list[tuple[int, int]]) -> list[Any]:
    world = make_world("iterated_matrix-v0", rounds=6)
    asked = [world.reset(seed)]
    for pair in actions:
        asked.append(world.step(dict(zip(asked[-1], pair, strict=True))))
    return [turn["player_0"] for turn in asked]


def test_many_matches_in_one_pass_are_played_as_each_alone(recurrent: Policy) -> None:
    agent = PolicyAgent(recurrent)
    scripts = [[(0, 1), (1, 1)], [(1, 0), (0, 0)], [(0, 0), (1, 0)]]
    games = [turns(seed, script) for seed, script in enumerate(scripts)]
    states = [agent.start(seed) for seed in range(3)]
    together = []
    for step in range(3):
        asked = [game[step] for game in games]
        seen, masks = [t.observation for t in asked], [t.action_mask for t in asked]
        actions, states = agent.act_batch(seen, states, masks)
        together.append(actions)
    for i, game in enumerate(games):
        alone = PolicyAgent(recurrent)
        alone.reset(make_world("iterated_matrix-v0", rounds=6).seats["player_0"], i)
        assert [alone.act(turn) for turn in game] == [actions[i] for actions in together]


def test_memory_begins_and_ends_with_the_match(recurrent: Policy) -> None:
    agent, seat = (
        PolicyAgent(recurrent),
        make_world("iterated_matrix-v0", rounds=6).seats["player_0"],
    )
    game = turns(0, [(0, 1), (1, 1), (0, 0)])
    agent.reset(seat, 1)
    first = [agent.act(turn) for turn in game]
    remembered = agent._mind.hidden
    agent.reset(seat, 1)
    assert agent._mind.hidden is None
    assert [agent.act(turn) for turn in game] == first
    torch.testing.assert_close(agent._mind.hidden, remembered)


def test_memory_is_of_what_was_seen(recurrent: Policy) -> None:
    agent = PolicyAgent(recurrent)
    hidden = []
    for script in ([(0, 1)], [(1, 0)]):
        state = [agent.start(0)]
        for turn in turns(0, script):
            _, state = agent.act_batch([turn.observation], state, [None])
        hidden.append(state[0].hidden)
    assert not torch.allclose(*hidden)


def test_a_greedy_policy_draws_nothing() -> None:
    trained = policy("auction-v0")
    agent = PolicyAgent(
        Policy(
            trained.network,
            trained.observation_space,
            trained.action_space,
            "auction-v0",
            greedy=True,
        )
    )
    world = make_world("auction-v0")
    turn = next(iter(world.reset(5).values()))
    chosen = set()
    for seed in range(5):
        agent.reset(world.seats[turn.seat], seed)
        chosen.add(agent.act(turn))
    said = trained.network.act(trained.encode(turn.observation)[None, None])
    assert chosen == {int(said.logits[0, 0].argmax())}


def test_a_seat_of_another_world_is_refused_by_name() -> None:
    trained = policy("iterated_matrix-v0", rounds=6)
    other = make_world("iterated_matrix-v0", rounds=7).seats["player_0"]
    with pytest.raises(UsageError, match="trained in iterated_matrix-v0 cannot sit in player_0"):
        PolicyAgent(trained).reset(other, 0)


def test_codes_are_played_from_the_worlds_own_observations() -> None:
    params = {"map": "clean_up_mini", "agents": 2, "horizon": 6}
    trained = policy("clean_up-v0", **params)
    assert trained.network.table is not None
    world = make_world("clean_up-v0", **params)
    agents = {seat: PolicyAgent(trained) for seat in world.seats}
    asked = world.reset(0)
    for seat, agent in agents.items():
        agent.reset(world.seats[seat], 1)
    while asked:
        actions = {seat: agents[seat].act(turn) for seat, turn in asked.items()}
        assert all(type(a) is int and 0 <= a < 9 for a in actions.values())
        asked = world.step(actions)
    assert np.isfinite(list(world.outcome.returns.values())).all()
