"""What a conversation is about: questions, each with a few answers that exclude each other.

An answer to a question is a proposition; taking a stance is saying one answer, or taking back all.
This is the symbolic side of talk: a row of small numbers, one a question, beside the words.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from .ledger import Props, Vocabulary

Codes: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]
SILENT = 0
"""The code of a question that is not spoken of. 1 … K are its answers, K + 1 is "unsure"."""


class Question(NamedTuple):
    """One question.

    Attributes:
        name: how it is called.
        answers: its K answers, as sentences; the first matches decide between them.
        kinds: a word for each answer.
    """

    name: str
    answers: tuple[str, ...]
    kinds: tuple[str, ...]


class Questions:
    """Q questions, and the propositions that their answers are.

    Attributes:
        items: the questions.
        vocabulary: their answers in a row, as propositions.
        sizes: int ``[Q]``, codes of each question: silent, its answers, unsure.
        first: int ``[Q]``, where each question's answers begin among the propositions.
    """

    def __init__(self, items: tuple[Question, ...], entails: dict[str, tuple[str, ...]]) -> None:
        self.items = items
        names = tuple(answer for item in items for answer in item.answers)
        counts = np.array([len(item.answers) for item in items])
        self.sizes = counts + 2
        self.first = np.concatenate([[0], np.cumsum(counts)[:-1]])
        index = {name: place for place, name in enumerate(names)}
        says = np.eye(len(names), dtype=bool)
        for name, others in entails.items():
            says[index[name], [index[other] for other in others]] = True
        owner = np.repeat(np.arange(len(items)), counts)
        # Two answers to one question exclude each other unless one of them says the other.
        conflicts = (owner[:, None] == owner[None]) & ~says & ~says.T
        # What says something that cannot be held beside p cannot be held beside p either.
        conflicts = says @ conflicts @ says.T
        kinds = tuple(kind for item in items for kind in item.kinds)
        self.vocabulary = Vocabulary(names, kinds, says, conflicts)
        self._places = index
        self._owner = owner
        self._says = says.sum(1)
        places = self.first[:, None] + np.arange(counts.max())
        self._grid = np.where(np.arange(counts.max()) < counts[:, None], places, len(names))

    def claims(self, codes: Codes) -> tuple[Props, Props]:
        """(claimed, taken back), bool ``[P]``, of a row of codes ``[Q]``."""
        claimed = np.zeros(len(self._owner), bool)
        answered = (codes > SILENT) & (codes < self.sizes - 1)
        claimed[self.first[answered] + codes[answered] - 1] = True
        return claimed, (codes == self.sizes - 1)[self._owner]

    def codes(self, props: Props) -> Codes:
        """The most telling answer to each question among ``props``, ``[Q]``; SILENT for none."""
        told = np.append(self._says * props, 0)[self._grid]
        return np.where(told.any(1), told.argmax(1) + 1, SILENT)

    def place(self, sentence: str) -> tuple[int, int] | None:
        """(question, code) of the answer that reads so, give or take case and spaces."""
        found = self._places.get(sentence)
        if found is None:
            found = self._folded.get(" ".join(sentence.casefold().split()))
        if found is None:
            return None
        question = int(self._owner[found])
        return question, found - int(self.first[question]) + 1

    @property
    def _folded(self) -> dict[str, int]:
        return {name.casefold(): place for name, place in self._places.items()}

    def sentence(self, question: int, code: int) -> str:
        """The answer with that code."""
        return self.items[question].answers[code - 1]
