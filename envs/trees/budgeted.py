"""The rule these worlds share: what was earned is paid at the end, if the whole cost allows it.

The trajectory-constrained return of Tzannetos, Kamalaruban and Singla, Curriculum Design for
Trajectory-Constrained Agent (NeurIPS 2025): the sum of rewards if the sum of costs is at most the
budget, else 0. The discount is 1: episodes are short and tokens are counted as they are.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from gymposium.errors import UsageError
from gymposium.types import Action

from ..world import RuleWorld

SEAT = "player_0"


class BudgetedWorld(RuleWorld):
    """A world of one seat with costs and a budget.

    A curriculum moves the budget and holds the task with :meth:`set_budget` and :meth:`set_task`;
    everybody else plays under the deployment budget, on tasks that follow from the seed.

    Attributes:
        budget: what the cost of a match may be at most, now.
        many_tasks: whether matches differ in more than luck.
    """

    turn_based: ClassVar[bool] = True
    metric_names = ("cost", "raw_return", "feasible")
    many_tasks: bool = False
    return_range: tuple[float, float] = (0.0, 1.0)
    budget: float
    _task: int | None = None

    @property
    @abstractmethod
    def target_budget(self) -> float:
        """The deployment budget of the task that is set."""

    @property
    @abstractmethod
    def max_budget(self) -> float:
        """A budget that every match of the task that is set keeps."""

    @abstractmethod
    def _start(self, rng: np.random.Generator) -> None:
        """Set the state to the start of a match; a task that is set holds, else draw one."""

    @abstractmethod
    def _move(self, action: Action) -> tuple[float, float]:
        """Advance by one step; returns (reward, cost). None is "no legal answer"."""

    def set_budget(self, budget: float | None) -> None:
        """Move the budget; None brings the deployment budget back.

        Raises:
            UsageError: it is no number, or below 0.
        """
        if budget is not None:
            check_budget(self.id, budget)
        self._moved = None if budget is None else float(budget)
        self.budget = self.target_budget if budget is None else float(budget)

    def set_task(self, task: int | None) -> None:
        """Hold the task of all matches that follow; None draws one from each match's seed.

        Raises:
            UsageError: ``task`` is negative.
        """
        if task is not None and (isinstance(task, bool) or task < 0):
            raise UsageError(f"{self.id}: a task is a whole number of at least 0, got {task!r}")
        self._task = task

    def _begin(self, rng: np.random.Generator) -> None:
        self.cost = self.raw_return = self._last_cost = 0.0
        self._start(rng)
        self.budget = self.target_budget if self._moved is None else self._moved

    _moved: float | None = None

    def _actors(self) -> Sequence[str]:
        return self.possible_seats

    def _play(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        reward, self._last_cost = self._move(actions[SEAT])
        self.raw_return += reward
        self.cost += self._last_cost
        terminated, truncated, _ = self._ended()
        paid = (terminated or truncated) and self.cost <= self.budget
        return {SEAT: self.raw_return if paid else 0.0}

    def _info(self, seat: str) -> Mapping[str, Any]:
        return {"cost": self._last_cost, "cost_sum": self.cost}

    def _sums(self) -> bytes:
        """What ``_state`` of a subclass adds for the budget."""
        return np.array([self.cost, self.raw_return, self._last_cost, self.budget]).tobytes()

    def _metrics(self) -> dict[str, float]:
        return {
            "cost": self.cost,
            "raw_return": self.raw_return,
            "feasible": float(self.cost <= self.budget),
        }


def check_budget(where: str, budget: Any) -> None:
    """Raise UsageError unless ``budget`` is a finite number of at least 0."""
    number = isinstance(budget, int | float | np.number) and not isinstance(budget, bool)
    if not number or not 0 <= budget < np.inf:
        raise UsageError(f"{where}: budget must be a number of at least 0, got {budget!r:.60}")
