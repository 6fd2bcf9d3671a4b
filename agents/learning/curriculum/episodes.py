"""Episodes of a budgeted world, played side by side by a student, with what they earned and cost.

The gate is not the world's here: an episode keeps its raw return and its whole cost, so that one
set of episodes says what *every* budget would have paid (equation of the constrained return in
Tzannetos, Kamalaruban and Singla, NeurIPS 2025).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np

from gymposium.errors import UsageError
from gymposium.types import TrainingTask

from ....envs import registry

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
_ABREAST = 32
"""Worlds that are played side by side through their turns, at most."""


@dataclass(frozen=True)
class Episodes:
    """N finished episodes and the D decisions in them.

    Attributes:
        costs, returns: float64 ``[N]``, whole cost and raw return.
        rows: int ``[D]``, whose decision.
        seen: ``[D, …]``, what was observed, as the student reads it.
        choices: int ``[D]``.
        masks: bool ``[D, choices]``, or None where everything is always open.
    """

    costs: Array
    returns: Array
    rows: Array
    seen: Array
    choices: Array
    masks: Array | None = None

    def gains(self, budget: float) -> Array:
        """float64 ``[N]``: what each is paid under ``budget``."""
        return gated(self.costs, self.returns, budget)

    def __len__(self) -> int:
        return len(self.costs)


def gated(costs: Array, returns: Array, budget: float) -> Array:
    """The return where the cost is at most ``budget``, else 0."""
    return np.where(costs <= budget, returns, 0.0)


class Player(Protocol):
    """What can play: reads observations as numbers and decides on them."""

    def read(self, observations: Sequence[Any]) -> Array:
        """Observations as one array ``[n, …]``."""
        ...

    def decide(self, seen: Array, masks: Array | None) -> Array:
        """Choices, int ``[n]``, drawn from the policy as it is now."""
        ...

    def act_on(self, choice: int, turn: Any) -> Any:
        """The world's action that a choice stands for at this turn."""
        ...


class Court:
    """The copies of one world that episodes are played in.

    Attributes:
        world: one of them, for its spans.
        seat: the id of its only seat.
        held: the task that all copies hold, or None.
    """

    def __init__(self, task: TrainingTask) -> None:
        """Make the world.

        Raises:
            UsageError: it has no budget, or not one seat.
        """
        self._task = task
        self.world: Any = self._make()
        if not hasattr(self.world, "set_budget") or len(self.world.seats) != 1:
            raise UsageError(
                f"{task.world} has no budget that a curriculum could move; the worlds that do are "
                "binary_tree-v0, puddle_grid-v0 and token_budget_math-v0"
            )
        self.seat: str = next(iter(self.world.seats))
        self._copies: list[Any] = [self.world]
        self._fast: dict[int, Any] = {}  # by how many play side by side
        many = getattr(self.world, "side_by_side", None)
        self._side_by_side = None if many is None or many(1) is None else many

    def _make(self) -> Any:
        return registry.make_world(self._task.world, **self._task.params)

    def set_task(self, task: int | None) -> None:
        """Hold the task of all copies."""
        for world in self._copies:
            world.set_task(task)
        self.held = task

    held: int | None = None

    def play(self, player: Player, seeds: Sequence[int]) -> Episodes:
        """One episode a seed."""
        if self._side_by_side is not None and seeds:
            count = len(seeds)
            fast = self._fast.get(count)
            if fast is None:
                fast = self._fast[count] = self._side_by_side(count)
            return _in_step(fast, player, seeds)
        parts = []
        for first in range(0, len(seeds), _ABREAST):
            now = seeds[first : first + _ABREAST]
            while len(self._copies) < len(now):
                self._copies.append(self._make())
                self._copies[-1].set_task(self.held)
            parts.append(_through_turns(self._copies[: len(now)], player, now, self.seat))
        return parts[0] if len(parts) == 1 else _joined(parts)


def _joined(parts: Sequence[Episodes]) -> Episodes:
    """Episodes one after another."""
    before = np.cumsum([0, *(len(part) for part in parts)])
    masks = [part.masks for part in parts if part.masks is not None]
    return Episodes(
        np.concatenate([part.costs for part in parts]),
        np.concatenate([part.returns for part in parts]),
        np.concatenate([part.rows + first for part, first in zip(parts, before[:-1], strict=True)]),
        np.concatenate([part.seen for part in parts]),
        np.concatenate([part.choices for part in parts]),
        np.concatenate(masks) if masks else None,
    )


def _in_step(table: Any, player: Player, seeds: Sequence[int]) -> Episodes:
    """Episodes of a world that plays many at a time."""
    asked, rows, seen, choices = table.begin(seeds), [], [], []
    while asked is not None:
        rows.append(asked[0])
        seen.append(player.read(asked[1]))
        choices.append(player.decide(seen[-1], None))
        asked = table.step(choices[-1])
    ended = (np.array(table.costs, float), np.array(table.returns, float))
    return Episodes(*ended, np.concatenate(rows), np.concatenate(seen), np.concatenate(choices))


def _through_turns(worlds: list[Any], player: Player, seeds: Sequence[int], seat: str) -> Episodes:
    """Episodes of any budgeted world, turn by turn."""
    turns = [world.reset(seed)[seat] for world, seed in zip(worlds, seeds, strict=True)]
    going = list(range(len(worlds)))
    rows, seen, choices, masks = [], [], [], []
    while going:
        asked = [turns[row] for row in going]
        read = player.read([turn.observation for turn in asked])
        mask = None
        if asked[0].action_mask is not None:
            mask = np.array([turn.action_mask for turn in asked], bool)
            masks.append(mask)
        picked = player.decide(read, mask)
        rows.append(np.array(going))
        seen.append(read)
        choices.append(picked)
        still = []
        for row, turn, choice in zip(going, asked, picked.tolist(), strict=True):
            following = worlds[row].step({seat: player.act_on(choice, turn)})
            if following:
                turns[row] = following[seat]
                still.append(row)
        going = still
    return Episodes(
        np.array([world.cost for world in worlds]),
        np.array([world.raw_return for world in worlds]),
        np.concatenate(rows),
        np.concatenate(seen),
        np.concatenate(choices),
        np.concatenate(masks) if masks else None,
    )
