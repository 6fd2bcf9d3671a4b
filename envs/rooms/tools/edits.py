"""Edits as JSON: their schemas, and how one becomes a scene after every field was checked.

An edit comes from a model or a stranger. Its objects are put into the layout document of the room
and checked by :mod:`~gymposium.envs.rooms.layout`, so that one set of rules holds for all; a
refusal names the field.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from gymposium.errors import UsageError

from ..catalogue import category, find
from ..grammar import STANDS
from ..layout import check_ids, layout, scene_of
from ..scene import ROOM, ROOM_KINDS, Item, RelationKind, Scene
from .card import EXACT

MOST_ENTRIES = 40
"""Entries of one edit."""
MOST_WRITTEN = 12
"""Entries that a schema lets a model write at once, so that its answer has an end."""

_NUMBER = {"type": "number", "minimum": -100, "maximum": 100}
_SIZE = {"type": "number", "minimum": 0.01, "maximum": 20}


def triple(of: Mapping[str, Any] = _NUMBER) -> dict[str, Any]:
    """The schema of three numbers."""
    return {"type": "array", "items": dict(of), "minItems": 3, "maxItems": 3}


def one_of(names: Sequence[str]) -> dict[str, Any]:
    """The schema of a word out of some; of any short one where there are none."""
    return {"enum": list(names)} if names else {"type": "string", "maxLength": 64}


def record(properties: Mapping[str, Any], required: Sequence[str]) -> dict[str, Any]:
    """The schema of an object with these fields and no others."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def several(entry: Mapping[str, Any], most: int = MOST_WRITTEN) -> dict[str, Any]:
    """The schema of a list of one to ``most`` entries."""
    return {"type": "array", "items": dict(entry), "minItems": 1, "maxItems": most}


def new_things(categories: Sequence[str]) -> dict[str, Any]:
    """The schema of things to add: without a location, a place is searched for each."""
    pair = {
        "type": "array",
        "prefixItems": [
            {"type": "string", "maxLength": 64},
            {"enum": [str(kind) for kind in RelationKind]},
        ],
        "minItems": 2,
        "maxItems": 2,
    }
    fields = {
        "id": {"type": "string", "maxLength": 40},
        "category": one_of(categories),
        "parent": {"type": "array", "items": pair, "maxItems": 3},
        "location": triple(),
        "rotation": _NUMBER,
        "size": triple(_SIZE),
    }
    return several(record(fields, ["category"]))


def poses(ids: Sequence[str], fields: Sequence[str]) -> dict[str, Any]:
    """The schema of changes to things of the room: an id and some of location, rotation, size."""
    known = {"location": triple(), "rotation": _NUMBER, "size": triple(_SIZE)}
    chosen = {"id": one_of(ids), **{name: known[name] for name in fields}}
    return several(record(chosen, ["id", *(fields if len(fields) == 1 else ())]))


