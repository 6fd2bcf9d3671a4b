"""What the page says about the matches beyond the leaderboard: totals over 100,000 rows or more."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from gymposium.errors import FAULT_KINDS

from ..rows import MatchRow
from ..tallies import Tally, tallies


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

    agents: list[Tally] = field(default_factory=list)
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
    def cached_calls(self) -> int:
        """Model calls of everybody that were answered from the cache."""
        return sum(agent.cached_calls for agent in self.agents)

    @property
    def money(self) -> float | None:
        """US dollars paid by everybody; None if a price is not known."""
        known = [agent.money for agent in self.agents if agent.money is not None]
        return sum(known) if len(known) == len(self.agents) else None

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens of everybody."""
        return sum(agent.prompt_tokens + agent.completion_tokens for agent in self.agents)


def summarise(rows: Iterable[MatchRow]) -> Summary:
    """Add up finished matches; their order does not matter."""
    rows = list(rows)
    cells: dict[str, CellSummary] = {}
    summary = Summary(matches=len(rows))
    for row in rows:
        summary.seconds += row.seconds
        cell = cells.get(row.cell)
        if cell is None:
            cell = cells[row.cell] = CellSummary(row.cell, row.world, row.kind)
        cell.matches += 1
        cell.seeds.add(row.seed)
        cell.blocks.add(row.block)
    agents = tallies(rows)
    summary.turns = sum(agent.turns for agent in agents.values())
    roles = {"focal": 0, "background": 1, "judge": 2}
    summary.agents = sorted(agents.values(), key=lambda a: (roles.get(a.role, 3), a.role, a.agent))
    summary.cells = [cells[name] for name in sorted(cells)]
    others = {kind for agent in summary.agents for kind in agent.faults} - set(FAULT_KINDS)
    summary.fault_kinds = [*FAULT_KINDS, *sorted(others)]
    return summary
