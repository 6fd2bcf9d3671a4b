"""Counts what a run spends on language models and stops it when a budget is reached.

A spent budget stops the run, resumably; it never substitutes an answer. What a call may take at
most is set aside before it is made, so that a limit is not overrun however many are under way; and
when a limit stops the run, calls under way come home first: they are paid for, and the cache keeps
them. Answers from the cache cost nothing and pass whatever the budget.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from gymposium.errors import BudgetSpent
from gymposium.types import Call, Usage

from ..agents.language.backends.calls import Cost

_UNITS = {"calls": "LLM calls", "tokens": "tokens", "money": "dollars", "seconds": "seconds"}


@dataclass(slots=True)
class Spent:
    """What was paid for: calls, tokens, US dollars (None: not known), seconds of waiting for it."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    money: float | None = 0.0
    seconds: float = 0.0

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens."""
        return self.prompt_tokens + self.completion_tokens

    def add(self, calls: int, cost: Cost) -> None:
        """Count ``calls`` that took ``cost`` together."""
        self.calls += calls
        self.prompt_tokens += cost.usage.prompt_tokens
        self.completion_tokens += cost.usage.completion_tokens
        self.seconds += cost.seconds
        unknown = self.money is None or cost.money is None
        self.money = None if unknown else (self.money or 0.0) + (cost.money or 0.0)


@dataclass(slots=True)
class _Aside:
    """What is set aside for calls under way."""

    calls: int = 0
    tokens: int = 0
    money: float = 0.0

    def add(self, most: Cost, sign: int) -> None:
        self.calls += sign
        self.tokens += sign * (most.usage.prompt_tokens + most.usage.completion_tokens)
        self.money += sign * (most.money or 0.0)


class _Purse(NamedTuple):
    """One limited sum: the run's or one agent's."""

    whose: str
    limits: Mapping[str, float]
    spent: Spent
    aside: _Aside


@dataclass(slots=True)
class Meter:
    """Running totals of one run, and the limits on them.

    Attributes:
        limits: any of ``calls``, ``tokens``, ``money``, ``seconds``, and ``per_agent`` with the
            same for each agent by itself; missing means unlimited.
        agents: what each agent has spent, stored matches included.
        total: the sum over agents.
    """

    limits: Mapping[str, Any] = field(default_factory=dict)
    agents: dict[str, Spent] = field(default_factory=dict)
    total: Spent = field(init=False, default_factory=Spent)
    started: float = field(default_factory=time.monotonic)
    _aside: dict[str, _Aside] = field(default_factory=dict)
    _turns: int = 0  # of agents whose calls are known only afterwards
    _spent: str = ""  # why nothing more may be asked
    _landing: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        for spent in self.agents.values():
            usage = Usage(spent.prompt_tokens, spent.completion_tokens)
            self.total.add(spent.calls, Cost(usage, spent.money, spent.seconds))

    def before_match(self) -> None:
        """Let no match begin when the time is up, whether or not models play in it.

        Raises:
            BudgetSpent: the run's seconds are spent.
        """
        limit = self.limits.get("seconds")
        if limit is not None and time.monotonic() - self.started >= limit:
            raise BudgetSpent(_sentence("the run", "seconds", limit))

    async def reserve(self, agent: str, most: Cost) -> None:
        """Set aside what a call may take at most, waiting for others to come home if need be.

        Raises:
            BudgetSpent: what is left does not cover it; no call of this run is under way then.
        """
        while True:
            shortage = "" if self._spent else self._shortage(agent, most, aside=True)
            if not self._spent and not shortage:
                break
            self._spent = self._spent or self._shortage(agent, most, aside=False)
            if not self._under_way:
                raise BudgetSpent(self._spent or shortage)
            self._landing.clear()
            await self._landing.wait()
        for purse in ("", agent):
            self._aside.setdefault(purse, _Aside()).add(most, 1)

    def settle(self, agent: str, most: Cost) -> None:
        """Give back what was set aside for a call that has come home."""
        for purse in ("", agent):
            self._aside[purse].add(most, -1)
        self._landing.set()

    def book(self, agent: str, spent: Cost, calls: int = 1) -> None:
        """Write down what calls took."""
        self.agents.setdefault(agent, Spent()).add(calls, spent)
        self.total.add(calls, spent)

    def before_turn(self, agent: str) -> None:
        """Reserve one call for an agent that tells of its calls only afterwards.

        Raises:
            BudgetSpent: a limit is reached.
        """
        sentence = self._shortage(agent, Cost(), aside=True, turns=self._turns)
        if sentence:
            raise BudgetSpent(sentence)
        self._turns += 1

    def after_turn(self, agent: str, calls: Sequence[Call]) -> None:
        """Release the reservation and count what was really spent."""
        self._turns -= 1
        for call in calls:
            if not call.cached:
                self.book(agent, Cost(call.usage, call.money, call.seconds))

    @property
    def _under_way(self) -> int:
        return self._aside[""].calls if "" in self._aside else 0

    def _purses(self, agent: str) -> Iterator[_Purse]:
        yield _Purse("the run", self.limits, self.total, self._aside.get("", _Aside()))
        each = self.limits.get("per_agent")
        if each:
            spent, aside = self.agents.get(agent, Spent()), self._aside.get(agent, _Aside())
            yield _Purse(agent, each, spent, aside)

    def _shortage(self, agent: str, most: Cost, *, aside: bool, turns: int = 0) -> str:
        """Why a call of at most ``most`` is not covered, or ""; ``aside`` counts those under way.

        A call that announces nothing (``most`` is empty) is covered until the limit is reached.
        """
        tokens = most.usage.prompt_tokens + most.usage.completion_tokens
        for purse in self._purses(agent):
            held = purse.aside if aside else _Aside()
            seconds = purse.spent.seconds
            if purse.limits is self.limits:
                seconds = time.monotonic() - self.started
            wanted = {
                "calls": (purse.spent.calls + held.calls + turns, 1.0),
                "tokens": (purse.spent.tokens + held.tokens, max(tokens, 1)),
                "seconds": (seconds, 0.0),
                "money": (_known(purse.spent.money) + held.money, _known(most.money)),
            }
            for name, (before, more) in wanted.items():
                limit = purse.limits.get(name)
                if limit is not None and (before >= limit or before + more > limit):
                    return _sentence(purse.whose, name, limit, before, more)
        return ""


def _known(money: float | None) -> float:
    # A budget of money is refused before the run if a price is not known; what turns up unpriced
    # all the same must not pass for free.
    return float("inf") if money is None else money


def _sentence(whose: str, name: str, limit: float, before: float = 0.0, more: float = 0.0) -> str:
    field_name = f"budget.{name}" if whose == "the run" else f"budget.per_agent.{name}"
    remedy = f"({field_name}): resume it with a larger one"
    if before >= limit or name in ("calls", "seconds"):
        return f"{whose}'s budget of {limit:g} {_UNITS[name]} is spent {remedy}"
    return (
        f"{whose}'s budget of {limit:g} {_UNITS[name]} does not cover the next call: {before:g} "
        f"are spent, and it may take {more:g} {remedy}"
    )
