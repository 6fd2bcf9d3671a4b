"""The base of the bots of grid worlds: reading codes, finding ways, remembering a little.

Written on whole batches: ``act_batch`` is the bot, ``act`` its batch of one. What a bot remembers
of a match is one row of int64: a seed, a clock and the bot's own slots, so that rows of a batch
never touch each other and every draw is a hash of (seed, clock, purpose).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from gymposium.errors import UsageError
from gymposium.types import Action, Seat, Turn

from ....envs.grid.state import FLAG_AWAY, HEADING_SHIFT, OTHER, WALL
from .paths import NOWHERE, first_steps

TURN_LEFT, TURN_RIGHT, STAY, ZAP, SPECIAL = 0, 1, 6, 7, 8
AHEAD, LEFT, BACK, RIGHT = range(4)
"""Directions relative to a seat, in left turns."""

_ROW, _COLUMN = 9, 5  # the seat's own cell in its view
_STEP = np.array([4, 2, 5, 3], np.int64)  # the action for a step, by heading or by left turns
_TURN = np.array([STAY, TURN_LEFT, TURN_LEFT, TURN_RIGHT], np.int64)
# What every beam reaches: one and two cells ahead, and the two diagonals ahead.
_REACH = ((_ROW - 1, 5), (_ROW - 2, 5), (_ROW - 1, 4), (_ROW - 1, 6))
_SEED, _CLOCK, SLOTS = 0, 1, 2
_ODD = np.uint64(0x9E3779B97F4A7C15)


@dataclass
class Sight:
    """What a batch of seats sees.

    Attributes:
        items: uint8 ``[B, 11, 11]``.
        people: uint8 ``[B, 11, 11]``.
        heading: int64 ``[B]``, by the compass.
        minds: int64 ``[B, K]``, what each row remembers; written to.
        walkable: bool ``[B, 11, 11]``: no wall, and nobody there.
    """

    items: Any
    people: Any
    heading: Any
    minds: Any
    walkable: Any

    @property
    def rows(self) -> int:
        """B."""
        return len(self.items)

    @property
    def clock(self) -> Any:
        """Turns each row has had."""
        return self.minds[:, _CLOCK]

    @property
    def others(self) -> Any:
        """Where others stand, bool ``[B, 11, 11]``."""
        return (self.people & OTHER) != 0

    def see(self, *codes: int) -> Any:
        """Where items of these codes are, bool ``[B, 11, 11]``."""
        found = self.items == codes[0]
        for code in codes[1:]:
            found |= self.items == code
        return found

    def standing_on(self, code: int) -> Any:
        """Whether that item is under the seat, bool ``[B]``."""
        return self.items[:, _ROW, _COLUMN] == code

    def in_reach(self, where: Any) -> Any:
        """Whether any beam of ours would touch a cell of ``where``, bool ``[B]``."""
        return np.any([where[:, r, c] for r, c in _REACH], axis=0)

    @cached_property
    def _noise(self) -> Any:
        """64 random bits a row: splitmix64's finaliser (Steele, Lea and Flood 2014) of its turn."""
        x = self.minds[:, _SEED].astype(np.uint64) + self.clock.astype(np.uint64) * _ODD
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))

    def chance(self, purpose: int) -> Any:
        """A draw from [0, 1) for each row and purpose (0 to 3), whatever batch the row is in."""
        return ((self._noise >> np.uint64(16 * purpose)) & np.uint64(0xFFFF)) / 65536


