"""The head-to-head matrix: who won which share against whom, how often, and how surely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..ratings.head_to_head import PairRow
from . import figures

AGENTS = 24


@dataclass(frozen=True, slots=True)
class Duel:
    """An entry of the matrix, from the view of its row.

    Attributes:
        text: the share won, in per cent.
        interval: in per cent, or "".
        played: comparisons.
        share: from 0 to 1.
        strength: how far the share is from even, from 0 to 100.
        sure: the interval leaves no doubt who is ahead.
        title: all of it in words.
    """

    text: str
    interval: str
    played: str
    share: float
    strength: int
    sure: bool
    title: str


def matrix(agents: Sequence[str], pairs: Sequence[PairRow]) -> list[tuple[str, list[Duel | None]]]:
    """Rows of the matrix of the first agents; None where two were never compared."""
    names = list(agents[:AGENTS])
    record: dict[tuple[str, str], Duel] = {}
    for pair in pairs:
        if pair.agent in names and pair.other in names:
            record[pair.agent, pair.other] = _duel(pair)
            record[pair.other, pair.agent] = _duel(_turned(pair))
    return [(figures.name(one), [record.get((one, two)) for two in names]) for one in names]


def _turned(pair: PairRow) -> PairRow:
    low, high = (None if end is None else 1.0 - end for end in (pair.high, pair.low))
    return PairRow(pair.other, pair.agent, pair.losses, pair.ties, pair.wins, low, high)


def _duel(pair: PairRow) -> Duel:
    share, played = pair.share, pair.wins + pair.ties + pair.losses
    ends, sure = "", False
    if pair.low is not None and pair.high is not None:
        ends = f"{100 * pair.low:.0f}–{100 * pair.high:.0f}"
        sure = pair.low > 0.5 or pair.high < 0.5
    return Duel(
        text=f"{100 * share:.0f}",
        interval=ends,
        played=figures.count(played),
        share=share,
        strength=round(200 * abs(share - 0.5)),
        sure=sure,
        title=(
            f"{figures.name(pair.agent)} against {figures.name(pair.other)}: "
            f"{figures.count(pair.wins)} won, {figures.count(pair.ties)} tied, "
            f"{figures.count(pair.losses)} lost" + (f"; {ends} % won" if ends else "")
        ),
    )
