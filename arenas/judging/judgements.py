"""Answers to "which of these two?", as they were given: who was asked, and what was shown first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from gymposium.errors import UsageError

from ..ratings.pair_counts import Floats, Ints, PairCounts

TIE = 0.5


@dataclass(frozen=True)
class Judgements:
    """Answers in the order they were given; all arrays have one entry an answer.

    Attributes:
        items: how many items there are.
        first, second: the numbers of the items shown first and second.
        preferred: how far the first was preferred: 1 or 0, ``TIE``, a chance in between where the
            judge gave one, NaN where it refused or gave no answer that could be read.
        judge: the judge's number.
    """

    items: int
    first: Ints
    second: Ints
    preferred: Floats
    judge: Ints

    @classmethod
    def of(cls, items: int, first: Any, second: Any, preferred: Any, judge: Any = 0) -> Judgements:
        """Answers from anything that looks like arrays of equal length.

        Raises:
            UsageError: an item is compared with itself or does not exist, or a preference is
                neither NaN nor between 0 and 1.
        """
        one, two = np.asarray(first, dtype=np.int64), np.asarray(second, dtype=np.int64)
        said = np.broadcast_to(np.asarray(preferred, dtype=np.float64), one.shape)
        who = np.broadcast_to(np.asarray(judge, dtype=np.int64), one.shape)
        if one.size and (min(one.min(), two.min()) < 0 or max(one.max(), two.max()) >= items):
            raise UsageError(f"judgements: items are numbered 0 … {items - 1}")
        if np.any(one == two):
            raise UsageError("judgements: an item cannot be compared with itself")
        known = said[~np.isnan(said)]
        if np.any((known < 0) | (known > 1)):
            raise UsageError("judgements: a preference lies between 0 and 1, or is NaN for none")
        return cls(items, one, two, said, who)

    @classmethod
    def of_table(cls, items: int, table: Any) -> tuple[Judgements, tuple[str, ...]]:
        """Answers from the table ``judgements`` of ``peer_review-v0``, and the judges' names.

        Args:
            items: how many manuscripts there are.
            table: a frame with the columns ``agents``, ``reviewer``, ``first``, ``second`` and
                ``answer``, as ``Run.world_table`` gives it; a judge is an agent in a seat.
        """
        said = table[table["second"] >= 0]
        seated = [
            dict(part.split("=", 1) for part in line.split(", ") if "=" in part)
            for line in said["agents"]
        ]
        names = [of.get(seat, seat) for of, seat in zip(seated, said["reviewer"], strict=True)]
        judges = tuple(dict.fromkeys(names))
        number = [judges.index(name) for name in names]
        answers = said["answer"].to_numpy(dtype=np.float64, na_value=np.nan)
        return cls.of(items, said["first"], said["second"], answers, number), judges

    @classmethod
    def none(cls, items: int) -> Judgements:
        """No answer yet."""
        return cls.of(items, [], [], [])

    def __len__(self) -> int:
        return len(self.first)

    @property
    def answered(self) -> Any:
        """``[answers]``, whether there was one."""
        return ~np.isnan(self.preferred)

    @property
    def pairs(self) -> Ints:
        """``[answers]``, one number for each unordered pair (:func:`pair_code`)."""
        return pair_code(self.first, self.second, self.items)

    def only(self, which: Any) -> Judgements:
        """Those that a mask or a list of indices picks."""
        arrays = {it.name: getattr(self, it.name)[which] for it in fields(self)[1:]}
        return Judgements(self.items, **arrays)

    def and_then(self, *others: Judgements) -> Judgements:
        """These and then the others'."""
        every = (self, *others)
        arrays = {
            it.name: np.concatenate([getattr(part, it.name) for part in every])
            for it in fields(self)[1:]
        }
        return Judgements(self.items, **arrays)

    def counts(
        self, *, position: bool = False, ties: bool = True, weights: Floats | None = None
    ) -> PairCounts:
        """What a scale is fitted to; refusals count for nothing.

        Args:
            position: fit the effect of being shown first as well (side 0).
            ties: count a preference of exactly one half as a tie, not as half a win each way.
            weights: ``[answers]``, how much each counts; 1 by default.
        """
        known = self.answered
        share = self.preferred[known]
        weight = np.ones(len(share)) if weights is None else np.asarray(weights)[known]
        one, two = self.first[known], self.second[known]
        turned = np.zeros(len(one), dtype=bool) if position else one > two
        one, two = np.where(turned, two, one), np.where(turned, one, two)
        share = np.where(turned, 1.0 - share, share)
        tied = (share == TIE) & ties
        code, where = np.unique(one * self.items + two, return_inverse=True)
        won, lost, even = (
            np.bincount(where, weights=weight * part, minlength=len(code)).astype(np.float64)
            for part in (share * ~tied, (1.0 - share) * ~tied, 1.0 * tied)
        )
        first, second = np.divmod(code, self.items)
        none = np.full_like(first, -1)
        side = np.zeros_like(first) if position else none
        return PairCounts(self.items, int(position), first, second, side, none, won, lost, even)

    def resampled(self, rng: np.random.Generator) -> Floats:
        """Weights of one bootstrap replica: whole pairs are drawn with replacement.

        All answers about a pair go together, in either order and by any judge: those of one judge
        at temperature 0 say the same thing again.
        """
        code, where = np.unique(self.pairs, return_inverse=True)
        drawn = rng.multinomial(len(code), np.full(len(code), 1.0 / max(len(code), 1)))
        return np.asarray(drawn[where], dtype=np.float64)


def pair_code(first: Any, second: Any, items: int) -> Ints:
    """One number for each unordered pair: ``lower * items + higher``."""
    return np.asarray(np.minimum(first, second) * items + np.maximum(first, second), np.int64)


def degrees(pairs: Iterable[Any], items: int) -> Ints:
    """How often each item occurs in arrays of item numbers."""
    total = np.zeros(items, dtype=np.int64)
    for part in pairs:
        total += np.bincount(part, minlength=items)
    return total
