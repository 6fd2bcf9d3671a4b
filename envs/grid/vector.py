"""The vector API of grid worlds: many matches, autoreset, infos and threads around the kernels."""

from __future__ import annotations

import itertools
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from gymposium.errors import UsageError

from ..arrays import action_array, as_array
from ..exclusive import alone
from ..rows import Rows
from .batch import GridBatch, codes_of
from .state import RETURN
from .tiles import tiles
from .views import AGENT_PLANES, SIZE, planes, whole_map

if TYPE_CHECKING:
    from .world import GridWorld


class GridVectorWorld(Rows):
    """Many matches of a grid world; see :class:`~gymposium.envs.vector.VectorWorld`."""

    def __init__(
        self, world: GridWorld, num_envs: int, *, num_threads: int = 1, autoreset: str = "next_step"
    ) -> None:
        super().__init__(num_envs, autoreset, world.metadata)
        self._world = world
        self._game = game = world.game
        self.id, self.params, self.horizon = world.id, world.params, game.horizon
        self.num_agents = game.agents
        self.agents = world.possible_seats
        self.seats = world.seats
        seat = world.seats[self.agents[0]]
        self.single_observation_space = seat.observation_space
        self.single_action_space = seat.action_space
        rows = (num_envs, game.agents)
        self.observation_space = spaces.Box(0, 255, (*rows, SIZE, SIZE, 2), np.uint8)
        self.action_space = spaces.MultiDiscrete(np.full(rows, len(game.actions)))
        self.num_planes = len(game.items) - 1 + AGENT_PLANES
        self._batch = GridBatch(game, num_envs)
        self._none = np.zeros((0, game.agents, SIZE, SIZE), np.uint16)
        bounds = np.linspace(0, num_envs, min(num_threads, num_envs) + 1).astype(int).tolist()
        self._slices = list(itertools.pairwise(bounds))
        self._pool: ThreadPoolExecutor | None = None

    def __getstate__(self) -> dict[str, Any]:
        """All but threads and lock; a copy's threads start with its next step."""
        return {**super().__getstate__(), "_pool": None}

    @alone
    def reset(
        self, seed: int | None = None, *, mask: Any = None, out: Any = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin matches; see :meth:`VectorWorld.reset`.

        Raises:
            UsageError: ``mask`` or ``out`` has the wrong shape or dtype, or rows that are not in
                ``mask`` have never begun.
        """
        views = self._views(out)
        which, self.seeds = self._opening(seed, mask)
        self._batch.begin(self.seeds, which, views)
        if not which.all():
            self._batch.look(~which, views)
        rewards = np.zeros((self.num_envs, self.num_agents), np.float32)
        self._batch.new_events()
        return codes_of(views) if out is None else out, self._infos(rewards)

    @alone
    def step(
        self, actions: Any, *, out: Any = None, observe: bool = True
    ) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Play one step in every row; see :meth:`VectorWorld.step`."""
        actions = self._actions(actions)
        batch, idle = self._batch, self._idle()
        begins = bool(idle.any())
        views = self._views(out) if observe or begins else self._none
        if np.may_share_memory(views, actions):
            raise UsageError(f"{self.id}: out must not share memory with the actions")
        rewards = np.zeros((self.num_envs, self.num_agents), np.float32)
        batch.new_events()
        self._run(actions, idle, views, rewards)
        if begins:
            self._begin_anew(idle, views)
        truncated = (batch.state.clock >= self.horizon) & ~idle
        terminated = np.zeros(self.num_envs, np.bool_)
        infos = self._infos(rewards)
        self._ended = truncated
        if truncated.any():
            self._add_endings(infos, truncated)
            if self.autoreset_mode is AutoresetMode.SAME_STEP:
                if observe:
                    infos["final_obs"] = codes_of(views).copy()
                    infos["_final_obs"] = truncated.copy()
                self._begin_anew(truncated, views if len(views) else batch.new_views())
                self._ended = np.zeros(self.num_envs, np.bool_)
        observations = codes_of(views) if out is None else out
        return observations, rewards, terminated, truncated.copy(), infos

    def state(self) -> Any:
        """Every match's whole map in codes: uint8 ``[E, H, W, 2]``, headings absolute."""
        grid = self._game.grid
        return whole_map(self._batch.state, grid.height, grid.width)

    def planes(self, observations: Any) -> Any:
        """Codes ``[…, H, W, 2]`` (observations or :meth:`state`) as planes ``[…, C, H, W]``."""
        return planes(self._codes(observations), len(self._game.items))

    def rgb(self, observations: Any) -> Any:
        """Codes ``[…, H, W, 2]`` (observations, of seats) as pictures ``[…, 8 H, 8 W, 3]``."""
        return tiles(self._game.sprites).view(self._codes(observations))

    def metrics(self) -> dict[str, Any]:
        """The world's measures of the matches as they stand, ``[E]`` each."""
        return self._world.measures(self._batch)

    def close(self) -> None:
        """Release the threads."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool, self._slices = None, [(0, self.num_envs)]

    def _run(self, actions: Any, idle: Any, views: Any, rewards: Any) -> None:
        (low, high), *others = self._slices
        step = self._batch.step
        if others and self._pool is None:
            self._pool = ThreadPoolExecutor(len(others), "gymposium-kernels")
            weakref.finalize(self, self._pool.shutdown, wait=False)
        waiting = [
            self._pool.submit(step, actions, idle, views, rewards, *part)
            for part in others
            if self._pool is not None
        ]
        step(actions, idle, views, rewards, low, high)
        for part in waiting:
            part.result()

    def _begin_anew(self, which: Any, views: Any) -> None:
        self.seeds = self._following(which)
        self._batch.begin(self.seeds, which, views)

    def _infos(self, rewards: Any) -> dict[str, Any]:
        events = self._batch.state.events
        named = {name: events[..., column] for name, column in self._game.events.items()}
        return {"task_reward": rewards, **named}

    def _add_endings(self, infos: dict[str, Any], ended: Any) -> None:
        infos["episode_returns"] = self._batch.state.tally[..., RETURN].copy()
        infos["_episode_returns"] = ended.copy()
        infos.update({f"metric_{name}": value for name, value in self.metrics().items()})

    def _views(self, out: Any) -> Any:
        if out is None:
            return self._batch.new_views()
        shape = (self.num_envs, self.num_agents, SIZE, SIZE, 2)
        fits = isinstance(out, np.ndarray) and out.shape == shape and out.dtype == np.uint8
        if not fits or not out.flags.c_contiguous or not out.flags.writeable:
            raise UsageError(f"{self.id}: out must be a writeable C-contiguous uint8 array {shape}")
        return out.view(np.uint16)[..., 0]

    def _codes(self, given: Any) -> Any:
        codes = as_array(self.id, "observations", given)
        if codes.ndim < 3 or codes.shape[-1] != 2 or codes.dtype != np.uint8:
            raise UsageError(
                f"{self.id}: observations must be uint8 […, height, width, 2], "
                f"got {codes.dtype} {codes.shape}"
            )
        return codes

    def _actions(self, actions: Any) -> Any:
        self._require_begun()
        return action_array(
            self.id,
            actions,
            shape=(self.num_envs, self.num_agents),
            actions=len(self._game.actions),
            seats=self.agents,
        )
