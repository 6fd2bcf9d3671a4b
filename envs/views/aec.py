"""A world as a PettingZoo AEC environment: one seat after another.

Where several seats act at the same time they are asked in seating order, none seeing what the
others have just answered, and the world steps when the last of them has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pettingzoo import AECEnv

from gymposium.errors import UsageError

from .episode import Episode

if TYPE_CHECKING:
    from gymposium.types import Action, Image, Space

    from ..world import RuleWorld


class AecView(AECEnv[str, Any, Any]):
    """The AEC view of a world.

    An action that is inside its space but not legal now, or None, counts as "no legal answer": the
    world's fault rule applies, and ``infos[seat]["illegal"]`` says why.

    Attributes:
        world: the world behind the view.
        render_mode: None or one of ``metadata["render_modes"]``.
    """

    def __init__(self, world: RuleWorld, render_mode: str | None = None) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._episode = episode = Episode(world, render_mode)
        self.world = world
        self.render_mode = render_mode
        self.metadata = episode.metadata
        self.possible_agents = list(episode.seats)
        self.agents = list(episode.seats)
        self.observation_spaces = episode.observation_spaces
        self.action_spaces = episode.action_spaces
        self._waiting: list[str] = []
        self._answers: dict[str, Action | None] = {}

    def observation_space(self, agent: str) -> Space:
        """The seat's observation space, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space:
        """The seat's action space, always the same object."""
        return self.action_spaces[agent]

    def observe(self, agent: str) -> Any:
        """A fresh observation for any seat."""
        self._episode.must_have_begun()
        return self.world.observe(agent)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode.

        Args:
            seed: the episode's seed; None draws it from the last given one.
            options: there are none; accepted for PettingZoo's sake.
        """
        self._episode.begin(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = self._episode.infos()
        self._skip_agent_selection = None  # type: ignore[assignment]  # PettingZoo's own use
        self._ask()

    def step(self, action: Action) -> None:
        """The selected seat's answer; the world steps when all who act now have answered.

        Raises:
            IllegalAction: the action is outside its space.
            UsageError: the episode is over or has not begun.
        """
        self._episode.must_have_begun()
        if not self.agents:
            raise UsageError(f"{self.world.id}: the episode is over; call reset()")
        seat = self.agent_selection
        if self.terminations[seat] or self.truncations[seat]:
            self._was_dead_step(action)
            return
        self._answers[seat] = self._episode.accept(seat, action)
        self._cumulative_rewards[seat] = 0.0
        self._waiting.pop(0)
        if self._waiting:
            self._clear_rewards()
            self.infos = self._episode.infos(keep_notes=True)
            self.agent_selection = self._waiting[0]
            return
        self.rewards = self._episode.play(self._answers)
        terminated, truncated = self.world.ended
        self.terminations = dict.fromkeys(self.agents, terminated)
        self.truncations = dict.fromkeys(self.agents, truncated)
        self.infos = self._episode.infos()
        self._accumulate_rewards()
        self._ask()

    def render(self) -> str | Image | None:
        """The state in words (mode ``ansi``) or as a picture (mode ``rgb_array``)."""
        return self._episode.render()

    def close(self) -> None:
        """Release what the world holds."""
        self.world.close()

    def _ask(self) -> None:
        """Select who answers next; at the end the seats leave in seating order."""
        self._answers = {}
        self._waiting = list(self.world.actors())
        self.agent_selection = self._waiting[0] if self._waiting else self.agents[0]
