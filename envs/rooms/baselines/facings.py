"""ATISS at small scale: things one after the other, each drawn given its category only.

ATISS (Paschalidou et al. 2021) draws category, place, facing and size of the next thing from
mixtures given those there are already. Here categories follow a chain (which comes after which),
and a category's place is a Gaussian for each of four facings, fitted in closed form; what stands
where already is not looked at, so things overlap.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..prisms import Floats
from ..scene import Scene
from .records import NUMBERS, ROOM_TYPES, SLOTS, Records, categories, read

_PRIOR = 0.01
"""Counted beforehand for every next category that was never seen."""
_SPREAD = 0.02
"""Least standard deviation, as a share of the room or of the range of sizes."""


class Facings(NamedTuple):
    """The fit, a row a type of room (R) and category (C; one more for beginning and end).

    ``chain`` [R, C + 1, C + 1]: chances of the next category. ``share`` [R, C, 4]: of the facings.
    ``mean`` and ``root`` [R, C, 4, 5], [R, C, 4, 5, 5]: of place and size, and the Cholesky
    factor of their covariance.
    """

    chain: Floats
    share: Floats
    mean: Floats
    root: Floats


def fit(records: Records) -> Facings:
    """Fit to rooms, by counting and averaging."""
    known = len(categories())
    kinds = len(ROOM_TYPES)
    chain = np.full((kinds, known + 1, known + 1), _PRIOR)
    share = np.zeros((kinds, known, 4))
    mean = np.full((kinds, known, 4, 5), 0.5)
    root = np.tile(_SPREAD * np.eye(5), (kinds, known, 4, 1, 1))
    for kind in range(kinds):
        rows = records.rooms[:, 2 + kind] == 1
        chosen, numbers = records.categories[rows], records.numbers[rows]
        ends = np.full((len(chosen), 1), known)
        course = np.concatenate([ends, chosen, ends], axis=1)
        before, after = course[:, :-1].ravel(), course[:, 1:].ravel()
        real = (before < known) | (after < known)  # rows of nothing at the end say nothing
        np.add.at(chain[kind], (before[real], after[real]), 1.0)
        turns = np.rint(np.arctan2(numbers[..., 3], numbers[..., 2]) / (np.pi / 2)).astype(int) % 4
        for number in range(known):
            for quarter in range(4):
                here = numbers[(chosen == number) & (turns == quarter)][:, [0, 1, 4, 5, 6]]
                share[kind, number, quarter] = len(here) + _PRIOR
                if len(here):
                    mean[kind, number, quarter] = here.mean(axis=0)
                if len(here) > 5:
                    spread = np.cov(here.T) + _SPREAD**2 * np.eye(5)
                    root[kind, number, quarter] = np.linalg.cholesky(spread)
    chain /= chain.sum(axis=-1, keepdims=True)
    share /= share.sum(axis=-1, keepdims=True)
    return Facings(chain, share, mean, root)


def furnish(scene: Scene, rng: np.random.Generator) -> Scene:
    """Draw things until the chain ends, twelve at most."""
    from .weights import facings

    fitted, kind = facings(), ROOM_TYPES.index(scene.room.type)
    known = len(categories())
    chosen, numbers = np.full(SLOTS, known), np.zeros((SLOTS, NUMBERS))
    last = known
    for slot in range(SLOTS):
        last = _drawn(fitted.chain[kind, last], rng)
        if last == known:
            break
        quarter = _drawn(fitted.share[kind, last], rng)
        drawn = fitted.mean[kind, last, quarter]
        drawn = drawn + fitted.root[kind, last, quarter] @ rng.normal(size=5)
        turn = quarter * np.pi / 2
        chosen[slot] = last
        numbers[slot] = (*drawn[:2], np.cos(turn), np.sin(turn), *drawn[2:])
    return read(scene, chosen, numbers, int(rng.integers(2**31)))


def _drawn(chances: Floats, rng: np.random.Generator) -> int:
    """A number by its chance; they are stored in half precision and sum to about 1."""
    return int(rng.choice(len(chances), p=chances / chances.sum()))
