"""Bots that walk through flats: they read the state with errors, and plan by what they believe.

The scripted responder of the study that holds success against the accuracy of beliefs (after Wang
et al., VAGEN, 2025): it is told the truth in ``info``, misreads it with a set probability, says
what it believes and acts on that alone. Nothing in it learns.
"""

from __future__ import annotations

import math
from collections import deque
from typing import ClassVar

import numpy as np

from gymposium.errors import UsageError
from gymposium.types import Seat, Turn

from ...envs.limits import real
from ...envs.visual.floor_plan import STEP, direction
from ...envs.visual.navigation_tasks import NEAR
from ...envs.visual.replies import written
from ...envs.visual.strategies import parts_of

WORLDS = ("navigation-v0",)
_MOVES = {(0, 1): "moveahead", (1, 0): "moveright", (0, -1): "moveback", (-1, 0): "moveleft"}
_SAID = {"ahead": "ahead", "left": "to the left", "right": "to the right", "back": "behind me"}
_RUN, _FAR = 3, 24
"""Moves in one go, and how far, in moves, a way is looked for."""


class Wayfinder:
    """Walks to where it believes the target is, round what it has bumped into.

    Args:
        seeing: the chance of reading rightly where the target is.
        foreseeing: the chance of saying rightly where it will be.
    """

    name: ClassVar[str] = "wayfinder"
    summary: ClassVar[str] = "Walks to the target, which it misreads with a set probability."
    worlds: ClassVar[tuple[str, ...]] = WORLDS
    deterministic: ClassVar[bool] = True

    def __init__(self, seeing: float = 1.0, foreseeing: float = 1.0) -> None:
        self._seeing = real(self.name, "seeing", seeing, 0, 1)
        self._foreseeing = real(self.name, "foreseeing", foreseeing, 0, 1)

    def reset(self, seat: Seat, seed: int) -> None:
        """Forget the flat."""
        self._rng = np.random.default_rng(seed)
        self._blocked: set[tuple[int, int, int, int]] = set()
        self._origin: np.ndarray | None = None
        self._tried: tuple[tuple[int, int], tuple[int, int], int] | None = None

    def act(self, turn: Turn) -> str:
        """Say where the target is and will be, and go there."""
        try:
            state = turn.info["state"]
            away, angle = float(state["distance"]), math.radians(state["bearing"])
        except (KeyError, TypeError):
            raise UsageError("wayfinder plays navigation-v0 only") from None
        true = np.array([away * math.sin(angle), away * math.cos(angle)])
        if self._origin is None:
            self._origin = -true  # one's place, seen from the target: axes never turn
        here = self._cell(-true - self._origin)
        self._learn(here)
        believed = self._misread(true)
        way, count = self._plan(here, believed)
        self._tried = here, way, count
        count = min(count, int(turn.info["actions_per_turn"]))
        ahead = believed - STEP * count * np.array(way)
        said = {
            "think": f"The target is {_SAID[_side(believed)]}.",
            "observation": f"The target is {_SAID[_side(believed)]}.",
            "reasoning": f"I go there by {count} moves.",
            "prediction": f"The target will be {_SAID[self._foreseen(_side(ahead))]}.",
        }
        strategy = turn.info["strategy"]
        parts = {name: said[name] for name in parts_of(strategy)}
        return written(strategy, [_MOVES[way]] * count, parts)

    @staticmethod
    def _cell(offset: np.ndarray) -> tuple[int, int]:
        return round(float(offset[0]) / STEP), round(float(offset[1]) / STEP)

    def _learn(self, here: tuple[int, int]) -> None:
        """Remember where the last moves came to an end before they should."""
        if self._tried is None:
            return
        (i, j), (a, b), count = self._tried
        made = abs(here[0] - i) + abs(here[1] - j)
        if made < count:
            self._blocked.add((i + a * made, j + b * made, a, b))

    def _misread(self, true: np.ndarray) -> np.ndarray:
        if self._rng.random() < self._seeing:
            return true
        quarter = int(self._rng.integers(1, 4))
        cos, sin = ((1, 0), (0, 1), (-1, 0), (0, -1))[quarter]
        return np.array([cos * true[0] + sin * true[1], cos * true[1] - sin * true[0]])

    def _foreseen(self, side: str) -> str:
        if self._rng.random() < self._foreseeing:
            return side
        return str(self._rng.choice([name for name in _SAID if name != side]))

    def _plan(self, here: tuple[int, int], believed: np.ndarray) -> tuple[tuple[int, int], int]:
        """The first straight run of a shortest way to within reach of the target."""
        came: dict[tuple[int, int], tuple[tuple[int, int], tuple[int, int]]] = {}
        edge, seen, last = deque([here]), {here}, here
        while edge:
            i, j = edge.popleft()
            offset = STEP * np.array([i - here[0], j - here[1]])
            if float(np.hypot(*(believed - offset))) <= NEAR - 0.02:
                last = (i, j)
                break
            for a, b in sorted(_MOVES, key=lambda way: -float(believed @ way)):
                there = (i + a, j + b)
                far = abs(there[0] - here[0]) + abs(there[1] - here[1])
                if there in seen or far > _FAR or (i, j, a, b) in self._blocked:
                    continue
                seen.add(there)
                came[there] = ((i, j), (a, b))
                edge.append(there)
        ways: list[tuple[int, int]] = []
        while last != here:
            last, way = came[last]
            ways.append(way)
        if not ways:  # no way is left, or it believes itself there
            return max(_MOVES, key=lambda way: float(believed @ way)), 1
        ways.reverse()
        run = next((n for n, way in enumerate(ways) if way != ways[0]), len(ways))
        return ways[0], min(run, _RUN)


def _side(offset: np.ndarray) -> str:
    return direction(math.degrees(math.atan2(float(offset[0]), float(offset[1]))))


BOTS: dict[str, type] = {Wayfinder.name: Wayfinder}
