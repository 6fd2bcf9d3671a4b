"""The parts minds are made of: who one is, what one remembers, asks oneself, plans and weighs.

The questions are those of Concordia's agents (Vezhnevets et al., 2023), who have them from March
and Olsen's logic of appropriateness: what situation is this, what kind of person am I, what does a
person like me do in a situation like this?
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import orjson

from gymposium.types import Seat

from .associative_memory import AssociativeMemory, Ranking
from .part import Moment, Part

MEMORY_LENGTH = 240
"""Characters of a memory; a longer turn is cut in the middle."""
CUE_LENGTH = 120
"""Characters of what a memory is found by: embedding takes time in proportion."""


class Identity(Part):
    """Who one is: said once, after the rules.

    Args:
        text: in the second person; ``{seat}`` stands for the seat's name.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    def begin(self, seat: Seat) -> str:
        """The text."""
        return self._text.replace("{seat}", seat.id)


class Goal(Identity):
    """What one wants: said once, after the rules.

    Args:
        text: ``to`` and a verb, or a sentence; ``{seat}`` stands for the seat's name.
    """

    def begin(self, seat: Seat) -> str:
        """The goal."""
        return f"Your goal: {super().begin(seat)}"


class Recall(Part):
    """Associative memory: turns that have left working memory come back when they fit.

    Of a turn only what is new in it is remembered: lines that stood in the turn before are not.

    Args:
        count: memories at a time.
        by: ``embeddings``, ``bm25``, or ``auto`` for the first where it is installed.
    """

    def __init__(self, count: int = 3, by: Ranking = "auto") -> None:
        self._count = count
        self._by: Ranking = by

    def begin(self, seat: Seat) -> str:
        """Forget the last match."""
        self._memory = AssociativeMemory(self._by)
        self._before: set[str] = set()
        self._new = ""
        return ""

    async def consider(self, moment: Moment) -> None:
        """Bring back what fits the turn."""
        lines = moment.turn.text.splitlines()
        self._new = _short(" ".join(line for line in lines if line not in self._before))
        self._before = set(lines)
        gone = moment.number - moment.visible
        found = self._memory.retrieve(_short(self._new, CUE_LENGTH), self._count, before=gone)
        if found:
            moment.note("\n".join(["You remember:", *(f"- {kept.text}" for kept in found)]))

    def keep(self, number: int, seen: str, done: str) -> None:
        """Remember what was new in the turn, to be found by that, and what was answered."""
        text = f"{self._new} You answered {_short(done, 80)}.".strip()
        self._memory.add(number, text, _short(self._new, CUE_LENGTH))


def _short(text: str, most: int = MEMORY_LENGTH) -> str:
    """On one line, the middle left out if it is longer than ``most``."""
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most // 2]} … {text[-most // 2 :]}"


class Question(Part):
    """A question the model answers before each move.

    Args:
        ask: the question.
        characters: the longest answer.
    """

    def __init__(self, ask: str, characters: int = 120) -> None:
        self._ask = ask
        self._characters = characters

    async def consider(self, moment: Moment) -> None:
        """Ask it."""
        await moment.ask(self._ask, characters=self._characters)


class Plan(Part):
    """A plan, made anew every few turns and kept in view in between.

    Args:
        ask: the question that makes it.
        every: turns it holds for.
        characters: the longest plan.
    """

    def __init__(
        self,
        ask: str = "What is your plan for the next turns?",
        every: int = 4,
        characters: int = 160,
    ) -> None:
        self._ask = ask
        self._every = every
        self._characters = characters

    def begin(self, seat: Seat) -> str:
        """No plan yet."""
        self._plan: str | None = None
        self._made = 0
        return ""

    async def consider(self, moment: Moment) -> None:
        """Plan, or keep to the plan."""
        if self._plan is not None and moment.number - self._made < self._every:
            moment.note(f"Your plan: {self._plan}")
            return
        self._plan = await moment.ask(self._ask, characters=self._characters)
        self._made = moment.number


class Options(Part):
    """What one could do: read off the rules where it can be listed, else asked."""

    async def consider(self, moment: Moment) -> None:
        """List them, or ask."""
        known = moment.options()
        if known:
            moment.note(f"You could: {'; '.join(map(_said, known))}.")
        else:
            await moment.ask("What could you do or say now? Name two or three options.")


class Marks(Part):
    """A number for each option, of which the highest is played; for turns with few options.

    Args:
        by: ``question`` asks for a mark from 0 to 10, ``likelihood`` takes how likely the model
            finds each, where its backend tells.
        ask: the question; ``{option}`` stands for the option.
        most: with more options nothing is marked, and the model is asked for its move.
    """

    def __init__(
        self,
        by: Literal["question", "likelihood"] = "question",
        ask: str = "From 0 to 10, how good is this move for you: {option}?",
        most: int = 6,
    ) -> None:
        self._by = by
        self._ask = ask
        self._most = most

    async def consider(self, moment: Moment) -> None:
        """Mark the options and play the best; among equals, one drawn."""
        options = moment.options()
        if not 1 < len(options) <= self._most:
            return
        if self._by == "likelihood":
            marks: Sequence[float | None] | None = await moment.likelihoods(options)
        else:
            marks = [
                await moment.number_between(self._ask.replace("{option}", _said(option)), 0, 10)
                for option in options
            ]
        known = [mark for mark in marks or () if mark is not None]
        if marks is None or not known:
            return
        best = [index for index, mark in enumerate(marks) if mark == max(known)]
        chosen = options[best[int(moment.rng.integers(len(best)))]]
        said = ", ".join(f"{_said(o)} {m}" for o, m in zip(options, marks, strict=True))
        moment.decide(chosen, f"marks: {said}")


def _said(option: Any) -> str:
    return option if isinstance(option, str) else orjson.dumps(option).decode()
