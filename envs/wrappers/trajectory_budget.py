"""A budget for the whole trajectory, around any Gymnasium or Parallel environment with a cost.

The constrained return of Tzannetos, Kamalaruban and Singla, Curriculum Design for
Trajectory-Constrained Agent (NeurIPS 2025): J = sum gamma^t R_t if sum gamma^t C_t is at most the
budget, else 0. It is paid once, at the episode's end, so that the sum of the rewards is J. A
curriculum moves the budget between episodes with ``set_budget``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from gymnasium import spaces
from pettingzoo import ParallelEnv
from pettingzoo.utils.wrappers import BaseParallelWrapper

from gymposium.errors import UsageError

Budget: TypeAlias = float | Callable[[Mapping[str, Any]], float]
"""A number, or a function of the ``info`` that ``reset`` returned: a budget for each task."""


class _Account:
    """What one episode has earned and cost so far, and what it is paid in the end."""

    def __init__(self, gamma: float, cost: str) -> None:
        self._gamma, self._cost = gamma, cost
        self.open(0.0)

    def open(self, budget: float) -> None:
        self.budget, self.earned, self.spent, self._weight = budget, 0.0, 0.0, 1.0

    @property
    def feasible(self) -> bool:
        return self.spent <= self.budget

    def enter(self, reward: float, info: Mapping[str, Any]) -> None:
        if self._cost not in info:
            raise UsageError(
                f"trajectory budget: info has no {self._cost!r}; it has {sorted(info)!r:.200}"
            )
        cost = float(info[self._cost])
        if not (np.isfinite(cost) and cost >= 0 and np.isfinite(reward)):
            raise UsageError(
                f"trajectory budget: a step cost {cost!r} and paid {reward!r}; a cost is a finite "
                "number of at least 0, a reward a finite number"
            )
        self.earned += self._weight * reward
        self.spent += self._weight * cost
        self._weight *= self._gamma

    def told(self) -> dict[str, Any]:
        return {
            "cost_sum": self.spent,
            "budget": self.budget,
            "feasible": self.feasible,
            "raw_return": self.earned,
        }


class _Limits:
    """The deployment budget, the largest that makes sense, and the one in force."""

    def __init__(self, target: Budget, highest: Budget, gamma: float) -> None:
        for name, value in (("target", target), ("highest", highest)):
            if not callable(value):
                _checked(value, name)
        if not (isinstance(gamma, int | float) and 0 < gamma <= 1):
            raise UsageError(f"trajectory budget: gamma must be above 0 up to 1, got {gamma!r}")
        self.target, self.highest, self.moved = target, highest, None

    moved: float | None

    def now(self, info: Mapping[str, Any]) -> float:
        return self.of(self.target, "target", info) if self.moved is None else self.moved

    def of(self, budget: Budget, name: str, info: Mapping[str, Any]) -> float:
        return _checked(budget(info) if callable(budget) else budget, name)


def _checked(value: Any, name: str) -> float:
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not number or np.isnan(value) or value < 0:
        raise UsageError(
            f"trajectory budget: {name} must be a number of at least 0, got {value!r:.60}"
        )
    return float(value)


def _space(inner: spaces.Space[Any]) -> spaces.Dict:
    return spaces.Dict({"observation": inner, "budget": spaces.Box(0.0, np.inf, (), np.float64)})


def _seen(observation: Any, budget: float) -> dict[str, Any]:
    return {"observation": observation, "budget": np.array(budget)}


class TrajectoryBudget(
    gymnasium.Wrapper[Any, Any, Any, Any], gymnasium.utils.RecordConstructorArgs
):
    """A Gymnasium environment that pays at the end, if the whole episode was cheap enough.

    ``info`` gains ``cost_sum``, ``budget``, ``feasible`` and ``raw_return``.

    Args:
        env: any environment that reports a cost of at least 0 in ``info``.
        target: the deployment budget; 0 pays for free episodes only.
        highest: a budget that every episode keeps.
        cost: the name of the entry of ``info``.
        gamma: discount of rewards and costs.
        observe_budget: observations become a Dict of ``observation`` and ``budget``.
        stop: terminate, unpaid, as soon as the budget is exceeded; raw returns of such episodes
            are cut short.

    Raises:
        UsageError: a budget below 0 or NaN, a gamma outside 0 … 1.
    """

    def __init__(
        self,
        env: gymnasium.Env[Any, Any],
        target: Budget,
        highest: Budget = np.inf,
        *,
        cost: str = "cost",
        gamma: float = 1.0,
        observe_budget: bool = False,
        stop: bool = False,
    ) -> None:
        gymnasium.utils.RecordConstructorArgs.__init__(
            self,
            target=target,
            highest=highest,
            cost=cost,
            gamma=gamma,
            observe_budget=observe_budget,
            stop=stop,
        )
        gymnasium.Wrapper.__init__(self, env)
        self._limits = _Limits(target, highest, gamma)
        self._account = _Account(gamma, cost)
        self._observe, self._stop = observe_budget, stop
        self._task: Mapping[str, Any] = {}
        if observe_budget:
            self.observation_space = _space(env.observation_space)

    def set_budget(self, budget: float | None) -> None:
        """The budget of the episodes that follow; None brings the target back.

        Raises:
            UsageError: it is below 0 or NaN.
        """
        self._limits.moved = None if budget is None else _checked(budget, "budget")

    @property
    def target_budget(self) -> float:
        """The deployment budget of the task at hand."""
        return self._limits.of(self._limits.target, "target", self._task)

    @property
    def max_budget(self) -> float:
        """A budget that every episode of the task at hand keeps."""
        return self._limits.of(self._limits.highest, "highest", self._task)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode with nothing spent."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._task = dict(info)
        self._account.open(self._limits.now(info))
        return self._shown(observation), {**info, **self._account.told()}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play one step; the reward is 0 until the end.

        Raises:
            UsageError: ``info`` has no such cost, or cost or reward is not finite.
        """
        observation, reward, terminated, truncated, info = self.env.step(action)
        account = self._account
        account.enter(float(reward), info)
        terminated = terminated or (self._stop and not account.feasible)
        paid = account.earned if (terminated or truncated) and account.feasible else 0.0
        told = {**info, **account.told()}
        return self._shown(observation), paid, terminated, truncated, told

    def _shown(self, observation: Any) -> Any:
        return _seen(observation, self._account.budget) if self._observe else observation


