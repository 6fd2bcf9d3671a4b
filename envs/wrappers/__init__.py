"""What can be put around any environment, ours or another's."""

from .modified_action import ModifiedAction
from .survival_budget import ParallelSurvivalBudget, SurvivalBudget
from .trajectory_budget import ParallelTrajectoryBudget, TrajectoryBudget

__all__ = [
    "ModifiedAction",
    "ParallelSurvivalBudget",
    "ParallelTrajectoryBudget",
    "SurvivalBudget",
    "TrajectoryBudget",
]
