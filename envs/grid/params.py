"""The parameters that grid worlds share, each checked with a sentence that names it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from gymposium.errors import UnknownName, UsageError

from .movement import MAP_STEPS, OWN_STEPS
from .state import Conduct

MOST_AGENTS = 50
TURNS = ("turn left", "turn right")
ZAPS = ("off", "respawn", "timeout")


@dataclass(frozen=True)
class GridParams:
    """What every grid world can be told."""

    world: ClassVar[str] = "grid world"
    maps: ClassVar[tuple[str, ...]] = ()

    agents: int = field(default=7, metadata={"doc": "seats", "range": [1, MOST_AGENTS]})
    map: str = field(
        default="",
        metadata={"doc": "name of a map, path of a text file, or the rows themselves"},
    )
    horizon: int = field(
        default=1000, metadata={"doc": "length of a match", "unit": "steps", "range": [1, 10**6]}
    )
    moves: str = field(
        default="map",
        metadata={
            "doc": "steps go by the map's directions or by one's own heading",
            "choices": ("map", "egocentric"),
        },
    )
    spawn_positions: tuple[Any, ...] = field(
        default=(),
        metadata={"doc": "where each seat starts: near, far or [row, column]; empty is random"},
    )

    def __post_init__(self) -> None:
        for item in fields(self):
            value, told = getattr(self, item.name), item.metadata
            if "choices" in told and value not in told["choices"]:
                raise UnknownName(item.name, str(value), told["choices"], where=self.world)
            if "range" in told:
                low, high = told["range"]
                within(self.world, item.name, value, low, high, whole=item.type == "int")
        wanted: Any = self.spawn_positions
        if isinstance(wanted, str) or not isinstance(wanted, Sequence):
            raise UsageError(f"{self.world}: spawn_positions must be a list, one entry per seat")
        places = tuple(p if isinstance(p, str) else tuple(p) for p in wanted)
        object.__setattr__(self, "spawn_positions", places)
        if not isinstance(self.map, str):
            raise UsageError(f"{self.world}: map must be a name, a path or text, got {self.map!r}")

    @property
    def conduct(self) -> Conduct:
        """Moving (and zapping), as the kernels take it."""
        return Conduct(self.moves == "egocentric", 0, 0, 0)

    @property
    def steps(self) -> tuple[str, ...]:
        """Names of the first seven actions."""
        return (*TURNS, *(OWN_STEPS if self.moves == "egocentric" else MAP_STEPS), "stay")


@dataclass(frozen=True)
class BeamParams(GridParams):
    """What every grid world with a zapping beam can be told."""

    zap: str = field(
        default="respawn",
        metadata={
            "doc": "what a hit does: nothing; a new start at a spawn point; absence for zap_steps",
            "choices": ZAPS,
        },
    )
    zap_steps: int = field(
        default=50,
        metadata={"doc": "absence after a hit (timeout)", "unit": "steps", "range": [1, 10_000]},
    )
    zap_cooldown: int = field(
        default=0, metadata={"doc": "rest between two zaps", "unit": "steps", "range": [0, 10_000]}
    )
    beam: str = field(
        default="short",
        metadata={
            "doc": "short: two cells ahead and both diagonals; wide: three lanes",
            "choices": ("short", "wide"),
        },
    )
    beam_length: int = field(
        default=3, metadata={"doc": "length of a wide beam", "unit": "cells", "range": [1, 9]}
    )

    @property
    def conduct(self) -> Conduct:
        """Moving and zapping, as the kernels take it."""
        own = self.moves == "egocentric"
        return Conduct(own, ZAPS.index(self.zap), self.zap_steps, self.zap_cooldown)


def within(world: str, name: str, value: Any, low: float, high: float, *, whole: bool) -> None:
    """Raise UsageError unless ``value`` is a number (a whole one) in [low, high]."""
    kinds = int if whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
        kind = "a whole number" if whole else "a number"
        raise UsageError(f"{world}: {name} must be {kind} from {low} to {high}, got {value!r}")
