"""Empirical games: what each agent earned in each seat against each line-up of others.

Empirical game theory (Wellman 2006) treats agents as strategies: a *profile* says who sat in each
rated seat, and its payoffs are mean outcomes of the matches played so. In zero-sum worlds the
outcome is 1, 0 or -1 (won, tied, lost against each other side, averaged); elsewhere it is the
seat's return, put on a scale from 0 to 1 within each cell, so that cells can be averaged.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gymposium.errors import UsageError

from ..rows import MatchRow, SeatRow
from .comparisons import is_rated, is_tie
from .pair_counts import Floats, Ints


class Payoffs:
    """Payoffs by profile, resampled by weighting seed blocks.

    Args:
        rows: matches with equally many rated seats.
        agents: names, in the order in which they are numbered.
        blocks: the seed blocks, likewise.

    Attributes:
        seats: rated seats of a match.
        agents: number of agents.
    """

    def __init__(
        self, rows: Sequence[MatchRow], agents: Sequence[str], blocks: Sequence[int]
    ) -> None:
        names = {agent: number for number, agent in enumerate(agents)}
        places = {block: number for number, block in enumerate(blocks)}
        cells = {cell: number for number, cell in enumerate(sorted({row.cell for row in rows}))}
        self.agents = len(agents)
        sizes = {sum(map(is_rated, row.seats)) for row in rows}
        if len(sizes) != 1:
            raise UsageError(f"an empirical game needs equally many rated seats, found {sizes}")
        self.seats = sizes.pop()
        shape = (len(places), len(cells), *(self.agents,) * self.seats)
        index, values = [], []
        for row in rows:
            rated = [seat for seat in row.seats if is_rated(seat)]
            index.append((places[row.block], cells[row.cell], *(names[s.agent] for s in rated)))
            values.append(_outcomes(row, rated))
        where = np.ravel_multi_index(np.array(index, dtype=np.int64).T.tolist(), shape)
        self._cells, self._profiles = len(cells), self.agents**self.seats
        codes, entry = np.unique(where, return_inverse=True)
        self._block, self._code = np.divmod(codes, self._cells * self._profiles)
        self._counts = np.bincount(entry).astype(np.float64)
        self._sums = np.array(
            [np.bincount(entry, weights=column) for column in np.array(values, dtype=float).T]
        )
        kinds = {row.cell: row.kind for row in rows}
        self._zero_sum = [number for cell, number in cells.items() if kinds[cell] == "zero_sum"]
        self._scale_cells()

    def _scale_cells(self) -> None:
        cell_of = self._code // self._profiles
        for number in range(self._cells):
            inside = cell_of == number
            if number in self._zero_sum:
                continue
            means = self._sums[:, inside] / self._counts[inside]
            low, spread = means.min(), np.ptp(means)
            self._sums[:, inside] -= low * self._counts[inside]
            self._sums[:, inside] /= spread if spread > 0 else 1.0

    def by_profile(self, weights: Floats | None = None) -> Floats:
        """``[seats, agents, …]`` mean payoffs, averaged over cells.

        Args:
            weights: ``[blocks]`` how often each block counts; once each if None.

        Returns:
            NaN where some cell never saw the profile.
        """
        sums, counts = self._added_up(weights)
        with np.errstate(invalid="ignore"):
            means = (sums / counts).reshape(self.seats, self._cells, -1).mean(axis=1)
        return np.asarray(means.reshape(self.seats, *(self.agents,) * self.seats))

    def between_two(self, weights: Floats | None = None) -> Floats:
        """``[agents, agents]`` mean payoff of the row's agent against the column's, in any seat.

        Args:
            weights: as in :meth:`by_profile`.

        Returns:
            NaN where some cell never saw the two together.
        """
        sums, counts = self._added_up(weights)
        shape = (self._cells, self.agents, self.agents)
        played = counts.reshape(shape)
        both = sums[0].reshape(shape) + sums[1].reshape(shape).transpose(0, 2, 1)
        with np.errstate(invalid="ignore"):
            means = both / (played + played.transpose(0, 2, 1))
        for cell in self._zero_sum:  # two of a kind win as much as they lose, played or not
            np.fill_diagonal(means[cell], 0.0)
        return np.asarray(means.mean(axis=0))

    def _added_up(self, weights: Floats | None) -> tuple[Floats, Floats]:
        each = np.ones(len(self._block)) if weights is None else weights[self._block]
        size = self._cells * self._profiles

        def add(values: Floats) -> Any:
            return np.bincount(self._code, weights=each * values, minlength=size)

        return np.array([add(row) for row in self._sums]), np.asarray(add(self._counts))


def pair_margins(
    first: Ints, second: Ints, agents: int, wins: Floats, losses: Floats, prior: Floats
) -> Floats:
    """Antisymmetric ``[agents, agents]``: share won minus share lost, NaN where two never met.

    Args:
        first: per entry, the agent whose view is taken.
        second: per entry, the other one.
        agents: number of agents.
        wins: per entry, from the view of ``first``, ties counted half.
        losses: likewise.
        prior: ``[agents, agents]`` pseudo-wins of the row's agent against the column's.
    """
    size = agents * agents
    won = np.bincount(first * agents + second, weights=wins, minlength=size)
    lost = np.bincount(first * agents + second, weights=losses, minlength=size)
    counted = won.reshape(agents, agents) + lost.reshape(agents, agents).T
    met = counted + counted.T > 0
    table = counted + prior
    with np.errstate(invalid="ignore", divide="ignore"):
        margins = (table - table.T) / (table + table.T)
    margins = np.where(met, margins, np.nan)
    np.fill_diagonal(margins, 0.0)
    return np.asarray(margins)


def _outcomes(row: MatchRow, rated: Sequence[SeatRow]) -> list[float]:
    returns = [seat.return_ for seat in rated]
    if row.kind != "zero_sum":
        return returns
    return [
        sum(_sign(mine, other) for k, other in enumerate(returns) if k != n)
        / max(1, len(returns) - 1)
        for n, mine in enumerate(returns)
    ]


def _sign(value: float, other: float) -> float:
    if is_tie(value, other):
        return 0.0
    return 1.0 if value > other else -1.0
