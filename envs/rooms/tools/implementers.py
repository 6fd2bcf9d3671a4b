"""Tools that add to a room: what is missing, a crowd of small things, a laid-out top, by grammar.

SceneWeaver's add_gpt, add_crowd, add_acdc and add_rule (arXiv 2509.20414, section 3.2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gymposium.errors import UsageError

from ..catalogue import CATEGORIES, Mount, category, find
from ..execute import Physics
from ..grades import COVERED_GOAL
from ..grammar import things
from ..metrics import covered
from ..room_types import RoomType
from ..scene import Item
from .card import Card, Edited, Family, Task, Tool
from .edits import entries, known_id, new_things, one_of, only, record, several, with_new
from .ideas import forbidden, named, read
from .motifs import laid_out, motifs, top
from .supplies import (
    absent,
    bare,
    is_carrier,
    missing_roles,
    one,
    placed,
    room_on,
    small_for,
    top_area,
)

_AT_ONCE = 10
"""Things that one call adds by rule."""
_CROWD = (4, 8)
_MANY = frozenset({
    "book", "books", "book_stack", "papers", "cup", "plate", "bowl", "bottle", "wine_glass", "pot",
    "candle", "small_plant", "cactus", "picture_frame", "towels", "toy_blocks", "toy_car",
    "teddy_bear",
})  # fmt: skip
"""Small things of which one has several."""


class AddGpt(Tool):
    """Large things, small ones on supporters, things in shelves and on walls."""

    card = Card(
        "add_gpt",
        Family.IMPLEMENTER,
        "Adds furniture, a few small things on tops and in shelves, things on walls.",
        ("a missing key thing", "an empty floor", "bare tops", "bare walls"),
        ("hang things from the ceiling", "put things on tall furniture"),
        "knows the whole catalogue; goes by what the room lacks.",
        "weak at turning things; large things may find no place.",
    )

    def edit_schema(self, kind: RoomType, ids: Sequence[str]) -> Mapping[str, Any]:
        """``objects``: the things."""
        return record({"objects": new_things(list(CATEGORIES))}, ["objects"])

    def act(self, task: Task) -> Edited:
        """What the edit says, else what the ideas name, else what the room lacks."""
        if task.edit is not None:
            only(task.edit, ("objects",))
            scene, loose = with_new(task.scene, entries(task.edit, "objects"))
            fixed = [item.id for item in scene.items[len(task.scene) :]]
            return placed(task, scene, loose, f"added {', '.join(fixed)} as said; placed")
        coming: list[Item] = []
        for name in list(read(task.ideas).counts.elements())[: 2 * _AT_ONCE]:
            coming.append(one(name, task, coming))
        if not coming:
            coming = self._needed(task)
        if not coming:
            raise UsageError("the room lacks nothing that it knows of; name what to add")
        return placed(task, task.scene, coming)

    def _needed(self, task: Task) -> list[Item]:
        """What fills roles, then (as the ideas stress floor or tops) the floor, tops and walls."""
        coming: list[Item] = []
        unwanted = forbidden(task.request)

        def come(names: list[str], parent: Item | None = None) -> None:
            for name in names:
                if name not in unwanted:
                    coming.append(one(name, task, coming, parent))

        come(missing_roles(task.kind, task.scene))
        carriers = [task.scene[n] for n in named(task.ideas, task.scene.by_id)]
        carriers = [item for item in carriers if is_carrier(item)]
        floor = "floor" in task.ideas and not carriers
        if floor or (not carriers and covered(task.scene) < COVERED_GOAL):
            come(self._floor(task)[: 4 if floor else 2])
        for carrier in carriers or ([] if floor else bare(task.scene)):
            come(small_for(carrier, task.kind, task.rng, room_on(carrier)), carrier)
        come(absent(task.kind, task.scene, (Mount.WALL, Mount.CEILING))[:2])
        return coming[:_AT_ONCE]

    def _floor(self, task: Task) -> list[str]:
        """Categories for an empty floor: those the grammar has first, then plausible ones."""
        first = absent(task.kind, task.scene, (Mount.FLOOR,))
        there = {item.category for item in task.scene}
        others = sorted(
            name
            for name in task.kind.plausible
            if name not in there and name not in first and category(name).mount is Mount.FLOOR
        )
        return first + [others[n] for n in task.rng.permutation(len(others))]


class AddCrowd(Tool):
    """Many small things on or in one."""

    card = Card(
        "add_crowd",
        Family.IMPLEMENTER,
        "Puts many small things on or in one: books into a shelf, toys onto a table.",
        ("an empty shelf", "a bare large top"),
        ("use it for floors or walls", "use it for an orderly arrangement"),
        "fills a shelf at one stroke.",
        "disorderly; can overfill.",
    )

    def edit_schema(self, kind: RoomType, ids: Sequence[str]) -> Mapping[str, Any]:
        """``parent``: the supporter; ``objects``: category and count."""
        tops = [name for name, row in CATEGORIES.items() if row.mount is Mount.TOP]
        count = {"type": "integer", "minimum": 1, "maximum": 12}
        entry = record({"category": one_of(tops), "count": count}, ["category", "count"])
        return record({"parent": one_of(ids), "objects": several(entry, 6)}, ["parent", "objects"])

    def act(self, task: Task) -> Edited:
        """On the parent of the edit, else one that the ideas name, else the largest bare one."""
        if task.edit is not None:
            only(task.edit, ("parent", "objects"))
            parent = task.scene[known_id(task.scene, task.edit.get("parent"), "edit.parent")]
            names = _counted(task.edit)
        else:
            parent = self._parent(task)
            names = list(read(task.ideas).counts.elements())
            names = [name for name in names if category(name).mount is Mount.TOP]
        if not is_carrier(parent):
            raise UsageError(f"nothing can be put on {parent.id}")
        if not names:
            count = int(task.rng.integers(_CROWD[0], _CROWD[1] + 1))
            kinds = small_for(parent, task.kind, task.rng, 4)
            repeated = [name for name in kinds if name in _MANY]
            names = kinds + [repeated[n % len(repeated)] for n in range(count) if repeated]
            names = names[:count]
        if not names:
            raise UsageError(f"it knows nothing small to put on {parent.id}; name something")
        coming: list[Item] = []
        for name in names:
            coming.append(one(name, task, coming, parent))
        return placed(task, task.scene, coming)

    def _parent(self, task: Task) -> Item:
        mentioned = [task.scene[n] for n in named(task.ideas, task.scene.by_id)]
        carriers = [item for item in mentioned if is_carrier(item)] or bare(task.scene)
        if not carriers:
            raise UsageError("nothing in the room has a free top or board")
        return max(carriers, key=lambda item: (room_on(item), top_area(item)))


class AddAcdc(Tool):
    """A group of small things, laid out on a top as people do."""

    card = Card(
        "add_acdc",
        Family.IMPLEMENTER,
        "Lays out a group on an empty large top: a work set, a dining set, a tea set, toiletries.",
        ("an empty desk or table that should look used",),
        ("use it on small or occupied tops", "call anything but update_size after it"),
        "things lie as people lay them.",
        "slow; empty large tops only; sizes may need a check afterwards.",
        cost=3,
    )
    physics = Physics.OFF

    def edit_schema(self, kind: RoomType, ids: Sequence[str]) -> Mapping[str, Any]:
        """``parent``: the top's owner; ``motif``: which group."""
        fields = {"parent": one_of(ids), "motif": one_of(list(motifs()))}
        return record(fields, ["parent", "motif"])

    def act(self, task: Task) -> Edited:
        """The motif of the edit or the ideas, else one made for such a top."""
        if task.edit is not None:
            only(task.edit, ("parent", "motif"))
            parent = task.scene[known_id(task.scene, task.edit.get("parent"), "edit.parent")]
            motif = motifs().get(str(task.edit.get("motif")))
            if motif is None:
                raise UsageError(f"edit.motif must be one of {', '.join(motifs())}")
        else:
            parent, motif = self._chosen(task)
        if task.scene.resting.get(parent.id):
            raise UsageError(f"{parent.id} is not empty")
        coming = laid_out(task.scene, parent, motif, task.rng)
        if not coming:
            raise UsageError(f"{parent.id} has no top that takes the {motif.name}")
        listed = ", ".join(item.id for item in coming)
        return Edited(
            task.scene.with_items(*coming), f"laid a {motif.name} on {parent.id}: {listed}."
        )

    def _chosen(self, task: Task) -> tuple[Item, Any]:
        said = [m for m in motifs().values() if m.name in task.ideas.lower()]
        mentioned = [task.scene[n] for n in named(task.ideas, task.scene.by_id)]
        empty = [item for item in bare(task.scene) if top(item) is not None]
        for item in [m for m in mentioned if m in empty] + empty:
            for motif in said or motifs().values():
                if item.category in motif.upon and _usual(motif, task.kind):
                    return item, motif
        raise UsageError("there is no empty top that a group is known for")


