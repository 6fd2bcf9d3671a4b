"""What can be put around any environment, ours or another's."""

from .survival_budget import ParallelSurvivalBudget, SurvivalBudget
from .trajectory_budget import ParallelTrajectoryBudget, TrajectoryBudget

__all__ = [
    "ParallelSurvivalBudget",
    "ParallelTrajectoryBudget",
    "SurvivalBudget",
    "TrajectoryBudget",
]
