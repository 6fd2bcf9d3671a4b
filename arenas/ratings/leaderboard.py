"""The leaderboard: ratings, scores, faults and cost, every figure with what is known about it.

``rating`` says how well an agent plays (Bradley–Terry over the comparisons of :mod:`.comparisons`);
``fault_rate`` and ``parsed_share`` say whether it could play at all, and never enter the rating in
silence: a world's fault rule decides what a fault costs, and the columns stand beside each other
(the split of *played* from *quality* is clemgame's; Chalamalasetti et al. 2023).

Ranks respect intervals: an agent's rank is 1 plus the number of agents of its component whose
``low`` lies above its ``high``. Agents whose intervals overlap are never ranked apart on account of
each other, and an unknown interval is taken as endless. Rows are sorted by rank, then rating.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..rows import MatchRow
from .bootstrap import Replicas, block_weights, bootstrap, check_confidence, interval
from .bradley_terry import POINTS, Fit, Floats, Ints, fit
from .comparisons import Comparisons, compare, is_rated
from .metrics import Mean, mean_returns
from .notes import linked, notes

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class LeaderRow:
    """One agent.

    Attributes:
        rank: shared where intervals overlap.
        rating: points (400 are odds of ten to one), 0 is the average of the connected agents.
        low, high: the rating's interval, or None when unknown (a single seed block).
        score, score_low, score_high: mean per-capita return, averaged over cells.
        matches: matches in which it held a rated seat.
        wins, ties, losses: its comparisons; fractions where a side had several agents.
        faults: by kind, over its rated seats.
        fault_rate: faults per turn.
        llm_calls, prompt_tokens, completion_tokens: what its language models took.
        parsed_share: share of its language-model turns decided by the model's own parsed answer;
            None without such turns.
        connected: whether comparisons link it to the largest group of agents; the rating of one
            that is not means nothing beside theirs.
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


@dataclass(frozen=True, slots=True)
class PairRow:
    """All comparisons of two agents, from the view of ``agent``; each pair stands here once."""

    agent: str
    other: str
    wins: float
    ties: float
    losses: float


@dataclass(frozen=True, slots=True)
class SeatEffect:
    """How many points sitting there is worth, against the average seat of its cell."""

    cell: str
    seat: str
    points: float
    low: float | None
    high: float | None


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
        tie: Davidson's tie parameter.
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

    def to_frame(self) -> pd.DataFrame:
        """The rows as a data frame, faults added up."""
        import pandas as pd

        records = [{**asdict(row), "faults": sum(row.faults.values())} for row in self.rows]
        return pd.DataFrame(records, columns=list(LeaderRow.__dataclass_fields__))


def leaderboard(
    rows: Iterable[MatchRow],
    *,
    bootstrap: int = 200,
    seed: int = 0,
    confidence: float = 0.95,
) -> Leaderboard:
    """Rate the agents of finished matches.

    Args:
        rows: the matches; their order does not matter.
        bootstrap: replicas behind the intervals; below 2 there are none.
        seed: of the resampling; equal input and seed give equal output.
        confidence: of the intervals.

    Returns:
        The leaderboard; empty without any rated seat.

    Raises:
        UsageError: ``confidence`` or ``bootstrap`` makes no sense.
    """
    check_confidence(confidence, bootstrap)
    rows = sorted(rows, key=lambda row: (row.cell, row.seed, row.block, row.key))
    comparisons = compare(rows)
    if not comparisons.agents:
        return Leaderboard([], notes=["No match has a rated seat."], confidence=confidence)
    fitted = fit(comparisons.counts())
    replicas = _replicas(comparisons, fitted, bootstrap, seed)
    ratings = _ratings(comparisons, fitted, replicas, confidence)
    means = mean_returns(rows, bootstrap=bootstrap, seed=seed, confidence=confidence)
    scores = {mean.subject: mean for mean in means if mean.cell is None}
    tallies = _tallies(rows)
    connected = linked(fitted.component)
    board = [
        _row(number, agent, ratings, connected[number], scores[agent], comparisons, tallies[agent])
        for number, agent in enumerate(comparisons.agents)
    ]
    board.sort(key=lambda row: (not row.connected, row.rank, -row.rating, row.agent))
    return Leaderboard(
        rows=board,
        pairs=_pairs(comparisons),
        seat_effect=_seat_effects(comparisons, fitted, replicas, confidence),
        cells=[mean for mean in means if mean.cell is not None],
        notes=notes(rows, comparisons, fitted, bootstrap),
        confidence=confidence,
        blocks=len(comparisons.blocks),
        replicas=bootstrap,
        tie=fitted.tie,
    )


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


@dataclass(frozen=True, slots=True)
class _Rating:
    rank: int
    points: float
    low: float | None
    high: float | None


@dataclass(slots=True)
class _Tally:
    matches: int = 0
    turns: int = 0
    llm_turns: int = 0
    parsed_turns: int = 0
    llm_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    faults: dict[str, int] = field(default_factory=dict)


