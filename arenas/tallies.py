"""What agents did over many matches, added up: turns, faults, and what their answers took.

The leaderboard and the report both count from here, so that they never disagree.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from .rows import MatchRow, SeatRow


@dataclass(slots=True)
class Tally:
    """One agent in one role, added up over matches.

    Attributes:
        agent, role: whose.
        matches: matches in which it held a seat of this role, each counted once.
        turns, faults, llm_turns, parsed_turns, llm_calls, prompt_tokens, completion_tokens,
            seconds, cached_calls, cached_tokens, money: as in
            :class:`~gymposium.arenas.rows.SeatRow`, added up.
    """

    agent: str
    role: str
    matches: int = 0
    turns: int = 0
    faults: dict[str, int] = field(default_factory=dict)
    llm_turns: int = 0
    parsed_turns: int = 0
    llm_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    cached_calls: int = 0
    cached_tokens: int = 0
    money: float | None = 0.0

    @property
    def fault_rate(self) -> float:
        """Faults per turn."""
        return sum(self.faults.values()) / self.turns if self.turns else 0.0

    @property
    def parsed_share(self) -> float | None:
        """Share of language-model turns decided by the model's own parsed answer."""
        return self.parsed_turns / self.llm_turns if self.llm_turns else None

    def add(self, seat: SeatRow) -> None:
        """Count one seat of one match."""
        self.turns += seat.turns
        self.llm_turns += seat.llm_turns
        self.parsed_turns += seat.parsed_turns
        self.llm_calls += seat.llm_calls
        self.prompt_tokens += seat.prompt_tokens
        self.completion_tokens += seat.completion_tokens
        self.seconds += seat.seconds
        self.cached_calls += seat.cached_calls
        self.cached_tokens += seat.cached_tokens
        if self.money is not None:
            self.money = None if seat.money is None else self.money + seat.money
        for kind, number in seat.faults.items():
            self.faults[kind] = self.faults.get(kind, 0) + number


def tallies(rows: Iterable[MatchRow]) -> dict[tuple[str, str], Tally]:
    """Add up finished matches; their order does not matter.

    Returns:
        (role, agent) -> what the agent did in that role.
    """
    found: dict[tuple[str, str], Tally] = {}
    for row in rows:
        met = set()
        for seat in row.seats:
            key = (seat.role, seat.agent)
            tally = found.get(key)
            if tally is None:
                tally = found[key] = Tally(seat.agent, seat.role)
            tally.matches += key not in met
            met.add(key)
            tally.add(seat)
    return found
