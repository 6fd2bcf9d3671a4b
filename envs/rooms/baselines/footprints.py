"""Holodeck at small scale: a floor plan by depth-first search, and small things on every top.

Holodeck (Yang et al. 2024) has a language model name things and constraints between them, and
searches a grid for places in which footprints lie inside and apart (hard) and as many constraints
as possible hold (soft: at an edge, near, in front of, aligned). All of that looks at the floor
plan only: what hangs on walls and the many small things put on tops are not checked against each
other, which is where its contacts come from (SceneWeaver reports 38.5 a bedroom).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..bodies import supports
from ..catalogue import Mount, category
from ..grammar import things
from ..prisms import Floats
from ..relations import half_sizes
from ..room_types import RoomType, room_type
from ..scene import WALL_KINDS, Item, Relation, RelationKind, Scene, walls
from ..zones import door_zones
from .standing import standing

GRID = 0.2
"""Metres between candidate places."""
NODES = 300
"""Placements tried before a floor plan is settled for; the paper's limit is one of time."""
_WIDTH = 3
"""Candidates of a thing that are followed."""
_SMALL = (3, 6)
"""Small things on a top: from, to."""
_EYE = 1.5
_LEAST_TOP = 0.05
"""Square metres of a top on which things are put."""


def furnish(scene: Scene, rng: np.random.Generator) -> Scene:
    """Plan the floor, hang things on walls, put small ones on tops."""
    kind = room_type(scene.room.type)
    wanted = [item for item in things(kind, scene, rng) if item.supporter is None]
    floor = [item for item in wanted if category(item.category).mount is Mount.FLOOR]
    planned = _Plan(scene, floor, rng).best()
    rest = (item for item in wanted if category(item.category).mount is not Mount.FLOOR)
    full = scene.with_items(*planned, *(_hung(scene, item, rng) for item in rest))
    return full.with_items(*_small_things(kind, full, planned, rng))


class _Spots(NamedTuple):
    """Candidate places of one thing, best first: [N] each."""

    x: Floats
    y: Floats
    yaw: Floats


class _Plan:
    """Depth-first search over the floor plan, larger things first."""

    def __init__(self, scene: Scene, items: Sequence[Item], rng: np.random.Generator) -> None:
        self._scene, self._rng, self._nodes = scene, rng, 0
        self._doors = [(*zone.x, *zone.y) for zone in door_zones(scene)]
        self._order = sorted(items, key=lambda item: -item.size[0] * item.size[1])
        self._best: tuple[Item, ...] = ()

    def best(self) -> tuple[Item, ...]:
        """The floor plan with most things in it, of equals the first found."""
        self._search((), 0)
        return self._best

    def _search(self, placed: tuple[Item, ...], number: int) -> bool:
        """Place what is left of the order; whether all of it found room."""
        if len(placed) > len(self._best):
            self._best = placed
        if number == len(self._order):
            return len(placed) == len(self._order)
        item = self._order[number]
        spots = self._spots(item, placed)
        for x, y, yaw in zip(*(column[:_WIDTH].tolist() for column in spots), strict=True):
            if self._nodes >= NODES:
                break
            self._nodes += 1
            there = replace(
                item, location=(x, y, 0.0), rotation=yaw, relations=standing(item.category)
            )
            if self._search((*placed, there), number + 1):
                return True
        if len(spots.x) == 0:  # the plan goes on without it, and may do better otherwise
            self._search(placed, number + 1)
        return False

    def _spots(self, item: Item, placed: tuple[Item, ...]) -> _Spots:
        """Free places on the grid in four facings, those that meet most constraints first."""
        size, found = self._scene.room.size, []
        for quarter in range(4):
            yaw = math.remainder(quarter * math.pi / 2, 2 * math.pi)
            hx, hy = half_sizes(item, yaw)
            if 2 * hx > size[0] or 2 * hy > size[1]:
                continue
            u = np.linspace(hx, size[0] - hx, max(2, int((size[0] - 2 * hx) / GRID) + 1))
            v = np.linspace(hy, size[1] - hy, max(2, int((size[1] - 2 * hy) / GRID) + 1))
            x, y = (axis.ravel() for axis in np.meshgrid(u, v, indexing="ij"))
            free = np.ones(x.shape, dtype=bool)
            taken = [_box(other) for other in placed] + self._doors
            for x0, x1, y0, y1 in taken:
                free &= (x + hx <= x0) | (x - hx >= x1) | (y + hy <= y0) | (y - hy >= y1)
            score = self._score(item, yaw, x, y, placed) + 0.2 * self._rng.random(x.shape)
            found.append(np.stack([x, y, np.full_like(x, yaw), score])[:, free])
        if not found:
            return _Spots(*np.zeros((3, 0)))
        x, y, yaws, score = np.concatenate(found, axis=1)
        order = np.argsort(-score, kind="stable")
        return _Spots(x[order], y[order], yaws[order])

    def _score(
        self, item: Item, yaw: float, x: Floats, y: Floats, placed: tuple[Item, ...]
    ) -> Floats:
        """How many soft constraints hold at each place [N]: edge, near, facing, aligned."""
        size = self._scene.room.size
        c, s = math.cos(yaw), math.sin(yaw)
        hx, hy = half_sizes(item, yaw)
        score = np.zeros(x.shape)
        if item.kinds() & WALL_KINDS:  # at an edge, its back to the wall
            gap = np.where(abs(c) > 0.5, np.where(c > 0, x - hx, size[0] - x - hx), 0.0)
            gap = gap + np.where(abs(s) > 0.5, np.where(s > 0, y - hy, size[1] - y - hy), 0.0)
            score += 2.0 * (gap < GRID)
        known = {other.id: other for other in placed}
        for relation in item.relations:
            parent = known.get(relation.parent)
            if parent is None:
                continue
            dx, dy = parent.location[0] - x, parent.location[1] - y
            apart = np.hypot(dx, dy)
            score += np.exp(-apart)
            if relation.kind in (RelationKind.FRONT_AGAINST, RelationKind.FRONT_TO_FRONT):
                score += (c * dx + s * dy) / np.maximum(apart, 1e-9)
            else:
                score += 0.5 * (abs(math.remainder(yaw - parent.rotation, 2 * math.pi)) < 0.1)
        return score


