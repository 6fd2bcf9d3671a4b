"""One episode of a world as the views play it: seeds drawn, answers judged, infos gathered.

The rule for seeds, the same for every view: a given seed is the episode's seed, so that every door
plays the same match; without one, episode ``k`` since the last given seed ``s`` has the seed
spawned from ``SeedSequence(s, spawn_key=(k,))``, with fresh entropy for ``s`` where none was given.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gymposium.errors import IllegalAction, UsageError

from ..seeds import checked_seed
from ..space_faults import fault

if TYPE_CHECKING:
    from gymposium.types import Action, Image, Space, Turn

    from ..world import RuleWorld

NO_ANSWER = "no legal answer was given"


class Episode:
    """A world and what a view must remember about the episode it plays in it."""

    def __init__(self, world: RuleWorld, render_mode: str | None) -> None:
        modes = world.metadata["render_modes"]
        if render_mode is not None and render_mode not in modes:
            raise UsageError(
                f"{world.id}: render_mode {render_mode!r} is not one of {', '.join(modes)}"
            )
        self.world = world
        self.seats = list(world.possible_seats)
        self.observation_spaces: dict[str, Space] = {
            seat: told.observation_space for seat, told in world.seats.items()
        }
        self.action_spaces: dict[str, Space] = {
            seat: told.action_space for seat, told in world.seats.items()
        }
        self.metadata = {**world.metadata, "name": world.id, "is_parallelizable": True}
        self.begun = False
        self._render_mode = render_mode
        self._root: int | None = None
        self._count = 0
        self._notes: dict[str, str] = {}
        self.turns: Mapping[str, Turn] = {}

    def begin(self, seed: int | None) -> None:
        """Reset the world for the next episode."""
        if seed is not None:
            episode_seed = checked_seed(self.world.id, seed)
            self._root, self._count = episode_seed, 0
        else:
            if self._root is None:
                entropy = np.random.SeedSequence().entropy
                self._root = int(entropy)  # type: ignore[arg-type]
            self._count += 1
            spawned = np.random.SeedSequence(self._root, spawn_key=(self._count,))
            episode_seed = int(spawned.generate_state(1, np.uint64)[0])
        self._notes = {}
        self.begun = True
        self.turns = self.world.reset(episode_seed)

    def accept(self, seat: str, action: Action) -> Action | None:
        """The answer that counts: ``action``, or None if it is not legal in this situation.

        Raises:
            IllegalAction: the action is outside the seat's space, which is never a matter of luck.
        """
        if action is None:
            self._notes[seat] = NO_ANSWER
            return None
        if not self.world.in_space(seat, action):
            raise IllegalAction(
                f"{action!r:.200} is not an action of {seat}: "
                f"{fault(self.action_spaces[seat], action)}"
            )
        try:
            self.world.check(seat, action)
        except IllegalAction as error:
            self._notes[seat] = str(error)
            return None
        return action

    def play(self, answers: Mapping[str, Action | None]) -> dict[str, float]:
        """Step the world; returns every seat's reward."""
        self.turns = self.world.step(answers)
        rewards = self.world.rewards
        return {seat: float(rewards.get(seat, 0.0)) for seat in self.seats}

    def observe(self, seat: str) -> Any:
        """What the seat sees now; its turn's observation, if it acts, else a fresh one."""
        turn = self.turns.get(seat)
        return self.world.observe(seat) if turn is None else turn.observation

    def infos(self, *, keep_notes: bool = False) -> dict[str, dict[str, Any]]:
        """Each seat's info: the world's extras, its mask, and why its last answer was refused."""
        world, infos = self.world, {}
        over = any(world.ended)
        for seat in self.seats:
            turn = self.turns.get(seat)  # what was made for the turn need not be made again
            info: dict[str, Any] = dict(turn.info if turn else world.info(seat))
            mask = None if over else turn.action_mask if turn else world.mask(seat)
            if mask is not None:
                info["action_mask"] = mask
            if seat in self._notes:
                info["illegal"] = self._notes[seat]
            infos[seat] = info
        if not keep_notes:
            self._notes = {}
        return infos

    def render(self) -> str | Image | None:
        """What the render mode asks for: words, a picture or nothing.

        Raises:
            UsageError: before the first reset.
        """
        if self._render_mode is None:
            return None
        self.must_have_begun()
        return self.world.draw() if self._render_mode == "rgb_array" else self.world.render()

    def must_have_begun(self) -> None:
        """Raise UsageError before the first reset."""
        if not self.begun:
            raise UsageError(f"{self.world.id}: the episode has not begun; call reset() first")
