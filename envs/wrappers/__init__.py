"""What can be put around any environment, ours or another's."""

from .survival_budget import ParallelSurvivalBudget, SurvivalBudget

__all__ = ["ParallelSurvivalBudget", "SurvivalBudget"]
