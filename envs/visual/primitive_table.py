"""What stands before the arm in ``primitive_skill-v0``, and exact rules of picking and placing.

The rules replace a simulator (VAGEN, Wang et al., 2025, works on ManiSkill): things are boxes that
stand level, a hand lifts one straight up, lowers it onto what is under it or pushes it along. Axes
are ManiSkill's: the arm stands at negative x and reaches towards positive x, y grows to the right
of a camera that looks back along -x, z grows upwards; lengths are millimetres.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

NEAR = 20.0
"""How near a hand must come to the middle of a thing, in millimetres."""
CUBE, APPLE = 20.0, 35.0
"""Half extents of things."""
_SLACK = 1e-6

Place = tuple[float, float, float]
UPRIGHT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Item:
    """A thing that can be moved.

    Attributes:
        name: ``red_cube``, ``apple``, …
        half: half its extent.
        place: of its middle.
        turn: its axes, row by row of a [3, 3] matrix with them as columns; level but in physics.
    """

    name: str
    half: float
    place: Place
    turn: tuple[float, ...] = UPRIGHT

    @property
    def top(self) -> float:
        """Height of its upper side."""
        return self.place[2] + self.half


class Drawer(NamedTuple):
    """A cabinet with one drawer that opens towards +y.

    Attributes:
        opening: how far it is pulled out.
        x0, x1, y0, y1: floor under the cabinet; its front is y1.
        height: of the cabinet.
        floor, rim: heights of the drawer's bottom and of its upper edge.
        travel: the most it opens.
    """

    opening: float
    x0: float = -450.0
    x1: float = -150.0
    y0: float = -600.0
    y1: float = -250.0
    height: float = 450.0
    floor: float = 160.0
    rim: float = 330.0
    travel: float = 300.0

    @property
    def front(self) -> float:
        """The y of the drawer's face."""
        return self.y1 + self.opening

    @property
    def centre(self) -> Place:
        """The middle of the drawer."""
        depth = self.y1 - self.y0
        return (self.x0 + self.x1) / 2, self.front - depth / 2, (self.floor + self.rim) / 2

    @property
    def face(self) -> Place:
        """The middle of its face."""
        return (self.x0 + self.x1) / 2, self.front, (self.floor + self.rim) / 2

    def holds(self, place: Place) -> bool:
        """Whether a place over the floor is within the drawer's walls, pulled out or not."""
        return self.x0 < place[0] < self.x1 and self.centre[1] - 175 < place[1] < self.front

    def covers(self, place: Place) -> bool:
        """Whether the cabinet is above a place."""
        within = self.x0 <= place[0] <= self.x1 and self.y0 <= place[1] <= self.y1
        return within and place[2] < self.height


class Limits(NamedTuple):
    """Where the hand may go: lowest and highest x, y, z."""

    x: tuple[float, float]
    y: tuple[float, float]
    z: tuple[float, float]

    def clipped(self, place: Sequence[float]) -> Place:
        """The nearest place within."""
        x, y, z = (min(max(v, low), high) for v, (low, high) in zip(place, self, strict=True))
        return x, y, z


