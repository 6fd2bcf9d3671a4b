"""Examples to learn from without reward: what an expert does, and which of two actions does better.

Matches are played through their turns. A demonstration is what a scripted expert did in a trained
seat; a comparison is two actions drawn from one policy for the same turn, of which the match goes
better after the first, both being played to the end with the same luck.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from gymposium.errors import UsageError
from gymposium.types import Reply, TrainingTask, Turn

from ....envs import registry
from ...registry import resolve
from ..deciding import ActionLayout
from ..encoding import Encoder

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


class Examples(NamedTuple):
    """N decisions.

    Attributes:
        seen: ``[N, W]``, encoded.
        masks: bool ``[N, logits]``.
        choices: int ``[N, D]``.
        against: int ``[N, D]``, what went worse; None for demonstrations.
    """

    seen: Array
    masks: Array
    choices: Array
    against: Array | None = None

    def __len__(self) -> int:
        return len(self.seen)

    def take(self, rows: Array) -> Examples:
        """Some of them."""
        against = None if self.against is None else self.against[rows]
        return Examples(self.seen[rows], self.masks[rows], self.choices[rows], against)


def gathered(several: list[Examples]) -> Examples:
    """All of them in a row."""
    columns: Any = zip(*several, strict=True)
    joined: Any = (None if c[0] is None else np.concatenate(c) for c in columns)
    return Examples(*joined)


class Hall:
    """Where a task's matches are played with agents in all seats.

    Args:
        task: the world and the partners.
        seats: those that are trained.
        read: how their observations are encoded.
        layout: how their actions are made.
    """

    def __init__(
        self, task: TrainingTask, seats: tuple[str, ...], read: Encoder, layout: ActionLayout
    ) -> None:
        if layout.amounts:
            raise UsageError(f"examples are of choices only; {task.world} has amounts to decide on")
        self._task, self._seats, self._read, self._layout = task, seats, read, layout
        self._world, self._other = (
            registry.make_world(task.world, **task.params) for _ in range(2)
        )

    def demonstrations(self, expert: str, seed: np.random.SeedSequence) -> Iterator[Examples]:
        """Match after match of an expert in every trained seat."""
        spec = resolve(expert)
        for match in _seeds(seed):
            minds = self._minds(match, lambda: spec.create())
            rows: list[tuple[Array, Array, Array]] = []
            turns = self._world.reset(match[0])
            while turns:
                actions = {seat: self._act(minds[seat], turn) for seat, turn in turns.items()}
                for seat in self._seats:
                    if seat in turns and actions[seat] is not None:
                        chosen = self._layout.choices(actions[seat])
                        rows.append((*self._seen(turns[seat]), chosen))
                turns = self._world.step(actions)
            if rows:
                yield Examples(*(np.stack(column) for column in zip(*rows, strict=True)))

    def comparisons(
        self, policy: Callable[[], Any], seed: np.random.SeedSequence
    ) -> Iterator[Examples]:
        """Match after match of a policy, each decision compared with another drawn beside it."""
        for match in _seeds(seed):
            minds = self._minds(match, policy)
            rows: list[tuple[Array, ...]] = []
            past: list[Any] = []
            turns = self._world.reset(match[0])
            while turns:
                own = next((seat for seat in self._seats if seat in turns), None)
                actions = {seat: self._act(minds[seat], turn) for seat, turn in turns.items()}
                if own is not None:
                    other = self._act(minds[own], turns[own])
                    forks = [{**actions, own: action} for action in (actions[own], other)]
                    one, two = (self._layout.choices(fork[own]) for fork in forks)
                    if not np.array_equal(one, two):
                        ends = [self._end(own, [*past, f], match, minds, policy) for f in forks]
                        if ends[0] != ends[1]:
                            better = (one, two) if ends[0] > ends[1] else (two, one)
                            rows.append((*self._seen(turns[own]), *better))
                past.append(actions)
                turns = self._world.step(actions)
            if rows:
                yield Examples(*(np.stack(column) for column in zip(*rows, strict=True)))

    def _end(
        self, own: str, past: list[Any], match: tuple[int, ...], minds: Any, policy: Any
    ) -> float:
        """What a seat gets in the match that began so, the policy going on in its seats.

        The beginning is played again, which costs less than copying a world; both ends of a
        comparison have the same luck, in the world and in the seats.
        """
        world = self._other
        turns = world.reset(match[0])
        for actions in past:
            turns = world.step(actions)
        others = self._minds(match, policy)
        for seat in self._task.partners:
            others[seat] = copy.deepcopy(minds[seat])
        while turns:
            turns = world.step({s: self._act(others[s], turn) for s, turn in turns.items()})
        return float(world.outcome.returns[own])

    def _minds(self, match: tuple[int, ...], own: Callable[[], Any]) -> dict[str, Any]:
        minds = {}
        for seat, seed in zip(self._world.seats, match[1:], strict=False):
            partner = self._task.partners.get(seat)
            minds[seat] = own() if seat in self._seats else resolve(partner).create()
            minds[seat].reset(self._world.seats[seat], seed)
        return minds

    def _act(self, mind: Any, turn: Turn) -> Any:
        answer = mind.act(turn)
        if isinstance(answer, Reply):
            answer = answer.text if answer.action is None else answer.action
        if isinstance(answer, str):
            answer = self._world.words.parse(turn.seat, answer, turn.observation, turn.info)
        return answer

    def _seen(self, turn: Turn) -> tuple[Array, Array]:
        return self._read.encode(turn.observation), self._layout.mask(turn.action_mask)


def _seeds(seed: np.random.SeedSequence) -> Iterator[tuple[int, ...]]:
    """Seeds of a match and of up to 63 minds, match after match."""
    while True:
        (child,) = seed.spawn(1)
        yield tuple(int(s) >> 1 for s in child.generate_state(64, np.uint64))
