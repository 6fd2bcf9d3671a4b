"""A channel for advice: somebody's suggestion, passed on more or less truly, and perhaps acted out.

The two-player Modified-Action MDP (Langlois and Everitt, How RL Agents Behave When Their Actions
Are Modified, 2021; Nath and Krishnaswamy, NeurIPS 2025): an intervention agent speaks before a
collaborator acts, and what is carried out may not be what the collaborator chose. The collaborator
sees the advice, never how good it is.
"""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from gymposium.errors import UsageError

from ..limits import real

USELESS = "Take the advice of your partner as useless: it will help neither agreement nor the task."
"""What a counterfactual collaborator is told."""


class Channel(NamedTuple):
    """How advice reaches a collaborator.

    Attributes:
        quality: chance that each part of the advice is passed on as it was meant; otherwise another
            legal value takes its place.
        chance: that there is advice at all, turn by turn.
        modify: chance that the advice is carried out in place of the collaborator's action.
    """

    quality: float = 1.0
    chance: float = 1.0
    modify: float = 0.0

    def checked(self, where: str) -> Channel:
        """The same with floats, or UsageError: all three are shares from 0 to 1."""
        return Channel(*(real(where, name, value, 0, 1) for name, value in self._asdict().items()))

    def deliver(
        self, advice: Any, space: spaces.Space[Any], mask: Any, rng: np.random.Generator
    ) -> Any:
        """The advice as it arrives, or None."""
        if advice is None or rng.random() >= self.chance:
            return None
        return self._spoil(advice, space, mask, rng)

    def _spoil(self, value: Any, space: Any, mask: Any, rng: np.random.Generator) -> Any:
        match space:
            case spaces.Discrete():
                start, n = int(space.start), int(space.n)
                return start + self._other(int(value) - start, _open(mask, n), rng)
            case spaces.MultiDiscrete():
                sizes, starts = np.ravel(space.nvec), np.ravel(space.start)
                masks = [None] * len(sizes) if mask is None else list(mask)
                flat = zip(np.ravel(value) - starts, sizes, masks, strict=True)
                found = [self._other(int(v), _open(m, int(n)), rng) for v, n, m in flat]
                return (np.array(found) + starts).reshape(space.shape).astype(space.dtype)
            case spaces.MultiBinary():
                flip = rng.random(space.shape) >= self.quality
                return np.where(flip, 1 - np.asarray(value), value).astype(space.dtype)
            case spaces.Box():
                drawn = copy.deepcopy(space)
                drawn.seed(int(rng.integers(2**31)))
                kept = rng.random(space.shape) < self.quality
                return np.where(kept, value, drawn.sample()).astype(space.dtype)
            case spaces.Dict():
                parts = {
                    key: self._spoil(value[key], part, None if mask is None else mask[key], rng)
                    for key, part in space.spaces.items()
                }
                return parts
            case spaces.Tuple():
                each = zip(value, space.spaces, mask or [None] * len(value), strict=True)
                return tuple(self._spoil(v, part, m, rng) for v, part, m in each)
        return value  # words go as they are

    def _other(self, value: int, allowed: Any, rng: np.random.Generator) -> int:
        """``value``, or with what is left of the quality another of those allowed."""
        kept, which = rng.random() < self.quality, rng.random()
        others = [int(option) for option in np.flatnonzero(allowed) if option != value]
        return value if kept or not others else others[int(which * len(others))]


def _open(mask: Any, count: int) -> Any:
    return np.ones(count, bool) if mask is None else np.asarray(mask, bool)


def blank(space: spaces.Space[Any]) -> Any:
    """An element of a space that stands where there is no advice.

    Raises:
        UsageError: the space has no such element known here.
    """
    match space:
        case spaces.Discrete():
            return int(space.start)
        case spaces.MultiDiscrete():
            return np.array(space.start).astype(space.dtype)
        case spaces.MultiBinary():
            return np.zeros(space.shape, space.dtype)
        case spaces.Box():
            return np.clip(np.zeros(space.shape), space.low, space.high).astype(space.dtype)
        case spaces.Text():
            return min(space.character_set) * space.min_length
        case spaces.Dict():
            return {key: blank(part) for key, part in space.spaces.items()}
        case spaces.Tuple():
            return tuple(blank(part) for part in space.spaces)
    raise UsageError(f"there is no advice about actions in {space}")


def advised_space(observation: Any, action: Any) -> spaces.Dict:
    """What a collaborator sees: what it sees itself, the advice, and what it is told of advice."""
    return spaces.Dict(
        {
            "seen": observation,
            "advice": copy.deepcopy(action),
            "advised": spaces.Discrete(2),
            "counterfactual": spaces.Discrete(2),
        }
    )


def advised_view(seen: Any, advice: Any, space: Any, *, counterfactual: bool) -> dict[str, Any]:
    """An element of :func:`advised_space`."""
    return {
        "seen": seen,
        "advice": blank(space) if advice is None else copy.deepcopy(advice),
        "advised": int(advice is not None),
        "counterfactual": int(counterfactual),
    }
