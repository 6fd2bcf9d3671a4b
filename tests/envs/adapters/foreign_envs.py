"""Other people's environments, for tests: every space, agents that leave early, no seed kept."""

from __future__ import annotations

import random
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv

SPACES: dict[str, spaces.Space[Any]] = {
    "discrete": spaces.Discrete(4),
    "shifted": spaces.Discrete(3, start=-1),
    "multi": spaces.MultiDiscrete([2, 3]),
    "binary": spaces.MultiBinary(3),
    "box": spaces.Box(-1.0, 1.0, (2, 2), np.float32),
    "dict": spaces.Dict({"a": spaces.Discrete(2), "b": spaces.Box(0, 255, (2,), np.uint8)}),
    "tuple": spaces.Tuple([spaces.Discrete(2), spaces.MultiBinary(2)]),
    "text": spaces.Text(5),
}


class Echo(gymnasium.Env[Any, Any]):
    """Shows a sample of a space and takes actions of it; five steps; the answer is in ``info``."""

    def __init__(self, space: str = "discrete") -> None:
        self.observation_space = SPACES[space]
        self.action_space = spaces.Discrete(3) if space == "text" else SPACES[space]

    def _shown(self) -> Any:
        self.observation_space.seed(int(self.np_random.integers(2**31)))
        return self.observation_space.sample()

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self._step = 0
        return self._shown(), {"solution": 42}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        assert self.action_space.contains(action)
        self._step += 1
        return self._shown(), 0.5, self._step >= 5, False, {"solution": 42}


class Careless(gymnasium.Env[Any, Any]):
    """Draws from Python's and numpy's process-wide generators, and ignores its seed."""

    observation_space = spaces.Box(0, 1, (2,), np.float64)
    action_space = spaces.Discrete(2)

    def _shown(self) -> Any:
        return np.array([random.random(), np.random.random()])  # noqa: NPY002

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        self._step = 0
        return self._shown(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self._step += 1
        return self._shown(), 1.0, False, self._step >= 3, {}


class Endless(Careless):
    """Never ends."""

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return self._shown(), 0.0, False, False, {}


def _lives(seed: int | None, ids: list[str]) -> dict[str, int]:
    rng = np.random.default_rng(seed)
    return {agent: int(rng.integers(1, 6)) for agent in ids}


class Mortal(ParallelEnv[str, Any, Any]):
    """Each agent dies at a step of its own; a living agent earns 1, a dying one its age in tens."""

    metadata = {"name": "mortal_v0"}  # noqa: RUF012

    def __init__(self, space: str = "discrete", mask: str = "") -> None:
        self.possible_agents = ["ann", "bob", "cyd"]
        view = spaces.Discrete(8)
        masked = spaces.Dict({"observation": view, "action_mask": spaces.MultiBinary(4)})
        self._mask = mask
        self._views = {a: masked if mask == "observation" else view for a in self.possible_agents}
        self._choices = {a: SPACES[space] for a in self.possible_agents}

    def observation_space(self, agent: str) -> Any:
        return self._views[agent]

    def action_space(self, agent: str) -> Any:
        return self._choices[agent]

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        self.agents, self._step = list(self.possible_agents), 0
        self._life = _lives(seed, self.agents)
        return {a: self._seen() for a in self.agents}, {a: self._told() for a in self.agents}

    def _legal(self) -> Any:
        mask = np.zeros(4, np.int8)
        mask[self._step % 4] = 1
        return mask

    def _seen(self) -> Any:
        if self._mask == "observation":
            return {"observation": self._step, "action_mask": self._legal()}
        return self._step

    def _told(self) -> dict[str, Any]:
        return {"action_mask": self._legal()} if self._mask == "info" else {}

    def step(self, actions: Any) -> Any:
        assert set(actions) == set(self.agents)
        for agent, action in actions.items():
            assert self.action_space(agent).contains(action)
            assert not self._mask or self._legal()[action]
        self._step += 1
        here = self.agents
        dead = {a: self._step >= self._life[a] for a in here}
        self.agents = [a for a in here if not dead[a]]
        return (
            {a: self._seen() for a in here},
            {a: 10.0 * self._step if dead[a] else 1.0 for a in here},
            dead,
            dict.fromkeys(here, False),
            {a: self._told() for a in here},
        )


class MortalTurns(AECEnv[str, Any, Any]):
    """The same by turns: whoever dies pays every survivor 5 at that moment."""

    metadata = {"name": "mortal_turns_v0"}  # noqa: RUF012

    def __init__(self) -> None:
        super().__init__()
        self.possible_agents = ["ann", "bob", "cyd"]
        self._views = {a: spaces.Discrete(8) for a in self.possible_agents}
        self._choices = {a: spaces.Discrete(4) for a in self.possible_agents}

    def observation_space(self, agent: str) -> Any:
        return self._views[agent]

    def action_space(self, agent: str) -> Any:
        return self._choices[agent]

    def observe(self, agent: str) -> Any:
        return self._age[agent]

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        self.agents = list(self.possible_agents)
        self._life = _lives(seed, self.agents)
        self._age = dict.fromkeys(self.agents, 0)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, Any] = {a: {} for a in self.agents}
        self.agent_selection = self.agents[0]

    def step(self, action: Any) -> None:
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        agent = self.agent_selection
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._age[agent] += 1
        if self._age[agent] >= self._life[agent]:
            self.terminations[agent] = True
            for other in self.agents:
                if other != agent and not self.terminations[other]:
                    self.rewards[other] = 5.0
        else:
            self.rewards[agent] = 1.0
        self._accumulate_rewards()
        order = self.agents
        self.agent_selection = order[(order.index(agent) + 1) % len(order)]
        self._deads_step_first()


def make_turns() -> MortalTurns:
    """A function that makes one, as PettingZoo's ``env``."""
    return MortalTurns()


NOT_AN_ENVIRONMENT = 3


class Peopled(Mortal):
    """Its agents are named as one likes."""

    def __init__(self, names: Any = (), spaceless: bool = False) -> None:
        super().__init__()
        self.possible_agents = list(names)
        self._views = dict.fromkeys(names, spaces.Discrete(8))
        self._choices = dict.fromkeys(names, None if spaceless else spaces.Discrete(4))
