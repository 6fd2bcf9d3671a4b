"""Ranking in a group: put goods in order, each knowing a part of it.

What it is
    Like Desert Survival and its kin: a group ranks things, and there is a right order. Here the
    order is drawn anew for every match and no custom hints at it, so that all there is to know is
    what the members were told, a few comparisons each.

Seats
    ``player_0``, …: participants, one at a time. With ``judge`` a seat ``judge`` that says which
    claims each utterance makes.

Observation
    As in every discussion: ``phase``, ``left``, ``stances`` (each pair of goods: 0 nothing, 1 the
    first before the second, 2 after it; oneself first, what one was told included), ``speaker``,
    ``latest``, ``heard``.

Actions
    A Dict: ``stances`` (each pair: 0 silent, 1 before, 2 after, 3 unsure) and ``say``.

Rules
    Each answers alone, unseen; then they speak in turns; then each answers a last time, unseen. The
    group puts one good before another if more members say so than the contrary, and ranks by the
    number of goods so beaten, ties by the order in which the goods are named.

Reward
    For all: 1 less the distance of the group's order from the right one (the sum of differences in
    rank), as a share of the largest possible.

End
    After the last answer.

Words
    ``{"claims": ["salt before silk"], "say": "…"}``, or plain talk; a list of all goods is an
    order.

Parameters
    See ``RankingTaskParams``.

Metrics
    Those of every discussion; ``exact`` (1 for the right order); ``kendall`` (rank correlation).

Source
    Lafferty and Pond, The Desert Survival Situation (1974), for the form; distributed knowledge as
    in Stasser and Titus' hidden profiles (1985). Goods, orders and vote are our own.

Versions
    v0: first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from ..limits import whole
from .discussion import Discussion, DiscussionParams
from .ledger import Ledger, Props
from .measures import METRICS
from .questions import Codes, Question, Questions
from .ranking_words import FIRST, GOODS, SECOND, RankingWords, pairs


@dataclass(frozen=True)
class RankingTaskParams(DiscussionParams):
    """Parameters of ``ranking_task-v0``."""

    items: int = field(default=5, metadata={"doc": "goods to rank", "range": [3, len(GOODS)]})
    told: int = field(
        default=3, metadata={"doc": "true comparisons each is told", "range": [0, 45]}
    )

    where: ClassVar[str] = "ranking_task"

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(self.where, "items", self.items, 3, len(GOODS))
        whole(self.where, "told", self.told, 0, self.items * (self.items - 1) // 2)


@lru_cache(maxsize=8)
def questions_of(items: int) -> Questions:
    """A question for each pair of goods."""
    made = []
    for one, other in pairs(items):
        a, b = GOODS[one], GOODS[other]
        made.append(Question(f"{a}/{b}", (f"{a} before {b}", f"{b} before {a}"), ("order",) * 2))
    return Questions(tuple(made), {})


class RankingTask(RankingWords, Discussion):
    """Find the right order together."""

    id: ClassVar[str] = "ranking_task-v0"
    params: RankingTaskParams
    metric_names = (*METRICS, "exact", "kendall")

    def __init__(self, **params: Any) -> None:
        self.params = p = RankingTaskParams(**params)
        self._rank = np.arange(p.items)
        self._convene(questions_of(p.items))

    def _deal(self, rng: np.random.Generator) -> Props:
        p = self.params
        self._rank = rng.permutation(p.items)  # of each good, 0 the dearest
        self._first = int(rng.integers(p.participants))
        count = len(pairs(p.items))
        self._told = [rng.permutation(count)[: p.told] for _ in range(p.participants)]
        ahead = [self._rank[a] < self._rank[b] for a, b in pairs(p.items)]
        return np.array([side for before in ahead for side in (before, not before)])

    def _brief(self, ledger: Ledger) -> None:
        known = np.zeros(len(ledger.truth), bool)
        for member, told in enumerate(self._told):
            seen = np.zeros(len(ledger.truth), bool)
            seen[np.concatenate([2 * told, 2 * told + 1])] = True
            ledger.see(seen & ledger.truth, member)
            known |= seen & ledger.truth
        ledger.founded = self._following(known)

    def _following(self, known: Props) -> Props:
        """All that follows from comparisons, bool ``[P]``: whatever a chain of them leads to."""
        items = self.params.items
        beats = np.zeros((items, items), bool)
        for (a, b), (ahead, behind) in zip(pairs(items), known.reshape(-1, 2), strict=True):
            beats[a, b], beats[b, a] = ahead, behind
        for middle in range(items):
            beats |= beats[:, middle, None] & beats[middle]
        return np.array([side for a, b in pairs(items) for side in (beats[a, b], beats[b, a])])

    def answer_of(self, codes: Codes) -> tuple[int, ...] | None:
        """The order, the dearest first, by goods beaten; None where nothing is compared."""
        if not ((codes == FIRST) | (codes == SECOND)).any():
            return None
        wins = np.zeros(self.params.items)
        for (a, b), code in zip(pairs(self.params.items), codes, strict=True):
            wins[a] += code == FIRST
            wins[b] += code == SECOND
        return tuple(np.argsort(-wins, kind="stable").tolist())

    def group(self, finals: Sequence[Codes]) -> tuple[int, ...] | None:
        """Pair by pair what more members say than the contrary."""
        rows = np.array(finals)
        ahead, behind = (rows == FIRST).sum(0), (rows == SECOND).sum(0)
        return self.answer_of(np.where(ahead > behind, FIRST, np.where(behind > ahead, SECOND, 0)))

    def grade(self, answer: tuple[int, ...] | None) -> float:
        """1 less the distance in ranks as a share of the largest."""
        if answer is None:
            return 0.0
        placed = np.argsort(np.array(answer))
        largest = self.params.items**2 // 2
        return 1.0 - float(np.abs(placed - self._rank).sum()) / largest

    def _metrics(self) -> dict[str, float]:
        found = super()._metrics()
        answer = self.group(self.finals)
        if answer is not None:
            placed = np.argsort(np.array(answer))
            signs = [
                np.sign((placed[a] - placed[b]) * (self._rank[a] - self._rank[b]))
                for a, b in pairs(self.params.items)
            ]
            found["kendall"] = float(np.mean(signs))
        return {**found, "exact": float(found["score"] == 1.0)}

    def _state(self) -> bytes:
        return super()._state() + self._rank.tobytes() + repr(self._told).encode()

    def render(self) -> str:
        """The right order, then the talk."""
        if self._ledger is None:
            return super().render()
        order = ", ".join(self.goods[item] for item in np.argsort(self._rank))
        return f"The right order: {order}.\n{super().render()}"
