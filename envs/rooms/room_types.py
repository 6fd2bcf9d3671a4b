"""What rooms of a type need, may hold and look like: the grammar that planners write from.

Each type says between which sizes its rooms are, which roles they must fill (a bedroom a bed, a
meeting room a table and four chairs), and with what, how often and in which relations they are
furnished. The table is ``room_types.yaml``; the categories are those of the catalogue.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources
from typing import Any, NamedTuple

from gymposium.errors import UnknownName

from .scene import ROOM, ROOM_KINDS, Item, RelationKind


class Role(NamedTuple):
    """What a room is for: at least ``least`` things of any of these categories."""

    name: str
    categories: frozenset[str]
    least: int


class Where(NamedTuple):
    """A relation to the room, or to things of a category."""

    kind: RelationKind
    parent: str


@dataclass(frozen=True)
class Wish:
    """A line of the grammar: ``count`` (from, to) things with this ``chance``.

    ``each``: that many, with that chance, for every thing of the category they relate to.
    """

    category: str
    count: tuple[int, int] = (1, 1)
    chance: float = 1.0
    where: tuple[Where, ...] = ()
    each: bool = False


@dataclass(frozen=True)
class RoomType:
    """Everything known of a type of room. Sizes are (x, y) in metres; ``target`` counts things."""

    name: str
    low: tuple[float, float]
    high: tuple[float, float]
    target: int
    required: tuple[Role, ...]
    wishes: tuple[Wish, ...]
    plausible: frozenset[str]
    other_names: tuple[str, ...] = ()

    def filled(self, items: Iterable[Item]) -> dict[str, bool]:
        """Which required roles these things fill."""
        categories = [item.category for item in items]
        return {
            role.name: sum(c in role.categories for c in categories) >= role.least
            for role in self.required
        }

    def keeps(self, items: Iterable[Item]) -> frozenset[str]:
        """The ids of things without any of which a filled role would be empty."""
        items = list(items)
        kept: set[str] = set()
        for role in self.required:
            fitting = [item.id for item in items if item.category in role.categories]
            if len(fitting) <= role.least:
                kept.update(fitting)
        return frozenset(kept)


@functools.cache
def room_types() -> dict[str, RoomType]:
    """All types by name."""
    import yaml

    text = resources.files(__package__).joinpath("room_types.yaml").read_text(encoding="utf-8")
    return {name: _room_type(name, entry) for name, entry in yaml.safe_load(text).items()}


def room_type(name: str) -> RoomType:
    """The type called ``name``.

    Raises:
        UnknownName: there is none; the nearest are offered.
    """
    try:
        return room_types()[name]
    except KeyError:
        raise UnknownName("type of room", name, room_types()) from None


def find_room_type(words: str) -> str | None:
    """The type that a request in words names first ("a bedroom for two"), or None."""
    text = re.sub(r"[-_/\s]+", " ", words.lower().replace("'", ""))
    found: list[tuple[int, int, str]] = []
    for kind in room_types().values():
        for name in (kind.name.replace("_", " "), *kind.other_names):
            name = name.replace("'", "")
            match = re.search(rf"\b{re.escape(name)}s?\b", text)
            if match:
                found.append((match.start(), -len(name), kind.name))
    return min(found)[2] if found else None


def _room_type(name: str, entry: dict[str, Any]) -> RoomType:
    wishes = tuple(_wish(row) for row in entry["things"])
    low, high = (tuple(map(float, size)) for size in entry["sizes"])
    roles = tuple(
        Role(role, frozenset(needs["any"]), needs.get("least", 1))
        for role, needs in entry["required"].items()
    )
    plausible = frozenset(entry["also"]).union(
        (wish.category for wish in wishes), *(role.categories for role in roles)
    )
    return RoomType(
        name,
        (low[0], low[1]),
        (high[0], high[1]),
        entry["target"],
        roles,
        wishes,
        plausible,
        tuple(entry["other_names"]),
    )


def _wish(row: dict[str, Any]) -> Wish:
    low, high = row.get("count", (1, 1))
    where = []
    for line in row.get("where", ()):
        word, _, parent = line.partition(" ")
        kind = RelationKind(word)
        where.append(Where(kind, ROOM if kind in ROOM_KINDS else parent))
    return Wish(row["a"], (low, high), row.get("chance", 1.0), tuple(where), row.get("each", False))
