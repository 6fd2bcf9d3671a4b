"""Newton's method with step halving: how every likelihood of comparisons is maximised."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np

from .pair_counts import Floats

_MAX_STEP = 4.0
_HALVINGS = 30
Curvature = TypeVar("Curvature")


class Maximum(NamedTuple):
    """Where the search stopped, whether steps had become small enough, and how many it took."""

    values: Floats
    converged: bool
    iterations: int


def ascend(
    evaluate: Callable[[Floats], tuple[float, Floats, Curvature]],
    step_of: Callable[[Floats, Curvature], Floats],
    start: Floats,
    *,
    low: Floats | float = -np.inf,
    high: Floats | float = np.inf,
    tolerance: float = 1e-9,
    enough: float = 0.0,
    max_iterations: int = 100,
) -> Maximum:
    """Climb until steps are small.

    Args:
        evaluate: values -> the function, its gradient, and whatever ``step_of`` needs besides.
        step_of: the Newton step from a gradient and that.
        start: where to begin.
        low: lower bounds of the values.
        high: upper bounds of the values.
        tolerance: largest step at which the search stops.
        enough: rise that a step promises below which it stops as well.
        max_iterations: steps at most.
    """
    values = start.copy()
    level, gradient, curvature = evaluate(values)
    for iteration in range(max_iterations):
        step = np.clip(values + step_of(gradient, curvature), low, high) - values
        largest = float(np.abs(step).max(initial=0.0))
        if largest < tolerance or 0.5 * float(gradient @ step) < enough:
            return Maximum(values + step, True, iteration)
        step = step * min(1.0, _MAX_STEP / largest)
        for _ in range(_HALVINGS):
            proposal = np.clip(values + step, low, high)
            new_level, gradient, curvature = evaluate(proposal)
            if new_level >= level - 1e-12 * max(1.0, abs(level)):
                break
            step = 0.5 * step
        values, level = proposal, new_level
    return Maximum(values, False, max_iterations)
