"""Students: whatever learns from episodes that are paid under a budget somebody else chose.

:class:`PolicyGradient` is REINFORCE (Williams, 1992) on the constrained return, the update of
Tzannetos, Kamalaruban and Singla (NeurIPS 2025); what the policy is made of (a table, a network) is
a subclass's. The batch's mean as a baseline is derived: without one the update can lock in at a
budget that a collapsed policy always keeps.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from gymposium.types import Agent

from .episodes import Court, Episodes, Player

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


class Lesson(NamedTuple):
    """What came of one lesson.

    Attributes:
        played: episodes played for it, beside the trials.
        paid: mean return under the budget.
    """

    played: int
    paid: float


class Student(Player, Protocol):
    """What a curriculum trains."""

    def lesson(
        self, court: Court, budget: float, seeds: Sequence[int], trials: Episodes | None
    ) -> Lesson:
        """Learn once under a budget.

        Args:
            court: where to play; its task is set.
            budget: what an episode may cost.
            seeds: of the episodes to play.
            trials: episodes of the current policy to learn from in place of new ones.
        """
        ...

    def agent(self) -> Agent:
        """The policy so far."""
        ...

    def state_dict(self) -> dict[str, Any]:
        """All that is needed to go on, and to make the agent."""
        ...

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from there."""
        ...


class PolicyGradient(ABC):
    """REINFORCE on what the budget pays.

    Attributes:
        baseline: ``mean`` of the batch, ``moving`` average of batches, or ``none``.
    """

    def __init__(self, baseline: str) -> None:
        self.baseline = baseline
        self._average = 0.0

    @abstractmethod
    def read(self, observations: Sequence[Any]) -> Array:
        """Observations as one array ``[n, …]``."""

    @abstractmethod
    def decide(self, seen: Array, masks: Array | None) -> Array:
        """Choices, int ``[n]``, drawn from the policy as it is now."""

    @abstractmethod
    def act_on(self, choice: int, turn: Any) -> Any:
        """The world's action that a choice stands for at this turn."""

    @abstractmethod
    def climb(self, episodes: Episodes, weights: Array) -> None:
        """One step along the mean over episodes of weight times grad log pi; weights ``[N]``."""

    def lesson(
        self, court: Court, budget: float, seeds: Sequence[int], trials: Episodes | None
    ) -> Lesson:
        """Play, unless there are trials to learn from, and take a step."""
        episodes = court.play(self, seeds) if trials is None else trials
        gains = episodes.gains(budget)
        paid = float(gains.mean())
        middle = {"none": 0.0, "mean": paid, "moving": self._average}[self.baseline]
        self._average += 0.1 * (paid - self._average)
        self.climb(episodes, gains - middle)
        return Lesson(len(episodes) if trials is None else 0, paid)
