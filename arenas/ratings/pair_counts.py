"""What was compared with what, and how it came out: all that any model of comparisons is fitted to.

Counts may be fractions, so that a share of votes, a reweighted replica or a probability read off a
language model goes in the same way as a match that was won.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from gymposium.errors import UsageError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]
Ints: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True)
class PairCounts:
    """Outcomes by (pair, sides): all that the likelihood depends on.

    Attributes:
        agents: number of agents.
        sides: number of side effects.
        first, second: indices of the agents compared; equal ones inform the side effects only.
        first_side, second_side: indices of their sides, or -1 for none.
        wins, losses, ties: non-negative counts from the view of ``first``; fractions are fine.
    """

    agents: int
    sides: int
    first: Ints
    second: Ints
    first_side: Ints
    second_side: Ints
    wins: Floats
    losses: Floats
    ties: Floats

    @classmethod
    def of(
        cls,
        first: Any,
        second: Any,
        *,
        wins: Any,
        losses: Any = 0.0,
        ties: Any = 0.0,
        agents: int | None = None,
    ) -> PairCounts:
        """Counts without side effects, from anything that looks like arrays of equal length.

        Raises:
            UsageError: an index or a count is negative, or an index is not below ``agents``.
        """
        one, two = np.asarray(first, dtype=np.int64), np.asarray(second, dtype=np.int64)
        number = int(max(one.max(initial=-1), two.max(initial=-1))) + 1
        agents = number if agents is None else agents
        won, lost, tied = (
            np.broadcast_to(np.asarray(x, dtype=np.float64), one.shape)
            for x in (wins, losses, ties)
        )
        if number > agents or min(one.min(initial=0), two.min(initial=0)) < 0:
            raise UsageError(f"pair counts: agent indices must lie in 0 … {agents - 1}")
        if min(won.min(initial=0), lost.min(initial=0), tied.min(initial=0)) < 0:
            raise UsageError("pair counts: wins, losses and ties must not be negative")
        none = np.full_like(one, -1)
        return cls(agents, 0, one, two, none, none, won, lost, tied)

    @property
    def parameters(self) -> int:
        """Agents and side effects together."""
        return self.agents + self.sides

    @property
    def total(self) -> Floats:
        """Per row, all outcomes together."""
        return np.asarray(self.wins + self.losses + self.ties)

    def design(self, *, columns: int | None = None) -> csr_array:
        """Which parameters make up the advantage of each row: ``[rows, columns]`` of 1 and -1.

        Args:
            columns: agents, then side effects, then columns left empty; as many as parameters by
                default.
        """
        from scipy.sparse import csr_array

        row = np.arange(len(self.first))
        parts = [(row, self.first, 1.0), (row, self.second, -1.0)]
        for side, sign in ((self.first_side, 1.0), (self.second_side, -1.0)):
            has = side >= 0
            parts.append((row[has], side[has] + self.agents, sign))
        rows, where, signs = (
            np.concatenate([np.broadcast_to(np.asarray(part[n]), part[0].shape) for part in parts])
            for n in range(3)
        )
        shape = (len(row), self.parameters if columns is None else columns)
        return csr_array((signs.astype(np.float64), (rows, where)), shape=shape)


def components(counts: PairCounts) -> Ints:
    """Connected components of the graph of comparisons; the largest is number 0.

    Args:
        counts: what was compared; rows without any outcome do not connect.

    Returns:
        Per agent, the number of its component; equally large ones in order of their first agent.
    """
    label = np.arange(counts.agents)
    played = counts.wins + counts.losses + counts.ties > 0
    first, second = counts.first[played], counts.second[played]
    while True:
        before = label.copy()
        lowest = np.minimum(label[first], label[second])
        np.minimum.at(label, first, lowest)
        np.minimum.at(label, second, lowest)
        label = label[label]
        if np.array_equal(before, label):
            break
    roots, where, sizes = np.unique(label, return_inverse=True, return_counts=True)
    order = np.argsort(-sizes, kind="stable")
    rank = np.empty(len(roots), dtype=np.int64)
    rank[order] = np.arange(len(roots))
    return np.asarray(rank[where])


def centred(strengths: Floats, component: Ints) -> Floats:
    """Strengths shifted so that each component's mean is 0."""
    sums = np.bincount(component, weights=strengths)
    return np.asarray(strengths - (sums / np.maximum(np.bincount(component), 1))[component])
