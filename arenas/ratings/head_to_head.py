"""Head to head: what two agents' comparisons with each other say, and how surely.

The share won (a tie counts half) has the intervals of everything else here: seed blocks are drawn
anew, and since three matches won of three would come out the same in every draw, half a win and
half a loss of prior are drawn besides (:mod:`.bootstrap`). A share stays within 0 and 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .bootstrap import interval, once_a_block
from .bradley_terry import PRIOR
from .comparisons import Comparisons
from .pair_counts import Floats, Ints
from .rated import Evidence

_CHUNK = 2_000_000


@dataclass(frozen=True, slots=True)
class PairRow:
    """All comparisons of two agents, from the view of ``agent``; each pair stands here once.

    Attributes:
        agent, other: the two.
        wins, ties, losses: fractions where a side had several agents.
        low, high: interval of the share won; None when unknown.
    """

    agent: str
    other: str
    wins: float
    ties: float
    losses: float
    low: float | None = None
    high: float | None = None

    @property
    def share(self) -> float:
        """Share of the comparisons that ``agent`` won, a tie counting half."""
        return (self.wins + 0.5 * self.ties) / (self.wins + self.ties + self.losses)


def head_to_head(evidence: Evidence) -> list[PairRow]:
    """Every pair of agents that was compared, sorted by name."""
    it = evidence.comparisons
    real = np.flatnonzero(it.first != it.second)
    size = len(it.agents)
    codes, pair = np.unique(it.first[real] * size + it.second[real], return_inverse=True)
    blocks, weights = len(it.blocks), evidence.weights()
    rng = np.random.default_rng([evidence.seed, 4])
    found: list[PairRow] = []
    step = max(1, _CHUNK // max(1, blocks, len(weights)))
    for start in range(0, len(codes), step):
        chosen = (pair >= start) & (pair < start + step)
        entries, column = real[chosen], pair[chosen] - start
        width = min(step, len(codes) - start)
        table = _by_block(it, entries, column, blocks, width)
        found += _rows(evidence, codes[start : start + width], table, weights, rng)
    return found


def _by_block(it: Comparisons, entries: Ints, column: Ints, blocks: int, width: int) -> Floats:
    """``[4, blocks, pairs]``: wins, ties, losses, and the weight that counts a block once."""
    once = once_a_block(it)[entries]
    where = it.block[entries] * width + column
    size = blocks * width
    parts = [
        np.bincount(where, weights=values[entries], minlength=size)
        for values in (it.wins, it.ties, it.losses)
    ]
    largest = np.zeros(size)
    np.maximum.at(largest, where, once)
    return np.array([*parts, largest]).reshape(4, blocks, width)


def _rows(
    evidence: Evidence, codes: Ints, table: Floats, weights: Floats, rng: np.random.Generator
) -> list[PairRow]:
    names = evidence.comparisons.agents
    wins, ties, losses, once = table
    played = wins + ties + losses
    points = wins + 0.5 * ties
    totals = played.sum(axis=0)
    shares = points.sum(axis=0) / totals
    drawn_points, drawn_played = weights @ points, weights @ played
    with np.errstate(invalid="ignore"):
        drawn = drawn_points / drawn_played
    single, alone = (points * once).sum(axis=0), (played * once).sum(axis=0)
    draws = PRIOR * rng.standard_exponential((2, len(weights), len(codes)))
    prior = (single + draws[0]) / (alone + draws.sum(axis=0))
    met = (played > 0).sum(axis=0)
    found = []
    for n, code in enumerate(codes.tolist()):
        ends = interval(
            float(shares[n]),
            drawn[:, n],
            blocks=int(met[n]),
            confidence=evidence.confidence,
            besides=prior[:, n],
            bounds=(0.0, 1.0),
        )
        won, tied, lost = (float(column[:, n].sum()) for column in (wins, ties, losses))
        low, high = ends or (None, None)
        one, two = names[code // len(names)], names[code % len(names)]
        found.append(PairRow(one, two, won, tied, lost, low, high))
    return found
