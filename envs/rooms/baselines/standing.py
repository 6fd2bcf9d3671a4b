"""What holds up a thing of which nothing but its category and place is known."""

from __future__ import annotations

from ..catalogue import category
from ..grammar import STANDS
from ..scene import ROOM, Relation


def standing(name: str) -> tuple[Relation]:
    """The floor, a wall or the ceiling, as the category has it."""
    return (Relation(ROOM, STANDS[category(name).mount]),)
