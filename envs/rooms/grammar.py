"""Rooms from their type's grammar: an empty shell, and the things to put into it.

The offline twin of what a language model is asked for first: how large, which things, how related
(SceneWeaver's init_gpt, arXiv 2509.20414). :func:`.placing.place` finds the places.
"""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np

from .bodies import supports
from .catalogue import Mount, category
from .room_types import RoomType, Wish
from .scene import ROOM, Item, Opening, Relation, RelationKind, Room, Scene, Triple, Wall, walls

_DOOR = (0.1, 0.9, 2.05)
_SILL, _HIGH_SILL = 0.9, 1.4
_CORNER = 0.3
"""Metres between a corner and an opening."""
STANDS = {
    Mount.FLOOR: RelationKind.ON_FLOOR,
    Mount.RUG: RelationKind.ON_FLOOR,
    Mount.TOP: RelationKind.ON_FLOOR,
    Mount.WALL: RelationKind.FLUSH_WALL,
    Mount.CEILING: RelationKind.HANGING,
}
"""The relation to the room of a thing that nothing else is said of."""


def shell(kind: RoomType, rng: np.random.Generator) -> Scene:
    """An empty room of a type: a size from its range, a door, one or two windows elsewhere."""
    x, y = (
        round(float(rng.uniform(low, high)), 1)
        for low, high in zip(kind.low, kind.high, strict=True)
    )
    room = Room(kind.name, (x, y))
    sides = [walls(room)[n] for n in rng.permutation(4)]
    openings = [_opening("door", 1, sides[0], _DOOR, 0.0, rng)]
    washing = kind.name in ("bathroom", "laundry_room")
    sill = _HIGH_SILL if washing else _SILL
    for number in range(1, 2 + int(rng.random() < 0.4)):
        wide = round(float(rng.uniform(0.6, 0.9) if washing else rng.uniform(1.0, 1.6)), 2)
        wide = min(wide, round(sides[number].length - 2 * _CORNER, 2))
        size = (0.1, wide, round(2.2 - sill, 2))
        openings.append(_opening("window", number, sides[number], size, sill, rng))
    return Scene(room, tuple(openings))


def _opening(
    kind: str,
    number: int,
    wall: Wall,
    size: tuple[float, float, float],
    sill: float,
    rng: np.random.Generator,
) -> Opening:
    rest = wall.length - 2 * _CORNER - size[1]
    along = round(_CORNER + size[1] / 2 + float(rng.random()) * max(rest, 0.0), 2)
    if wall.normal[0]:
        place = (max(0.0, -wall.offset), along, sill)
    else:
        place = (along, max(0.0, -wall.offset), sill)
    return Opening(f"{kind}_{number}", kind, place, wall.yaw, size)


def things(
    kind: RoomType,
    scene: Scene,
    rng: np.random.Generator,
    *,
    only: Collection[str] | None = None,
) -> list[Item]:
    """What the grammar wishes for a room, with sizes, styles and relations but not yet places.

    Wishes that relate to a category count what is in the scene already. ``only`` restricts them to
    some categories. Required roles are always filled, with the first category that can.
    """
    wishes = [wish for wish in kind.wishes if only is None or wish.category in only]
    found: list[Item] = []
    for wish in wishes:
        parents = _parents(wish, [*scene, *found])
        for parent, share in parents:
            if rng.random() < wish.chance * share:
                for number in range(int(rng.integers(wish.count[0], wish.count[1] + 1))):
                    one = parents[number % len(parents)][0] if not wish.each else parent
                    found.append(thing(wish, one, scene, found, rng))
    for role in kind.required if only is None else ():
        while not kind.filled([*scene, *found])[role.name]:
            wish = next(w for w in kind.wishes if w.category in role.categories)
            options = _parents(wish, [*scene, *found])
            parent = options[int(rng.integers(len(options)))][0] if options else None
            found.append(thing(wish, parent, scene, found, rng))
    return found


def _parents(wish: Wish, there: list[Item]) -> list[tuple[Item | None, float]]:
    """To what the things of a wish may relate, each with a share of its chance."""
    wanted = next((where.parent for where in wish.where if where.parent != ROOM), None)
    if wanted is None:
        return [(None, 1.0)]
    having = [item for item in there if item.category == wanted]
    if wish.each:
        return [(item, 1.0) for item in having]
    return [(item, float(n == 0)) for n, item in enumerate(having)]


def thing(
    wish: Wish, parent: Item | None, scene: Scene, found: list[Item], rng: np.random.Generator
) -> Item:
    """A thing of a wish, related to ``parent``: size and style drawn, no place yet.

    ``found`` are others that are to come into the scene; ids differ from theirs.
    """
    row = category(wish.category)
    relations = [Relation(ROOM, where.kind) for where in wish.where if where.parent == ROOM]
    if parent is not None:
        relations += [Relation(parent.id, w.kind) for w in wish.where if w.parent != ROOM]
    upright = {RelationKind.ONTOP, RelationKind.ON}
    if not any(relation.kind in upright for relation in relations):
        relations.insert(0, Relation(ROOM, STANDS[row.mount]))
    size = _size(row.low, row.high, row.mount, scene.room, rng)
    if parent is not None and (kinds := upright & {r.kind for r in relations}):
        size = _no_larger(size, row.low, parent, inside=RelationKind.ON in kinds)
    name = scene.fresh_id(wish.category, [item.id for item in found])
    style = int(rng.integers(2**31))
    return Item(name, wish.category, (0.0, 0.0, 0.0), 0.0, size, tuple(relations), style)


def _no_larger(size: Triple, low: Triple, parent: Item, *, inside: bool) -> Triple:
    """A size for what rests on a thing: no wider than it, in a shelf no larger than a board."""
    deep, wide = size[0], 0.95 * parent.size[1]
    boards = [support.size for support in supports(parent) if support.inner] if inside else []
    if boards:
        deep, wide = (math.floor(1000 * side) / 1000 for side in max(boards))
    return max(low[0], min(size[0], deep)), max(low[1], min(size[1], wide)), size[2]


def _size(
    low: tuple[float, float, float],
    high: tuple[float, float, float],
    mount: Mount,
    room: Room,
    rng: np.random.Generator,
) -> tuple[float, float, float]:
    """Of its range, in a small room from the lower part; rugs within two thirds of the room."""
    area = room.size[0] * room.size[1]
    share = min(1.0, math.sqrt(area / 30.0))
    depth, width, height = (
        round(a + share * float(rng.random()) * (b - a), 3) for a, b in zip(low, high, strict=True)
    )
    if mount is Mount.RUG:
        short, long = sorted(room.size)
        depth, width = min(depth, round(0.65 * short, 2)), min(width, round(0.65 * long, 2))
    return depth, width, height
