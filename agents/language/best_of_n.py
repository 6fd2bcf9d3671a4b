"""Best of n: several answers to one question, of which the one that keeps a budget is given.

An arm of trajectory-constrained training (Tzannetos, Kamalaruban and Singla, NeurIPS 2025) for
models whose weights stay as they are (derived): answers longer than the budget are rejected; of the
others the number that most of them end in wins (self-consistency, Wang et al., 2023), and of those
that end in it the shortest. A curriculum moves ``budget`` between matches.
"""

from __future__ import annotations

import asyncio
import inspect
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from gymposium.errors import UsageError
from gymposium.types import Agent, Outcome, Reply, Seat, Turn

from ...envs.trees.word_problems import count_tokens, read_answer
from .extract import extract

MOST = 64


def best_of(answers: Sequence[str], budget: float) -> int:
    """Which answer to give.

    Args:
        answers: texts, at least one.
        budget: most tokens (``count_tokens``) of an answer.

    Returns:
        The index; the shortest answer if none keeps the budget.
    """
    sizes = [count_tokens(answer) for answer in answers]
    within = [place for place, size in enumerate(sizes) if size <= budget]
    if not within:
        return min(range(len(answers)), key=lambda place: sizes[place])
    ends = {place: read_answer(answers[place]) for place in within}
    votes: Counter[Decimal | None] = Counter(end for end in ends.values() if end is not None)
    return min(within, key=lambda place: (-votes[ends[place]], sizes[place]))


class BestOfN:
    """Asks n agents of one kind the same question, side by side, and gives the best answer.

    Args:
        make: makes one agent that answers in text, for instance ``resolve("llm:smollm2").create``.
        n: how many.
        budget: most tokens of an answer; may be changed between matches.

    Raises:
        UsageError: ``n`` is not 1 to 64, or the budget is below 0.
    """

    def __init__(self, make: Callable[[], Agent], n: int, budget: float) -> None:
        if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= MOST:
            raise UsageError(f"best of n: n must be a whole number from 1 to {MOST}, got {n!r}")
        if not budget >= 0:
            raise UsageError(f"best of n: budget must be at least 0, got {budget!r}")
        self.budget = budget
        self._minds: list[Any] = [make() for _ in range(n)]

    def reset(self, seat: Seat, seed: int) -> None:
        """A new match; every mind has draws of its own."""
        self._whole = seat.whole_reply
        for number, mind in enumerate(self._minds):
            mind.reset(seat, (seed + number * 0x9E3779B97F4A7C15) % 2**63)

    async def act(self, turn: Turn) -> Reply:
        """Ask all, and choose; every model call is on the reply."""
        replies = await asyncio.gather(*(_asked(mind, turn) for mind in self._minds))
        texts = [_said(reply, whole=self._whole) for reply in replies]
        calls = tuple(call for reply in replies for call in reply.calls)
        return Reply(text=texts[best_of(texts, self.budget)], calls=calls)

    def end(self, outcome: Outcome) -> None:
        """Pass the end on."""
        for mind in self._minds:
            if hasattr(mind, "end"):
                mind.end(outcome)


async def _asked(mind: Any, turn: Turn) -> Reply:
    answer = mind.act(turn)
    answer = await answer if inspect.isawaitable(answer) else answer
    return answer if isinstance(answer, Reply) else Reply(text=str(answer))


def _said(reply: Reply, *, whole: bool) -> str:
    """The answer itself: without wrapping that a model was asked to put it in, if it was."""
    if reply.text is None:
        return str(reply.action)
    return reply.text if whole else extract(reply.text).action_text
