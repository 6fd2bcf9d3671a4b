"""Swiss rounds: opponents with like scores meet, and nobody meets twice while that can be helped.

Each cell is its own tournament, so that worlds with different seats and agents can stand side by
side. A round plays ``schedule.repeats`` seed blocks, all rotations of each pairing on each; round
``r`` owns the blocks ``r * repeats`` onward. Rounds are recomputed from the finished matches alone,
so a run that was interrupted in the middle of a round goes on with that round.

Scores are win, tie or loss within a match: only zero-sum worlds are played in rounds
(:func:`.rateable.refuse_unrateable`), for elsewhere seats of one match cannot be compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from .schedule import (
    Cast,
    MatchSpec,
    Table,
    fill,
    focal_seats,
    match_seed,
    need_agents,
    rotations,
    specs,
)

if TYPE_CHECKING:
    from ..scenarios.model import Scenario, WorldEntry
    from .rows import MatchRow

_PATIENCE = 20_000
"""Steps of the search for a round without rematches before the nearest opponents are taken."""

Group = tuple[str, ...]


def next_round(
    scenario: Scenario,
    cast: Cast,
    rows: Sequence[MatchRow],
    seat_ids: Mapping[str, Sequence[str]],
) -> list[MatchSpec]:
    """Each cell's first unfinished round, whole; empty when all are complete.

    Args:
        scenario: a scenario of schedule kind ``swiss``.
        cast: the run's agents.
        rows: the finished matches, in any order.
        seat_ids: cell -> the world's seat ids in order.
    """
    batch: list[MatchSpec] = []
    for entry in scenario.worlds:
        mine = [row for row in rows if row.cell == entry.name]
        batch.extend(_next_of_cell(scenario, entry, cast, mine, seat_ids[entry.name]))
    return batch


def default_rounds(agents: int, size: int) -> int:
    """Rounds that single out a winner: the logarithm of the field to the base of the table."""
    rounds, reach = 1, size
    while reach < agents:
        rounds, reach = rounds + 1, reach * max(size, 2)
    return rounds


def _next_of_cell(
    scenario: Scenario, entry: WorldEntry, cast: Cast, rows: list[MatchRow], seats: Sequence[str]
) -> list[MatchSpec]:
    names = cast.focal(entry.name)
    size = len(focal_seats(entry, seats))
    need_agents(scenario, entry.name, names, max(size, 1))
    repeats = scenario.schedule.repeats
    rounds = scenario.schedule.rounds or default_rounds(len(names), size)
    if size < 2:
        rounds = 1  # alone at the table there is nobody to be paired with
    done = {(row.block, tuple((seat.seat, seat.agent) for seat in row.seats)) for row in rows}
    met: dict[frozenset[str], int] = {}
    byes: dict[str, int] = dict.fromkeys(names, 0)
    for index in range(rounds):
        before = [row for row in rows if row.block < index * repeats]
        order = _standing(scenario, entry, names, before)
        groups = _pairing(order, size, met, byes)
        tables = list(_tables(scenario, entry, cast, seats, groups))
        blocks = range(index * repeats, (index + 1) * repeats)
        batch = [spec for block in blocks for spec in specs(scenario, entry, tables, block)]
        if any((spec.block, tuple(spec.seating.items())) not in done for spec in batch):
            return batch
        _remember(groups, names, met, byes)
    return []


def _tables(
    scenario: Scenario,
    entry: WorldEntry,
    cast: Cast,
    seats: Sequence[str],
    groups: Sequence[Group],
) -> list[Table]:
    rotate = scenario.schedule.rotate_seats
    seatings = [turned for group in groups for turned in rotations(group, rotate=rotate)]
    return list(fill(scenario, entry, cast, seats, seatings))


def _remember(
    groups: Sequence[Group],
    names: Sequence[str],
    met: dict[frozenset[str], int],
    byes: dict[str, int],
) -> None:
    seated = {name for group in groups for name in group}
    for name in names:
        byes[name] += name not in seated
    for group in groups:
        for i, first in enumerate(group):
            for second in group[i + 1 :]:
                pair = frozenset((first, second))
                met[pair] = met.get(pair, 0) + 1


def _standing(
    scenario: Scenario, entry: WorldEntry, names: Sequence[str], rows: Sequence[MatchRow]
) -> list[str]:
    """Best first; ties in an order drawn once from the scenario's seed."""
    rng = np.random.default_rng(match_seed(scenario.seed, entry.name, 0))
    drawn = {names[index]: rank for rank, index in enumerate(rng.permutation(len(names)))}
    scores = scores_of(rows)
    # A mean, not a sum: sitting out a round must neither help nor hurt.
    return sorted(names, key=lambda name: (-round(scores.get(name, 0.5), 9), drawn[name]))


def scores_of(rows: Sequence[MatchRow]) -> dict[str, float]:
    """Mean share of comparisons won by each focal agent (ties count half), from 0 to 1."""
    points: dict[str, list[float]] = {}
    for row in rows:
        pool = [(seat.agent, seat.return_) for seat in row.seats if seat.role == "focal"]
        for agent, value in pool:
            rivals = [other for name, other in pool if name != agent]
            if rivals:
                won = sum((value > other) + 0.5 * (value == other) for other in rivals)
                points.setdefault(agent, []).append(won / len(rivals))
    return {agent: sum(sorted(each)) / len(each) for agent, each in points.items()}


def _pairing(
    order: Sequence[str], size: int, met: Mapping[frozenset[str], int], byes: Mapping[str, int]
) -> list[Group]:
    """Groups of ``size`` neighbours in ``order``; who is left over sits out."""
    playing = list(order)
    for _ in range(len(order) % size):
        fewest = min(byes[name] for name in playing)
        out = next(name for name in reversed(playing) if byes[name] == fewest)
        playing.remove(out)
    if size == 2:
        found = _without_rematch(playing, met)
        if found is not None:
            return found
    return _greedy(playing, size, met)


def _greedy(playing: Sequence[str], size: int, met: Mapping[frozenset[str], int]) -> list[Group]:
    left, groups = list(playing), []
    while left:
        group = [left.pop(0)]
        while len(group) < size:
            best = min(
                left,
                key=lambda name: sum(met.get(frozenset((name, other)), 0) for other in group),
            )
            left.remove(best)
            group.append(best)
        groups.append(tuple(group))
    return groups


def _without_rematch(
    playing: Sequence[str], met: Mapping[frozenset[str], int]
) -> list[Group] | None:
    """A pairing in which nobody meets again, nearest ranks first; None if none is found."""
    steps = 0
    # One frame per pair already made: (who is left, index of the partner to try next).
    stack: list[tuple[list[str], int]] = [(list(playing), 1)]
    pairs: list[Group] = []
    while stack:
        left, index = stack.pop()
        if not left:
            return pairs
        steps += 1
        if steps > _PATIENCE:
            return None
        if len(pairs) > len(stack):
            pairs.pop()  # back here after the choice before failed
        while index < len(left) and met.get(frozenset((left[0], left[index]))):
            index += 1
        if index == len(left):
            continue
        stack.append((left, index + 1))
        pairs.append((left[0], left[index]))
        stack.append(([*left[1:index], *left[index + 1 :]], 1))
    return None
