"""A grid world as the arena plays it: the batch of one behind the World protocol.

One class for all grid worlds. A world supplies its parameters, its :class:`GridGame` and its rules
in words; turns, views, metrics, the text map and the vector API are made here.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from gymnasium.spaces import Box, Discrete

from gymposium.types import Action, Turn

from ..seeds import checked_seed
from ..world import RuleWorld
from .batch import GROUP_METRICS, GridBatch, codes_of, seed_of
from .game import GridGame
from .movement import STAY
from .params import GridParams
from .state import State
from .vector import GridVectorWorld
from .views import SIZE, whole_map
from .words import GridWords

if TYPE_CHECKING:
    from gymposium.types import Image


class GridWorld(GridWords, RuleWorld):
    """Base of the grid worlds.

    Attributes:
        params: the world's parameters.
        game: its map, numbers and kernels.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi", "rgb_array"], "render_fps": 8}
    own_metrics: ClassVar[tuple[str, ...]] = ()
    params: Any

    def __init__(self, params: GridParams) -> None:
        self.params = params
        self.game = game = self.build()
        self.horizon = game.horizon
        self.fault_rule = "A seat without a legal answer stays where it is in that step."
        self.metric_names = (*GROUP_METRICS, *game.counted, *self.own_metrics)
        self._batch = GridBatch(game, 1)
        self._views = np.zeros((1, game.agents, SIZE, SIZE), np.uint16)
        self._rewards = np.zeros((1, game.agents), np.float32)
        self._idle, self._all = np.zeros(1, np.bool_), np.ones(1, np.bool_)
        self._chosen = np.zeros((1, game.agents), np.int64)
        ids = [f"agent_{index}" for index in range(game.agents)]
        self._index = {seat: index for index, seat in enumerate(ids)}
        view = Box(0, 255, (SIZE, SIZE, 2), np.uint8)
        choice = Discrete(len(game.actions))
        self._seat_all(ids, dict.fromkeys(ids, view), dict.fromkeys(ids, choice))

    @abstractmethod
    def build(self) -> GridGame:
        """The game that the parameters describe."""

    def own_measures(self, state: State, clock: Any) -> dict[str, Any]:
        """The world's own measures, ``own_metrics``, ``[E]`` each; ``clock`` is at least 1."""
        return {}

    def measures(self, batch: GridBatch) -> dict[str, Any]:
        """All measures of the matches in ``batch`` as they stand, ``[E]`` each."""
        own = self.own_measures(batch.state, np.maximum(batch.state.clock, 1))
        return {**batch.group_metrics(), **own}

    def vector(
        self, num_envs: int, *, num_threads: int = 1, autoreset: str = "next_step"
    ) -> GridVectorWorld:
        """Many matches of this world at a time (``gymposium.make_vec``)."""
        return GridVectorWorld(self, num_envs, num_threads=num_threads, autoreset=autoreset)

    def global_state(self) -> Any:
        """The whole map in codes, uint8 ``[H, W, 2]``, for a centralised critic."""
        grid = self.game.grid
        return whole_map(self._batch.state, grid.height, grid.width)[0]

    # The rules.

    def reset(self, seed: int) -> dict[str, Turn]:
        """Begin a match; the same one as a vector world's row whose ``seeds`` entry is ``seed``."""
        self._seed = np.array([seed_of(checked_seed(self.id, seed))], np.uint64)
        return super().reset(seed)

    def _begin(self, rng: np.random.Generator) -> None:
        self._batch.begin(self._seed, self._all, self._views)
        self._forget()
        self._took_place()

    def _actors(self) -> Sequence[str]:
        return self.possible_seats

    def _play(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        answers = [actions[seat] for seat in self.possible_seats]
        self._chosen[0] = [STAY if answer is None else answer for answer in answers]
        self._forget()
        self._batch.step(self._chosen, self._idle, self._views, self._rewards, 0, 1)
        self._took_place()
        return dict(zip(self.possible_seats, self._gains, strict=True))

    def _forget(self) -> None:
        self._rewards[:] = 0
        self._batch.state.events[:] = 0

    def _took_place(self) -> None:
        self._gains: list[float] = self._rewards[0].tolist()
        self._events: list[list[int]] = self._batch.state.events[0].tolist()
        self._codes = codes_of(self._views[0])

    def _ended(self) -> tuple[bool, bool, str]:
        if self._step_count < self.game.horizon:
            return False, False, ""
        return False, True, f"all {self.game.horizon} steps were played"

    def _observe(self, seat: str) -> Any:
        return self._codes[self._index[seat]].copy()

    def _info(self, seat: str) -> Mapping[str, Any]:
        index = self._index[seat]
        happened = self._events[index]
        info: dict[str, Any] = {"task_reward": self._gains[index]}
        for name, column in self.game.events.items():
            info[name] = happened[column]
        return info

    def _state(self) -> bytes:
        return b"".join([array.tobytes() for array in self._batch.state])

    def _metrics(self) -> dict[str, float]:
        found = {name: float(value[0]) for name, value in self.measures(self._batch).items()}
        return {name: value for name, value in found.items() if not np.isnan(value)}

    def render(self) -> str:
        """The whole map with everybody on it, in text.

        Raises:
            UsageError: the match has not begun.
        """
        if self._over is None:
            return super().render()
        return self.map_in_text(self.global_state())

    def draw(self) -> Image:
        """The whole map with everybody on it and the beams just fired, in sprites.

        Raises:
            UsageError: the match has not begun.
        """
        if self._over is None:
            return super().draw()
        from .frames import draw_match

        return draw_match(self.game, self._batch.state)
