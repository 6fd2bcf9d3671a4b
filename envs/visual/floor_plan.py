"""A floor plan: rooms, walls and the things in them, and where a body can walk between them.

x and z are metres on the floor, as in AI2-THOR; yaw is in degrees clockwise from +z, and a thing
with yaw 0 has its back towards +z. Only what stands on the floor is in the way.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .entry import Entry
from .furniture import ROOMS, Kind, furniture, unknown

if TYPE_CHECKING:
    from numpy.typing import NDArray

BODY = 0.25
"""Radius of the body, in metres."""
STEP = 0.5
"""Length of a move, in metres."""
_SLACK = 1e-6
_MOST, _WIDEST = 1_000, 1_000.0
"""Rooms, walls and things of a plan from a file, and metres it may extend."""
_COMPASS = {0: (0.0, 1.0), 90: (1.0, 0.0), 180: (0.0, -1.0), 270: (-1.0, 0.0)}


class Rectangle(NamedTuple):
    """x0 to x1 and z0 to z1, in metres."""

    x0: float
    z0: float
    x1: float
    z1: float


class Room(NamedTuple):
    """A room: what kind it is, and its floor."""

    kind: str
    floor: Rectangle


@dataclass(frozen=True)
class Thing:
    """Something in a room.

    Attributes:
        type: what it is, by the names of AI2-THOR.
        x, z: its middle on the floor.
        yaw: 0, 90, 180 or 270.
        y: height of its foot.
    """

    type: str
    x: float
    z: float
    yaw: int = 0
    y: float = 0.0

    @property
    def kind(self) -> Kind:
        """All about its type."""
        return furniture().get(self.type) or unknown(self.type)

    @property
    def half(self) -> tuple[float, float]:
        """Half its extents along x and z."""
        width, depth, _ = self.kind.size
        return (width / 2, depth / 2) if self.yaw % 180 == 0 else (depth / 2, width / 2)

    @property
    def foot(self) -> Rectangle:
        """The floor under it."""
        across, along = self.half
        return Rectangle(self.x - across, self.z - along, self.x + across, self.z + along)


@dataclass(frozen=True)
class FloorPlan:
    """Rooms, walls and things.

    Attributes:
        rooms: next to each other.
        walls: the floor under each, which is not the rooms'.
        things: all of them.
    """

    rooms: tuple[Room, ...]
    walls: tuple[Rectangle, ...]
    things: tuple[Thing, ...]

    @cached_property
    def _blocks(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        standing = [thing for thing in self.things if thing.kind.blocks]
        boxes = [*self.walls, *(thing.foot for thing in standing if not thing.kind.round)]
        discs = [(it.x, it.z, it.half[0]) for it in standing if it.kind.round]
        return np.array(boxes).reshape(-1, 4), np.array(discs).reshape(-1, 3)

    def clear(self, starts: Any, ends: Any) -> NDArray[np.bool_]:
        """Whether the body can go straight from each start to its end.

        Args:
            starts: float64 ``[N, 2]``, x and z.
            ends: likewise.

        Returns:
            bool ``[N]``.
        """
        boxes, discs = self._blocks
        first, last = np.asarray(starts, float), np.asarray(ends, float)
        near = _to_boxes(first, last, boxes) < BODY - _SLACK
        to_discs = _to_points(first, last, discs[:, :2]) - discs[:, 2]
        blocked = near.any(axis=1) | (to_discs < BODY - _SLACK).any(axis=1)
        return np.asarray(~blocked, np.bool_)

    def to_plain(self) -> dict[str, Any]:
        """As JSON, under ``floor_plan`` in a task file."""
        rooms = [[room.kind, *room.floor] for room in self.rooms]
        things = [asdict(thing) for thing in self.things]
        return {"rooms": rooms, "walls": [list(wall) for wall in self.walls], "things": things}

    @classmethod
    def from_plain(cls, plain: Any, place: str = "floor_plan") -> FloorPlan:
        """The plan that :meth:`to_plain` wrote; ValueError names what is wrong in ``place``."""
        whole = Entry(plain, place)
        rooms = [_room(it) for it in whole.part("rooms").parts(_MOST)]
        walls = [_rectangle(it, it.parts(4)) for it in whole.part("walls").parts(_MOST)]
        things = [_thing(it) for it in whole.part("things").parts(_MOST)]
        if not rooms:
            raise ValueError(f"{place}.rooms is empty: a floor plan needs a room")
        return cls(tuple(rooms), tuple(walls), tuple(things))


def _rectangle(of: Entry, numbers: Sequence[Entry]) -> Rectangle:
    if len(numbers) != 4:
        raise ValueError(f"{of.place} must have x0, z0, x1, z1, not {of.shown}")
    x0, z0, x1, z1 = (number.number(_WIDEST) for number in numbers)
    if not (x0 < x1 and z0 < z1):
        raise ValueError(f"{of.place}: {of.shown} is no rectangle x0, z0, x1, z1")
    return Rectangle(x0, z0, x1, z1)


def _room(of: Entry) -> Room:
    kind, *floor = of.parts(5) or [Entry(None, of.place)]
    if kind.value not in ROOMS:
        raise ValueError(f"{kind.place} must be one of {', '.join(ROOMS)}, not {kind.shown}")
    return Room(kind.value, _rectangle(of, floor))


def _thing(of: Entry) -> Thing:
    named, yaw = of.part("type"), of.part("yaw")
    name, x, z, y = named.text(), *(of.part(axis).number(_WIDEST) for axis in "xzy")
    if not (name.isascii() and name.isalnum() and len(name) <= 60):
        raise ValueError(f"{named.place} must be a word, not {named.shown}")
    if yaw.number(360) not in _COMPASS:
        raise ValueError(f"{yaw.place} must be 0, 90, 180 or 270, not {yaw.shown}")
    return Thing(name, x, z, int(yaw.value), y)


def heading(yaw: float) -> tuple[float, float]:
    """The unit vector (x, z) ahead of a body that looks along ``yaw`` degrees."""
    if yaw in _COMPASS:
        return _COMPASS[int(yaw)]
    return math.sin(math.radians(yaw)), math.cos(math.radians(yaw))


def bearing(x: float, z: float, yaw: float, place: tuple[float, float]) -> float:
    """Where ``place`` (x, z) is seen from a body: degrees to the right of ahead, in (-180, 180]."""
    angle = math.degrees(math.atan2(place[0] - x, place[1] - z)) - yaw
    turned = angle % 360.0
    return turned - 360.0 if turned > 180.0 else turned


def direction(angle: float) -> str:
    """The word for a bearing: ``ahead``, ``right``, ``left`` or ``back``."""
    if abs(angle) <= 45:
        return "ahead"
    if abs(angle) <= 135:
        return "right" if angle > 0 else "left"
    return "back"


def moves_to(
    plan: FloorPlan, start: tuple[float, float], goal: tuple[float, float], near: float, most: int
) -> int | None:
    """The fewest moves of half a metre along x or z until within ``near`` metres of ``goal``.

    Args:
        plan: where.
        start: x and z.
        goal: x and z.
        near: how near is enough.
        most: give up beyond so many moves.

    Returns:
        How many, or None.
    """
    ways = np.array([[0, STEP], [STEP, 0], [0, -STEP], [-STEP, 0]])
    reached = {(0, 0)}
    edge = deque([(0, 0)])
    for count in range(most + 1):
        places = np.array(start) + STEP * np.array(edge)
        if (np.hypot(*(places - goal).T) <= near).any():
            return count
        starts = np.repeat(places, 4, axis=0)
        free = plan.clear(starts, starts + np.tile(ways, (len(edge), 1)))
        further: deque[tuple[int, int]] = deque()
        for index, (i, j) in enumerate(edge):
            for k, (a, b) in enumerate(((0, 1), (1, 0), (0, -1), (-1, 0))):
                if free[4 * index + k] and (i + a, j + b) not in reached:
                    reached.add((i + a, j + b))
                    further.append((i + a, j + b))
        if not further:
            return None
        edge = further
    return None


def _to_points(
    first: NDArray[np.float64], last: NDArray[np.float64], points: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Distances from segments ``[N]`` to points ``[M]``: ``[N, M]``."""
    way = last - first
    length = np.maximum((way**2).sum(axis=1), 1e-18)[:, None]
    offset = points[None] - first[:, None]
    share = np.clip((offset * way[:, None]).sum(axis=2) / length, 0, 1)
    away = offset - share[..., None] * way[:, None]
    distance: NDArray[np.float64] = np.sqrt((away**2).sum(axis=2))
    return distance


def _to_boxes(
    first: NDArray[np.float64], last: NDArray[np.float64], boxes: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Distances from segments ``[N]`` to rectangles ``[M]``: 0 where they meet."""
    low, high = boxes[None, :, :2], boxes[None, :, 2:]
    ends = [
        np.sqrt((np.maximum(np.maximum(low - at[:, None], at[:, None] - high), 0) ** 2).sum(axis=2))
        for at in (first, last)
    ]
    corners = [
        _to_points(first, last, boxes[:, columns]) for columns in ([0, 1], [0, 3], [2, 1], [2, 3])
    ]
    way = last - first
    way = np.where(np.abs(way) < 1e-12, 1e-12, way)[:, None]
    one, two = (low - first[:, None]) / way, (high - first[:, None]) / way
    enters = np.minimum(one, two).max(axis=2)
    leaves = np.maximum(one, two).min(axis=2)
    meets = (enters <= leaves) & (leaves >= 0) & (enters <= 1)
    return np.where(meets, 0.0, np.minimum.reduce([*ends, *corners]))