class ParallelTrajectoryBudget(BaseParallelWrapper[Any, Any, Any]):
    """A Parallel environment in which every agent has a budget for its own trajectory.

    Each agent's costs are those in its own ``info``, and it is paid at its own end.

    Args:
        env: any Parallel environment that reports a cost in every agent's ``info``.
        target: the deployment budget of each agent.
        highest: a budget that every agent keeps.
        cost: as for :class:`TrajectoryBudget`.
        gamma: as for :class:`TrajectoryBudget`.
        observe_budget: as for :class:`TrajectoryBudget`.

    Raises:
        UsageError: as for :class:`TrajectoryBudget`.
    """

    def __init__(
        self,
        env: ParallelEnv[Any, Any, Any],
        target: float,
        highest: float = np.inf,
        *,
        cost: str = "cost",
        gamma: float = 1.0,
        observe_budget: bool = False,
    ) -> None:
        super().__init__(env)
        self._limits = _Limits(target, highest, gamma)
        self._observe = observe_budget
        everyone = list(env.possible_agents)
        self._accounts = {agent: _Account(gamma, cost) for agent in everyone}
        self._spaces: dict[str, Any] = {agent: env.observation_space(agent) for agent in everyone}
        if observe_budget:
            self._spaces = {agent: _space(inner) for agent, inner in self._spaces.items()}
        self.target_budget = self._limits.of(target, "target", {})
        self.max_budget = self._limits.of(highest, "highest", {})

    def set_budget(self, budget: float | None) -> None:
        """As :meth:`TrajectoryBudget.set_budget`, for every agent."""
        self._limits.moved = None if budget is None else _checked(budget, "budget")

    def observation_space(self, agent: str) -> Any:
        """The environment's own space, beside the budget if that is observed."""
        return self._spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin an episode with nothing spent."""
        seen, infos = self.env.reset(seed=seed, options=options)
        for account in self._accounts.values():
            account.open(self._limits.now({}))
        told = {agent: {**infos[agent], **self._accounts[agent].told()} for agent in seen}
        return self._shown(seen), told

    def step(self, actions: Mapping[str, Any]) -> tuple[Any, Any, Any, Any, Any]:
        """Play one step; every agent's reward is 0 until its end.

        Raises:
            UsageError: as for :class:`TrajectoryBudget`.
        """
        seen, rewards, terminations, truncations, infos = self.env.step(dict(actions))
        paid, told = {}, {}
        for agent in seen:
            account = self._accounts[agent]
            account.enter(float(rewards[agent]), infos[agent])
            over = (terminations[agent] or truncations[agent]) and account.feasible
            paid[agent] = account.earned if over else 0.0
            told[agent] = {**infos[agent], **account.told()}
        return self._shown(seen), paid, terminations, truncations, told

    def _shown(self, seen: Mapping[str, Any]) -> dict[str, Any]:
        if not self._observe:
            return dict(seen)
        return {agent: _seen(view, self._accounts[agent].budget) for agent, view in seen.items()}
