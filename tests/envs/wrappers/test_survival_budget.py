"""The survival budget around other people's environments."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import parallel_api_test

import gymposium
from gymposium.envs.wrappers import ParallelSurvivalBudget, SurvivalBudget
from gymposium.errors import UsageError


class Ledger(gymnasium.Env[Any, Any]):
    """The action's number less five is the reward; twenty steps."""

    observation_space = spaces.Discrete(21)
    action_space = spaces.Discrete(11)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed)
        self._step = 0
        return 0, {}

    def step(self, action: Any) -> tuple[int, float, bool, bool, dict[str, Any]]:
        self._step += 1
        reward = float(action) - 5.0
        return self._step, reward, False, self._step >= 20, {"fuel": -1.0}


class Ledgers(pettingzoo.ParallelEnv[str, Any, Any]):
    """Several ledgers side by side."""

    metadata = {"name": "ledgers_v0"}  # noqa: RUF012

    def __init__(self, count: int = 3) -> None:
        self.possible_agents = [f"clerk_{index}" for index in range(count)]
        self._spaces = {agent: spaces.Discrete(11) for agent in self.possible_agents}
        self._views = {agent: spaces.Discrete(21) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> Any:
        return self._views[agent]

    def action_space(self, agent: str) -> Any:
        return self._spaces[agent]

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        self.agents, self._step = list(self.possible_agents), 0
        return dict.fromkeys(self.agents, 0), {agent: {} for agent in self.agents}

    def step(self, actions: Any) -> Any:
        assert set(actions) == set(self.agents)
        self._step += 1
        over = self._step >= 20
        here = self.agents
        self.agents = [] if over else here
        return (
            dict.fromkeys(here, self._step),
            {agent: float(actions[agent]) - 5.0 for agent in here},
            dict.fromkeys(here, False),
            dict.fromkeys(here, over),
            {agent: {"fuel": -1.0} for agent in here},
        )


def test_the_return_is_what_the_budget_grew_by() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        env = SurvivalBudget(Ledger(), 7.0)
        seen, _ = env.reset(seed=0)
        total, over = 0.0, False
        while not over:
            seen, reward, terminated, truncated, info = env.step(rng.integers(0, 11))
            total += reward
            over = terminated or truncated
        assert total == pytest.approx(float(seen["budget"]) - 7.0)
        assert terminated is info["ruined"]
        assert total >= -7.0


def test_full_liability_charges_all_of_it() -> None:
    env = SurvivalBudget(Ledger(), 2.0, limited=False)
    env.reset(seed=0)
    _, reward, terminated, _, info = env.step(0)
    assert (reward, terminated, info["shortfall"]) == (-5.0, True, 3.0)


def test_a_resource_of_info_runs_out_whatever_the_reward() -> None:
    env = SurvivalBudget(Ledger(), 3.0, "fuel")
    env.reset(seed=0)
    for step in range(1, 4):
        _, reward, terminated, _, _ = env.step(10)
        assert (reward, terminated) == (5.0, step == 3)


def test_a_function_says_what_a_step_costs() -> None:
    env = SurvivalBudget(Ledger(), 1.0, lambda seen, action, reward, info: -0.5 * (action > 5))
    env.reset(seed=0)
    assert not env.step(0)[2]
    assert not env.step(6)[2]
    assert env.step(6)[2]


@pytest.mark.parametrize("budget", [0, -1, float("nan"), float("inf"), True, "much"])
def test_a_budget_that_is_none_is_refused(budget: Any) -> None:
    with pytest.raises(UsageError, match="budget must be a number above 0"):
        SurvivalBudget(Ledger(), budget)


def test_a_resource_that_info_lacks_is_named() -> None:
    env = SurvivalBudget(Ledger(), 1.0, "fule")
    env.reset(seed=0)
    with pytest.raises(UsageError, match="'fule'; it has \\['fuel'\\]"):
        env.step(0)


def test_a_change_that_is_no_number_is_refused() -> None:
    env = SurvivalBudget(Ledger(), 1.0, lambda *_: float("nan"))
    env.reset(seed=0)
    with pytest.raises(UsageError, match="nan"):
        env.step(0)


def test_gymnasiums_own_checker_is_content() -> None:
    check_env(SurvivalBudget(Ledger(), 3.0), skip_render_check=True)
    check_env(SurvivalBudget(gymnasium.make("CartPole-v1"), 30.0), skip_render_check=True)


def test_pettingzoos_own_checker_is_content() -> None:
    parallel_api_test(ParallelSurvivalBudget(Ledgers(), 3.0), num_cycles=200)
    parallel_api_test(ParallelSurvivalBudget(Ledgers(), 3.0, shared=True), num_cycles=200)


def test_a_ruined_agent_leaves_and_the_others_play_on() -> None:
    env = ParallelSurvivalBudget(Ledgers(), 4.0)
    env.reset(seed=0)
    actions = dict(zip(env.agents, (0, 5, 9), strict=True))
    seen, rewards, terminations, _, infos = env.step(actions)
    assert rewards == {"clerk_0": -4.0, "clerk_1": 0.0, "clerk_2": 4.0}
    assert terminations == {"clerk_0": True, "clerk_1": False, "clerk_2": False}
    assert infos["clerk_0"]["shortfall"] == 1.0
    assert env.agents == ["clerk_1", "clerk_2"]
    seen, *_ = env.step({agent: 5 for agent in env.agents})
    assert set(seen) == {"clerk_1", "clerk_2"}
    assert float(seen["clerk_2"]["budget"]) == 8.0


def test_a_shared_budget_is_everyones_end() -> None:
    env = ParallelSurvivalBudget(Ledgers(), 4.0, shared=True)
    env.reset(seed=0)
    seen, rewards, terminations, _, infos = env.step(dict(zip(env.agents, (0, 0, 8), strict=True)))
    assert all(terminations.values())
    assert infos["clerk_0"]["shortfall"] == 3.0
    assert sum(rewards.values()) == pytest.approx(-4.0)  # no more than there was
    assert env.agents == []
    assert float(seen["clerk_2"]["budget"]) == 0.0


def test_a_shared_budget_adds_up_all_changes() -> None:
    env = ParallelSurvivalBudget(Ledgers(), 4.0, shared=True)
    env.reset(seed=0)
    seen, rewards, *_ = env.step(dict(zip(env.agents, (0, 10, 6), strict=True)))
    assert {float(view["budget"]) for view in seen.values()} == {5.0}
    assert rewards == {"clerk_0": -5.0, "clerk_1": 5.0, "clerk_2": 1.0}


def test_our_own_parallel_worlds_take_a_budget_too() -> None:
    inner = gymposium.make("iterated_matrix-v0", api="parallel", rounds=50)
    env = ParallelSurvivalBudget(inner, 5.0, lambda seen, action, reward, info: reward - 2.0)
    env.reset(seed=1)
    steps = 0
    while env.agents:
        env.step({agent: 1 for agent in env.agents})
        steps += 1
    assert steps == 5  # both defect: 1 a round, less 2