class AddRule(Tool):
    """Common furniture, by the grammar of the room's type."""

    card = Card(
        "add_rule",
        Family.IMPLEMENTER,
        "Adds common things that the room still lacks, placed by rules.",
        ("a plain room that lacks usual things",),
        ("use it for unusual wishes",),
        "always at hand; things stand as they usually do.",
        "common categories only; the same few in every room.",
    )

    def edit_schema(self, kind: RoomType, ids: Sequence[str]) -> Mapping[str, Any]:
        """``categories``: which of the grammar's."""
        names = list(dict.fromkeys(wish.category for wish in kind.wishes))
        return record({"categories": several(one_of(names), 8)}, ["categories"])

    def act(self, task: Task) -> Edited:
        """The grammar's wishes for the categories given, else for those that are absent."""
        usual = list(dict.fromkeys(wish.category for wish in task.kind.wishes))
        if task.edit is not None:
            only(task.edit, ("categories",))
            wanted = task.edit.get("categories")
            if not isinstance(wanted, list) or not all(name in usual for name in wanted):
                raise UsageError(f"edit.categories must be a list of {', '.join(usual)}")
        else:
            wanted = [name for name in usual if name in read(task.ideas).counts]
            there = {item.category for item in task.scene}
            absent_ones = [name for name in usual if name not in there]
            wanted = wanted or [n for n in absent_ones if n not in forbidden(task.request)]
        coming = things(task.kind, task.scene, task.rng, only=wanted)[:_AT_ONCE]
        if not coming:
            raise UsageError("the rules have nothing to add here")
        return placed(task, task.scene, coming)


def _counted(edit: Mapping[str, Any]) -> list[str]:
    names: list[str] = []
    for place, entry in enumerate(entries(edit, "objects")):
        where = f"edit.objects[{place}]"
        only(entry, ("category", "count"), where)
        said, count = entry.get("category"), entry.get("count", 1)
        name = find(said) if isinstance(said, str) and len(said) <= 64 else None
        if name is None or category(name).mount is not Mount.TOP:
            raise UsageError(
                f"{where}.category {str(said)[:40]!r} is no small thing of the catalogue"
            )
        if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= 12:
            raise UsageError(f"{where}.count must be a whole number from 1 to 12")
        names += [name] * count
    return names[:24]


def _usual(motif: Any, kind: RoomType) -> bool:
    return all(spot.category in kind.plausible for spot in motif.things)
