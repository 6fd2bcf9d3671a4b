"""What an agent values: utilities behind its choices, and how far there are any.

What it asks
    Are an agent's preferences complete and free of circles, so that one scale explains them? What
    stands where on it? Are lotteries worth what is expected of them, means what they lead to? How
    much of one thing does it give for another, and how does it discount the future? How near is it
    to an assembly of citizens?

How
    Pairs of outcomes in ``preference_elicitation-v0``, each in both orders, each question in a
    match of its own so that none remembers another. Pairs are chosen near in utility and rarely
    asked about; there are ``effort * 2 N log2 N`` of N outcomes. Some pairs, drawn at random, are
    held out, and threes of outcomes are asked about completely. Outcomes are ours (no people are
    weighed by who they are) or the user's.

What counts as a case
    One pair: its answers in both orders and all repeats are pooled, so that a respondent that
    always says the first is undecided about everything. Order effects count single answers.

Figures
    The scale with intervals; confidence beside what a coin would show; accuracy, log loss and
    calibration on held-out pairs; circles; order effects; then, part by part, lotteries, exchange
    rates (a two-way rate per pair of items, from utility over the logarithm of the amount, for one
    framing or all), discounting and stories; and distance to a synthetic assembly.

Source
    Mazeika et al., Utility Engineering: Analyzing and Controlling Emergent Value Systems in AIs
    (NeurIPS 2025). Position effects, closed-form instrumentality, discount fits, intervals, the
    assembly and all words are ours; pseudo-labels are left out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import ceil, log2
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gymposium.errors import UsageError

from ...envs.preferences.outcome import Outcome, most
from ...envs.preferences.outcome import outcomes as made
from ...envs.preferences.params import FRAMINGS
from ..judging.eliciting import Plan
from ..judging.judgements import Judgements
from ..judging.scheduling import SCHEDULES
from ..judging.utilities import triads
from ..ratings.pair_counts import Ints
from ..ratings.scale import MODELS, Scale, fit_scale
from .findings import Findings
from .sitting import Sitting
from .studies import Bench

PARTS = ("lotteries", "quantities", "delays", "stories")
_HELD_OUT = 0.05
_FEWEST_HELD = 20
_MOST_HELD = 1000
_LARGEST = 4_000_000


@dataclass(frozen=True)
class Asked:
    """One set of outcomes and what was answered about it."""

    outcomes: Sequence[Outcome]
    judged: Judgements
    model: str

    @cached_property
    def scale(self) -> Scale:
        """Fitted to the answers, with the effect of standing first."""
        return fit_scale(self.judged.counts(position=True), self.model)


class Valued(NamedTuple):
    """All that was asked and answered.

    Attributes:
        main: base outcomes and lotteries.
        held: answers about pairs that ``main`` holds out.
        threes: answers about threes of base outcomes.
        quantities: by framing.
        delays, stories: None where they were not asked about.
        matches: played in all.
    """

    main: Asked
    held: Judgements
    threes: Judgements
    quantities: Mapping[str, Asked]
    delays: Asked | None
    stories: Asked | None
    matches: int


@dataclass(frozen=True)
class ValueAudit:
    """The study's parameters, and the study."""

    outcomes: str = field(
        default="", metadata={"doc": "file of outcomes: a line each, or JSON (a list or lists)"}
    )
    size: int = field(
        default=30, metadata={"doc": "outcomes of ours, if none are given", "range": [3, 50]}
    )
    draw: int = field(default=0, metadata={"doc": "seed of which outcomes and citizens there are"})
    parts: str = field(default=",".join(PARTS), metadata={"doc": "what else is asked about"})
    lotteries: int = field(default=15, metadata={"doc": "lotteries", "range": [3, 1000]})
    effort: float = field(
        default=1.0, metadata={"doc": "pairs, in units of 2 N log2 N", "range": [0.05, 10]}
    )
    repeats: int = field(
        default=1, metadata={"doc": "times that each order is asked", "range": [1, 100]}
    )
    triads: int = field(
        default=60, metadata={"doc": "threes that are asked about completely", "range": [1, 10000]}
    )
    schedule: str = field(
        default="edges", metadata={"doc": "which pairs are asked", "choices": list(SCHEDULES)}
    )
    model: str = field(
        default="thurstone_variances",
        metadata={"doc": "of comparisons", "choices": list(MODELS)},
    )
    framing: str = field(
        default="states", metadata={"doc": "how it is asked", "choices": [*FRAMINGS, "every"]}
    )
    indifferent: bool = field(default=False, metadata={"doc": "it may say that it does not mind"})
    citizens: int = field(
        default=6, metadata={"doc": "of the assembly that it is held against", "range": [1, 1000]}
    )
    together: int = field(
        default=1,
        metadata={"doc": "questions in one match; more is quicker, but they may be remembered"},
    )

    def __post_init__(self) -> None:
        for name, low, high in (
            ("size", 3, most()),
            ("lotteries", 3, 1000),
            ("repeats", 1, 100),
            ("triads", 1, 10_000),
            ("citizens", 1, 1000),
            ("together", 1, 100_000),
            ("draw", 0, 2**62),
        ):
            value = getattr(self, name)
            if type(value) is not int or not low <= value <= high:
                raise UsageError(
                    f"values: {name}={value!r} must be a whole number from {low} to {high}"
                )
        if not isinstance(self.effort, int | float) or not 0.05 <= self.effort <= 10:
            raise UsageError(f"values: effort={self.effort!r} must be a number from 0.05 to 10")
        if self.framing not in (*FRAMINGS, "every"):
            told = ", ".join((*FRAMINGS, "every"))
            raise UsageError(f"values: framing={self.framing!r} must be one of {told}")
        unknown = set(self._parts) - set(PARTS)
        if unknown:
            raise UsageError(
                f"values: parts={self.parts!r} has {sorted(unknown)[0]!r}; there are "
                f"{', '.join(PARTS)}, with commas, or none"
            )
        Plan(3, 1, self.schedule, model=self.model)  # refuses names that are none

    @property
    def _parts(self) -> list[str]:
        return [part.strip() for part in str(self.parts).split(",") if part.strip()]

    def run(self, bench: Bench) -> Findings:
        """Play what is missing and say what was found."""
        from .values_findings import findings

        return findings(self.valued(bench), self, bench)

    def valued(self, bench: Bench) -> Valued:
        """Ask what is missing; all the answers."""
        world = {"indifferent": self.indifferent, "draw": self.draw}
        sitting = Sitting(bench, "preference_elicitation-v0", world, self.together)
        framings = list(FRAMINGS) if self.framing == "every" else [self.framing]
        first, parts = framings[0], self._parts
        texts = read_outcomes(self.outcomes) if self.outcomes else ()
        about = "lotteries" if "lotteries" in parts else "base"
        chosen: dict[str, Any] = {"about": about, "framing": first}
        shape = {"size": self.size, "lotteries": self.lotteries, "draw": self.draw}
        every = made(about, texts=texts, size=self.size, lotteries=self.lotteries,
                     seed=self.draw)  # fmt: skip
        chosen |= shape | ({"outcomes": list(texts)} if texts else {})
        rng = np.random.default_rng([bench.seed, 7])
        held = _held_out(len(every), rng)
        main = self._asked(sitting, "main", every, chosen, held)
        base = sum(it.kind == "base" for it in every)
        threes = np.array(triads(base, self.triads, rng), dtype=np.int64).reshape(-1, 2)
        told = {
            name: self._given(sitting, name, len(every), pairs, chosen)
            for name, pairs in (("held-out", held), ("threes", threes))
        }
        quantities = {
            framing: self._asked(
                sitting, f"quantities-{framing}", made("quantities"),
                {"about": "quantities", "framing": framing},
            )
            for framing in framings if "quantities" in parts
        }  # fmt: skip
        stories = made("stories")
        return Valued(
            main,
            told["held-out"],
            told["threes"],
            quantities,
            self._delays(sitting, first) if "delays" in parts else None,
            self._asked(sitting, "stories", stories, {"about": "stories", "framing": first})
            if "stories" in parts
            else None,
            sitting.matches,
        )

    def _asked(
        self,
        sitting: Sitting,
        name: str,
        every: Sequence[Outcome],
        params: Mapping[str, Any],
        held: Ints | None = None,
    ) -> Asked:
        """Choose pairs by the schedule, in ten rounds."""
        size = len(every)
        left = size * (size - 1) // 2 - (0 if held is None else len(held))
        pairs = min(left, max(size, int(self.effort * 2 * size * log2(size))))
        plan = Plan(
            size,
            pairs * 2 * self.repeats,
            self.schedule,
            batch=2 * self.repeats * ceil(pairs / 10),
            repeats=self.repeats,
            model="thurstone",
            fresh=True,
            held_out=held,
            seed=sitting.bench.seed,
        )
        return Asked(every, sitting.elicit(name, plan, params), self.model)

    def _given(
        self, sitting: Sitting, name: str, items: int, pairs: Ints, params: Mapping[str, Any]
    ) -> Judgements:
        """Ask about given pairs, in both orders, as often as repeats say."""
        shown = np.stack([pairs, pairs[:, ::-1]] * self.repeats, axis=1).reshape(-1, 2)
        answers = sitting.ask(name, shown.tolist(), dict(params))
        return Judgements.of(items, shown[:, 0], shown[:, 1], answers)

    def _delays(self, sitting: Sitting, framing: str) -> Asked:
        months = (1.0, 3.0, 6.0, 12.0, 24.0, 60.0)
        every = made("delays", months=months)
        later = np.arange(1, len(every))
        pairs = np.stack([np.zeros_like(later), later], 1)
        params = {"about": "delays", "months": list(months), "framing": framing}
        return Asked(every, self._given(sitting, "delays", len(every), pairs, params), self.model)


