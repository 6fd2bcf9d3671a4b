"""Rooms as rows of numbers: what the learned baselines are fitted to, and write.

A room is up to twelve things that stand or hang by themselves, the largest first, as in the
3D-FRONT boxes that ATISS and DiffuScene learn from: a category, a place as a share of the room, a
facing as (cos, sin) and a size as a share of the category's range. The rooms are procedural.
"""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..catalogue import Mount, category
from ..grammar import shell, things
from ..placing import place
from ..prisms import Floats
from ..room_types import room_type
from ..scene import SUPPORTS, Item, Scene
from .standing import standing

ROOM_TYPES = ("bedroom", "living_room")
SLOTS = 12
NUMBERS = 7
"""x, y, cos, sin and three sizes of a thing."""
_LONGEST = 7.0
"""Metres that a room's sides are told in shares of."""


class Records(NamedTuple):
    """Rooms in arrays.

    ``categories`` [N, 12], the number of categories for "nothing"; ``numbers`` [N, 12, 7];
    ``rooms`` [N, 2 + 2]: the sides as shares of 7 m, the type one-hot.
    """

    categories: NDArray[np.int64]
    numbers: Floats
    rooms: Floats


@functools.cache
def categories() -> tuple[str, ...]:
    """The categories of things that stand or hang by themselves in the known types of room."""
    wishes = (wish for name in ROOM_TYPES for wish in room_type(name).wishes)
    names = {
        wish.category
        for wish in wishes
        if not any(where.kind in SUPPORTS for where in wish.where)
        and category(wish.category).mount is not Mount.WALL
    }
    return tuple(sorted(names))


def about(scene: Scene) -> Floats:
    """What a model is told of a room [4]: its sides and its type."""
    kind = [float(scene.room.type == name) for name in ROOM_TYPES]
    return np.array([*(side / _LONGEST for side in scene.room.size), *kind])


def written(scene: Scene) -> tuple[NDArray[np.int64], Floats]:
    """The categories [12] and numbers [12, 7] of a furnished room."""
    known = {name: number for number, name in enumerate(categories())}
    alone = [item for item in scene if item.supporter is None and item.category in known]
    alone.sort(key=lambda item: -item.size[0] * item.size[1])
    chosen = np.full(SLOTS, len(known))
    numbers = np.zeros((SLOTS, NUMBERS))
    for slot, item in enumerate(alone[:SLOTS]):
        row = category(item.category)
        sizes = (
            (side - low) / (high - low) if high > low else 0.5
            for side, low, high in zip(item.size, row.low, row.high, strict=True)
        )
        chosen[slot] = known[item.category]
        x, y = (at / side for at, side in zip(item.location[:2], scene.room.size, strict=True))
        turn = item.rotation
        numbers[slot] = (x, y, math.cos(turn), math.sin(turn), *sizes)
    return chosen, numbers


def read(scene: Scene, chosen: NDArray[np.int64], numbers: Floats, style: int = 0) -> Scene:
    """The room furnished with rows that a model wrote; sizes are held within their ranges."""
    names = categories()
    for number, values in zip(chosen.tolist(), numbers.tolist(), strict=True):
        if number >= len(names):
            continue
        row = category(names[number])
        depth, width, height = (
            round(low + min(max(share, 0.0), 1.0) * (high - low), 3)
            for share, low, high in zip(values[4:], row.low, row.high, strict=True)
        )
        x, y = (at * side for at, side in zip(values[:2], scene.room.size, strict=True))
        z = scene.room.height - height if row.mount is Mount.CEILING else 0.0
        item = Item(
            scene.fresh_id(row.name),
            row.name,
            (x, y, z),
            math.atan2(values[3], values[2]),
            (depth, width, height),
            standing(row.name),
            style,
        )
        scene = scene.with_items(item)
    return scene


def procedural(number: int, seed: int) -> Records:
    """Procedural rooms of the known types, ``number`` of each."""
    found: list[tuple[NDArray[np.int64], Floats, Floats]] = []
    for index, name in enumerate(ROOM_TYPES):
        kind = room_type(name)
        for room in range(number):
            rng = np.random.default_rng([seed, index, room])
            empty = shell(kind, rng)
            wanted = things(kind, empty, rng, only=categories())
            full = place(empty, wanted, rng, nodes=0).scene  # what finds no place stays away
            found.append((*written(full), about(full)))
    chosen, numbers, rooms = zip(*found, strict=True)
    return Records(np.stack(chosen), np.stack(numbers), np.stack(rooms))
