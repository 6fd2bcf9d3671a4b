"""Scenes as JSON documents, and the refusal of documents that are none.

The layout of SceneWeaver: ``{"roomsize": [x, y], "structure": {id: {location, rotation, size}},
"objects": {id: {location, rotation, size, parent: [[parent, relation], …]}}}``, to which we add
``roomtype``, ``roomheight`` and, with an object, ``category`` (else the end of its id says it) and
``style``. Documents come from models and strangers: every number, name and reference is checked
before anything is built, and a refusal names the field.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from gymposium.errors import UsageError, nearest

from .catalogue import CATEGORIES, find
from .fields import field, mapping, number, numbers, plain, shown
from .openings import misfit
from .scene import ROOM, ROOM_KINDS, SUPPORTS, Item, Opening, Relation, RelationKind, Room, Scene

MOST_OBJECTS = 500
MOST_TEXT = 2_000_000
"""Characters of a document."""
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
SIZES = (0.001, 20.0)
PLACES = (-100.0, 100.0)
ROOM_SIZES = (1.0, 50.0)
_ROOM_HEIGHTS = (1.8, 20.0)
_ANGLES = (-1000.0, 1000.0)


def layout(scene: Scene, *, digits: int = 2) -> dict[str, Any]:
    """The document of a scene, numbers rounded to ``digits`` decimals.

    Two are enough to read and within 5 mm; keep four where the scene must stay free of contacts.
    """
    room = scene.room
    return {
        "roomtype": room.type,
        "roomsize": [round(side, digits) for side in room.size],
        "roomheight": round(room.height, digits),
        "structure": {
            opening.id: {"kind": opening.kind, **_pose(opening, digits)}
            for opening in scene.openings
        },
        "objects": {
            item.id: {
                "category": item.category,
                **_pose(item, digits),
                "parent": [[relation.parent, str(relation.kind)] for relation in item.relations],
                "style": item.style,
            }
            for item in scene
        },
    }


def _pose(thing: Item | Opening, digits: int) -> dict[str, Any]:
    least = 10.0**-digits
    return {
        "location": [round(value, digits) for value in thing.location],
        "rotation": round(thing.rotation, digits),
        "size": [max(round(value, digits), least) for value in thing.size],
    }


def scene_of_text(text: str) -> Scene:
    """The scene of a JSON text.

    Raises:
        UsageError: it is not JSON, too long, names something twice, or is no layout.
    """
    return scene_of(document_of(text, "the layout"))


def document_of(text: str, what: str, most: int = MOST_TEXT) -> Any:
    """The data of a JSON text of at most ``most`` characters; numbers are finite, keys differ.

    Raises:
        UsageError: it is none; the sentence calls it ``what``.
    """
    if len(text) > most:
        raise UsageError(f"{what} has at most {most:,} characters, not {len(text):,}")
    try:
        read = json.loads(text, object_pairs_hook=_once, parse_constant=_Constant)
    except json.JSONDecodeError as error:
        raise UsageError(f"{what} is not a JSON document: {str(error)[:200]}") from None
    except RecursionError:
        raise UsageError(f"{what} is not a JSON document: it is nested too deeply") from None
    except ValueError:  # Python reads whole numbers of some thousand digits only
        raise UsageError(f"{what} is not a JSON document: a number has too many digits") from None
    if "NaN" in text or "Infinity" in text:
        _refuse_constants(read, what)
    return read


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise UsageError(f"{shown(name)} stands twice in one object")
        found[name] = value
    return found


class _Constant(NamedTuple):
    """``NaN`` or ``Infinity``, which Python's JSON has and no document here may."""

    word: str


def _refuse_constants(document: Any, what: str) -> None:
    labels: list[str] = []
    waiting: list[Iterator[tuple[str, Any]]] = [iter([("", document)])]
    while waiting:
        for label, value in waiting[-1]:
            labels[len(waiting) - 1 :] = [label]
            if isinstance(value, _Constant):
                place = "".join(labels).lstrip(".")[:200] or what
                raise UsageError(f"{place} is {value.word}; numbers must be finite")
            if isinstance(value, dict):
                waiting.append((f".{plain(name)}", inner) for name, inner in value.items())
                break
            if isinstance(value, list):
                waiting.append((f"[{n}]", inner) for n, inner in enumerate(value))
                break
        else:
            waiting.pop()


def scene_of(document: object) -> Scene:
    """The scene of a layout document.

    Raises:
        UsageError: a field is missing, of another type, out of range or refers to nothing; the
            sentence names the field.
    """
    top = mapping(document, "the layout")
    sides = numbers(top, "roomsize", "the layout", 2, ROOM_SIZES)
    height = number(top.get("roomheight", 2.8), "roomheight", _ROOM_HEIGHTS)
    kind = top.get("roomtype", "room")
    if not (isinstance(kind, str) and re.fullmatch(r"[a-z][a-z0-9_ ]{0,39}", kind)):
        raise UsageError(f"roomtype must be a short lower-case name, not {shown(kind)}")
    structure = mapping(top.get("structure", {}), "structure")
    objects = mapping(field(top, "objects", "the layout"), "objects")
    for name, things in (("structure", structure), ("objects", objects)):
        if len(things) > MOST_OBJECTS:
            raise UsageError(f"{name} holds {len(things):,} entries; {MOST_OBJECTS} are allowed")
    ids = [*structure, *objects]
    check_ids(structure, "structure")
    check_ids(objects, "objects")
    if len(set(ids)) < len(ids):
        both = sorted(set(structure) & set(objects))[0]
        raise UsageError(f"structure and objects both have an entry {both!r}; ids must differ")
    room = Room(kind, (sides[0], sides[1]), height)
    openings = tuple(opening_of(name, structure[name]) for name in structure)
    for opening in openings:
        if (fault := misfit(room, opening)) is not None:
            at = f"structure.{opening.id}.{fault[0]}"
            raise UsageError(f"{at}: the {opening.kind} is in no wall: {fault[1]}")
    items = tuple(_item(name, objects[name], objects) for name in objects)
    _refuse_cycles(items)
    return Scene(room, openings, items)


