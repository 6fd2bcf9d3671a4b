"""Trained generators of whole rooms, by name: what init_physcene samples from.

A generator takes an empty room and a generator of random numbers and returns the room furnished. It
is registered as text and imported when it is first asked, for such models may need libraries that
rooms do not. Ours are the fitted ones of :mod:`..baselines`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from gymposium.errors import UnknownName, UsageError

from ..baselines import BASELINES
from ..scene import Scene

Generate: TypeAlias = Callable[[Scene, np.random.Generator], Scene]


@dataclass(frozen=True)
class Generator:
    """A name, the ``module:function`` that samples, and the types of rooms that it knows."""

    name: str
    place: str
    room_types: tuple[str, ...]

    def load(self) -> Generate:
        """The function.

        Raises:
            UsageError: it is not there.
        """
        module, _, name = self.place.partition(":")
        try:
            made: Generate = getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError) as error:
            raise UsageError(f"generator {self.name!r} cannot be loaded: {error}") from None
        return made


_known: dict[str, Generator] = {
    it.name: Generator(it.name, f"{it.make.__module__}:{it.make.__qualname__}", it.rooms)
    for it in BASELINES.values()
    if it.rooms
}


def register_generator(name: str, place: str, room_types: tuple[str, ...]) -> None:
    """Let init_physcene sample from ``place`` (``module:function``) under ``name``."""
    _known[name] = Generator(name, place, room_types)


def generators(room_type: str) -> list[str]:
    """The names of those that know a type of room."""
    return [known.name for known in _known.values() if room_type in known.room_types]


def generator(name: str) -> Generator:
    """The generator called ``name``.

    Raises:
        UnknownName: there is none.
    """
    try:
        return _known[name]
    except KeyError:
        raise UnknownName("generator of rooms", name, _known) from None
