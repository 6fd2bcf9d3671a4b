"""An intervention agent around live environments of PettingZoo."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from pettingzoo.classic import connect_four_v3, rps_v2
from pettingzoo.test import api_test, seed_test

import gymposium
from gymposium.envs.wrappers import ModifiedAction
from gymposium.errors import UnknownName, UsageError


def played(env, chooser, seed=0):
    """(agent, observation) of every turn, and the last cumulative rewards."""
    env.reset(seed=seed)
    course, rewards = [], {}
    for agent in env.agent_iter(500):
        seen, reward, terminated, truncated, info = env.last()
        rewards[agent] = rewards.get(agent, 0.0) + reward
        course.append((agent, seen))
        over = terminated or truncated
        env.step(None if over else chooser(agent, seen, info))
    return course, rewards


@pytest.mark.parametrize("make", [connect_four_v3.env, rps_v2.env])
@pytest.mark.filterwarnings("ignore")
def test_it_passes_pettingzoos_checkers(make, capsys):
    env = ModifiedAction(make(), ["player_1"], quality=0.5, chance=0.5, modify=0.3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(env, num_cycles=60)
        seed_test(lambda: ModifiedAction(make(), ["player_1"], quality=0.5), num_cycles=20)


def test_a_parallel_environment_is_taken_as_it_is():
    inner = gymposium.make("iterated_matrix-v0", api="parallel", rounds=3)
    env = ModifiedAction(inner, ["player_0", "player_1"])
    course, rewards = played(env, lambda agent, seen, info: 0)
    asked = [agent for agent, _ in course]
    assert asked[:4] == ["intervention", "player_0", "intervention", "player_1"]
    assert rewards == {"player_0": 9.0, "player_1": 9.0, "intervention": 9.0}


def rps(mine, **channel):
    """Rock, paper, scissors: player_0 always plays rock, is advised paper; what it is paid."""
    env = ModifiedAction(rps_v2.env(max_cycles=15), ["player_0"], **channel)
    seen = []

    def chooser(agent, observation, info):
        if agent == "intervention":
            return 1
        if agent == "player_0":
            seen.append(observation["advice"] if observation["advised"] else None)
            return mine
        return 0

    return played(env, chooser)[1], seen


def test_advice_that_is_not_carried_out_changes_nothing_but_what_is_seen():
    rewards, seen = rps(0, modify=0.0)
    assert set(seen) == {1}
    assert rewards["player_0"] == 0


def test_advice_that_is_always_carried_out_decides():
    rewards, _ = rps(0, modify=1.0)
    assert rewards["player_0"] == rewards["intervention"] == 15


def test_there_is_no_advice_at_a_chance_of_none_and_nothing_to_carry_out():
    rewards, seen = rps(0, chance=0.0, modify=1.0)
    assert set(seen) == {None}
    assert rewards["player_0"] == 0


def test_quality_is_the_share_of_advice_that_arrives_as_meant():
    arrived = []
    for _ in range(40):
        arrived += rps(0, quality=0.25)[1]
    assert len(arrived) == 600
    assert 110 < arrived.count(1) < 195  # 150 are expected, sd 10.6
    assert {0, 1, 2} == set(arrived)


def test_only_legal_advice_arrives():
    env = ModifiedAction(connect_four_v3.env(), ["player_0", "player_1"], quality=0.0)
    rng = np.random.default_rng(0)

    def chooser(agent, seen, info):
        inner = seen.get("seen", seen)
        legal = np.flatnonzero(inner["action_mask"])
        if "advice" in seen and seen["advised"]:
            assert seen["advice"] in legal
        return int(rng.choice(legal))

    course, _ = played(env, chooser)
    assert len(course) > 20


def test_what_cannot_be_is_refused():
    with pytest.raises(UnknownName, match="player_1"):
        ModifiedAction(rps_v2.env(), ["player_l"])
    with pytest.raises(UsageError, match="at least one"):
        ModifiedAction(rps_v2.env(), [])
    with pytest.raises(UsageError, match="quality"):
        ModifiedAction(rps_v2.env(), ["player_0"], quality=1.5)
