"""Bots that play every text world of the contest, each in one spirit.

They stand for the contest's background populations and for its controls: who always cooperates, who
never does, who answers like with like (Rapoport's tit for tat, by majority), who never forgives.
What a spirit means in a world is written in :mod:`.parts`, by what the seat is in it.
"""

from __future__ import annotations

from typing import Any, ClassVar

from gymposium.errors import UsageError
from gymposium.types import Action, Seat, Turn

from .parts import PARTS, Spirit

TEXT = (
    "labor_action-v0",
    "pub_coordination-v0",
    "reality_show-v0",
    "state_formation-v0",
    "text_haggling-v0",
)
_CHOOSE = 2


class TextCooperator:
    """Always cooperates: shares, strikes, splits gains, goes where most want to go."""

    name: ClassVar[str] = "text_cooperator"
    worlds: ClassVar[tuple[str, ...]] = TEXT
    deterministic: ClassVar[bool] = True
    spirit: ClassVar[Spirit] = Spirit.COOPERATE

    def reset(self, seat: Seat, seed: int) -> None:
        """Learn what the seat is in this world."""
        if seat.role not in PARTS or "facts" not in getattr(seat.observation_space, "spaces", {}):
            raise UsageError(
                f"{type(self).__name__} plays {', '.join(TEXT)}; seat {seat.id!r} "
                f"({seat.role}) is another world's"
            )
        self._part = PARTS[seat.role](self.spirit, seat)
        self._letters = seat.action_space["say"].max_length  # type: ignore[index]

    def act(self, turn: Turn) -> Action:
        """Speak or choose."""
        seen: Any = turn.observation
        facts = self._part.look(seen)
        if seen["ask"] == _CHOOSE:
            return {"say": "", "choose": self._part.choose(facts, seen)}
        return {"say": self._part.say(facts, seen)[: self._letters], "choose": 0}


class TextDefector(TextCooperator):
    """Never cooperates: grabs, works through strikes, bargains hard, goes where it likes best."""

    name = "text_defector"
    spirit = Spirit.DEFECT


class TextReciprocator(TextCooperator):
    """Cooperates first, then as most others did the last time."""

    name = "text_reciprocator"
    spirit = Spirit.RECIPROCATE


class TextPunisher(TextCooperator):
    """Cooperates until most others fail to, and never again after that."""

    name = "text_punisher"
    spirit = Spirit.PUNISH


BOTS = {bot.name: bot for bot in (TextCooperator, TextDefector, TextReciprocator, TextPunisher)}
