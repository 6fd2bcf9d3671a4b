"""Bots for iterated matrix games: the strategies of Axelrod's tournaments and their descendants.

Tit for tat is Rapoport's, win-stay lose-shift that of Nowak and Sigmund (1993), generous tit for
tat theirs too (1992). "Cooperate" is a game's first action and "defect" its last. With several
others, "the other's choice" is what most of them chose, the trusting choice winning ties; so tit
for tat is a conditional contributor in a public goods game. A seat that gave no legal answer
counts as having played what was played for it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from random import Random
from typing import Any, ClassVar

from gymposium.errors import UsageError
from gymposium.types import Action, Seat, Turn

from ...envs.limits import real

MATRIX = ("iterated_matrix-v0",)


class MatrixBot(ABC):
    """Base of the bots: reads the observation and leaves the choice to ``_choose``."""

    name: ClassVar[str]
    summary: ClassVar[str]
    worlds: ClassVar[tuple[str, ...]] = MATRIX
    deterministic: ClassVar[bool] = True
    promise: ClassVar[str] = ""
    """What it says where there is talk."""

    def reset(self, seat: Seat, seed: int) -> None:
        """Learn how many actions each seat has; forget the last match."""
        try:
            counts = seat.observation_space["last"].nvec  # type: ignore[index]
        except (KeyError, TypeError, AttributeError):
            raise UsageError(
                f"{type(self).__name__} plays iterated_matrix-v0 only; "
                f"seat {seat.id!r} is another world's"
            ) from None
        self._counts = [int(count) - 2 for count in counts]
        self.defect = self._counts[0] - 1
        space: Any = seat.action_space
        self._talks = not hasattr(space, "n")
        self._said = self.promise[: space["say"].max_length] if self._talks else ""
        self._random = Random(seed)
        self._begin()

    def act(self, turn: Turn) -> Action:
        """The move of this round, or the promise when it is time to speak."""
        seen = turn.observation
        if self._talks and seen["phase"] == 0:
            return {"say": self._said, "move": 0}
        codes = seen["last"].tolist()
        if codes[0] == 0:
            move = self._first()
        else:
            played = [
                code - 1 if code <= count else 0
                for code, count in zip(codes, self._counts, strict=True)
            ]
            move = self._choose(played[0], played[1:])
        return {"say": "", "move": move} if self._talks else move

    def _begin(self) -> None:  # noqa: B027 - most bots have nothing to forget
        """Forget everything."""

    def _first(self) -> int:
        """The move of the first round."""
        return 0

    @abstractmethod
    def _choose(self, own: int, others: list[int]) -> int:
        """The move after a round in which this seat played ``own`` and the rest ``others``."""

    def _echo(self, others: list[int]) -> int:
        """What most others chose, as a move of this seat's own."""
        if len(others) == 1:
            return min(others[0], self.defect)
        most = max(set(others), key=lambda move: (others.count(move), -move))
        return min(most, self.defect)


class AlwaysCooperate(MatrixBot):
    """Always plays the first action."""

    name = "always_cooperate"
    summary = "Always plays the first action."
    promise = "I will always play fair."

    def _choose(self, own: int, others: list[int]) -> int:
        return 0


class AlwaysDefect(MatrixBot):
    """Always plays the last action."""

    name = "always_defect"
    summary = "Always plays the last action."
    promise = "You can trust me."

    def _first(self) -> int:
        return self.defect

    def _choose(self, own: int, others: list[int]) -> int:
        return self.defect


class TitForTat(MatrixBot):
    """Cooperates first, then does what the other did last."""

    name = "tit_for_tat"
    summary = "Cooperates first, then does what the other did last."
    promise = "I will do to you as you did to me."

    def _choose(self, own: int, others: list[int]) -> int:
        return self._echo(others)


class SuspiciousTitForTat(TitForTat):
    """Defects first, then does what the other did last."""

    name = "suspicious_tit_for_tat"
    summary = "Defects first, then does what the other did last."

    def _first(self) -> int:
        return self.defect


