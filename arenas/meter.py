"""Counts what a run spends on language models and stops it when a budget is reached.

A spent budget stops the run, resumably; it never substitutes an answer.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gymposium.errors import BudgetSpent
from gymposium.types import Call


@dataclass(slots=True)
class Meter:
    """Running totals of one run, and the limits on them.

    Attributes:
        limits: any of ``llm_calls``, ``tokens``, ``seconds``; missing means unlimited.
        calls, prompt_tokens, completion_tokens: totals, including those of stored matches.
        in_flight: model-backed turns being answered now; they count as one call each.
    """

    limits: Mapping[str, float] = field(default_factory=dict)
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    in_flight: int = 0
    started: float = field(default_factory=time.monotonic)

    def before_turn(self) -> None:
        """Reserve one call.

        Raises:
            BudgetSpent: a limit is reached.
        """
        limits = self.limits
        if limits:
            self._refuse_if("llm_calls", self.calls + self.in_flight, "LLM calls")
            self._refuse_if("tokens", self.prompt_tokens + self.completion_tokens, "tokens")
            self._refuse_if("seconds", time.monotonic() - self.started, "seconds")
        self.in_flight += 1

    def before_match(self) -> None:
        """Let no match begin when the time is up, whether or not models play in it.

        Raises:
            BudgetSpent: the run's seconds are spent.
        """
        self._refuse_if("seconds", time.monotonic() - self.started, "seconds")

    def after_turn(self, calls: Sequence[Call]) -> None:
        """Release the reservation and count what was really spent."""
        self.in_flight -= 1
        for call in calls:
            self.calls += 1
            self.prompt_tokens += call.usage.prompt_tokens
            self.completion_tokens += call.usage.completion_tokens

    def _refuse_if(self, name: str, spent: float, unit: str) -> None:
        limit = self.limits.get(name)
        if limit is not None and spent >= limit:
            raise BudgetSpent(
                f"the run's budget of {limit:g} {unit} is spent (budget.{name}): "
                "resume it with a larger one"
            )