@dataclass
class Table:
    """Things on a table, and a hand.

    Attributes:
        items: all that can be moved.
        limits: where the hand may go.
        drawer: if there is one.
        held: index of what is in the hand, or None.
        hand: where the hand is.
    """

    items: list[Item]
    limits: Limits
    drawer: Drawer | None = None
    held: int | None = None
    hand: Place = field(default=(-180.0, 0.0, 300.0))

    @property
    def lifted(self) -> float:
        """How high the hand is between skills."""
        return min(self.limits.z[1], 460.0)

    def pick(self, at: Sequence[float]) -> bool:
        """Lift what is at a place straight up; False if the hand is full or nothing can be had."""
        place = self.limits.clipped(at)
        if self.held is not None:
            return False
        for index in self._by_distance(place):
            item = self.items[index]
            if not _near(item.place, place):
                break
            if self._covered(index):
                continue
            self.held = index
            self._move(index, (item.place[0], item.place[1], self.lifted))
            self.hand = self.items[index].place
            return True
        return False

    def put(self, at: Sequence[float]) -> bool:
        """Lower what is held onto what is under a place, and let go; False if nothing is held."""
        if self.held is None:
            return False
        index, place = self.held, self.limits.clipped(at)
        self.held = None
        self._land(index, place)
        self.hand = (place[0], place[1], self.lifted)
        return True

    def push(self, start: Sequence[float], end: Sequence[float]) -> bool:
        """Push what is at ``start`` as far as ``end``; False if the hand is full or meets nothing.

        What it runs into is pushed along, what lies on it rides along; a drawer's face shuts it.
        """
        first, last = self.limits.clipped(start), self.limits.clipped(end)
        if self.held is not None:
            return False
        self.hand = (last[0], last[1], self.lifted)
        if self._shut(first, last):
            return True
        for index in self._by_distance(first):
            place = self.items[index].place
            if not _near(place, first):
                break
            if self.drawer is None or not self.drawer.covers(place):
                self._shift(index, last[0] - first[0], last[1] - first[1])
                return True
        return False

    # How things come to rest; physics do it otherwise.

    def _land(self, index: int, place: Place, ceiling: float = math.inf) -> None:
        """Let a thing down at x and y of a place, onto the highest of what is below a height."""
        item, tipped = self.items[index], set[int]()
        x, y = before = place[0], place[1]
        while True:
            under, floor = self._under(index, x, y, ceiling)
            if not under:
                self._move(index, (x, y, floor + item.half))
                return
            across = under[0] in tipped  # it cannot fall through between two that it tips off
            if across:
                x, y = (x + before[0]) / 2, (y + before[1]) / 2
                under, floor = self._under(index, x, y, ceiling)
            if across or self._carries(under, item.half, x, y):
                top = self.items[under[0]].top if under else floor
                self._move(index, (x, y, top + item.half))
                return
            # It tips off to the side on which its middle is, and ends beside what it fell from.
            tipped.add(under[0])
            before, below = (x, y), self.items[under[0]]
            dx, dy = x - below.place[0], y - below.place[1]
            far = (item.half + below.half) / max(abs(dx), abs(dy))
            x, y = below.place[0] + far * dx, below.place[1] + far * dy

    def _under(
        self, index: int, x: float, y: float, ceiling: float = math.inf
    ) -> tuple[list[int], float]:
        """The highest things under one at x and y, and the height of the floor there.

        Args:
            index: of the thing.
            x: where it is or is lowered.
            y: likewise.
            ceiling: only what has its middle below this height.
        """
        half = self.items[index].half
        reached = [
            other
            for other in range(len(self.items))
            if other not in (index, self.held)
            and self.items[other].place[2] < ceiling
            and _over(half, x, y, self.items[other])
        ]
        floor = 0.0
        if self.drawer is not None:
            if self.drawer.holds((x, y, 0.0)) and y > self.drawer.y1:
                floor = self.drawer.floor
            elif self.drawer.covers((x, y, 0.0)):
                floor = self.drawer.height
        highest = max((self.items[other].top for other in reached), default=0.0)
        return [it for it in reached if self.items[it].top >= highest - _SLACK], floor

    def _carries(self, under: Sequence[int], half: float, x: float, y: float) -> bool:
        """Whether things of one height carry one with its middle at x and y: one, or several."""
        below = [self.items[other] for other in under]
        if any(_within(x - it.place[0], y - it.place[1]) for it in below):
            return True
        if len(below) < 2:
            return False
        # Several do if its middle is amid where it touches them: no half plane is free of corners.
        corners = [
            math.atan2(b, a)
            for it in below
            for a in _shared(half, it.place[0] - x, it.half)
            for b in _shared(half, it.place[1] - y, it.half)
        ]
        turns = sorted(corners)
        gaps = [b - a for a, b in pairwise([*turns, turns[0] + math.tau])]
        return max(gaps) <= math.pi + _SLACK

    def _shift(self, index: int, dx: float, dy: float) -> None:
        """Push a thing by a vector, with what it meets and what it carries."""
        moves = self._pushed(index, dx, dy)
        for other, (a, b) in moves.items():
            x, y, z = self.items[other].place
            self._move(other, (x + a, y + b, z))
        for other in sorted(range(len(self.items)), key=lambda it: self.items[it].place[2]):
            if other != self.held and not self._rests(other):
                self._land(other, self.items[other].place, self.items[other].place[2])

    def _pushed(self, index: int, dx: float, dy: float) -> dict[int, tuple[float, float]]:
        """How far each thing goes if one is pushed by a vector."""
        moves = {index: (dx, dy)}
        waiting = [index]
        while waiting:
            mover = waiting.pop(0)
            a, b = moves[mover]
            for other in range(len(self.items)):
                if other in (mover, index, self.held):
                    continue
                share = 0.0 if self._on(other, mover) else self._meets(mover, other, a, b)
                if share is None:
                    continue
                left = (a * (1 - share), b * (1 - share))
                known = moves.get(other, (0.0, 0.0))
                if abs(left[0]) + abs(left[1]) > abs(known[0]) + abs(known[1]) + _SLACK:
                    moves[other] = left
                    waiting.append(other)
        return moves

    def _meets(self, mover: int, other: int, dx: float, dy: float) -> float | None:
        """The share of the way after which a thing pushed by a vector meets another, or None."""
        one, two = self.items[mover], self.items[other]
        reach = one.half + two.half
        if abs(one.place[2] - two.place[2]) >= reach - _SLACK:
            return None
        enter, leave = 0.0, 1.0
        for gap, way in ((two.place[0] - one.place[0], dx), (two.place[1] - one.place[1], dy)):
            if abs(way) < _SLACK:
                if abs(gap) >= reach - _SLACK:
                    return None
                continue
            first, last = sorted(((gap - reach) / way, (gap + reach) / way))
            enter, leave = max(enter, first), min(leave, last)
        return enter if (leave - enter) * math.hypot(dx, dy) > _SLACK else None

    def _rests(self, index: int) -> bool:
        item = self.items[index]
        x, y, z = item.place
        under, floor = self._under(index, x, y, ceiling=z)
        top = self.items[under[0]].top if under else floor
        if under and abs(z - item.half - top) < _SLACK:
            return self._carries(under, item.half, x, y)
        return z <= floor + item.half + _SLACK

    def _shut(self, first: Place, last: Place) -> bool:
        """Push the drawer's face, if that is what is met; what is in it goes along."""
        drawer = self.drawer
        if drawer is None or last[1] >= first[1]:
            return False
        x, y, z = first
        if not (drawer.x0 <= x <= drawer.x1 and drawer.floor <= z <= drawer.rim):
            return False
        contact = y if abs(y - drawer.front) <= NEAR else drawer.front
        if y < contact or last[1] >= contact:
            return False
        opening = max(0.0, drawer.opening + last[1] - contact)
        shift = opening - drawer.opening
        for index, item in enumerate(self.items):
            x, y, z = item.place
            if index != self.held and drawer.holds(item.place) and drawer.floor < z < drawer.rim:
                self._move(index, (x, y + shift, z))
        self.drawer = drawer._replace(opening=opening)
        return True

    def _move(self, index: int, place: Place) -> None:
        self.items[index] = replace(self.items[index], place=place)

    def _on(self, upper: int, lower: int) -> bool:
        """Whether a thing stands on another."""
        one, two = self.items[upper], self.items[lower]
        dx, dy = one.place[0] - two.place[0], one.place[1] - two.place[1]
        return self._touches(upper, lower) and _within(dx, dy)

    def _touches(self, upper: int, lower: int) -> bool:
        """Whether any part of a thing lies on another."""
        one, two = self.items[upper], self.items[lower]
        level = abs(one.place[2] - one.half - two.top) < 2.0
        return level and _over(one.half, one.place[0], one.place[1], two)

    def _covered(self, index: int) -> bool:
        """Whether something stands on a thing, or the cabinet is above it."""
        if self.drawer is not None and self.drawer.covers(self.items[index].place):
            return True
        others = range(len(self.items))
        return any(it not in (index, self.held) and self._touches(it, index) for it in others)

    def _by_distance(self, place: Place) -> list[int]:
        def away(index: int) -> float:
            there = self.items[index].place
            return sum((a - b) ** 2 for a, b in zip(there, place, strict=True))

        return sorted(range(len(self.items)), key=away)


def _near(there: Place, place: Place) -> bool:
    dx, dy, dz = (a - b for a, b in zip(there, place, strict=True))
    return dx * dx + dy * dy <= NEAR * NEAR and abs(dz) <= NEAR


def _within(dx: float, dy: float) -> bool:
    """Whether one middle is near enough to another to stand on it."""
    return dx * dx + dy * dy < NEAR * NEAR


def _shared(half: float, gap: float, other: float) -> tuple[float, float]:
    """Along one axis, the ends of what two things have in common; the other's middle is ``gap``."""
    return max(-half, gap - other), min(half, gap + other)


def _over(half: float, x: float, y: float, other: Item) -> bool:
    reach = half + other.half - _SLACK
    return abs(x - other.place[0]) < reach and abs(y - other.place[1]) < reach
