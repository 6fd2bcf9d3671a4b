"""Who meets whom, in which seats, on which seeds: pure functions from a scenario to match specs.

Fairness is the default: seats rotate, and all agents compared in a cell meet the same seed in a
block (Kaggle's paired ablations, extended beyond two seats; focal and background seats are
Melting Pot's). The kinds:

- ``round_robin``: every unordered group of agents that fills the focal seats, in all cyclic
  rotations. With fewer agents than seats they are dealt round the table, once from each start.
  With three or more seats and more than ``max_matches`` matches per block, *deals* are drawn
  instead: a seeded random circle of all agents, and one match for each window of neighbours, so
  that in every deal each agent sits in each seat exactly once (pairs are balanced on average).
- ``pairs``: every two agents, alternating over the focal seats (A B A B …), from both starts.
- ``self_play``: each agent in all focal seats. Round robins and pairs include it too in worlds
  that are not zero-sum, as Axelrod's tournaments did: there agents are compared by how they fare
  with the same others, and a strategy's own kind is one of them.
- ``focal_x_background``: each agent against each background profile. If the world entry gives
  roles, the agent fills all focal seats; otherwise one focal seat moves round the table.
- ``swiss``: rounds of opponents with like scores, see ``swiss.py``.

A background *profile* starts from one background agent and deals the others round the remaining
background seats (with ``mix_background: false`` it is one agent in all of them); every kind plays
each of its seatings with every profile. A block is one repeat of the whole; its seed derives from
the scenario's seed, the cell's name and the block's index.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from math import comb
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gymposium.errors import UsageError

if TYPE_CHECKING:
    from ..scenarios.model import Scenario, WorldEntry
    from .rows import MatchRow

MAX_SCHEDULE = 2_000_000
"""More matches than this are refused: their results would not fit a machine's memory."""


@dataclass(frozen=True, slots=True)
class MatchSpec:
    """One match to play.

    Attributes:
        world: world id with version.
        params: the world's parameters, plain data.
        seating: seat id -> agent name, in the world's seat order.
        roles: seat id -> ``focal``, ``background`` or ``judge``; seats not named are focal.
        seed: the world's seed.
        block: index of the seed block.
        cell: name of the world entry.
        time_limit: seconds per turn, or None.
    """

    world: str
    params: Mapping[str, Any]
    seating: Mapping[str, str]
    roles: Mapping[str, str]
    seed: int
    block: int
    cell: str
    time_limit: float | None


@dataclass(frozen=True, slots=True)
class Cast:
    """The agents of a run by name: who is compared everywhere, who only in one cell, who fills in.

    Attributes:
        agents: focal agents of every cell.
        extra: cell -> focal agents that play only there.
        background: fill background seats.
        judges: fill judge seats.
    """

    agents: tuple[str, ...]
    extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    background: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        scenario: Scenario,
        agents: Sequence[str] | None = None,
        names: Mapping[str, str] | None = None,
    ) -> Cast:
        """The cast that ``scenario`` lists.

        Args:
            scenario: whose agents, extras, background and judges are meant.
            agents: names that take the place of ``scenario.agents``.
            names: entry label (its name, else its spec) -> agent name in this run.
        """

        def called(entries: Iterable[Any]) -> tuple[str, ...]:
            return tuple((names or {}).get(entry.label, entry.label) for entry in entries)

        return cls(
            agents=called(scenario.agents) if agents is None else tuple(agents),
            extra={world.name: called(world.agents) for world in scenario.worlds if world.agents},
            background=called(scenario.background),
            judges=called(scenario.judges),
        )

    def focal(self, cell: str) -> tuple[str, ...]:
        """The agents compared in ``cell``, each once."""
        return tuple(dict.fromkeys((*self.agents, *self.extra.get(cell, ()))))

    @property
    def everyone(self) -> tuple[str, ...]:
        """All agents, each once, focal ones first."""
        extras = [name for names in self.extra.values() for name in names]
        return tuple(dict.fromkeys((*self.agents, *extras, *self.background, *self.judges)))


class Batch(NamedTuple):
    """Matches that can all be planned now, too many to list them before they are needed.

    Attributes:
        total: how many.
        blocks: gives them anew at each call, block after block.
    """

    total: int
    blocks: Callable[[], Iterator[list[MatchSpec]]]

    @classmethod
    def of(cls, specs: Sequence[MatchSpec]) -> Batch:
        """The batch of a list."""
        return cls(len(specs), lambda: iter([list(specs)] if specs else []))


