"""Associative memory: short texts, of which those come back that fit what is happening now.

As the memory bank of Concordia's agents (Vezhnevets et al., 2023) and of generative agents (Park et
al., 2023), ranked by likeness alone: by meaning, with sentence embeddings, or by shared words, with
BM25. What comes back is a function of what was put in and of the question, nothing else.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from .bm25 import bm25
from .embedding import can_embed, embed

Ranking = Literal["auto", "embeddings", "bm25"]
MOST = 256
"""Texts kept; the oldest go first."""


class Kept(NamedTuple):
    """One memory.

    Attributes:
        turn: the number of the turn it is from.
        text: what is remembered.
        cue: what it is found by.
    """

    turn: int
    text: str
    cue: str


class AssociativeMemory:
    """Texts by turn.

    Args:
        by: how likeness is measured; ``auto`` is by embeddings where the extra ``embeddings`` is
            installed, else by BM25.
        most: texts kept.
    """

    def __init__(self, by: Ranking = "auto", most: int = MOST) -> None:
        self.by: Ranking = by if by != "auto" else "embeddings" if can_embed() else "bm25"
        self._most = most
        self._kept: list[Kept] = []

    def __len__(self) -> int:
        return len(self._kept)

    def add(self, turn: int, text: str, cue: str = "") -> None:
        """Put a text in; one that is there already counts as seen in its latest turn only.

        Args:
            turn: its number; never less than an earlier one.
            text: what to remember.
            cue: what it is found by; the text itself unless given.
        """
        self._kept = [kept for kept in self._kept if kept.text != text][1 - self._most :]
        self._kept.append(Kept(turn, text, cue or text))

    def retrieve(self, query: str, count: int, *, before: int) -> list[Kept]:
        """The best matches from turns before ``before``, in the order of their turns.

        Equally good ones are taken latest first. By BM25 only texts that share a word qualify.

        Raises:
            MissingExtra: ``by`` is embeddings, and they are not installed.
        """
        open_ = [kept for kept in self._kept if kept.turn < before]
        if not open_ or count < 1:
            return []
        if self.by == "embeddings":
            asked = embed(query)
            # Rounded, so that the last bits of a sum, which machines differ in, decide nothing.
            scores = [round(float(asked @ embed(kept.cue)), 5) for kept in open_]
        else:
            scores = bm25(query, [kept.cue for kept in open_])
            open_ = [kept for kept, score in zip(open_, scores, strict=True) if score > 0]
            scores = [score for score in scores if score > 0]
        order = sorted(range(len(open_)), key=lambda index: (-scores[index], -index))
        return [open_[index] for index in sorted(order[:count])]
