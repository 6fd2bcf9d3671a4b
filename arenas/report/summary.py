"""What the page says about the matches beyond the leaderboard: totals over 100,000 rows or more."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from gymposium.errors import FAULT_KINDS

from ..rows import MatchRow, SeatRow


@dataclass(slots=True)
class AgentSummary:
    """One agent in one role, added up over matches."""

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
        for kind, number in seat.faults.items():
            self.faults[kind] = self.faults.get(kind, 0) + number


@dataclass(slots=True)
class CellSummary:
    """One cell of the scenario, added up over matches."""

    cell: str
    world: str
    kind: str
    matches: int = 0
    seeds: set[int] = field(default_factory=set)
    blocks: set[int] = field(default_factory=set)


@dataclass(slots=True)
class Summary:
    """All totals of a report.

    Attributes:
        agents: by (role, agent), the rated first.
        cells: by name.
        fault_kinds: the kinds that can occur, in a fixed order, and any others that did.
        matches, turns: totals.
        seconds: wall time of all matches added up; they may have run side by side.
    """

    agents: list[AgentSummary] = field(default_factory=list)
    cells: list[CellSummary] = field(default_factory=list)
    fault_kinds: list[str] = field(default_factory=list)
    matches: int = 0
    turns: int = 0
    seconds: float = 0.0

    @property
    def faults(self) -> int:
        """Faults of everybody."""
        return sum(sum(agent.faults.values()) for agent in self.agents)

    @property
    def llm_calls(self) -> int:
        """Model calls of everybody."""
        return sum(agent.llm_calls for agent in self.agents)

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens of everybody."""
        return sum(agent.prompt_tokens + agent.completion_tokens for agent in self.agents)


def summarise(rows: Iterable[MatchRow]) -> Summary:
    """Add up finished matches; their order does not matter."""
    agents: dict[tuple[str, str], AgentSummary] = {}
    cells: dict[str, CellSummary] = {}
    summary = Summary()
    for row in rows:
        summary.matches += 1
        summary.seconds += row.seconds
        cell = cells.get(row.cell)
        if cell is None:
            cell = cells[row.cell] = CellSummary(row.cell, row.world, row.kind)
        cell.matches += 1
        cell.seeds.add(row.seed)
        cell.blocks.add(row.block)
        met = set()
        for seat in row.seats:
            key = (seat.role, seat.agent)
            agent = agents.get(key)
            if agent is None:
                agent = agents[key] = AgentSummary(seat.agent, seat.role)
            agent.matches += key not in met
            met.add(key)
            agent.add(seat)
            summary.turns += seat.turns
    roles = {"focal": 0, "background": 1, "judge": 2}
    summary.agents = sorted(agents.values(), key=lambda a: (roles.get(a.role, 3), a.role, a.agent))
    summary.cells = [cells[name] for name in sorted(cells)]
    others = {kind for agent in summary.agents for kind in agent.faults} - set(FAULT_KINDS)
    summary.fault_kinds = [*FAULT_KINDS, *sorted(others)]
    return summary
