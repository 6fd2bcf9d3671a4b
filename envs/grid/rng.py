"""One small generator per match, inside the kernels: xoshiro256++ seeded through splitmix64.

Four 64-bit words a match (Blackman and Vigna, Scrambled Linear Pseudorandom Number Generators,
2021; seeding as they advise). A match's whole course follows from its 64-bit seed and its actions,
whatever other matches the batch holds and however many threads step it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .cache import part

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_U11, _U17, _U19, _U23 = np.uint64(11), np.uint64(17), np.uint64(19), np.uint64(23)
_U27, _U30, _U31, _U32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
_U41, _U45 = np.uint64(41), np.uint64(45)
_UNIT = 1.0 / (1 << 53)


@part
def mix(x: Any) -> Any:
    """splitmix64's output function: 64 bits well mixed."""
    x = (x ^ (x >> _U30)) * _MIX_1
    x = (x ^ (x >> _U27)) * _MIX_2
    return x ^ (x >> _U31)


@part
def seed_match(rng: Any, e: int, seed: Any) -> None:
    """Set generator ``e`` from a 64-bit seed."""
    x = seed
    for k in range(4):
        x += GOLDEN
        rng[e, k] = mix(x)


@part
def next_seed(seed: Any) -> Any:
    """The seed of the match that follows the one with ``seed`` in the same row."""
    return mix(seed + GOLDEN)


@part
def draw(rng: Any, e: int) -> Any:
    """64 random bits."""
    a, b, c, d = rng[e, 0], rng[e, 1], rng[e, 2], rng[e, 3]
    total = a + d
    result = ((total << _U23) | (total >> _U41)) + a
    shifted = b << _U17
    c ^= a
    d ^= b
    rng[e, 1] = b ^ c
    rng[e, 0] = a ^ d
    rng[e, 2] = c ^ shifted
    rng[e, 3] = (d << _U45) | (d >> _U19)
    return result


@part
def uniform(rng: Any, e: int) -> float:
    """A number in (0, 1], one of 2^53."""
    return (np.int64(draw(rng, e) >> _U11) + 1) * _UNIT


@part
def below(rng: Any, e: int, n: int) -> Any:
    """A whole number in [0, n); n < 2^31. The bias of the shift is below n / 2^32."""
    return np.int64(((draw(rng, e) >> _U32) * np.uint64(n)) >> _U32)


@part
def skip(rng: Any, e: int, inverse_log: float) -> float:
    """How many failures come before the first success, of independent trials; as a float.

    Args:
        rng: the generators.
        e: which one.
        inverse_log: ``1 / log(1 - p)`` for success probability ``p``.
    """
    return math.floor(math.log(uniform(rng, e)) * inverse_log)
