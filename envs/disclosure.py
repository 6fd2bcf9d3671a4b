"""What an agent is handed is plain data: no object with more in it, and not the match's seed.

A world in ``info`` shows whoever looks what its rules hide; a seed lets them replay the luck.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from gymnasium.spaces import GraphInstance

_PLAIN = (int, float, complex, str, bytes, np.generic, type(None))


def disclosures(value: Any, seed: int, place: str) -> Iterator[str]:
    """What nested data gives away, in sentences.

    Args:
        value: an observation, an info or a text.
        seed: of the match, so large that nothing equals it by accident.
        place: what the value is called.
    """
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from disclosures(item, seed, f"{place}[{key!r}]")
    elif isinstance(value, list | tuple | set | frozenset | GraphInstance):
        for number, item in enumerate(value):
            yield from disclosures(item, seed, f"{place}[{number}]")
    elif isinstance(value, np.ndarray) and value.dtype != object:
        if value.dtype.kind in "iu" and bool((value == seed).any()):
            yield f"{place} holds the seed of the match."
    elif not isinstance(value, _PLAIN):
        yield f"{place} is a {type(value).__name__}, which is no plain data."
    elif value == seed or (isinstance(value, str) and str(seed) in value):
        yield f"{place} gives away the seed of the match."
