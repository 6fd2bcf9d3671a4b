"""The random agent: uniform over the legal actions, the baseline every table needs.

It obeys ``Turn.action_mask`` and draws from its own generator, seeded by ``reset``. Agents of one
match share their space objects, so it never samples from one it was given: discrete spaces are
drawn from directly (Gymnasium's ``sample`` costs twenty times as much), all others through a
private, seeded copy.
"""

from __future__ import annotations

import copy
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gymposium.types import Action, Seat, Turn

if TYPE_CHECKING:
    from gymposium.types import Space

_SEEDS = 2**31 - 1


class RandomAgent:
    """Plays any world, uniformly at random among what is legal."""

    deterministic: ClassVar[bool] = True
    """Equal seeds, equal play."""

    def reset(self, seat: Seat, seed: int) -> None:
        """Begin a match: a fresh generator, no memory of spaces seen before."""
        self._draw = Random(seed)
        self._known: Space | None = None
        self._discrete: tuple[int, int] | None = None
        self._copy: Space | None = None

    def act(self, turn: Turn) -> Action:
        """A legal action; a Python int where the space is discrete."""
        space = turn.action_space
        if space is not self._known:
            self._learn(space)
        mask = turn.action_mask
        if self._discrete is None:
            return self._copy.sample(mask=mask)  # type: ignore[union-attr]
        start, n = self._discrete
        if mask is None:
            return start + int(self._draw.random() * n)
        legal = np.asarray(mask).nonzero()[0]
        if not len(legal):  # nothing is legal: the same answer as Gymnasium's own sampler
            return start
        return start + int(legal[int(self._draw.random() * len(legal))])

    def _learn(self, space: Any) -> None:
        """Look at a space once; the match's space is nearly always the same object."""
        self._known = space
        kind = type(space)
        if kind.__name__ == "Discrete" and kind.__module__.startswith("gymnasium."):
            self._discrete, self._copy = (int(space.start), int(space.n)), None
            return
        self._discrete = None
        self._copy = copy.deepcopy(space)
        self._copy.seed(self._draw.randrange(_SEEDS))
