"""One learner among background agents, as a Gymnasium vector environment.

The focal seat of every match is the learner's; the others are played by agents with ``act_batch``
(bots, trained policies), one call per seat for all matches. This is Melting Pot's focal player in a
background population, in the shape that single-agent learners take.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.vector import VectorEnv
from gymnasium.vector.utils import batch_space

from gymposium.errors import UsageError

from ..arrays import action_array

if TYPE_CHECKING:
    from ..vector import VectorWorld


class FocalVectorEnv(VectorEnv[Any, Any, Any]):
    """A vector world in which one seat learns.

    Infos are arrays ``[E]`` by name, of the focal seat; its autoreset mode is the vector world's.

    Attributes:
        vector: the world behind it.
        focal: the learner's seat.
    """

    def __init__(self, vector: VectorWorld, background: Mapping[str, Any], focal: str = "") -> None:
        """Seat the agents.

        Args:
            vector: the world, fresh from ``make_vec``.
            background: an agent for every other seat: ``reset(seat, seed)``, ``start(seed)`` (what
                it remembers at the start of a match), ``act_batch(observations, states, masks)``.
            focal: the learner's seat; the first by default.

        Raises:
            UsageError: a seat is unknown, missing, taken twice, or its agent has no ``act_batch``.
        """
        self.focal = focal or vector.agents[0]
        wanted = {*vector.agents} - {self.focal}
        if self.focal not in vector.agents or wanted != {*background}:
            raise UsageError(
                f"{vector.id}: the focal seat {self.focal!r} and background agents for "
                f"{', '.join(sorted(background)) or 'nobody'} must fill {', '.join(vector.agents)}"
            )
        for seat, agent in background.items():
            if not callable(getattr(agent, "act_batch", None)):
                raise UsageError(f"the agent in seat {seat} cannot play in batches (no act_batch)")
        self.vector = vector
        self.num_envs = vector.num_envs
        self.metadata = {"autoreset_mode": vector.autoreset_mode, "render_modes": []}
        self.single_observation_space = vector.single_observation_space
        self.single_action_space = vector.single_action_space
        self.observation_space = batch_space(vector.single_observation_space, self.num_envs)
        self.action_space = batch_space(vector.single_action_space, self.num_envs)
        single: Any = vector.single_action_space
        self._choices = int(single.n)
        self._column = vector.agents.index(self.focal)
        self._others = [(vector.agents.index(seat), background[seat]) for seat in background]
        self._minds: dict[int, list[Any]] = {}
        self._seeds = np.zeros(0, np.uint64)
        self._seen: Any = None

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin matches.

        Args:
            seed: of the batch; None goes on from the last one.
            options: ``{"reset_mask": bool [E]}`` begins some rows only.

        Returns:
            The focal seat's observations ``[E, …]`` and infos.
        """
        if isinstance(seed, list):
            raise UsageError(f"{self.vector.id}: seed must be one number, which seeds every row")
        mask = (options or {}).get("reset_mask")
        observations, infos = self.vector.reset(seed, mask=mask)
        super().reset(seed=seed)
        if not self._minds:
            for column, agent in self._others:
                agent.reset(self.vector.seats[self.vector.agents[column]], int(seed or 0))
        self._take(observations, np.ones(self.num_envs, np.bool_) if mask is None else mask)
        return observations[:, self._column], self._focal(infos)

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Play one step; the background answers the observations it had at the same time.

        Args:
            actions: the focal seat's, ``[E]``.

        Returns:
            Observations, rewards, terminated, truncated ``[E, …]`` and infos of the focal seat.
        """
        if self._seen is None:
            raise UsageError(f"{self.vector.id}: nothing has begun; call reset(seed) before step")
        chosen = np.zeros((self.num_envs, self.vector.num_agents), np.int64)
        chosen[:, self._column] = action_array(
            self.vector.id,
            actions,
            shape=(self.num_envs,),
            actions=self._choices,
            seats=(self.focal,),
        )
        nothing = [None] * self.num_envs
        for column, agent in self._others:
            answers, minds = agent.act_batch(self._seen[:, column], self._minds[column], nothing)
            chosen[:, column] = answers
            self._minds[column] = list(minds)
        observations, rewards, terminated, truncated, infos = self.vector.step(chosen)
        self._take(observations, self.vector.seeds != self._seeds)
        column = self._column
        return (
            observations[:, column],
            rewards[:, column],
            terminated,
            truncated,
            self._focal(infos),
        )

    def close_extras(self, **kwargs: Any) -> None:
        """Release the threads."""
        self.vector.close()

    def _take(self, observations: Any, fresh: Any) -> None:
        """Keep what the background sees; its agents forget in the rows that are ``fresh``."""
        self._seen, seeds = observations, self.vector.seeds
        for column, agent in self._others:
            minds = self._minds.setdefault(column, [None] * self.num_envs)
            for row in np.flatnonzero(fresh).tolist():
                spawned = np.random.SeedSequence([int(seeds[row]), column])
                minds[row] = agent.start(int(spawned.generate_state(1, np.uint64)[0]))
        self._seeds = seeds.copy()

    def _focal(self, infos: Mapping[str, Any]) -> dict[str, Any]:
        rows, agents = self.num_envs, self.vector.num_agents
        return {
            name: value[:, self._column] if value.shape[:2] == (rows, agents) else value
            for name, value in infos.items()
        }
