"""The venue as a Mesa model: authors, institutions and reviewers are agents, a year is a step.

As in the town, agents are views of arrays. A year is opened (manuscripts are written or revised,
judgements dealt out and read), judged, in one or two rounds, and closed (decisions, citations,
prestige). Reviewers 0, 1, … may be seats: what they answer replaces what a cheap one would.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from functools import partial
from typing import Any

import mesa
import numpy as np

from ..adapters.mesa_world import let_go
from . import judging
from .conference_params import ConferenceParams
from .judging import Array

COLUMNS = (
    "year",
    "mechanism",
    "overlap",
    "efficiency",
    "spearman",
    "citations",
    "log_citations",
    "gini",
    "novelty_gap",
    "prestige_gap",
    "given_up",
)
"""What the data collector keeps of every year; see the page of ``conference-v0``."""
MANUSCRIPTS = (
    "year",
    "manuscript",
    "author",
    "institution",
    "topic",
    "quality",
    "novelty",
    "prestige",
    "submission",
    "judgements",
    "rank",
    "accepted",
    "citations",
)
"""Columns of the data collector's table of decisions."""
SPACE = 8
UNDONE = -1


class Author(mesa.Agent):  # type: ignore[misc]
    """Somebody who has one manuscript under review every year."""

    def __init__(self, model: Venue, index: int) -> None:
        super().__init__(model)
        self.index = index

    @property
    def institution(self) -> int:
        """Where it works."""
        return int(self.model.institution[self.index])

    @property
    def accepted(self) -> int:
        """Manuscripts accepted so far."""
        return int(self.model.published[self.index])


class Institution(mesa.Agent):  # type: ignore[misc]
    """Where authors work."""

    def __init__(self, model: Venue, index: int) -> None:
        super().__init__(model)
        self.index = index

    @property
    def prestige(self) -> float:
        """In standard units."""
        return float(self.model.prestige[self.index])


class Reviewer(mesa.Agent):  # type: ignore[misc]
    """Somebody who judges ``load`` times a year."""

    def __init__(self, model: Venue, index: int) -> None:
        super().__init__(model)
        self.index = index

    @property
    def seat(self) -> bool:
        """Whether an agent decides for it."""
        return self.index < int(self.model.params.seats)


@dataclass
class Judgements:
    """One round of review: judgement ``k * reviewers + r`` is the ``k``-th of reviewer ``r``.

    Attributes:
        compare: pairs, or else ratings of the first alone.
        first, second: int64 [judgements], manuscripts.
        read: float64 [2, judgements], the quality that a seat reads; others add their taste.
        answer: int64 [judgements]: a rating, or 0 for the first and 1 for the second of a pair;
            UNDONE where none came.
    """

    compare: bool
    first: Array
    second: Array
    read: Array
    answer: Array


