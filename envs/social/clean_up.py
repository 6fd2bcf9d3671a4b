"""Clean-Up: everybody eats, nobody wants to clean the river (a public good).

What it is
    Apples grow in an orchard as long as the river is clean enough. Dirt keeps coming, cleaning it
    pays nothing and takes one away from the apples.

Seats
    ``agent_0``, ``agent_1``, …: seven, or as many as ``agents`` says.

Observation
    Box uint8 (11, 11, 2): the cells around one, ahead up, 9 ahead, 1 behind, 5 to each side. The
    first byte is the item (0 empty, 1 wall, 2 zap beam, 3 apple, 4 orchard, 5 spawn point, 6 river,
    7 clean bank, 8 dirt, 9 clean beam); the second whoever stands there (bit 0 oneself, 1 another,
    2 and 3 one's heading or another's less one's own, 4 it zapped, 5 it ate, 6 it cleaned, 7 it is
    away).
    ``VectorWorld.planes`` makes 19 planes of it.

Actions
    Discrete(9): turn left, turn right, four steps, stay, zap, clean.

Rules
    In each step: (1) every orchard cell without apple and seat grows one with probability
    ``growth_max * min(1, (depletion - f) / (depletion - restoration))``, f being the dirty part of
    river and banks; (2) after ``dirt_delay`` steps, with probability ``dirt_rate``, one random
    clean bank becomes dirty; (3) whoever was zapped comes back; (4) seats turn and step (who stays
    keeps the cell, a random one of several comers gets it, swaps are blocked); (5) who stands on an
    apple eats it; (6) cleaning beams clean every dirty cell they reach; (7) zapping beams hit.

Reward
    +1 for each apple eaten. Nothing else.

End
    After ``horizon`` steps, as a truncation.

Words
    A local map with a legend, and what just happened.

Parameters
    See ``CleanUpParams``. With ``zap="timeout"``, ``zap_steps=50``, ``zap_cooldown=10``,
    ``beam="wide"``, ``clean_cooldown=2`` and ``moves="egocentric"``: Melting Pot's. The map
    ``clean_up_mini`` is 9 x 9 for experiments of minutes; ``start_dirt`` sets how much of the river
    is dirty at first (at the default map's 79 of 167 nothing grows before someone cleans).

Metrics
    The group metrics, ``dirt_fraction`` and ``apples_alive`` (means over the steps).

Source
    Hughes et al., Inequity Aversion Improves Cooperation (2018); numbers and map as in SocialJax
    (cooperativex/SocialJax, ``environments/cleanup``, August 2026) and Melting Pot 2.4
    (``configs/substrates/clean_up.py``); near and far starts as in Kim and Sycara (2025).
    Unlike there, dirt may come back under a seat, and beams stop at walls.

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
from ..grid.params import BeamParams
from ..grid.state import State
from ..grid.world import GridWorld
from . import clean_up_rules as kernels
from .clean_up_rules import BANK, DIRT, ITEMS, ORCHARD, RIVER, SPAWN, CleanUpRules

LEGEND = {
    ".": "ground",
    "#": "wall",
    "S": "spawn point",
    "a": "orchard",
    "r": "river",
    "h": "bank",
    "d": "dirty bank",
}


@dataclass(frozen=True)
class CleanUpParams(BeamParams):
    """Parameters of ``clean_up-v0``; plain data throughout."""

    world: ClassVar[str] = "clean_up"
    maps: ClassVar[tuple[str, ...]] = ("clean_up", "clean_up_mini")

    map: str = field(
        default="clean_up",
        metadata={"doc": "name of a map (clean_up, clean_up_mini), path of a file, or the rows"},
    )
    growth_max: float = field(
        default=0.05,
        metadata={"doc": "chance of an apple per cell and step, all clean", "range": [0, 1]},
    )
    depletion: float = field(
        default=0.4, metadata={"doc": "dirt fraction from which nothing grows", "range": [0, 1]}
    )
    restoration: float = field(
        default=0.0, metadata={"doc": "dirt fraction up to which all grows", "range": [-1, 1]}
    )
    dirt_rate: float = field(
        default=0.5, metadata={"doc": "chance of new dirt in a step", "range": [0, 1]}
    )
    dirt_delay: int = field(
        default=50, metadata={"doc": "steps before new dirt", "range": [0, 10**6]}
    )
    start_dirt: float | None = field(
        default=None,
        metadata={"doc": "dirty part of river and banks at first; None is as the map has it"},
    )
    clean_cooldown: int = field(
        default=0, metadata={"doc": "rest between two cleanings", "range": [0, 10_000]}
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.restoration >= self.depletion:
            raise UsageError(
                f"clean_up: restoration ({self.restoration}) must be below depletion "
                f"({self.depletion})"
            )


class CleanUp(GridWorld):
    """The river must be cleaned for apples to grow, and only eating them pays."""

    id: ClassVar[str] = "clean_up-v0"
    own_metrics: ClassVar[tuple[str, ...]] = ("dirt_fraction", "apples_alive")

    def __init__(self, **params: Any) -> None:
        self.water = 1
        super().__init__(CleanUpParams(**params))
        p = self.params
        self.return_range = (0.0, float(p.horizon))

    def build(self) -> GridGame:
        """Map, numbers and kernels."""
        p = self.params
        grid = read_map(p.map, package="gymposium.envs.social", names=p.maps, legend=LEGEND)
        codes = {".": 0, "#": 1, "S": SPAWN, "a": ORCHARD, "r": RIVER, "h": BANK, "d": DIRT}
        made = layout(p, grid, codes, sites="a", banks="hd", goals="a", bare=(ORCHARD, SPAWN))
        self.water = max(len(made.banks) + len(grid.places("r")), 1)
        if p.start_dirt is not None:
            made.base[made.banks] = BANK
            made.base[made.banks[self._first_dirt(len(made.banks))]] = DIRT
        return GridGame(
            grid=grid,
            layout=made,
            rules=CleanUpRules(
                conduct=p.conduct,
                clean_cooldown=p.clean_cooldown,
                sprout=np.array([self._sprout(dirty) for dirty in range(len(made.banks) + 1)]),
                dirt_rate=float(p.dirt_rate),
                dirt_delay=p.dirt_delay,
            ),
            module=kernels.__name__,
            agents=p.agents,
            horizon=p.horizon,
            items=ITEMS,
            glyphs=".#*AaSrhd+",
            flags=("zapping", "ate", "cleaning", "away"),
            actions=(*p.steps, "zap", "clean"),
            events={"zapped": 0, "cleaned": 1, "collected": 2},
            counters=4,
            things=(kernels.APPLE, DIRT),
        )

    def _first_dirt(self, banks: int) -> Any:
        """Which banks are dirty at first, spread evenly; ``start_dirt`` is of river and banks."""
        share = self.params.start_dirt
        count = round(share * self.water) if isinstance(share, int | float) else -1
        if not 0 <= count <= banks:
            raise UsageError(
                f"clean_up: start_dirt must be from 0 to {banks / self.water:.3f}, the part of "
                f"river and banks that can be dirty on this map; got {share!r}"
            )
        return np.linspace(0, banks - 1, count).round().astype(int) if count else []

    def _sprout(self, dirty: int) -> float:
        """``1 / log(1 - p)`` for the chance of an apple with ``dirty`` banks; 0 if none grows."""
        p = self.params
        clean = (p.depletion - dirty / self.water) / (p.depletion - p.restoration)
        chance = p.growth_max * min(1.0, clean)
        if chance <= 0:
            return 0.0
        return float(1 / np.log1p(-chance)) if chance < 1 else -1e-300

    def own_measures(self, state: State, clock: Any) -> dict[str, Any]:
        """Dirt fraction and apples alive, as means over the steps played."""
        return {
            "dirt_fraction": state.stock[:, kernels.DIRTY_SUM] / clock / self.water,
            "apples_alive": state.stock[:, kernels.APPLES_SUM] / clock,
        }

    def about(self) -> str:
        """The dilemma in words."""
        p = self.params
        return (
            "Step on an apple to eat it: +1. Apples grow in the orchard only while the river and "
            f"its banks are clean enough: the less dirt the faster, none from {p.depletion:.0%} "
            "dirt on. Dirt keeps coming. 'clean' removes the dirt just ahead of you and pays "
            f"nothing. 'zap' hits others just ahead of you, which {self.zap_words()}."
        )

    def event_words(self) -> Mapping[str, str]:
        """What a step's events are called."""
        return {**super().event_words(), "collected": "You ate an apple."}
