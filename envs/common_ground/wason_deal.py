"""Dealing Wason cards: what lies on the table follows from the match's seed alone.

Four cards, one of each class, their symbols and places drawn from a splitmix64 stream (Steele, Lea
and Flood, 2014), element by element over many matches at once, so that one match and a batch of a
thousand deal alike. Classes are in the order of DeliData's code: C, E, O, V.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

CLASSES = "CEOV"
"""Consonant, even number, odd number, vowel."""
NAMES = ("consonant", "even number", "odd number", "vowel")
SYMBOLS = "AEIOUBCDFGHJKLMNPQRSTVWXYZ0246813579"
"""What can stand on a card, by number: vowels, consonants, even and odd digits."""
_SPAN = {"V": (0, 5), "C": (5, 21), "E": (26, 5), "O": (31, 5)}
KEY = (False, False, True, True)
"""Which classes must be turned to test "a vowel on one side, an even number on the other"."""


class Deal(NamedTuple):
    """E deals.

    Attributes:
        symbols: int64 ``[E, 4]``, what is seen at each place, an index into SYMBOLS.
        classes: int64 ``[E, 4]``, its class, an index into CLASSES.
        first: int64 ``[E]``, who begins.
        hints: int64 ``[E, n]``, the place of the card each participant is told the truth about,
            -1 for none.
    """

    symbols: Array
    classes: Array
    first: Array
    hints: Array


def deal(seeds: Array, participants: int, hints: int) -> Deal:
    """Deal for every seed.

    Args:
        seeds: uint64 ``[E]``.
        participants: how many take part.
        hints: how many of them are told the truth about one card.
    """
    stream = _Stream(seeds)
    rows = np.arange(len(seeds))
    drawn = np.empty((len(seeds), 4), np.int64)
    for index, name in enumerate(CLASSES):
        start, count = _SPAN[name]
        drawn[:, index] = start + stream.below(count)
    order = np.tile(np.arange(4), (len(seeds), 1))
    for place in (3, 2, 1):
        other = stream.below(place + 1)
        order[rows, place], order[rows, other] = order[rows, other], order[rows, place].copy()
    first = stream.below(participants)
    told = np.full((len(seeds), participants), -1, np.int64)
    for turn in range(hints):  # the first speakers, each about a card of its own draw
        told[rows, (first + turn) % participants] = stream.below(4)
    return Deal(drawn[rows[:, None], order], order, first, told)


class _Stream:
    """A splitmix64 stream for each seed, drawn from together."""

    def __init__(self, seeds: Array) -> None:
        self._state = np.asarray(seeds, np.uint64).copy()

    def below(self, count: int) -> Array:
        """A whole number in [0, count) for each; the bias is below count / 2^32."""
        from ..grid.rng import GOLDEN, mix  # a compiler that those who only want names do without

        self._state += GOLDEN
        high = mix.py_func(self._state) >> np.uint64(32)
        found: Array = ((high * np.uint64(count)) >> np.uint64(32)).astype(np.int64)
        return found
