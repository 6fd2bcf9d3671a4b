"""A language model's answers, read back from a record: what it was asked, what it said.

For each turn that a seat's model decided (or failed to), the *prompt* is the messages of the first
call of the turn and the *completion* is that of the last: when an answer was refused and the model
was asked again, the messages about the refusal belong to neither. A seat whose calls of one turn do
not continue each other (a team, an agent with several questions) is taken at its last call alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from typing import Any

import orjson

Message = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """One turn of one seat.

    Attributes:
        seat: its id.
        step: of the match.
        model: the backend's name for the model.
        prompt: chat messages as they were first put.
        completion: the text that the turn was decided by, or the last one if none decided it.
        refused: earlier completions of the same turn: answers to ``prompt`` that were refused.
        own: the model's own answer decided the turn.
    """

    seat: str
    step: int
    model: str
    prompt: Sequence[Message]
    completion: str
    refused: Sequence[str]
    own: bool

    @property
    def prompt_id(self) -> bytes:
        """Equal for equal prompts."""
        return blake2b(orjson.dumps(self.prompt, option=orjson.OPT_SORT_KEYS)).digest()


def answers(lines: Iterable[Mapping[str, Any]], seats: Iterable[str]) -> Iterator[Answer]:
    """All turns of these seats for which a model was called, in order.

    Args:
        lines: of one record.
        seats: ids of seats.
    """
    wanted = frozenset(seats)
    for line in lines:
        if line.get("kind") != "step":
            continue
        for seat, reply in line["replies"].items():
            if seat in wanted and reply.get("calls"):
                yield _answer(seat, int(line["step"]), reply)


def _answer(seat: str, step: int, reply: Mapping[str, Any]) -> Answer:
    calls = reply["calls"]
    first, last = calls[0], calls[-1]
    refused = [call["completion"] for call in calls[:-1]]
    if not _continue(calls):
        first, refused = last, []
    own = reply.get("action") is not None and not reply.get("fault")
    return Answer(
        seat, step, last["model"], first["messages"], last["completion"], tuple(refused), own
    )


def _continue(calls: Sequence[Mapping[str, Any]]) -> bool:
    """Whether each call is the one before, its completion, and a word on why that did not do."""
    for before, after in pairwise(calls):
        said = [m.get("content") for m in after["messages"] if m.get("role") == "assistant"]
        if not said or said[-1] != before["completion"]:
            return False
    return True
