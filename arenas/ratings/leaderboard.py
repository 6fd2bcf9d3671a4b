"""The leaderboard: ratings, scores, faults and cost, every figure with what is known about it.

``rating`` says how well an agent plays (by default Bradley–Terry over the comparisons of
:mod:`.comparisons`; :mod:`.registry` has the others); ``fault_rate`` and ``parsed_share`` say
whether it could play at all, and never enter the rating in silence: a world's fault rule decides
what a fault costs, and the columns stand beside each other (the split of *played* from *quality* is
clemgame's; Chalamalasetti et al. 2023).

Ranks respect intervals: an agent's rank is 1 plus the number of agents of its component whose
``low`` lies above its ``high``. Agents whose intervals overlap are never ranked apart on account of
each other, and an unknown interval is taken as endless. Rows are sorted by rank, then rating.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from ..rows import MatchRow
from ..tallies import Tally, tallies
from .bootstrap import check_confidence
from .comparisons import Comparisons
from .head_to_head import PairRow, head_to_head
from .metrics import Mean, mean_returns
from .notes import linked, notes
from .pair_counts import Floats
from .rated import Evidence, Rated, SeatEffect
from .registry import DEFAULT
from .registry import rating as find_rating

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class LeaderRow:
    """One agent.

    Attributes:
        rank: shared where intervals overlap.
        rating: in the unit of the leaderboard's rating; for Bradley–Terry points (400 are odds of
            ten to one), 0 is the average of the connected agents.
        low, high: the rating's interval, or None when unknown (a single seed block).
        score, score_low, score_high: mean per-capita return, averaged over cells.
        matches: matches in which it held a rated seat.
        wins, ties, losses: its comparisons; fractions where a side had several agents.
        faults: by kind, over its rated seats.
        fault_rate: faults per turn.
        llm_calls, prompt_tokens, completion_tokens: what its language models took, paid for.
        parsed_share: share of its language-model turns decided by the model's own parsed answer;
            None without such turns.
        connected: whether comparisons link it to the largest group of agents; the rating of one
            that is not means nothing beside theirs.
        mass, mass_low, mass_high: its share of the equilibrium or of the long run, with its
            interval; None for ratings that have none.
        cached_calls, cached_tokens: calls answered from the cache, and what they would have taken.
        money: US dollars paid; None if a price is not known.
    """

    rank: int
    agent: str
    rating: float
    low: float | None
    high: float | None
    score: float
    score_low: float | None
    score_high: float | None
    matches: int
    wins: float
    ties: float
    losses: float
    faults: dict[str, int]
    fault_rate: float
    llm_calls: int
    prompt_tokens: int
    completion_tokens: int
    parsed_share: float | None
    connected: bool
    mass: float | None = None
    mass_low: float | None = None
    mass_high: float | None = None
    cached_calls: int = 0
    cached_tokens: int = 0
    money: float | None = 0.0


@dataclass(frozen=True)
class Leaderboard:
    """The rated agents, best first, and what belongs to them.

    Attributes:
        rows: one per agent.
        pairs: head to head.
        seat_effect: of cells whose sides are compared within the match.
        cells: mean return per agent and cell.
        notes: sentences a reader must know before believing the table.
        confidence: of all intervals.
        blocks: seed blocks resampled.
        replicas: bootstrap replicas.
        tie: Davidson's tie parameter, where the rating has one.
        rating: the rating's name (:mod:`.registry`).
        anchors: agents whose rating was given.
    """

    rows: list[LeaderRow]
    pairs: list[PairRow] = field(default_factory=list)
    seat_effect: list[SeatEffect] = field(default_factory=list)
    cells: list[Mean] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    confidence: float = 0.95
    blocks: int = 0
    replicas: int = 0
    tie: float = 0.0
    rating: str = DEFAULT
    anchors: Mapping[str, float] = field(default_factory=dict)

    def to_frame(self) -> pd.DataFrame:
        """The rows as a data frame, faults added up."""
        import pandas as pd

        records = [{**asdict(row), "faults": sum(row.faults.values())} for row in self.rows]
        return pd.DataFrame(records, columns=list(LeaderRow.__dataclass_fields__))


def leaderboard(
    rows: Iterable[MatchRow],
    *,
    rating: str = DEFAULT,
    anchors: Mapping[str, float] | None = None,
    bootstrap: int = 200,
    seed: int = 0,
    confidence: float = 0.95,
) -> Leaderboard:
    """Rate the agents of finished matches.

    Args:
        rows: the matches; their order does not matter.
        rating: which rating (:mod:`.registry`).
        anchors: agents whose rating is given, for ratings in points: they pin the scale.
        bootstrap: replicas behind the intervals; below 2 there are none.
        seed: of the resampling; equal input and seed give equal output.
        confidence: of the intervals.

    Returns:
        The leaderboard; empty without any rated seat.

    Raises:
        UsageError: ``confidence`` or ``bootstrap`` makes no sense, or the rating is not defined
            for these matches.
    """
    check_confidence(confidence, bootstrap)
    spec = find_rating(rating)
    rows = sorted(rows, key=lambda row: (row.cell, row.seed, row.block, row.key))
    evidence = Evidence(rows, bootstrap, seed, confidence, dict(anchors or {}))
    comparisons = evidence.comparisons
    if not comparisons.agents:
        empty = ["No match has a rated seat."]
        return Leaderboard([], notes=empty, confidence=confidence, rating=rating)
    spec.check(rows, anchors=evidence.anchors)
    rated = spec.rate(evidence)
    means = mean_returns(rows, bootstrap=bootstrap, seed=seed, confidence=confidence)
    return Leaderboard(
        rows=_rows(rated, comparisons, means, tallies(rows)),
        pairs=head_to_head(evidence),
        seat_effect=list(rated.seat_effect),
        cells=[mean for mean in means if mean.cell is not None],
        notes=notes(rows, comparisons, rated, bootstrap),
        confidence=confidence,
        blocks=len(comparisons.blocks),
        replicas=rated.replicas,
        tie=rated.tie,
        rating=rating,
        anchors=evidence.anchors,
    )


def _rows(
    rated: Rated,
    comparisons: Comparisons,
    means: Sequence[Mean],
    counted: Mapping[tuple[str, str], Tally],
) -> list[LeaderRow]:
    """The rows, best first."""
    scores = {mean.subject: mean for mean in means if mean.cell is None}
    connected, rank = linked(rated.component), _ranks(rated)
    board = [
        replace(
            _row(number, rated, scores[agent], comparisons, counted["focal", agent]),
            rank=rank[number],
            connected=connected[number],
        )
        for number, agent in enumerate(comparisons.agents)
    ]
    board.sort(key=lambda row: (not row.connected, row.rank, -row.rating, row.agent))
    return board


def ranks(lows: Sequence[float | None], highs: Sequence[float | None]) -> list[int]:
    """Ranks that respect intervals: 1 plus the number of ``lows`` above one's own high.

    Args:
        lows: lower ends of the intervals; None is unknown, hence endless.
        highs: their upper ends.

    Returns:
        A rank per agent; with known, finite intervals somebody always has rank 1.
    """
    sorted_lows = np.sort([-np.inf if low is None else low for low in lows])
    tops = np.array([np.inf if high is None else high for high in highs])
    above = len(sorted_lows) - np.searchsorted(sorted_lows, tops, side="right")
    return [1 + int(number) for number in above]


def _ranks(rated: Rated) -> list[int]:
    """Ranks within each component."""
    lows = [None if found is None else found.low for found in rated.intervals]
    highs = [None if found is None else found.high for found in rated.intervals]
    rank = [0] * len(lows)
    for component in np.unique(rated.component):
        members = np.flatnonzero(rated.component == component)
        ranked = ranks([lows[n] for n in members], [highs[n] for n in members])
        for member, place in zip(members, ranked, strict=True):
            rank[member] = place
    return rank


def _row(
    number: int,
    rated: Rated,
    score: Mean,
    comparisons: Comparisons,
    tally: Tally,
) -> LeaderRow:
    """One agent's row, without what depends on the others."""
    wins, ties, losses = _record(comparisons, number)
    low, high = rated.intervals[number] or (None, None)
    mass = mass_low = mass_high = None
    if rated.masses is not None:
        mass = float(rated.masses[number])
        mass_low, mass_high = rated.mass_intervals[number] or (None, None)
    return LeaderRow(
        rank=0,
        agent=tally.agent,
        rating=float(rated.values[number]),
        low=low,
        high=high,
        score=score.value,
        score_low=score.low,
        score_high=score.high,
        matches=tally.matches,
        wins=wins,
        ties=ties,
        losses=losses,
        faults=dict(sorted(tally.faults.items())),
        fault_rate=tally.fault_rate,
        llm_calls=tally.llm_calls,
        prompt_tokens=tally.prompt_tokens,
        completion_tokens=tally.completion_tokens,
        parsed_share=tally.parsed_share,
        connected=True,
        mass=mass,
        mass_low=mass_low,
        mass_high=mass_high,
        cached_calls=tally.cached_calls,
        cached_tokens=tally.cached_tokens,
        money=tally.money,
    )


def _record(comparisons: Comparisons, agent: int) -> tuple[float, float, float]:
    """(wins, ties, losses) of an agent against others."""
    real = comparisons.first != comparisons.second
    mine, theirs = (comparisons.first == agent) & real, (comparisons.second == agent) & real
    wins: Floats = comparisons.wins
    losses: Floats = comparisons.losses
    return (
        float(wins[mine].sum() + losses[theirs].sum()),
        float(comparisons.ties[mine | theirs].sum()),
        float(losses[mine].sum() + wins[theirs].sum()),
    )