def entries(edit: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """The list of objects under ``name``.

    Raises:
        UsageError: there is none, or it is too long.
    """
    found = edit.get(name)
    if not isinstance(found, list) or not 1 <= len(found) <= MOST_ENTRIES:
        raise UsageError(f"edit.{name} must be a list of 1 to {MOST_ENTRIES} entries")
    for place, entry in enumerate(found):
        if not isinstance(entry, Mapping):
            raise UsageError(f"edit.{name}[{place}] must be an object")
    return found


def only(edit: Mapping[str, Any], known: Sequence[str], where: str = "edit") -> None:
    """Refuse fields that are not ``known``.

    Raises:
        UsageError: the sentence names the field.
    """
    for name in edit:
        if name not in known:
            raise UsageError(f"{where} has no field {str(name)[:40]!r}; it has {', '.join(known)}")


def with_new(scene: Scene, wanted: Sequence[Mapping[str, Any]]) -> tuple[Scene, list[Item]]:
    """The scene with the things that have a location, and those that a place must be found for.

    Raises:
        UsageError: an entry is none, or its id is taken.
    """
    document = layout(scene, digits=EXACT)
    added: dict[str, Mapping[str, Any]] = {}
    said: dict[str, str] = {}
    for place, entry in enumerate(wanted):
        where = f"edit.objects[{place}]"
        only(entry, ("id", "category", "parent", "location", "rotation", "size"), where)
        name = entry.get("id") or _fresh(scene, entry.get("category"), added)
        if not isinstance(name, str):
            raise UsageError(f"{where}.id must be text")
        if name in added or name in document["objects"] or name in document["structure"]:
            raise UsageError(f"{where}.id {str(name)[:40]!r} is taken; ids must differ")
        check_ids({name: entry}, f"{where}.id")
        added[name], said[name] = entry, where
        document["objects"][name] = _completed(entry)
    checked = _checked(document, said)
    items = {name: checked[name] for name in added}
    fixed = [item for name, item in items.items() if "location" in added[name]]
    loose = {name for name in items if "location" not in added[name]}
    for item in fixed:
        missing = [r.parent for r in item.relations if r.parent in loose]
        if missing:
            raise UsageError(
                f"edit.objects: {item.id} has a location but its parent {missing[0]} has none"
            )
    return scene.with_items(*fixed), [items[name] for name in added if name in loose]


def changed(scene: Scene, wanted: Sequence[Mapping[str, Any]]) -> Scene:
    """The scene with things at other poses or of other sizes; what they carry goes along.

    Raises:
        UsageError: an entry names no thing of the room, or a value is out of range.
    """
    document = layout(scene, digits=EXACT)
    said: dict[str, str] = {}
    for place, entry in enumerate(wanted):
        where = f"edit.objects[{place}]"
        only(entry, ("id", "location", "rotation", "size"), where)
        name = known_id(scene, entry.get("id"), f"{where}.id")
        said[name] = where
        document["objects"][name].update({k: v for k, v in entry.items() if k != "id"})
    checked = _checked(document, said)
    for entry in wanted:
        name, new = entry["id"], checked[entry["id"]]
        if "size" in entry:
            scene = scene.resized(name, new.size)
        if "location" in entry or "rotation" in entry:
            location = new.location if "location" in entry else None
            scene = scene.moved(name, location, new.rotation if "rotation" in entry else None)
    return scene


def related(scene: Scene, wanted: Sequence[Mapping[str, Any]]) -> Scene:
    """The scene with more relations, given as {id, parent, relation}.

    Raises:
        UsageError: one is none, or leads back to where it starts.
    """
    document = layout(scene, digits=EXACT)
    names = []
    for place, entry in enumerate(wanted):
        where = f"edit.relations[{place}]"
        only(entry, ("id", "parent", "relation"), where)
        name = known_id(scene, entry.get("id"), f"{where}.id")
        document["objects"][name]["parent"].append([entry.get("parent"), entry.get("relation")])
        names.append(name)
    checked = scene_of(document)
    return scene.replaced(
        *(replace(scene[name], relations=checked[name].relations) for name in dict.fromkeys(names))
    )


def known_id(scene: Scene, name: Any, where: str) -> str:
    """``name`` if a thing of the room is called so.

    Raises:
        UsageError: none is.
    """
    if not isinstance(name, str) or name not in scene:
        raise UsageError(f"{where}: nothing in the room is called {str(name)[:40]!r}")
    return name


def _checked(document: Mapping[str, Any], said: Mapping[str, str]) -> Scene:
    """The scene of a room's document; a fault in what an edit brought is named where it stands.

    ``said`` has the place in the edit of each id: an entry without one was given one here, which
    whoever wrote the edit has never seen.
    """
    try:
        return scene_of(document)
    except UsageError as error:
        label, dot, rest = str(error).removeprefix("objects.").partition(".")
        if dot and label in said and str(error).startswith("objects."):
            raise UsageError(f"{said[label]}.{rest}") from None
        raise


def _fresh(scene: Scene, said: Any, taken: Mapping[str, Any]) -> str:
    known = find(said) if isinstance(said, str) and len(said) <= 64 else None
    return scene.fresh_id(known or "thing", taken)


def _completed(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The layout's object of an entry, with the usual size and stand where it says none."""
    said = entry.get("category", entry.get("id", ""))
    known = find(said) if isinstance(said, str) and len(said) <= 64 else None
    made = {"location": [0.0, 0.0, 0.0], "rotation": 0.0, "size": [1.0, 1.0, 1.0], "parent": []}
    made |= {key: value for key, value in entry.items() if key != "id"}
    if known is not None:
        row = category(known)
        if "size" not in entry:
            made["size"] = list(row.middle)
        if not entry.get("parent"):
            made["parent"] = [[ROOM, str(STANDS[row.mount])]]
        elif isinstance(entry["parent"], list) and not _upheld(entry["parent"]):
            made["parent"] = [[ROOM, str(STANDS[row.mount])], *entry["parent"]]
    return made


def _upheld(parent: list[Any]) -> bool:
    """Whether relations say what a thing stands on or hangs from."""
    holding = {*map(str, ROOM_KINDS), str(RelationKind.ON), str(RelationKind.ONTOP)}
    holding -= {str(RelationKind.AGAINST_WALL), str(RelationKind.SIDE_AGAINST_WALL)}
    holding -= {str(RelationKind.SPACED_WALL)}
    words = [pair[1] for pair in parent if isinstance(pair, list | tuple) and len(pair) == 2]
    return any(isinstance(word, str) and word in holding for word in words)
