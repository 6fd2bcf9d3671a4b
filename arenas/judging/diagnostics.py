"""How far answers can be trusted: order effects, circles, and whether the scale predicts them.

A judge that minds the order of presentation says less than it seems to, and one whose preferences
run in circles has no scale. Both show without knowing the truth. All shares are of cases, with the
cases counted, so that a small study says so.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from ..ratings.pair_counts import Floats
from ..ratings.scale import Scale
from .judgements import TIE, Judgements

_MOST_TRIADS = 20_000
_CLIP = 1e-5


class Position(NamedTuple):
    """What the order of presentation did.

    Attributes:
        first: answers that preferred the item shown first, ties left out.
        decided: answers that preferred one.
        same: pairs shown in both orders for which the same item was preferred.
        turned: pairs shown in both orders with a preference both times.
    """

    first: int
    decided: int
    same: int
    turned: int


class Circles(NamedTuple):
    """Preferences that run in circles.

    Attributes:
        triads: threes of items of which all pairs were answered.
        soft: chance of a circle, answers taken as chances, on average over triads.
        hard: share of triads with a circle, by majority, among those without a tie.
        strict: triads without a tie.
    """

    triads: int
    soft: float
    hard: float
    strict: int


class Fitness(NamedTuple):
    """How well a scale predicts answers that it was not fitted to.

    Attributes:
        accuracy: share of answers, ties left out, that the likelier item got.
        log_loss: mean over all answers, in nats, of chances clipped at 1e-5.
        answers: how many.
    """

    accuracy: float
    log_loss: float
    answers: int


class Bin(NamedTuple):
    """Answers of about equal predicted chance."""

    predicted: float
    observed: float
    answers: int


def position(judgements: Judgements) -> Position:
    """Count preferences for what was shown first, and pairs whose winner the order did not move."""
    known = judgements.only(judgements.answered)
    lean = np.sign(known.preferred - TIE)
    turned = known.first > known.second
    code, where = np.unique(known.pairs, return_inverse=True)
    # Who wins the pair shown in each order: the sum of answers, seen from the lower number.
    sums = np.zeros((2, len(code)))
    np.add.at(sums, (turned.astype(int), where), np.where(turned, -lean, lean))
    shown = np.zeros((2, len(code)))
    np.add.at(shown, (turned.astype(int), where), 1)
    both = (shown > 0).all(axis=0) & (sums != 0).all(axis=0)
    same = int((np.sign(sums[0]) == np.sign(sums[1]))[both].sum())
    return Position(int((lean > 0).sum()), int((lean != 0).sum()), same, int(both.sum()))


def circles(judgements: Judgements, *, seed: int = 0) -> Circles:
    """Look for circles among all threes of items that were compared, or a sample of them.

    Args:
        judgements: answers; those about one pair are averaged, in whichever order it was shown.
        seed: of the sample.
    """
    chance = _chances(judgements)
    triads = _triads(chance, np.random.default_rng(seed))
    soft, circular, strict = [], 0, 0
    for a, b, c in triads:
        ab, bc, ac = (chance[min(x, y)][max(x, y)] for x, y in ((a, b), (b, c), (a, c)))
        soft.append(ab * bc * (1 - ac) + (1 - ab) * (1 - bc) * ac)
        if TIE not in (ab, bc, ac):
            strict += 1
            circular += (ab > TIE) == (bc > TIE) != (ac > TIE)
    nothing = float("nan")
    return Circles(
        len(triads),
        float(np.mean(soft)) if soft else nothing,
        circular / strict if strict else nothing,
        strict,
    )


def _chances(judgements: Judgements) -> dict[int, dict[int, float]]:
    """Lower -> higher -> mean preference for the lower."""
    known = judgements.only(judgements.answered)
    share = np.where(known.first > known.second, 1 - known.preferred, known.preferred)
    code, where = np.unique(known.pairs, return_inverse=True)
    mean = np.bincount(where, weights=share) / np.bincount(where)
    found: dict[int, dict[int, float]] = {}
    for pair, value in zip(code.tolist(), mean.tolist(), strict=True):
        low, high = divmod(pair, judgements.items)
        found.setdefault(low, {})[high] = value
    return found


def _triads(
    chance: dict[int, dict[int, float]], rng: np.random.Generator
) -> list[tuple[int, int, int]]:
    """All, or at most so many from items in random order."""
    found = []
    lows = list(chance)
    for at in rng.permutation(len(lows)).tolist():
        low = lows[at]
        for middle, high in combinations(sorted(chance[low]), 2):
            if high in chance.get(middle, {}):
                found.append((low, middle, high))
        if len(found) >= _MOST_TRIADS:
            break
    return found[:_MOST_TRIADS]


def fitness(scale: Scale, judgements: Judgements) -> Fitness:
    """How well the scale predicts answers; pass ones it has not seen."""
    known = judgements.only(judgements.answered)
    chance = _predicted(scale, known)
    lean = known.preferred - TIE
    decided = lean != 0
    right = np.where(chance == 0.5, 0.5, (chance > 0.5) == (lean > 0))[decided]
    clipped = np.clip(chance, _CLIP, 1 - _CLIP)
    loss = -(known.preferred * np.log(clipped) + (1 - known.preferred) * np.log(1 - clipped))
    nothing = float("nan")
    return Fitness(
        float(right.mean()) if len(right) else nothing,
        float(loss.mean()) if len(loss) else nothing,
        len(known),
    )


def calibration(scale: Scale, judgements: Judgements, *, bins: int = 5) -> list[Bin]:
    """Predicted chances of the likelier item against how often it was preferred.

    Args:
        scale: what predicts.
        judgements: answers that it was not fitted to.
        bins: of predicted chances from 1/2 to 1; empty ones are left out.
    """
    known = judgements.only(judgements.answered)
    chance = _predicted(scale, known)
    likely = np.maximum(chance, 1 - chance)
    got = np.where(chance >= 0.5, known.preferred, 1 - known.preferred)
    place = np.minimum(((likely - 0.5) * 2 * bins).astype(int), bins - 1)
    return [
        Bin(float(likely[here].mean()), float(got[here].mean()), int(here.sum()))
        for here in (place == number for number in range(bins))
        if here.any()
    ]


def _predicted(scale: Scale, known: Judgements) -> Floats:
    side = float(scale.sides[0]) if len(scale.sides) else 0.0
    return scale.chances(known.first, known.second, side=side)
