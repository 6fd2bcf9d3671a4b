"""Grid worlds among the real tools of others: Gymnasium, Stable-Baselines3, TorchRL."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, VectorEnv

import gymposium
from gymposium.envs.views.focal import FocalVectorEnv
from gymposium.envs.views.sb3 import as_sb3
from gymposium.errors import UsageError


class Walker:
    """Steps south for ever and counts its steps since the match began."""

    def reset(self, seat, seed):
        self.seat = seat.id

    def start(self, seed):
        return 0

    def act_batch(self, observations, states, masks):
        assert observations.shape[1:] == (11, 11, 2)
        assert len(observations) == len(states) == len(masks)
        return np.full(len(states), 4), [state + 1 for state in states]


def focal(envs=4, seat="agent_1", **params):
    vector = gymposium.make_vec("harvest-v0", envs, agents=3, map="harvest_mini", **params)
    others = {other: Walker() for other in vector.agents if other != seat}
    return FocalVectorEnv(vector, others, seat)


def test_the_focal_seat_is_a_gymnasium_vector_env():
    env = focal(horizon=6)
    assert isinstance(env, VectorEnv)
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    observations, _ = env.reset(seed=5)
    assert env.observation_space.contains(observations)
    env.action_space.seed(0)
    for step in range(20):
        observations, rewards, terminated, truncated, infos = env.step(env.action_space.sample())
        assert env.observation_space.contains(observations)
        assert rewards.shape == terminated.shape == infos["zapped"].shape == (4,)
        assert truncated.all() == (step % 7 == 5)
    env.close()


@pytest.mark.parametrize("autoreset", ["next_step", "same_step"])
def test_the_background_forgets_when_a_match_begins(autoreset):
    env = focal(horizon=5, autoreset=autoreset)
    env.reset(seed=5)
    counts = []
    for _ in range(14):
        env.step(np.full(4, 6))
        counts.append(env._minds[0][0])
    period = 6 if autoreset == "next_step" else 5
    assert counts == [(k + 1) % period for k in range(14)]


def test_the_background_walks_while_the_learner_stays():
    env = focal(zap="off")
    env.reset(seed=1)
    for _ in range(12):
        env.step(np.full(4, 6))
    layout, cells = env.vector._game.layout, env.vector._batch.state.cell
    assert (layout.row[cells[:, [0, 2]]] >= 9 + 7).any(1).all()


def test_seats_that_do_not_fit_are_named():
    vector = gymposium.make_vec("coins-v0", 2)
    with pytest.raises(UsageError, match="must fill agent_0, agent_1"):
        FocalVectorEnv(vector, {})
    with pytest.raises(UsageError, match="no act_batch"):
        FocalVectorEnv(vector, {"agent_1": object()})
    env = FocalVectorEnv(vector, {"agent_1": Walker()})
    with pytest.raises(UsageError, match="call reset"):
        env.step(np.zeros(2, int))
    env.reset(seed=0)
    with pytest.raises(UsageError, match="whole numbers of shape"):
        env.step(np.zeros(2))
    with pytest.raises(UsageError, match="same_step"):
        as_sb3(env)


def test_stable_baselines3_learns_in_the_focal_seat():
    from stable_baselines3 import PPO

    env = as_sb3(focal(horizon=10, autoreset="same_step"))
    model = PPO("MlpPolicy", env, n_steps=16, batch_size=32, n_epochs=1, seed=0, device="cpu")
    before = [value.clone() for value in model.policy.parameters()]
    model.learn(128)
    after = list(model.policy.parameters())
    assert any((one != two).any() for one, two in zip(before, after, strict=True))
    assert len(model.ep_info_buffer) >= 4 * 3
    assert all(entry["l"] == 10 for entry in model.ep_info_buffer)


def test_torchrl_rolls_out_the_parallel_view():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torchrl.envs.libs.pettingzoo import PettingZooWrapper

        view = gymposium.make("clean_up-v0", api="parallel", horizon=12)
        env = PettingZooWrapper(view, use_mask=False)
        rollout = env.rollout(20)
    assert rollout.shape[0] == 12
    assert rollout["agent", "observation"].shape == (12, 7, 11, 11, 2)
    assert rollout["next", "agent", "reward"].shape == (12, 7, 1)
    assert bool(rollout["next", "done"][-1].all())
