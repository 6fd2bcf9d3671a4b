"""RLlib's own PPO learns in a grid world through PettingZoo's Parallel API.

RLlib pins an older Gymnasium than gymposium is developed with, so this file is run in an
environment of its own by ``make test-integrations``; its name keeps it out of ``make test``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import ray
from ray.rllib.algorithms.ppo import PPO, PPOConfig
from ray.rllib.connectors.env_to_module import FlattenObservations
from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv
from ray.tune.registry import register_env

import gymposium

STEPS, AGENTS = 40, 2


@pytest.fixture
def algorithm() -> Iterator[PPO]:
    def make(params: dict[str, Any]) -> ParallelPettingZooEnv:
        return ParallelPettingZooEnv(gymposium.make("clean_up-v0", api="parallel", **params))

    register_env("clean_up", make)
    mini = {"map": "clean_up_mini", "agents": AGENTS, "horizon": STEPS, "start_dirt": 0.0}
    config = (
        PPOConfig()
        .environment("clean_up", env_config=mini)
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda *_, **__: "shared")
        .env_runners(
            num_env_runners=0,
            rollout_fragment_length=STEPS,
            # Codes are bytes; networks want numbers in a row.
            env_to_module_connector=lambda *_, **__: FlattenObservations(multi_agent=True),
        )
        .rl_module(model_config={"fcnet_hiddens": [32]})
        .training(train_batch_size=2 * STEPS, minibatch_size=STEPS, num_epochs=1)
    )
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    built = config.build_algo()
    yield built
    built.stop()
    ray.shutdown()


def test_one_iteration_of_rllibs_ppo_plays_two_matches_and_moves_its_policy(algorithm: PPO) -> None:
    before = algorithm.get_weights(["shared"])["shared"]
    result = algorithm.train()
    played = result["env_runners"]
    assert played["num_env_steps_sampled"] == 2 * STEPS
    assert played["num_episodes"] == 2
    assert played["episode_len_mean"] == STEPS
    assert set(played["agent_episode_returns_mean"]) == {"agent_0", "agent_1"}
    assert all(earned >= 0 for earned in played["agent_episode_returns_mean"].values())
    after = algorithm.get_weights(["shared"])["shared"]
    assert any((after[name] != before[name]).any() for name in before)
