"""A place for everything at first: a search over candidate poses, a backtracking one.

Things are placed one after another, walls before the rest, parents before children, large before
small. The candidates of each come from the planes of its relations, on a grid of 10 cm; those that
overlap something, stand before a door or cover a window fall out, and of the others those come
first that leave fronts free and stand where such things do. A thing for which nothing is left
makes the search go back over the last three; if that does not help within the limit of nodes, it
is left out, and said to be (the search of I-Design and Holodeck on SceneWeaver's relations).
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from .bodies import bodies, parts, supports
from .catalogue import Mount, category
from .contacts import LEAST_DEPTH, exempt
from .optimise import parents_first
from .prisms import Packed
from .relations import SLACK, Band, Option, half_sizes, inside, options, turn_between
from .scene import ROOM, SUPPORTS, WALL_KINDS, Item, RelationKind, Scene
from .zones import Zone, before, belongs, door_zones, front_zone, zone_of

NODES = 2000
"""Placements tried before a search settles for what it has."""
LOOKS = 30_000
"""Poses looked at in going back before a search goes back no more: where a shelf is full, no pose
is free, and so none is counted as tried. Crowded rooms that can be furnished took up to 15,000."""
GRID = 0.1
SAMPLES = 4
"""Samples of candidates looked at before a thing is said to find no place."""
_SAMPLE = 120
_BACK, _RETRIES = 3, 6
_BESIDE = 0.55
_APART = 2.4
"""Metres between the middles of tables of one kind."""
_FACING = (
    {"sofa", "tv_stand"},
    {"armchair", "tv_stand"},
    {"sofa", "wall_tv"},
    {"office_chair", "whiteboard"},
    {"waiting_seats", "reception_desk"},
)
_EYE = (1.55, 1.9)
"""Heights [m] at which the middle of what hangs on a wall may be."""


class Placement(NamedTuple):
    """The furnished scene, the ids that found no place, and how many placements were tried."""

    scene: Scene
    left_out: tuple[str, ...]
    nodes: int


def place(
    scene: Scene, items: Sequence[Item], rng: np.random.Generator, *, nodes: int = NODES
) -> Placement:
    """Find places for new things in a scene; their own locations and rotations do not matter."""
    return _Search(scene, items, rng, nodes).run()


class _Search:
    def __init__(
        self, scene: Scene, items: Sequence[Item], rng: np.random.Generator, nodes: int
    ) -> None:
        self._rng, self._limit, self._nodes = rng, nodes, 0
        self._looks = 0
        ranked = sorted(items, key=_rank)
        wanted = {item.id: item for item in items}
        self._order = [wanted[name] for name in parents_first(ranked)]
        self._flanked = Counter(
            relation.parent
            for item in items
            for relation in item.relations
            if relation.kind in (RelationKind.LEFTRIGHT, RelationKind.SIDE_BY_SIDE)
        )
        self._states = [scene]

    def run(self) -> Placement:
        left_out: list[str] = []
        placed: list[Item] = []
        for item in self._order:
            if any(relation.parent in left_out for relation in item.relations):
                left_out.append(item.id)
                continue
            looked, after = self._looks, self._first(self._states[-1], item)
            self._looks = looked
            if after is None:
                after = self._go_back(placed, item)
            if after is None:
                left_out.append(item.id)
            else:
                self._states.append(after)
                placed.append(item)
        return Placement(self._states[-1], tuple(left_out), self._nodes)

    def _first(self, scene: Scene, item: Item, *, anywhere: bool = False) -> Scene | None:
        free = next(self._candidates(scene, item, anywhere), None)
        return None if free is None else scene.with_items(free)

    def _go_back(self, placed: list[Item], item: Item) -> Scene | None:
        """Place the last few otherwise, so that ``item`` fits too."""
        for back in range(1, min(_BACK, len(placed)) + 1):
            for _ in range(_RETRIES):
                if self._looks > LOOKS:
                    return None
                states = self._states[: len(placed) + 1 - back]
                redo = [*placed[len(placed) - back :], item]
                for number, thing in enumerate(redo):
                    after = None
                    if self._nodes < self._limit:
                        after = self._first(states[-1], thing, anywhere=number == 0)
                    if after is None:
                        break
                    states.append(after)
                else:
                    self._states[:] = states[:-1]
                    return states[-1]
        return None

    def _candidates(self, scene: Scene, item: Item, anywhere: bool) -> Iterator[Item]:
        """Free poses: the best of a sample first, then those of the next; or in no order."""
        rough = _poses(scene, item)
        if not rough:
            return
        order = self._rng.permutation(len(rough))
        taste = _Taste(scene, item, min(self._flanked[item.id], 2))
        packed = Packed([*bodies(scene), parts(_at(item, rough[0]))])
        for first in range(0, min(len(order), SAMPLES * _SAMPLE), _SAMPLE):
            sample = order[first : first + _SAMPLE].tolist()
            tried = [_at(item, rough[n]) for n in sample]
            self._looks += len(tried)
            costs = [taste.cost(pose) for pose in tried]
            for number in range(len(tried)) if anywhere else np.argsort(costs, kind="stable"):
                if math.isfinite(costs[number]) and _is_free(scene, tried[number], packed):
                    self._nodes += 1
                    yield tried[number]


def _rank(item: Item) -> tuple[int, float]:
    """What is placed first: walls, the middle, rugs, what hangs, what stands on other things."""
    mount = category(item.category).mount
    kinds = item.kinds()
    level = 0 if kinds & WALL_KINDS and mount is not Mount.WALL else 1
    later = {Mount.WALL: 3, Mount.CEILING: 3, Mount.RUG: 2, Mount.TOP: 4}
    if kinds & SUPPORTS:
        level = 4
    elif mount in later:
        level = later[mount]
    return level, -item.size[0] * item.size[1]


def _is_free(scene: Scene, pose: Item, packed: Packed) -> bool:
    last = len(packed) - 1
    packed.place(last, parts(pose))
    found = packed.of(last)
    deep = np.flatnonzero(found.depth[0] > LEAST_DEPTH)
    if len(deep) == 0:
        return True
    trial = scene.with_items(pose)
    return all(exempt(trial, pose, scene.items[j], float(found.depth[0, j])) for j in deep)


def _at(item: Item, pose: tuple[float, ...]) -> Item:
    x, y, z, yaw = pose
    return replace(item, location=(x, y, z), rotation=yaw)


def _poses(scene: Scene, item: Item) -> list[tuple[float, ...]]:
    """Candidate poses (x, y, z, yaw) from the planes of the relations, on the grid."""
    rests = [relation for relation in item.relations if relation.kind in SUPPORTS]
    others = [options(scene, item, r) for r in item.relations if r.kind not in SUPPORTS]
    found: list[tuple[float, ...]] = []
    for chosen in itertools.product(*others):
        yaws = {round(option.yaw, 6) for option in chosen if option.yaw is not None}
        if len(yaws) > 1:
            continue
        for yaw in yaws or _free_yaws(scene, item):
            turned = replace(item, rotation=yaw)
            if any(
                2 * half > side + 1e-6
                for half, side in zip(half_sizes(turned), scene.room.size, strict=True)
            ):
                continue
            # How much of a top is free depends on the facing.
            surfaces = [options(scene, turned, relation) for relation in rests]
            for under in itertools.product(*surfaces):
                full = (*chosen, *under)
                bands = [*inside(scene.room, item, yaw), *(b for o in full for b in o.bands)]
                heights = _heights(item, full)
                for x, y in _points(bands, fine=bool(under)):
                    for z in heights:
                        found.append((x, y, z, yaw))
    return found


def _free_yaws(scene: Scene, item: Item) -> list[float]:
    quarter = math.pi / 2
    if item.supporter is not None and item.supporter in scene:
        own = scene[item.supporter].rotation
        return [own] if category(item.category).front else [own, own + quarter]
    return [0.0, quarter, math.pi, -quarter]


def _heights(item: Item, chosen: Sequence[Option]) -> tuple[float, ...]:
    for option in chosen:
        if option.bottom is not None:
            return (option.bottom[0],)
    return tuple(middle - item.size[2] / 2 for middle in _EYE)


def _points(bands: Sequence[Band], *, fine: bool) -> Iterator[tuple[float, float]]:
    """Points of the grid that lie in all bands; fixed ones are met in their middle."""
    fixed = [band for band in bands if band.fixed]
    step = GRID / 2 if fine else GRID
    if fixed:
        first = fixed[0]
        mid = (first.low + first.high) / 2
        other = next((b for b in fixed if abs(b.x * first.y - b.y * first.x) > 0.5), None)
        if other is None:
            along = np.arange(-60.0, 60.0 + step, step)
        else:  # two planes leave one point
            want = (other.low + other.high) / 2
            cross = -first.y * other.x + first.x * other.y
            along = np.array([(want - mid * (first.x * other.x + first.y * other.y)) / cross])
        x, y = mid * first.x - along * first.y, mid * first.y + along * first.x
    else:
        a, b = bands[-2:]
        u = _spread(a, step)[:, None]
        v = _spread(b, step)[None, :]
        x, y = (u * a.x + v * b.x).ravel(), (u * a.y + v * b.y).ravel()
    good = np.ones(x.shape, dtype=bool)
    for band in bands:
        at = band.x * x + band.y * y
        good &= (at >= band.low - SLACK / 3) & (at <= band.high + SLACK / 3)
    yield from zip(x[good].tolist(), y[good].tolist(), strict=True)


def _spread(band: Band, step: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.linspace(band.low, band.high, max(1, round((band.high - band.low) / step)) + 1)


class _Taste:
    """What makes one free place better than another; infinite where a thing may not stand."""

    def __init__(self, scene: Scene, item: Item, flanked: int) -> None:
        self._scene, self._flanked = scene, flanked
        self._row = category(item.category)
        self._doors = door_zones(scene)
        self._open = [before(o, 0.3) for o in scene.openings]
        strangers = [other for other in scene if not belongs(scene, item, other)]
        self._others = [zone_of(other) for other in strangers]
        self._strips = [strip for other in strangers if (strip := front_zone(other)) is not None]
        self._low = item.size[2] < 0.03

    def cost(self, pose: Item) -> float:
        own = zone_of(pose)
        if self._low or self._row.mount is Mount.CEILING:
            return self._off_centre(pose)
        if any(zone.shares(own) > 0 for zone in self._doors):
            return math.inf
        hidden = sum(zone.shares(own) for zone in self._open)
        if hidden > 0 and self._row.mount is Mount.WALL:
            return math.inf
        cost = 10.0 * hidden
        cost += 3.0 * sum(strip.shares(own) / strip.volume for strip in self._strips)
        strip = front_zone(pose)
        if strip is not None:
            blocked = sum(strip.shares(other) for other in self._others) / strip.volume
            cost += 3.0 * min(blocked, 1.0)
            x, y = self._scene.room.size
            kept = max(0.0, min(strip.x[1], x) - max(strip.x[0], 0.0))
            kept *= max(0.0, min(strip.y[1], y) - max(strip.y[0], 0.0))
            whole = (strip.x[1] - strip.x[0]) * (strip.y[1] - strip.y[0])
            cost += 4.0 * (1.0 - kept / whole)
        if self._flanked:  # what will stand beside it needs room
            free = sorted((self._beside(pose, sign) for sign in (-1, 1)), reverse=True)
            cost += 3.0 * sum(1.0 - share for share in free[: self._flanked])
        return cost + self._gaze(pose) + self._style(pose)

    def _beside(self, pose: Item, sign: int) -> float:
        """How much of half a metre at one of a thing's sides is free, in the room."""
        way = sign * (pose.size[1] / 2 + _BESIDE / 2)
        x = pose.location[0] - way * math.sin(pose.rotation)
        y = pose.location[1] + way * math.cos(pose.rotation)
        size = (pose.size[0], _BESIDE, pose.size[2])
        strip = zone_of(replace(pose, location=(x, y, 0.0), size=size))
        across, along = self._scene.room.size
        room = Zone((0.0, across), (0.0, along), (0.0, self._scene.room.height))
        taken = sum(strip.shares(other) for other in (*self._others, *self._doors))
        return max(0.0, strip.shares(room) - taken) / strip.volume

    def _style(self, pose: Item) -> float:
        """Tables towards the middle, plants and lamps into corners, seats facing the room."""
        kinds = pose.kinds()
        if kinds & (SUPPORTS | WALL_KINDS) or any(r.parent != ROOM for r in pose.relations):
            return 0.1 * self._off_centre(pose) if RelationKind.FRONT_TO_FRONT in kinds else 0.0
        x, y = self._scene.room.size
        hx, hy = half_sizes(pose)
        aside = min(pose.location[0] - hx, x - pose.location[0] - hx)
        aside += min(pose.location[1] - hy, y - pose.location[1] - hy)
        if self._row.front:
            c, s = math.cos(pose.rotation), math.sin(pose.rotation)
            facing = c * (x / 2 - pose.location[0]) + s * (y / 2 - pose.location[1])
            return 0.3 * aside - 0.5 * facing
        if not supports(pose) or pose.size[0] * pose.size[1] < 0.3:
            return 0.6 * aside
        alike = (o.location for o in self._scene if o.category == pose.category)
        near = min((math.dist(pose.location, o) for o in alike), default=math.inf)
        return self._off_centre(pose) + 2.0 * max(0.0, _APART - near)

    def _gaze(self, pose: Item) -> float:
        """How far two things that belong face to face look past each other."""
        cost = 0.0
        for other in self._scene:
            if {pose.category, other.category} in _FACING:
                for one, two in ((pose, other), (other, pose)):
                    x, y = (two.location[k] - one.location[k] for k in range(2))
                    cost += 0.5 * abs(turn_between(one.rotation, math.atan2(y, x)))
        return cost

    def _off_centre(self, pose: Item) -> float:
        x, y = self._scene.room.size
        return math.dist(pose.location[:2], (x / 2, y / 2))
