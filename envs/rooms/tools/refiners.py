"""Tools that change what is there, and the one that ends the work.

SceneWeaver's add_relation, update_layout, update_rotation, update_size, remove_object and terminate
(arXiv 2509.20414, section 3.2). Each takes the change as an edit, or finds by rule what is wrong:
things that the ideas name first, else those that collide, stand in the way or are turned away.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from gymposium.errors import UsageError

from ..catalogue import category
from ..contacts import collisions, is_outside
from ..execute import Physics
from ..grades import averted, front_blocked
from ..implied import with_implied_relations
from ..placing import place
from ..relations import broken
from ..room_types import RoomType
from ..scene import SUPPORTS, WALL_KINDS, Item, RelationKind, Scene
from ..zones import belongs, door_zones, front_zone, zone_of
from .card import Card, Edited, Family, Task, Tool
from .edits import changed, entries, known_id, one_of, only, poses, record, related, several
from .ideas import named, read

_AT_ONCE = 5
"""Things that one call changes by rule."""
_PLACES = 3
"""Places looked at for a thing that stands wrongly."""


class AddRelation(Tool):
    """Relations that hold already, made explicit."""

    card = Card(
        "add_relation",
        Family.REFINER,
        "Writes down relations that things stand in already, so that they are kept to.",
        ("things that stand loose", "before moving what belongs together"),
        ("use it to move things to a right place",),
        "changes nothing that can be seen.",
        "cannot move anything; only what holds within its margin counts.",
    )
    physics = Physics.ONCE

    def edit_schema(self, kind: RoomType, ids: Sequence[str]) -> Mapping[str, Any]:
        """``relations``: child, parent (an id or ``room``) and relation."""
        kinds = one_of([str(kind) for kind in RelationKind])
        fields = {"id": one_of(ids), "parent": one_of([*ids, "room"]), "relation": kinds}
        return record({"relations": several(record(fields, list(fields)))}, ["relations"])

    def act(self, task: Task) -> Edited:
        """Those of the edit that hold, else all that hold and matter."""
        if task.edit is not None:
            only(task.edit, ("relations",))
            wanted = related(task.scene, entries(task.edit, "relations"))
            scene = task.scene
            for item in wanted:
                unmet = set(broken(wanted, item)) - set(scene[item.id].relations)
                kept = tuple(r for r in item.relations if r not in unmet)
                scene = scene.replaced(replace(item, relations=kept))
        else:
            scene = with_implied_relations(task.scene)
        added = sum(len(item.relations) - len(task.scene[item.id].relations) for item in scene)
        if not added:
            raise UsageError("no further relation holds within its margin")
        return Edited(scene, f"wrote down {added} relations.")


class UpdateLayout(Tool):
    """Things moved to other places."""

    card = Card(
        "update_layout",
        Family.REFINER,
        "Moves things: out of collisions, from before doors and fronts, to better places.",
        ("a blocked door or front", "collisions", "things away from their wall or table"),
        ("add or remove things",),
        "large changes of place, with what stands on the things.",
        "weak at turning things; may find no better place.",
    )

    def edit_schema(self, kind: RoomType, ids: Sequence[str]) -> Mapping[str, Any]:
        """``objects``: id and new location, rotation or size."""
        fields = poses(ids, ("location", "rotation", "size"))
        return record({"objects": fields}, ["objects"])

    def act(self, task: Task) -> Edited:
        """As the edit says; else a new place for each thing that stands wrongly."""
        if task.edit is not None:
            return _changed(task, ("location", "rotation", "size"))
        wrong = faulty(task.scene)
        chosen = named(task.ideas, task.scene.by_id) or wrong
        in_the_way = [n for n in blockers(task.scene) if n not in chosen]
        moved: list[str] = []
        scene = task.scene
        for name in [*chosen[:_AT_ONCE], *in_the_way[:_AT_ONCE]]:
            found = _moved(scene, name, task, better=name in wrong or name in in_the_way)
            if found is not None:
                scene = found
                moved.append(name)
        if not moved:
            raise UsageError("nothing stands wrongly for which a better place is free")
        return Edited(scene, f"moved {', '.join(moved)}.")


class UpdateRotation(Tool):
    """Things turned where they stand."""

    card = Card(
        "update_rotation",
        Family.REFINER,
        "Turns things: seats to their table, fronts to free floor.",
        ("a seat that looks away", "a blocked front", "a screen nobody sees"),
        ("move things",),
        "leaves everything in its place.",
        "of no use for things at a wall: their back stays there.",
    )

    def edit_schema(self, kind: RoomType, ids: Sequence[str]) -> Mapping[str, Any]:
        """``objects``: id and rotation in radians."""
        return record({"objects": poses(ids, ("rotation",))}, ["objects"])

    def act(self, task: Task) -> Edited:
        """As the edit says; else the best of four facings, or towards the nearest table."""
        if task.edit is not None:
            return _changed(task, ("rotation",))
        scene = task.scene
        chosen = named(task.ideas, scene.by_id)
        chosen = chosen or [item.id for item in scene if _turned_wrongly(scene, item)]
        turned = []
        for name in chosen[:_AT_ONCE]:
            best = _best_turn(scene, scene[name])
            if best is not None:
                scene = scene.moved(name, rotation=best)
                turned.append(name)
        if not turned:
            raise UsageError("no thing that is free to turn looks the wrong way")
        return Edited(scene, f"turned {', '.join(turned)}.")


class UpdateSize(Tool):
    """Things brought to usual sizes."""

    card = Card(
        "update_size",
        Family.REFINER,
        "Corrects sizes that are out of the usual, mainly of small things.",
        ("abnormal sizes", "after add_acdc"),
        ("make a room look fuller",),
        "keeps places and relations.",
        "no use where sizes are right.",
    )

    def edit_schema(self, kind: RoomType, ids: Sequence[str]) -> Mapping[str, Any]:
        """``objects``: id and size (depth, width, height) in metres."""
        return record({"objects": poses(ids, ("size",))}, ["objects"])

    def act(self, task: Task) -> Edited:
        """As the edit says; else every size brought into its category's range."""
        if task.edit is not None:
            return _changed(task, ("size",))
        scene, resized = task.scene, []
        for item in task.scene:
            size = _usual_size(item)
            if size != item.size:
                scene = scene.resized(item.id, size)
                resized.append(item.id)
        words = f"brought {', '.join(resized)} to a usual size." if resized else "sizes are right."
        return Edited(scene, words)


