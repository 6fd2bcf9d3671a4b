"""LayoutGPT at small scale: a room recalled rather than worked out, and never checked.

LayoutGPT (Feng et al. 2023) shows a language model some rooms of the type and has it write
coordinates in one go. Here the recalled room is a procedural one of another size; its larger things
are carried over to the room at hand in proportion, each off by a normal error of 30 cm.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..catalogue import Mount, category
from ..grammar import shell, things
from ..placing import place
from ..room_types import room_type
from ..scene import Item, Scene
from .standing import standing

ERROR = 0.3
"""Standard deviation [m] of each coordinate."""


def furnish(scene: Scene, rng: np.random.Generator) -> Scene:
    """Carry a recalled room's floor over to this one."""
    kind = room_type(scene.room.type)
    other = shell(kind, rng)
    recalled = place(other, things(kind, other, rng), rng).scene
    scale = [new / old for new, old in zip(scene.room.size, recalled.room.size, strict=True)]
    large = (item for item in recalled if item.supporter is None and _on_floor(item))
    return scene.with_items(*(_carried(item, scale, rng) for item in large))


def _on_floor(item: Item) -> bool:
    return category(item.category).mount in (Mount.FLOOR, Mount.RUG)


def _carried(item: Item, scale: list[float], rng: np.random.Generator) -> Item:
    x, y = (
        at * by + ERROR * float(rng.normal())
        for at, by in zip(item.location[:2], scale, strict=True)
    )
    return replace(item, location=(x, y, 0.0), relations=standing(item.category))
