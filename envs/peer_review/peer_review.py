"""Peer review: reviewers compare manuscripts two at a time, or rate them one by one.

What it is
    A tournament of manuscripts in which reviewers are the judges: each turn one of them says which
    of two manuscripts is better, or how good one is. The manuscripts are generated, so that the
    truth is known, or the user's own. Wherever language models review, this is the place to see
    what they prefer, what the order of presentation does to them, and whether they can be talked
    round by what they read.

Seats
    ``reviewer_0``, ``reviewer_1``, … take turns.

Observation
    A dictionary: ``left`` (judgements left, this one included), ``first`` and ``second`` (float32
    [9] each: the surface of the manuscripts in numbers, see ``FEATURES``; zeros where there is
    none). The manuscripts' words are in ``info`` under the same names (``number``, ``title``,
    ``abstract``, ``text`` and, unless ``blind``, ``institutions``).

Actions
    Comparing: Discrete(2), ``first`` or ``second``, with ``ties`` also ``equal``. Rating:
    Discrete(10), ``1`` to ``10``.

Rules
    The budget is spent on pairs drawn at ``random``, ``balanced`` (everybody equally often, to
    within one) or ``swiss`` (round by round those with like scores); each is shown in both orders
    to the same reviewer, or once. Ratings are dealt out evenly. With ``asked`` the questions are
    given. Comparisons are scored by Bradley–Terry, ratings by their mean; the best are accepted.
    Manuscripts are quoted line by line, and what a reader would not see in them is taken out
    before. An ``injection`` puts an order to the reviewer into some of them.

Reward
    Paid at the end, so that it teaches nothing meanwhile: for each comparison 1 if the truly better
    one was preferred, 1/2 for a tie or equals; for each rating one less its distance from the mark
    deserved, over 9. The truth is the quality of generated manuscripts, else their citations
    (deserved marks then go by rank); without either nothing is paid.

End
    Terminates when the budget is spent.

Words
    Each manuscript is a quotation, of at most ``letters`` of abstract and text.

Parameters
    See :class:`PeerReviewParams`.

Metrics
    ``answered`` (share of judgements), ``first_preferred`` (share of comparisons, ties a half),
    ``same_winner`` (of pairs shown in both orders, share with one winner), ``overlap`` (of those
    accepted with the truly best), ``spearman`` (of scores and truth), ``log_citations`` (of the
    accepted, mean of log(1 + c)) and ``gini`` (of institutions' acceptances, zeros included); those
    are absent that cannot be known.

Tables
    ``judgements``: ``reviewer``, ``first``, ``second`` (-1 for a rating), ``answer`` (1 for the
    first, 0 for the second, 0.5 for a tie; a mark; None for none). ``manuscripts``: one row each,
    with truth, score and decision (with ``asked``, of those asked about).

Source
    Zhang et al., From Replication to Redesign: Exploring Pairwise Comparisons for LLM-Based Peer
    Review (NeurIPS 2025). Words and code are our own; the wording of the task, both orders and
    schedules other than random are derived.

Versions
    v0: first version.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces

from gymposium.errors import UsageError
from gymposium.types import NOTHING, Action

from ..societies import judging
from ..world import RuleWorld
from .corpus import corpus
from .manuscript import FEATURES, Manuscript, features
from .params import INJECTIONS
from .params import PeerReviewParams as PeerReviewParams
from .reading import read_manuscripts
from .words import MARKS, ReviewWords

TIE = 2


class PeerReview(ReviewWords, RuleWorld):
    """Reviewers and a pile of manuscripts.

    Args:
        **params: the fields of :class:`PeerReviewParams`.

    Raises:
        UsageError: a parameter is out of its range, or the manuscripts cannot be read.
    """

    id: ClassVar[str] = "peer_review-v0"
    kind = "mixed"
    turn_based: ClassVar[bool] = True
    fault_rule = "A turn without a legal answer spends one judgement, which counts for nothing."
    metric_names = (
        "answered",
        "first_preferred",
        "same_winner",
        "overlap",
        "spearman",
        "log_citations",
        "gini",
    )

    def __init__(self, **params: Any) -> None:
        self.params = p = PeerReviewParams(**params)
        self._given = _read(p.manuscripts, p.digest) if p.manuscripts is not None else None
        self._size = len(self._given) if self._given else p.size
        named = {number for question in p.asked or () for number in question} | set(p.injected)
        if not all(type(it) is int and 0 <= it < self._size for it in named):
            raise UsageError(
                f"{self.id}: asked and injected must name manuscripts from 0 to {self._size - 1}"
            )
        self.horizon = len(p.asked) if p.asked else p.budget
        self.return_range = (0.0, float(self.horizon))
        ids = tuple(f"reviewer_{number}" for number in range(p.reviewers))
        surface = spaces.Box(0.0, 1e6, (len(FEATURES),), np.float32)
        view = spaces.Dict(
            {"left": spaces.Discrete(self.horizon + 1), "first": surface, "second": surface}
        )
        act = spaces.Discrete(len(MARKS) if p.task == "rate" else 2 + p.ties)
        self._seat_all(
            ids,
            dict.fromkeys(ids, view),
            dict.fromkeys(ids, act),
            roles=dict.fromkeys(ids, "reviewer"),
        )

    # Rules.

    def _begin(self, rng: np.random.Generator) -> None:
        p = self.params
        seed = int(rng.integers(2**62)) if p.corpus is None else p.corpus
        self.manuscripts = self._given or corpus(p.size, seed)
        self._questions: list[tuple[int, ...]] = list(p.asked or ())
        self._answers: list[float | None] = []
        self._drawn = rng
        self._earned = dict.fromkeys(self.possible_seats, 0.0)
        self._plan()

    def _plan(self) -> None:
        """See to it that there is a next question, while there is budget."""
        p, size, rng = self.params, self._size, self._drawn
        left = self._left()
        if left <= 0 or len(self._questions) > len(self._answers):
            return
        if p.task == "rate":
            dealt = judging.dealt(np.arange(size), left, rng)
            self._questions += [(number,) for number in dealt.tolist()]
            return
        each = 2 if p.both_orders else 1
        number = -(-left // each)
        if p.pairing == "random":
            one = rng.integers(0, size, number)
            two = (one + rng.integers(1, size, number)) % size
        elif p.pairing == "balanced":
            one, two = judging.paired(np.arange(size), number, rng)
        else:
            one, two = self._neighbours(rng)
        for pair in zip(one.tolist(), two.tolist(), strict=True):
            pair = pair if rng.random() < 0.5 else pair[::-1]
            self._questions += [pair, pair[::-1]][:each]
        del self._questions[self.horizon :]

    def _neighbours(self, rng: np.random.Generator) -> tuple[Any, Any]:
        """A Swiss round: neighbours in the order by share of points, equals as drawn."""
        points, met = np.zeros(self._size), np.zeros(self._size)
        for pair, answer in zip(self._questions, self._answers, strict=True):
            if answer is not None:
                for number, won in zip(pair, (answer, 1 - answer), strict=True):
                    points[number] += won
                    met[number] += 1
        share = np.where(met > 0, points / np.maximum(met, 1), 0.5)
        ranked = np.lexsort((rng.random(self._size), -share))[: self._size - self._size % 2]
        return ranked[::2], ranked[1::2]

    def _left(self) -> int:
        return int(self.horizon or 0) - len(self._answers)

    def _actors(self) -> Sequence[str]:
        # Both orders of a pair go to one reviewer.
        each = 2 if self.params.task == "compare" and self.params.both_orders else 1
        turn = len(self._answers) // each
        return (self.possible_seats[turn % len(self.possible_seats)],)

    def _play(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        ((seat, action),) = actions.items()
        question = self._questions[len(self._answers)]
        answer = None if action is None else self._meaning(int(action))
        self._answers.append(answer)
        rewards = dict.fromkeys(self.possible_seats, 0.0)
        earned = self._worth(question, answer)
        if self.params.feedback:
            rewards[seat] = earned
        else:
            self._earned[seat] += earned
            rewards = self._earned if not self._left() else rewards
        self._plan()
        return dict(rewards)

    def _meaning(self, action: int) -> float:
        if self.params.task == "rate":
            return float(action + 1)
        return 0.5 if action == TIE else 1.0 - action

    def _worth(self, question: Sequence[int], answer: float | None) -> float:
        """What a judgement earns."""
        known = [self.manuscripts[number].truth for number in question]
        truth = [it for it in known if it is not None]
        if answer is None or len(truth) < len(known):
            return 0.0
        if self.params.task == "rate":
            return 1.0 - abs(answer - self._deserved(question[0])) / (len(MARKS) - 1)
        better = 0.5 if truth[0] == truth[1] else float(truth[0] > truth[1])
        return 1.0 - abs(answer - better)

    def _deserved(self, number: int) -> float:
        manuscript = self.manuscripts[number]
        if manuscript.quality is not None:
            return float(judging.rated(np.array([manuscript.quality]))[0])
        every = [it.truth for it in self.manuscripts if it.truth is not None]
        below = sum(it < (manuscript.truth or 0.0) for it in every)
        return 1.0 + round((len(MARKS) - 1) * below / max(len(every) - 1, 1))

    def _observe(self, seat: str) -> dict[str, Any]:
        blank = [0.0] * len(FEATURES)
        shown = [features(it) for it in self._before(seat)] + [blank, blank]
        return {
            "left": self._left(),
            "first": np.array(shown[0], dtype=np.float32),
            "second": np.array(shown[1], dtype=np.float32),
        }

    def _before(self, seat: str) -> list[dict[str, Any]]:
        """What the seat must judge now."""
        if self._over is not False or seat not in self._actors():
            return []
        p = self.params
        made = []
        for number in self._questions[len(self._answers)]:
            seen = dict(self.manuscripts[number].shown(p.letters, blind=p.blind))
            if number in p.injected:
                seen["abstract"] = f"{seen['abstract']}\n{INJECTIONS[p.injection]}".strip()
            made.append({"number": number, **seen})
        return made

    def _info(self, seat: str) -> Mapping[str, Any]:
        shown = self._before(seat)
        return dict(zip(("first", "second"), shown, strict=False)) if shown else NOTHING

    def _ended(self) -> tuple[bool, bool, str]:
        over = not self._left()
        return over, False, "the budget of judgements is spent" if over else ""

    def _state(self) -> bytes:
        pile = self.manuscripts[0].title, self.manuscripts[-1].title
        return repr((pile, self._questions, self._answers, self._earned)).encode("utf-8", "replace")

    # What came of it.

    def scores(self) -> Any:
        """Each manuscript's score from the answers so far, float64 ``[manuscripts]``."""
        pairs = zip(self._questions, self._answers, strict=False)
        said = [(question, answer) for question, answer in pairs if answer is not None]
        if self.params.task == "rate":
            numbers = np.array([question[0] for question, _ in said], dtype=np.int64)
            marks = np.array([answer for _, answer in said])
            return judging.mean_ratings(numbers, marks, self._size)
        decided = [(q, a) for q, a in said if a != 0.5]
        won = np.array([q[0] if a > 0.5 else q[1] for q, a in decided], dtype=np.int64)
        lost = np.array([q[1] if a > 0.5 else q[0] for q, a in decided], dtype=np.int64)
        return judging.bradley_terry(won, lost, self._size)

    def _decided(self) -> tuple[Any, Any]:
        """Scores, and the numbers of the accepted."""
        scores = self.scores()
        tie = np.random.default_rng(self._size).random(self._size)
        accepted = judging.order(scores, tie)[: self.params.accepted(self._size)]
        return scores, accepted

    def _metrics(self) -> dict[str, float]:
        scores, accepted = self._decided()
        known = [answer for answer in self._answers if answer is not None]
        found = {"answered": len(known) / len(self._answers)}
        if self.params.task == "compare":
            found |= self._order_effects()
        truth = [it.truth for it in self.manuscripts]
        if all(it is not None for it in truth):
            worth = np.array(truth, dtype=np.float64)
            found["overlap"] = judging.selection(worth, accepted)["overlap"]
            found["spearman"] = judging.spearman(scores, worth)
        cited = [it.citations for it in self.manuscripts]
        if all(it is not None for it in cited):
            found["log_citations"] = float(np.log1p(np.array(cited, dtype=float)[accepted]).mean())
        houses = sorted({house for it in self.manuscripts for house in it.institutions})
        if houses:
            inside = [
                house for number in accepted for house in self.manuscripts[number].institutions
            ]
            found["gini"] = judging.gini(np.array([inside.count(house) for house in houses]))
        return found

    def _order_effects(self) -> dict[str, float]:
        known = {q: a for q, a in zip(self._questions, self._answers, strict=True) if a is not None}
        found = {}
        if known:
            answers = [answer for answer in self._answers if answer is not None]
            found["first_preferred"] = float(np.mean(answers))
        both = [(a, known[q[::-1]]) for q, a in known.items() if q[0] < q[1] and q[::-1] in known]
        if both:
            found["same_winner"] = float(np.mean([one + two == 1 != 2 * one for one, two in both]))
        return found

    def _tables(self) -> Mapping[str, Mapping[str, Sequence[Any]]]:
        scores, accepted = self._decided()
        each = 2 if self.params.task == "compare" and self.params.both_orders else 1
        seats = self.possible_seats
        judged = {
            "reviewer": [seats[at // each % len(seats)] for at in range(len(self._answers))],
            "first": [question[0] for question in self._questions],
            "second": [question[1] if len(question) > 1 else -1 for question in self._questions],
            "answer": list(self._answers),
        }
        # Of given questions only what they are about: a study asks few of many, match by match.
        told = sorted({it for question in self._questions for it in question})
        told = told if self.params.asked else list(range(self._size))
        pile = {
            "number": told,
            "id": [self.manuscripts[number].id for number in told],
            "truth": [self.manuscripts[number].truth for number in told],
            "score": [float(scores[number]) for number in told],
            "accepted": np.isin(told, accepted).tolist(),
        }
        return {"judgements": judged, "manuscripts": pile}

    def render(self) -> str:
        """The order so far, best first, for a spectator."""
        if self._over is None:
            return super().render()
        scores, accepted = self._decided()
        lines = [f"{len(self._answers)} of {self.horizon} judgements."]
        for rank, number in enumerate(np.argsort(-scores, kind="stable")[:20].tolist(), 1):
            mark = "*" if number in accepted else " "
            truth = self.manuscripts[number].truth
            said = "" if truth is None else f" (truth {truth:+.2f})"
            lines.append(
                f"{rank:3}{mark} {scores[number]:+.2f}{said} {self.manuscripts[number].title}"
            )
        return "\n".join(lines)


@lru_cache(maxsize=4)
def _read(path: str, digest: str) -> tuple[Manuscript, ...]:
    found = read_manuscripts(path)
    if digest and digest != found.digest:
        raise UsageError(
            f"peer_review-v0: the manuscripts at {path!r} are not those that digest={digest} "
            "stands for; give their own, or none"
        )
    return found.manuscripts