class RemoveObject(Tool):
    """Things taken out."""

    card = Card(
        "remove_object",
        Family.REFINER,
        "Takes things out: what does not belong, is too much, or keeps colliding.",
        ("things of another kind of room", "repeated collisions", "blocked ways"),
        ("take out what the room is for",),
        "always helps against collisions.",
        "may take too much; what stood on a thing goes too.",
    )

    def edit_schema(self, kind: RoomType, ids: Sequence[str]) -> Mapping[str, Any]:
        """``ids``: what goes."""
        return record({"ids": several(one_of(ids), 20)}, ["ids"])

    def act(self, task: Task) -> Edited:
        """Those of the edit, else those named, else what is strange here or in the way."""
        scene = task.scene
        if task.edit is not None:
            only(task.edit, ("ids",))
            wanted = task.edit.get("ids")
            if not isinstance(wanted, list) or not 1 <= len(wanted) <= 20:
                raise UsageError("edit.ids must be a list of 1 to 20 ids")
            chosen = [known_id(scene, n, f"edit.ids[{k}]") for k, n in enumerate(wanted)]
        else:
            chosen = named(task.ideas, scene.by_id) or self._by_rule(task)
        if not chosen:
            raise UsageError("nothing in the room is out of place; name what is to go")
        chosen = list(dict.fromkeys(chosen))
        burden = {child for name in chosen for child in scene.burden(name)}
        left = [name for name in chosen if name not in burden]
        gone = f"took out {', '.join(chosen)}"
        carried = sorted(burden - set(chosen))
        return Edited(
            scene.without(*left), gone + (f" with {', '.join(carried)}." if carried else ".")
        )

    def _by_rule(self, task: Task) -> list[str]:
        scene, asked = task.scene, read(task.request).counts
        kept = task.kind.keeps(scene) | {item.id for item in scene if item.category in asked}
        wanted = read(task.ideas)
        names = {*wanted.counts, *wanted.unwanted}
        chosen = [item.id for item in scene if item.category in names and item.id not in kept]
        if chosen:
            return chosen[:_AT_ONCE]
        strange = [item.id for item in scene if item.category not in task.kind.plausible]
        colliding = [_lesser(scene, pair.a, pair.b) for pair in collisions(scene)]
        blocking = [item.id for item in scene if _in_door(scene, item)]
        found = dict.fromkeys([*strange, *colliding, *blocking, *blockers(scene)[:2]])
        return [name for name in found if name not in kept][:_AT_ONCE]


