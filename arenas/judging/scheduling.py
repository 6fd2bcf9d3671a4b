"""Which pairs to ask about next: at random, evenly, among equals, or where most can be learned.

* ``random``: any two, as in Zhang et al. 2025 (pairwise peer review).
* ``balanced``: everybody equally often, to within one.
* ``swiss``: neighbours in the order found so far, and those who have not met if any are near.
* ``active``: the largest expected information about the scale. For a pair whose difference has
  posterior variance ``V``, and a comparison with Fisher's information ``w`` about it, that is
  ``log(1 + w V) / 2`` nats (Laplace approximation): near equals of whom little is known.
* ``edges``: pairs among the nearest tenth in value that are also among the fifth met most rarely,
  widened until there are enough (Mazeika et al. 2025, "Utility Engineering").

All are functions of what was asked so far, a number and a generator: equal seeds and equal answers
give equal questions. Beyond some hundred thousand pairs the last two look at a sample of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from gymposium.errors import UnknownName

from ..ratings.pair_counts import Floats, Ints
from ..ratings.precision import DENSE
from ..ratings.scale import Scale
from .judgements import Judgements, degrees, pair_code

_MOST_CANDIDATES = 200_000
_NEIGHBOURS = 8
_LOOK_AHEAD = 64
_PATIENCE = 60
_NONE: Ints = np.zeros((0, 2), dtype=np.int64)


@dataclass(frozen=True)
class Situation:
    """What is known when pairs are chosen.

    Attributes:
        seen: the answers so far.
        scale: fitted to them; None before the first.
        closed: codes of pairs that must not be asked, such as those held out; sorted.
        fresh: never ask about a pair again.
    """

    seen: Judgements
    scale: Scale | None = None
    closed: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    fresh: bool = False

    @property
    def items(self) -> int:
        """How many items there are."""
        return self.seen.items

    def barred(self) -> Ints:
        """Codes of pairs that must not be asked about, sorted."""
        return np.union1d(self.closed, self.seen.pairs) if self.fresh else self.closed

    def met(self) -> Ints:
        """How often each item was compared."""
        return degrees((self.seen.first, self.seen.second), self.items)


Schedule = Callable[[Situation, int, np.random.Generator], Ints]


def next_pairs(schedule: str, situation: Situation, number: int, rng: np.random.Generator) -> Ints:
    """Choose pairs.

    Args:
        schedule: one of ``SCHEDULES``.
        situation: what is known.
        number: how many pairs.
        rng: what ties and samples are drawn from.

    Returns:
        ``[number, 2]`` item numbers, in random order of presentation; fewer where no other pair may
        be asked.

    Raises:
        UnknownName: there is no such schedule.
    """
    if schedule not in SCHEDULES:
        raise UnknownName("schedule", schedule, SCHEDULES)
    if situation.items < 2 or number < 1:
        return _NONE
    chosen = SCHEDULES[schedule](situation, number, rng)
    turned = rng.random(len(chosen)) < 0.5
    return np.where(turned[:, None], chosen[:, ::-1], chosen)


def at_random(situation: Situation, number: int, rng: np.random.Generator) -> Ints:
    """Pairs drawn uniformly, with replacement unless they are to be fresh."""
    items, barred = situation.items, situation.barred()
    if situation.fresh and items * (items - 1) // 2 <= max(4 * number, _MOST_CANDIDATES):
        left = _every_pair(items)
        left = left[~_within(pair_code(left[:, 0], left[:, 1], items), barred)]
        return np.asarray(left[rng.permutation(len(left))[:number]])
    found = _NONE
    for _ in range(_PATIENCE):
        if len(found) >= number:
            break
        found = np.concatenate([found, _open(_drawn(items, number, rng), items, barred)])
        if situation.fresh:
            found = _once(found, items)
    return found[:number]


def balanced(situation: Situation, number: int, rng: np.random.Generator) -> Ints:
    """Pairs such that all items are compared equally often, to within one."""
    items, barred, met = situation.items, situation.barred(), situation.met()
    found = _NONE
    while len(found) < number:
        order = np.lexsort((rng.random(items), met))
        pairs = order[: items - items % 2].reshape(-1, 2)
        # Within a round of equals anybody may meet anybody; beyond it only who lags.
        pairs = _open(pairs, items, barred)[: number - len(found)]
        if not len(pairs):  # few pairs are left: look among all of them
            pairs = _open(_candidates(situation, rng), items, barred)
            pairs = pairs[np.argsort(met[pairs].sum(axis=1), kind="stable")[:1]]
        if not len(pairs):
            break
        if situation.fresh:
            barred = np.union1d(barred, pair_code(pairs[:, 0], pairs[:, 1], items))
        met = met + degrees((pairs[:, 0], pairs[:, 1]), items)
        found = np.concatenate([found, pairs])
    return found


def swiss(situation: Situation, number: int, rng: np.random.Generator) -> Ints:
    """Neighbours in the order so far, those who have not met before where there are such."""
    items = situation.items
    level = np.zeros(items) if situation.scale is None else situation.scale.values
    barred = set(situation.barred().tolist())
    met = barred | set(situation.seen.pairs.tolist())
    found: list[tuple[int, int]] = []
    while len(found) < number:
        order = np.lexsort((rng.random(items), -level)).tolist()
        made = _round(order, items, met, barred)
        if not made:
            break
        met |= {min(a, b) * items + max(a, b) for a, b in made}
        barred |= met if situation.fresh else set()
        found += made
    return np.array(found[:number], dtype=np.int64).reshape(-1, 2)


def _round(order: list[int], items: int, met: set[int], barred: set[int]) -> list[tuple[int, int]]:
    left, made = order[::-1], []
    while len(left) > 1:
        one = left.pop()
        ahead = range(len(left) - 1, max(-1, len(left) - 1 - _LOOK_AHEAD), -1)
        codes = {at: min(one, left[at]) * items + max(one, left[at]) for at in ahead}
        open_ = [at for at in ahead if codes[at] not in barred]
        unmet = [at for at in open_ if codes[at] not in met]
        if unmet or open_:
            made.append((one, left.pop((unmet or open_)[0])))
    return made


def active(situation: Situation, number: int, rng: np.random.Generator) -> Ints:
    """Pairs of the largest expected information, no item in many of one batch."""
    scale = situation.scale
    if scale is None:
        return balanced(situation, number, rng)
    pairs = _candidates(situation, rng)
    one, two = pairs[:, 0], pairs[:, 1]
    gain = np.log1p(scale.information(one, two) * _variance(scale, one, two, rng))
    order = np.lexsort((rng.random(len(pairs)), -gain))
    return _spread(pairs[order], number, situation)


def edges(situation: Situation, number: int, rng: np.random.Generator) -> Ints:
    """Pairs near in value and rarely met, as in the paper of the value audits."""
    scale = situation.scale
    if scale is None:
        return balanced(situation, number, rng)
    pairs = _candidates(situation, rng)
    met = situation.met()
    gap = np.abs(scale.values[pairs[:, 0]] - scale.values[pairs[:, 1]])
    seen = met[pairs[:, 0]] + met[pairs[:, 1]]
    near, rare = 10.0, 20.0
    inside = np.zeros(len(pairs), dtype=bool)
    for _ in range(6):
        inside = gap <= np.percentile(gap, near) if len(pairs) else inside
        inside = inside & (seen <= np.percentile(seen, rare)) if len(pairs) else inside
        if inside.sum() >= number:
            break
        near, rare = min(100.0, 1.5 * near), min(100.0, 1.5 * rare)
    chosen, rest = np.flatnonzero(inside), np.flatnonzero(~inside)
    order = np.concatenate([rng.permutation(chosen), rng.permutation(rest)])
    return np.asarray(pairs[order[:number]])


SCHEDULES: Mapping[str, Schedule] = {
    "random": at_random,
    "balanced": balanced,
    "swiss": swiss,
    "active": active,
    "edges": edges,
}
ADAPTIVE = frozenset({"swiss", "active", "edges"})
"""Schedules that look at the scale, and so are asked in batches."""


def _variance(scale: Scale, one: Ints, two: Ints, rng: np.random.Generator) -> Floats:
    """The posterior variance of the differences."""
    if scale.precision.size <= DENSE:
        inside = scale.covariance
        spread = np.diag(inside)
        return np.asarray(np.maximum(0.0, spread[one] + spread[two] - 2 * inside[one, two]))
    drawn = scale.precision.draws(50, rng)
    return np.asarray(((drawn[:, one] - drawn[:, two]) ** 2).mean(axis=0))


def _spread(pairs: Ints, number: int, situation: Situation) -> Ints:
    """The first pairs in which no item occurs much more often than its share."""
    most = int(np.ceil(2 * number / situation.items)) + 1
    times = [0] * situation.items
    taken: list[int] = []
    left: list[int] = []
    for at, (one, two) in enumerate(pairs.tolist()):
        if len(taken) == number:
            break
        if times[one] < most and times[two] < most:
            times[one] += 1
            times[two] += 1
            taken.append(at)
        else:
            left.append(at)
    return pairs[[*taken, *left[: number - len(taken)]]]


def _candidates(situation: Situation, rng: np.random.Generator) -> Ints:
    """All pairs that may be asked, or neighbours in value and a sample of the rest."""
    items = situation.items
    if items * (items - 1) // 2 <= _MOST_CANDIDATES:
        pairs = _every_pair(items)
    else:
        level = np.zeros(items) if situation.scale is None else situation.scale.values
        order = np.argsort(level, kind="stable")
        near = [np.stack([order[:-gap], order[gap:]], 1) for gap in range(1, _NEIGHBOURS + 1)]
        pairs = np.concatenate([*near, _drawn(items, _MOST_CANDIDATES, rng)])
        pairs = _once(pairs, items)
    return _open(pairs, items, situation.barred())


def _every_pair(items: int) -> Ints:
    return np.stack(np.triu_indices(items, 1), axis=1).astype(np.int64)


def _drawn(items: int, number: int, rng: np.random.Generator) -> Ints:
    one = rng.integers(0, items, number)
    return np.stack([one, (one + rng.integers(1, items, number)) % items], axis=1)


def _once(pairs: Ints, items: int) -> Ints:
    _, where = np.unique(pair_code(pairs[:, 0], pairs[:, 1], items), return_index=True)
    return pairs[np.sort(where)]


def _open(pairs: Ints, items: int, barred: Ints) -> Ints:
    return np.asarray(pairs[~_within(pair_code(pairs[:, 0], pairs[:, 1], items), barred)])


def _within(codes: Ints, barred: Ints) -> np.ndarray:
    """Which codes occur in a sorted list."""
    if not len(barred):
        return np.zeros(len(codes), dtype=bool)
    at = np.minimum(np.searchsorted(barred, codes), len(barred) - 1)
    return np.asarray(barred[at] == codes)
