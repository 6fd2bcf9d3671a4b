"""Layouts of other programs in SceneWeaver's form, brought to what :func:`..layout.scene_of` takes.

Ids end in classes of Infinigen or names of anybody's ("8123_SidetableDeskFactory"), and relations
may be ones that we do not know. Categories are looked up; what has none is left out, with what
referred to it, and said. Everything else is checked as in any layout, and refused by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..catalogue import find
from ..fields import field, mapping, shown
from ..layout import MOST_OBJECTS, check_ids, opening_of, scene_of
from ..openings import misfit
from ..scene import ROOM, RelationKind
from .foreign import named
from .imported import Imported

_Fields = Mapping[str, Any]


def is_layout(document: object) -> bool:
    """Whether a document looks like a layout."""
    return isinstance(document, Mapping) and "roomsize" in document


def layout_room(document: _Fields) -> Imported:
    """The room of a layout, ours or another program's.

    Raises:
        UsageError: a field is wrong.
    """
    objects = mapping(field(document, "objects", "the layout"), "objects")
    if len(objects) > MOST_OBJECTS:
        scene_of(document)  # refuses it by name
    check_ids(objects, "objects")  # also of what is left out: the list of that names it
    left_out: list[str] = []
    notes: list[str] = []
    kept: dict[str, Any] = {}
    for name, entry in objects.items():
        fields = mapping(entry, f"objects.{name}")
        said = fields.get("category", name)
        match = named(said) if isinstance(said, str) else None
        if match is None and isinstance(said, str):
            left_out.append(f"objects.{name}: nothing in the catalogue is like {shown(said)}")
            continue
        if match is not None and (find(said) is None or find(said) != match.category):
            how = "was taken for" if match.guessed else "is called"
            notes.append(f"objects.{name}: {shown(said)} {how} {match.category!r}")
        kept[name] = fields if match is None else {**fields, "category": match.category}
    kept = {
        name: {**fields, "parent": _known(fields["parent"], name, objects, kept, left_out)}
        if isinstance(fields.get("parent"), list)
        else fields
        for name, fields in kept.items()
    }
    structure = _fitting(document, left_out)
    scene = scene_of({**document, "objects": kept, "structure": structure})
    return Imported(scene, tuple(left_out), tuple(notes))


def _fitting(document: _Fields, left_out: list[str]) -> _Fields:
    """The doors and windows without those of other programs that are in no wall of the room.

    Ours say of which kind they are; what is wrong with them is for :func:`..layout.scene_of`.
    """
    structure = mapping(document.get("structure", {}), "structure")
    bare = scene_of({**document, "objects": {}, "structure": {}}).room
    check_ids(structure, "structure")
    kept = {}
    for name, entry in structure.items():
        fault = None
        if "kind" not in mapping(entry, f"structure.{name}"):
            fault = misfit(bare, opening_of(name, entry))
        if fault is None:
            kept[name] = entry
        else:
            left_out.append(f"structure.{name}.{fault[0]}: is in no wall: {fault[1]}")
    return kept


def _known(
    pairs: list[Any], name: str, objects: _Fields, kept: _Fields, left_out: list[str]
) -> list[Any]:
    """The relations of a thing without those to what is left out or of a kind unknown here."""
    found = []
    for pair in pairs:
        if isinstance(pair, list) and len(pair) == 2 and all(isinstance(w, str) for w in pair):
            parent, kind = pair
            gone = parent != ROOM and parent in objects and parent not in kept
            if gone or kind not in list(RelationKind):
                left_out.append(f"objects.{name}.parent: {shown(kind)} {shown(parent)}")
                continue
        found.append(pair)
    return found
