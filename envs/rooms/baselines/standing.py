"""What holds up a thing of which nothing but its category and place is known."""

from __future__ import annotations

from ..catalogue import Mount, category
from ..scene import ROOM, Relation, RelationKind

_HELD = {
    Mount.WALL: RelationKind.FLUSH_WALL,
    Mount.CEILING: RelationKind.HANGING,
}


def standing(name: str) -> tuple[Relation]:
    """The floor, a wall or the ceiling, as the category has it."""
    kind = _HELD.get(category(name).mount, RelationKind.ON_FLOOR)
    return (Relation(ROOM, kind),)
