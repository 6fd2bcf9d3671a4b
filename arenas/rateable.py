"""What a schedule must allow so that its matches can be rated, checked before any is played."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from gymposium.errors import UsageError
from gymposium.types import World

from .rows import MatchRow, SeatRow
from .schedule import Cast, schedule

if TYPE_CHECKING:
    from ..scenarios.model import Scenario


def refuse_unrateable(scenario: Scenario, worlds: Mapping[str, World]) -> None:
    """Refuse a schedule that would leave nothing to compare, or not what the rating needs.

    Args:
        scenario: the experiment.
        worlds: its worlds by cell.

    Raises:
        UsageError: Swiss pairing in a world that is not zero-sum: nobody would meet the same others
            as anybody else, and seats of one match are not compared there. Or there is no such
            rating, or it is not defined for these matches.
    """
    from .ratings.registry import DEFAULT, rating

    wanted = rating(scenario.rating)
    if wanted.name != DEFAULT:
        wanted.check(list(_planned_rows(scenario, worlds)))
    if scenario.schedule.kind != "swiss":
        return
    for cell, kind in kinds_of(worlds).items():
        if kind != "zero_sum":
            raise UsageError(
                f"scenario {scenario.name}: swiss rounds cannot rate agents in {cell}, which is "
                f"{kind}, not zero_sum: agents are compared there by how they fare with the same "
                "others; use schedule.kind round_robin or pairs"
            )


def kinds_of(worlds: Mapping[str, World]) -> dict[str, str]:
    """What may be compared in each cell: ``zero_sum``, ``mixed`` or ``cooperative``."""
    return {cell: getattr(world, "kind", "mixed") for cell, world in worlds.items()}


def _planned_rows(scenario: Scenario, worlds: Mapping[str, World]) -> Iterable[MatchRow]:
    """The first block's matches (for swiss: the first round) as rows without results."""
    seat_ids = {cell: tuple(world.seats) for cell, world in worlds.items()}
    kinds = kinds_of(worlds)
    once = scenario.schedule.model_copy(update={"repeats": 1})
    first = scenario.model_copy(update={"schedule": once})
    for spec in schedule(first, Cast.of(first), seat_ids, kinds):
        seats = tuple(
            SeatRow(
                seat, agent, spec.roles.get(seat, "focal"), worlds[spec.cell].seats[seat].team, 0
            )
            for seat, agent in spec.seating.items()
        )
        yield MatchRow("", spec.world, kinds[spec.cell], spec.cell, spec.seed, spec.block, seats)
