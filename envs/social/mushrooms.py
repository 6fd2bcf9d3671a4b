"""Mushrooms: what one eats feeds oneself, everybody, or everybody else (externalities at once).

What it is
    Red mushrooms feed the eater. Green ones feed all alike, blue ones all but the eater, and both
    are worth more in sum and let more grow; but digesting them takes time. Orange ones hurt all.

Seats
    ``agent_0``, ``agent_1``, …: five, or as many as ``agents`` says.

Observation
    Box uint8 (11, 11, 2): the cells around one, ahead up, 9 ahead, 1 behind, 5 to each side. The
    first byte is the item (0 empty, 1 wall, 2 zap beam, 3 red, 4 green, 5 blue, 6 orange mushroom);
    the second whoever stands there (bit 0 oneself, 1 another, 2 and 3 one's heading or another's
    less one's own, 4 it zapped, 5 it ate, 6 it digests, 7 it is away).

Actions
    Discrete(8): turn left, turn right, four steps, stay, zap. Who digests does nothing.

Rules
    In each step: (1) mushrooms uneaten for ``lasting`` steps are gone; (2) whoever was zapped comes
    back; (3) seats turn and step (who stays keeps the cell, a random one of several comers gets it,
    swaps are blocked); (4) who stands on a mushroom eats it; (5) for each eaten one, ``spores``
    times, each kind grows with its chance on a random free cell: red with 0.25 after red, green or
    blue; green with 0.4 after green or blue; blue with 0.6 after blue; orange with 1 after orange,
    which first kills each red one with probability ``blight``; (6) zapping beams hit.

Reward
    Red: +1 to the eater. Green: +2 in equal parts to all. Blue: +3 in equal parts to all others.
    Orange: -1 in equal parts to all.

End
    After ``horizon`` steps, as a truncation.

Words
    A local map with a legend, and what just happened.

Parameters
    See ``MushroomsParams``; lists are by kind: red, green, blue, orange.

Metrics
    The group metrics and ``eaten_red``, ``eaten_green``, ``eaten_blue``, ``eaten_orange``.

Source
    Numbers and map as in Melting Pot 2.4 (``configs/substrates/externality_mushrooms.py`` and
    ``…__dense.py``: rewards, digestion 0, 10, 15, 15, spores 3, 3, 3, 1, lasting 200, 100, 75 steps
    and for ever, blight 0.25). What its engine does with spores beyond the numbers is our reading.
    SocialJax (``environments/mushrooms``) has the same chances and longer digestion. Left out:
    zaps that destroy mushrooms and graduated sanctions; a hit does what ``zap`` says.

Versions
    v0: first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from gymposium.errors import UsageError

from ..grid.game import GridGame, layout
from ..grid.maps import read_map
from ..grid.params import BeamParams, within
from ..grid.state import State
from ..grid.world import GridWorld
from . import mushrooms_rules as kernels
from .mushrooms_rules import BLUE, GREEN, ITEMS, KINDS, ORANGE, RED, MushroomsRules

LEGEND = {
    ".": "ground where nothing grows",
    "#": "wall",
    "S": "ground, spawn point",
    "R": "red mushroom",
    "G": "green mushroom",
    "B": "blue mushroom",
    "O": "orange mushroom",
}
GROWTH = ((0.25, 0, 0, 0), (0.25, 0.4, 0, 0), (0.25, 0.4, 0.6, 0), (0, 0, 0, 1.0))
NAMES = ("red", "green", "blue", "orange")


def _by_kind(doc: str, values: tuple[float, ...]) -> Any:
    return field(default=values, metadata={"doc": f"{doc}: red, green, blue, orange"})


@dataclass(frozen=True)
class MushroomsParams(BeamParams):
    """Parameters of ``mushrooms-v0``; plain data throughout."""

    world: ClassVar[str] = "mushrooms"
    maps: ClassVar[tuple[str, ...]] = ("mushrooms",)

    agents: int = field(default=5, metadata={"doc": "seats", "range": [1, 50]})
    map: str = field(
        default="mushrooms", metadata={"doc": "mushrooms, path of a file, or the rows"}
    )
    rewards: tuple[float, ...] = _by_kind("reward in sum", (1.0, 2.0, 3.0, -1.0))
    digestion: tuple[int, ...] = _by_kind("steps of digestion", (0, 10, 15, 15))
    lasting: tuple[int, ...] = _by_kind("steps until it is gone, 0 never", (200, 100, 75, 0))
    spores: tuple[int, ...] = _by_kind("chances to grow when eaten", (3, 3, 3, 1))
    blight: float = field(
        default=0.25,
        metadata={"doc": "chance of each red one to die with an orange one", "range": [0, 1]},
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("rewards", "digestion", "lasting", "spores"):
            values = getattr(self, name)
            if isinstance(values, str) or len(values) != KINDS:
                raise UsageError(f"mushrooms: {name} must be four numbers, got {values!r}")
            whole, low = name != "rewards", -1000 if name == "rewards" else 0
            for value in values:
                within("mushrooms", name, value, low, 10**6, whole=whole)
            object.__setattr__(self, name, tuple(values))


class Mushrooms(GridWorld):
    """Food for oneself, for all or for the others, and what grows depends on what is eaten."""

    id: ClassVar[str] = "mushrooms-v0"
    own_metrics: ClassVar[tuple[str, ...]] = tuple(f"eaten_{name}" for name in NAMES)

    def __init__(self, **params: Any) -> None:
        super().__init__(MushroomsParams(**params))
        p = self.params
        largest = sum(abs(value) for value in p.rewards) * p.agents
        self.return_range = (-largest * p.horizon, largest * p.horizon)

    def build(self) -> GridGame:
        """Map, numbers and kernels."""
        p = self.params
        grid = read_map(p.map, package="gymposium.envs.social", names=p.maps, legend=LEGEND)
        codes = {".": 0, "#": 1, "S": 0, "R": RED, "G": GREEN, "B": BLUE, "O": ORANGE}
        made = layout(p, grid, codes, sites="SRGBO", goals="RGBO")
        return GridGame(
            grid=grid,
            layout=made,
            rules=MushroomsRules(
                conduct=p.conduct._replace(rests=True),
                rewards=np.array(p.rewards, np.float64),
                digestion=np.array(p.digestion, np.int64),
                lasting=np.array(p.lasting, np.int64),
                spores=np.array(p.spores, np.int64),
                growth=np.array(GROWTH, np.float64),
                blight=float(p.blight),
            ),
            module=kernels.__name__,
            agents=p.agents,
            horizon=p.horizon,
            items=ITEMS,
            glyphs=".#*RGBO",
            flags=("zapping", "ate", "digesting", "away"),
            actions=(*p.steps, "zap"),
            events={"zapped": 0, "shared": 1, "collected": 2},
            counters=KINDS,
            extras=len(made.sites),
            things=(RED, GREEN, BLUE, ORANGE),
        )

    def own_measures(self, state: State, clock: Any) -> dict[str, Any]:
        """How many of each kind were eaten."""
        eaten = state.stock.astype(np.float64)
        return {f"eaten_{name}": eaten[:, kind] for kind, name in enumerate(NAMES)}

    def about(self) -> str:
        """The dilemma in words."""
        p = self.params
        red, green, blue, orange = p.rewards
        waits = ", ".join(f"{name} {steps}" for name, steps in zip(NAMES, p.digestion, strict=True))
        return (
            f"Step on a mushroom to eat it. Red: {red:+g} for you. Green: {green:+g} in equal "
            f"parts for all. Blue: {blue:+g} in equal parts for all others. Orange: {orange:+g} in "
            f"equal parts for all. Digesting takes steps in which you can do nothing: {waits}. "
            "New mushrooms grow from eaten ones: red after red, green or blue, green after green "
            "or blue, blue after blue, orange after orange. "
            f"'zap' hits others just ahead of you, which {self.zap_words()}."
        )

    def event_words(self) -> Mapping[str, str]:
        """What a step's events are called."""
        return {
            **super().event_words(),
            "collected": "You ate a mushroom.",
            "shared": "It fed others too.",
        }
