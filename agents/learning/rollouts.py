"""Rollouts straight from the kernels: a whole batch of matches decided in one pass a step.

A :class:`Rollout` is what PPO learns from, the same whether it came from here or through the match
loop (:mod:`.match_rollouts`). Axes: T steps, E matches side by side, A seats. The batch of worlds
is begun anew whenever its first matches must be over, from a seed of its own; to go on after a stop
it is enough to know that seed and the actions since, so nothing of a world has to be saved.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

import numpy as np
import torch

from .deciding import ActionLayout, Drawn
from .networks import Network

if TYPE_CHECKING:
    from gymposium.types import Space

    from ...envs.vector import VectorWorld

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


@dataclass
class Rollout:
    """Decisions of every seat and what came of them.

    Attributes:
        seen: ``[T, E, A, …]`` encoded observations.
        state: ``[T, E, A, …]`` what a central critic reads, or None.
        choices, amounts, logp, masks: the decisions, ``[T, E, A, …]``; masks may be None.
        values, next_values: ``[T, E, A, V]`` of the observation, and of the one that followed.
        rewards: float32 ``[T, E, A]``, the task's own, since the decision.
        everyone: float32 ``[T, E, A or 1, N]``, all N seats' rewards in the same time.
        terminated, truncated: bool ``[T, E, A]``.
        valid: bool ``[T, E, A]``, whether a decision was taken at all.
        starts: bool ``[T, E, A]``, the first decision of a match.
        hidden: recurrent state before the first step ``[M, L, H]``, or None.
        returns: float ``[episodes, N]``, undiscounted task returns of the matches that ended.
        own: int ``[A]``, where the A trained seats are among the N.
    """

    seen: Array
    state: Array | None
    choices: Array
    amounts: Array
    logp: Array
    masks: Array | None
    values: Array
    next_values: Array
    rewards: Array
    everyone: Array
    terminated: Array
    truncated: Array
    valid: Array
    starts: Array
    hidden: torch.Tensor | None
    returns: Array
    own: Array

    @property
    def decisions(self) -> int:
        """How many decisions there are."""
        return int(self.valid.sum())


class SeatSpaces(NamedTuple):
    """What the trained seats see and may do, and how a network reads it.

    Attributes:
        seats: the ids of the A trained seats.
        observation_space, action_space: of each of them.
        shape: of an encoded observation.
        central: shape of the world's state.
        table: what codes stand for, or None.
        horizon: the most steps of a match, or None.
    """

    seats: tuple[str, ...]
    observation_space: Space
    action_space: Space
    shape: tuple[int, ...]
    central: tuple[int, ...]
    table: Array | None
    horizon: int | None


class RolloutSource(Protocol):
    """Where rollouts come from."""

    spaces: SeatSpaces
    seconds: float

    def collect(self, decider: Decider) -> Rollout:
        """The next rollout."""
        ...

    def state_dict(self) -> dict[str, Any]:
        """All that is needed to go on from here."""
        ...

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from where ``state`` was taken."""
        ...


