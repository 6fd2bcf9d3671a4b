"""Play arms: a scenario is run for one seed and its rows become measures.

Measures, each averaged over matches and then over cells:

* ``return.AGENT``: per-capita return of a rated agent; ``return``: their mean;
* ``lead.AGENT``: its return minus the best of the others': above 0 it wins the tournament;
* every metric of the world by its own name (``efficiency``);
* ``faults``: faults per turn; ``llm_calls`` and ``tokens``: of the whole run;
* with several cells also ``return.AGENT@CELL`` and ``METRIC@CELL``;
* where cells carry tags ``normalised.AGENT`` and ``pooled.AGENT``, its returns scaled by bounds and
  between the agents compared, and the same ``@TAG`` and ``@TAG - TAG`` for the gaps between tags.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ..ratings.metrics import mean_metrics, mean_returns
from ..reporters import Silent
from ..rows import MatchRow

if TYPE_CHECKING:
    from ...scenarios.model import Scenario
    from ..ratings.metrics import Norm
    from ..run import Run

OnFraction: TypeAlias = Callable[[float], None]
"""Told how much of a measurement is done, from 0 to 1."""


class Counting(Silent):
    """Turns what a run reports into a fraction."""

    def __init__(self, on_fraction: OnFraction) -> None:
        self._on_fraction = on_fraction
        self._total = self._done = 0

    def start(self, total: int, done: int) -> None:
        """A batch begins."""
        self._total, self._done = total, done

    def match_done(self, row: MatchRow) -> None:
        """A match is stored."""
        self._done += 1
        self._on_fraction(self._done / max(1, self._total))


def play(
    scenario: Scenario, seed: int, folder: Path, on_fraction: OnFraction
) -> Mapping[str, float]:
    """Run ``scenario`` with ``seed`` in ``folder`` (going on if it was begun) and measure.

    Args:
        scenario: what is played.
        seed: takes the place of the scenario's.
        folder: the run's folder.
        on_fraction: told of progress.

    Returns:
        The measures.

    Raises:
        GymposiumError: as :func:`arenas.run.run`.
        KeyboardInterrupt: finished matches are stored.
    """
    from ..run import run

    finished = run(scenario, seed=seed, out=folder, progress=Counting(on_fraction))
    return measures(finished.rows) | _marks(finished)


def _marks(run: Run) -> dict[str, float]:
    """Normalised returns by agent and tag."""
    found: dict[str, float] = {}
    norms: dict[str, Norm] = {"normalised": "bounds", "pooled": "pool"}
    for name, norm in norms.items():
        if tagged := run.breakdown(norm=norm, bootstrap=0):
            overall = run.normalised(norm=norm, bootstrap=0)
            found |= {f"{name}.{it.subject}": it.value for it in overall if it.cell is None}
            found |= {f"{name}.{it.subject}@{it.cell}": it.value for it in tagged}
    return found


def measures(rows: Sequence[MatchRow], *, among: Sequence[str] | None = None) -> dict[str, float]:
    """What the rows of a run amount to.

    Args:
        rows: finished matches.
        among: the agents that ``return`` averages over; default: all that are rated.

    Returns:
        The measures by name.
    """
    cells = len({row.cell for row in rows})
    found: dict[str, float] = {}
    overall: dict[str, float] = {}
    for mean in mean_returns(rows, bootstrap=0):
        if mean.cell is None:
            overall[mean.subject] = found[f"return.{mean.subject}"] = mean.value
        elif cells > 1:
            found[f"return.{mean.subject}@{mean.cell}"] = mean.value
    for agent, value in overall.items():
        others = [other for name, other in overall.items() if name != agent]
        if others:
            found[f"lead.{agent}"] = value - max(others)
    chosen = [value for agent, value in overall.items() if among is None or agent in among]
    if chosen:
        found["return"] = sum(chosen) / len(chosen)
    for mean in mean_metrics(rows, bootstrap=0):
        if mean.cell is None or cells > 1:
            found[mean.subject + (f"@{mean.cell}" if mean.cell else "")] = mean.value
    return found | _costs(rows)


def _costs(rows: Sequence[MatchRow]) -> dict[str, float]:
    seats = [seat for row in rows for seat in row.seats]
    turns = sum(seat.turns for seat in seats)
    return {
        "faults": sum(sum(seat.faults.values()) for seat in seats) / max(1, turns),
        "llm_calls": float(sum(seat.llm_calls for seat in seats)),
        "tokens": float(sum(seat.prompt_tokens + seat.completion_tokens for seat in seats)),
    }


def identity(scenario: Scenario) -> Any:
    """What the outcome depends on: the scenario's fields and who its agents are.

    Raises:
        UsageError: an agent cannot be made.
    """
    from ..casting import seat_agents

    scenario, agents = seat_agents(scenario, None)
    fields = scenario.model_dump(mode="json", exclude={"name", "description", "seed", "budget"})
    return {"scenario": fields, "agents": {name: it.identity for name, it in agents.items()}}
