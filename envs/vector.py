"""Many matches of one world at a time, as arrays: the door for learning at speed.

:func:`make_vec` gives a :class:`VectorWorld`: ``num_envs`` matches of ``num_agents`` seats each,
stepped together by the same kernels that the single world uses (it is the batch of one). The shape
of the API is Gymnasium's ``VectorEnv`` with an axis for the seats after the axis for the matches.

Seeds: ``reset(seed=s)`` gives match ``i`` the seed spawned from ``SeedSequence(s, spawn_key=(i,))``
(its first 64 bits), and each match that follows in the same row the next number of a fixed
sequence that starts there. ``seeds`` has the seeds of the matches being played, and row ``i`` is,
bit for bit, the single world after ``reset(int(seeds[i]))``.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Mapping
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, get_args

from gymposium.errors import UnknownName, UsageError

from . import registry

if TYPE_CHECKING:
    import numpy as np
    from gymnasium.vector import AutoresetMode

    from gymposium.types import Seat, Space

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

Autoreset = Literal["next_step", "same_step", "disabled"]


class VectorWorld(Protocol):
    """``num_envs`` matches of one world, stepped together.

    Shapes: E = ``num_envs``, A = ``num_agents``. Arrays returned are fresh unless ``out`` is given.

    Attributes:
        id: the world's id.
        params: its parameters (the frozen dataclass).
        num_envs, num_agents: E and A.
        agents: the seats' ids, in the order of axis 1.
        seats: what each seat is told before a match, by id.
        single_observation_space, single_action_space: of one seat; the same for every seat.
        observation_space, action_space: of the batch, ``[E, A, …]``.
        autoreset_mode: Gymnasium's, from ``metadata``: what happens after a match has ended.
        horizon: steps in a match.
        seeds: uint64 ``[E]``, the seed of the match being played in each row.
        num_planes: C of :meth:`planes`.
    """

    id: str
    params: Any
    num_envs: int
    num_agents: int
    agents: tuple[str, ...]
    seats: Mapping[str, Seat]
    single_observation_space: Space
    single_action_space: Space
    observation_space: Space
    action_space: Space
    autoreset_mode: AutoresetMode
    horizon: int
    seeds: Array
    num_planes: int

    def reset(
        self, seed: int | None = None, *, mask: Array | None = None, out: Array | None = None
    ) -> tuple[Array, dict[str, Array]]:
        """Begin matches.

        Args:
            seed: of the whole batch; None goes on from the last one given (or fresh entropy).
            mask: bool ``[E]``, the rows to begin anew; None is all. The others' observations are
                those they had.
            out: written into and returned in place of a fresh observation array.

        Returns:
            Observations ``[E, A, …]`` and infos.
        """
        ...

    def step(
        self, actions: Array, *, out: Array | None = None, observe: bool = True
    ) -> tuple[Array, Array, Array, Array, dict[str, Array]]:
        """Play one step in every row.

        Args:
            actions: integers ``[E, A]``.
            out: written into and returned in place of a fresh observation array.
            observe: False saves making the observations; ``out`` or zeros of no rows is returned.

        Returns:
            Observations, rewards float32 ``[E, A]``, terminated and truncated bool ``[E, A]``, and
            infos, arrays ``[E, A]`` by name (``task_reward``, ``zapped``, ``cleaned``,
            ``collected`` where they apply). When matches have ended: ``episode_returns`` ``[E, A]``
            and ``metric_<name>`` ``[E]`` with ``_episode_returns`` ``[E]`` saying in which rows;
            in same-step mode also ``final_obs`` with ``_final_obs``.

        Raises:
            UsageError: actions of another shape, kind or range; a row that has ended is stepped
                in the mode without autoreset; nothing was reset.
        """
        ...

    def state(self) -> Array:
        """The whole situation of every match, uint8 ``[E, …]``, for centralised critics."""
        ...

    def planes(self, observations: Array) -> Array:
        """Codes ``[…, H, W, 2]`` as float32 planes ``[…, C, H, W]``; a function of codes alone."""
        ...

    def rgb(self, observations: Array) -> Array:
        """Codes ``[…, H, W, 2]`` as uint8 pictures ``[…, 8 H, 8 W, 3]`` of 8 x 8 sprites."""
        ...

    def close(self) -> None:
        """Release the threads."""
        ...


def make_vec(
    id: str,
    num_envs: int,
    *,
    num_threads: int = 1,
    autoreset: Autoreset = "next_step",
    **params: Any,
) -> VectorWorld:
    """Many matches of a world at a time.

    Args:
        id: the id of a world with kernels.
        num_envs: how many matches, at least 1.
        num_threads: how many threads step them, 1 to 1024. The batch itself belongs to one
            thread of the caller's at a time.
        autoreset: what happens after a match has ended: ``next_step`` (the following step begins a
            new one, whatever the actions), ``same_step`` (the new one's first observation is
            returned at once, the last one's is in ``infos["final_obs"]``), ``disabled`` (nothing:
            call ``reset(mask=…)``).
        **params: the world's parameters.

    Returns:
        A :class:`VectorWorld`, before its first ``reset``.

    Raises:
        UnknownName: no such world, parameter or mode.
        UsageError: a value is not allowed, memory cannot hold it, or the world has no kernels.
    """
    if autoreset not in get_args(Autoreset):
        raise UnknownName("autoreset mode", str(autoreset), get_args(Autoreset), where="make_vec")
    given: tuple[tuple[str, Any, int], ...] = (
        ("num_envs", num_envs, 2**31),
        ("num_threads", num_threads, 1024),
    )
    for name, value, most in given:
        whole = isinstance(value, Integral) and not isinstance(value, bool)
        if not whole or not 1 <= value <= most:
            raise UsageError(
                f"{id}: {name} must be a whole number from 1 to {most}, got {value!r:.80}"
            )
    world = registry.make_world(id, **params)
    build: Any = getattr(world, "vector", None)
    if build is None:
        fast = [item.id for item in registry.specs() if {"grid", "vector"} & {*item.tags}]
        if world.id in fast:
            raise UsageError(
                f"{world.id} has no vector form with these parameters; by default it has one"
            )
        raise UsageError(
            f"{world.id} has no vector form; the worlds that do are: {', '.join(fast)}"
        )
    if num_envs >= _MANY:
        _must_fit(world.id, build, int(num_envs))
    try:
        made: VectorWorld = build(int(num_envs), num_threads=int(num_threads), autoreset=autoreset)
    except MemoryError as error:
        raise UsageError(
            f"{id}: memory cannot hold num_envs={num_envs} matches: {error}"
        ) from error
    return made


_MANY = 2**16


def _must_fit(id: str, build: Any, num_envs: int) -> None:
    """Refuse more matches than the machine's memory holds; elsewhere the system may just kill us.

    What a match takes is the difference between batches of two and of one.
    """
    one, two = (len(pickle.dumps(build(rows), protocol=5)) for rows in (1, 2))
    need = (two - one) * num_envs
    try:
        there = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # no such question on this system
        return
    if need > there:
        raise UsageError(
            f"{id}: memory cannot hold num_envs={num_envs} matches: they take about "
            f"{need / 2**30:,.1f} GiB, the machine has {there / 2**30:,.1f}"
        )
