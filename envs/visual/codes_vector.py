"""Many matches of a grid world at a time, as codes: :func:`gymposium.make_vec` for learners.

A step is one move in every row (``control="move"``), and row ``i`` is the single world of those
parameters after ``reset(int(seeds[i]))``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from gymposium.errors import UsageError

from ..arrays import action_array
from ..exclusive import alone
from ..rows import Rows
from .sprites import picture

if TYPE_CHECKING:
    from .grid_turns import GridTurns

_PIXELS = 8
"""Of a cell in the pictures of a batch."""


class CodesVectorWorld(Rows):
    """``num_envs`` grids; see :class:`~gymposium.envs.vector.VectorWorld`.

    Observations are uint8 ``[E, 1, H, W, 1]``, a code a cell.
    """

    num_agents = 1

    def __init__(self, world: GridTurns, num_envs: int, *, autoreset: str = "next_step") -> None:
        super().__init__(num_envs, autoreset, world.metadata)
        self.id, self.params, self.agents = world.id, world.params, world.possible_seats
        self.seats, self.horizon, self._sheet = world.seats, world.moves, world.sheet
        self.board = board = world.board(num_envs)
        self.num_planes = board.codes - 1
        self.single_observation_space: Any = world.code_space()
        self.single_action_space: Any = spaces.Discrete(len(world.actions))
        self._shape = (num_envs, 1, board.height, board.width, 1)
        self.observation_space = spaces.Box(0, board.codes - 1, self._shape, np.uint8)
        self.action_space = spaces.MultiDiscrete(np.full((num_envs, 1), len(world.actions)))
        self._returns = np.zeros(num_envs)

    @alone
    def reset(
        self, seed: int | None = None, *, mask: Any = None, out: Any = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin matches; see :meth:`VectorWorld.reset`."""
        self._buffer(out)
        which, seeds = self._opening(seed, mask)
        self._begin(which, seeds)
        return self._seen(out), {}

    @alone
    def step(
        self, actions: Any, *, out: Any = None, observe: bool = True
    ) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """One move in every row; see :meth:`VectorWorld.step`."""
        moves = self._actions(actions)
        self._buffer(out)  # refused before anything has moved
        idle = self._idle()
        rewards = np.empty(self.num_envs, np.float32)
        over, success = self.board.play(moves, idle, rewards)
        self._returns += rewards
        late = self.board.clock >= self.horizon
        truncated = late & ~over & ~idle
        if idle.any():
            self._begin(idle, self._following(idle))
        self._ended = ended = over | truncated
        infos: dict[str, Any] = {}
        if ended.any():
            infos["episode_returns"] = self._returns[:, None].copy()
            infos["_episode_returns"] = ended.copy()
            infos["metric_success"] = success.astype(np.float64)
            infos["metric_actions"] = self.board.clock.astype(np.float64)
            if self.autoreset_mode is AutoresetMode.SAME_STEP:
                infos["final_obs"], infos["_final_obs"] = self._seen(None), ended.copy()
                self._begin(ended, self._following(ended))
                self._ended = np.zeros(self.num_envs, np.bool_)
        seen = self._seen(out) if observe else self._nothing(out)
        return seen, rewards[:, None], over[:, None], truncated[:, None], infos

    def state(self) -> Any:
        """The cells of every match: uint8 ``[E, H, W]``."""
        return self._seen(None)[:, 0, ..., 0]

    def planes(self, observations: Any) -> Any:
        """Codes ``[…, H, W, 1]`` as float32 planes ``[…, C, H, W]``: none for code 0."""
        codes = np.asarray(observations)[..., 0]
        return np.moveaxis(np.eye(256, self.num_planes, -1, dtype=np.float32)[codes], -1, -3)

    def rgb(self, observations: Any) -> Any:
        """Codes ``[…, H, W, 1]`` as uint8 pictures ``[…, 8 H, 8 W, 3]``."""
        codes = np.asarray(observations)[..., 0]
        height, width = codes.shape[-2:]
        side = _PIXELS * max(height, width)
        flat = [picture(self._sheet, each, side) for each in codes.reshape(-1, height, width)]
        shape = (*codes.shape[:-2], _PIXELS * height, _PIXELS * width, 3)
        return np.array(flat, np.uint8).reshape(shape)

    def close(self) -> None:
        """Nothing to release."""

    def _begin(self, which: Any, seeds: Any) -> None:
        self.seeds = seeds
        self.board.begin(seeds, which)
        self._returns[which] = 0.0

    def _seen(self, out: Any) -> Any:
        seen = self._buffer(out)
        seen[...] = self.board.grid.reshape(self._shape)
        return seen

    def _nothing(self, out: Any) -> Any:
        return np.zeros((0, *self._shape[1:]), np.uint8) if out is None else out

    def _buffer(self, out: Any) -> Any:
        if out is None:
            return np.empty(self._shape, np.uint8)
        fits = isinstance(out, np.ndarray) and out.shape == self._shape and out.dtype == np.uint8
        if not fits or not out.flags.writeable:
            raise UsageError(f"{self.id}: out must be a writeable uint8 array {self._shape}")
        return out

    def _actions(self, actions: Any) -> Any:
        self._require_begun()
        rows, count = (self.num_envs, 1), int(self.single_action_space.n)
        found = action_array(self.id, actions, shape=rows, actions=count, seats=self.agents)
        return found[:, 0]