def schedule(
    scenario: Scenario,
    agents: Sequence[str] | Cast,
    seat_ids: Mapping[str, Sequence[str]],
    kinds: Mapping[str, str] | None = None,
) -> list[MatchSpec]:
    """All matches of ``scenario``, block after block (for swiss: its first round).

    Args:
        scenario: worlds, roles, schedule, seed and time limit are read from it.
        agents: names that take the place of the scenario's agents, or the whole cast.
        seat_ids: cell -> the world's seat ids in order.
        kinds: cell -> ``zero_sum``, ``mixed`` or ``cooperative``; cells not named are zero-sum.

    Returns:
        The matches in a fixed order: equal arguments give equal lists.

    Raises:
        UsageError: too few agents for the schedule, or more than MAX_SCHEDULE matches.
    """
    return [spec for block in batch(scenario, agents, seat_ids, kinds).blocks() for spec in block]


def batch(
    scenario: Scenario,
    agents: Sequence[str] | Cast,
    seat_ids: Mapping[str, Sequence[str]],
    kinds: Mapping[str, str] | None = None,
) -> Batch:
    """As :func:`schedule`, made block by block as it is read: in the memory of one block."""
    cast = agents if isinstance(agents, Cast) else Cast.of(scenario, agents)
    if scenario.schedule.kind == "swiss":
        from .swiss import next_round

        return Batch.of(next_round(scenario, cast, (), seat_ids))
    tables = {}
    for entry in scenario.worlds:
        itself = scenario.schedule.self_play
        if itself is None:
            itself = (kinds or {}).get(entry.name, "zero_sum") != "zero_sum"
        seats = seat_ids[entry.name]
        tables[entry.name] = list(_tables(scenario, entry, cast, seats, itself=itself))
    total = scenario.schedule.repeats * sum(len(each) for each in tables.values())
    if total > MAX_SCHEDULE:
        raise UsageError(
            f"scenario {scenario.name}: the schedule has {total:,} matches; lower "
            f"schedule.repeats or the number of agents (at most {MAX_SCHEDULE:,})"
        )

    def blocks() -> Iterator[list[MatchSpec]]:
        for block in range(scenario.schedule.repeats):
            yield [
                spec
                for entry in scenario.worlds
                for spec in specs(scenario, entry, tables[entry.name], block)
            ]

    return Batch(total, blocks)


@dataclass(frozen=True, slots=True)
class Table:
    """One seating of one cell, before it has a seed."""

    seating: Mapping[str, str]
    roles: Mapping[str, str]


def specs(
    scenario: Scenario, entry: WorldEntry, tables: Iterable[Table], block: int
) -> list[MatchSpec]:
    """The matches of one cell and block: every table on the block's one seed."""
    seed = match_seed(scenario.seed, entry.name, block)
    return [
        MatchSpec(
            world=entry.id,
            params=entry.params,
            seating=table.seating,
            roles=table.roles,
            seed=seed,
            block=block,
            cell=entry.name,
            time_limit=scenario.time_limit,
        )
        for table in tables
    ]


def match_seed(seed: int, cell: str, block: int) -> int:
    """The seed that all matches of ``cell`` in ``block`` share, below 2**53 (exact in JSON)."""
    sequence = np.random.SeedSequence([seed, _number(cell), block])
    return int(sequence.generate_state(1, np.uint64)[0]) >> 11


def focal_seats(entry: WorldEntry, seats: Sequence[str]) -> list[str]:
    """The seats of ``entry`` that are compared, in order."""
    return [seat for seat in seats if entry.roles.get(seat, "focal") == "focal"]


def fill(
    scenario: Scenario,
    entry: WorldEntry,
    cast: Cast,
    seats: Sequence[str],
    groups: Iterable[Sequence[str]],
) -> Iterator[Table]:
    """Each group in the focal seats, in order, with every profile in the other seats."""
    focal = focal_seats(entry, seats)
    roles = dict(entry.roles)
    profiles = list(_profiles(scenario, cast, entry.roles, seats))
    for group, profile in product(groups, profiles):
        taken = {**dict(zip(focal, group, strict=True)), **profile}
        yield Table({seat: taken[seat] for seat in seats}, roles)


def rotations(group: Sequence[str], *, rotate: bool) -> Iterator[tuple[str, ...]]:
    """All cyclic rotations of ``group``, or just itself."""
    for start in range(len(group) if rotate else 1):
        yield (*group[start:], *group[:start])


def need_agents(scenario: Scenario, cell: str, found: Sequence[str], least: int) -> None:
    """Raise UsageError unless ``cell`` has ``least`` agents."""
    if len(found) < least:
        raise UsageError(
            f"scenario {scenario.name}: {scenario.schedule.kind} in {cell} needs at least {least} "
            f"agent{'s' if least > 1 else ''} and has {len(found)}; add some with --agent or under "
            "'agents'"
        )


