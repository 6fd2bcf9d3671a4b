"""Grade-school word problems with exact answers, and how answers to them are read and counted.

Chains of one to several steps on one quantity, in the manner of SVAMP (Patel et al., 2021: one step
and a number that does not matter) and GSM8K (Cobbe et al., 2021: several steps, a worked solution,
the answer behind ``####``). The sentences and the code are our own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

import numpy as np

from gymposium.errors import UsageError

from ..start_folder import located

OPERATIONS = ("add", "subtract", "multiply", "divide")
MARKER = "####"
MAX_QUESTION = 2000
MAX_LINES = 100_000
_NAMES = ("Ada", "Ben", "Cora", "Dan", "Eve", "Finn", "Gus", "Hana", "Ida", "Jon")
_THINGS = ("apples", "marbles", "stamps", "shells", "coins", "books", "cards", "pencils")
_SAID = {
    "add": "{name} finds {n} more {things}.",
    "subtract": "{name} gives {n} {things} away.",
    "multiply": "{name} swaps every one of the {things} for {n} others.",
    "divide": "{name} shares the {things} equally among {n} friends and keeps one share.",
}
_SIGN = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}
_DISTRACTORS = (
    "{name} is {n} years old.",
    "A shop nearby sold {n} {other} yesterday.",
    "The way home takes {n} minutes.",
)
_TOKEN = re.compile(r"[^\W\d_]+|\d{1,3}|[^\w\s]|_")
_NUMBER = re.compile(r"(?<![\d.])-?\d{1,15}(?:,\d{3})*(?:\.\d{1,9})?(?![\d])")
_START = re.compile(r"^\w+ has (\d+) \w+\.")
_READ = {
    "add": re.compile(r"finds (\d+) more"),
    "subtract": re.compile(r"gives (\d+) \w+ away"),
    "multiply": re.compile(r"swaps every one of the \w+ for (\d+) others"),
    "divide": re.compile(r"equally among (\d+) friends"),
}


class Problem(NamedTuple):
    """A problem and its worked solution.

    Attributes:
        question: as it is asked.
        answer: the number.
        solution: the work, with the answer behind the marker.
    """

    question: str
    answer: Decimal
    solution: str


def count_tokens(text: str) -> int:
    """Tokens of a text: words, groups of up to three digits, and every other mark, each one.

    A model's own tokenizer counts otherwise, by a factor that is much the same for all answers.
    """
    return sum(1 for _ in _TOKEN.finditer(text))


def read_answer(text: str) -> Decimal | None:
    """The number an answer ends in: behind the last marker if there is one, else the last."""
    _, mark, tail = text.rpartition(MARKER)
    found = _NUMBER.findall(tail if mark else text)
    if not found:
        return None
    return Decimal((found[0] if mark else found[-1]).replace(",", ""))


def make_problem(
    rng: np.random.Generator,
    *,
    steps: tuple[int, int],
    largest: int,
    distractors: int,
    operations: Sequence[str] = OPERATIONS,
) -> Problem:
    """A problem; no number in its question is the answer, so that repeating it never scores.

    Args:
        rng: where all draws come from.
        steps: fewest and most operations.
        largest: no quantity on the way exceeds it.
        distractors: how many numbers do not matter.
        operations: which may occur.
    """
    while True:
        made = _draw(rng, steps, largest, distractors, operations)
        if made is not None and made.answer not in _numbers(made.question):
            return made


def _numbers(text: str) -> list[Decimal]:
    return [Decimal(number.replace(",", "")) for number in _NUMBER.findall(text)]


def _draw(
    rng: np.random.Generator,
    steps: tuple[int, int],
    largest: int,
    distractors: int,
    operations: Sequence[str],
) -> Problem | None:
    name, things = (str(words[int(rng.integers(len(words)))]) for words in (_NAMES, _THINGS))
    value = int(rng.integers(2, max(3, largest // 2)))
    told, work = [f"{name} has {value} {things}."], [f"{name} has {value}."]
    for _ in range(int(rng.integers(steps[0], steps[1] + 1))):
        drawn = _operation(rng, value, largest, operations)
        if drawn is None:
            return None
        kind, n, after = drawn
        told.append(_SAID[kind].format(name=name, n=n, things=things))
        work.append(f"{value} {_SIGN[kind]} {n} = {after}.")
        value = after
    for _ in range(distractors):
        sentence = _DISTRACTORS[int(rng.integers(len(_DISTRACTORS)))]
        other = str(_THINGS[int(rng.integers(len(_THINGS)))])
        place = int(rng.integers(1, len(told) + 1))
        told.insert(place, sentence.format(name=name, n=int(rng.integers(2, 60)), other=other))
    told.append(f"How many {things} does {name} have now?")
    return Problem(" ".join(told), Decimal(value), f"{' '.join(work)} {MARKER} {value}")


def _operation(
    rng: np.random.Generator, value: int, largest: int, operations: Sequence[str]
) -> tuple[str, int, int] | None:
    """(kind, number, value afterwards), or None if nothing fits."""
    choices = {
        "add": range(2, largest - value + 1),
        "subtract": range(2, value),
        "multiply": range(2, min(9, largest // max(value, 1)) + 1),
        "divide": [n for n in range(2, 10) if value % n == 0 and value > n],
    }
    open_ = [kind for kind in operations if len(choices[kind])]
    if not open_:
        return None
    kind = open_[int(rng.integers(len(open_)))]
    n = int(choices[kind][int(rng.integers(len(choices[kind])))])
    after = {"add": value + n, "subtract": value - n, "multiply": value * n}
    return kind, n, after.get(kind, value // n)


def solve(question: str) -> list[int] | None:
    """The quantities of a generated problem, step by step, from its text alone; None if foreign."""
    start = _START.match(question)
    if start is None:
        return None
    values = [int(start[1])]
    for sentence in question.split(". ")[1:]:
        for kind, pattern in _READ.items():
            found = pattern.search(sentence)
            if found is not None:
                n, last = int(found[1]), values[-1]
                after = {"add": last + n, "subtract": last - n, "multiply": last * n}
                values.append(after[kind] if kind in after else last // n)
    return values


def read_problems(path: str) -> tuple[Problem, ...]:
    """Problems from a JSON-lines file, a ``question`` and an ``answer`` ending in ``#### n`` each.

    Raises:
        UsageError: it cannot be read, is empty, or a line is not of that form; names the line.
    """
    problems = []
    try:
        with located(path).open(encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if number > MAX_LINES:
                    raise UsageError(f"{path}: more than {MAX_LINES:,} lines; take fewer")
                if line.strip():
                    problems.append(_parsed(line, f"{path}, line {number}"))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from None
    if not problems:
        raise UsageError(f"{path} holds no problems")
    return tuple(problems)


def _parsed(line: str, where: str) -> Problem:
    try:
        entry = json.loads(line)
        question, solution = entry["question"], entry["answer"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise UsageError(f"{where}: not an object with 'question' and 'answer'") from None
    if not isinstance(question, str) or not question or len(question) > MAX_QUESTION:
        raise UsageError(f"{where}: the question must be 1 to {MAX_QUESTION} characters")
    if not isinstance(solution, str) or MARKER not in solution:
        raise UsageError(f"{where}: the answer must be text with the number behind '{MARKER}'")
    try:
        answer = read_answer(solution)
    except InvalidOperation:
        answer = None
    if answer is None:
        raise UsageError(f"{where}: there is no number behind '{MARKER}'")
    return Problem(question, answer, solution)
