"""I-Design at small scale: a graph of relations first, then places for it by going back.

I-Design (Çelen et al. 2024) has agents agree on a set number of things and a graph of how they
stand to each other, and places the graph by backtracking. The graph here is the grammar's, cut to
ten things (SceneWeaver reports 9.6 a bedroom); the search is :func:`..placing.place`.
"""

from __future__ import annotations

import numpy as np

from ..grammar import things
from ..placing import place
from ..room_types import RoomType, room_type
from ..scene import ROOM, Item, Scene

NUMBER = 10


def furnish(scene: Scene, rng: np.random.Generator) -> Scene:
    """Place a graph of ten things."""
    kind = room_type(scene.room.type)
    return place(scene, _ten(kind, things(kind, scene, rng)), rng).scene


def _ten(kind: RoomType, found: list[Item]) -> list[Item]:
    """What the room needs, then what the grammar names first; nothing without its parents."""
    needed = frozenset().union(*(role.categories for role in kind.required))
    chosen: dict[str, Item] = {}
    for item in sorted(found, key=lambda item: item.category not in needed):
        parents = {relation.parent for relation in item.relations} - {ROOM}
        if len(chosen) < NUMBER and parents <= chosen.keys():
            chosen[item.id] = item
    return list(chosen.values())
