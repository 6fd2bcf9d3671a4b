"""Whom a reviewer would accept: a ranking of manuscripts, and how far to trust it.

What it asks
    How does an agent rank manuscripts when it compares them in pairs? Is that better than the marks
    it gives, for as many judgements? Does the order of presentation move it, do its preferences run
    in circles, does it like what is known and where it comes from, and can a manuscript talk it
    round?

How
    The manuscripts are the user's (a folder, JSON lines, CSV, zip or an OpenReview export) or
    generated. Pairs are chosen as the schedule says, each shown in both orders, each judgement in a
    match of its own so that none remembers another. A scale is fitted to the answers. Then the
    same number of judgements is spent on marks. Last, some manuscripts drawn at random are given
    an order to the reviewer, and the comparisons are made again, twice: with manuscripts quoted
    line by line, as they always are, and without.

What counts as a case
    One judgement. Of shares, the two presentations of one pair are one case of "same winner".

Figures
    The ranking with intervals of worth and rank (draws from the posterior) and the chance to be
    accepted; pairs against marks in all that can be measured; order effects and circles; accepted
    shares by topic; what an order gains, in hundredths of the ranking. Intervals of measures of
    marks come from resampling each manuscript's marks.

Source
    Zhang et al., From Replication to Redesign: Exploring Pairwise Comparisons for LLM-Based Peer
    Review (NeurIPS 2025). Both orders, intervals, schedules and orders to reviewers are ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from gymposium.errors import UsageError

from ...envs.peer_review.corpus import corpus
from ...envs.peer_review.manuscript import Manuscript
from ...envs.peer_review.params import INJECTIONS
from ...envs.peer_review.reading import read_manuscripts
from ..judging.eliciting import Plan
from ..judging.judgements import Judgements
from ..judging.scheduling import SCHEDULES
from ..ratings.pair_counts import Floats, Ints
from ..ratings.scale import MODELS, Scale, fit_scale
from .findings import Findings
from .sitting import Sitting
from .studies import Bench


class Reviewed(NamedTuple):
    """All that a review came to.

    Attributes:
        pile: the manuscripts.
        judged: comparisons.
        scale: fitted to them.
        marked: ``[ratings]``, numbers of manuscripts rated.
        marks: ``[ratings]``, NaN for no answer.
        injected: numbers of the manuscripts with an order in them.
        told: the scale where manuscripts with an order were quoted, and where they were not.
        skipped: what could not be read.
        matches: played in all.
    """

    pile: Sequence[Manuscript]
    judged: Judgements
    scale: Scale
    marked: Ints
    marks: Floats
    injected: Ints
    told: tuple[Scale, Scale] | None
    skipped: Sequence[str]
    matches: int


@dataclass(frozen=True)
class Review:
    """The study's parameters, and the study."""

    manuscripts: str = field(
        default="", metadata={"doc": "folder, JSON lines, CSV, zip or OpenReview export"}
    )
    size: int = field(
        default=20, metadata={"doc": "manuscripts generated if none are given", "range": [4, 20000]}
    )
    corpus: int = field(default=0, metadata={"doc": "seed of the generated ones"})
    each: int = field(
        default=10, metadata={"doc": "judgements for each manuscript", "range": [1, 1000]}
    )
    schedule: str = field(
        default="active", metadata={"doc": "which pairs are compared", "choices": list(SCHEDULES)}
    )
    model: str = field(
        default="bradley_terry", metadata={"doc": "of comparisons", "choices": list(MODELS)}
    )
    rounds: int = field(
        default=5, metadata={"doc": "times that the schedule looks at the scale", "range": [1, 100]}
    )
    rate: float = field(default=0.3, metadata={"doc": "share that is accepted"})
    injected: int = field(
        default=4, metadata={"doc": "manuscripts that get an order to the reviewer; 0 for none"}
    )
    injection: str = field(
        default="order", metadata={"doc": "which order", "choices": list(INJECTIONS)}
    )
    ties: bool = field(default=False, metadata={"doc": "it may call two equally good"})
    blind: bool = field(default=True, metadata={"doc": "it does not see institutions"})
    letters: int = field(default=1600, metadata={"doc": "of each manuscript that it sees"})
    together: int = field(
        default=1,
        metadata={"doc": "judgements in one match; more is quicker, but they may be remembered"},
    )

    def __post_init__(self) -> None:
        for name, low, high in (
            ("size", 4, 20_000),
            ("each", 1, 1000),
            ("rounds", 1, 100),
            ("injected", 0, 20_000),
            ("together", 1, 100_000),
            ("corpus", 0, 2**62),
        ):
            value = getattr(self, name)
            if type(value) is not int or not low <= value <= high:
                raise UsageError(
                    f"review: {name}={value!r} must be a whole number from {low} to {high}"
                )
        if not isinstance(self.rate, float) or not 0 < self.rate < 1:
            raise UsageError(f"review: rate={self.rate!r} must lie between 0 and 1")
        if not isinstance(self.manuscripts, str):
            raise UsageError(f"review: manuscripts={self.manuscripts!r} must be a path")
        Plan(2, 1, self.schedule, model=self.model)  # refuses names that are none

    def run(self, bench: Bench) -> Findings:
        """Play what is missing and say what was found."""
        from . import review_findings as told

        found = self._reviewed(bench)
        compared = told.against(found, self.rate, bench.seed)
        return bench.findings(
            "review",
            self,
            matches=found.matches,
            sentences=told.sentences(found, compared, self.rate, bench.seed),
            tables=told.tables(found, compared, self.rate, bench.seed),
            plots=told.plots(found, self.rate, bench.seed),
        )

    def _reviewed(self, bench: Bench) -> Reviewed:
        pile, world, skipped = self._pile()
        size = len(pile)
        sitting = Sitting(bench, "peer_review-v0", {**world, "reviewers": 1}, self.together)
        judged = self._compared(sitting, size, "pairs")
        marked, marks = self._marked(sitting, size, bench.seed)
        rng = np.random.default_rng([bench.seed, 5])
        injected = np.sort(rng.permutation(size)[: min(self.injected, size // 2)])
        again: list[Judgements] = []
        for fence in (True, False) if len(injected) else ():
            order = {"injection": self.injection, "injected": injected.tolist(), "fence": fence}
            name = "order-quoted" if fence else "order-as-it-is"
            again.append(self._compared(sitting, size, name, **order))
        scales = [fit_scale(it.counts(position=True), self.model) for it in (judged, *again)]
        return Reviewed(
            pile,
            judged,
            scales[0],
            marked,
            marks,
            injected,
            (scales[1], scales[2]) if again else None,
            skipped,
            sitting.matches,
        )

    def _pile(self) -> tuple[Sequence[Manuscript], dict[str, Any], Sequence[str]]:
        """The manuscripts, the parameters with which the world has them, and what was left out."""
        shown = {"blind": self.blind, "letters": self.letters, "rate": self.rate}
        if not self.manuscripts:
            made = {"corpus": self.corpus, "size": self.size, **shown}
            return corpus(self.size, self.corpus), made, ()
        read = read_manuscripts(self.manuscripts)
        given = {"manuscripts": self.manuscripts, "digest": read.digest, **shown}
        return read.manuscripts, given, read.skipped

    def _compared(self, sitting: Sitting, size: int, name: str, **params: Any) -> Judgements:
        budget = self.each * size
        plan = Plan(
            size,
            budget,
            self.schedule,
            batch=-(-budget // self.rounds),
            model=self.model,
            seed=sitting.bench.seed,
        )
        return sitting.elicit(name, plan, {"task": "compare", "ties": self.ties, **params})

    def _marked(self, sitting: Sitting, size: int, seed: int) -> tuple[Ints, Floats]:
        rng = np.random.default_rng([seed, 3])
        dealt = np.concatenate([rng.permutation(size) for _ in range(self.each)])
        return dealt, sitting.ask("marks", dealt.tolist(), {"task": "rate"})
