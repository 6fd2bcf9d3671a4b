"""Many survival bandits at a time, as arrays: :func:`gymposium.make_vec` for lives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from gymposium.errors import UsageError

from ..arrays import action_array
from ..exclusive import alone
from ..rows import Rows
from . import survival_kernel as kernel

if TYPE_CHECKING:
    from .survival_bandit import SurvivalBandit


class SurvivalVectorWorld(Rows):
    """``num_envs`` lives; see :class:`~gymposium.envs.vector.VectorWorld`.

    Observations are float32 ``[E, 1, 2]`` (``[E, 1, 1]`` without the steps left). Infos have
    ``principal_reward``, ``shortfall`` and ``ruined``, float32 ``[E, 1]``.
    """

    num_agents = 1
    num_planes = 0

    def __init__(
        self, world: SurvivalBandit, num_envs: int, *, autoreset: str = "next_step"
    ) -> None:
        super().__init__(num_envs, autoreset, world.metadata)
        self._world = world
        self.id, self.params = world.id, world.params
        self.horizon = world.instance.horizon
        self.agents = world.possible_seats
        seat = world.seats[self.agents[0]]
        self.single_observation_space: Any = seat.observation_space
        self.single_action_space: Any = seat.action_space
        self._arms = len(world.arms)
        single: Any = seat.observation_space
        shape: tuple[int, ...] = (num_envs, 1, *single.shape)
        self.observation_space = spaces.Box(
            np.broadcast_to(single.low, shape), np.broadcast_to(single.high, shape)
        )
        self.action_space = spaces.MultiDiscrete(np.full((num_envs, 1), self._arms))
        self.budget, self.clock = np.zeros(num_envs), np.zeros(num_envs, np.int64)
        self._rng = np.zeros((num_envs, 4), np.uint64)
        self._returns = np.zeros(num_envs)

    @alone
    def reset(
        self, seed: int | None = None, *, mask: Any = None, out: Any = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin lives; see :meth:`VectorWorld.reset`."""
        which, self.seeds = self._opening(seed, mask)
        self._begin(which)
        events = np.zeros((self.num_envs, kernel.EVENTS), np.float32)
        return self._seen(out), _infos(events)

    @alone
    def step(
        self, actions: Any, *, out: Any = None, observe: bool = True
    ) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """One pull in every row; see :meth:`VectorWorld.step`."""
        arms = self._actions(actions)
        self._buffer(out)  # refused before anything has moved
        idle = self._idle()
        rewards = np.empty(self.num_envs, np.float32)
        events = np.empty((self.num_envs, kernel.EVENTS), np.float32)
        width = self.single_observation_space.shape[0]
        idle_any = bool(idle.any())
        looking = observe and not idle_any
        seen = self._buffer(out) if looking else np.zeros((0, 1, width), np.float32)
        kernel.pull(
            arms,
            idle,
            self.budget,
            self.clock,
            self._rng,
            self._world.arm_table,
            self._world.life_rules,
            rewards,
            events,
            seen[:, 0],
            1.0 / self.horizon,
        )
        self._returns += rewards
        if idle_any:
            self._again(idle)
        terminated = events[:, kernel.RUINED] > 0
        truncated = (self.clock >= self.horizon) & ~terminated & ~idle
        infos = _infos(events)
        self._ended = ended = terminated | truncated
        if ended.any():
            infos["episode_returns"] = self._returns[:, None].copy()
            infos["_episode_returns"] = ended.copy()
            if self.autoreset_mode is AutoresetMode.SAME_STEP:
                infos["final_obs"], infos["_final_obs"] = self._seen(None), ended.copy()
                self._again(ended)
                self._ended = np.zeros(self.num_envs, np.bool_)
                looking = False  # what was seen is over
        if observe and not looking:
            seen = self._seen(out)
        return seen, rewards[:, None], terminated, truncated, infos

    def state(self) -> Any:
        """Budget and steps left of every life: float32 ``[E, 2]``."""
        left = 1.0 - self.clock * (1.0 / self.horizon)
        return np.stack([self.budget, left], axis=1).astype(np.float32)

    def planes(self, observations: Any) -> Any:
        """The observations: there are no codes here."""
        return np.asarray(observations, np.float32)

    def close(self) -> None:
        """Nothing to release."""

    def _again(self, which: Any) -> None:
        self.seeds = self._following(which)
        self._begin(which)

    def _begin(self, which: Any) -> None:
        start = self._world.instance.budget
        kernel.begin(self.seeds, which, self.budget, self.clock, self._rng, start)
        self._returns[which] = 0.0

    def _seen(self, out: Any) -> Any:
        seen = self._buffer(out)
        seen[...] = self.state()[:, None, : seen.shape[2]]
        return seen

    def _buffer(self, out: Any) -> Any:
        shape = (self.num_envs, 1, self.single_observation_space.shape[0])
        if out is None:
            return np.empty(shape, np.float32)
        fits = isinstance(out, np.ndarray) and out.shape == shape and out.dtype == np.float32
        if not fits or not out.flags.writeable:
            raise UsageError(f"{self.id}: out must be a writeable float32 array {shape}")
        return out

    def _actions(self, actions: Any) -> Any:
        self._require_begun()
        rows = (self.num_envs, 1)
        return action_array(self.id, actions, shape=rows, actions=self._arms, seats=self.agents)[
            :, 0
        ]


def _infos(events: Any) -> dict[str, Any]:
    return {
        "principal_reward": events[:, kernel.RAW, None],
        "shortfall": events[:, kernel.SHORTFALL, None],
        "ruined": events[:, kernel.RUINED, None],
    }
