"""What is held of tools that others wrote: that each is one, and that what it gives is a scene.

A tool runs in the match's own process, and Python keeps it from nothing: it may write into the
scene it was handed, or give one whose numbers are lists. So it is handed a copy, and what it gives
is built anew, in the types that the rest of the room relies on.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import fields, replace
from numbers import Real
from typing import TYPE_CHECKING, Any, NoReturn

from gymposium.errors import MissingExtra, UnknownName, UsageError

from ..catalogue import find
from ..execute import Physics
from ..fields import shown
from ..room_types import room_types
from ..scene import Item, Opening, Relation, RelationKind, Room, Scene
from .card import Card, Family, Tool

if TYPE_CHECKING:
    from ..scene import Triple

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_MOST_COST = 10_000
_MOST_SECONDS = 3600


def copied(scene: Scene) -> Scene:
    """The scene in new objects, so that whoever writes into them changes no other."""
    openings = tuple(replace(opening) for opening in scene.openings)
    items = tuple(replace(item) for item in scene.items)
    return Scene(replace(scene.room), openings, items)


def rebuilt(scene: Scene) -> Scene:
    """A scene of somebody's making in the types that scenes have; values stay as they are.

    Raises:
        UsageError: a field holds something else; the sentence names it.
    """
    if not isinstance(scene.room, Room):
        raise UsageError(f"scene.room must be a Room, not {shown(scene.room)}")
    x, y = _floats(scene.room.size, "scene.room.size", 2)
    room = Room(scene.room.type, (x, y), _float(scene.room.height, "scene.room.height"))
    for name, kind in (("openings", Opening), ("items", Item)):
        held = getattr(scene, name)
        if not isinstance(held, list | tuple):
            raise UsageError(f"scene.{name} must be a tuple, not {shown(held)}")
        for place, thing in enumerate(held):
            if not isinstance(thing, kind):
                raise UsageError(
                    f"scene.{name}[{place}] must be an {kind.__name__}, not {shown(thing)}"
                )
    openings = tuple(Opening(it.id, it.kind, *_pose(it)) for it in scene.openings)
    return Scene(room, openings, tuple(_item(item) for item in scene.items))


def _item(item: Item) -> Item:
    where = f"objects.{shown(item.id)}"
    said = item.category
    category = find(said) if isinstance(said, str) and len(said) <= 64 else None
    try:
        relations = tuple(Relation(parent, RelationKind(kind)) for parent, kind in item.relations)
    except (TypeError, ValueError):
        raise UsageError(
            f"{where}.relations must be Relation(parent, kind), not {shown(item.relations)}"
        ) from None
    style: Any = item.style
    style = math.trunc(style) if isinstance(style, Real) else style
    return Item(item.id, category or said, *_pose(item), relations, style)


def _pose(thing: Item | Opening) -> tuple[Triple, float, Triple]:
    where = f"objects.{shown(thing.id)}"
    x, y, z = _floats(thing.location, f"{where}.location", 3)
    depth, width, height = _floats(thing.size, f"{where}.size", 3)
    return (x, y, z), _float(thing.rotation, f"{where}.rotation"), (depth, width, height)


def _floats(values: Any, where: str, count: int) -> list[float]:
    try:
        found = [] if isinstance(values, str) else list(values)
    except TypeError:
        found = []
    if len(found) != count:
        raise UsageError(f"{where} must be {count} numbers, not {shown(values)}")
    return [_float(value, f"{where}[{place}]") for place, value in enumerate(found)]


def _float(value: Any, where: str) -> float:
    if not isinstance(value, Real):
        raise UsageError(f"{where} must be a number, not {shown(value)}")
    return float(value)


def checked(made: Any, place: str) -> Tool:
    """The tool that somebody's class makes, or that was given, after a look at all it says.

    Raises:
        UnknownName: it supports a type of room that there is not.
        UsageError: it is no tool, or what its card or its schemas say cannot be.
    """
    if isinstance(made, type):
        made = _done(made, place, "it cannot be made")
    if not isinstance(made, Tool) or not isinstance(getattr(made, "card", None), Card):
        raise UsageError(f"{place} is no Tool with a Card")
    _check_card(made.card, place)
    if not isinstance(made.physics, Physics):
        raise UsageError(f"{place}: physics must be a Physics, not {shown(made.physics)}")
    if type(made.seconds) not in (int, float) or not 0 < made.seconds <= _MOST_SECONDS:
        due = f"a number above 0 and to {_MOST_SECONDS:,}"
        raise UsageError(f"{place}: seconds must be {due}, not {shown(made.seconds)}")
    for kind in room_types().values():
        _done(lambda kind=kind: bool(made.knows(kind)), place, "knows() fails")
        for ids in ([], ["1_bed"]):
            _check_schemas(made, kind, ids, place)
    return made


def _check_schemas(tool: Tool, kind: Any, ids: list[str], place: str) -> None:
    try:
        import jsonschema
    except ImportError:
        raise MissingExtra(
            "tools of others for rooms", extra="rooms", module="jsonschema"
        ) from None
    for name in ("edit_schema", "parameters"):
        schema = _done(lambda: getattr(tool, name)(kind, ids), place, f"{name}() fails")  # noqa: B023 - called at once
        if schema is None and name == "edit_schema":
            continue
        if not isinstance(schema, Mapping):
            raise UsageError(f"{place}: {name}() must give a JSON Schema, not {shown(schema)}")
        if name == "parameters" and not isinstance(schema.get("properties"), Mapping):
            raise UsageError(f"{place}: parameters() must give the properties of a call")
        try:
            json.dumps(schema, allow_nan=False)
            jsonschema.Draft202012Validator.check_schema(schema)
        except Exception as error:  # noqa: BLE001 - the plug-in boundary: told
            raise UsageError(f"{place}: {name}() gives no JSON Schema: {told(error)}") from None


def _check_card(card: Card, place: str) -> None:
    def refuse(name: str, due: str) -> NoReturn:
        value = getattr(card, name)
        raise UsageError(f"{place}: card.{name} must be {due}, not {shown(value)}")

    if not isinstance(card.name, str) or not _NAME.fullmatch(card.name):
        refuse("name", "a letter and up to 63 more letters, digits, _ or -")
    if not isinstance(card.family, Family):
        refuse("family", f"one of {', '.join(f'Family.{it.name}' for it in Family)}")
    if type(card.cost) is not int or not 0 <= card.cost <= _MOST_COST:
        refuse("cost", f"a whole number from 0 to {_MOST_COST:,}")
    for field in fields(card):
        value = getattr(card, field.name)
        if field.name in ("description", "strengths", "weaknesses"):
            if not isinstance(value, str):
                refuse(field.name, "text")
        elif field.name in ("use_cases", "must_not", "supported_room_types") and not (
            isinstance(value, list | tuple) and all(isinstance(word, str) for word in value)
        ):
            refuse(field.name, "a tuple of texts")
    for name in card.supported_room_types:
        if name not in room_types():
            where = f"{place}: card.supported_room_types"
            raise UnknownName("type of room", name, room_types(), where=where)


def _done(ask: Any, place: str, otherwise: str) -> Any:
    try:
        return ask()
    except (Exception, SystemExit) as error:  # the plug-in boundary
        raise UsageError(f"{place}: {otherwise}: {told(error)}") from error


def told(error: BaseException) -> str:
    """What kind of error it was and what it said, in one line, even if it cannot say it."""
    try:
        said = str(error)
    except Exception:  # noqa: BLE001 - the plug-in boundary: somebody's own __str__
        said = "it cannot say"
    return f"{type(error).__name__}: {in_line(said)[:300]}"


def in_line(text: str) -> str:
    """``text`` in one line, without what cannot be printed."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
