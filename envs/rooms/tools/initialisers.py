"""Tools that begin a room: from its grammar or an edit, from a library, from a trained model.

SceneWeaver's init_gpt, init_metascene and init_physcene (arXiv 2509.20414, section 3.2).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from gymposium.errors import UsageError

from ..catalogue import CATEGORIES
from ..execute import Physics
from ..fields import numbers
from ..grammar import shell, things
from ..room_types import RoomType
from ..scene import Item, Scene
from .card import Card, Edited, Family, Task, Tool
from .edits import entries, new_things, one_of, only, record, with_new
from .generators import generator, generators
from .ideas import forbidden, read
from .library import ROOM_TYPES, closest, finished
from .supplies import one, placed

_SIDES = (1.5, 15.0)
_MOST_AT_ONCE = 60
"""Things that the grammar begins a room with."""


class InitGpt(Tool):
    """A first version of any room: its size, what stands in it, how related, and where."""

    card = Card(
        "init_gpt",
        Family.INITIALISER,
        "Writes a room from scratch: size, large things, what stands on them, relations, places.",
        ("the first step", "any room, also unusual ones", "requests with details"),
        ("use it when the room holds something already",),
        "knows every type of room and takes wishes in words.",
        "less natural than recorded rooms; few small things.",
        cost=6,
    )

    def edit_schema(self, kind: RoomType, ids: Sequence[str]) -> Mapping[str, Any]:
        """``roomsize`` [x, y] in metres if it is to differ, and the things."""
        side = {"type": "number", "minimum": _SIDES[0], "maximum": _SIDES[1]}
        size = {"type": "array", "items": side, "minItems": 2, "maxItems": 2}
        return record({"roomsize": size, "objects": new_things(list(CATEGORIES))}, ["objects"])

    def act(self, task: Task) -> Edited:
        """From the edit, or from the grammar and the wishes in words."""
        if task.edit is not None:
            only(task.edit, ("roomsize", "objects"))
            scene = _resized(task, task.edit)
            scene, loose = with_new(scene, entries(task.edit, "objects"))
            return placed(task, scene, loose, "began with what the edit says; placed")
        wanted = read(f"{task.request}. {task.ideas}")
        unwanted = wanted.unwanted | forbidden(task.request)
        scene = replace(task.scene, items=())
        coming = [
            item for item in things(task.kind, scene, task.rng) if item.category not in unwanted
        ]
        coming = _with_parents(coming)
        having = Counter(item.category for item in coming)
        begun = replace(task, scene=scene)
        for name, count in wanted.counts.items():
            for _ in range(count - having[name]):
                coming.append(one(name, begun, coming))
        return placed(begun, scene, coming[:_MOST_AT_ONCE], "began with")


class InitMetascene(Tool):
    """The room of a small library that is closest to what is asked for."""

    card = Card(
        "init_metascene",
        Family.INITIALISER,
        "Takes the closest finished room of a library, with its own size, door and windows.",
        ("the first step in a common room", "a natural whole at once"),
        ("use it for rooms with special wishes",),
        "complete and consistent.",
        "common rooms only; its layout is fixed and wishes are not met.",
        cost=1,
        supported_room_types=ROOM_TYPES,
    )
    physics = Physics.OFF

    def act(self, task: Task) -> Edited:
        """The closest one."""
        wanted = read(f"{task.request}. {task.ideas}").counts
        number = closest(task.kind, task.scene, wanted)
        scene = finished(task.kind.name, number)
        x, y = scene.room.size
        return Edited(
            scene, f"took room {number} of the library: {len(scene)} things, {x} x {y} m."
        )


class InitPhyscene(Tool):
    """A sample of a trained generator of rooms."""

    card = Card(
        "init_physcene",
        Family.INITIALISER,
        "Samples the room from a trained generator (atiss, diffuscene, physcene).",
        ("the first step in a living room or bedroom",),
        ("use it for rooms that the generators never saw",),
        "arrangements as in the rooms it was trained on.",
        "two types of room; few things, no small ones; may collide.",
        cost=1,
    )
    physics = Physics.OFF

    def knows(self, kind: RoomType) -> bool:
        """Whether a generator is there for the type."""
        return bool(generators(kind.name))

    def edit_schema(self, kind: RoomType, ids: Sequence[str]) -> Mapping[str, Any]:
        """``model``: which generator."""
        return record({"model": one_of(generators(kind.name))}, ["model"])

    def act(self, task: Task) -> Edited:
        """A sample; of the last generator registered, unless one is named."""
        offered = generators(task.kind.name)
        name = next((n for n in offered if n in task.ideas.lower()), offered[-1])
        if task.edit is not None:
            only(task.edit, ("model",))
            name = str(task.edit.get("model"))
        if name not in offered:
            raise UsageError(f"edit.model must be one of {', '.join(offered)}")
        empty = replace(task.scene, items=())
        scene = generator(name).load()(empty, task.rng)
        return Edited(scene, f"sampled {len(scene)} things from {name}.")


def _resized(task: Task, edit: Mapping[str, Any]) -> Scene:
    """The empty room, of another size if the edit has one."""
    if edit.get("roomsize") is None:
        return replace(task.scene, items=())
    x, y = numbers(edit, "roomsize", "edit", 2, _SIDES)
    return shell(replace(task.kind, low=(x, y), high=(x, y)), task.rng)


def _with_parents(items: list[Item]) -> list[Item]:
    """Only things whose parents come too."""
    while True:
        there = {item.id for item in items} | {"room"}
        kept = [item for item in items if all(r.parent in there for r in item.relations)]
        if len(kept) == len(items):
            return kept
        items = kept