class TitForTwoTats(MatrixBot):
    """Defects only after the other has defected twice in a row."""

    name = "tit_for_two_tats"
    summary = "Defects only after the other has defected twice in a row."
    promise = "I forgive once."

    def _begin(self) -> None:
        self._before = 0

    def _choose(self, own: int, others: list[int]) -> int:
        now = self._echo(others)
        move = now if self._before else 0
        self._before = now
        return move


class GenerousTitForTat(MatrixBot):
    """Tit for tat that forgives a defection now and then.

    Args:
        generosity: the chance to forgive; a third is best at Axelrod's payoffs.
    """

    name = "generous_tit_for_tat"
    summary = "Tit for tat that forgives a defection now and then."
    promise = "I often forgive."

    def __init__(self, generosity: float = 1 / 3) -> None:
        self.generosity = real(self.name, "generosity", generosity, 0, 1)

    def _choose(self, own: int, others: list[int]) -> int:
        echo = self._echo(others)
        return 0 if echo and self._random.random() < self.generosity else echo


class Grim(MatrixBot):
    """Cooperates until anyone else defects, then defects for ever."""

    name = "grim"
    summary = "Cooperates until anyone else defects, then defects for ever."
    promise = "I will play fair until somebody does not."

    def _begin(self) -> None:
        self._angry = False

    def _choose(self, own: int, others: list[int]) -> int:
        self._angry = self._angry or any(others)
        return self.defect if self._angry else 0


class WinStayLoseShift(MatrixBot):
    """Repeats its move if the other cooperated, else changes it."""

    name = "win_stay_lose_shift"
    summary = "Repeats its move if the other cooperated, else changes it."
    promise = "I stay with what works."

    def _choose(self, own: int, others: list[int]) -> int:
        if self._echo(others) == 0:
            return own
        return self.defect if own == 0 else 0


class Alternator(MatrixBot):
    """Cooperates and defects by turns."""

    name = "alternator"
    summary = "Cooperates and defects by turns."

    def _choose(self, own: int, others: list[int]) -> int:
        return self.defect if own == 0 else 0


class Coin(MatrixBot):
    """Cooperates with a fixed probability, else defects.

    Args:
        cooperation: the probability; one half is the equilibrium of matching pennies.
    """

    name = "coin"
    summary = "Cooperates with a fixed probability, else defects."

    def __init__(self, cooperation: float = 0.5) -> None:
        self.cooperation = real(self.name, "cooperation", cooperation, 0, 1)

    def _first(self) -> int:
        return 0 if self._random.random() < self.cooperation else self.defect

    def _choose(self, own: int, others: list[int]) -> int:
        return self._first()


class Sequence(MatrixBot):
    """Plays a fixed sequence of moves, then its last move for ever.

    Args:
        moves: C for the first action, D for the last.
    """

    name = "sequence"
    summary = "Plays a fixed sequence of moves, then its last move for ever."

    def __init__(self, moves: str = "CD") -> None:
        if not isinstance(moves, str) or not moves or set(moves) - {"C", "D"}:
            raise UsageError(f"sequence: moves={moves!r} must be letters C and D, as in CCDC")
        self.moves = moves

    def _begin(self) -> None:
        self._round = 0

    def _first(self) -> int:
        move = self.moves[min(self._round, len(self.moves) - 1)]
        self._round += 1
        return 0 if move == "C" else self.defect

    def _choose(self, own: int, others: list[int]) -> int:
        return self._first()


BOTS: dict[str, type] = {
    bot.name: bot
    for bot in (
        AlwaysCooperate,
        AlwaysDefect,
        TitForTat,
        SuspiciousTitForTat,
        TitForTwoTats,
        GenerousTitForTat,
        Grim,
        WinStayLoseShift,
        Alternator,
        Coin,
        Sequence,
    )
}
