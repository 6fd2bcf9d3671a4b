"""Harvest: apples grow back only where apples are left (a common-pool resource).

What it is
    Everybody may eat every apple. A patch that is eaten bare never recovers; one that is spared
    feeds for ever. What is best for each now is worst for all later.

Seats
    ``agent_0``, ``agent_1``, …: seven, or as many as ``agents`` says.

Observation
    Box uint8 (11, 11, 2): the cells around one, ahead up, 9 ahead, 1 behind, 5 to each side. The
    first byte is the item (0 empty, 1 wall, 2 zap beam, 3 apple, 4 bare patch, 5 spawn point); the
    second whoever stands there (bit 0 oneself, 1 another, 2 and 3 one's heading or another's less
    one's own, 4 it zapped, 5 it ate, 6 unused, 7 it is away). ``VectorWorld.planes`` makes 15
    planes of it.

Actions
    Discrete(8): turn left, turn right, four steps, stay, zap.

Rules
    In each step: (1) every bare patch cell without a seat regrows with the probability in
    ``regrowth`` for 0, 1, 2, 3 or more apples within ``radius``, all at once; (2) whoever was
    zapped comes back; (3) seats turn and step (who stays keeps the cell, a random one of several
    comers gets it, swaps are blocked); (4) who stands on an apple eats it; (5) zapping beams hit.

Reward
    +1 for each apple eaten. Nothing else.

End
    After ``horizon`` steps, as a truncation.

Words
    A local map with a legend, and what just happened.

Parameters
    See ``HarvestParams``. Maps: ``harvest_open``; ``harvest_closed`` (two rooms with one door
    each, which one seat can defend); ``harvest_partnership`` (a room that takes two);
    ``harvest_mini`` (9 x 9). Melting Pot's numbers: ``regrowth=[0, 0.0025, 0.005, 0.025]``,
    ``zap="timeout"``, ``beam="wide"``, ``moves="egocentric"`` with ``zap_steps=4``,
    ``zap_cooldown=2`` (open) or ``zap_steps=100``, ``zap_cooldown=1``, ``beam_length=4`` (closed
    and partnership).

Metrics
    The group metrics and ``apples_alive`` (mean over the steps).

Source
    Perolat et al., A Multi-Agent Reinforcement Learning Model of Common-Pool Resource
    Appropriation (2017); numbers and the open map as in SocialJax (cooperativex/SocialJax,
    ``environments/common_harvest``, August 2026), the other maps and numbers as in Melting Pot 2.4
    (``configs/substrates/commons_harvest__closed.py``, ``…__partnership.py``, without its tiles
    that act on roles); near and far starts as in Kim and Sycara (2025).

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
from . import harvest_rules as kernels
from .harvest_rules import APPLE, ITEMS, PATCH, SPAWN, HarvestRules

LEGEND = {".": "ground", "#": "wall", "S": "spawn point", "a": "apple"}


@dataclass(frozen=True)
class HarvestParams(BeamParams):
    """Parameters of ``harvest-v0``; plain data throughout."""

    world: ClassVar[str] = "harvest"
    maps: ClassVar[tuple[str, ...]] = (
        "harvest_open",
        "harvest_closed",
        "harvest_partnership",
        "harvest_mini",
    )

    map: str = field(
        default="harvest_open",
        metadata={
            "doc": "harvest_open, harvest_closed, harvest_partnership, harvest_mini, path or rows"
        },
    )
    regrowth: tuple[float, ...] = field(
        default=(0.0, 0.001, 0.005, 0.025),
        metadata={"doc": "chance of regrowth per step with 0, 1, 2, 3 or more apples near"},
    )
    radius: float = field(
        default=2.0,
        metadata={"doc": "how far near is (Euclidean)", "unit": "cells", "range": [0, 5]},
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        chances: Any = self.regrowth
        if isinstance(chances, str) or len(chances) != 4:
            raise UsageError(f"harvest: regrowth must be four chances, got {chances!r}")
        for chance in chances:
            within("harvest", "regrowth", chance, 0, 1, whole=False)
        object.__setattr__(self, "regrowth", tuple(map(float, chances)))


class Harvest(GridWorld):
    """Apples regrow by the apples near them; whoever takes the last one ends the patch."""

    id: ClassVar[str] = "harvest-v0"
    own_metrics: ClassVar[tuple[str, ...]] = ("apples_alive",)

    def __init__(self, **params: Any) -> None:
        super().__init__(HarvestParams(**params))
        self.return_range = (0.0, float(self.params.horizon))

    def build(self) -> GridGame:
        """Map, numbers and kernels."""
        p = self.params
        grid = read_map(p.map, package="gymposium.envs.social", names=p.maps, legend=LEGEND)
        codes = {".": 0, "#": 1, "S": SPAWN, "a": APPLE}
        reach = range(-int(p.radius), int(p.radius) + 1)
        near = [(r, c) for r in reach for c in reach if 0 < r * r + c * c <= p.radius**2]
        highest = max(p.regrowth)
        inverse = 0.0 if highest == 0 else -1e-300 if highest == 1 else 1 / np.log1p(-highest)
        return GridGame(
            grid=grid,
            layout=layout(p, grid, codes, sites="a", goals="a", near=near, bare=(PATCH, SPAWN)),
            rules=HarvestRules(
                conduct=p.conduct,
                inverse_log=float(inverse),
                share=np.array(p.regrowth) / (highest or 1.0),
            ),
            module=kernels.__name__,
            agents=p.agents,
            horizon=p.horizon,
            items=ITEMS,
            glyphs=".#*AaS",
            flags=("zapping", "ate", "", "away"),
            actions=(*p.steps, "zap"),
            events={"zapped": 0, "collected": 2},
            counters=2,
            things=(APPLE,),
        )

    def own_measures(self, state: State, clock: Any) -> dict[str, Any]:
        """Apples alive, as a mean over the steps played."""
        return {"apples_alive": state.stock[:, kernels.APPLES_SUM] / clock}

    def about(self) -> str:
        """The dilemma in words."""
        p = self.params
        rates = ", ".join(f"{chance:.2%}" for chance in p.regrowth)
        return (
            "Step on an apple to eat it: +1. A patch cell that was eaten bare regrows by chance in "
            f"each step, the more apples are left within {p.radius:g} cells the likelier: {rates} "
            "with 0, 1, 2, 3 or more. A patch without apples is lost for ever. "
            f"'zap' hits others just ahead of you, which {self.zap_words()}."
        )

    def event_words(self) -> Mapping[str, str]:
        """What a step's events are called."""
        return {**super().event_words(), "collected": "You ate an apple."}
