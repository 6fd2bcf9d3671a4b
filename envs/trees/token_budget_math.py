"""Word problems under a budget of tokens: right, and short enough.

What it is
    One problem, one answer in words. Whoever writes out every step is more often right, but what is
    written is counted, and a right answer is paid only if it keeps the budget.

Seats
    One, ``player_0``.

Observation
    A Dict of ``problem``, a Text.

Actions
    Text: the whole answer, work and all. What counts is the number behind the last ``####``, or
    else the last number.

Rules
    The cost is the answer's tokens (words, groups of up to three digits, marks, each one). An
    answer of more than ``limit`` tokens counts as cut off: it costs ``limit`` and is wrong. No
    answer is wrong and costs nothing.

Reward
    1 for the right number, if the cost is at most the budget: ``budget`` tokens, or ``share`` of
    the worked solution's tokens.

End
    Terminated after the answer.

Words
    The problem as it stands; ``tell_budget`` adds how many tokens may be written. Any text is an
    answer.

Parameters
    See ``TokenBudgetMathParams``.

Metrics
    ``cost`` (tokens); ``raw_return`` (1 if right); ``feasible`` (cost within the budget).

Source
    Tzannetos, Kamalaruban and Singla, Curriculum Design for Trajectory-Constrained Agent (NeurIPS
    2025), on SVAMP and GSM8K. Derived: the generated problems, the counter, and that the budget is
    a share of the worked solution (the paper: of the base model's own answer).

Versions
    v0: first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces

from gymposium.errors import UnknownName, UsageError
from gymposium.types import Action

from ..markets.money import CHARACTERS
from ..speech import spelled
from ..start_folder import located
from .budgeted import SEAT, BudgetedWorld, check_budget
from .word_problems import (
    MAX_QUESTION,
    OPERATIONS,
    Problem,
    count_tokens,
    make_problem,
    read_answer,
    read_problems,
)

WRITABLE = CHARACTERS + "\n"
UNKNOWN = "?"


@dataclass(frozen=True)
class TokenBudgetMathParams:
    """Parameters of ``token_budget_math-v0``."""

    steps: tuple[int, int] = field(
        default=(2, 4), metadata={"doc": "fewest and most steps of a problem", "range": [1, 8]}
    )
    largest: int = field(
        default=100, metadata={"doc": "largest quantity on the way", "range": [20, 10**6]}
    )
    distractors: int = field(
        default=0, metadata={"doc": "numbers that do not matter", "range": [0, 5]}
    )
    operations: tuple[str, ...] = field(
        default=OPERATIONS, metadata={"doc": "what may occur", "choices": OPERATIONS}
    )
    share: float = field(
        default=0.5,
        metadata={"doc": "the deployment budget as a share of the solution's tokens", "low": 0},
    )
    budget: float | None = field(
        default=None, metadata={"doc": "the deployment budget in tokens, instead of a share"}
    )
    limit: int = field(
        default=256, metadata={"doc": "tokens after which an answer is cut", "range": [1, 2000]}
    )
    tell_budget: bool = field(default=False, metadata={"doc": "say how much may be written"})
    data: str | None = field(
        default=None,
        metadata={"doc": "a JSON-lines file of problems (question; answer ending in #### n)"},
    )
    sha256: str | None = field(
        default=None, metadata={"doc": "the hash the file must have, for matches to be repeatable"}
    )

    def __post_init__(self) -> None:
        where = "token_budget_math"
        low, high = (*self.steps, 0, 0)[:2]
        if len(self.steps) != 2 or not all(map(_whole, self.steps)) or not 1 <= low <= high <= 8:
            raise UsageError(f"{where}: steps must be two numbers from 1 to 8, low and high")
        object.__setattr__(self, "steps", (low, high))
        for name, least, most in (
            ("largest", 20, 10**6),
            ("distractors", 0, 5),
            ("limit", 1, 2000),
        ):
            value = getattr(self, name)
            if not _whole(value) or not least <= value <= most:
                raise UsageError(
                    f"{where}: {name} must be a whole number from {least} to {most}, got {value!r}"
                )
        for name in self.operations:
            if name not in OPERATIONS:
                raise UnknownName("operation", str(name), OPERATIONS, where=where)
        if not self.operations or set(self.operations) <= {"multiply", "divide"}:
            raise UsageError(f"{where}: operations must hold add or subtract")
        object.__setattr__(self, "operations", tuple(self.operations))
        check_budget(f"{where}, share", self.share)
        if self.budget is not None:
            check_budget(where, self.budget)
        if not isinstance(self.tell_budget, bool):
            raise UsageError(f"{where}: tell_budget must be true or false")
        if self.sha256 is not None and self.data is None:
            raise UsageError(f"{where}: sha256 is of a data file; name it with data")


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


@lru_cache(maxsize=8)
def _file(path: str, sha256: str | None) -> tuple[Problem, ...]:
    if sha256 is not None:
        try:
            found = hashlib.sha256(located(path).read_bytes()).hexdigest()
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}") from None
        if found != sha256:
            raise UsageError(f"{path} has the sha256 {found}, not {sha256}: it is another file")
    return read_problems(path)


class TokenBudgetMath(BudgetedWorld):
    """Answer one word problem; a right answer is paid if it is short enough."""

    id: ClassVar[str] = "token_budget_math-v0"
    fault_rule = "No answer counts as a wrong one of no length."
    many_tasks = True
    horizon = 1

    def __init__(self, **params: Any) -> None:
        self.params = p = TokenBudgetMathParams(**params)
        self._file = None if p.data is None else _file(p.data, p.sha256)
        asked = spaces.Text(MAX_QUESTION, min_length=1, charset=WRITABLE)
        seen = spaces.Dict({"problem": asked})
        most = 8 * p.limit + 100
        self._seat_all(
            [SEAT], {SEAT: seen}, {SEAT: spaces.Text(most, min_length=0, charset=WRITABLE)}
        )
        self._take(0)
        self.budget = self.target_budget
        self._answer: str | None = None
        self._answered = False

    @property
    def problem(self) -> Problem:
        """The problem that is set, with its solution."""
        return self._problem

    @property
    def target_budget(self) -> float:
        """The deployment budget for the problem that is set."""
        if self.params.budget is not None:
            return float(self.params.budget)
        return float(np.floor(self.params.share * count_tokens(self._problem.solution)))

    @property
    def max_budget(self) -> float:
        """The most that can be counted."""
        return float(self.params.limit)

    def set_task(self, task: int | None) -> None:
        """Hold a problem; its budgets are known at once."""
        super().set_task(task)
        if task is not None:
            self._take(task)

    # The rules.

    def _take(self, task: int) -> None:
        p = self.params
        if self._file is not None:
            self._problem = self._file[task % len(self._file)]
        else:
            self._problem = make_problem(
                np.random.default_rng(task),
                steps=p.steps,
                largest=p.largest,
                distractors=p.distractors,
                operations=p.operations,
            )
        shown = "".join(c if c in WRITABLE else UNKNOWN for c in self._problem.question)
        self._shown = shown

    def _start(self, rng: np.random.Generator) -> None:
        self._take(int(rng.integers(2**31)) if self._task is None else self._task)
        self._answer, self._answered = None, False

    def _move(self, action: Action) -> tuple[float, float]:
        self._answer, self._answered = action, True
        if action is None:
            return 0.0, 0.0
        tokens = count_tokens(action)
        if tokens > self.params.limit:
            return 0.0, float(self.params.limit)
        return float(read_answer(action) == self._problem.answer), float(tokens)

    def _ended(self) -> tuple[bool, bool, str]:
        return self._answered, False, "an answer was given" if self._answered else ""

    def _observe(self, seat: str) -> dict[str, str]:
        return {"problem": self._shown}

    def _info(self, seat: str) -> Mapping[str, Any]:
        told = {"cost": self._last_cost, "cost_sum": self.cost}
        if self.params.tell_budget:
            told["tokens_left"] = self.budget - self.cost
        return told

    def _state(self) -> bytes:
        return repr((self._shown, self._answer, self._answered)).encode() + self._sums()

    # Words.

    def rules(self, seat: str) -> str:
        """What is asked, and what counts."""
        p = self.params
        much = f"{p.share:.0%} of the length of a worked solution"
        if p.budget is not None:
            much = f"{p.budget:g} tokens"
        return (
            f"You are {seat}. You are asked one problem with a number as its answer. Write your "
            f"work, then the answer behind {'####'}, like this: 3 + 4 = 7. #### 7\nYou earn 1 for "
            f"the right number, but only if all you write keeps within {much}; words, numbers and "
            f"marks count one each. More than {p.limit} is cut off and counts as wrong."
        )

    def describe(self, seat: str, observation: Any, info: Mapping[str, Any]) -> str:
        """The problem."""
        left = info.get("tokens_left")
        asked = str(observation["problem"])
        return asked if left is None else f"{asked}\n(At most {left:g} tokens.)"

    def parse(self, seat: str, text: str, observation: Any, info: Mapping[str, Any]) -> Action:
        """The text itself: everything that was written counts."""
        space: Any = self._action_spaces[seat]
        return spelled(text, WRITABLE, UNKNOWN)[: space.max_length]

    def format(self, seat: str, action: Action) -> str:
        """The answer as it stands."""
        return str(action)

    def render(self) -> str:
        """The problem, the answer, and what it cost."""
        asked = super().render()
        if not self._answered:
            return asked
        said = "(no answer)" if self._answer is None else self._answer
        right = "right" if self.raw_return else "wrong"
        return f"{asked}\n{said}\n{right}; {self.cost:g} tokens of {self.budget:g}"
