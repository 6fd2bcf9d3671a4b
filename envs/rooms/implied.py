"""The relations that a layout shows without saying so: what stands where it stands because of what.

Boxes of other programs come without relations, and SceneWeaver's ``add_relation`` makes the
implicit ones explicit, by distance (arXiv 2509.20414, its code). A relation is added where it holds
already, so nothing has to move for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from .bodies import supports
from .catalogue import Mount, category
from .relations import SLACK, holds
from .scene import ROOM, SUPPORTS, Item, Relation, RelationKind, Scene

_K = RelationKind
_BESIDE = (_K.FRONT_AGAINST, _K.LEFTRIGHT)


def with_implied_relations(scene: Scene) -> Scene:
    """The scene whose things have, besides their own relations, those that hold and matter.

    What holds a thing up (floor, ceiling, wall or one other thing), the wall at its back, and, for
    a thing that has no wall, the thing that it faces or flanks.
    """
    for name in [item.id for item in scene]:
        item = scene[name]
        found = dict.fromkeys(item.relations)
        for relation in _held_by(scene, item):
            found[relation] = None
        if len(found) > len(item.relations):
            scene = scene.replaced(replace(item, relations=tuple(found)))
    return scene


def _held_by(scene: Scene, item: Item) -> Iterator[Relation]:
    mount = category(item.category).mount
    kinds = item.kinds()
    if mount is Mount.WALL:
        yield from _holding(scene, item, [Relation(ROOM, _K.FLUSH_WALL)])
        return
    if not kinds & (SUPPORTS | {_K.ON_FLOOR, _K.HANGING}):
        yield from _upheld(scene, item, mount)
    if kinds & SUPPORTS or mount is not Mount.FLOOR or item.location[2] > SLACK:
        return
    wall = _holding(scene, item, [Relation(ROOM, _K.AGAINST_WALL)])
    if wall:
        yield from wall
    elif not any(relation.parent != ROOM for relation in item.relations):
        yield from _beside(scene, item)


def _upheld(scene: Scene, item: Item, mount: Mount) -> list[Relation]:
    ground = _K.HANGING if mount is Mount.CEILING else _K.ON_FLOOR
    found = _holding(scene, item, [Relation(ROOM, ground)])
    return found or _holding(scene, item, _carriers(scene, item))


def _carriers(scene: Scene, item: Item) -> Iterator[Relation]:
    """What could carry a thing, no circle among them."""
    above = {item.id, *scene.burden(item.id)}
    for other in scene:
        if other.id not in above and supports(other):
            for kind in (_K.ONTOP, _K.ON):
                yield Relation(other.id, kind)


def _beside(scene: Scene, item: Item) -> list[Relation]:
    """The seat's table, or the thing flanked: of those not related to this one the first."""
    seat = category(item.category).seat
    for kind in _BESIDE:
        for other in scene:
            if other.id == item.id or any(r.parent == item.id for r in other.relations):
                continue
            if seat == category(other.category).seat:
                continue
            found = _holding(scene, item, [Relation(other.id, kind)])
            if found and not _leads_to(scene, other.id, item.id):
                return found
    return []


def _leads_to(scene: Scene, start: str, goal: str) -> bool:
    """Whether the relations of ``start`` lead to ``goal``."""
    seen, queue = {start}, [start]
    while queue:
        for relation in scene[queue.pop()].relations:
            if relation.parent == goal:
                return True
            if relation.parent in scene and relation.parent not in seen:
                seen.add(relation.parent)
                queue.append(relation.parent)
    return False


def _holding(scene: Scene, item: Item, offers: Iterable[Relation]) -> list[Relation]:
    """The first of the offered relations that holds."""
    return next(([relation] for relation in offers if holds(scene, item, relation)), [])
