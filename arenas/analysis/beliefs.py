"""What an agent believes of the state it acts in, and whether it does better for it.

What it asks
    Are its replies of the format, and its actions possible? Does it see what is there, and foresee
    what its actions will lead to? Does it succeed more often where it believes what is true?

How
    Matches of a world that is answered by reasoning about state, such as ``frozen_lake-v0``: every
    turn it says what it sees and what it expects, then acts. The world scores both from its state.
    ``gymposium audit beliefs RUN`` plays nothing and reads a finished run instead, agent by agent.

What counts as a case
    One match; matches are independent. Means over turns are taken within a match first.

Figures
    Success, with an exact interval; shares of turns and mean scores with intervals over matches. A
    belief of a reply that is not of the format scores 0. Axes said: of beliefs in plain words, the
    share of what could be said of the things they name that could be read. Distinct replies, as a
    share of all: few mean that it recites a template. Success of the matches in which it believed
    better than in half of them, and of the others, with Fisher's exact test.

With a judge
    ``judge=MODEL`` has a language model read the same beliefs afterwards; ``scorer`` says whose
    scores the figures show: ``exact``, ``judge``, or ``blend``, the mean of both. How far the two
    agree is told in either case. Its answers are kept beside the runs.

Source
    Wang et al., VAGEN (NeurIPS 2025), sections 4 and 6. Derived: exact scores, and that beliefs are
    compared with success match by match.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from gymposium.errors import UnknownName, UsageError

from .belief_findings import Read, conclude
from .findings import Findings
from .studies import Bench

if TYPE_CHECKING:
    from ..run import Run

SCORERS = ("exact", "judge", "blend")


@dataclass(frozen=True)
class Beliefs:
    """The study's parameters, and the study."""

    world: str = field(default="frozen_lake-v0", metadata={"doc": "answered by reasoning"})
    shows: str = field(default="text", metadata={"doc": "text, image or both"})
    strategy: str = field(default="world_modeling", metadata={"doc": "what a reply holds"})
    representation: str = field(default="natural", metadata={"doc": "how beliefs are written"})
    repeats: int = field(default=64, metadata={"doc": "matches", "range": [2, 10_000]})
    scorer: str = field(default="exact", metadata={"doc": "exact, judge or blend"})
    judge: str = field(default="", metadata={"doc": "a model as after llm:, to read beliefs"})

    def __post_init__(self) -> None:
        if type(self.repeats) is not int or not 2 <= self.repeats <= 10_000:
            raise UsageError(
                f"beliefs: repeats={self.repeats!r} must be a whole number from 2 to 10000"
            )
        if self.scorer not in SCORERS:
            raise UnknownName("scorer", str(self.scorer), SCORERS, where="the study beliefs")
        if self.scorer != "exact" and not self.judge:
            raise UsageError(f"beliefs: scorer={self.scorer} needs judge=MODEL, as after llm:")

    def run(self, bench: Bench) -> Findings:
        """Play what is missing, have beliefs read, and say what was found."""
        run = bench.play(
            "beliefs",
            world=self.world,
            params={
                "shows": self.shows,
                "strategy": self.strategy,
                "representation": self.representation,
            },
            schedule={"kind": "round_robin", "self_play": False, "repeats": self.repeats},
        )
        read = Read(run)
        return bench.findings("beliefs", self, **conclude(read, self, bench.path))

    def read(self, run: Run, agent: str, folder: Path) -> Findings:
        """What a finished run says of one of its agents.

        Args:
            run: any run with matches of worlds that are answered by reasoning.
            agent: its name there.
            folder: where a judge's answers are kept.

        Raises:
            UsageError: it played no such match.
        """
        read = Read(run, agent)
        known = run.info["agents"][agent]
        parameters = {
            name: value
            for name, value in dataclasses.asdict(self).items()
            if name in ("scorer", "judge")
        }
        return Findings(
            study="beliefs",
            agent=agent,
            identity=known["identity"],
            deterministic=known["deterministic"],
            parameters={"worlds": read.worlds, **parameters},
            seed=int(run.info["seed"]),
            **conclude(read, self, folder),
        )
