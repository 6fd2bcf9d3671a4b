"""Several agents ranked at once: what multi-player ratings are fed.

A *contest* is what :mod:`.comparisons` takes apart into pairs, kept whole: the sides of a zero-sum
match, or all agents that played the same place of any other world. So three players of one match
are one ranking and not three duels, and seats of mixed worlds are never ranked within a match.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..rows import MatchRow
from .comparisons import Place, compares_within, sides_of, standings

_DIGITS = 9


class Contest(NamedTuple):
    """One ranking.

    Attributes:
        block: the seed block.
        sides: the agents of each side.
        scores: per side; higher is better, equal is a tie.
    """

    block: int
    sides: tuple[tuple[str, ...], ...]
    scores: tuple[float, ...]


def contests(rows: Sequence[MatchRow]) -> list[Contest]:
    """All contests of two sides or more, in a fixed order.

    An agent that is alone on several sides of a match enters once, with their mean; a match in
    which it plays for several teams ranks nothing.
    """
    found = [made for row in rows if compares_within(row) and (made := _of_match(row))]
    places: dict[Place, tuple[int, dict[str, list[float]]]] = {}
    for place, block, agent, value in standings(r for r in rows if not compares_within(r)):
        places.setdefault(place, (block, {}))[1].setdefault(agent, []).append(value)
    for block, values in places.values():
        if len(values) > 1:
            means = sorted((agent, sum(v) / len(v)) for agent, v in values.items())
            sides = tuple((agent,) for agent, _ in means)
            found.append(Contest(block, sides, tuple(_rounded(value) for _, value in means)))
    return found


def _of_match(row: MatchRow) -> Contest | None:
    sides: dict[tuple[str, ...], list[float]] = {}
    for seats in sides_of(row).values():
        members = tuple(sorted(seat.agent for seat in seats))
        sides.setdefault(members, []).append(sum(seat.return_ for seat in seats) / len(seats))
    everyone = [agent for members in sides for agent in set(members)]
    if len(sides) < 2 or len(everyone) > len(set(everyone)):
        return None
    scores = tuple(_rounded(sum(v) / len(v)) for v in sides.values())
    return Contest(row.block, tuple(sides), scores)


def _rounded(value: float) -> float:
    """Returns that differ by less than a billionth are equal."""
    return float(f"{round(value, _DIGITS):.{_DIGITS}g}")
