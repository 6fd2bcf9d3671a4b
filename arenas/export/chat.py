"""Chat examples for supervised fine-tuning: one conversation per language-model seat of a match.

A conversation is the system message of the seat, then for each turn what the seat was told and what
its model answered (:mod:`.answers` says which prompt and which completion of a turn that is). It is
complete even where the model itself, its memory full, was no longer shown the oldest turns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ..rows import MatchRow
from .answers import Answer, answers

Lines = Iterable[Mapping[str, Any]]


def chat_examples(
    rows: Iterable[MatchRow],
    record: Callable[[str], Lines],
    *,
    min_return: float | None = None,
    own_answers: bool = False,
) -> Iterator[dict[str, Any]]:
    """One example per seat of a match that a model was called for.

    Args:
        rows: finished matches, read one by one.
        record: match key -> the lines of its record.
        min_return: leaves out seats that earned less.
        own_answers: leaves out seats with a turn that was not decided by the model's own answer.

    Yields:
        ``messages`` (system, user, assistant, user, …) and what is known about them.
    """
    for row in rows:
        kept = {
            seat.seat: seat
            for seat in row.seats
            if seat.llm_turns
            and (min_return is None or seat.return_ >= min_return)
            and not (own_answers and seat.parsed_turns < seat.llm_turns)
        }
        if not kept:
            continue
        said: dict[str, list[Answer]] = {}
        for answer in answers(record(row.key), kept):
            said.setdefault(answer.seat, []).append(answer)
        for name, turns in said.items():
            seat = kept[name]
            yield {
                "messages": _messages(turns),
                "match": row.key,
                "world": row.world,
                "cell": row.cell,
                "seed": row.seed,
                "block": row.block,
                "seat": name,
                "agent": seat.agent,
                "model": turns[-1].model,
                "return": seat.return_,
                "turns": len(turns),
                "own_answers": sum(turn.own for turn in turns),
            }


def _messages(turns: list[Answer]) -> list[Mapping[str, Any]]:
    found = [message for message in turns[0].prompt if message.get("role") == "system"]
    for turn in turns:
        found.append(turn.prompt[-1])
        found.append({"role": "assistant", "content": turn.completion})
    return found