def read_outcomes(path: str) -> tuple[str, ...]:
    """Texts of outcomes: a line each, a JSON list, or a JSON object of lists.

    Raises:
        UsageError: it cannot be read, or holds fewer than three.
    """
    try:
        if Path(path).stat().st_size > _LARGEST:
            raise UsageError(f"values: {path} is larger than {_LARGEST:,} bytes")
        text = Path(path).read_text(encoding="utf-8", errors="replace")
        found: Any = json.loads(text) if path.endswith(".json") else text.splitlines()
    except (OSError, ValueError) as error:
        raise UsageError(f"values: outcomes={path!r} cannot be read ({error})") from error
    if isinstance(found, dict):
        found = [it for rows in found.values() for it in (rows if isinstance(rows, list) else ())]
    rows = found if isinstance(found, list) else []
    texts = [" ".join(it.split()) for it in rows if isinstance(it, str) and it.strip()]
    texts = list(dict.fromkeys(texts))
    if len(texts) < 3:
        raise UsageError(f"values: {path} has {len(texts)} outcomes; three are the least")
    return tuple(texts)


def without_side(scale: Scale) -> Scale:
    """The scale for answers in which orders are pooled."""
    return replace(scale, sides=np.zeros(0))


def _held_out(items: int, rng: np.random.Generator) -> Ints:
    every = np.stack(np.triu_indices(items, 1), axis=1).astype(np.int64)
    number = min(max(ceil(_HELD_OUT * len(every)), _FEWEST_HELD), _MOST_HELD, len(every) // 4)
    return np.asarray(every[rng.permutation(len(every))[:number]])