def _replicas(comparisons: Comparisons, fitted: Fit, number: int, seed: int) -> Replicas:
    weights = block_weights(len(comparisons.blocks), number, seed)
    if len(comparisons.blocks) < 2 or number < 2:  # there will be no interval: save the work
        weights = weights[:0]
    return bootstrap(comparisons, fitted, weights, seed=seed)


def _ratings(
    comparisons: Comparisons, fitted: Fit, replicas: Replicas, confidence: float
) -> list[_Rating]:
    blocks = _blocks_per_agent(comparisons)
    points, drawn = fitted.points, replicas.strengths * POINTS
    prior = replicas.prior_strengths * POINTS
    intervals = [
        interval(
            float(points[n]),
            drawn[:, n],
            blocks=int(blocks[n]),
            confidence=confidence,
            besides=prior[:, n],
        )
        for n in range(len(points))
    ]
    lows = [None if found is None else found.low for found in intervals]
    highs = [None if found is None else found.high for found in intervals]
    rank = [0] * len(points)
    for component in np.unique(fitted.component):
        members = np.flatnonzero(fitted.component == component)
        ranked = ranks([lows[n] for n in members], [highs[n] for n in members])
        for member, place in zip(members, ranked, strict=True):
            rank[member] = place
    return [_Rating(rank[n], float(points[n]), lows[n], highs[n]) for n in range(len(points))]


def _blocks_per_agent(comparisons: Comparisons) -> Ints:
    """In how many blocks each agent was compared with another."""
    agents, blocks = len(comparisons.agents), len(comparisons.blocks)
    met = np.zeros((agents, blocks), dtype=bool)
    real = comparisons.first != comparisons.second
    for side in (comparisons.first, comparisons.second):
        met[side[real], comparisons.block[real]] = True
    return np.asarray(met.sum(axis=1))


def _row(
    number: int,
    agent: str,
    ratings: list[_Rating],
    connected: bool,
    score: Mean,
    comparisons: Comparisons,
    tally: _Tally,
) -> LeaderRow:
    rating = ratings[number]
    wins, ties, losses = _record(comparisons, number)
    return LeaderRow(
        rank=rating.rank,
        agent=agent,
        rating=rating.points,
        low=rating.low,
        high=rating.high,
        score=score.value,
        score_low=score.low,
        score_high=score.high,
        matches=tally.matches,
        wins=wins,
        ties=ties,
        losses=losses,
        faults=dict(sorted(tally.faults.items())),
        fault_rate=sum(tally.faults.values()) / tally.turns if tally.turns else 0.0,
        llm_calls=tally.llm_calls,
        prompt_tokens=tally.prompt_tokens,
        completion_tokens=tally.completion_tokens,
        parsed_share=tally.parsed_turns / tally.llm_turns if tally.llm_turns else None,
        connected=connected,
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


def _pairs(comparisons: Comparisons) -> list[PairRow]:
    size = len(comparisons.agents)
    code = comparisons.first * size + comparisons.second
    totals = [
        np.bincount(code, weights=x, minlength=size * size)
        for x in (comparisons.wins, comparisons.ties, comparisons.losses)
    ]
    names = comparisons.agents
    return [
        PairRow(names[c // size], names[c % size], *(float(total[c]) for total in totals))
        for c in np.flatnonzero(sum(totals)).tolist()
        if c // size != c % size
    ]


def _seat_effects(
    comparisons: Comparisons, fitted: Fit, replicas: Replicas, confidence: float
) -> list[SeatEffect]:
    effects = []
    cells = np.array([side.cell for side in comparisons.sides])
    for number, side in enumerate(comparisons.sides):
        same = np.flatnonzero(cells == side.cell)
        value, drawn, prior = (
            (x[..., number] - x[..., same].mean(axis=-1)) * POINTS
            for x in (fitted.sides, replicas.sides, replicas.prior_sides)
        )
        value = float(value)
        held = (comparisons.first_side == number) | (comparisons.second_side == number)
        blocks = len(np.unique(comparisons.block[held]))
        found = interval(value, drawn, blocks=blocks, confidence=confidence, besides=prior)
        low, high = found or (None, None)
        effects.append(SeatEffect(side.cell, side.seat, value, low, high))
    return effects


def _tallies(rows: Sequence[MatchRow]) -> dict[str, _Tally]:
    tallies: dict[str, _Tally] = {}
    for row in rows:
        counted = set()
        for seat in row.seats:
            if not is_rated(seat):
                continue
            tally = tallies.setdefault(seat.agent, _Tally())
            if seat.agent not in counted:
                counted.add(seat.agent)
                tally.matches += 1
            tally.turns += seat.turns
            tally.llm_turns += seat.llm_turns
            tally.parsed_turns += seat.parsed_turns
            tally.llm_calls += seat.llm_calls
            tally.prompt_tokens += seat.prompt_tokens
            tally.completion_tokens += seat.completion_tokens
            for kind, number in seat.faults.items():
                tally.faults[kind] = tally.faults.get(kind, 0) + number
    return tallies