class Decider:
    """Decides for ``[E, A]`` seats with a stack of minds: one a seat, or one for all.

    Attributes:
        network: the stack.
        layout: how actions are made.
        rng: where draws come from.
        hidden: recurrent state ``[M, L, H]``, or None.
    """

    def __init__(
        self, network: Network, layout: ActionLayout, rng: np.random.Generator, *, central: bool
    ) -> None:
        self.network = network
        self.layout = layout
        self.rng = rng
        self.central = central
        self.hidden: torch.Tensor | None = None
        self.shared = network.spec.minds == 1

    def decide(
        self,
        seen: Array,
        state: Array | None,
        masks: Array | None,
        starts: Array,
        asked: Any = None,
    ) -> tuple[Drawn, Array]:
        """Decide for all seats.

        Args:
            seen: ``[E, A, …]``.
            state: ``[E, …]`` if there is a central critic.
            masks: bool ``[E, A, logits]`` or None.
            starts: bool ``[E, A]``, seats whose match begins now.
            asked: bool ``[E, A]``, seats whose recurrent state moves on; None for all.

        Returns:
            The decisions and the values ``[E, A, V]``.
        """
        logits, values, hidden = self._ask(seen, state, starts)
        self.go_on(hidden, asked)
        noise = self.layout.noise(self.rng, *seen.shape[:2])
        log_std: Array = np.zeros(0, np.float32)
        if self.layout.amounts:
            log_std = self.network.log_std.detach().numpy()
        return self.layout.draw(logits, log_std, masks, noise), values

    def go_on(self, hidden: torch.Tensor | None, asked: Any) -> None:
        """Keep the recurrent state of the seats that were asked."""
        if hidden is not None:
            if asked is not None and self.hidden is not None:
                moved = torch.from_numpy(self.lanes(asked)).T[..., None]
                hidden = torch.where(moved, hidden, self.hidden)
            self.hidden = hidden

    def worth(self, seen: Array, state: Array | None) -> Array:
        """Values ``[E, A, V]`` of what is seen next; nothing moves on."""
        return self._ask(seen, state, np.zeros(seen.shape[:2], bool))[1]

    def lanes(self, array: Array) -> Array:
        """``[E, A, rest]`` to ``[L, M, rest]``, a lane for each recurrent state of a mind."""
        return array.reshape(-1, 1, *array.shape[2:]) if self.shared else array

    def _ask(
        self, seen: Array, state: Array | None, starts: Array
    ) -> tuple[Array, Array, torch.Tensor | None]:
        hidden = self.hidden
        if hidden is not None and starts.any():
            begun = torch.from_numpy(self.lanes(starts)).T[..., None]
            hidden = torch.where(begun, 0.0, hidden)
        said = self.network.act(np.ascontiguousarray(self.lanes(seen)), hidden)
        logits, values = self._seats(said.logits, seen), self._seats(said.values, seen)
        if self.central and state is not None:
            values = self._seats(self.network.worth(self.lanes(spread(state, seen.shape[1]))), seen)
        return logits, values, said.hidden

    def _seats(self, tensor: torch.Tensor, seen: Array) -> Array:
        """``[M, L, rest]`` back to ``[E, A, rest]``."""
        return tensor.transpose(0, 1).reshape(*seen.shape[:2], -1).numpy()


def spread(state: Array, seats: int) -> Array:
    """A world's state ``[E, …]`` as every seat's critic reads it: ``[E, A, …]``."""
    return np.broadcast_to(state[:, None], (len(state), seats, *state.shape[1:]))


