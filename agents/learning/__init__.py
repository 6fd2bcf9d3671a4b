"""Agents that learn: one PPO, one advantage estimator, and methods that change parts of them."""
