"""What a reader must know before believing a leaderboard, in sentences that name the remedy."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from ..rows import MatchRow
from .comparisons import Comparisons, Place, compares_within, standings
from .pair_counts import Ints
from .rated import Rated


def linked(component: Ints) -> list[bool]:
    """Whether each agent is in the largest component, if that is more than one of several."""
    main = component == 0
    if len(component) > 1 and main.sum() == 1:
        return [False] * len(component)
    return [bool(inside) for inside in main]


def notes(
    rows: Sequence[MatchRow], comparisons: Comparisons, rated: Rated, replicas: int
) -> list[str]:
    """Sentences for the head of the table.

    Args:
        rows: the matches.
        comparisons: what they were turned into.
        rated: the ratings.
        replicas: bootstrap replicas asked for.

    Returns:
        The most important first; empty when the table can be taken as it is.
    """
    found = []
    if len(comparisons.blocks) < 2:
        found.append(
            "All matches belong to one seed block, so nothing is known about the spread over seeds:"
            " ratings have no interval and every rank is shared. Run more seeds."
        )
    elif replicas < 2:
        found.append("No bootstrap was asked for, so no figure has an interval.")
    elif len(comparisons.blocks) < 5:
        found.append(
            f"Intervals rest on only {len(comparisons.blocks)} seed blocks and are wide for it."
        )
    connected = linked(rated.component)
    alone = [a for a, c in zip(comparisons.agents, connected, strict=True) if not c]
    if alone:
        named = ", ".join(alone[:8]) + (", …" if len(alone) > 8 else "")
        found.append(
            f"Not connected to the other agents by any comparison, so not comparable: {named}. "
            + _how_to_connect(rows)
        )
    found += _never_met(comparisons, connected) or _only_themselves(rows, comparisons)
    found += rated.notes
    if rows and all(row.deterministic for row in rows):
        found.append(
            "Every agent repeats itself on equal seeds: intervals cover the choice of seeds only."
        )
    return found


def _never_met(comparisons: Comparisons, connected: Sequence[bool]) -> list[str]:
    """Agents that are ranked against each other through others only."""
    met = set(zip(comparisons.first.tolist(), comparisons.second.tolist(), strict=True))
    inside = [number for number, is_linked in enumerate(connected) if is_linked]
    apart = [pair for pair in combinations(inside, 2) if pair not in met]
    if not apart:
        return []
    names = comparisons.agents
    shown = "; ".join(f"{names[one]} and {names[two]}" for one, two in apart[:3])
    more = f" and {len(apart) - 3:,} more pairs" if len(apart) > 3 else ""
    return [
        f"Never compared with each other, so ranked through common opponents only: {shown}{more}."
    ]


def _only_themselves(rows: Sequence[MatchRow], comparisons: Comparisons) -> list[str]:
    """Whether all comparisons are of matches in which an agent held every rated seat."""
    compared = bool((comparisons.first != comparisons.second).any())
    if not compared or any(compares_within(row) or len(row.seats) == 1 for row in rows):
        return []
    first: dict[Place, str] = {}
    for it in standings(rows):
        if it.place.background and first.setdefault(it.place, it.agent) != it.agent:
            return []  # usually among the first matches
    return [
        "No two agents met the same others: only their matches against themselves are compared. "
        "Add a common background or more agents, or use schedule.kind: pairs."
    ]


def _how_to_connect(rows: Sequence[MatchRow]) -> str:
    if all(compares_within(row) for row in rows):
        return "Let them meet."
    return (
        "Outside zero-sum worlds agents are compared where they meet the same others on the same "
        "seeds: add self-play, a common background, or a third agent."
    )