def _tables(
    scenario: Scenario, entry: WorldEntry, cast: Cast, seats: Sequence[str], *, itself: bool
) -> Iterator[Table]:
    names = cast.focal(entry.name)
    need_agents(scenario, entry.name, names, 2 if scenario.schedule.kind == "pairs" else 1)
    if scenario.schedule.kind == "focal_x_background" and not entry.roles:
        yield from _visits(scenario, cast, names, seats)
        return
    size = len(focal_seats(entry, seats))
    if size == 0:
        raise UsageError(
            f"scenario {scenario.name}: no seat of {entry.name} is focal; leave one out of 'roles'"
        )
    groups = list(_groups(scenario, entry, names, size))
    if itself and size > 1 and scenario.schedule.kind in ("round_robin", "pairs"):
        groups += [alone for name in names if (alone := (name,) * size) not in groups]
    yield from fill(scenario, entry, cast, seats, groups)


def _visits(
    scenario: Scenario, cast: Cast, names: Sequence[str], seats: Sequence[str]
) -> Iterator[Table]:
    """One focal agent among background agents, in each seat in turn."""
    for name in names:
        for seat in seats if scenario.schedule.rotate_seats else seats[:1]:
            roles = {other: "background" for other in seats if other != seat}
            for profile in _profiles(scenario, cast, roles, seats):
                taken = {seat: name, **profile}
                yield Table({other: taken[other] for other in seats}, roles)


def _groups(
    scenario: Scenario, entry: WorldEntry, names: Sequence[str], size: int
) -> Iterator[tuple[str, ...]]:
    """The ordered groups of focal agents that one block of ``entry`` seats."""
    kind, rotate = scenario.schedule.kind, scenario.schedule.rotate_seats
    if size == 1:
        yield from ((name,) for name in names)
    elif kind in ("self_play", "focal_x_background"):
        yield from ((name,) * size for name in names)
    elif kind == "pairs":
        for two in combinations(names, 2):
            for start in (0, 1):
                yield tuple(two[(start + index) % 2] for index in range(size))
    elif len(names) < size:
        for start in range(len(names) if rotate else 1):
            yield tuple(names[(start + index) % len(names)] for index in range(size))
    elif size > 2 and comb(len(names), size) * size > scenario.schedule.max_matches:
        yield from _deals(scenario, entry, names, size)
    else:
        for group in combinations(names, size):
            yield from rotations(group, rotate=rotate)


def _deals(
    scenario: Scenario, entry: WorldEntry, names: Sequence[str], size: int
) -> Iterator[tuple[str, ...]]:
    """Balanced subset: windows of seeded random circles, whole circles at a time."""
    rng = np.random.default_rng([scenario.seed, _number(entry.name), size])
    wanted = max(1, scenario.schedule.max_matches // len(names))
    seen: set[tuple[str, ...]] = set()
    for _ in range(wanted):
        circle = [names[index] for index in rng.permutation(len(names))]
        deal = [window[:size] for window in rotations(circle, rotate=True)]
        if seen.isdisjoint(deal):  # a window seen before would spoil the balance of its circle
            seen.update(deal)
            yield from deal


def _profiles(
    scenario: Scenario, cast: Cast, roles: Mapping[str, str], seats: Sequence[str]
) -> Iterator[dict[str, str]]:
    """All ways to fill the seats that are not focal."""
    mix = scenario.schedule.mix_background
    pools = {"background": cast.background, "judge": cast.judges}
    choices = []
    for role, pool in pools.items():
        places = [seat for seat in seats if roles.get(seat) == role]
        if places and not pool:
            raise UsageError(
                f"seat {places[0]!r} has the role {role}, but no agent is there to fill it; "
                "list one in the scenario"
            )
        starts = range(len(pool)) if places else range(1)
        choices.append(
            [
                {seat: pool[(start + i * mix) % len(pool)] for i, seat in enumerate(places)}
                for start in starts
            ]
        )
    for parts in product(*choices):
        yield {seat: name for part in parts for seat, name in part.items()}


def _number(name: str) -> int:
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "little")


def next_round(
    scenario: Scenario,
    agents: Sequence[str] | Cast,
    rows: Sequence[MatchRow],
    seat_ids: Mapping[str, Sequence[str]] | None = None,
) -> list[MatchSpec]:
    """What to play next, given the finished matches; empty when the scenario is complete.

    Only ``swiss`` has more than one round; the runner calls this until nothing is left. A round
    that was cut short is returned whole, in the order it always has.

    Args:
        scenario: as for :func:`schedule`.
        agents: as for :func:`schedule`.
        rows: the finished matches, in any order.
        seat_ids: as for :func:`schedule`; by default they are read from ``rows``.
    """
    if scenario.schedule.kind != "swiss":
        return []
    from . import swiss

    cast = agents if isinstance(agents, Cast) else Cast.of(scenario, agents)
    if seat_ids is None:
        seat_ids = {row.cell: tuple(seat.seat for seat in row.seats) for row in rows}
    return swiss.next_round(scenario, cast, rows, seat_ids)
