"""The physics-aware executor: what an edit becomes before anybody sees it.

After a tool has edited a scene the optimiser runs; what still collides is deleted, component by
component, and so is what does not stand as its relations say (SceneWeaver, arXiv 2509.20414, from
its code). That no contact is left is therefore true *by construction*: the report says how many
there were before, how many the optimiser left, and what was deleted for it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from .bodies import footprint, volume
from .catalogue import Mount, category
from .contacts import Contact, collisions, outside
from .optimise import PASSES, optimise, parents_first
from .prisms import hull, overlap_volume, prism
from .relations import broken
from .scene import ROOM, SUPPORTS, WALL_KINDS, Item, Relation, RelationKind, Scene

RESTING_SHARE = 0.6
"""Share of a thing's outline that must lie over its supporter where only that relation holds it."""


class Physics(StrEnum):
    """How far an edit is corrected: in full, by the optimiser once without deletion, or not."""

    FULL = "full"
    ONCE = "once"
    OFF = "off"


class Counts(NamedTuple):
    """Faults of a scene: pairs in contact (#CN) and things out of the room (#OB)."""

    collisions: int
    outside: int


class Cause(StrEnum):
    """Why things go: contact or lack of room, a relation that fails, or a carrier that went."""

    COMPONENTS = "components"
    RELATIONS = "relations"
    CARRIED = "carried"


class Deletion(NamedTuple):
    """What went and why, and why in words."""

    id: str
    category: str
    cause: Cause
    reason: str


@dataclass(frozen=True)
class Execution:
    """The scene an edit became, and the account of it."""

    scene: Scene
    before: Counts
    """Of the edit as the tool made it."""
    optimised: Counts
    """After the optimiser's first run, before any deletion."""
    after: Counts
    deleted: tuple[Deletion, ...] = ()
    passes: int = 0
    proposed: int = 0
    accepted: int = 0


def counts(scene: Scene) -> Counts:
    """The faults of a scene."""
    return Counts(len(collisions(scene)), len(outside(scene)))


def execute(
    scene: Scene,
    rng: np.random.Generator,
    *,
    physics: Physics = Physics.FULL,
    keep: Collection[str] = (),
    passes: int = PASSES,
) -> Execution:
    """Make an edited scene physically valid.

    ``keep`` names things that go last among those that collide, and that stay, without the
    relation, where one of theirs does not hold: what the room is for
    (:meth:`~.room_types.RoomType.keeps`).
    """
    scene = replace(scene, items=tuple(grounded(item) for item in scene))
    before = counts(scene)
    if physics is Physics.OFF:
        return Execution(scene, before, before, before)
    work = _Work(scene, frozenset(keep), rng, passes)
    work.optimise()
    middle = counts(work.scene)
    if physics is Physics.FULL:
        work.free_of_collisions()
        work.drop_what_does_not_hold()
        work.drop_unrelated()
    return Execution(
        work.scene,
        before,
        middle,
        counts(work.scene),
        tuple(work.deleted),
        work.spent[0],
        work.spent[1],
        work.spent[2],
    )


def grounded(item: Item) -> Item:
    """The thing with the relation that holds it up, where it has others but none that does."""
    kinds = item.kinds()
    mount = category(item.category).mount
    held = SUPPORTS | {RelationKind.ON_FLOOR, RelationKind.HANGING}
    if not kinds or kinds & held or (mount is Mount.WALL and kinds & WALL_KINDS):
        return item
    own = {Mount.WALL: RelationKind.FLUSH_WALL, Mount.CEILING: RelationKind.HANGING}
    kind = own.get(mount, RelationKind.ON_FLOOR)
    return replace(item, relations=(Relation(ROOM, kind), *item.relations))


