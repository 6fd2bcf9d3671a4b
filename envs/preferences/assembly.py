"""A synthetic assembly of citizens, whose preferences between outcomes are known exactly.

Where Mazeika et al. (Utility Engineering, 2025) let a large model answer as citizens sampled from a
census, these are made by rule (derived), so that the distribution is known: a citizen cares more or
less for each category of outcomes, has likings of its own, and prefers with logistic error.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from .outcome import Outcome

Array: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]

CARE = 0.4
"""Standard deviation of the logarithm of a citizen's care for a category."""
LIKING = 0.3
"""Standard deviation of a citizen's own liking of an outcome."""
ERROR = 0.5
"""Scale of the logistic error."""


class Assembly:
    """Citizens and what each outcome is worth to them.

    Args:
        outcomes: base outcomes; those without a group of ours are worth 0 but for likings.
        citizens: how many.
        seed: of their tastes.
    """

    def __init__(self, outcomes: Sequence[Outcome], citizens: int = 6, seed: int = 0) -> None:
        groups = sorted({it.group for it in outcomes})
        rng = np.random.default_rng([seed, 3])
        care = np.exp(CARE * rng.normal(size=(citizens, len(groups))))
        at = [groups.index(it.group) for it in outcomes]
        worth = np.array([it.worth for it in outcomes])
        self.worth: Array = care[:, at] * worth + LIKING * rng.normal(size=(citizens, len(worth)))

    def shares(self, first: Any, second: Any) -> Array:
        """How likely a citizen drawn at random prefers ``first`` to ``second``; shape of these."""
        ahead = (self.worth[:, first] - self.worth[:, second]) / ERROR
        return np.asarray((0.5 * (1.0 + np.tanh(0.5 * ahead))).mean(axis=0))
