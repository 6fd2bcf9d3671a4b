"""What a tool is: a card that planners read, an edit that it takes, and what it does to a scene.

Tools are SceneWeaver's (Yang et al., arXiv 2509.20414, section 3 and its code): each has a card
saying what it is for, what it must not be used for, and where it is weak. Where the paper's tools
call a language model, ours take its answer, an *edit* as data checked against the tool's schema; a
tool that is given none acts by rule on the ideas in words. So no tool calls a model, and a match
with tools can be replayed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..execute import Physics
from ..room_types import RoomType
from ..scene import Scene

EXACT = 9
"""Decimals to which a scene is written out to be checked."""
MOST_ITEMS = 120
"""Things in a scene; an edit that would make them more is refused."""


class Family(StrEnum):
    """What a tool does to a scene: begin it, add to it, change it, or end the work."""

    INITIALISER = "initialiser"
    IMPLEMENTER = "implementer"
    REFINER = "refiner"
    CONTROL = "control"


@dataclass(frozen=True)
class Card:
    """A tool as planners are told of it.

    ``supported_room_types`` is empty if it knows all. ``cost`` counts the model calls that the
    paper's tool takes: the unit of a world's budget.
    """

    name: str
    family: Family
    description: str
    use_cases: tuple[str, ...]
    must_not: tuple[str, ...]
    strengths: str
    weaknesses: str
    cost: int = 1
    supported_room_types: tuple[str, ...] = ()

    def words(self) -> str:
        """The card as a paragraph."""
        rooms = ", ".join(self.supported_room_types)
        return (
            f"{self.name} ({self.family}, cost {self.cost}): {self.description} "
            f"Use it for: {'; '.join(self.use_cases)}. "
            + (f"Do not: {'; '.join(self.must_not)}. " if self.must_not else "")
            + f"Strong: {self.strengths} Weak: {self.weaknesses}"
            + (f" Rooms: {rooms}." if rooms else "")
        )


@dataclass(frozen=True)
class Task:
    """One call of a tool.

    ``request`` is what the room is to be, ``ideas`` what the planner wants now, ``edit`` the
    document it wrote for the tool, None if it left that to the tool. ``slip`` is the standard
    deviation [m] with which things miss the place that was found for them.
    """

    scene: Scene
    kind: RoomType
    request: str
    ideas: str
    edit: Mapping[str, Any] | None
    rng: np.random.Generator
    slip: float = 0.0


class Edited(NamedTuple):
    """The scene as the tool made it, before physics, and what it did in a sentence."""

    scene: Scene
    words: str


class Tool(ABC):
    """One tool; ``physics`` says how far the executor corrects what it made.

    A tool of others whose call takes longer than ``seconds`` has failed.
    """

    card: ClassVar[Card]
    physics: ClassVar[Physics] = Physics.FULL
    seconds: ClassVar[float] = 60.0

    def knows(self, kind: RoomType) -> bool:
        """Whether it can work on rooms of a type."""
        rooms = self.card.supported_room_types
        return not rooms or kind.name in rooms

    def edit_schema(self, kind: RoomType, ids: Sequence[str]) -> Mapping[str, Any] | None:
        """JSON Schema of the edit for a room with things of these ids; None if it takes none."""
        return None

    def parameters(self, kind: RoomType, ids: Sequence[str]) -> dict[str, Any]:
        """JSON Schema of what a call of it says."""
        properties: dict[str, Any] = {"ideas": {"type": "string", "maxLength": 400}}
        edit = self.edit_schema(kind, ids)
        if edit is not None:
            properties["edit"] = dict(edit)
        return {"type": "object", "properties": properties, "required": ["ideas"]}

    @abstractmethod
    def act(self, task: Task) -> Edited:
        """Edit the scene.

        Raises:
            UsageError: it cannot; the sentence tells the planner why.
        """
