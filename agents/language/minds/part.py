"""What a mind is made of: parts that are asked in turn before each move.

The shape is Concordia's (Vezhnevets et al., 2023; components around one acting model), cut down to
what a seat needs: a part may say something for the whole match, think before a move, and take note
of what was seen and done. All it learns of a turn, and all it can do about it, is a Moment.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from gymposium.types import Action, Seat, Turn

if TYPE_CHECKING:
    import numpy as np

    from ..backends.protocol import ChatBackend


class Moment(Protocol):
    """One turn being considered, as a part of a mind sees it.

    Attributes:
        turn: the question.
        number: how many answered turns came before it.
        visible: of these, how many the model still has before its eyes.
        rng: for draws; seeded by the match.
        backend: the model, for what the questions below do not do.
    """

    turn: Turn
    number: int
    visible: int
    rng: np.random.Generator
    backend: ChatBackend

    def note(self, text: str) -> None:
        """Put ``text`` before the model's eyes, for this turn."""
        ...

    async def ask(self, question: str, *, characters: int = 120) -> str | None:
        """The model's answer in words, which it keeps before its eyes for this turn.

        None if it had nothing to say, however often it was asked.
        """
        ...

    async def choose(self, question: str, options: Sequence[str]) -> str | None:
        """One of ``options``; None if the model names none, however often it was asked."""
        ...

    async def number_between(self, question: str, low: int, high: int) -> int | None:
        """A whole number; None if the model gives none in range, however often it was asked."""
        ...

    def options(self) -> Sequence[Any]:
        """The legal actions in words, as JSON values, where they can be listed; else empty."""
        ...

    async def likelihoods(self, options: Sequence[Any]) -> list[float] | None:
        """Log-likelihood of each as the move; None if the model cannot tell."""
        ...

    def decide(self, action: Action, why: str) -> None:
        """Make the move without asking the model for it; ``action`` is one of ``options()``."""
        ...


class Part:
    """A part of a mind; every method may be left as it is. One instance serves one seat."""

    def begin(self, seat: Seat) -> str:
        """A match begins: forget the last one.

        Returns:
            What the model is to have before its eyes for the whole match, if anything.
        """
        return ""

    async def consider(self, moment: Moment) -> None:
        """Think before a move."""

    def keep(self, number: int, seen: str, done: str) -> None:
        """Take note of an answered turn: its number, what was seen, what was answered."""
