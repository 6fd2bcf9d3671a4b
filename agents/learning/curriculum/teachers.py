"""Teachers: which budget a student is trained under next.

CuRLTraC and the baselines it is compared with in Tzannetos, Kamalaruban and Singla, Curriculum
Design for Trajectory-Constrained Agent (NeurIPS 2025). ProCuRL-Target is Tzannetos, Kamalaruban and
Singla, Proximal Curriculum with Task Correlations (IJCAI 2024), with budgets as its contexts and
values measured in trials. A teacher that looks at the student asks for trials; they are episodes
like others, and whoever counts what learning took counts them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from .episodes import Episodes, gated
from .search import bisect, exact

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


class Span(NamedTuple):
    """The budgets that make sense in a task: from the deployment budget to one that all keep."""

    target: float
    highest: float


class Teacher(Protocol):
    """Chooses budgets.

    Attributes:
        trials: how many episodes of the current policy it wants to see before each choice.
    """

    trials: int

    def choose(
        self, span: Span, done: float, seen: Episodes | None, rng: np.random.Generator
    ) -> float:
        """The next budget.

        Args:
            span: of the task at hand.
            done: share of the training that is over, 0 to 1.
            seen: the trials, if it wants any.
            rng: where its draws come from.
        """
        ...

    def state_dict(self) -> dict[str, Any]:
        """What it remembers."""
        ...

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from there."""
        ...


class _Memoryless:
    trials = 0

    def state_dict(self) -> dict[str, Any]:
        """Nothing."""
        return {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Nothing."""


class Target(_Memoryless):
    """Always the deployment budget."""

    def choose(
        self, span: Span, done: float, seen: Episodes | None, rng: np.random.Generator
    ) -> float:
        """The target."""
        return span.target


class Unconstrained(_Memoryless):
    """Always a budget that everything keeps."""

    def choose(
        self, span: Span, done: float, seen: Episodes | None, rng: np.random.Generator
    ) -> float:
        """The highest."""
        return span.highest


class IID(_Memoryless):
    """Any budget, uniformly."""

    def choose(
        self, span: Span, done: float, seen: Episodes | None, rng: np.random.Generator
    ) -> float:
        """A uniform draw."""
        return float(rng.uniform(span.target, span.highest))


class ExpSchedule(_Memoryless):
    """From the highest towards the target, exponentially; ``decay`` is in shares of training."""

    def __init__(self, decay: float) -> None:
        self.decay = decay

    def choose(
        self, span: Span, done: float, seen: Episodes | None, rng: np.random.Generator
    ) -> float:
        """Target + (highest - target) exp(-done / decay)."""
        return span.target + (span.highest - span.target) * math.exp(-done / self.decay)


class Linear(_Memoryless):
    """From the highest to the target in a straight line, there at ``end`` of training."""

    def __init__(self, end: float) -> None:
        self.end = end

    def choose(
        self, span: Span, done: float, seen: Episodes | None, rng: np.random.Generator
    ) -> float:
        """Straight down, then the target."""
        return span.target + (span.highest - span.target) * max(0.0, 1 - done / self.end)


class ProCuRLTarget(_Memoryless):
    """Budgets that are neither too easy nor too hard, and not far from the target.

    A budget's score is L (1 - L) times the same of the target, times exp(-distance), where L is its
    value on the trials as a share of the highest possible; it is drawn with the softmax of
    ``sharpness`` times the scores from a pool spread evenly over the span. While the target has
    value 0 all scores are 0 and the draw is uniform.
    """

    def __init__(self, trials: int, sharpness: float, pool: int, most: float) -> None:
        self.trials, self.sharpness, self.pool, self.most = trials, sharpness, pool, most

    def scores(self, span: Span, seen: Episodes) -> tuple[Array, Array]:
        """The pool's budgets and their scores."""
        budgets = np.linspace(span.target, span.highest, self.pool)
        order = np.argsort(seen.costs, kind="stable")
        earned = np.concatenate([[0.0], np.cumsum(seen.returns[order])])
        paid = earned[np.searchsorted(seen.costs[order], budgets, side="right")]
        learned = np.clip(paid / len(seen) / self.most, 0, 1)
        spread = learned * (1 - learned)
        distance = (budgets - span.target) / max(span.highest - span.target, 1e-12)
        return budgets, spread * spread[0] * np.exp(-distance)

    def choose(
        self, span: Span, done: float, seen: Episodes | None, rng: np.random.Generator
    ) -> float:
        """A draw by score."""
        if seen is None:
            raise TypeError("ProCuRL-Target chooses from trials")
        budgets, scores = self.scores(span, seen)
        weights = np.exp(self.sharpness * (scores - scores.max()))
        return float(rng.choice(budgets, p=weights / weights.sum()))


class CuRLTraC:
    """The tightest budget at which the student still earns ``beta`` on its trials.

    Args:
        trials: M, episodes looked at for each choice.
        beta: the least mean return; 0 or less always gives the target.
        exactly: by the order statistic instead of bisection.
        hysteresis: a looser budget is chosen only when the last one earns less than
            ``beta - hysteresis``.
        tighten_if_stalled: after so many choices of one budget above the target take the next
            tighter cost of the trials (half-way to the target if there is none); 0 is never.
    """

    def __init__(
        self,
        trials: int,
        beta: float,
        *,
        exactly: bool = False,
        hysteresis: float = 0.0,
        tighten_if_stalled: int = 0,
    ) -> None:
        self.trials, self.beta, self._exactly = trials, beta, exactly
        self._hysteresis, self._patience = hysteresis, tighten_if_stalled
        self._last: float | None = None
        self._same = 0

    def choose(
        self, span: Span, done: float, seen: Episodes | None, rng: np.random.Generator
    ) -> float:
        """The tightest that is enough; the highest if none is."""
        if seen is None:
            raise TypeError("CuRLTraC chooses from trials")
        search = exact if self._exactly else bisect
        found = search(
            seen.costs, seen.returns, beta=self.beta, target=span.target, highest=span.highest
        )
        last = self._last
        if self._hysteresis and last is not None and span.target <= last < found:
            earned = gated(seen.costs, seen.returns, last).mean()
            if earned >= self.beta - self._hysteresis:
                found = last
        # Bisection lands a hair above a cost, each time another one.
        near = 1e-4 * (span.highest - span.target)
        self._same = self._same + 1 if last is not None and abs(found - last) <= near else 0
        self._last = found
        if self._patience and self._same >= self._patience and found > span.target:
            self._same = 0
            below = seen.costs[(seen.costs < found - near) & (seen.costs >= span.target)]
            return float(below.max()) if len(below) else (found + span.target) / 2
        return found

    def state_dict(self) -> dict[str, Any]:
        """The last budget, and for how long it has been the same."""
        return {"last": self._last, "same": self._same}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from there."""
        last = state["last"]
        self._last = None if last is None else float(last)
        self._same = int(state["same"])
