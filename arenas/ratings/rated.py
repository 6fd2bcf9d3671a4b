"""What every rating is given, and what every rating gives back.

A rating sees :class:`Evidence`: finished matches, the comparisons they amount to, and how often to
resample them. It answers with :class:`Rated`: one value per agent, each with its interval. So a
table, a report or a test can take any of them (:mod:`.registry`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf

import numpy as np

from ..rows import MatchRow
from .bootstrap import Interval, block_weights, interval
from .comparisons import Comparisons, compare
from .pair_counts import Floats, Ints


@dataclass(frozen=True, slots=True)
class SeatEffect:
    """How many points sitting there is worth, against the average seat of its cell."""

    cell: str
    seat: str
    points: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Evidence:
    """Finished matches and how to resample them.

    Attributes:
        rows: the matches, in a fixed order.
        replicas: bootstrap replicas; below 2 there are no intervals.
        seed: of the resampling.
        confidence: of the intervals.
        anchors: agent -> the rating it is given; empty for ratings without a scale to pin.
    """

    rows: Sequence[MatchRow]
    replicas: int = 200
    seed: int = 0
    confidence: float = 0.95
    anchors: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def comparisons(self) -> Comparisons:
        """Who was compared with whom; its ``agents`` number the agents of every rating."""
        return compare(self.rows)

    def weights(self, most: int | None = None) -> Floats:
        """How often each replica draws each block, ``[replicas, blocks]``.

        Args:
            most: replicas at most, for ratings that are slow to compute.

        Returns:
            No replica at all where there will be no interval.
        """
        blocks = len(self.comparisons.blocks)
        number = self.replicas if most is None else min(self.replicas, most)
        drawn = block_weights(blocks, number, self.seed)
        return drawn[:0] if blocks < 2 or number < 2 else drawn

    def blocks_per_agent(self) -> Ints:
        """In how many blocks each agent was compared with another."""
        it = self.comparisons
        met = np.zeros((len(it.agents), len(it.blocks)), dtype=bool)
        real = it.first != it.second
        for side in (it.first, it.second):
            met[side[real], it.block[real]] = True
        return np.asarray(met.sum(axis=1))

    def intervals(
        self,
        values: Floats,
        drawn: Floats,
        *,
        besides: Floats | None = None,
        bounds: tuple[float, float] = (-inf, inf),
    ) -> list[Interval | None]:
        """The interval of each agent's value.

        Args:
            values: ``[agents]`` estimates.
            drawn: ``[replicas, agents]`` with the blocks drawn anew.
            besides: ``[replicas, agents]`` with something else drawn anew.
            bounds: what no value can leave.
        """
        blocks = self.blocks_per_agent()
        return [
            interval(
                float(value),
                drawn[:, agent],
                blocks=int(blocks[agent]),
                confidence=self.confidence,
                besides=None if besides is None else besides[:, agent],
                bounds=bounds,
            )
            for agent, value in enumerate(values)
        ]


@dataclass(frozen=True)
class Rated:
    """One rating of all agents, numbered as in the comparisons.

    Attributes:
        values: higher is better.
        intervals: of the values; None where nothing is known about the spread.
        component: per agent, the number of the group within which values mean something; 0 is the
            largest.
        masses, mass_intervals: share of an equilibrium or of a long run, where there is one.
        seat_effect: where the rating corrects for seats.
        tie: Davidson's tie parameter, where there is one.
        replicas: bootstrap replicas behind the intervals.
        notes: sentences a reader must know.
    """

    values: Floats
    intervals: Sequence[Interval | None]
    component: Ints
    masses: Floats | None = None
    mass_intervals: Sequence[Interval | None] = ()
    seat_effect: Sequence[SeatEffect] = ()
    tie: float = 0.0
    replicas: int = 0
    notes: Sequence[str] = ()
