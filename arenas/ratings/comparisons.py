"""Who is compared with whom: finished matches become (pair, outcome) counts.

Only in a ``zero_sum`` world are the sides of one match compared with each other: there a higher
return *is* winning. In ``mixed`` and ``cooperative`` worlds it is not (always-defect never scores
below its partner, and would be crowned), so there two agents are compared when each of them has
played **the same place**: the same cell, seed, own seats and background, where the background says
who sat in every other seat. Places act as the voters; the higher focal return wins the vote.

Exactly:

* Rated are seats of role ``focal``. A judge or background seat is never rated, but it is part of
  everybody's background.
* A rated seat is a place of its own: its background is the agents of all other seats, whoever they
  are. In a round robin the background is thus the opponents, and an agent's match against a copy of
  itself is its match against *that opponent*, which the others have met as well.
* An agent holding several rated seats of a match also stands for all of them together, with its
  per-capita return and the remaining seats as background. So populations are compared with
  populations, and self-play with self-play.
* Several matches in one place (repeats) are averaged. Returns that differ by less than a billionth
  are equal: a tie.
* A zero-sum match that has background seats is compared like a mixed one, since its opponents are
  not rated.
* Sides of a zero-sum match are its teams (a seat without a team is a side), compared by per-capita
  return. Two sides are one comparison, shared among their agents in proportion to seats. Which side
  had which place enters as a seat effect.

Melting Pot's focal and background populations (Leibo et al. 2021) and the voting view of agent
evaluation (Lanctot et al. 2023, "Evaluating Agents using Social Choice Theory") are where this
comes from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..rows import MatchRow, SeatRow
from .pair_counts import Floats, Ints, PairCounts

_CHUNK = 4_000_000
_DENSE = 30_000_000
_CLOSE = 1e-9

Code: TypeAlias = tuple[int, int, int, int, int]


class Place(NamedTuple):
    """What must be equal for two focal returns to be comparable."""

    cell: str
    seed: int
    seats: tuple[str, ...]
    background: tuple[tuple[str, str], ...]


class Standing(NamedTuple):
    """One agent's focal per-capita return in one place of one match."""

    place: Place
    block: int
    agent: str
    value: float


class Side(NamedTuple):
    """A side of a match and where it sat: the carrier of a seat effect."""

    cell: str
    seat: str


@dataclass(frozen=True)
class Comparisons:
    """(pair, outcome) counts by seed block; the entries are unique and sorted.

    Attributes:
        agents: the rated agents, sorted by name.
        sides: the sides that have a seat effect, sorted.
        blocks: the seed blocks that occur, sorted.
        block: per entry, an index into ``blocks``.
        first, second: per entry, indices into ``agents``; ``first <= second``.
        first_side, second_side: per entry, indices into ``sides``, or -1 without a seat effect.
        wins, losses, ties: per entry, counts from the view of ``first``.
    """

    agents: tuple[str, ...]
    sides: tuple[Side, ...]
    blocks: tuple[int, ...]
    block: Ints
    first: Ints
    second: Ints
    first_side: Ints
    second_side: Ints
    wins: Floats
    losses: Floats
    ties: Floats

    def counts(self) -> PairCounts:
        """All blocks added up."""
        return self.counts_and_groups()[0]

    def counts_and_groups(self) -> tuple[PairCounts, Ints]:
        """All blocks added up, and for every entry the index of its row in that sum."""
        keys = np.stack([self.first, self.second, self.first_side, self.second_side])
        unique, group = np.unique(keys, axis=1, return_inverse=True)
        group = group.reshape(-1)
        size = unique.shape[1]
        total = [
            np.bincount(group, weights=x, minlength=size)
            for x in (self.wins, self.losses, self.ties)
        ]
        counts = PairCounts(len(self.agents), len(self.sides), *unique, *total)
        return counts, group