class GridBot(ABC):
    """Base of the grid bots."""

    name: ClassVar[str]
    summary: ClassVar[str]
    worlds: ClassVar[tuple[str, ...]]
    deterministic: ClassVar[bool] = True
    slots: ClassVar[int] = 2
    """Numbers a row remembers beside its seed and clock; all 0 at the start."""
    closed: ClassVar[tuple[int, ...]] = ()
    """Items that nobody can stand on, beside walls."""

    egocentric = False
    place = 0
    """The number of the seat."""

    def reset(self, seat: Seat, seed: int) -> None:
        """A new match: learn how steps go, forget the last one.

        Raises:
            UsageError: the seat is another kind of world's.
        """
        if getattr(seat.observation_space, "shape", None) != (11, 11, 2):
            where = ", ".join(self.worlds)
            raise UsageError(f"{self.name} plays {where}; seat {seat.id!r} is another world's")
        self.egocentric = "step forward" in seat.rules
        digits = seat.id.rpartition("_")[2]
        self.place = int(digits) if digits.isdecimal() else 0
        self._mind = self.start(seed)

    def start(self, seed: int) -> Any:
        """What a row remembers at the start of a match, for ``act_batch``."""
        mind = np.zeros(SLOTS + self.slots, np.int64)
        mind[_SEED] = seed % (1 << 62)
        return mind

    def act(self, turn: Turn) -> Action:
        """The action for one turn."""
        actions, minds = self.act_batch([turn.observation], [self._mind], [turn.action_mask])
        self._mind = minds[0]
        return int(actions[0])

    def act_batch(
        self, observations: Sequence[Any], states: Sequence[Any], masks: Sequence[Any]
    ) -> tuple[Any, Any]:
        """Act in many matches at once.

        Args:
            observations: codes ``[B, 11, 11, 2]``.
            states: ``[B, K]``, from ``start`` or the previous call.
            masks: not looked at; grid worlds have none.

        Returns:
            Actions int64 ``[B]`` and the states to hand in next time, in fresh arrays.
        """
        codes, minds = np.asarray(observations, np.uint8), np.array(states, np.int64)
        items, people = codes[..., 0], codes[..., 1]
        own = people[:, _ROW, _COLUMN]
        free = (items != WALL) & ((people & OTHER) == 0)
        for code in self.closed:
            free &= items != code
        heading = (own >> HEADING_SHIFT).astype(np.int64) & 3
        sight = Sight(items, people, heading, minds, free)
        actions = np.where((own & FLAG_AWAY) != 0, STAY, self.decide(sight))
        minds[:, _CLOCK] += 1
        return actions, minds

    @abstractmethod
    def decide(self, sight: Sight) -> Any:
        """The actions, int64 ``[B]``; may write to the slots of ``sight.minds``."""

    # What bots are made of.

    def step(self, sight: Sight, direction: Any) -> Any:
        """The actions that step in a relative direction, int64 ``[B]``."""
        way = direction if self.egocentric else sight.heading + direction
        return _STEP[way & 3]

    def seek(self, sight: Sight, goals: Any, slot: int) -> Any:
        """Go for the nearest goal; without one in sight, to where one was last seen, else about.

        Args:
            sight: what is seen.
            goals: bool ``[B, 11, 11]``.
            slot: remembers the direction of the last goal seen.

        Returns:
            Actions, int64 ``[B]``.
        """
        way, _, cell = first_steps(sight.walkable, goals, (_ROW, _COLUMN), self._order(sight))
        self._remember(sight, cell, slot)
        return np.where(way == NOWHERE, self.search(sight, slot), self.step(sight, way))

    def approach(self, sight: Sight, goals: Any, slot: int) -> Any:
        """As :meth:`seek`, but stop one cell short of the goal and turn to face it."""
        way, length, cell = first_steps(sight.walkable, goals, (_ROW, _COLUMN), self._order(sight))
        self._remember(sight, cell, slot)
        near = np.where(length == 1, _TURN[way & 3], self.step(sight, way))
        return np.where(way == NOWHERE, self.search(sight, slot), near)

    def search(self, sight: Sight, slot: int) -> Any:
        """Turn to the remembered direction and go; without one, look round and then go about."""
        known = sight.minds[:, SLOTS + slot]
        turn = np.where(known > 0, (known - 1 - sight.heading) & 3, AHEAD)
        free = sight.walkable[:, _ROW - 1, _COLUMN]
        # At the end of the way the memory is of no use any more.
        sight.minds[:, SLOTS + slot] = np.where((turn == AHEAD) & ~free, 0, known)
        lost = np.where((known == 0) & (sight.clock < 3), TURN_LEFT, self.wander(sight))
        return np.where(turn == AHEAD, lost, _TURN[turn])

    def wander(self, sight: Sight) -> Any:
        """Go ahead until something is in the way, with a turn now and then."""
        free = sight.walkable[:, _ROW - 1, _COLUMN]
        turn = np.where(sight.chance(0) < 0.5, TURN_LEFT, TURN_RIGHT)
        on = free & (sight.chance(1) >= 0.06)
        return np.where(on, self.step(sight, np.full(sight.rows, AHEAD)), turn)

    def _order(self, sight: Sight) -> Any:
        return (sight.chance(2) * 4).astype(np.int64)

    def _remember(self, sight: Sight, cell: Any, slot: int) -> None:
        up, right = _ROW - cell // 11, cell % 11 - _COLUMN
        sideways = np.where(right < 0, LEFT, RIGHT)
        turn = np.where(np.abs(right) > np.abs(up), sideways, np.where(up >= 0, AHEAD, BACK))
        seen = ((sight.heading + turn) & 3) + 1
        known = sight.minds[:, SLOTS + slot]
        sight.minds[:, SLOTS + slot] = np.where(cell == NOWHERE, known, seen)
