"""Ask about pairs until the budget is spent: batches of questions out, answers in.

:class:`Elicitation` holds no judge and asks nobody. A study takes its questions to whatever answers
them (matches, a model, a formula) and hands back what came of it; so it can stop anywhere, and with
the same answers it goes on with the same questions. :func:`elicit` does that with a function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from gymposium.errors import UnknownName, UsageError

from ..ratings.pair_counts import Floats, Ints
from ..ratings.scale import MODELS, Scale, fit_scale
from .judgements import Judgements, pair_code
from .scheduling import ADAPTIVE, SCHEDULES, Situation, next_pairs


@dataclass(frozen=True)
class Plan:
    """How pairs are asked about.

    Attributes:
        items: how many there are.
        budget: questions in all; a pair shown in both orders is two.
        schedule: one of ``SCHEDULES``.
        batch: questions between two looks at the scale, where the schedule is adaptive; a tenth of
            the budget by default.
        orders: ``both`` shows each pair in both orders, ``one`` in a random one.
        repeats: how often each order is shown.
        model: of the scale that adaptive schedules look at.
        fresh: never choose a pair again.
        held_out: pairs that are never chosen, ``[number, 2]``, kept to test the scale on.
        seed: of all that is drawn.
    """

    items: int
    budget: int
    schedule: str = "active"
    batch: int | None = None
    orders: Literal["both", "one"] = "both"
    repeats: int = 1
    model: str = "bradley_terry"
    fresh: bool = False
    held_out: Ints | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.schedule not in SCHEDULES:
            raise UnknownName("schedule", self.schedule, SCHEDULES)
        if self.model not in MODELS:
            raise UnknownName("model of comparisons", self.model, MODELS)
        if self.orders not in ("both", "one"):
            raise UnknownName("orders", self.orders, ("both", "one"))
        if self.items < 2:
            raise UsageError(f"comparisons need two items or more, got {self.items}")
        for name in ("budget", "repeats", "batch"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise UsageError(f"comparisons: {name}={value} must be 1 or more")

    @property
    def each(self) -> int:
        """Questions about one chosen pair."""
        return self.repeats * (2 if self.orders == "both" else 1)


class Elicitation:
    """Questions and answers of one study.

    Attributes:
        plan: how pairs are asked about.
        judgements: the answers so far.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.judgements = Judgements.none(plan.items)
        self._round = 0
        self._asked: Ints | None = None
        held = plan.held_out if plan.held_out is not None else np.zeros((0, 2), dtype=np.int64)
        self._closed = np.unique(pair_code(held[:, 0], held[:, 1], plan.items))

    def scale(self) -> Scale | None:
        """The scale of the answers so far; None before the first answer."""
        known = self.judgements.answered.any()
        return fit_scale(self.judgements.counts(), self.plan.model) if known else None

    def questions(self) -> Ints:
        """``[number, 2]``: the next batch, as shown; none when the budget is spent."""
        if self._asked is None:
            self._asked = self._next()
        return self._asked

    def answer(self, preferred: Any, judge: Any = 0) -> None:
        """Take the answers to the latest questions.

        Args:
            preferred: ``[number]``, as in :class:`~.judgements.Judgements`.
            judge: ``[number]``, who answered.

        Raises:
            UsageError: there are no questions, or not as many answers.
        """
        asked = self.questions()
        if np.shape(preferred) != (len(asked),) or not len(asked):
            raise UsageError(
                f"{len(asked)} questions were asked and {np.size(preferred)} answers given"
            )
        told = Judgements.of(self.plan.items, asked[:, 0], asked[:, 1], preferred, judge)
        self.judgements = self.judgements.and_then(told)
        self._asked, self._round = None, self._round + 1

    def _next(self) -> Ints:
        plan, spent = self.plan, len(self.judgements)
        left = plan.budget - spent
        if left <= 0:
            return np.zeros((0, 2), dtype=np.int64)
        adaptive = plan.schedule in ADAPTIVE
        size = min(left, plan.batch or max(plan.budget // 10, 1)) if adaptive else left
        situation = Situation(
            self.judgements, self.scale() if adaptive else None, self._closed, plan.fresh
        )
        rng = np.random.default_rng([plan.seed, self._round])
        pairs = next_pairs(plan.schedule, situation, -(-size // plan.each), rng)
        shown = [pairs, pairs[:, ::-1]] if plan.orders == "both" else [pairs]
        # All presentations of a pair stand together, so that a budget splits one pair at most.
        return np.stack(shown * plan.repeats, axis=1).reshape(-1, 2)[:left]


def elicit(plan: Plan, ask: Callable[[Ints], Floats]) -> Judgements:
    """Ask a function until the budget is spent or no pair is left.

    Args:
        plan: how pairs are asked about.
        ask: ``[number, 2]`` items as shown -> ``[number]`` how far each first was preferred.
    """
    study = Elicitation(plan)
    while len(asked := study.questions()):
        study.answer(ask(asked))
    return study.judgements