def compare(rows: Iterable[MatchRow]) -> Comparisons:
    """Turn finished matches into comparisons, by the rules at the top of this module.

    Args:
        rows: the matches; their order does not matter.

    Returns:
        Counts for every rated agent, also for those that could be compared with nobody.
    """
    rows = list(rows)
    agents = rated_agents(rows)
    index = {agent: number for number, agent in enumerate(agents)}
    blocks = tuple(sorted({row.block for row in rows}))
    block_index = {block: number for number, block in enumerate(blocks)}
    within = [row for row in rows if compares_within(row)]
    sides = sorted({Side(row.cell, name) for row in within for name in sides_of(row)})
    side_index = {side: number for number, side in enumerate(sides)}
    entries: dict[Code, list[float]] = {}
    for row in within:
        _compare_sides(row, block_index[row.block], index, side_index, entries)
    parts = [_as_arrays(entries)]
    parts += _compare_places((row for row in rows if not compares_within(row)), index, block_index)
    codes = np.concatenate([part[0] for part in parts], axis=1)
    outcomes = np.concatenate([part[1] for part in parts], axis=1)
    order = np.lexsort(codes[::-1])
    codes, outcomes = codes[:, order], outcomes[:, order]
    return Comparisons(agents, tuple(sides), blocks, *codes, *outcomes)


def rated_agents(rows: Iterable[MatchRow]) -> tuple[str, ...]:
    """Names of all agents that held a rated seat, sorted."""
    return tuple(sorted({seat.agent for row in rows for seat in row.seats if is_rated(seat)}))


def is_rated(seat: SeatRow) -> bool:
    """Whether the seat counts for its agent: neither judge nor background."""
    return seat.role == "focal"


def compares_within(row: MatchRow) -> bool:
    """Whether the sides of this match are compared with each other."""
    return row.kind == "zero_sum" and all(seat.role != "background" for seat in row.seats)


def standings(rows: Iterable[MatchRow], *, populations: bool = True) -> Iterator[Standing]:
    """Every rated agent's return in every place it played.

    Args:
        rows: finished matches of any kind.
        populations: also give agents that hold several seats of a match their per-capita return.

    Yields:
        One standing per rated seat, and one per agent and match where it holds several.
    """
    for row in rows:
        held: dict[str, list[SeatRow]] = {}
        everyone = [(seat.seat, seat.agent) for seat in row.seats]
        for number, seat in enumerate(row.seats):
            if not is_rated(seat):
                continue
            held.setdefault(seat.agent, []).append(seat)
            background = (*everyone[:number], *everyone[number + 1 :])
            place = Place(row.cell, row.seed, (seat.seat,), background)
            yield Standing(place, row.block, seat.agent, seat.return_)
        if not populations:
            continue
        for agent, mine in held.items():
            if len(mine) > 1:
                own = tuple(seat.seat for seat in mine)
                rest = tuple(pair for pair in everyone if pair[0] not in own)
                value = sum(seat.return_ for seat in mine) / len(mine)
                yield Standing(Place(row.cell, row.seed, own, rest), row.block, agent, value)


def sides_of(row: MatchRow) -> dict[str, list[SeatRow]]:
    """The rated seats of a match by side: their team, or each for itself."""
    sides: dict[str, list[SeatRow]] = {}
    for seat in row.seats:
        if is_rated(seat):
            sides.setdefault(seat.seat if seat.team is None else seat.team, []).append(seat)
    return sides


def _compare_sides(
    row: MatchRow,
    block: int,
    index: dict[str, int],
    side_index: dict[Side, int],
    entries: dict[Code, list[float]],
) -> None:
    """Add every pair of sides of a zero-sum match to ``entries``."""
    sides = [
        (side_index[Side(row.cell, name)], seats, sum(s.return_ for s in seats) / len(seats))
        for name, seats in sides_of(row).items()
    ]
    for number, (side, seats, value) in enumerate(sides):
        for other_side, other_seats, other_value in sides[number + 1 :]:
            weight = 1.0 / (len(seats) * len(other_seats))
            outcome = _outcome(value, other_value)
            for seat in seats:
                for other in other_seats:
                    mine, theirs = (index[seat.agent], side), (index[other.agent], other_side)
                    result = outcome
                    if theirs < mine:
                        mine, theirs = theirs, mine
                        result = (1, 0, 2)[outcome]
                    code = (block, mine[0], theirs[0], mine[1], theirs[1])
                    entries.setdefault(code, [0.0, 0.0, 0.0])[result] += weight


