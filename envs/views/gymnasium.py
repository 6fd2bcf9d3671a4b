"""A world of one seat as a Gymnasium environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium

from gymposium.errors import UsageError

from .episode import Episode

if TYPE_CHECKING:
    from gymposium.types import Action

    from ..world import RuleWorld


class GymnasiumView(gymnasium.Env[Any, Any]):
    """The Gymnasium view of a world with one seat.

    An action that is inside its space but not legal now, or None, counts as "no legal answer": the
    world's fault rule applies, and ``info["illegal"]`` says why. Masks are in
    ``info["action_mask"]``.

    Attributes:
        world: the world behind the view.
        render_mode: None or one of ``metadata["render_modes"]``.
    """

    def __init__(self, world: RuleWorld, render_mode: str | None = None) -> None:
        if len(world.seats) != 1:
            raise UsageError(
                f"{world.id} has {len(world.seats)} seats: use api='parallel' or api='aec', "
                "Gymnasium knows only one"
            )
        self._episode = Episode(world, render_mode)
        self.world = world
        self.render_mode = render_mode
        self.metadata = self._episode.metadata
        (self._seat,) = world.possible_seats
        self.observation_space = self._episode.observation_spaces[self._seat]
        self.action_space = self._episode.action_spaces[self._seat]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode.

        Args:
            seed: the episode's seed; None draws it from the last given one.
            options: there are none; accepted for Gymnasium's sake.

        Returns:
            Observation and info.
        """
        super().reset(seed=seed)
        self._episode.begin(seed)
        return self.world.observe(self._seat), self._episode.infos()[self._seat]

    def step(self, action: Action) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play one step.

        Returns:
            Observation, reward, terminated, truncated, info.

        Raises:
            IllegalAction: the action is outside its space.
            UsageError: the episode is over or has not begun.
        """
        self._episode.must_have_begun()
        answer = self._episode.accept(self._seat, action)
        reward = self._episode.play({self._seat: answer})[self._seat]
        terminated, truncated = self.world.ended
        observation = self.world.observe(self._seat)
        return observation, reward, terminated, truncated, self._episode.infos()[self._seat]

    def render(self) -> Any:
        """The state in words (mode ``ansi``) or as a picture (mode ``rgb_array``)."""
        return self._episode.render()

    def close(self) -> None:
        """Release what the world holds."""
        self.world.close()
