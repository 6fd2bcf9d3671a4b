"""Where a training task's rollouts come from: the kernels if they can, else turns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gymposium.errors import UnknownName, UsageError
from gymposium.types import Agent, TrainingTask, World

from ...envs import registry
from ..registry import resolve
from ..wire import space_to_json
from .encoding import encoder
from .lookup import code_table
from .match_rollouts import MatchRollouts
from .rollouts import RolloutSource, SeatSpaces, VectorRollouts

if TYPE_CHECKING:
    from ...envs.vector import VectorWorld


def rollout_source(
    task: TrainingTask, *, num_envs: int, steps: int, num_threads: int, seed: int
) -> RolloutSource:
    """Where a task's rollouts come from.

    Args:
        task: the world, the seats trained (empty: all that have no partner) and the partners.
        num_envs: matches side by side.
        steps: of a rollout; 0 for one match.
        num_threads: that step the kernels.
        seed: of every match.

    Raises:
        UnknownName, UsageError: a seat or partner does not exist, a seat is left empty, or the
            trained seats have different spaces.
    """
    world = registry.make_world(task.world, **task.params)
    seats = _seats(task, world)
    build = _kernels(world)
    first = world.seats[seats[0]]
    shape = encoder(first.observation_space).shape
    if build is not None and not task.partners and len(seats) == len(world.seats):
        vector: VectorWorld = build(num_envs, num_threads=num_threads, autoreset="disabled")
        vector.reset(seed=0)
        spaces = SeatSpaces(
            seats,
            first.observation_space,
            first.action_space,
            shape,
            vector.state().shape[1:],
            code_table(vector.planes, shape),
            vector.horizon,
        )
        return VectorRollouts(vector, steps=steps, seed=seed, spaces=spaces)
    table = code_table(build(1).planes, shape) if build is not None else None
    central = (len(seats) * int(np.prod(shape)),)
    spaces = SeatSpaces(
        seats, first.observation_space, first.action_space, shape, central, table, first.horizon
    )
    made: Callable[[], World] = lambda: registry.make_world(task.world, **task.params)  # noqa: E731
    return MatchRollouts(
        made, spaces, partners=_partners(task), num_envs=num_envs, steps=steps, seed=seed
    )


def _kernels(world: World) -> Any:
    """What makes many matches of the world at a time, if seats see codes there; else None.

    Only such worlds are rolled out as arrays: their matches are equally long and have no masks.
    """
    build: Any = getattr(world, "vector", None)
    return build if build is not None and build(1).num_planes else None


def _seats(task: TrainingTask, world: World) -> tuple[str, ...]:
    known = world.seats
    for seat in (*task.seats, *task.partners):
        if seat not in known:
            raise UnknownName("seat", seat, known, where=task.world)
    seats = tuple(task.seats) or tuple(seat for seat in known if seat not in task.partners)
    for seat in known:
        if (seat in seats) == (seat in task.partners):
            said = "both trained and given" if seat in seats else "neither trained nor given"
            raise UsageError(f"{task.world}: the seat {seat} is {said} a partner")
    for what in ("observation_space", "action_space"):
        kinds: Mapping[str, Any] = {s: space_to_json(getattr(known[s], what)) for s in seats}
        for seat in seats[1:]:
            if kinds[seat] != kinds[seats[0]]:
                named = what.replace("_", " ")
                raise UsageError(
                    f"{task.world}: {seats[0]} and {seat} differ in their {named}; train them one "
                    "after the other, each with the other as a partner"
                )
    return seats


def _partners(task: TrainingTask) -> dict[str, Callable[[], Agent]]:
    return {seat: resolve(spec).create for seat, spec in task.partners.items()}