class _Work:
    """A scene being corrected, with the account of what was done."""

    def __init__(
        self, scene: Scene, keep: frozenset[str], rng: np.random.Generator, passes: int
    ) -> None:
        self.scene = scene
        self.deleted: list[Deletion] = []
        self.spent = (0, 0, 0)
        self._keep, self._rng, self._passes = keep, rng, passes

    def optimise(self) -> None:
        done = optimise(self.scene, self._rng, passes=self._passes)
        self.scene = done.scene
        passes, proposed, accepted = self.spent
        self.spent = (passes + done.passes, proposed + done.proposed, accepted + done.accepted)

    def free_of_collisions(self) -> None:
        """Delete and optimise by turns until nothing collides or is outside."""
        while True:
            self.drop_unrelated()
            for name in outside(self.scene):
                self._delete(name, Cause.COMPONENTS, "it does not fit into the room")
            found = collisions(self.scene)
            if not found:
                return
            for name in worst_of_components(self.scene, found, self._keep):
                self._delete(name, Cause.COMPONENTS, "it collides")
            self.optimise()

    def drop_what_does_not_hold(self) -> None:
        for name in reversed(parents_first(self.scene.items)):
            if name not in self.scene:
                continue
            item = self.scene[name]
            unmet = broken(self.scene, item)
            if not unmet or _rests_enough(self.scene, item):
                continue
            left = tuple(relation for relation in item.relations if relation not in unmet)
            if name in self._keep and RelationKind.ON_FLOOR in {r.kind for r in left}:
                self.scene = self.scene.replaced(replace(item, relations=left))
            else:
                why = f"it is not {unmet[0].kind} {unmet[0].parent}"
                self._delete(name, Cause.RELATIONS, why)

    def drop_unrelated(self) -> None:
        for item in self.scene.items:
            if not item.relations and item.id in self.scene:
                self._delete(item.id, Cause.RELATIONS, "it has no relation to anything")

    def _delete(self, name: str, cause: Cause, reason: str) -> None:
        if name not in self.scene:
            return
        item = self.scene[name]
        self.deleted.append(Deletion(name, item.category, cause, reason))
        for child in self.scene.burden(name):
            went = f"it stood on {name}"
            kind = self.scene[child].category
            self.deleted.append(Deletion(child, kind, Cause.CARRIED, went))
        self.scene = self.scene.without(name)


def worst_of_components(
    scene: Scene, found: Collection[Contact], keep: Collection[str] = ()
) -> list[str]:
    """In each connected component of contacts the thing that should go.

    That is the one with the largest summed overlap, of equals the smaller; between parent and
    child only the child's counts; those to ``keep`` only where nothing else is in the way.
    """
    shared = dict.fromkeys((name for c in found for name in (c.a, c.b)), 0.0)
    group = {name: name for name in shared}

    def root(name: str) -> str:
        while group[name] != name:
            name = group[name]
        return name

    for contact in found:
        a, b = contact.a, contact.b
        group[root(a)] = root(b)
        if not any(r.parent == a for r in scene[b].relations):
            shared[a] += contact.volume
        if not any(r.parent == b for r in scene[a].relations):
            shared[b] += contact.volume
    components: dict[str, list[str]] = {}
    for name in shared:
        components.setdefault(root(name), []).append(name)
    return [
        max(
            names,
            key=lambda name: (
                name not in keep,
                round(shared[name], 9),
                -round(volume(scene[name]), 9),
            ),
        )
        for names in components.values()
    ]


def resting_share(child: Item, parent: Item) -> float:
    """The share of a thing's outline from above that lies within its supporter's."""
    own = prism(hull(footprint(child)), 0.0, 1.0)
    return overlap_volume(own, prism(hull(footprint(parent)), 0.0, 1.0)) / own.volume


def _rests_enough(scene: Scene, item: Item) -> bool:
    (relation, *others) = item.relations
    if others or relation.kind not in SUPPORTS or relation.parent not in scene:
        return False
    return resting_share(item, scene[relation.parent]) >= RESTING_SHARE
