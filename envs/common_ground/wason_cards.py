"""Card selection in a group: which cards must be turned to test a rule?

What it is
    Wason's selection task, talked over. "Every card with a vowel on one side has an even number on
    the other": the vowel and the odd number must be turned, and nearly everybody alone says the
    vowel and the even number. Groups do better, often better than any member did alone.

Seats
    ``player_0``, ``player_1``, …: participants, one at a time. With ``judge`` a seat ``judge`` that
    says which claims each utterance makes.

Observation
    A Dict. ``cards``: the four symbols, by number. ``hint``: what this participant alone was told.
    ``phase`` (alone, talk, answer), ``left`` (share of the time). ``stances``: what each holds or
    has claimed of each card, oneself first. ``speaker``, ``latest``: who spoke last, counted from
    oneself, and what was claimed. ``heard``: everybody's latest words.

Actions
    A Dict: ``stances``, one number a card (0 silent, 1 turn, 2 leave, 3 unsure), and ``say``. In an
    answer only 1 and 2 are open, and what is not 1 is left.

Rules
    Each answers alone, unseen; then they speak in turns; then each answers a last time, unseen. The
    group turns what more than half of its members turn. Nobody can take a stance for another.

Reward
    For all: 0.25 for each card rightly turned or left (``reward: fine``), or 1 if all four are
    right (``exact``). Agreement is not rewarded.

End
    After the last answer.

Words
    ``{"claims": ["turn A", "leave 4"], "say": "…"}``, or plain talk.

Parameters
    See ``WasonCardsParams``.

Metrics
    Those of every discussion; ``exact`` (1 if all four cards are right); ``total_correct`` (share
    of all answers of all participants, over time, that are exactly right).

Source
    Wason (1968); Karadzhov, Stafford and Vlachos, DeliData (2023), whose groups talk in chat; the
    measures of Nath and Krishnaswamy (NeurIPS 2025). Derived: turns, hints, the vote.

Versions
    v0: first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from gymnasium import spaces

from gymposium.types import Turn

from ..grid.batch import seed_of
from ..limits import choice, whole
from ..seeds import checked_seed
from .discussion import Discussion, DiscussionParams
from .ledger import Ledger, Props
from .measures import METRICS
from .questions import Codes, Question, Questions
from .wason_deal import CLASSES, KEY, SYMBOLS, deal
from .wason_scoring import CORRECT, fine
from .wason_words import LEAVE, PLACES, TURN, WasonWords

if TYPE_CHECKING:
    from .wason_vector import WasonVectorWorld

REWARDS = ("fine", "exact")
QUESTIONS = Questions(
    tuple(Question(name, (f"turn {name}", f"leave {name}"), ("turn", "leave")) for name in PLACES),
    {},
)


@dataclass(frozen=True)
class WasonCardsParams(DiscussionParams):
    """Parameters of ``wason_cards-v0``."""

    hints: int = field(
        default=0,
        metadata={"doc": "participants who are told the truth about a card", "range": [0, 8]},
    )
    reward: str = field(
        default="fine", metadata={"doc": "what an answer is worth", "choices": REWARDS}
    )

    where: ClassVar[str] = "wason_cards"

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(self.where, "hints", self.hints, 0, self.participants)
        choice(self.where, "reward", self.reward, REWARDS)


class WasonCards(WasonWords, Discussion):
    """Find out together which cards must be turned."""

    id: ClassVar[str] = "wason_cards-v0"
    params: WasonCardsParams
    metric_names = (*METRICS, "exact", "total_correct")

    def __init__(self, **params: Any) -> None:
        self.params = WasonCardsParams(**params)
        self._cards = np.zeros(4, np.int64)
        self._classes = np.arange(4)
        self._told = np.full(self.params.participants, -1)
        self._convene(QUESTIONS)

    def reset(self, seed: int) -> dict[str, Turn]:
        """Begin a match; the deal follows from the seed as in the vector form."""
        self._seed = seed_of(checked_seed(self.id, seed))
        return super().reset(seed)

    @property
    def vector(self) -> Any:
        """What makes many matches at a time; None where there is a judge, who has to be asked."""
        return None if self.params.judge else self._vector

    def _vector(
        self, num_envs: int, *, num_threads: int = 1, autoreset: str = "next_step"
    ) -> WasonVectorWorld:
        from .wason_vector import WasonVectorWorld

        return WasonVectorWorld(self, num_envs, autoreset=autoreset)

    def _scene_space(self) -> dict[str, spaces.Space[Any]]:
        return {
            "cards": spaces.MultiDiscrete([len(SYMBOLS)] * 4),
            "hint": spaces.MultiDiscrete([3] * 4),
        }

    def _scene(self, member: int | None) -> dict[str, Any]:
        hint = np.zeros(4, np.int64)
        if member is not None and self._told[member] >= 0:
            place = int(self._told[member])
            hint[place] = TURN if KEY[self._classes[place]] else LEAVE
        return {"cards": self._cards.copy(), "hint": hint}

    def _deal(self, rng: np.random.Generator) -> Props:
        p = self.params
        dealt = deal(np.array([self._seed], np.uint64), p.participants, p.hints)
        self._cards, self._classes = dealt.symbols[0], dealt.classes[0]
        self._first, self._told = int(dealt.first[0]), dealt.hints[0]
        due = [KEY[kind] for kind in self._classes]
        return np.array([side for turn in due for side in (turn, not turn)])

    def _brief(self, ledger: Ledger) -> None:
        for member, place in enumerate(self._told.tolist()):
            if place >= 0:
                seen = np.zeros(8, bool)
                seen[2 * place : 2 * place + 2] = ledger.truth[2 * place : 2 * place + 2]
                ledger.see(seen, member)

    def _open_answers(self, question: int, *, talk: bool) -> np.ndarray[Any, np.dtype[np.int8]]:
        return np.array([talk, 1, 1, talk], np.int8)

    def _given(self, codes: Codes) -> Codes:
        return np.where(codes == TURN, TURN, LEAVE)

    def answer_of(self, codes: Codes) -> str | None:
        """The classes that are turned, in the order C, E, O, V; None if there are none."""
        turned = {CLASSES[self._classes[place]] for place in np.flatnonzero(codes == TURN)}
        return "".join(kind for kind in CLASSES if kind in turned) or None

    def group(self, finals: Sequence[Codes]) -> str | None:
        """What more than half of the members turn."""
        turned = np.array([codes == TURN for codes in finals]).sum(0)
        return self.answer_of(np.where(2 * turned > len(finals), TURN, LEAVE))

    def grade(self, answer: str | None) -> float:
        """0.25 for each class rightly in or out."""
        return fine(answer or "")

    def reward(self, answer: str | None) -> float:
        """The fine grade, or 1 for all four right."""
        return self.grade(answer) if self.params.reward == "fine" else float(answer == CORRECT)

    def _metrics(self) -> dict[str, float]:
        courses = [answer for course in self.courses for answer in course]
        right = [answer == CORRECT for answer in courses]
        more = {"exact": float(self.group(self.finals) == CORRECT)}
        return {**super()._metrics(), **more, "total_correct": float(np.mean(right))}

    def proposition_names(self) -> tuple[str, ...]:
        """As they are said of the cards on the table."""
        seen: Mapping[str, Any] = {"cards": self._cards}
        return tuple(self.local(name, seen) for name in self.questions.vocabulary.names)
