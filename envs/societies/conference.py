"""Conference: a venue over the years, judged by ratings, by pairs or by both.

What it is
    A conference whose truth is known. Authors work at institutions of more or less prestige and
    have one manuscript under review each year, of latent quality, on a topic, more or less unlike
    the others. Reviewers have a limited number of judgements; they read with error and have their
    tastes. What is accepted is cited, which is what prestige is made of. So mechanisms can be
    compared by what they do to quality, novelty and concentration, and any agent can be reviewer
    or programme chair. Inside is a Mesa model.

Seats
    ``reviewer_0``, ``reviewer_1``, …: the first of the reviewers; with ``mechanism`` chair also
    ``chair``.

Observation
    Of a reviewer, a dictionary: ``task`` (0 rate one, 1 compare two, 2 nothing), ``year`` (years
    closed), ``left`` (judgements left in this round), and ``first`` and ``second``, float32 [3]
    each: the quality one reads (the true one and an error of ``noise``), novelty, and the prestige
    of the institution, in standard units; zeros where there is nothing, for prestige also if
    ``blind``. Of the chair: ``year``, ``last`` (last year's mechanism, 3 none) and ``figures``,
    float32 [2]: mean log citations of what was accepted last year, and the Gini coefficient of its
    institutions.

Actions
    Of a reviewer Discrete(12), masked: ``rate 1`` to ``rate 10``, or ``prefer the first``, ``prefer
    the second``. Of the chair Discrete(3): ``ratings``, ``pairwise``, ``hybrid``.

Rules
    An author whose last manuscript was accepted or given up writes a new one, of quality talent
    and luck; any other revises. Judgements are dealt out evenly; each counts one, though
    comparing means reading two.

    A cheap reviewer judges what it reads, plus ``prestige_bias`` for each unit of prestige, less
    ``novelty_aversion`` for each of novelty; in rating it is more or less generous, in comparing
    partial to the first by ``position_bias``. A mark is 6.3 and 0.55 for each unit of quality,
    rounded, from 1 to 10. By ``ratings`` the best means are accepted, ties at random; by
    ``pairwise`` the best Bradley–Terry scores; by ``hybrid`` half the judgements are ratings, and
    the other half compare those near the line.

    Rejected manuscripts are revised and submitted again, up to ``tries``. Citations are exp(1.6 +
    0.9 quality + ``fame`` prestige + luck). Prestige keeps a share, ``memory``, and takes the rest
    from the log of the citations that the institution's accepted manuscripts got in the year.

Reward
    A reviewer earns by each judgement from 0 to 1: a rating one less its distance from the mark
    that the true quality deserves, over 9; a preference 1 if the truly better one was preferred.
    The chair earns each year the share of the truly best that were accepted.

End
    Terminates after ``years``.

Words
    A manuscript is told by what one reads in it, its novelty and its institution's standing.

Parameters
    See :class:`ConferenceParams`.

Metrics
    Means over the years: ``overlap`` (share of the truly best accepted), ``efficiency`` (gain of
    quality over chance, as a share of what was possible), ``spearman`` (of ranking and quality),
    ``citations`` and ``log_citations`` of the accepted, ``novelty_gap`` and ``prestige_gap``
    (accepted less all), ``given_up`` (share of manuscripts); ``gini`` (of acceptances by
    institution over all years, zeros included); ``seat_accuracy`` and ``cheap_accuracy`` (mean
    reward of a judgement).

Tables
    ``series``: one row per year. ``manuscripts``: one per manuscript and year, with its truth, its
    rank, the decision and the citations.

Source
    Zhang et al., From Replication to Redesign: Exploring Pairwise Comparisons for LLM-Based Peer
    Review (NeurIPS 2025), for the question and for the two biases, against novelty and towards
    few institutions. Years, resubmission, prestige, generosity and the hybrid are ours (derived).

Versions
    v0: first version.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from gymnasium import spaces

from gymposium.errors import IllegalAction, UsageError
from gymposium.types import NOTHING, Action

from ..adapters.foreign import must_import
from ..world import RuleWorld
from . import conference_words
from .conference_params import CHAIR, MECHANISMS
from .conference_params import ConferenceParams as ConferenceParams

if TYPE_CHECKING:
    from gymposium.types import Image

    from .venue import Venue

RATE, COMPARE, IDLE = range(3)
MARKS = 10


class Conference(RuleWorld):
    """Reviewers, and perhaps the chair, of a venue.

    Args:
        **params: the fields of :class:`ConferenceParams`.

    Raises:
        UsageError: a parameter is out of its range.
        MissingExtra: Mesa is not installed.
    """

    id: ClassVar[str] = "conference-v0"
    kind = "mixed"
    fault_rule = (
        "A judgement without a legal answer is left undone: it counts for nothing and earns "
        "nothing. A chair without a legal answer keeps last year's mechanism, at first ratings."
    )
    metric_names = (
        "overlap",
        "efficiency",
        "spearman",
        "citations",
        "log_citations",
        "novelty_gap",
        "prestige_gap",
        "given_up",
        "gini",
        "seat_accuracy",
        "cheap_accuracy",
    )

    def __init__(self, **params: Any) -> None:
        self.params = p = ConferenceParams(**params)
        must_import("mesa", self.id, extra="mesa")
        self._chaired = p.mechanism == CHAIR
        self.horizon = p.years * (p.load + self._chaired)
        self.return_range = (0.0, float(p.years * p.load))
        reviewers = [f"reviewer_{index}" for index in range(p.seats)]
        self._index = {seat: index for index, seat in enumerate(reviewers)}
        self._model: Venue | None = None
        ids = [*reviewers, *([CHAIR] if self._chaired else [])]
        views, choices = self._reviewers_spaces(), self._chairs_spaces()
        self._seat_all(
            ids,
            {seat: choices[0] if seat == CHAIR else views[0] for seat in ids},
            {seat: choices[1] if seat == CHAIR else views[1] for seat in ids},
            roles={seat: CHAIR if seat == CHAIR else "reviewer" for seat in ids},
        )

    def _reviewers_spaces(self) -> tuple[Any, Any]:
        p = self.params
        manuscript = spaces.Box(-np.inf, np.inf, (3,), np.float32)
        view = spaces.Dict(
            {
                "task": spaces.Discrete(3),
                "year": spaces.Discrete(p.years + 1),
                "left": spaces.Discrete(p.load + 1),
                "first": manuscript,
                "second": manuscript,
            }
        )
        return view, spaces.Discrete(MARKS + 2)

    def _chairs_spaces(self) -> tuple[Any, Any]:
        view = spaces.Dict(
            {
                "year": spaces.Discrete(self.params.years + 1),
                "last": spaces.Discrete(len(MECHANISMS) + 1),
                "figures": spaces.Box(0, np.inf, (2,), np.float32),
            }
        )
        return view, spaces.Discrete(len(MECHANISMS))

    @property
    def model(self) -> Venue:
        """The Mesa model of the match that is being played, to look at.

        Raises:
            UsageError: no match has begun.
        """
        if self._model is None:
            raise UsageError(f"{self.id}: there is no venue before reset(seed)")
        return self._model

    # The rules.

    def _begin(self, rng: np.random.Generator) -> None:
        from .venue import Venue

        self._model = Venue(self.params, rng)
        self._done = 0  # judgements of each reviewer in this round
        self._good = self._asked = 0.0
        if not self._chaired:
            self._model.open_year(self.params.mechanism)

    def _actors(self) -> Sequence[str]:
        return [CHAIR] if self.model.round is None else [*self._index]

    def _play(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        rewards = dict.fromkeys(self.possible_seats, 0.0)
        model = self.model
        if model.round is None:
            chosen = actions[CHAIR]
            last = model.mechanism or MECHANISMS[0]
            model.open_year(last if chosen is None else MECHANISMS[int(chosen)])
            return rewards
        for seat, action in actions.items():
            place = self._place(seat)
            answer = -1 if action is None else self._answer(int(action))
            model.round.answer[place] = answer
            rewards[seat] = float(model.right(place, answer))
            self._good += rewards[seat]
            self._asked += 1
        self._done += 1
        if self._done * self.params.reviewers < len(model.round.answer):
            return rewards
        self._done = 0
        if model.judged():
            if self._chaired:
                rewards[CHAIR] = float(model.figures["overlap"])
            elif model.held < self.params.years:
                model.open_year(self.params.mechanism)
        return rewards

    def _place(self, seat: str) -> int:
        return self._done * self.params.reviewers + self._index[seat]

    @staticmethod
    def _answer(action: int) -> int:
        return action + 1 if action < MARKS else action - MARKS

    def _ended(self) -> tuple[bool, bool, str]:
        over = self.model.held >= self.params.years
        return over, False, f"the venue was held {self.params.years} times" if over else ""

    def _mask(self, seat: str) -> Any:
        if seat == CHAIR:
            return np.ones(len(MECHANISMS), np.int8)
        compare = self.model.round is not None and self.model.round.compare
        return np.array([not compare] * MARKS + [compare] * 2, np.int8)

    def _info(self, seat: str) -> Mapping[str, Any]:
        return {"action_mask": self._mask(seat)}

    def _check(self, seat: str, action: Action) -> None:
        if not self._mask(seat)[int(action)]:
            compare = self.model.round is not None and self.model.round.compare
            asked = "say which of the two you prefer" if compare else "rate it from 1 to 10"
            raise IllegalAction(f"That is not what is asked now: {asked}.")

    def _observe(self, seat: str) -> dict[str, Any]:
        model, p = self.model, self.params
        if seat == CHAIR:
            last = MECHANISMS.index(model.mechanism) if model.held else len(MECHANISMS)
            known = model.figures if model.held else {}
            figures = [known.get("log_citations", 0.0), known.get("gini", 0.0)]
            return {"year": model.held, "last": last, "figures": np.array(figures, np.float32)}
        nothing = np.zeros(3, np.float32)
        seen = {"task": IDLE, "year": model.held, "left": 0, "first": nothing, "second": nothing}
        if model.round is None:
            return {**seen, "second": nothing.copy()}
        asked, place = model.round, self._place(seat)
        seen["task"] = COMPARE if asked.compare else RATE
        seen["left"] = len(asked.answer) // p.reviewers - self._done
        seen["first"] = self._told(asked.first[place], asked.read[0, place])
        second = asked.second[place]
        seen["second"] = (
            self._told(second, asked.read[1, place]) if asked.compare else nothing.copy()
        )
        return seen

    def _told(self, author: int, read: float) -> Any:
        model = self.model
        prestige = 0.0 if self.params.blind else model.prestige[model.institution[author]]
        return np.array([read, model.novelty[author], prestige], np.float32)

    def _state(self) -> bytes:
        model, digest = self.model, blake2b(digest_size=16)
        columns = [model.quality, model.prestige, model.submission, model.counts, model.institution]
        if model.round is not None:
            columns += [model.round.first, model.round.read, model.round.answer]
        for column in columns:  # the last bits of an exponential differ between machines
            digest.update(column.round(9).tobytes())
        told = (model.held, model.mechanism, self._done, round(self._good, 9), self._asked)
        return repr(told).encode() + digest.digest()

    def _metrics(self) -> dict[str, float]:
        model, series = self.model, self._series()
        found = {name: float(np.mean(series[name])) for name in self.metric_names[:8]}
        found["gini"] = model.concentration()
        found["seat_accuracy"] = self._good / self._asked
        if self.params.seats < self.params.reviewers:
            found["cheap_accuracy"] = model.cheap_accuracy()
        return found

    def _tables(self) -> dict[str, dict[str, list[Any]]]:
        kept = self.model.datacollector.tables["manuscripts"]
        return {"series": self._series(), "manuscripts": {n: list(c) for n, c in kept.items()}}

    def _series(self) -> dict[str, list[Any]]:
        return {name: list(kept) for name, kept in self.model.datacollector.model_vars.items()}

    # Words.

    def action_labels(self, seat: str) -> Any:
        """Marks and preferences, or mechanisms."""
        return MECHANISMS if seat == CHAIR else conference_words.JUDGEMENTS

    def rules(self, seat: str) -> str:
        """All that a newcomer in ``seat`` must know."""
        return conference_words.rules(self.params, seat, self.how_to_answer(seat))

    def describe(self, seat: str, observation: Any, info: Mapping[str, Any] = NOTHING) -> str:
        """The manuscripts on the desk, or last year's figures."""
        return conference_words.describe(self.params, seat, observation)

    def render(self) -> str:
        """The figures of the years so far, and what each seat is told."""
        told = super().render()  # or that nothing has begun
        lines = conference_words.years(self._series())
        return "\n".join([*lines, told])

    def draw(self) -> Image:
        """This year's manuscripts by quality and prestige, and the course of the figures."""
        from .conference_picture import conference_picture

        return conference_picture(self.model)