class VectorRollouts:
    """Rollouts of a world with kernels, made without autoreset.

    Attributes:
        spaces: of the seats, all of which are trained.
        seconds: spent in the world so far, for benchmarks.
    """

    def __init__(self, world: VectorWorld, *, steps: int, seed: int, spaces: SeatSpaces) -> None:
        self.world = world
        self.spaces = spaces
        self.seconds = 0.0
        self._steps = steps or world.horizon
        self._seed = seed
        # Collections until every match that began with the batch is over.
        self._span = -(-world.horizon // self._steps)
        self._count = 0
        self._log: list[Array] = []
        self._ended: list[Array] = []
        self._now: Array
        self._fresh: Array
        self._over: Array

    def collect(self, decider: Decider) -> Rollout:
        """Play ``steps`` steps in every match."""
        if self._count % self._span == 0:
            self._begin()
            decider.hidden = None
        world, steps = self.world, self._steps
        out = blank(steps, world.num_envs, world.num_agents, decider)
        seen = np.empty((steps + 1, *out.valid.shape[1:], *self.spaces.shape), np.uint8)
        seen[0] = self._now
        out.seen, out.hidden = seen[:steps], decider.hidden
        states = []
        for t in range(steps):
            state = self._state(decider)
            drawn, values = decider.decide(seen[t], state, None, self._fresh)
            states.append(state)
            out.values[t], out.logp[t], out.choices[t] = values, drawn.logp, drawn.choices
            out.starts[t] = self._fresh
            if t:
                np.copyto(out.next_values[t - 1], values, where=~self._fresh[..., None])
            self._play(t, drawn.choices[..., 0], seen[t + 1], out, decider)
        last = decider.worth(seen[steps], self._state(decider))
        np.copyto(out.next_values[-1], last, where=~self._fresh[..., None])
        self._now = seen[steps].copy()
        if decider.central:
            each = [spread(state, world.num_agents) for state in states if state is not None]
            out.state = np.stack(each)
        out.everyone = out.rewards[:, :, None]
        out.returns = np.array(self._ended).reshape(-1, world.num_agents)
        self._ended = []
        self._count += 1
        return out

    def state_dict(self) -> dict[str, Any]:
        """How many rollouts there were, and the actions since the batch was begun."""
        return {"count": self._count, "actions": np.array(self._log)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Begin the batch again and repeat the actions."""
        self._count = int(state["count"])
        actions = np.asarray(state["actions"])
        if self._count % self._span == 0:
            return
        count, self._count = self._count, self._count - self._count % self._span
        self._begin()
        self._count = count
        for step in actions:
            self._step(step.astype(np.int64), self._now)
            self._renew(self._now)
        self._ended = []

    def _begin(self) -> None:
        key = (self._count // self._span,)
        seed = np.random.SeedSequence(self._seed, spawn_key=key).generate_state(1, np.uint64)[0]
        self._now, _ = self.world.reset(seed=int(seed >> np.uint64(1)))
        shape = (self.world.num_envs, self.world.num_agents)
        self._fresh = np.ones(shape, bool)
        self._returns = np.zeros(shape)
        self._ended, self._log = [], []

    def _play(
        self, t: int, actions: Array, following: Array, out: Rollout, decider: Decider
    ) -> None:
        """One step, written into ``out`` and ``following``; matches that end are begun anew."""
        out.rewards[t], out.terminated[t], out.truncated[t] = self._step(actions, following)
        if self._over.any():
            final = decider.worth(following, self._state(decider))
            np.copyto(out.next_values[t], final, where=self._over[:, None, None])
        self._renew(following)

    def _step(self, actions: Array, following: Array) -> tuple[Array, Array, Array]:
        self._log.append(actions.astype(np.uint8))
        began = perf_counter()
        _, rewards, terminated, truncated, _ = self.world.step(actions, out=following)
        self.seconds += perf_counter() - began
        self._returns += rewards
        terminated, truncated = (_each_seat(ended, rewards) for ended in (terminated, truncated))
        self._over = np.asarray((terminated | truncated).all(1))
        return rewards, terminated, truncated

    def _renew(self, following: Array) -> None:
        """Begin a new match in every row whose match is over."""
        if self._over.any():
            self._ended.extend(self._returns[self._over])
            self._returns[self._over] = 0
            self.world.reset(mask=self._over, out=following)
        self._fresh = np.repeat(self._over[:, None], self.world.num_agents, axis=1)

    def _state(self, decider: Decider) -> Array | None:
        return self.world.state() if decider.central else None


def _each_seat(ended: Array, rewards: Array) -> Array:
    return np.broadcast_to(ended.reshape(len(ended), -1), rewards.shape)


def blank(steps: int, envs: int, seats: int, decider: Decider) -> Rollout:
    """A rollout to be filled in."""
    layout, shape = decider.layout, (steps, envs, seats)
    heads = decider.network.spec.values
    return Rollout(
        seen=np.empty(0),
        state=None,
        choices=np.zeros((*shape, len(layout.sizes)), np.int64),
        amounts=np.zeros((*shape, layout.amounts), np.float32),
        logp=np.zeros(shape, np.float32),
        masks=None,
        values=np.zeros((*shape, heads), np.float32),
        next_values=np.zeros((*shape, heads), np.float32),
        rewards=np.zeros(shape, np.float32),
        everyone=np.empty(0),
        terminated=np.zeros(shape, bool),
        truncated=np.zeros(shape, bool),
        valid=np.ones(shape, bool),
        starts=np.zeros(shape, bool),
        hidden=None,
        returns=np.empty(0),
        own=np.arange(seats),
    )
