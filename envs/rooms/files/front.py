"""Houses of 3D-FRONT: a room of one as boxes of our categories.

3D-FRONT (Fu et al. 2021) has a house a file. ``furniture`` says what there is (``uid``, ``jid`` of
a 3D-FUTURE model, ``category``, ``bbox`` or ``size`` in metres), ``mesh`` floors, walls, doors and
windows, and ``scene.room[].children`` places them by ``ref``, ``pos``, ``rot`` (a quaternion x, y,
z, w) and ``scale``. It is Y-up and its models face +z: a point (x, y, z) becomes (x, -z, y), and a
turn of θ about y a facing of θ - 90 degrees. Rooms are rectangles here, so an odd floor becomes the
rectangle about it. The format has no relations; those that hold are added.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gymposium.errors import UnknownName, UsageError

from ..fields import field, mapping, number, numbers, plain, shown
from ..layout import PLACES, SIZES
from ..openings import misfit
from ..prisms import Floats
from ..room_types import find_room_type
from ..scene import Opening, Room, Triple, walls
from .imported import Account, Box, Floor, Imported

MOST_ENTRIES = 50_000
"""Entries of a list."""
MOST_NUMBERS = 300_000
"""Coordinates of a mesh."""
_SCALES = (0.001, 1000.0)
_TILT = 0.02
_SQUARE = 0.97
"""Share of its rectangle that a rectangular floor covers."""
_FAR = 0.6
"""Metres from the nearest wall from which a door or window is not in it."""
_OPENINGS = {"door": "door", "window": "window"}
_NAMES = ("category", "title", "super-category")
_Fields = Mapping[str, Any]


class _Pose(NamedTuple):
    """How a child is placed, still Y-up; ``turn`` about y is None for what is tilted."""

    at: Triple
    turn: float | None
    scale: Triple

    def placed(self, points: Floats) -> Floats:
        """Points [N, 3], z up."""
        c, s = math.cos(self.turn or 0.0), math.sin(self.turn or 0.0)
        x, y, z = (points * self.scale).T
        at = self.at
        return np.column_stack([c * x + s * z + at[0], s * x - c * z - at[2], y + at[1]])


class _Child(NamedTuple):
    where: str
    ref: str
    pose: _Pose


def is_front(document: object) -> bool:
    """Whether a document looks like a house of 3D-FRONT."""
    return isinstance(document, Mapping) and {"furniture", "scene"} <= set(document)


def front_room(document: _Fields, room: str | None = None) -> Imported:
    """A room of a house by its name; it may be left out where only one is furnished.

    Raises:
        UnknownName: the house has no such room.
        UsageError: a field is wrong, or several rooms are furnished and none is named.
    """
    furniture = _by_uid(document, "furniture")
    rooms = _rooms(document)
    children = {name: _children(*entry) for name, entry in rooms.items()}
    furnished = [
        name for name, own in children.items() if any(child.ref in furniture for child in own)
    ]
    if room is None and len(furnished) != 1:
        names = ", ".join(map(plain, furnished[:20])) or "none"
        raise UsageError(f"say which room of the house is meant; furnished are: {names}")
    name = furnished[0] if room is None else room
    if name not in rooms:
        raise UnknownName("room", name, rooms, where="the house")
    made = _Reader(document, furniture).read(children[name])
    fields, where = rooms[name]
    said = fields.get("type", "")
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|[^A-Za-z]+", " ", said) if isinstance(said, str) else ""
    kind = find_room_type(words[:100]) or "room"
    return made.done(kind, where)


class _Reader:
    """One room being read."""

    def __init__(self, document: _Fields, furniture: dict[str, tuple[_Fields, str]]) -> None:
        self._furniture = furniture
        self._meshes = _by_uid(document, "mesh") if "mesh" in document else {}
        self._account = Account()
        self._floors: list[tuple[Floats, float]] = []
        self._tops: list[float] = []
        self._openings: list[tuple[str, str, Floats]] = []

    def read(self, children: Sequence[_Child]) -> _Reader:
        for child in children:
            if child.pose.turn is None:
                self._account.left_out.append(f"{child.where}: it is tilted")
            elif child.ref in self._furniture:
                self._take(child)
            elif child.ref in self._meshes:
                self._see(child)
            else:
                self._account.left_out.append(
                    f"{child.where}: nothing in the file is called {shown(child.ref)}"
                )
        return self

    def _take(self, child: _Child) -> None:
        fields, where = self._furniture[child.ref]
        if fields.get("valid") is False:
            self._account.left_out.append(f"{child.where}: {shown(child.ref)} is marked not valid")
            return
        names = tuple(str(fields[n]) for n in _NAMES if isinstance(fields.get(n), str))
        (x, y, z), turn = child.pose.at, child.pose.turn or 0.0
        size = _size(fields, where, child.pose.scale, child.where)
        facing = math.remainder(turn - math.pi / 2, 2 * math.pi)
        self._account.take(Box(child.where, names, (x, -z, y), facing, size))

    def _see(self, child: _Child) -> None:
        """Take note of a floor, a wall, a door or a window; others do not matter here."""
        fields, where = self._meshes[child.ref]
        kind = fields.get("type")
        if kind == "Floor":
            points = child.pose.placed(_points(fields, where))
            self._floors.append((points, _area(points, fields, where)))
        elif kind in ("WallInner", "Ceiling"):
            self._tops.append(float(child.pose.placed(_points(fields, where))[:, 2].max()))
        elif isinstance(kind, str) and kind.lower() in _OPENINGS:
            points = child.pose.placed(_points(fields, where))
            self._openings.append((child.where, kind.lower(), points))

    def done(self, kind: str, where: str) -> Imported:
        account = self._account
        floor = self._floor() if self._floors else account.floor()
        room = account.room(kind, floor, where)
        found = [_opening(room, floor, n, each) for n, each in enumerate(self._openings)]
        account.left_out += [f"{at}: it is in no wall" for at, made in found if made is None]
        return account.done(room, floor, [made for _, made in found if made is not None])

    def _floor(self) -> Floor:
        points = np.concatenate([points for points, _ in self._floors])
        low, high = points.min(axis=0).tolist(), points.max(axis=0).tolist()
        covered = sum(area for _, area in self._floors)
        if covered < _SQUARE * (high[0] - low[0]) * (high[1] - low[1]):
            self._account.notes.append("the floor is no rectangle; the room is the one about it")
        height = max(self._tops) - low[2] if self._tops else None
        return Floor((low[0], low[1]), (high[0], high[1]), low[2], height)


def _by_uid(document: _Fields, name: str) -> dict[str, tuple[_Fields, str]]:
    found: dict[str, tuple[_Fields, str]] = {}
    for place, entry in enumerate(listed(document[name], name)):
        where = f"{name}[{place}]"
        fields = mapping(entry, where)
        uid = field(fields, "uid", where)
        if not isinstance(uid, str):
            raise UsageError(f"{where}.uid must be a text, not {shown(uid)}")
        found.setdefault(uid, (fields, where))
    return found


def _rooms(document: _Fields) -> dict[str, tuple[_Fields, str]]:
    """The rooms by ``instanceid``, else by type, numbered where that was used before."""
    found: dict[str, tuple[_Fields, str]] = {}
    entries = field(mapping(document["scene"], "scene"), "room", "scene")
    for place, entry in enumerate(listed(entries, "scene.room")):
        where = f"scene.room[{place}]"
        fields = mapping(entry, where)
        said = fields.get("instanceid") or fields.get("type") or "Room"
        if not isinstance(said, str) or len(said) > 100:
            raise UsageError(f"{where}.instanceid must be a short text, not {shown(said)}")
        found[f"{said}-{place}" if said in found else said] = (fields, where)
    return found


def _children(fields: _Fields, where: str) -> list[_Child]:
    entries = listed(field(fields, "children", where), f"{where}.children")
    return [_child(entry, f"{where}.children[{n}]") for n, entry in enumerate(entries)]


def _child(entry: object, where: str) -> _Child:
    fields = mapping(entry, where)
    ref = field(fields, "ref", where)
    if not isinstance(ref, str):
        raise UsageError(f"{where}.ref must be a text, not {shown(ref)}")
    x, y, z = numbers(fields, "pos", where, 3, PLACES)
    a, b, c = numbers(fields, "scale", where, 3, _SCALES) if "scale" in fields else (1.0, 1.0, 1.0)
    return _Child(where, ref, _Pose((x, y, z), _turn(fields, where), (a, b, c)))


def _turn(fields: _Fields, where: str) -> float | None:
    """The turn about y that a quaternion says, None if it tilts."""
    x, y, z, w = numbers(fields, "rot", where, 4, (-1.01, 1.01))
    length = math.sqrt(x * x + y * y + z * z + w * w)
    if not 0.9 <= length <= 1.1:
        raise UsageError(f"{where}.rot must be a quaternion of length 1, not {length:.3g}")
    return None if math.hypot(x, z) > _TILT else 2 * math.atan2(y, w)


def _size(fields: _Fields, where: str, scale: Triple, place: str) -> Triple | None:
    """Depth, width and height of a thing at its scale, None if the file does not say them."""
    name = next((n for n in ("bbox", "size") if fields.get(n) is not None), None)
    if name is None:
        return None
    x, y, z = numbers(fields, name, where, 3, SIZES)
    sides = (z * scale[2], x * scale[0], y * scale[1])
    a, b, c = (number(side, f"the size of {place}", SIZES) for side in sides)
    return a, b, c


def _points(fields: _Fields, where: str) -> Floats:
    flat = field(fields, "xyz", where)
    if not isinstance(flat, list) or len(flat) % 3 or not 9 <= len(flat) <= MOST_NUMBERS:
        raise UsageError(f"{where}.xyz must be a list of 9 to {MOST_NUMBERS:,} numbers in threes")
    values = [number(value, f"{where}.xyz[{n}]", PLACES) for n, value in enumerate(flat)]
    return np.array(values).reshape(-1, 3)


def _area(points: Floats, fields: _Fields, where: str) -> float:
    """The area from above of a mesh, by its triangles."""
    flat = field(fields, "faces", where)
    whole = isinstance(flat, list) and len(flat) % 3 == 0 and len(flat) <= MOST_NUMBERS
    if not whole or any(type(n) is not int or not 0 <= n < len(points) for n in flat):
        raise UsageError(f"{where}.faces must be a list of numbers of points in threes")
    if not flat:
        return 0.0
    corners = points[np.array(flat).reshape(-1, 3), :2]
    a, b = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    return float(np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum() / 2)


def _opening(
    room: Room, floor: Floor, n: int, seen: tuple[str, str, Floats]
) -> tuple[str, Opening | None]:
    """A door or window in the wall that its mesh is nearest to."""
    where, kind, points = seen
    low, high = points.min(axis=0), points.max(axis=0)
    x, y = ((low + high) / 2)[:2] - floor.low
    wall = min(walls(room), key=lambda w: abs(w.normal[0] * x + w.normal[1] * y - w.offset))
    away = wall.normal[0] * x + wall.normal[1] * y - wall.offset
    axis = 1 if wall.normal[0] else 0
    wide, tall = float(high[axis] - low[axis]), float(high[2] - low[2])
    if abs(away) > _FAR or not (0.2 <= wide <= wall.length and 0.2 <= tall <= room.height):
        return where, None
    at = (x - away * wall.normal[0], y - away * wall.normal[1], max(0.0, low[2] - floor.z))
    spot = (float(at[0]), float(at[1]), float(at[2]))
    opening = Opening(f"{n}_{kind}", kind, spot, wall.yaw, (0.1, wide, tall))
    return where, None if misfit(room, opening) else opening


def listed(value: object, where: str) -> list[Any]:
    """``value`` if it is a list that is not too long."""
    if not isinstance(value, list) or len(value) > MOST_ENTRIES:
        raise UsageError(f"{where} must be a list of at most {MOST_ENTRIES:,} entries")
    return value
