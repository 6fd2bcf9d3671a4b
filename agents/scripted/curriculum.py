"""Bots for budgets: two teachers, a student that learns during the match, a made-up speaker.

The teacher is CuRLTraC of Tzannetos, Kamalaruban and Singla (NeurIPS 2025), on the counts it is
shown; the student is REINFORCE on a table with the mean of its recent rewards as baseline; the
speaker writes more or less work before its answer (:mod:`..learning.curriculum.responder`).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from gymposium.errors import UsageError
from gymposium.types import Seat, Turn

from ..learning.curriculum.responder import LEVELS, write

WORLDS = ("teacher_student-v0",)


class CurltracTeacher:
    """Sets the tightest budget that enough of the recent rounds kept."""

    name: ClassVar[str] = "curltrac_teacher"
    summary: ClassVar[str] = "Sets the tightest budget that a share beta of the recent rounds kept."
    worlds: ClassVar[tuple[str, ...]] = WORLDS
    seats: ClassVar[tuple[str, ...]] = ("teacher",)
    deterministic: ClassVar[bool] = True

    def __init__(self, beta: float = 0.5) -> None:
        if not 0 < beta <= 1:
            raise UsageError(f"curltrac_teacher: beta must be above 0 up to 1, got {beta!r}")
        self._beta = beta

    def reset(self, seat: Seat, seed: int) -> None:
        """Nothing to remember: the counts say it all."""

    def act(self, turn: Turn) -> Any:
        """The tightest budget; the highest while nothing is known."""
        recent, within = int(turn.observation["recent"]), turn.observation["within"]
        edges = np.linspace(0.0, 1.0, len(within))
        enough = within >= self._beta * max(recent, 1) - 1e-9
        return np.array(edges[enough.argmax()] if enough.any() else 1.0)


class TargetTeacher:
    """Sets the deployment budget from the start."""

    name: ClassVar[str] = "target_teacher"
    summary: ClassVar[str] = "Sets the deployment budget from the start."
    worlds: ClassVar[tuple[str, ...]] = WORLDS
    seats: ClassVar[tuple[str, ...]] = ("teacher",)
    deterministic: ClassVar[bool] = True

    def reset(self, seat: Seat, seed: int) -> None:
        """Nothing to remember."""

    def act(self, turn: Turn) -> Any:
        """0."""
        return np.array(0.0)


class TabularStudent:
    """Learns left and right at each node from what it is paid."""

    name: ClassVar[str] = "tabular_student"
    summary: ClassVar[str] = "REINFORCE on a table, learning from round to round of one match."
    worlds: ClassVar[tuple[str, ...]] = WORLDS
    seats: ClassVar[tuple[str, ...]] = ("student",)
    deterministic: ClassVar[bool] = True

    def __init__(self, lr: float = 0.3) -> None:
        if not 0 < lr <= 100:
            raise UsageError(f"tabular_student: lr must be above 0 up to 100, got {lr!r}")
        self._lr = lr

    def reset(self, seat: Seat, seed: int) -> None:
        """A new match: nothing learned yet."""
        self._rng = np.random.default_rng(seed)
        self._odds: dict[int, float] = {}  # log-odds of going right
        self._way: list[tuple[int, int]] = []
        self._mean, self._round = 0.0, 0

    def act(self, turn: Turn) -> int:
        """A draw; at the root the last descent is learned from first."""
        node, now = int(turn.observation["node"]), int(turn.observation["round"])
        if now != self._round:
            self._learn(turn.reward)
            self._round = now
        branch = int(self._rng.random() < self._right(node))
        self._way.append((node, branch))
        return branch

    def _right(self, node: int) -> float:
        return float(1 / (1 + np.exp(-self._odds.get(node, 0.0))))

    def _learn(self, paid: float) -> None:
        for node, branch in self._way:
            step = self._lr * (paid - self._mean) * (branch - self._right(node))
            self._odds[node] = self._odds.get(node, 0.0) + step
        self._mean += 0.1 * (paid - self._mean)
        self._way = []


class Responder:
    """Answers word problems with so much work, and is right the oftener the more it is."""

    name: ClassVar[str] = "responder"
    summary: ClassVar[str] = "Writes verbosity (0 to 9) of work; more work is right more often."
    worlds: ClassVar[tuple[str, ...]] = ("token_budget_math-v0",)
    deterministic: ClassVar[bool] = True

    def __init__(self, verbosity: int = 5) -> None:
        if verbosity not in range(len(LEVELS)):
            raise UsageError(
                f"responder: verbosity must be from 0 to {len(LEVELS) - 1}, got {verbosity!r}"
            )
        self._level = verbosity

    def reset(self, seat: Seat, seed: int) -> None:
        """A new match: fresh draws."""
        self._rng = np.random.default_rng(seed)

    def act(self, turn: Turn) -> str:
        """The work, then the answer."""
        return write(turn.observation["problem"], self._level, self._rng)


BOTS: dict[str, type] = {
    bot.name: bot for bot in (CurltracTeacher, TargetTeacher, TabularStudent, Responder)
}
