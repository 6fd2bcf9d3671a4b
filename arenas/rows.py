"""What the store keeps of a finished match, as plain rows: the input of ratings and reports.

Tuples, since those travel fastest between processes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gymposium.types import Call


class SeatRow(NamedTuple):
    """One seat of one finished match.

    Attributes:
        seat: the seat's id in the world.
        agent: the agent's name in this run.
        role: ``focal`` (rated), ``background`` (there to be met) or ``judge`` (never rated).
        team: seats of one team share an interest; None when every seat is its own.
        return_: undiscounted sum of rewards.
        faults: counts by kind (``illegal``, ``error``, ``timeout``, ``crash``).
        turns: turns the seat was asked.
        llm_turns: turns that were a language model's to decide.
        parsed_turns: those of ``llm_turns`` decided by the model's own parsed answer.
        llm_calls, prompt_tokens, completion_tokens: what the seat's model calls took, those that
            were paid for.
        seconds: wall time the agent took to think.
        cached_calls, cached_tokens: calls answered from the cache, and the tokens they would have
            taken.
        money: US dollars paid; None if a price is not known.
    """

    seat: str
    agent: str
    role: str
    team: str | None
    return_: float
    faults: Mapping[str, int] = {}
    turns: int = 0
    llm_turns: int = 0
    parsed_turns: int = 0
    llm_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    cached_calls: int = 0
    cached_tokens: int = 0
    money: float | None = 0.0


class MatchRow(NamedTuple):
    """One finished match.

    Attributes:
        key: hash of everything that can change the outcome.
        world: id with version.
        kind: ``zero_sum``, ``mixed`` or ``cooperative``: what may be compared.
        cell: the scenario cell (world entry and its parameters' label).
        seed: the world's seed.
        block: index of the seed block; matches of one block share seeds and are resampled together.
        seats: in seating order.
        metrics: the world's own measures.
        reason: one sentence on why it ended.
        seconds: wall time.
        deterministic: every agent in it declares itself deterministic.
    """

    key: str
    world: str
    kind: str
    cell: str
    seed: int
    block: int
    seats: tuple[SeatRow, ...]
    metrics: Mapping[str, float] = {}
    reason: str = ""
    seconds: float = 0.0
    deterministic: bool = True


class Finished(NamedTuple):
    """One match that was played to its end: all that the store keeps of it.

    Attributes:
        row: its result.
        position: its place in the schedule.
        steps: of the world.
        record: the compressed transcript; empty if none was written.
        calls: language models' calls by seat.
    """

    row: MatchRow
    position: int
    steps: int
    record: bytes = b""
    calls: Mapping[str, Sequence[Call]] = {}