def is_tie(value: float, other: float) -> bool:
    """Whether two returns differ by less than a billionth."""
    return abs(value - other) <= _CLOSE * max(1.0, abs(value), abs(other))


def _outcome(value: float, other: float) -> int:
    """0, 1 or 2: win, loss or tie of the first."""
    if is_tie(value, other):
        return 2
    return 0 if value > other else 1


def _as_arrays(entries: dict[Code, list[float]]) -> tuple[Any, Any]:
    codes = np.array(list(entries), dtype=np.int64).reshape(-1, 5)
    outcomes = np.array(list(entries.values()), dtype=np.float64).reshape(-1, 3)
    return codes.T, outcomes.T


def _compare_places(
    rows: Iterable[MatchRow], index: dict[str, int], block_index: dict[int, int]
) -> list[tuple[Any, Any]]:
    """Compare all agents that shared a place, places of equal size together."""
    places: dict[Place, tuple[int, dict[int, list[float]]]] = {}
    for place, block, agent, value in standings(rows):
        known = places.get(place)
        if known is None:
            known = places[place] = (block_index[block], {})
        known[1].setdefault(index[agent], []).append(value)
    by_size: dict[int, list[tuple[int, list[tuple[int, float]]]]] = {}
    for block, found in places.values():
        if len(found) > 1:
            means = sorted((agent, sum(v) / len(v)) for agent, v in found.items())
            by_size.setdefault(len(means), []).append((block, means))
    totals = _Totals(len(block_index), len(index))
    for size, group in by_size.items():
        step = max(1, _CHUNK // (size * size))
        for start in range(0, len(group), step):
            totals.add(group[start : start + step])
    return [totals.arrays()]


class _Totals:
    """Adds up pairwise outcomes by (block, first, second)."""

    def __init__(self, blocks: int, agents: int) -> None:
        self._agents = agents
        self._size = blocks * agents * agents
        self._dense = np.zeros((3, self._size)) if self._size <= _DENSE else None
        self._parts: list[tuple[Ints, Floats]] = []

    def add(self, places: Sequence[tuple[int, list[tuple[int, float]]]]) -> None:
        """Compare all pairs of each place; all places have the same number of agents."""
        blocks = np.array([block for block, _ in places], dtype=np.int64)
        table = np.array([means for _, means in places])
        agents, values = table[:, :, 0].astype(np.int64), table[:, :, 1]
        left, right = np.triu_indices(agents.shape[1], 1)
        ours, theirs = values[:, left], values[:, right]
        scale = np.maximum(1.0, np.maximum(np.abs(ours), np.abs(theirs)))
        tie = np.abs(ours - theirs) <= _CLOSE * scale
        win = (ours > theirs) & ~tie
        first = blocks[:, None] * self._agents + agents[:, left]
        code = (first * self._agents + agents[:, right]).ravel()
        results = [x.ravel() for x in (win, ~(win | tie), tie)]
        if self._dense is not None:
            for total, result in zip(self._dense, results, strict=True):
                np.add.at(total, code[result], 1.0)
            return
        unique, where = np.unique(code, return_inverse=True)
        counts = [np.bincount(where.ravel(), weights=x, minlength=len(unique)) for x in results]
        self._parts.append((unique, np.array(counts)))

    def arrays(self) -> tuple[Any, Any]:
        """(block, first, second, -1, -1) codes and (wins, losses, ties), one column an entry."""
        if self._dense is not None:
            code = np.flatnonzero(self._dense.any(axis=0))
            outcomes = self._dense[:, code]
        else:
            merged = np.concatenate([part[0] for part in self._parts])
            code, where = np.unique(merged, return_inverse=True)
            counted = np.concatenate([part[1] for part in self._parts], axis=1)
            outcomes = np.array(
                [np.bincount(where.ravel(), weights=x, minlength=len(code)) for x in counted]
            )
        first, second = np.divmod(code, self._agents or 1)
        block, first = np.divmod(first, self._agents or 1)
        none = np.full_like(code, -1)
        return np.stack([block, first, second, none, none]), outcomes
