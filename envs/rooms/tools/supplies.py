"""New things for a room: what it lacks, what belongs on its tops, and a thing of any category.

The offline counterpart of a model's "what should be added?": from the grammar of the room's type
(:mod:`~gymposium.envs.rooms.room_types`), from what is plausible there, and never more than fits
on a top.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from ..bodies import supports
from ..catalogue import CATEGORIES, Mount, category
from ..grammar import thing
from ..placing import place
from ..prisms import area
from ..room_types import RoomType, Where, Wish
from ..scene import ROOM, SUPPORTS, Item, RelationKind, Scene
from .card import Edited, Task

_SMALL = 0.4
"""Metres of what one puts on tops that are not made for it."""
_LARGE_TOP = 0.3
"""Square metres from which a top takes several things."""


def one(name: str, task: Task, coming: list[Item], parent: Item | None = None) -> Item:
    """A thing of a category, standing as the room's grammar has it, else as its mount does.

    ``coming`` are the others on their way into the scene; ``parent`` is what it is to stand on.
    """
    if parent is not None:
        wish = Wish(name, where=(Where(_on(parent, task.rng), parent.category),))
        return thing(wish, parent, task.scene, coming, task.rng)
    there = [*task.scene, *coming]
    for wish in task.kind.wishes:
        if wish.category != name:
            continue
        wanted = next((where.parent for where in wish.where if where.parent != ROOM), None)
        having = [item for item in there if item.category == wanted]
        if wanted is None or having:
            chosen = _least_laden(having, there) if having else None
            return thing(wish, chosen, task.scene, coming, task.rng)
    row = category(name)
    if row.mount is Mount.TOP:
        carriers = [item for item in there if is_carrier(item)]
        if carriers:
            return one(name, task, coming, _least_laden(carriers, there))
    walled = row.mount is Mount.FLOOR and row.front and not row.seat
    where = (Where(RelationKind.AGAINST_WALL, ROOM),) if walled else ()
    return thing(Wish(name, where=where), None, task.scene, coming, task.rng)


def missing_roles(kind: RoomType, scene: Iterable[Item]) -> list[str]:
    """A category for every role of the room's type that nothing fills."""
    there = list(scene)
    filled = kind.filled(there)
    found = []
    for role in kind.required:
        if filled[role.name]:
            continue
        first = next(w.category for w in kind.wishes if w.category in role.categories)
        having = sum(item.category in role.categories for item in there)
        found += [first] * (role.least - having)
    return found


def absent(kind: RoomType, scene: Scene, mounts: Collection[Mount]) -> list[str]:
    """Categories that the grammar furnishes such rooms with and this one lacks, in its order."""
    there = {item.category for item in scene}
    names = dict.fromkeys(wish.category for wish in kind.wishes)
    return [n for n in names if n not in there and category(n).mount in mounts]


def small_for(carrier: Item, kind: RoomType, rng: np.random.Generator, count: int) -> list[str]:
    """Categories of small things to put on (or in) a thing: the grammar's first, then plausible."""
    own = [w.category for w in kind.wishes if any(p.parent == carrier.category for p in w.where)]
    own = [name for name in dict.fromkeys(own) if category(name).mount is Mount.TOP]
    others = sorted(
        name
        for name in kind.plausible
        if CATEGORIES[name].mount is Mount.TOP
        and name not in own
        and max(CATEGORIES[name].low) <= _SMALL
        and _fits(name, carrier)
    )
    order = [own[n] for n in rng.permutation(len(own))]
    order += [others[n] for n in rng.permutation(len(others))]
    return order[:count]


def is_carrier(item: Item) -> bool:
    """Whether one would put things on or in it."""
    if category(item.category).seat or item.kinds() & SUPPORTS:
        return False
    return any(area(support.outline) > 0.015 for support in supports(item))


def bare(scene: Scene) -> list[Item]:
    """The things one could put something on, with nothing on them, the largest top first."""
    found = [item for item in scene if is_carrier(item) and not scene.resting.get(item.id)]
    return sorted(found, key=lambda item: (-top_area(item), item.id))


def top_area(item: Item) -> float:
    """Square metres of the largest surface of a thing."""
    return max((area(support.outline) for support in supports(item)), default=0.0)


def room_on(item: Item) -> int:
    """How many small things suit a thing: one, or several on a large top and in shelves."""
    return 1 + (top_area(item) > _LARGE_TOP) + (len(supports(item)) > 1)


def placed(task: Task, scene: Scene, items: list[Item], verb: str = "added") -> Edited:
    """The scene with new things where a place was found, and what became of them in words."""
    found = place(scene, items, task.rng)
    there = [item.id for item in items if item.id in found.scene]
    scene = _slipped(found.scene, there, task) if task.slip else found.scene
    words = f"{verb} {', '.join(there)}" if there else f"{verb} nothing"
    if found.left_out:
        words += f"; no place for {', '.join(found.left_out)}"
    return Edited(scene, words + ".")


def _slipped(scene: Scene, names: list[str], task: Task) -> Scene:
    """The scene with these things, but for those on others, off their places; z stays."""
    for name in names:
        item = scene[name]
        if item.supporter is None:
            dx, dy = (float(way) for way in task.rng.normal(0.0, task.slip, 2))
            x, y, z = item.location
            scene = scene.moved(name, (x + dx, y + dy, z))
    return scene


def _least_laden(items: list[Item], there: list[Item]) -> Item:
    """The one to which the fewest relate."""
    return min(
        items, key=lambda item: sum(r.parent == item.id for one in there for r in one.relations)
    )


def _fits(name: str, carrier: Item) -> bool:
    depth, width, _ = category(name).low
    return any(
        min(depth, width) <= min(s.size)
        and max(depth, width) <= max(s.size)
        and category(name).low[2] <= s.headroom
        for s in supports(carrier)
    )


def _on(parent: Item, rng: np.random.Generator) -> RelationKind:
    """On its top, or on a board inside it if it has any."""
    inner = sum(support.inner for support in supports(parent))
    outer = len(supports(parent)) - inner
    if not inner or (outer and rng.random() < 0.3):
        return RelationKind.ONTOP
    return RelationKind.ON
