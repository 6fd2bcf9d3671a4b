"""Generalised advantage estimation, the only one: backward over time, any number of lanes at once.

Schulman et al., High-Dimensional Continuous Control Using Generalized Advantage Estimation (2016),
equation 16, with the two ends of an episode kept apart: after a *terminated* step nothing follows
and the successor is worth 0; after a *truncated* one the successor was cut off, so its value counts
but no later advantage does.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


def gae(
    rewards: Array,
    values: Array,
    next_values: Array,
    *,
    terminated: Array,
    truncated: Array,
    gamma: float,
    lam: float,
    valid: Array | None = None,
) -> Array:
    """Advantages of every step.

    Args:
        rewards: float ``[T, …]``; time comes first, all other axes are lanes.
        values: float ``[T, …]``, what each step's observation was worth.
        next_values: float ``[T, …]``, what the observation *after* the step was worth: at an
            episode's end the final observation of that episode, never the first of the next.
        terminated: bool ``[T, …]``, the rules ended the episode with this step.
        truncated: bool ``[T, …]``, a limit did.
        gamma: discount, 0 to 1.
        lam: 0 (one-step) to 1 (Monte Carlo).
        valid: bool ``[T, …]``; False for steps in which nothing was decided (the resetting step of
            next-step autoreset, padding). Their advantage is 0, and nothing passes through them.

    Returns:
        Float array of the rewards' shape and type. Add ``values`` for the value targets.
    """
    goes_on = ~(terminated | truncated)
    if valid is not None:
        goes_on = goes_on & valid
    delta = rewards + gamma * np.where(terminated, 0, next_values) - values
    if valid is not None:
        delta = np.where(valid, delta, 0)
    keep = (gamma * lam * goes_on).astype(rewards.dtype)
    advantages = np.empty_like(rewards)
    following = np.zeros_like(rewards[0])
    for t in range(len(rewards) - 1, -1, -1):
        following = delta[t] + keep[t] * following
        advantages[t] = following
    return advantages
