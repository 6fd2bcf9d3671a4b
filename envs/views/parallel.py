"""A world as a PettingZoo Parallel environment: every seat is stepped at once.

In turn-based worlds only the actor's action counts; ``infos[seat]["acts"]`` says whose turn it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pettingzoo import ParallelEnv

from gymposium.errors import UsageError

from .episode import Episode

if TYPE_CHECKING:
    from gymposium.types import Action, Image, Space

    from ..world import RuleWorld


class ParallelView(ParallelEnv[str, Any, Any]):
    """The Parallel view of a world.

    An action that is inside its space but not legal now, or None, counts as "no legal answer": the
    world's fault rule applies, and ``infos[seat]["illegal"]`` says why.

    Attributes:
        world: the world behind the view.
        render_mode: None or one of ``metadata["render_modes"]``.
    """

    def __init__(self, world: RuleWorld, render_mode: str | None = None) -> None:
        self._episode = episode = Episode(world, render_mode)
        self.world = world
        self.render_mode = render_mode
        self.metadata = episode.metadata
        self.possible_agents = list(episode.seats)
        self.agents = list(episode.seats)
        self.observation_spaces = episode.observation_spaces
        self.action_spaces = episode.action_spaces

    def observation_space(self, agent: str) -> Space:
        """The seat's observation space, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space:
        """The seat's action space, always the same object."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Begin an episode.

        Args:
            seed: the episode's seed; None draws it from the last given one.
            options: there are none; accepted for PettingZoo's sake.

        Returns:
            Observations and infos of all seats.
        """
        self._episode.begin(seed)
        self.agents = list(self.possible_agents)
        return self._observations(), self._infos()

    def step(
        self, actions: Mapping[str, Action]
    ) -> tuple[
        dict[str, Any],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Play one step.

        Args:
            actions: an action (or None) for every seat that acts; those of others are ignored.

        Returns:
            Observations, rewards, terminations, truncations and infos of all seats.

        Raises:
            IllegalAction: an action is outside its space.
            UsageError: a seat that acts is missing, or the episode is over or has not begun.
        """
        episode, world = self._episode, self.world
        episode.must_have_begun()
        if not self.agents:
            raise UsageError(f"{world.id}: the episode is over; call reset()")
        if not isinstance(actions, Mapping):
            raise UsageError(f"{world.id}: step needs one action per seat, by name, in a dict")
        unknown = [seat for seat in actions if seat not in self.action_spaces]
        if unknown:
            raise UsageError(f"{world.id}: {unknown[0]!r} is not a seat: {', '.join(self.agents)}")
        answers = {}
        for seat in world.actors():
            if seat not in actions:
                raise UsageError(f"{world.id}: step needs an action (or None) for {seat}")
            answers[seat] = episode.accept(seat, actions[seat])
        rewards = episode.play(answers)
        terminated, truncated = world.ended
        seats = self.possible_agents
        if terminated or truncated:
            self.agents = []
        return (
            self._observations(),
            rewards,
            dict.fromkeys(seats, terminated),
            dict.fromkeys(seats, truncated),
            self._infos(),
        )

    def render(self) -> str | Image | None:
        """The state in words (mode ``ansi``) or as a picture (mode ``rgb_array``)."""
        return self._episode.render()

    def close(self) -> None:
        """Release what the world holds."""
        self.world.close()

    def _observations(self) -> dict[str, Any]:
        return {seat: self._episode.observe(seat) for seat in self.possible_agents}

    def _infos(self) -> dict[str, dict[str, Any]]:
        infos = self._episode.infos()
        if self.world.turn_based:
            actors = self.world.actors()
            for seat, info in infos.items():
                info["acts"] = seat in actors
        return infos
