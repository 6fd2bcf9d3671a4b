"""The ratings on offer, and what each is defined for: checked before anybody plays.

A planned match is a match without results, so :meth:`RatingSpec.check` reads rows: those of a plan
before the first match, those of a store before a rating is computed. It refuses in one sentence
what a rating cannot say anything right about, and names the ratings that can.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Literal, TypeAlias

from gymposium.errors import UnknownName, UsageError

from ..rows import MatchRow
from .comparisons import compare, compares_within, is_rated, rated_agents, sides_of
from .rated import Evidence, Rated

DEFAULT = "bradley_terry"
_ALL_LINE_UPS = 2
"""Seats up to which some schedule plays every line-up of agents."""
Compares: TypeAlias = Literal["pairs", "rankings", "payoffs"]


@dataclass(frozen=True, slots=True)
class RatingSpec:
    """One rating.

    Attributes:
        name: as in ``--rating`` and a scenario's ``rating``.
        summary: one line for listings.
        unit: what its numbers are.
        compares: ``pairs`` (two agents at a time), ``rankings`` (all sides of a contest at once) or
            ``payoffs`` (what agents earn against each other).
        kinds: of worlds it is defined for.
        sides: fewest and most sides of a match it can take (None: no limit), where the sides of one
            match are compared (zero-sum worlds) or earn payoffs.
        complete: what must have been played: ``""`` (anything), ``pairs`` (every two agents are
            compared), ``meetings`` (every two meet in every cell, outside zero-sum worlds also with
            themselves) or ``profiles`` (every line-up of agents over the rated seats).
        anchors: whether ratings can be given.
        decimals: digits after the point worth showing.
        entry: ``module:function`` beside this file.
    """

    name: str
    summary: str
    unit: str
    compares: Compares
    entry: str
    kinds: frozenset[str] = frozenset({"zero_sum", "mixed", "cooperative"})
    sides: tuple[int, int | None] = (1, None)
    complete: Literal["", "pairs", "meetings", "profiles"] = ""
    anchors: bool = False
    decimals: int = 3

    def rate(self, evidence: Evidence) -> Rated:
        """The ratings of all agents; :meth:`check` first."""
        module, function = self.entry.split(":")
        rater: Callable[[Evidence], Rated] = getattr(
            importlib.import_module(f".{module}", __package__), function
        )
        return rater(evidence)

    def check(self, rows: Sequence[MatchRow], *, anchors: Iterable[str] = ()) -> None:
        """Refuse what this rating is not defined for.

        Args:
            rows: matches, finished or planned.
            anchors: agents whose ratings are given.

        Raises:
            UsageError: another kind of world, too many sides, or matches that are missing.
            UnknownName: an anchor that plays in no match.
        """
        agents = rated_agents(rows)
        for anchor in anchors:
            if not self.anchors:
                others = ", ".join(name for name, spec in RATINGS.items() if spec.anchors)
                raise UsageError(f"{self.name} has no scale to pin: anchors are for {others}")
            if anchor not in agents:
                raise UnknownName("anchor", anchor, agents, where="the rated agents")
        seen = set()
        for row in rows:
            shape = (row.cell, row.kind, _sides(self, row), len(row.seats))
            if shape not in seen:
                seen.add(shape)
                self._check_match(row, _sides(self, row))
        if len(agents) > 1:
            self._check_complete(rows, agents)

    def _check_match(self, row: MatchRow, sides: int) -> None:
        if row.kind not in self.kinds:
            raise UsageError(
                f"{self.name} is not defined for {row.kind} worlds such as {row.cell}: use "
                f"{_others(lambda spec: row.kind in spec.kinds)}"
            )
        if self.compares == "payoffs" and any(seat.role == "background" for seat in row.seats):
            raise UsageError(
                f"{self.name} needs every payoff to depend on the agents rated, and {row.cell} has "
                "background seats: use bradley_terry"
            )
        low, high = self.sides
        if self.compares == "pairs" and not compares_within(row):
            return
        if sides < low or (high is not None and sides > high):
            wanted = f"{low}" if low == high else f"{low} or more" if high is None else f"{high}"
            raise UsageError(
                f"{self.name} is defined for {wanted} sides in a match and {row.cell} has {sides}: "
                f"use {_others(lambda spec: spec.takes(sides))}"
            )

    def takes(self, sides: int) -> bool:
        """Whether matches of so many sides can be scheduled that it is defined for."""
        low, high = self.sides
        if self.complete == "profiles" and sides > _ALL_LINE_UPS:
            return False
        return low <= sides <= (high or sides)

    def _check_complete(self, rows: Sequence[MatchRow], agents: Sequence[str]) -> None:
        if self.complete == "pairs":
            it = compare(rows)
            met = {(agents[a], agents[b]) for a, b in zip(it.first, it.second, strict=True)}
            self._need((pair for pair in combinations(agents, 2) if pair not in met), "")
        if self.complete not in ("meetings", "profiles"):
            return
        cells: dict[str, set[tuple[str, ...]]] = {}
        for row in rows:
            line = tuple(seat.agent for seat in row.seats if is_rated(seat))
            cells.setdefault(row.cell, set()).add(line)
        kinds = {row.cell: row.kind for row in rows}
        for cell, lines in cells.items():
            wanted: Iterable[tuple[str, ...]]
            if self.complete == "profiles":
                wanted = product(agents, repeat=len(next(iter(lines))))
            else:
                lines = {tuple(sorted(line)) for line in lines}
                wanted = combinations(agents, 2)
                if kinds[cell] != "zero_sum":
                    wanted = [*((agent, agent) for agent in agents), *wanted]
            self._need((line for line in wanted if line not in lines), f" in {cell}")

    def _need(self, missing: Iterable[tuple[str, ...]], where: str) -> None:
        for line in missing:
            alone = len(set(line)) == 1
            remedy = "schedule.self_play: true" if alone else "schedule.kind: round_robin"
            remedy = f"add it ({remedy}), or "
            ordered = "in that order of seats, " if self.complete == "profiles" else ""
            if ordered and len(line) > _ALL_LINE_UPS:
                remedy = f"no schedule has all line-ups of {len(line)} seats, so "
            raise UsageError(
                f"{self.name} needs {' with '.join(line)} to play{where}, {ordered}and no match "
                f"does: {remedy}use {_others(lambda spec: not spec.complete)}"
            )


def _sides(spec: RatingSpec, row: MatchRow) -> int:
    if spec.compares == "payoffs":
        return sum(map(is_rated, row.seats))
    return len(sides_of(row))


def _others(fit: Callable[[RatingSpec], bool]) -> str:
    return " or ".join(name for name, spec in RATINGS.items() if fit(spec))


RATINGS: Mapping[str, RatingSpec] = {
    spec.name: spec
    for spec in (
        RatingSpec(
            "bradley_terry",
            "strengths by maximum likelihood, with ties and seat effects",
            "points (400 are odds of ten to one), average 0",
            "pairs",
            "pairwise:bradley_terry",
            anchors=True,
            decimals=0,
        ),
        RatingSpec(
            "elo",
            "Elo points that one more pass over the games would not move, whatever their order",
            "points (400 are odds of ten to one), average 0",
            "pairs",
            "pairwise:elo",
            sides=(2, 2),
            anchors=True,
            decimals=0,
        ),
        RatingSpec(
            "thurstone",
            "means of strengths with normal noise (Thurstone's case V), with seat effects",
            "units in which a difference of 1 wins in 84 %, average 0",
            "pairs",
            "pairwise:thurstone",
            decimals=2,
        ),
        RatingSpec(
            "openskill",
            "Plackett-Luce over whole rankings, by the openskill package",
            "mu, beginning at 25",
            "rankings",
            "openskill:plackett_luce",
            decimals=1,
        ),
        RatingSpec(
            "openskill_tm",
            "Thurstone-Mosteller over whole rankings, by the openskill package",
            "mu, beginning at 25",
            "rankings",
            "openskill:thurstone_mosteller",
            decimals=1,
        ),
        RatingSpec(
            "alpha_rank",
            "time a population of imitators spends with each agent",
            "share of the long run",
            "payoffs",
            "alpha_rank:alpha_rank",
            sides=(2, 2),
            complete="meetings",
        ),
        RatingSpec(
            "alpha_rank_seats",
            "alpha-rank with one population for each seat",
            "share of the long run, averaged over seats",
            "payoffs",
            "alpha_rank:alpha_rank_seats",
            sides=(2, None),
            complete="profiles",
        ),
        RatingSpec(
            "nash_averaging",
            "margin against the strongest mixture of agents, which copies cannot sway",
            "margin (share won minus share lost) against the max-entropy Nash mixture",
            "pairs",
            "nash:nash_averaging",
            complete="pairs",
        ),
    )
}


def rating(name: str) -> RatingSpec:
    """The rating called ``name``.

    Raises:
        UnknownName: there is none.
    """
    if name not in RATINGS:
        raise UnknownName("rating", name, RATINGS)
    return RATINGS[name]
