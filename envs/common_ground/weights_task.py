"""Weighing blocks in a group: what do they weigh, and who knows it?

What it is
    Blocks of unknown weight and a balance scale. One weight is told to all; each participant has
    seen a few weighings that the others have not. What each knows has to be said, and more weighed,
    before all can answer.

Seats
    ``player_0``, …: participants, one at a time. With ``judge`` a seat ``judge`` that says which
    claims each utterance makes.

Observation
    A Dict. ``weighings``: those this participant saw alone, then those all saw: each a pan a block
    (0 off, 1 left, 2 right) and the outcome (0 none yet, 1 left heavier, 2 level, 3 right heavier).
    The rest as in every discussion: ``phase``, ``left``, ``stances``, ``speaker``, ``latest``,
    ``heard``. Questions are all pairs of blocks, then the blocks.

Actions
    A Dict: ``stances`` (a pair: 0 silent, 1 =, 2 >, 3 <, 4 !=, 5 unsure; a block: 0 silent, its
    weights, last unsure), ``pans`` (0 off, 1 left, 2 right for each block; blocks on both sides
    make a weighing), ``say``. In an answer only weights are open.

Rules
    Whoever speaks may also weigh once, while ``scales`` weighings are left to the group; all see
    the outcome. Two single blocks weighed against each other are common ground at once. The group's
    answer is, block by block, what most of those who answer say; a tie is no answer.

Reward
    For all: the share of blocks whose weight the group gets right.

End
    After the last answer.

Words
    ``{"claims": ["red = blue", "green = 20 g"], "weigh": {"left": ["red"], "right": ["blue"]},
    "say": "…"}`` or plain talk ("green is heavier than red", "weigh red against blue").

Parameters
    See ``WeightsTaskParams``; preset ``paper`` has the blocks of the data set.

Metrics
    Those of every discussion (``ground_true`` is the accuracy of Nath and Krishnaswamy: correct
    propositions all hold); ``resolved`` (share of blocks whose true weight is common ground);
    ``ground_equality``, ``ground_inequality``, ``ground_order``, ``ground_weight`` (true ones).

Source
    The Weights Task Dataset (Khebour et al., 2024) as used by Nath and Krishnaswamy (NeurIPS 2025).
    Derived: private evidence, the limit on weighings, what counts as seen together.

Versions
    v0: first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations
from typing import Any, ClassVar, NamedTuple

import numpy as np
from gymnasium import spaces

from gymposium.errors import UsageError
from gymposium.types import Action

from ..limits import whole
from .discussion import Discussion, DiscussionParams
from .ledger import Ledger, Props
from .measures import METRICS
from .questions import Codes, Question, Questions
from .weights_words import COLOURS, EQUAL, LESS, LEVELS, MORE, WeightsWords, pairs

KINDS = ("equality", "inequality", "order", "weight")
LEFT_HEAVIER, LEVEL, RIGHT_HEAVIER = 1, 2, 3


@dataclass(frozen=True)
class WeightsTaskParams(DiscussionParams):
    """Parameters of ``weights_task-v0``; weights are multiples of 10 g up to 50 g."""

    participants: int = field(default=3, metadata={"doc": "how many take part", "range": [1, 8]})
    rounds: int = field(
        default=3, metadata={"doc": "turns of talk for each participant", "range": [0, 50]}
    )
    blocks: int = field(default=5, metadata={"doc": "how many blocks", "range": [3, len(COLOURS)]})
    weights: tuple[int, ...] | None = field(
        default=None, metadata={"doc": "of the blocks; drawn if not given", "unit": "g"}
    )
    private: int = field(
        default=2, metadata={"doc": "weighings each has seen alone", "range": [0, 3]}
    )
    scales: int = field(
        default=4, metadata={"doc": "weighings the group may make", "range": [0, 20]}
    )

    where: ClassVar[str] = "weights_task"

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(self.where, "blocks", self.blocks, 3, len(COLOURS))
        whole(self.where, "private", self.private, 0, 3)
        whole(self.where, "scales", self.scales, 0, 20)
        if self.weights is not None:
            whole(self.where, "number of weights", len(self.weights), self.blocks, self.blocks)
            for weight in self.weights:
                if whole(self.where, "weights", weight, LEVELS[0], LEVELS[-1]) not in LEVELS:
                    raise UsageError(f"{self.where}: weights={weight!r} must be a multiple of 10")
            object.__setattr__(self, "weights", tuple(self.weights))


class Possible(NamedTuple):
    """All ways the blocks could weigh: grams ``[W, B]`` and what would be true ``[W, P]``."""

    grams: np.ndarray[Any, np.dtype[np.int64]]
    true: Props


@lru_cache(maxsize=8)
def questions_of(blocks: int) -> Questions:
    """A question for each pair of blocks, then one for each block."""
    items: list[Question] = []
    says: dict[str, tuple[str, ...]] = {}
    for one, other in pairs(blocks):
        a, b = COLOURS[one], COLOURS[other]
        answers = (f"{a} = {b}", f"{a} > {b}", f"{a} < {b}", f"{a} != {b}")
        items.append(Question(f"{a}/{b}", answers, ("equality", "order", "order", "inequality")))
        says[answers[1]] = says[answers[2]] = (answers[3],)
    for colour in COLOURS[:blocks]:
        answers_of = tuple(f"{colour} = {grams} g" for grams in LEVELS)
        items.append(Question(colour, answers_of, ("weight",) * len(LEVELS)))
    return Questions(tuple(items), says)


@lru_cache(maxsize=8)
def possible(blocks: int) -> Possible:
    """Every assignment of weights to so many blocks."""
    grids = np.meshgrid(*[LEVELS] * blocks, indexing="ij")
    grams = np.stack([grid.ravel() for grid in grids], 1)
    return Possible(grams, true_of(grams))


def true_of(grams: Any) -> Props:
    """What is true of weights ``[…, B]``: bool ``[…, P]``."""
    columns = []
    for one, other in combinations(range(grams.shape[-1]), 2):
        a, b = grams[..., one], grams[..., other]
        columns += [a == b, a > b, a < b, a != b]
    for block in range(grams.shape[-1]):
        columns += [grams[..., block] == level for level in LEVELS]
    return np.stack(columns, -1)


class WeightsTask(WeightsWords, Discussion):
    """Find out together what the blocks weigh."""

    id: ClassVar[str] = "weights_task-v0"
    params: WeightsTaskParams
    metric_names = (*METRICS, "resolved", *(f"ground_{kind}" for kind in KINDS))

    def __init__(self, **params: Any) -> None:
        self.params = p = WeightsTaskParams(**params)
        self._grams = np.full(p.blocks, LEVELS[0])
        self._seen: list[list[Any]] = [[] for _ in range(p.participants)]
        self._log: list[Any] = []
        self._convene(questions_of(p.blocks))

    def _slots(self) -> int:
        return self.params.private + self.params.scales

    def _scene_space(self) -> dict[str, spaces.Space[Any]]:
        slot = [3] * self.params.blocks + [4]
        shown = spaces.MultiDiscrete([*slot] * max(1, self._slots()))
        return {"known": spaces.Discrete(len(LEVELS)), "weighings": shown}

    def _more_space(self) -> dict[str, spaces.Space[Any]]:
        return {"pans": spaces.MultiDiscrete([3] * self.params.blocks)}

    def _no_move(self) -> dict[str, Any]:
        return {"pans": np.zeros(self.params.blocks, np.int64)}

    def _scene(self, member: int | None) -> dict[str, Any]:
        width = self.params.blocks + 1
        shown = np.zeros((max(1, self._slots()), width), np.int64)
        alone = [] if member is None else self._seen[member]
        for slot, weighing in enumerate(alone):
            shown[slot] = weighing
        for slot, weighing in enumerate(self._log, self.params.private):
            shown[slot] = weighing
        return {"known": LEVELS.index(int(self._grams[0])), "weighings": shown.ravel()}

    def _deal(self, rng: np.random.Generator) -> Props:
        p = self.params
        drawn = rng.choice(LEVELS, p.blocks)
        self._first = int(rng.integers(p.participants))
        count = len(pairs(p.blocks))
        chosen = [rng.permutation(count)[: p.private] for _ in range(p.participants)]
        self._grams = np.array(drawn if p.weights is None else p.weights)
        ways = possible(p.blocks)
        self._left = ways.grams[:, 0] == self._grams[0]  # assignments that all evidence leaves
        self._log = []
        self._seen = []
        for row in chosen:
            self._seen.append([self._weigh(*pairs(p.blocks)[which]) for which in row])
        return np.asarray(true_of(self._grams))

    def _brief(self, ledger: Ledger) -> None:
        told = self._told(len(pairs(self.params.blocks)), LEVELS.index(int(self._grams[0])) + 1)
        ledger.see(told, *range(self.params.participants))
        for member, weighings in enumerate(self._seen):
            for weighing in weighings:
                ledger.see(self._outcome(weighing), member)
        ledger.founded = self._founded()

    def _weigh(self, left: int, right: int) -> Any:
        pans = np.zeros(self.params.blocks, np.int64)
        pans[left], pans[right] = 1, 2
        return self._balance(pans)

    def _balance(self, pans: Any) -> Any:
        """A weighing with its outcome; what it leaves possible is noted."""
        sides = [pans == 1, pans == 2]
        grams = possible(self.params.blocks).grams
        sign = np.sign(self._grams[sides[0]].sum() - self._grams[sides[1]].sum())
        self._left &= np.sign(grams[:, sides[0]].sum(1) - grams[:, sides[1]].sum(1)) == sign
        return np.append(pans, LEVEL - sign)

    def _founded(self) -> Props:
        return np.asarray(possible(self.params.blocks).true[self._left].all(0))

    def _outcome(self, weighing: Any) -> Props:
        """What a weighing of two single blocks shows; of more, nothing by itself."""
        *pans, outcome = weighing.tolist()
        seen = np.zeros(len(self.questions.vocabulary.names), bool)
        left, right = ([b for b, pan in enumerate(pans) if pan == side] for side in (1, 2))
        if len(left) == len(right) == 1:
            swapped = left[0] > right[0]
            question = pairs(self.params.blocks).index(tuple(sorted((left[0], right[0]))))
            code = {LEFT_HEAVIER: MORE, LEVEL: EQUAL, RIGHT_HEAVIER: LESS}[outcome]
            if swapped:
                code = {MORE: LESS, LESS: MORE}.get(code, code)
            seen = self._told(question, code)
        return seen

    def _told(self, question: int, code: int) -> Props:
        codes = np.zeros(len(self.questions.items), np.int64)
        codes[question] = code
        return self.questions.claims(codes)[0]

    def _move(self, member: int, action: Action) -> None:
        pans = np.asarray(action["pans"], np.int64)
        both = (pans == 1).any() and (pans == 2).any()
        if both and len(self._log) < self.params.scales:
            weighing = self._balance(pans)
            self._log.append(weighing)
            self.ledger.founded = self._founded()
            self.ledger.see(self._outcome(weighing), *range(self.params.participants))

    def _open_answers(self, question: int, *, talk: bool) -> np.ndarray[Any, np.dtype[np.int8]]:
        row = super()._open_answers(question, talk=talk)
        if not talk and question < len(pairs(self.params.blocks)):
            row[1:] = 0
        return row

    def answer_of(self, codes: Codes) -> tuple[int, ...] | None:
        """All that is said, of pairs and of blocks; None for nothing."""
        return tuple(codes.tolist()) if codes.any() else None

    def group(self, finals: Sequence[Codes]) -> tuple[int, ...] | None:
        """Block by block what most say who say something; a tie is nothing."""
        answer = np.zeros(len(self.questions.items), np.int64)
        for question in range(len(pairs(self.params.blocks)), len(answer)):
            size = self.questions.sizes[question]
            said = [c for codes in finals if 0 < (c := int(codes[question])) < size - 1]
            ranked = Counter(said).most_common(2)
            if ranked and (len(ranked) == 1 or ranked[0][1] > ranked[1][1]):
                answer[question] = ranked[0][0]
        return self.answer_of(answer)

    def grade(self, answer: tuple[int, ...] | None) -> float:
        """The share of blocks whose weight is right."""
        if answer is None:
            return 0.0
        said = np.array(answer[-self.params.blocks :])
        right = [LEVELS.index(int(grams)) + 1 for grams in self._grams]
        return float((said == right).mean())

    def _metrics(self) -> dict[str, float]:
        ledger, kinds = self.ledger, np.array(self.questions.vocabulary.kinds)
        known = ledger.common & ledger.truth
        counts = {f"ground_{kind}": float(known[kinds == kind].sum()) for kind in KINDS}
        resolved = counts["ground_weight"] / self.params.blocks
        return {**super()._metrics(), **counts, "resolved": resolved}

    def _state(self) -> bytes:
        more = [self._grams.tobytes(), repr((self._seen, self._log)).encode()]
        return b"".join([super()._state(), *more])

    def render(self) -> str:
        """The weights, then the talk."""
        if self._ledger is None:
            return super().render()
        named = zip(COLOURS, self._grams.tolist(), strict=False)
        return f"{', '.join(f'{n} {g} g' for n, g in named)}\n{super().render()}"
