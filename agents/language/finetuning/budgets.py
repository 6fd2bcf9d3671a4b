"""A curriculum of budgets for a language model: shorter replies, as tight as it can still earn.

Tzannetos, Kamalaruban and Singla, Curriculum Design for Trajectory-Constrained Agent (NeurIPS
2025), their arm of text: the teachers are those of :mod:`agents.learning.curriculum`, the student
learns from group-relative advantages of what its budget pays. A group's own matches are the
teacher's trials too: with eight replies to a problem none are left over (biased, cheaper).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

from gymposium.errors import UsageError

from ....envs import registry
from ...learning.curriculum.episodes import Episodes, gated
from ...learning.curriculum.teachers import (
    IID,
    CuRLTraC,
    ExpSchedule,
    Span,
    Target,
    Teacher,
    Unconstrained,
)
from .episodes import Episode
from .method import FineTuningConfig, number
from .rewards import GRPO, RewardConfig

TeacherName = Literal["curltrac", "target", "unconstrained", "iid", "exp_schedule"]


@dataclass(frozen=True)
class BudgetsConfig(RewardConfig):
    """Parameters of learning under budgets."""

    teacher: TeacherName = field(
        default="curltrac", metadata={"doc": "who chooses the budget of each problem"}
    )
    threshold: float = field(
        default=0.5, metadata=number("curltrac: the least mean return on the trials", -np.inf)
    )
    decay: float = field(
        default=0.25, metadata=number("exp_schedule: tau as a share of the training", 1e-6)
    )


class Budgets(GRPO):
    """Group-relative advantages of what is paid under a budget that a teacher chooses."""

    Config: ClassVar[type[FineTuningConfig]] = BudgetsConfig
    config: BudgetsConfig

    def __init__(self, config: FineTuningConfig | None = None) -> None:
        super().__init__(config)
        made: Mapping[TeacherName, Callable[[], Teacher]] = {
            "curltrac": lambda: CuRLTraC(self.config.size, self.config.threshold),
            "target": Target,
            "unconstrained": Unconstrained,
            "iid": IID,
            "exp_schedule": lambda: ExpSchedule(self.config.decay),
        }
        self.teacher = made[self.config.teacher]()
        self._world: Any = None

    def worth(self, episodes: Sequence[Episode]) -> tuple[list[float], dict[str, float]]:
        """What each episode's budget pays; the budgets, and what the target would have paid."""
        total = self.task.budget.get("steps")
        done = 0.0 if not total else min(1.0, self.steps / total)
        costs, returns = (
            np.array([episode.outcome.metrics.get(name, np.nan) for episode in episodes])
            for name in ("cost", "raw_return")
        )
        paid, groups = np.zeros(len(episodes)), np.array([each.group for each in episodes])
        budgets, feasible = [], []
        for group in dict.fromkeys(groups.tolist()):
            mine = groups == group
            span = self.span(episodes[int(np.argmax(mine))].seed)
            nothing = np.zeros(0, np.int64)
            trials = Episodes(costs[mine], returns[mine], nothing, nothing, nothing)
            budget = self.teacher.choose(span, done, trials, self.rng)
            paid[mine] = trials.gains(budget)
            budgets.append((budget - span.target) / max(span.highest - span.target, 1e-12))
            feasible.append(gated(costs[mine], returns[mine], span.target).mean())
        told: dict[str, Any]
        told = {"budget": budgets, "target": feasible, "cost": costs, "raw": returns}
        return paid.tolist(), {name: float(np.mean(values)) for name, values in told.items()}

    def span(self, seed: int) -> Span:
        """The budgets of the problem that a match with this seed sets.

        Raises:
            UsageError: the world has no budget.
        """
        if self._world is None:
            self._world = registry.make_world(self.task.world, **self.task.params)
            if not hasattr(self._world, "target_budget"):
                raise UsageError(
                    f"{self.task.world} has no budget that a curriculum could move: train in "
                    "token_budget_math-v0, or use llm_grpo"
                )
        self._world.reset(seed)
        return Span(self._world.target_budget, self._world.max_budget)

    def own_state(self) -> dict[str, Any]:
        """What the teacher remembers."""
        return {"teacher": self.teacher.state_dict()}

    def load_own_state(self, state: Mapping[str, Any]) -> None:
        """Go on from there."""
        self.teacher.load_state_dict(state["teacher"])
