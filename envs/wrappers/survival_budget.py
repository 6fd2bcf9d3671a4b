"""A budget that ends the episode when it is spent, around any Gymnasium or Parallel environment.

The rule of survival bandits (Jarne Ornia et al., Emergent Risk Awareness in Rational Agents under
Resource Constraints, NeurIPS 2025) taken to any world (derived): each step changes a resource, by
the reward or by whatever ``change`` says; when nothing is left the episode is terminated, and with
limited liability the reward of the last step is what was left to lose.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from pettingzoo import ParallelEnv
from pettingzoo.utils.wrappers import BaseParallelWrapper

from gymposium.errors import UsageError

Change = Callable[[Any, Any, float, Mapping[str, Any]], float]
"""(observation, action, reward, info) of one step -> what it adds to the budget."""

EPSILON = 1e-9


class _Purse:
    """The rule itself: a budget, what changes it, and who is charged for what it cannot cover."""

    def __init__(self, budget: float, change: Change | str | None, limited: bool) -> None:
        good = isinstance(budget, int | float) and not isinstance(budget, bool)
        if not good or not 0 < budget < np.inf:
            raise UsageError(f"survival budget: budget must be a number above 0, got {budget!r}")
        if change is not None and not isinstance(change, str) and not callable(change):
            raise UsageError(
                "survival budget: change must be None (the reward), the name of an entry of info, "
                f"or a function of (observation, action, reward, info); got {change!r:.80}"
            )
        self.start, self._change, self._limited = float(budget), change, limited

    def spend(
        self, held: float, observation: Any, action: Any, reward: float, info: Mapping[str, Any]
    ) -> tuple[float, float, dict[str, Any]]:
        """(budget afterwards, the reward to pass on, what info gains)."""
        by_reward = self._change is None
        delta = reward if by_reward else self._delta(observation, action, reward, info)
        if not np.isfinite(delta):
            raise UsageError(f"survival budget: a step changed the budget by {delta!r}")
        left = held + delta
        ruined = left <= EPSILON
        beyond = max(0.0, -left) if ruined else 0.0
        paid = reward + beyond if by_reward and self._limited else reward
        after = 0.0 if ruined else left
        return after, paid, {"budget": after, "ruined": ruined, "shortfall": beyond}

    def _delta(
        self, observation: Any, action: Any, reward: float, info: Mapping[str, Any]
    ) -> float:
        if callable(self._change):
            return float(self._change(observation, action, reward, info))
        if self._change not in info:
            raise UsageError(
                f"survival budget: info has no {self._change!r}; it has {sorted(info)!r:.200}"
            )
        return float(info[str(self._change)])


def _space(inner: spaces.Space[Any]) -> spaces.Dict:
    return spaces.Dict({"observation": inner, "budget": spaces.Box(0.0, np.inf, (), np.float64)})


def _seen(observation: Any, held: float) -> dict[str, Any]:
    return {"observation": observation, "budget": np.array(held)}


class SurvivalBudget(gymnasium.Wrapper[Any, Any, Any, Any], gymnasium.utils.RecordConstructorArgs):
    """A Gymnasium environment that one can be ruined in.

    Observations become a Dict of ``observation`` and ``budget``. ``info`` gains ``budget``,
    ``ruined`` and ``shortfall`` (the loss that the budget could not cover).

    Args:
        env: any environment.
        budget: at the start, above 0.
        change: what a step adds to the budget: None is the reward; a name is that entry of
            ``info``; a function is called with (observation, action, reward, info).
        limited: where the reward is the change, a loss beyond the budget is not charged.

    Raises:
        UsageError: the budget is not above 0, or ``change`` is none of these.
    """

    def __init__(
        self,
        env: gymnasium.Env[Any, Any],
        budget: float,
        change: Change | str | None = None,
        *,
        limited: bool = True,
    ) -> None:
        gymnasium.utils.RecordConstructorArgs.__init__(
            self, budget=budget, change=change, limited=limited
        )
        gymnasium.Wrapper.__init__(self, env)
        self._purse = _Purse(budget, change, limited)
        self.observation_space = _space(env.observation_space)
        self._held = 0.0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode with a full purse."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._held = self._purse.start
        return _seen(observation, self._held), {**info, "budget": self._held}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play one step; ruin terminates.

        Raises:
            UsageError: ``change`` names what ``info`` does not have, or is not a finite number.
        """
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._held, paid, told = self._purse.spend(
            self._held, observation, action, float(reward), info
        )
        ended = terminated or told["ruined"]
        return _seen(observation, self._held), paid, ended, truncated, {**info, **told}


