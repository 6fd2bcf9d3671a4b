"""The trajectory budget: paid once at the end, if all of it was cheap enough."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings
from hypothesis import strategies as st
from pettingzoo.test import parallel_api_test

import gymposium
from gymposium.envs.wrappers import ParallelTrajectoryBudget, TrajectoryBudget
from gymposium.errors import UsageError


class Shop(gymnasium.Env[Any, Any]):
    """Pays and costs what it was told to, step by step."""

    observation_space = spaces.Discrete(100)
    action_space = spaces.Discrete(2)

    def __init__(self, steps: Any = ((1.0, 1.0),) * 5) -> None:
        self.steps = list(steps)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed)
        self._at = 0
        return 0, {"allowed": 3.0}

    def step(self, action: Any) -> tuple[int, float, bool, bool, dict[str, Any]]:
        reward, cost = self.steps[self._at]
        self._at += 1
        return self._at, reward, False, self._at >= len(self.steps), {"cost": cost}


class Shops(pettingzoo.ParallelEnv[str, Any, Any]):
    """Two shops side by side; the first closes after two steps, the second after four."""

    metadata = {"name": "shops_v0"}  # noqa: RUF012

    def __init__(self) -> None:
        self.possible_agents = ["early", "late"]
        self._spaces = {agent: spaces.Discrete(2) for agent in self.possible_agents}
        self._views = {agent: spaces.Discrete(9) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> Any:
        return self._views[agent]

    def action_space(self, agent: str) -> Any:
        return self._spaces[agent]

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        self.agents, self._at = list(self.possible_agents), 0
        return dict.fromkeys(self.agents, np.int64(0)), {agent: {} for agent in self.agents}

    def step(self, actions: Any) -> Any:
        self._at += 1
        now = list(self.agents)
        ends = {a: self._at >= {"early": 2, "late": 4}[a] for a in now}
        self.agents = [a for a in now if not ends[a]]
        return (
            dict.fromkeys(now, np.int64(self._at)),
            dict.fromkeys(now, 1.0),
            ends,
            dict.fromkeys(now, False),
            {a: {"cost": 1.0} for a in now},
        )


def play(env):
    env.reset(seed=0)
    rewards, infos, over = [], [], False
    while not over:
        _, reward, terminated, truncated, info = env.step(0)
        rewards.append(reward)
        infos.append(info)
        over = terminated or truncated
    return rewards, infos


steps = st.lists(st.tuples(st.floats(-5, 5), st.floats(0, 3)), min_size=1, max_size=12)


@settings(deadline=None)
@given(steps, st.floats(0, 20), st.sampled_from([1.0, 0.9, 0.5]))
def test_the_rewards_add_up_to_the_constrained_return(given_steps, budget, gamma):
    env = TrajectoryBudget(Shop(given_steps), budget, gamma=gamma)
    rewards, infos = play(env)
    earned = sum(gamma**t * r for t, (r, _) in enumerate(given_steps))
    spent = sum(gamma**t * c for t, (_, c) in enumerate(given_steps))
    assert infos[-1]["cost_sum"] == pytest.approx(spent)
    assert infos[-1]["raw_return"] == pytest.approx(earned)
    assert rewards[:-1] == [0.0] * (len(rewards) - 1)
    if infos[-1]["feasible"]:
        assert rewards[-1] == infos[-1]["raw_return"]
    else:
        assert rewards[-1] == 0.0
    assert infos[-1]["feasible"] == (infos[-1]["cost_sum"] <= budget)


def test_exactly_the_budget_is_feasible_and_a_hair_more_is_not():
    assert sum(play(TrajectoryBudget(Shop(), 5.0))[0]) == 5.0
    assert sum(play(TrajectoryBudget(Shop(), 4.999))[0]) == 0.0


def test_a_curriculum_moves_the_budget_and_gives_it_back():
    env = TrajectoryBudget(Shop(), 1.0, 9.0)
    assert (env.target_budget, env.max_budget) == (1.0, 9.0)
    env.set_budget(5.0)
    assert sum(play(env)[0]) == 5.0
    env.set_budget(None)
    assert sum(play(env)[0]) == 0.0


def test_a_budget_may_follow_from_the_task():
    env = TrajectoryBudget(Shop(((1.0, 1.0),) * 3), lambda info: info["allowed"])
    assert sum(play(env)[0]) == 3.0
    assert env.target_budget == 3.0


def test_overshooting_stops_the_episode_only_where_asked():
    assert len(play(TrajectoryBudget(Shop(), 2.0))[0]) == 5
    rewards, infos = play(TrajectoryBudget(Shop(), 2.0, stop=True))
    assert rewards == [0.0, 0.0, 0.0]
    assert infos[-1]["cost_sum"] == 3.0


def test_a_budget_of_zero_pays_for_free_episodes():
    assert sum(play(TrajectoryBudget(Shop(((2.0, 0.0),) * 2), 0))[0]) == 4.0
    assert sum(play(TrajectoryBudget(Shop(((2.0, 0.0), (1.0, 1e-9))), 0))[0]) == 0.0


def test_the_budget_is_observed_only_where_asked():
    env = TrajectoryBudget(Shop(), 2.0, observe_budget=True)
    env.set_budget(4.0)
    seen, _ = env.reset()
    assert env.observation_space.contains(seen)
    assert float(seen["budget"]) == 4.0
    assert TrajectoryBudget(Shop(), 2.0).observation_space == Shop.observation_space


@pytest.mark.filterwarnings("ignore")
def test_gymnasiums_checker_is_content():
    check_env(TrajectoryBudget(Shop(), 2.0, observe_budget=True), skip_render_check=True)


def test_every_agent_is_paid_at_its_own_end():
    env = ParallelTrajectoryBudget(Shops(), 2.0)
    env.reset(seed=0)
    paid = dict.fromkeys(env.possible_agents, 0.0)
    while env.agents:
        _, rewards, _, _, infos = env.step(dict.fromkeys(env.agents, 0))
        for agent, reward in rewards.items():
            paid[agent] += reward
    assert paid == {"early": 2.0, "late": 0.0}
    assert infos["late"]["cost_sum"] == 4.0
    env.set_budget(4.0)
    assert env.target_budget == 2.0


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("observe", [False, True])
def test_pettingzoos_checker_is_content(observe, capsys):
    parallel_api_test(ParallelTrajectoryBudget(Shops(), 3.0, observe_budget=observe), 20)


def test_it_agrees_with_a_world_that_has_the_rule_itself():
    for budget in (0.0, 0.5, 1.0):
        world = gymposium.make("binary_tree-v0", api="gymnasium", depth=4, budget=budget)
        free = gymposium.make("binary_tree-v0", api="gymnasium", depth=4, budget=1.0)
        outside = TrajectoryBudget(free, budget)
        for way in ([0, 0, 0, 0], [0, 1, 1, 0], [1, 1, 0, 1]):
            totals = []
            for env in (world, outside):
                env.reset(seed=0)
                totals.append(sum(env.step(branch)[1] for branch in way))
            assert totals[0] == totals[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"target": -1}, "target must be a number of at least 0"),
        ({"target": float("nan")}, "target must be"),
        ({"target": "much"}, "target must be"),
        ({"target": True}, "target must be"),
        ({"target": 1, "highest": -2}, "highest must be"),
        ({"target": 1, "gamma": 0}, "gamma must be"),
        ({"target": 1, "gamma": float("nan")}, "gamma must be"),
    ],
)
def test_bad_arguments_are_refused_with_a_sentence(arguments, said):
    with pytest.raises(UsageError, match=said):
        TrajectoryBudget(Shop(), **arguments)


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ((float("nan"), 1.0), "paid nan"),
        ((1.0, float("nan")), "cost nan"),
        ((1.0, float("inf")), "cost inf"),
        ((1.0, -1.0), "cost -1.0"),
    ],
)
def test_costs_and_rewards_that_make_no_sense_are_refused(step, said):
    with pytest.raises(UsageError, match=said):
        play(TrajectoryBudget(Shop([step]), 1.0))


def test_a_missing_cost_is_refused_with_what_there_is():
    with pytest.raises(UsageError, match=r"no 'fuel'; it has \['cost'\]"):
        play(TrajectoryBudget(Shop(), 1.0, cost="fuel"))
    with pytest.raises(UsageError, match="budget must be a number"):
        TrajectoryBudget(Shop(), 1.0).set_budget(float("nan"))
