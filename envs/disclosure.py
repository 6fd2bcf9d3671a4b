"""What an agent is handed is plain data: no object with more in it, and not the match's seed.

A world in ``info`` shows whoever looks what its rules hide; a seed lets them replay the luck.
"""

from __future__ import annotations

import gc
import random
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
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


_GENERATORS = (np.random.Generator, np.random.RandomState, np.random.SeedSequence, random.Random)
_CLOSED = (type, ModuleType, BuiltinFunctionType, CodeType, str, bytes, int, float)
_LOOKED_AT = 200_000


def hidden_in(given: Any, world: Any) -> str | None:
    """What of a world's state can be reached, by any chain of references, from what it gave.

    Args:
        given: a Turn or a Seat.
        world: the world that made it, in the middle of a match.

    Returns:
        "the world itself" or "a generator of the world"; None if neither was found among the
        nearest 200,000 objects.
    """
    secret = {id(world): "the world itself", id(vars(world)): "the world itself"}
    for value in vars(world).values():
        if isinstance(value, _GENERATORS):
            secret[id(value)] = "a generator of the world"
    met, waiting = {id(given)}, deque([given])
    while waiting and len(met) < _LOOKED_AT:
        for item in _held_by(waiting.popleft()):
            if id(item) in secret:
                return secret[id(item)]
            if id(item) not in met and not isinstance(item, _CLOSED):
                met.add(id(item))
                waiting.append(item)
    return None


def _held_by(thing: Any) -> Iterable[Any]:
    if isinstance(thing, FunctionType):  # its globals are the module's, which is nobody's secret
        return (*(thing.__closure__ or ()), *(thing.__defaults__ or ()))
    return gc.get_referents(thing)
