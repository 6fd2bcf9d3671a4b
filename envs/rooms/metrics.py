"""What can be measured of a furnished room without asking anybody.

#Obj, #OB and #CN are SceneWeaver's (arXiv 2509.20414). Stability, navigability and diversity are
ours: no planner here optimises them, so they are what planners are best compared by. Stability is
the static rule (does the weight act over what carries it?); navigability is the share of the free
floor that somebody of 25 cm radius reaches from the door.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .bodies import centre_of_mass, parts, supports, volume
from .catalogue import Mount, category
from .contacts import collisions, is_rug, outside
from .prisms import Floats, Prism, hull
from .relations import SLACK, turn_between
from .scene import WALL_KINDS, Item, RelationKind, Scene, wall_of

AGENT_RADIUS = 0.25
"""Metres about the axis of somebody who walks."""
CELL = 0.05
_HEAD = 1.8
_STEP = 0.03
"""Things between these heights [m] are in the way of somebody who walks."""


@dataclass(frozen=True)
class Metrics:
    """The figures of one room; shares lie in 0 to 1."""

    objects: int
    outside: int
    collisions: int
    collided_share: float
    stable_share: float
    navigability: float
    covered: float
    """Share of the floor under things that stand on it."""

    @property
    def unstable(self) -> int:
        """Things whose weight nothing carries."""
        return round((1 - self.stable_share) * self.objects)


def measure(scene: Scene) -> Metrics:
    """All figures of a scene."""
    pairs = collisions(scene)
    counted = counted_items(scene)
    collided = {name for pair in pairs for name in (pair.a, pair.b)}
    stable = [is_stable(scene, item) for item in counted]
    return Metrics(
        objects=len(counted),
        outside=len(outside(scene)),
        collisions=len(pairs),
        collided_share=len(collided) / len(counted) if counted else 0.0,
        stable_share=sum(stable) / len(stable) if stable else 1.0,
        navigability=navigability(scene),
        covered=covered(scene),
    )


def counted_items(scene: Scene) -> tuple[Item, ...]:
    """What #Obj counts: everything but rugs."""
    return tuple(item for item in scene if not is_rug(item))


def is_stable(scene: Scene, item: Item) -> bool:
    """The static rule: its centre of mass is over the ground it touches, and that ground is there.

    What hangs on a wall or from the ceiling is screwed on where its relation says so.
    """
    kinds = item.kinds()
    mount = category(item.category).mount
    if (mount is Mount.WALL and kinds & WALL_KINDS) or RelationKind.HANGING in kinds:
        return True
    ground = _ground(scene, item)
    return len(ground) >= 3 and _within(ground, centre_of_mass(item)[:2])


def _ground(scene: Scene, item: Item) -> Floats:
    """The hull [N, 2] of where its lowest parts touch the floor or the surface below them."""
    lowest = min(part.z0 for part in parts(item))
    feet = [part for part in parts(item) if part.z0 <= lowest + 0.002]
    if lowest <= SLACK:
        return hull(np.concatenate([part.outline for part in feet]))
    surfaces = [
        support
        for other in scene
        if other.id != item.id
        for support in supports(other)
        if abs(support.z - lowest) <= SLACK
    ]
    touching = [p for s in surfaces for foot in feet for p in _common(foot.outline, s.outline)]
    return hull(touching) if len(touching) >= 3 else np.zeros((0, 2))


def _common(a: Floats, b: Floats) -> list[tuple[float, float]]:
    """The corners of the intersection of two convex outlines (Sutherland and Hodgman)."""
    corners = [(float(x), float(y)) for x, y in a]
    for (px, py), (qx, qy) in zip(b, np.roll(b, -1, axis=0), strict=True):
        sides = [(qx - px) * (y - py) - (qy - py) * (x - px) for x, y in corners]
        kept: list[tuple[float, float]] = []
        for k, (x, y) in enumerate(corners):
            before, (x0, y0) = sides[k - 1], corners[k - 1]
            if (sides[k] >= 0) != (before >= 0):
                t = before / (before - sides[k])
                kept.append((float(x0 + t * (x - x0)), float(y0 + t * (y - y0))))
            if sides[k] >= 0:
                kept.append((x, y))
        corners = kept
    return corners


def _within(outline: Floats, point: Sequence[float]) -> bool:
    edges = np.roll(outline, -1, axis=0) - outline
    to = np.asarray(point) - outline
    return bool((edges[:, 0] * to[:, 1] - edges[:, 1] * to[:, 0] >= -1e-9).all())


@functools.lru_cache(maxsize=256)
def navigability(scene: Scene) -> float:
    """The share of the free floor that is reached from the doors (from anywhere, if there is none).

    Free is where the axis of somebody of :data:`AGENT_RADIUS` can be. Without free floor it is 0;
    without doors the largest connected piece counts.
    """
    free, reached = walkable(scene)
    return float(reached.sum() / free.sum()) if free.any() else 0.0