class Terminate(Tool):
    """The end: the room stays as it is."""

    card = Card(
        "terminate",
        Family.CONTROL,
        "Ends the work; the room stays as it is.",
        ("only slight gains are left", "a further change would likely harm"),
        (),
        "costs nothing.",
        "there is no way back.",
        cost=0,
    )
    physics = Physics.OFF

    def act(self, task: Task) -> Edited:
        """Nothing changes."""
        return Edited(task.scene, "the room is finished.")


def faulty(scene: Scene) -> list[str]:
    """The ids of things that stand wrongly: colliding, outside, in a door, loose, front blocked."""
    pairs = collisions(scene)
    found = dict.fromkeys(_lesser(scene, pair.a, pair.b) for pair in pairs)
    tests = (
        is_outside,
        _in_door,
        lambda scene, item: bool(broken(scene, item)),
        front_blocked,
    )
    for test in tests:
        found.update(dict.fromkeys(item.id for item in scene if test(scene, item)))
    return list(found)


def blockers(scene: Scene) -> list[str]:
    """The ids of things that stand in the strip before the front of another, the worst first."""
    shares: dict[str, float] = {}
    for item in scene:
        strip = front_zone(item)
        if strip is None or not front_blocked(scene, item):
            continue
        for other in scene:
            if other.id != item.id and not belongs(scene, item, other):
                share = strip.shares(zone_of(other)) / strip.volume
                if share > 0.05:
                    shares[other.id] = max(share, shares.get(other.id, 0.0))
    return sorted(shares, key=lambda name: (-shares[name], name))


def _in_door(scene: Scene, item: Item) -> bool:
    return any(zone.shares(zone_of(item)) > 0 for zone in door_zones(scene))


def _lesser(scene: Scene, a: str, b: str) -> str:
    """Of two things the child, or the smaller."""
    if any(r.parent == a for r in scene[b].relations):
        return b
    if any(r.parent == b for r in scene[a].relations):
        return a
    return min((a, b), key=lambda name: (math.prod(scene[name].size), name))


def _moved(scene: Scene, name: str, task: Task, *, better: bool) -> Scene | None:
    """The scene with a thing and what it carries at a new place; None if there is none.

    ``better``: only one at which fewer things stand wrongly will do.
    """
    burden = scene.burden(name)
    rest = replace(scene, items=tuple(i for i in scene if i.id not in (name, *burden)))
    before = len(faulty(scene))
    for _ in range(_PLACES):
        found = place(rest, [scene[name]], task.rng)
        if found.left_out:
            return None
        new = found.scene[name]
        trial = scene.moved(name, new.location, new.rotation)
        if not better or len(faulty(trial)) < before:
            return trial
    return None


def _turned_wrongly(scene: Scene, item: Item) -> bool:
    return not item.kinds() & WALL_KINDS and (averted(scene, item) or front_blocked(scene, item))


def _best_turn(scene: Scene, item: Item) -> float | None:
    """The facing with the fewest faults, if it has fewer than the present one."""
    facings = [item.rotation + quarter * math.pi / 2 for quarter in range(4)]
    tables = [other for other in scene if other.id != item.id and not other.kinds() & SUPPORTS]
    related_to = [other for other in tables if any(r.parent == other.id for r in item.relations)]
    if related_to:
        x, y = (related_to[0].location[k] - item.location[k] for k in range(2))
        facings.append(math.atan2(y, x))

    def faults(yaw: float) -> int:
        trial = scene.moved(item.id, rotation=math.remainder(yaw, 2 * math.pi))
        new = trial[item.id]
        wrong = averted(trial, new) + front_blocked(trial, new) + is_outside(trial, new)
        return wrong + len(broken(trial, new))

    best = min(facings, key=faults)
    return math.remainder(best, 2 * math.pi) if faults(best) < faults(item.rotation) else None


def _usual_size(item: Item) -> tuple[float, float, float]:
    row = category(item.category)
    depth, width, height = (
        min(max(side, low), high)
        for side, low, high in zip(item.size, row.low, row.high, strict=True)
    )
    return depth, width, height


def _changed(task: Task, fields: Sequence[str]) -> Edited:
    assert task.edit is not None
    only(task.edit, ("objects",))
    wanted = entries(task.edit, "objects")
    for place_, entry in enumerate(wanted):
        only(entry, ("id", *fields), f"edit.objects[{place_}]")
    scene = changed(task.scene, wanted)
    names = list(dict.fromkeys(entry["id"] for entry in wanted))
    return Edited(scene, f"changed {', '.join(names)} as the edit says.")