def _box(item: Item) -> tuple[float, float, float, float]:
    (x, y, _), (hx, hy) = item.location, half_sizes(item)
    return x - hx, x + hx, y - hy, y + hy


def _hung(scene: Scene, item: Item, rng: np.random.Generator) -> Item:
    """On the wall at eye level, under the ceiling or in the middle of the floor, unchecked."""
    mount = category(item.category).mount
    x, y = (side / 2 for side in scene.room.size)
    z = yaw = 0.0
    if mount is Mount.CEILING:
        z = scene.room.height - item.size[2]
    elif mount is Mount.WALL:
        wall = walls(scene.room)[int(rng.integers(4))]
        half = min(item.size[1], wall.length) / 2
        along = float(rng.uniform(half, wall.length - half))
        out = wall.offset + item.size[0] / 2
        nx, ny = wall.normal
        x, y = (nx * out, along) if nx else (along, ny * out)
        z, yaw = _EYE - item.size[2] / 2, wall.yaw
    return replace(item, location=(x, y, z), rotation=yaw, relations=standing(item.category))


def _small_things(
    kind: RoomType, scene: Scene, carriers: Sequence[Item], rng: np.random.Generator
) -> list[Item]:
    """Several small things on every top, each somewhere on it."""
    rows = [category(name) for name in sorted(kind.plausible)]
    small = [row for row in rows if row.mount is Mount.TOP]
    found: list[Item] = []
    for carrier in carriers:
        tops = supports(carrier)
        if not tops or not small or category(carrier.category).seat:
            continue
        top = tops[-1]
        if top.size[0] * top.size[1] < _LEAST_TOP:
            continue
        for _ in range(int(rng.integers(_SMALL[0], _SMALL[1] + 1))):
            row = small[int(rng.integers(len(small)))]
            name = scene.fresh_id(row.name, [item.id for item in found])
            size = tuple(
                round(low + float(rng.random()) * (high - low), 3)
                for low, high in zip(row.low, row.high, strict=True)
            )
            free = (max(a - b, 0.0) for a, b in zip(top.size, size[:2], strict=True))
            x, y = top.outward(*(way * float(rng.uniform(-0.5, 0.5)) for way in free))
            found.append(
                Item(
                    name,
                    row.name,
                    (x, y, top.z),
                    carrier.rotation,
                    (size[0], size[1], size[2]),
                    (Relation(carrier.id, RelationKind.ONTOP),),
                    int(rng.integers(2**31)),
                )
            )
    return found