def walkable(scene: Scene) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Two masks [nx, ny] over cells of the floor: where one can be, and what one can reach."""
    from scipy import ndimage

    taken, sides = _taken(scene)
    room = np.pad(taken, 1, constant_values=True)  # the walls
    far = ndimage.distance_transform_edt(~room, sampling=sides)[1:-1, 1:-1]
    free = far - min(sides) / 2 >= AGENT_RADIUS - 1e-6
    pieces, count = ndimage.label(free)
    if count == 0:
        return free, free
    doors = [opening for opening in scene.openings if opening.kind == "door"]
    if not doors:
        sizes = np.bincount(pieces.ravel())[1:]
        return free, pieces == 1 + int(sizes.argmax())
    reached = set[int]()
    x, y = _centres(free.shape, sides)
    for door in doors:
        normal = wall_of(scene.room, door).normal
        near = _near_door(door.location, normal, door.size[1], x, y)
        reached.update(np.unique(pieces[near]).tolist())
    return free, np.isin(pieces, sorted(reached - {0}))


def _near_door(
    at: Sequence[float], normal: tuple[float, float], width: float, x: Floats, y: Floats
) -> NDArray[np.bool_]:
    ahead = normal[0] * (x - at[0]) + normal[1] * (y - at[1])
    aside = -normal[1] * (x - at[0]) + normal[0] * (y - at[1])
    return (ahead <= AGENT_RADIUS + 2 * CELL) & (np.abs(aside) <= width / 2)


def _centres(shape: tuple[int, ...], sides: tuple[float, float]) -> tuple[Floats, Floats]:
    x = (np.arange(shape[0]) + 0.5) * sides[0]
    y = (np.arange(shape[1]) + 0.5) * sides[1]
    return x[:, None] + 0 * y[None, :], y[None, :] + 0 * x[:, None]


def _taken(scene: Scene) -> tuple[NDArray[np.bool_], tuple[float, float]]:
    """Cells of the floor under anything one cannot walk through or over, and the cells' sides."""
    counts = [max(1, math.ceil(side / CELL - 1e-9)) for side in scene.room.size]
    sides = (scene.room.size[0] / counts[0], scene.room.size[1] / counts[1])
    taken = np.zeros(counts, dtype=bool)
    for item in scene:
        for part in parts(item):
            if part.z1 > _STEP and part.z0 < _HEAD:
                _mark(taken, part, sides)
    return taken, sides


def _mark(taken: NDArray[np.bool_], part: Prism, sides: tuple[float, float]) -> None:
    low, high = part.outline.min(axis=0), part.outline.max(axis=0)
    first = [max(0, int(a / side)) for a, side in zip(low, sides, strict=True)]
    last = [min(n, int(b / side) + 1) for b, side, n in zip(high, sides, taken.shape, strict=True)]
    if first[0] >= last[0] or first[1] >= last[1]:
        return
    x = (np.arange(first[0], last[0]) + 0.5) * sides[0]
    y = (np.arange(first[1], last[1]) + 0.5) * sides[1]
    reach = min(sides) / 2  # a cell counts when its centre is within half a cell of the part
    (px, py), (qx, qy) = part.outline.T, np.roll(part.outline, -1, axis=0).T
    along, up = qx - px, qy - py
    beyond = [-reach * math.hypot(a, b) for a, b in zip(along.tolist(), up.tolist(), strict=True)]
    left = (along[:, None] * (y - py[:, None]))[:, None, :]  # of each edge, over the cells
    left = left - (up[:, None] * (x - px[:, None]))[:, :, None]
    inside = (left >= np.array(beyond)[:, None, None]).all(axis=0)
    taken[first[0] : last[0], first[1] : last[1]] |= inside


def covered(scene: Scene) -> float:
    """The share of the floor under the outlines of things that stand on it, rugs not counted."""
    from .bodies import footprint
    from .prisms import area

    stands = (
        item
        for item in counted_items(scene)
        if RelationKind.ON_FLOOR in item.kinds() or item.location[2] <= SLACK
    )
    total = sum(area(footprint(item)) for item in stands)
    return min(1.0, total / (scene.room.size[0] * scene.room.size[1]))


def category_entropy(scenes: Sequence[Scene]) -> float:
    """The entropy [bits] of the categories of all things of several rooms."""
    counts = np.array(list(Counter(i.category for s in scenes for i in s).values()), dtype=float)
    if len(counts) == 0:
        return 0.0
    shares = counts / counts.sum()
    return float(-(shares * np.log2(shares)).sum())


def diversity(scenes: Sequence[Scene]) -> float:
    """The mean :func:`layout_distance` of all pairs of rooms; 0 for fewer than two."""
    pairs = [layout_distance(a, b) for a, b in itertools.combinations(scenes, 2)]
    return sum(pairs) / len(pairs) if pairs else 0.0


def layout_distance(a: Scene, b: Scene) -> float:
    """How differently two rooms are furnished, 0 (alike) to 1 (nothing in common).

    Things of one category are matched at least cost: half of it how far apart they are (as a share
    of the room), half how they are turned; what has no match costs 1, weighted by volume.
    """
    from scipy.optimize import linear_sum_assignment

    cost = weight = 0.0
    for name in {item.category for item in (*a, *b)}:
        left = [item for item in a if item.category == name]
        right = [item for item in b if item.category == name]
        if left and right:
            table = np.array([[_apart(a, i, b, j) for j in right] for i in left])
            rows, columns = linear_sum_assignment(table)
            for row, column in zip(rows, columns, strict=True):
                both = volume(left[row]) + volume(right[column])
                cost += both * float(table[row, column])
        else:
            rows, columns = np.zeros(0, dtype=int), np.zeros(0, dtype=int)
        cost += sum(volume(i) for n, i in enumerate(left) if n not in rows)
        cost += sum(volume(i) for n, i in enumerate(right) if n not in columns)
        weight += sum(volume(item) for item in (*left, *right))
    return cost / weight if weight else 0.0


def _apart(a: Scene, i: Item, b: Scene, j: Item) -> float:
    ways = [i.location[k] / a.room.size[k] - j.location[k] / b.room.size[k] for k in range(2)]
    way = min(1.0, math.hypot(*ways))
    return 0.5 * way + 0.5 * abs(turn_between(i.rotation, j.rotation)) / math.pi
