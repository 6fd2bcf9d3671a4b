"""A made-up speaker with a latent verbosity, as a student and as a bot: text without gradients.

It writes v words of work for each step of a problem, and is right with probability
sigmoid(a + b log tokens - difficulty * steps): longer work, surer answer. Its policy is a softmax
over ten verbosities that begins at the wordy end, like a model that was never asked to be short.
It can be trained for real, and its best verbosity under a budget is known (derived; the setting is
that of Tzannetos, Kamalaruban and Singla, NeurIPS 2025). It reads the problem's templates and is no
language model.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar, TypeAlias

import numpy as np
from gymnasium.spaces import Discrete, Text

from gymposium.errors import UsageError
from gymposium.types import Agent, Seat, Turn

from ....envs.trees.word_problems import MARKER, count_tokens, solve
from .table import TableStudent, draw

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
LEVELS: tuple[int, ...] = (1, 2, 3, 4, 6, 8, 10, 13, 16, 20)
"""Words of work for each step, by verbosity."""
START = np.arange(len(LEVELS), dtype=float)
"""Logits at the start: fewer than one answer of a thousand is of the two shortest kinds."""
A, B, DIFFICULTY = -1.0, 1.5, 0.5
_WORDS = ("now", "let", "us", "see", "then", "so", "we", "count", "them", "and", "go", "on")


def chance_right(tokens: float, steps: int) -> float:
    """How likely an answer of so many tokens to a problem of so many steps is right."""
    score = A + B * math.log(max(tokens, 1.0)) - DIFFICULTY * steps
    return 1 / (1 + math.exp(-score))


def write(question: str, level: int, rng: np.random.Generator) -> str:
    """An answer of a verbosity.

    Args:
        question: a generated problem.
        level: which of ``LEVELS``.
        rng: decides on the words (a quarter more or fewer) and on whether the answer is right.

    Raises:
        UsageError: the problem is not a generated one.
    """
    values = solve(question)
    if values is None:
        raise UsageError(
            "the responder reads generated problems only; leave the parameter data out"
        )
    steps = len(values) - 1
    wanted = LEVELS[level] * steps
    count = max(1, round(wanted * math.exp(0.25 * rng.standard_normal())))
    work = " ".join(_WORDS[int(word)] for word in rng.integers(len(_WORDS), size=count))
    right = rng.random() < chance_right(count_tokens(work), steps)
    number = values[-1] if right else values[-1] + int(rng.integers(1, 10))
    return f"{work} {MARKER} {number}"


class ResponderStudent(TableStudent):
    """REINFORCE on a table of one row: the logits of the verbosities.

    Args:
        seat: must answer in text.
        lr: rate.
        baseline: see :class:`PolicyGradient`.
        epsilon: share of verbosities tried at random while learning.
        rng: where its draws come from.

    Raises:
        UsageError: the seat does not answer in text.
    """

    def __init__(
        self, seat: Seat, *, lr: float, baseline: str, epsilon: float, rng: np.random.Generator
    ) -> None:
        if not isinstance(seat.action_space, Text):
            raise UsageError(f"a responder answers in text, and {seat.id} has {seat.action_space}")
        inner = Seat(seat.id, Discrete(1), Discrete(len(LEVELS)), rules="")
        super().__init__(inner, lr=lr, baseline=baseline, epsilon=epsilon, rng=rng)
        self.table.logits[0] = START

    def read(self, observations: Sequence[Any]) -> Array:
        """Nothing: the verbosity does not depend on the problem."""
        return np.zeros(len(observations), np.int64)

    def act_on(self, choice: int, turn: Any) -> str:
        """An answer of that verbosity."""
        return write(turn.observation["problem"], choice, self._rng)

    def agent(self) -> Agent:
        """The policy as an agent."""
        return ResponderAgent(self.table.logits[0])


class ResponderAgent:
    """Answers with a verbosity drawn from its logits."""

    deterministic: ClassVar[bool] = True

    def __init__(self, logits: Array) -> None:
        weights = np.exp(logits - logits.max())
        self._chances = (weights / weights.sum())[None]

    def reset(self, seat: Seat, seed: int) -> None:
        """A new match: fresh draws."""
        self._rng = np.random.default_rng(seed)

    def act(self, turn: Turn) -> str:
        """An answer."""
        level = int(draw(self._chances, self._rng.random(1))[0])
        return write(turn.observation["problem"], level, self._rng)
