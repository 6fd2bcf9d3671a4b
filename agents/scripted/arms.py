"""Bots that move an arm by skills: they tell things apart with errors, and plan by what they see.

The scripted responder of ``primitive_skill-v0``: told the truth in ``info``, it mixes things up
with a set probability, says where it believes them to be and acts on that alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from gymposium.errors import UsageError
from gymposium.types import Seat, Turn

from ...envs.limits import real
from ...envs.visual.primitive_table import Drawer
from ...envs.visual.replies import written
from ...envs.visual.strategies import parts_of

WORLDS = ("primitive_skill-v0",)
Places = dict[str, list[int]]
_SHIFT = 60


class ArmPlanner:
    """Brings everything to where the task wants it, two skills at a time.

    Args:
        seeing: the chance, each turn, of telling all things apart.
        foreseeing: the chance of saying rightly where they will be.
    """

    name: ClassVar[str] = "arm_planner"
    summary: ClassVar[str] = "Solves the tasks of the arm, mixing things up with a set probability."
    worlds: ClassVar[tuple[str, ...]] = WORLDS
    deterministic: ClassVar[bool] = True

    def __init__(self, seeing: float = 1.0, foreseeing: float = 1.0) -> None:
        self._seeing = real(self.name, "seeing", seeing, 0, 1)
        self._foreseeing = real(self.name, "foreseeing", foreseeing, 0, 1)

    def reset(self, seat: Seat, seed: int) -> None:
        """Nothing to remember."""
        self._rng = np.random.default_rng(seed)

    def act(self, turn: Turn) -> str:
        """Say where things are and will be, and move one of them."""
        state = turn.info.get("state", {})
        true = {name: [*place] for name, place in state.items() if isinstance(place, list)}
        if not true:
            raise UsageError("arm_planner plays primitive_skill-v0 only")
        seen = true if self._rng.random() < self._seeing else self._mixed_up(true)
        skills, after = plan(seen, state.get("held", ""))
        most = int(turn.info["actions_per_turn"])
        then = after if self._rng.random() < self._foreseeing else self._misplaced(after)
        structured = turn.info["representation"] == "structured"
        said = {
            "think": "I move the next thing to its place.",
            "observation": _told(seen, structured=structured),
            "reasoning": "I move the next thing to its place.",
            "prediction": _told(then, structured=structured),
        }
        strategy = turn.info["strategy"]
        parts = {name: said[name] for name in parts_of(strategy)}
        return written(strategy, skills[:most], parts, separator="|")

    def _mixed_up(self, true: Places) -> Places:
        """Two cubes taken for one another, or what there is only one of seen elsewhere."""
        cubes = [name for name in true if name.endswith("_cube")]
        wrong = {name: [*place] for name, place in true.items()}
        if len(cubes) < 2:
            return self._misplaced(true)
        one, two = (cubes[i] for i in self._rng.permutation(len(cubes))[:2])
        wrong[one], wrong[two] = wrong[two], wrong[one]
        return wrong

    def _misplaced(self, true: Places) -> Places:
        """Something that can be moved, seen elsewhere."""
        wrong = {name: [*place] for name, place in true.items()}
        movable = [name for name in true if name == "apple" or name.endswith("_cube")]
        name = movable[int(self._rng.integers(len(movable)))]
        wrong[name][0] += _SHIFT if self._rng.random() < 0.5 else -_SHIFT
        return wrong


def plan(seen: Places, held: str) -> tuple[list[str], Places]:
    """The next skills, and where things are after them.

    Args:
        seen: places by name.
        held: what is in the hand, or "".
    """
    after = {name: [*place] for name, place in seen.items()}
    if "apple" in seen:
        return _store(seen, held, after)
    goals = _goals(seen)
    name = held if held in goals else next((n for n in goals if _open(n, seen, goals)), "")
    if not name:  # all is where it should be, as far as is seen
        name = next(iter(goals))
    x, y, z = goals[name]
    place = f"place({x}, {y}, {z})"
    after[name] = [x, y, z]
    skills = [place] if held else [f"pick({', '.join(map(str, seen[name]))})", place]
    return skills, after


def _goals(seen: Mapping[str, list[int]]) -> Places:
    """Where each cube has to go, in the order in which to do it."""
    if "purple_cube" in seen:
        x, y, _ = seen["green_cube"]
        return {"red_cube": [x, y, 60], "purple_cube": [x, y, 100]}
    if "left_target" in seen:
        left, right = seen["left_target"], seen["right_target"]
        return {"red_cube": [*left[:2], 20], "green_cube": [*right[:2], 20]}
    red, green = seen["red_cube"][1], seen["green_cube"][1]
    if abs(red - green) < 2 * _SHIFT:  # room for both on the line
        red, green = (-_SHIFT, _SHIFT) if red < green else (_SHIFT, -_SHIFT)
    return {"red_cube": [0, red, 20], "green_cube": [0, green, 20]}


def _open(name: str, seen: Places, goals: Places) -> bool:
    """Whether a cube is not yet where it has to go."""
    there, goal = seen[name], goals[name]
    if len(goals) == 2 and "left_target" not in seen and "purple_cube" not in seen:
        return abs(there[0]) > 10 or there[2] > 50
    return max(abs(a - b) for a, b in zip(there, goal, strict=True)) > 10


def _store(seen: Places, held: str, after: Places) -> tuple[list[str], Places]:
    """Put the apple into the drawer, or close it."""
    (x, y, _), face = seen["drawer"], seen["drawer_face"]
    cabinet = Drawer(0.0)
    inside = abs(seen["apple"][1] - y) <= 100 and abs(seen["apple"][0] - x) <= 60
    if not held and inside and seen["apple"][2] > 100:
        shut = int(cabinet.y1)
        for name in ("apple", "drawer", "drawer_face"):
            after[name][1] += shut - face[1]
        end = f"{face[0]}, {shut}, {face[2]}"
        return [f"push({', '.join(map(str, face))}, {end})"], after
    there = [x, max(y + 55, int(cabinet.y1) + 40), 300]
    after["apple"] = [there[0], there[1], int(cabinet.floor) + 35]
    place = f"place({', '.join(map(str, there))})"
    return ([place] if held else [f"pick({', '.join(map(str, seen['apple']))})", place]), after


def _told(places: Mapping[str, list[int]], *, structured: bool) -> str:
    rows: list[tuple[str, Any]] = [
        (name, f"({', '.join(map(str, place))})") for name, place in places.items()
    ]
    if structured:
        return "{" + ", ".join(f'"{name}": {place}' for name, place in rows) + "}"
    return " ".join(f"The {name.replace('_', ' ')} is at {place}." for name, place in rows)


BOTS: dict[str, type] = {ArmPlanner.name: ArmPlanner}