def check_ids(things: Mapping[str, Any], where: str) -> None:
    """Refuse names that cannot be ids: they become names of nodes, links and files.

    Raises:
        UsageError: one cannot; the sentence names it and ``where`` it stands.
    """
    for name in things:
        if not isinstance(name, str) or not _ID.fullmatch(name) or name == ROOM:
            raise UsageError(
                f"{where}: {shown(name)} cannot be an id: 1 to 64 letters, digits, _ or -, not "
                f"{ROOM!r}"
            )


def opening_of(name: str, entry: object) -> Opening:
    """The door or window of an entry of ``structure``, wherever it may be.

    Raises:
        UsageError: a field of it is wrong.
    """
    where = f"structure.{name}"
    fields = mapping(entry, where)
    kind = fields.get("kind", "window" if "window" in name.lower() else "door")
    if kind not in ("door", "window"):
        raise UsageError(f"{where}.kind must be door or window, not {shown(kind)}")
    return Opening(name, kind, *_placed(fields, where))


def _item(name: str, entry: object, objects: Mapping[str, Any]) -> Item:
    where = f"objects.{name}"
    fields = mapping(entry, where)
    said = fields.get("category", name)
    known = find(said) if isinstance(said, str) and len(said) <= 64 else None
    if known is None:
        near = nearest(said, CATEGORIES) if isinstance(said, str) and len(said) <= 64 else []
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise UsageError(f"{where}.category {shown(said)} is not in the catalogue{hint}")
    style = fields.get("style", 0)
    if type(style) is not int or not 0 <= style < 2**31:
        raise UsageError(f"{where}.style must be a whole number below 2^31, not {shown(style)}")
    location, rotation, size = _placed(fields, where)
    relations = _relations(fields.get("parent", []), f"{where}.parent", name, objects)
    return Item(name, known, location, rotation, size, relations, style)


Placed = tuple[tuple[float, float, float], float, tuple[float, float, float]]


def _placed(fields: Mapping[str, Any], where: str) -> Placed:
    x, y, z = numbers(fields, "location", where, 3, PLACES)
    depth, width, height = numbers(fields, "size", where, 3, SIZES)
    turn = fields.get("rotation", 0.0)
    if isinstance(turn, list | tuple):  # Euler angles, as other programs write them
        turns = numbers(fields, "rotation", where, 3, _ANGLES)
        if turns[0] or turns[1]:
            raise UsageError(f"{where}.rotation: things turn about z only, not {shown(turn)}")
        turn = turns[2]
    angle = number(turn, f"{where}.rotation", _ANGLES)
    return (x, y, z), math.remainder(angle, 2 * math.pi), (depth, width, height)


def _relations(
    entry: object, where: str, name: str, objects: Mapping[str, Any]
) -> tuple[Relation, ...]:
    if not isinstance(entry, list | tuple) or len(entry) > 8:
        raise UsageError(f"{where} must be a list of at most 8 [parent, relation] pairs")
    found: dict[Relation, None] = {}
    for place, pair in enumerate(entry):
        at = f"{where}[{place}]"
        if not (
            isinstance(pair, list | tuple)
            and len(pair) == 2
            and all(isinstance(word, str) for word in pair)
        ):
            raise UsageError(f"{at} must be a pair [parent, relation], not {shown(pair)}")
        parent, word = pair
        if word not in list(RelationKind):
            raise UsageError(f"{at}: no relation is called {shown(word)}; {_known()}")
        kind = RelationKind(word)
        parent = ROOM if parent.startswith("newroom") else parent
        if (kind in ROOM_KINDS) != (parent == ROOM):
            goal = ROOM if kind in ROOM_KINDS else "another object"
            raise UsageError(f"{at}: {word} is a relation to {goal}, not to {shown(parent)}")
        if parent != ROOM and (parent == name or parent not in objects):
            raise UsageError(f"{at}: there is no other object called {shown(parent)}")
        found[Relation(parent, kind)] = None
    if sum(relation.kind in SUPPORTS for relation in found) > 1:
        raise UsageError(f"{where}: an object rests on one other at most")
    return tuple(found)


def _known() -> str:
    return "relations are " + ", ".join(RelationKind)


def _refuse_cycles(items: tuple[Item, ...]) -> None:
    parents = {item.id: [r.parent for r in item.relations if r.parent != ROOM] for item in items}
    settled: set[str] = set()
    for start in parents:
        path = [(start, iter(parents[start]))]
        on_path = {start}
        while path:
            name, rest = path[-1]
            parent = next((p for p in rest if p not in settled), None)
            if parent is None:
                settled.add(name)
                on_path.discard(name)
                path.pop()
            elif parent in on_path:
                raise UsageError(
                    f"objects.{parent}.parent: the relations from {parent!r} lead back to itself"
                )
            else:
                on_path.add(parent)
                path.append((parent, iter(parents[parent])))
