"""Copies by playing again: for worlds whose state cannot be copied but whose course is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias, TypeVar

from gymposium.types import Action

from .world import RuleWorld

W = TypeVar("W", bound=RuleWorld)
Course: TypeAlias = tuple[int, list[Mapping[str, Action]]] | None
"""A match's seed and the actions of its steps so far; None before the first."""


def played_again(world: W, course: Course) -> W:
    """``world``, fresh, brought to where the course had come."""
    if course is not None:
        seed, steps = course
        world.reset(seed)
        for actions in steps:
            world.step(actions)
    return world
