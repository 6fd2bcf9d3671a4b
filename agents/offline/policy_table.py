"""An agent that plays a table: one distribution over actions for every step and state."""

from __future__ import annotations

from typing import Any

import numpy as np

from gymposium.errors import UsageError
from gymposium.types import Seat, Turn

from ...envs.markov_games.robust_zero_sum import RobustZeroSumParams


class PolicyTable:
    """Plays ``policy [H, S, A]`` in a seat of ``robust_zero_sum-v0``."""

    deterministic = True

    def __init__(self, policy: np.ndarray[Any, Any]) -> None:
        """Take the table; rows sum to one."""
        self._policy = policy

    def reset(self, seat: Seat, seed: int) -> None:
        """A new match.

        Raises:
            UsageError: the table is of another game.
        """
        count = int(getattr(seat.action_space, "n", 0))
        shape = (int(np.prod(seat.observation_space.shape or (0,))) - 1, count)
        if shape != self._policy.shape[1:]:
            raise UsageError(
                f"the policy is of a game of {self._policy.shape[1]} states and "
                f"{self._policy.shape[2]} actions; seat {seat.id!r} has {shape[0]} and {shape[1]}"
            )
        self._rng = np.random.default_rng(seed)

    def act(self, turn: Turn) -> int:
        """Draw from the row of the step and the state."""
        state = int(np.argmax(turn.observation[:-1]))
        running = self._policy[min(turn.step, len(self._policy) - 1), state].cumsum()
        return int(np.searchsorted(running, self._rng.random() * running[-1], side="right"))


def told_game(turn: Turn, who: str) -> RobustZeroSumParams:
    """The nominal game that the first turn tells of.

    Raises:
        UsageError: the world does not tell it.
    """
    told = turn.info.get("game")
    if told is None:
        raise UsageError(
            f"{who} plans with the game it is told, and this world tells none; it plays "
            "robust_zero_sum-v0 with known_game"
        )
    return RobustZeroSumParams(**told)
