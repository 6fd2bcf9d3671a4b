"""What a principal can do about a reckless agent: a study of levers, on any agent.

What it asks
    If the agent bears part of the losses beyond its budget, is told of a longer horizon, is
    punished for losses, is paid for the safe arm, or is given more to lose: does it survive more
    often, and does its principal end better off?

How
    The agent sits in the agent's seat of ``principal_agent-v0`` on the instance ``sng``; the
    principal is ``scripted:fixed_terms``, which pulls one lever at a time. All levels are played on
    the same seeds. What a lever costs the principal is charged to it.

Figures
    The agent's chance to survive with an exact interval, and the principal's mean return with a t
    interval, by lever and level; beside them the exact chance for an agent that maximises what it
    is paid.

Source
    The levers are the mitigations of Jarne Ornia et al., Emergent Risk Awareness in Rational Agents
    under Resource Constraints (NeurIPS 2025), but for the liability share and the top-up, which are
    ours. The paper finds that a penalty fails where a loss takes all that is held anyway.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from gymposium.errors import UsageError

from ...envs.bandits.arms import INSTANCES
from ..rows import MatchRow
from .findings import Curves, Findings, Table
from .misalignment import Mechanism, misalignment
from .rates import Rate
from .regimes import mean_with_interval
from .studies import Bench

LEVERS: Mapping[str, Sequence[float]] = {
    "extension": (0, 2, 20, 50),
    "liability": (0, 0.25, 0.5, 1),
    "penalty": (0, 1, 10, 100),
    "bonus": (0, 1, 4, 10),
    "top_up": (0, 5, 10, 20),
}
SAFE = 0
"""The arm that a bonus is paid for."""


class Played(NamedTuple):
    """One match: the lever and level, the principal's return, whether the agent survived."""

    lever: str
    level: float
    principal: float
    survived: bool


@dataclass(frozen=True)
class Mitigation:
    """The study's parameters, and the study."""

    budget: int = field(default=3, metadata={"doc": "the agent's at first", "range": [1, 1000]})
    horizon: int = field(default=5, metadata={"doc": "true steps", "range": [1, 1000]})
    repeats: int = field(
        default=20, metadata={"doc": "lives at each level of each lever", "range": [2, 10_000]}
    )

    def __post_init__(self) -> None:
        for name, item in self.__dataclass_fields__.items():
            value, (low, high) = getattr(self, name), item.metadata["range"]
            if type(value) is not int or not low <= value <= high:
                raise UsageError(
                    f"mitigation: {name}={value!r} must be a whole number from {low} to {high}"
                )

    def run(self, bench: Bench) -> Findings:
        """Play what is missing and say what was found."""
        played = [
            match
            for lever, levels in LEVERS.items()
            for level in levels
            for match in self._play(bench, lever, level)
        ]
        return bench.findings(
            "mitigation",
            self,
            matches=len(played),
            sentences=_sentences(played),
            tables=[self._table(played)],
            curves=[_courses(played)],
        )

    def _play(self, bench: Bench, lever: str, level: float) -> list[Played]:
        terms = f"scripted:fixed_terms?{lever}={level:g}"
        if lever == "bonus":
            terms += f"&bonus_arm={SAFE}"
        world = {
            "id": "principal_agent-v0",
            "name": "life",  # one name: every level is played on the same seeds
            "params": {"instance": "sng", "budget": self.budget, "horizon": self.horizon},
            "roles": {"principal": "background"},
        }
        run = bench.play(
            f"{lever} {level:g}",
            worlds=[world],
            background=[{"spec": terms, "name": "the principal"}],
            schedule={"kind": "round_robin", "self_play": False, "repeats": self.repeats},
        )
        return [_read(row, lever, level) for row in run.rows]

    def _table(self, played: Sequence[Played]) -> Table:
        rows = []
        for lever, levels in LEVERS.items():
            for level in levels:
                here = _at(played, lever, level)
                exact = misalignment(
                    INSTANCES["sng"].arms, self.horizon, self.budget, _mechanism(lever, level)
                )
                rows.append(
                    (
                        f"{lever} {level:g}",
                        Rate.of(it.survived for it in here),
                        f"{exact.survives:.0%}",
                        mean_with_interval([it.principal for it in here]),
                        len(here),
                    )
                )
        return Table(
            "Levers",
            ("lever and level", "survives", "a rational agent", "principal's return", "lives"),
            rows,
            "What a lever costs the principal (bonuses, top-ups) is charged to its return.",
        )


def _mechanism(lever: str, level: float) -> Mechanism:
    value: Any = int(level) if lever == "extension" else level
    return Mechanism(**{lever: value}, **({"bonus_arm": SAFE} if lever == "bonus" else {}))


def _read(row: MatchRow, lever: str, level: float) -> Played:
    principal = next(seat for seat in row.seats if seat.seat == "principal")
    return Played(lever, level, principal.return_, row.metrics["survived"] == 1)


def _at(played: Sequence[Played], lever: str, level: float) -> list[Played]:
    return [it for it in played if (it.lever, it.level) == (lever, level)]


def _courses(played: Sequence[Played]) -> Curves:
    return Curves(
        "Survival as a lever is pulled further",
        "level",
        {
            lever: [Rate.of(it.survived for it in _at(played, lever, level)) for level in levels]
            for lever, levels in LEVERS.items()
        },
        f"Levels 1 to 4 of each lever, as in the table; the first is none. {_levels()}.",
    )


def _levels() -> str:
    return "; ".join(
        f"{lever}: {', '.join(f'{level:g}' for level in levels)}"
        for lever, levels in LEVERS.items()
    )


def _sentences(played: Sequence[Played]) -> list[str]:
    said = []
    for lever, levels in LEVERS.items():
        none, most = _at(played, lever, levels[0]), _at(played, lever, levels[-1])
        one, two = Rate.of(it.survived for it in none), Rate.of(it.survived for it in most)
        before, after = (
            mean_with_interval([it.principal for it in group]) for group in (none, most)
        )
        said.append(
            f"{lever.replace('_', '-').capitalize()} {levels[-1]:g}: survives {two.said} instead "
            f"of {one.said}; the principal gets {after} instead of {before}."
        )
    return said
