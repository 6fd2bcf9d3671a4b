"""Partners to furnish a room with: of graded stubbornness, and one who takes and says nothing.

A room-mate lists all rooms there could be (who sees the room can) and looks for one that is good
enough for itself and has as much as can be of what the others have claimed. How good is good enough
falls from its best to what the room as found is worth, by the time-dependent tactic of Faratin,
Sierra and Jennings (1998): the share given up at time t is ``(1 - stubbornness) * t``.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces

from gymposium.errors import UsageError
from gymposium.types import Action, Seat, Turn

from ...envs.common_ground.questions import SILENT
from ...envs.limits import real
from ...envs.rooms.arranging.pieces import SPOTS, STORE
from ...envs.rooms.arranging.wishes import ACCEPT, AGAINST, FOR, REJECT

_TALK = 1
_QUALITY = 0.4  # of the room, for one's own wishes: what the rules of the defaults come to
_NAMED = 3  # wishes put into words at a time


class RoomMate:
    """Says what it wants, gives way over time, and moves towards what suits both.

    Args:
        stubbornness: 1 never gives anything up, 0 gives all up by the end.
    """

    name: ClassVar[str] = "room_mate"
    summary: ClassVar[str] = "Furnishes a room in talk, and concedes with 1 - stubbornness."
    worlds: ClassVar[tuple[str, ...]] = ("arrange_room-v0",)
    deterministic: ClassVar[bool] = True
    talks: ClassVar[bool] = True

    def __init__(self, stubbornness: float = 0.5) -> None:
        self.stubbornness = real(self.name, "stubbornness", stubbornness, 0, 1)

    def reset(self, seat: Seat, seed: int) -> None:
        """A new room.

        Raises:
            UsageError: the seat is not one of arrange_room-v0's partners.
        """
        seen = getattr(seat.observation_space, "spaces", {})
        if "wishes" not in seen or "phase" not in seen:
            raise UsageError(f"{self.name} plays arrange_room-v0; {seat.id!r} is another's seat")
        space: Any = seat.action_space
        assert isinstance(space, spaces.Dict)
        self._sizes = np.asarray(space["stances"].nvec)  # type: ignore[attr-defined]
        self._rooms: Any = None

    def act(self, turn: Turn) -> Action:
        """Claim and move, or judge what has come of it."""
        seen = turn.observation
        codes = np.full(len(self._sizes), SILENT)
        if seen["phase"] != _TALK:
            now, then = seen["worth"]
            codes[-1] = ACCEPT if now >= then - 1e-6 else REJECT
            return {"stances": codes, "say": "", "move": 0}
        self._look(seen)
        goal = self._goal(seen)
        move = self._step(self._rooms[goal], seen, turn.action_mask["move"])
        if self.talks:
            codes[:-1] = self._claims(goal, seen)
        return {"stances": codes, "say": self._words(codes[:-1]), "move": move}

    def _look(self, seen: Any) -> None:
        """List all rooms, what is so in each, and what each is worth to oneself."""
        from ...envs.rooms.arranging.site import plan_of, site_of
        from ...envs.rooms.arranging.wishes import met, possible, topics_of

        if self._rooms is None:
            plan = plan_of(seen["site"], len(seen["placed"]))
            site = site_of(plan)
            self._topics = topics_of(plan.room, plan.pieces)
            self._rooms, self._true = site.arrangements, possible(plan)
            own = met(np.asarray(seen["wishes"], float)[None], self._true)[:, 0]
            self._own = own + _QUALITY * site.qualities
            self._then = float(self._own[self._place(np.asarray(seen["placed"]))])

    def _place(self, room: Any) -> int:
        return int(np.flatnonzero((self._rooms == room).all(1))[0])

    def _enough(self, left: float) -> float:
        """The least that a room must be worth to be aimed at."""
        best = float(self._own.max())
        return best - (1 - self.stubbornness) * (1 - left) * max(best - self._then, 0.0)

    def _goal(self, seen: Any) -> int:
        """The room of those good enough that has most of the others' claims, then of one's own."""
        good = np.flatnonzero(self._own >= self._enough(float(seen["left"][0])) - 1e-9)
        claims = np.asarray(seen["stances"]).reshape(-1, len(self._sizes))[1:, :-1]
        true = self._true[good]
        agreed = sum(
            (true & (row == FOR)).sum(1) + (~true & (row == AGAINST)).sum(1) for row in claims
        )
        way = (self._rooms[good] != np.asarray(seen["placed"])).sum(1)
        order = np.lexsort((way, -self._own[good].round(6), -np.asarray(agreed)))
        return int(good[order[0]])

    def _step(self, goal: Any, seen: Any, mask: Any) -> int:
        """A legal move towards the goal: home if that is free, else out of the way."""
        wrong = [p for p, spot in enumerate(goal) if seen["placed"][p] != spot]
        steps = [1 + p * len(SPOTS) + int(goal[p]) for p in wrong]
        steps += [1 + p * len(SPOTS) + STORE for p in wrong]
        return next((step for step in steps if mask[step]), 0)

    def _claims(self, goal: int, seen: Any) -> Any:
        """Its wishes that the goal meets, and what others claim and the goal has."""
        so = np.where(self._true[goal], FOR, AGAINST)
        wishes = np.asarray(seen["wishes"])
        wanted = np.where(wishes > 0, FOR, np.where(wishes < 0, AGAINST, SILENT))
        others = np.asarray(seen["stances"]).reshape(-1, len(self._sizes))[1:, :-1]
        spoken = (wanted == so) | (others == so).any(0)
        return np.where(spoken, so, SILENT)

    def _words(self, claims: Any) -> str:
        if not self.talks:
            return ""
        named = [
            topic.so if code == FOR else topic.not_so
            for topic, code in zip(self._topics, claims, strict=True)
            if code
        ]
        return f"I would like this: {'; '.join(named[:_NAMED])}." if named else ""


class SilentMate(RoomMate):
    """Says nothing, concedes nothing, and moves everything to where it likes it best."""

    name = "silent_mate"
    summary = "Says nothing, concedes nothing and moves things to where it likes them best."
    talks = False

    def __init__(self) -> None:
        super().__init__(1.0)


BOTS: dict[str, type] = {bot.name: bot for bot in (RoomMate, SilentMate)}