class ParallelSurvivalBudget(BaseParallelWrapper[Any, Any, Any]):
    """A Parallel environment that agents can be ruined in.

    Each agent has its own budget, and a ruined one is out of the game: it is terminated, leaves
    ``agents``, and ``idle`` is played for it while the others go on. With ``shared`` there is one
    budget for all, to which every agent's change is added, and its end terminates everybody; the
    loss that it could not cover is given back in equal shares.

    Args:
        env: any Parallel environment.
        budget: at the start, above 0: each agent's own, or all agents' together.
        change: as for :class:`SurvivalBudget`.
        limited: as for :class:`SurvivalBudget`.
        shared: one budget for all.
        idle: action that is played for a ruined agent whose environment still asks for it; None
            asks for the first action of its space.

    Raises:
        UsageError: the budget is not above 0, or ``change`` is none of these.
    """

    def __init__(
        self,
        env: ParallelEnv[Any, Any, Any],
        budget: float,
        change: Change | str | None = None,
        *,
        limited: bool = True,
        shared: bool = False,
        idle: Any = None,
    ) -> None:
        super().__init__(env)
        self._purse = _Purse(budget, change, limited)
        self._limited, self._by_reward = limited, change is None
        self._shared, self._idle = shared, idle
        self._spaces = {agent: _space(env.observation_space(agent)) for agent in self._everyone()}
        self._held: dict[str, float] = {}
        self._alive: list[str] = []

    def _everyone(self) -> list[str]:
        return list(self.env.possible_agents)

    @property
    def agents(self) -> list[str]:
        """The agents still in the game."""
        return list(self._alive)

    @agents.setter
    def agents(self, value: list[str]) -> None:
        raise AttributeError("agents follow from the game and cannot be set")

    def observation_space(self, agent: str) -> spaces.Dict:
        """The environment's own space beside the budget; the same object each time."""
        return self._spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin an episode with full purses."""
        seen, infos = self.env.reset(seed=seed, options=options)
        self._alive = list(self.env.agents)
        self._held = dict.fromkeys(self._alive, self._purse.start)
        return (
            {agent: _seen(seen[agent], self._held[agent]) for agent in self._alive},
            {agent: {**infos.get(agent, {}), "budget": self._held[agent]} for agent in self._alive},
        )

    def step(self, actions: Mapping[str, Any]) -> tuple[Any, Any, Any, Any, Any]:
        """Play one step; ruined agents are terminated.

        Raises:
            UsageError: as for :class:`SurvivalBudget`.
        """
        asked = {
            agent: actions[agent] if agent in self._alive else self._still(agent)
            for agent in self.env.agents
        }
        seen, rewards, terminations, truncations, infos = self.env.step(asked)
        playing = [agent for agent in self._alive if agent in seen]
        spent = self._spend(playing, seen, asked, rewards, infos)
        result: tuple[dict[str, Any], ...] = ({}, {}, {}, {}, {})
        for agent in playing:
            held, paid, told = spent[agent]
            self._held[agent] = held
            row = (
                _seen(seen[agent], held),
                paid,
                bool(terminations[agent]) or told["ruined"],
                bool(truncations[agent]),
                {**infos.get(agent, {}), **told},
            )
            for table, value in zip(result, row, strict=True):
                table[agent] = value
        self._alive = [agent for agent in playing if not (result[2][agent] or result[3][agent])]
        seen_now, paid_now, terminated, truncated, told_now = result
        return seen_now, paid_now, terminated, truncated, told_now

    def _still(self, agent: str) -> Any:
        space = self.env.action_space(agent)
        if self._idle is not None:
            return self._idle
        if isinstance(space, spaces.Discrete):
            return int(space.start)
        raise UsageError(
            f"survival budget: {agent} is ruined and the environment still asks for its action; "
            f"give idle, an action of {space}"
        )

    def _spend(
        self, playing: list[str], seen: Any, asked: Any, rewards: Any, infos: Any
    ) -> dict[str, tuple[float, float, dict[str, Any]]]:
        own = {
            agent: self._purse.spend(
                self._held[agent],
                seen[agent],
                asked[agent],
                float(rewards[agent]),
                infos.get(agent, {}),
            )
            for agent in playing
        }
        if not self._shared or not playing:
            return own
        held = self._held[playing[0]]
        total = held + sum(self._change_of(own[agent], held) for agent in playing)
        ruined = total <= EPSILON
        beyond = max(0.0, -total)
        after = 0.0 if ruined else total
        back = beyond / len(playing) if self._limited and self._by_reward else 0.0
        told = {"budget": after, "ruined": ruined, "shortfall": beyond}
        return {agent: (after, float(rewards[agent]) + back, dict(told)) for agent in playing}

    @staticmethod
    def _change_of(spent: tuple[float, float, dict[str, Any]], held: float) -> float:
        after, _, told = spent
        return after - float(told["shortfall"]) - held
