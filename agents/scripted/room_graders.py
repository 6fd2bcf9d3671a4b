"""A grader of rooms that knows the rules, and grades as well as it is told to.

A stand-in for the vision-language model that judges rooms in SceneWeaver (arXiv 2509.20414): it
reads the layout, takes the rule-based grades and errs by a set deviation. It looks at nothing, so
it is no independent judge; it is for trying what is done with a judge's grades.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from gymposium.errors import UsageError
from gymposium.types import Seat, Turn

from ...envs.limits import real
from ...envs.rooms.grades import GRADES, grade
from ...envs.rooms.layout import scene_of_text


class RoomGrader:
    """Grades by rule, with an error.

    Args:
        error: standard deviation of each grade.
        kindness: added to each grade.
    """

    name: ClassVar[str] = "room_grader"
    summary: ClassVar[str] = "Grades rooms by rule with an error; for trying judges, no judge."
    worlds: ClassVar[tuple[str, ...]] = ("room_judging-v0",)
    deterministic: ClassVar[bool] = True

    def __init__(self, error: float = 0.0, kindness: float = 0.0) -> None:
        self._error = real(self.name, "error", error, 0, 10)
        self._kindness = real(self.name, "kindness", kindness, -10, 10)

    def reset(self, seat: Seat, seed: int) -> None:
        """Begin to draw errors."""
        if "demand" not in getattr(seat.observation_space, "spaces", {}):
            raise UsageError(f"{self.name} plays room_judging-v0 only, not in seat {seat.id!r}")
        self._rng = np.random.default_rng(seed)

    def act(self, turn: Turn) -> dict[str, int]:
        """The four grades."""
        found = grade(scene_of_text(turn.observation["layout"]))
        off = self._kindness + self._error * self._rng.normal(size=len(GRADES))
        return {
            name: min(max(round(float(getattr(found, name)) + float(by)), 0), 10)
            for name, by in zip(GRADES, off, strict=True)
        }


BOTS: dict[str, type] = {RoomGrader.name: RoomGrader}
