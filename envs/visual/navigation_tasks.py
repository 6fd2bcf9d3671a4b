"""Tasks of ``navigation-v0``: where one stands, what one is sent to, and in which words.

Five sets of sixty, as in EmbodiedBench (Yang et al., 2025), whose names they bear; the flats are
generated (:mod:`.floor_plan_maker`), numbered, and kept only if a walk of the right length leads to
the target. Test tasks are the first sixty numbers that are kept; training draws its numbers from
far above.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from .floor_plan import BODY, FloorPlan, bearing, moves_to
from .floor_plan_maker import make_plan
from .furniture import furniture

SETS = ("base", "common_sense", "complex_instruction", "visual_appearance", "long_horizon")
COUNT = 60
"""Test tasks of a set."""
NEAR = 1.5
"""Planar distance at which the target is reached, in metres."""
TRAINING = 1_000_000
"""Training tasks have numbers from here on."""
_WALKS = {"long_horizon": (8, 20)}
_SHORT = (2, 9)
_TALK = (
    "It rained all morning, so I have only just come in. {Other} looks fine where it is. What I "
    "need is somebody to go to the {name} and stop next to it.",
    "My sister rang and told me about her holiday for an hour. Where was I? Never mind {other}; go "
    "to the {name}, please, and get as close as you can.",
    "I have cleaned {other} already, and I am a little tired. Could you walk over to the {name} "
    "and wait there?",
    "Some guests asked about {other} yesterday, which made us laugh. Today it is the {name} that "
    "matters: please go and stand by it.",
)


@dataclass(frozen=True)
class NavigationTask:
    """One task.

    Attributes:
        plan: the flat.
        scene: its name.
        target: type of the thing to reach, as in AI2-THOR.
        place: its x and z.
        x, z, yaw, horizon: the start; horizon in degrees downwards.
        instruction: what is said.
    """

    plan: FloorPlan
    scene: str
    target: str
    place: tuple[float, float]
    x: float
    z: float
    yaw: int
    horizon: int
    instruction: str


def fixed_numbers(name: str) -> tuple[int, ...]:
    """The numbers of a set's test tasks."""
    return _table()[name]


@functools.cache
def _table() -> dict[str, tuple[int, ...]]:
    import json
    from importlib.resources import files

    text = files(__package__).joinpath("navigation_tasks.json").read_text(encoding="utf-8")
    return {name: tuple(numbers) for name, numbers in json.loads(text).items()}


@functools.lru_cache(maxsize=128)
def task_of(name: str, number: int) -> NavigationTask:
    """The task with this number, or with the next that makes one.

    Args:
        name: one of SETS.
        number: 0 or more.
    """
    while True:
        made = try_number(name, number)
        if made is not None:
            return made
        number += 1


def try_number(name: str, number: int) -> NavigationTask | None:
    """The task with this number, or None: what was drawn has no walk of the right length."""
    far = name == "long_horizon"
    # The four others ask for the same things in other words, of the same flats.
    rng = np.random.default_rng([int(far), number])
    plan = make_plan(rng, int(rng.integers(2, 4)) if far else 1)
    targets = [it for it in plan.things if it.type not in ("Window", "FloorLamp")]
    target = targets[int(rng.integers(len(targets)))]
    place = target.x, target.z
    start = _start(rng, plan, place)
    if start is None:
        return None
    least, most = _WALKS.get(name, _SHORT)
    walk = moves_to(plan, start, place, NEAR, most)
    if walk is None or walk < least:
        return None
    yaw = 90 * int(rng.integers(4))
    angle = bearing(*start, yaw, place)
    if far == (abs(angle) < 50):
        return None
    others = [it.type for it in plan.things if it.type != target.type]
    other = others[int(rng.integers(len(others)))]
    said = instruction(name, target.type, other, int(rng.integers(len(_TALK))))
    scene = f"Flat{number}" if far else f"Room{number}"
    return NavigationTask(plan, scene, target.type, place, *start, yaw, 0, said)


def _start(
    rng: np.random.Generator, plan: FloorPlan, place: tuple[float, float]
) -> tuple[float, float] | None:
    for _ in range(20):
        room = plan.rooms[int(rng.integers(len(plan.rooms)))]
        x0, z0, x1, z1 = room.floor
        x = round(float(rng.uniform(x0 + BODY, x1 - BODY)), 1)
        z = round(float(rng.uniform(z0 + BODY, z1 - BODY)), 1)
        if np.hypot(x - place[0], z - place[1]) > NEAR + 0.5 and plan.clear([(x, z)], [(x, z)])[0]:
            return x, z
    return None


def instruction(name: str, target: str, other: str, talk: int = 0) -> str:
    """How a set asks for a target.

    Args:
        name: one of SETS.
        target: type of the thing that is meant.
        other: type of one that is only talked about.
        talk: which small talk.
    """
    kind = furniture()[target]
    if name == "common_sense":
        return f"Find {kind.use}, and go as close to it as you can."
    if name == "visual_appearance":
        return f"Find {kind.looks}, and go as close to it as you can."
    if name == "complex_instruction":
        aside = f"the {furniture()[other].name}"
        text = _TALK[talk].replace("{Other}", aside[0].upper() + aside[1:])
        return text.replace("{other}", aside).replace("{name}", kind.name)
    more = " It may be in another room." if name == "long_horizon" else ""
    return f"Go to the {kind.name}, as close to it as you can.{more}"
