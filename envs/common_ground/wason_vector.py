"""Many card selections at a time, as arrays: :func:`gymposium.make_vec` for groups that talk.

Groups speak in turns, so a step is one turn of one member in every group; ``infos["actor"]`` says
whose it is next, and of the actions ``[E, A, 4]`` only the actor's are read. Words are left out:
these groups say stances and nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from gymposium.errors import UsageError

from ..arrays import as_array
from ..exclusive import alone
from ..rows import Rows
from . import wason_kernel as kernel
from .wason_deal import KEY, deal

if TYPE_CHECKING:
    from .wason_cards import WasonCards

_NAMES = {
    "ground_true": kernel.TRUE,
    "ground_false": kernel.FALSE,
    "ground_ever": kernel.EVER,
    "solo_types": kernel.SOLO_TYPES,
    "talk_types": kernel.TALK_TYPES,
    "unique": kernel.UNIQUE,
    "stuck": kernel.STUCK,
    "circular": kernel.CIRCULAR,
    "helpful": kernel.HELPFUL,
    "harmful": kernel.HARMFUL,
    "adopted": kernel.ADOPTED,
    "effect": kernel.EFFECT,
}


class WasonVectorWorld(Rows):
    """``num_envs`` groups; see :class:`~gymposium.envs.vector.VectorWorld`.

    Observations are uint8 ``[E, A, 15 + 4 A]``: phase, turns taken, four symbols, the hint, the
    stances of all (oneself first), who spoke last and what was claimed; the numbers are those of
    the single world. Infos have ``actor``, int64 ``[E]``.

    Args:
        world: the single world.
        num_envs: E.
        autoreset: as for :func:`~gymposium.envs.vector.make_vec`.
        track: keep the books: common ground, effects and transitions.
    """

    num_planes = 0

    def __init__(
        self, world: WasonCards, num_envs: int, *, autoreset: str = "next_step", track: bool = True
    ) -> None:
        super().__init__(num_envs, autoreset, world.metadata)
        self.id, self.params, self._track = world.id, world.params, track
        self.agents = world.members
        self.num_agents = count = len(world.members)
        self.seats = world.seats
        self._schedule = np.array(world.schedule, np.int64)
        self.horizon = len(self._schedule)
        self.width = 15 + 4 * count
        self.single_observation_space: Any = spaces.Box(0, 255, (self.width,), np.uint8)
        self.single_action_space: Any = spaces.MultiDiscrete([4] * 4)
        self.observation_space = spaces.Box(0, 255, (num_envs, count, self.width), np.uint8)
        self.action_space = spaces.MultiDiscrete(np.full((num_envs, count, 4), 4))
        self._table = _blank(num_envs, count)

    @alone
    def reset(
        self, seed: int | None = None, *, mask: Any = None, out: Any = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin groups; see :meth:`VectorWorld.reset`."""
        which, seeds = self._opening(seed, mask)
        self._begin(which, seeds)
        return self._seen(out), {"actor": self._actor()}

    @alone
    def step(
        self, actions: Any, *, out: Any = None, observe: bool = True
    ) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """One turn in every row; see :meth:`VectorWorld.step`."""
        taken = self._actions(actions)
        self._buffer(out)  # refused before anything has moved
        idle = self._idle()
        rewards = np.empty((self.num_envs, self.num_agents), np.float32)
        ended = np.empty(self.num_envs, np.bool_)
        exact = self.params.reward == "exact"
        kernel.play(self._table, idle, taken, self._schedule, rewards, ended, exact, self._track)
        if idle.any():
            self._begin(idle, self._following(idle))
        self._ended = ended
        infos: dict[str, Any] = {}
        if ended.any():
            infos = self._told(rewards, ended)
            if self.autoreset_mode is AutoresetMode.SAME_STEP:
                infos["final_obs"], infos["_final_obs"] = self._seen(None), ended.copy()
                self._begin(ended, self._following(ended))
                self._ended = np.zeros(self.num_envs, np.bool_)
        infos["actor"] = self._actor()
        seen = self._seen(out) if observe else self._nothing(out)
        each = np.repeat(ended[:, None], self.num_agents, axis=1)
        return seen, rewards, each, np.zeros_like(each), infos

    def state(self) -> Any:
        """What all members see, side by side: uint8 ``[E, A (15 + 4 A)]``."""
        return self._seen(None).reshape(self.num_envs, -1)

    def planes(self, observations: Any) -> Any:
        """The observations as numbers: there are no maps here."""
        return np.asarray(observations, np.float32)

    def rgb(self, observations: Any) -> Any:
        """There are no pictures of stances."""
        raise UsageError(f"{self.id}: a batch has no pictures; draw the single world")

    def close(self) -> None:
        """Nothing to release."""

    def _begin(self, which: Any, seeds: Any) -> None:
        table, p = self._table, self.params
        rows = np.flatnonzero(which)
        self.seeds = seeds
        dealt = deal(self.seeds[rows], self.num_agents, p.hints)
        for array in table:
            array[rows] = 0
        table.symbols[rows], table.classes[rows] = dealt.symbols, dealt.classes
        table.first[rows], table.hints[rows] = dealt.first, dealt.hints
        table.speaker[rows] = -1
        told = dealt.hints >= 0
        place = np.where(told, dealt.hints, 0)
        kinds = np.take_along_axis(dealt.classes, place, 1)
        bits = 1 << np.where(np.array(KEY)[kinds], kinds, kinds + 4)
        table.held[rows] = (np.where(told, bits, 0) << 8 * np.arange(self.num_agents)).sum(1)
        if self.num_agents == 1:  # what the only member sees is common
            table.public[rows] = table.ever[rows] = table.held[rows]

    def _actor(self) -> Any:
        return (self._table.first + self._table.clock) % self.num_agents

    def _told(self, rewards: Any, ended: Any) -> dict[str, Any]:
        infos: dict[str, Any] = {
            "episode_returns": rewards.copy(),
            "_episode_returns": ended.copy(),
        }
        tallies = self._table.tallies
        measures = {"score": tallies[:, kernel.SCORE] / 4, "exact": tallies[:, kernel.EXACT] / 1}
        if self._track:
            # One block, column by column: many small ones are given back to the system every time.
            counts = np.empty(tallies.T.shape)
            for row, column in zip(counts, tallies.T, strict=True):
                row[:] = column
            parts = 4 * self.num_agents
            measures |= {name: counts[row] for name, row in _NAMES.items()}
            measures["common_ground"] = counts[kernel.TRUE] / 4
            measures["agreement"] = counts[kernel.AGREEMENT] / parts
            measures["total_correct"] = counts[kernel.CORRECT] / np.maximum(
                counts[kernel.ANSWERS], 1
            )
            measures["cg_gain"] = measures["talk_types"] - measures["solo_types"]
            if self.params.solo:
                alone = counts[kernel.ALONE] / parts
                measures |= {"solo_score": alone, "gain": measures["score"] - alone}
        return infos | {f"metric_{name}": values for name, values in measures.items()}

    def _seen(self, out: Any) -> Any:
        seen = self._buffer(out)
        kernel.look(self._table, self._schedule, seen)
        return seen

    def _nothing(self, out: Any) -> Any:
        return np.zeros((0, self.num_agents, self.width), np.uint8) if out is None else out

    def _buffer(self, out: Any) -> Any:
        shape = (self.num_envs, self.num_agents, self.width)
        if out is None:
            return np.empty(shape, np.uint8)
        fits = isinstance(out, np.ndarray) and out.shape == shape and out.dtype == np.uint8
        if not fits or not out.flags.writeable:
            raise UsageError(f"{self.id}: out must be a writeable uint8 array {shape}")
        return out

    def _actions(self, actions: Any) -> Any:
        self._require_begun()
        found = as_array(self.id, "actions", actions)
        shape = (self.num_envs, self.num_agents, 4)
        if found.shape != shape or found.dtype.kind not in "iu":
            raise UsageError(
                f"{self.id}: actions must be whole numbers of shape {shape}, "
                f"got {found.dtype} {found.shape}"
            )
        if found.min() < 0 or found.max() > 3:
            raise UsageError(
                f"{self.id}: actions are stances from 0 to 3, got {found.min()} … {found.max()}"
            )
        return np.ascontiguousarray(found, np.int64)


def _blank(rows: int, count: int) -> kernel.State:
    whole = np.int64
    # A group's books lie side by side: columns of 4,096 rows would all want one place in the cache.
    books = np.zeros((rows, 4 + 3 * count), whole)
    each = books[:, 4:].reshape(rows, 3, count)
    return kernel.State(
        clock=np.zeros(rows, whole),
        first=np.zeros(rows, whole),
        speaker=np.zeros(rows, whole),
        symbols=np.zeros((rows, 4), whole),
        classes=np.zeros((rows, 4), whole),
        hints=np.zeros((rows, count), whole),
        held=np.zeros(rows, whole),
        public=np.zeros(rows, whole),
        latest=np.zeros((rows, count, 4), np.uint8),
        final=np.zeros(rows, whole),
        then=each[:, 0],
        said=each[:, 1],
        course=each[:, 2],
        types=books[:, 0],
        ever=books[:, 1],
        answers=books[:, 2],
        worth=books[:, 3],
        tallies=np.zeros((rows, kernel.TALLIES), np.int16),
    )
