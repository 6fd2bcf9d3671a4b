"""A small library of finished rooms, made from seeds: the stand-in for scanned ones.

SceneWeaver's init_metascene fetches the real room, scanned, that is closest to what is asked for.
Ours are written by the grammar, from seeds that never change, so that nothing has to be shipped;
which is closest is decided by size and contents, before any is furnished.
"""

from __future__ import annotations

import functools
from collections.abc import Collection

import numpy as np

from ..execute import execute
from ..grammar import shell, things
from ..placing import place
from ..room_types import RoomType, room_type
from ..scene import Scene

ROOM_TYPES = (
    "bedroom",
    "living_room",
    "dining_room",
    "kitchen",
    "bathroom",
    "children_room",
    "office",
    "meeting_room",
    "waiting_room",
)
EACH = 6
"""Rooms of a type."""
_SEED = 20_414


def closest(kind: RoomType, scene: Scene, wanted: Collection[str]) -> int:
    """The number of the library's room nearest in size that holds most of what is wanted."""

    def distance(number: int) -> float:
        room = _shell(kind.name, number)
        apart = sum(abs(a - b) for a, b in zip(room.room.size, scene.room.size, strict=True))
        there = _contents(kind.name, number)
        return apart - sum(name in there for name in wanted)

    return min(range(EACH), key=distance)


@functools.lru_cache(maxsize=64)
def finished(kind: str, number: int) -> Scene:
    """Room ``number`` of a type, furnished."""
    known = room_type(kind)
    rng = _rng(kind, number)
    empty = shell(known, rng)
    full = place(empty, things(known, empty, rng), rng).scene
    return execute(full, rng, keep=known.keeps(full)).scene


def _shell(kind: str, number: int) -> Scene:
    return shell(room_type(kind), _rng(kind, number))


@functools.lru_cache(maxsize=64)
def _contents(kind: str, number: int) -> frozenset[str]:
    rng = _rng(kind, number)
    known = room_type(kind)
    return frozenset(item.category for item in things(known, shell(known, rng), rng))


def _rng(kind: str, number: int) -> np.random.Generator:
    return np.random.default_rng([_SEED, ROOM_TYPES.index(kind), number])
