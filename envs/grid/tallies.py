"""What a match remembers of its seats: rewards, when they came, and what was done to whom."""

from __future__ import annotations

from typing import Any

from .cache import part
from .state import ABSENT, AWAY, GAIN_TIMES, GAINS, RETURN


@part
def clear_step(state: Any, e: int, n: int) -> None:
    """Forget the latest step's flags; the arrays for rewards and events are new in each step."""
    for i in range(n):
        state.flags[e, i] = 0


@part
def earn(rewards: Any, e: int, i: int, amount: float) -> None:
    """Add to a seat's reward of this step."""
    rewards[e, i] += amount


@part
def end_step(state: Any, rewards: Any, e: int, n: int) -> None:
    """Add the step to the match's sums and advance its clock."""
    state.clock[e] += 1
    for i in range(n):
        reward = rewards[e, i]
        if reward != 0.0:
            state.tally[e, i, RETURN] += reward
            if reward > 0.0:
                state.tally[e, i, GAIN_TIMES] += state.clock[e]
                state.tally[e, i, GAINS] += 1
        if state.cell[e, i] == AWAY:
            state.tally[e, i, ABSENT] += 1