class Venue(mesa.Model):  # type: ignore[misc]
    """A venue for a year at a time: ``open_year``, rounds of ``judged``, or ``step`` for all of it.

    Attributes:
        params: of the world.
        quality, place, topic, submission, manuscript: of the manuscripts under review, by author.
        prestige: float64 [institutions].
        round: the judgements asked for now, or None between years.
        held, written, abandoned: years closed, manuscripts begun and given up so far.
        datacollector: Mesa's: COLUMNS a year, and the table ``manuscripts``.
    """

    def __init__(self, params: ConferenceParams, rng: np.random.Generator) -> None:
        """Found the venue: nothing is submitted yet."""
        super().__init__(rng=rng)
        self._mesas = frozenset(vars(self))
        self.params = p = params
        chances = np.arange(1, p.institutions + 1) ** -0.9
        self.prestige = judging.standard(np.log(chances))
        self.institution = rng.choice(p.institutions, p.authors, p=chances / chances.sum())
        self.talent = rng.normal(0, 0.6, p.authors)
        self.centres = rng.normal(size=(p.topics, SPACE))
        self.generosity = p.harshness * rng.normal(size=p.reviewers)
        self.care = np.exp(0.3 * rng.normal(size=p.reviewers))
        self.quality, self.place = np.zeros(p.authors), np.zeros((p.authors, SPACE))
        self.topic = np.zeros(p.authors, np.int64)
        self.submission, self.manuscript = (np.zeros(p.authors, np.int64) for _ in range(2))
        self.published = np.zeros(p.authors, np.int64)
        self.counts = np.zeros(p.institutions, np.int64)
        self.held = self.written = self.abandoned = 0
        self.novelty: Array = np.zeros(p.authors)
        self.mechanism = ""
        self.round: Judgements | None = None
        self.figures: dict[str, Any] = {}
        self._right = [0.0, 0]  # of cheap judgements: how right they were, and how many
        self._people()

    def _people(self) -> None:
        for kind, count in (
            (Author, self.params.authors),
            (Institution, self.params.institutions),
            (Reviewer, self.params.reviewers),
        ):
            kind.create_agents(self, count, np.arange(count))
        let_go(self)
        self.datacollector = mesa.DataCollector(
            {name: partial(_figure, name=name) for name in COLUMNS},
            tables={"manuscripts": [*MANUSCRIPTS]},
        )

    # A year.

    def open_year(self, mechanism: str) -> None:
        """Write and revise manuscripts; begin the first round of judgements."""
        p, rng = self.params, self.rng
        self.mechanism = mechanism
        fresh = np.flatnonzero(self.submission == 0)
        self.quality[fresh] = self.talent[fresh] + rng.normal(0, 0.8, len(fresh))
        self.topic[fresh] = rng.integers(p.topics, size=len(fresh))
        away = rng.gamma(2, 0.35, (len(fresh), 1)) * rng.normal(size=(len(fresh), SPACE))
        self.place[fresh] = self.centres[self.topic[fresh]] + away
        self.manuscript[fresh] = self.written + np.arange(len(fresh))
        self.written += len(fresh)
        self.submission += 1
        self.novelty = judging.novelty(self.place)
        self._tie = rng.random(p.authors)
        self._judged = np.zeros(p.authors, np.int64)
        self._ranking: Array = np.arange(p.authors)
        self._begin_round(
            compare=mechanism == "pairwise",
            among=self._ranking,
            load=-(-p.load // 2) if mechanism == "hybrid" else p.load,
        )

    def _begin_round(self, *, compare: bool, among: Array, load: int) -> None:
        p, rng = self.params, self.rng
        count = load * p.reviewers
        if compare:
            first, second = judging.paired(among, count, rng)
        else:
            first = second = judging.dealt(among, count, rng)
        who = np.arange(count) % p.reviewers
        care = np.where(who < p.seats, 1.0, self.care[who])
        read = self.quality[np.stack([first, second])] + p.noise * care * rng.normal(
            size=(2, count)
        )
        liked = read + self.taste()[np.stack([first, second])]
        if compare:
            answer = (liked[0] + p.position_bias <= liked[1]).astype(np.int64)
        else:
            points = 6.3 + 0.55 * liked[0] + self.generosity[who]
            answer = np.clip(np.round(points), judging.LOWEST, judging.HIGHEST).astype(np.int64)
        self.round = Judgements(compare, first, second, read, answer)

    def taste(self) -> Array:
        """What a cheap reviewer adds to a manuscript's quality; float64 [authors]."""
        p = self.params
        seen = 0.0 if p.blind else self.prestige[self.institution]
        return np.asarray(p.prestige_bias * seen - p.novelty_aversion * self.novelty)

    def right(self, judgement: Any, answer: Any) -> Array:
        """How right ``answer`` is, 0 to 1: against the true mark, or the truly better of a pair."""
        asked: Any = self.round
        first, second = self.quality[asked.first[judgement]], self.quality[asked.second[judgement]]
        if asked.compare:
            good = (np.asarray(answer) == (second > first)).astype(float)
        else:
            good = 1 - np.abs(judging.rated(first) - answer) / (judging.HIGHEST - judging.LOWEST)
        return np.where(np.asarray(answer) == UNDONE, 0.0, good)

    def judged(self) -> bool:
        """End the round with the answers as they stand; whether that was the year's last."""
        asked: Any = self.round
        p, count = self.params, self.params.authors
        every = np.arange(len(asked.answer))
        cheap = every % p.reviewers >= p.seats
        self._right[0] += float(self.right(every[cheap], asked.answer[cheap]).sum())
        self._right[1] += int(cheap.sum())
        done = asked.answer != UNDONE
        first, second, answer = asked.first[done], asked.second[done], asked.answer[done]
        for read in (first, second) if asked.compare else (first,):
            self._judged += np.bincount(read, minlength=count)
        if not asked.compare:
            score = judging.mean_ratings(first, answer, count)
            self._ranking = judging.order(score, self._tie)
            if self.mechanism == "hybrid":
                near = judging.near_line(self._ranking, p.accepted, p.band)
                self._begin_round(compare=True, among=near, load=p.load // 2)
                return False
        else:
            winner, loser = np.where(answer == 0, (first, second), (second, first))
            score = judging.bradley_terry(winner, loser, count)
            self._re_rank(score, np.unique(np.concatenate([asked.first, asked.second])))
        self.round = None
        self._close_year()
        return True

    def _re_rank(self, score: Array, compared: Array) -> None:
        """Put those compared into the places that they hold together, the best first."""
        if self.mechanism == "pairwise":
            compared = np.arange(len(score))
        inside = np.isin(self._ranking, compared)
        ordered = compared[judging.order(score[compared], self._tie[compared])]
        self._ranking[inside] = ordered

    def _close_year(self) -> None:
        p = self.params
        chosen = self._ranking[: p.accepted]
        self.counts += np.bincount(self.institution[chosen], minlength=p.institutions)
        known = self.prestige[self.institution]
        luck = p.citation_luck * self.rng.normal(size=p.authors)
        citations = np.exp(1.6 + 0.9 * self.quality + p.fame * known + luck)
        self._measure(chosen, known, citations)
        self._keep(chosen, known, citations)
        self.published[chosen] += 1
        earned = np.bincount(self.institution[chosen], citations[chosen], p.institutions)
        self.prestige = p.memory * self.prestige + (1 - p.memory) * judging.standard(
            np.log1p(earned)
        )
        ended = np.zeros(p.authors, bool)
        ended[chosen] = True
        tired = ~ended & (self.submission >= p.tries)
        self.abandoned += int(tired.sum())
        self.quality = self.quality + p.revision * ~(ended | tired)
        self.submission[ended | tired] = 0
        self.figures["given_up"] = float(tired.mean())
        self.held += 1
        self.datacollector.collect(self)

    def _measure(self, chosen: Array, known: Array, citations: Array) -> None:
        score = np.empty(len(self._ranking))
        score[self._ranking] = -np.arange(len(self._ranking))
        self.figures.update(
            year=self.held + 1,
            mechanism=self.mechanism,
            **judging.selection(self.quality, chosen),
            spearman=judging.spearman(score, self.quality),
            citations=float(citations[chosen].mean()),
            log_citations=float(np.log1p(citations[chosen]).mean()),
            gini=judging.gini(
                np.bincount(self.institution[chosen], minlength=self.params.institutions)
            ),
            novelty_gap=float(self.novelty[chosen].mean() - self.novelty.mean()),
            prestige_gap=float(known[chosen].mean() - known.mean()),
        )

    def _keep(self, chosen: Array, known: Array, citations: Array) -> None:
        rank = np.argsort(self._ranking)
        table = self.datacollector.tables["manuscripts"]
        accepted = np.isin(np.arange(len(rank)), chosen)
        columns = (
            np.full(len(rank), self.held + 1),
            self.manuscript,
            np.arange(len(rank)),
            self.institution,
            self.topic,
            self.quality.round(4),
            self.novelty.round(4),
            known.round(4),
            self.submission,
            self._judged,
            rank + 1,
            accepted.astype(np.int64),
            np.where(accepted, citations, 0.0).round(2),
        )
        for name, column in zip(MANUSCRIPTS, columns, strict=True):
            table[name] += column.tolist()

    def cheap_accuracy(self) -> float:
        """How right the cheap reviewers were so far, 0 to 1."""
        return float(self._right[0] / self._right[1])

    def concentration(self) -> float:
        """Gini coefficient of acceptances by institution so far."""
        return judging.gini(self.counts)

    def step(self) -> None:
        """A whole year of cheap reviewers, by the mechanism of the parameters."""
        self.open_year(self.params.mechanism)
        while not self.judged():
            pass

    def __reduce__(self) -> tuple[Any, ...]:
        # Agents are views: what this class itself keeps, and the generators, are the whole state.
        skipped = {*self._mesas, "_mesas", "datacollector"}
        own = {name: value for name, value in vars(self).items() if name not in skipped}
        kept = (self.random.getstate(), self.datacollector.model_vars, self.datacollector.tables)
        return _revived, (self.params, self.rng, own, kept)


def _figure(model: Venue, name: str) -> Any:
    return model.figures[name]


def _revived(
    params: ConferenceParams, rng: np.random.Generator, own: dict[str, Any], kept: tuple[Any, ...]
) -> Venue:
    venue = Venue(params, copy.deepcopy(rng))
    venue.rng = rng  # as it was: founding the venue above must not move it
    venue.__dict__.update(own)
    state, venue.datacollector.model_vars, venue.datacollector.tables = kept
    venue.random.setstate(state)
    return venue
