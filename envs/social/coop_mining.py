"""Coop Mining: iron for oneself, or gold that takes two at the right moment (a stag hunt).

What it is
    Ore appears on the ground. Iron can be mined alone for little; gold is worth much more to each,
    but only if others strike the same piece in time.

Seats
    ``agent_0``, ``agent_1``, …: six, or as many as ``agents`` says.

Observation
    Box uint8 (11, 11, 2): the cells around one, ahead up, 9 ahead, 1 behind, 5 to each side. The
    first byte is the item (0 empty, 1 wall, 2 mining beam, 3 rock, 4 iron ore, 5 gold ore, 6 struck
    gold ore, 7 spawn point); the second whoever stands there (bit 0 oneself, 1 another, 2 and 3
    one's heading or another's less one's own, 4 it mined, 5 it extracted ore).

Actions
    Discrete(8): turn left, turn right, four steps, stay, mine.

Rules
    In each step: (1) on every bare rock without a seat iron appears with probability ``iron_rate``,
    else gold with ``gold_rate``; (2) seats turn and step (who stays keeps the cell, a random one of
    several comers gets it, swaps are blocked; ore does not block); (3) gold that was first struck
    ``window`` steps ago is whole again; (4) mining beams strike the first ore within
    ``mining_range``, in a random order of the seats; iron is extracted at once; (5) gold struck by
    at least ``min_miners`` distinct seats is extracted by all of them, unless they are more than
    ``max_miners``: then it is whole again and nobody gets anything.

Reward
    ``iron`` (+1) for iron, ``gold`` (+8) to each who extracts a piece of gold.

End
    After ``horizon`` steps, as a truncation.

Words
    A local map with a legend, and what just happened.

Parameters
    See ``CoopMiningParams``.

Metrics
    The group metrics, ``iron_mined`` and ``gold_mined`` (pieces).

Source
    Numbers and map as in Melting Pot 2.4 (``configs/substrates/coop_mining.py``: window 3, range 3,
    cooldown 3, exactly two miners, rewards 1 and 8) and SocialJax (cooperativex/SocialJax,
    ``environments/coop_mining``, August 2026: rates 0.0002 and 0.00008, no cooldown; the default
    here). In both the strokes of a step fall in the order of the seats' numbers; here by chance.

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
from ..grid.params import GridParams
from ..grid.state import State
from ..grid.world import GridWorld
from . import coop_mining_rules as kernels
from .coop_mining_rules import GOLD, IRON, ITEMS, ORE_SITE, SPAWN, STRUCK, CoopMiningRules

LEGEND = {".": "ground", "#": "wall", "S": "spawn point", "o": "rock", "i": "iron", "g": "gold"}


@dataclass(frozen=True)
class CoopMiningParams(GridParams):
    """Parameters of ``coop_mining-v0``; plain data throughout."""

    world: ClassVar[str] = "coop_mining"
    maps: ClassVar[tuple[str, ...]] = ("coop_mining", "coop_mining_mini")

    agents: int = field(default=6, metadata={"doc": "seats", "range": [1, 50]})
    map: str = field(
        default="coop_mining",
        metadata={"doc": "coop_mining, coop_mining_mini, path of a file, or the rows"},
    )
    iron_rate: float = field(
        default=0.0002, metadata={"doc": "chance of iron per bare rock and step", "range": [0, 0.5]}
    )
    gold_rate: float = field(
        default=0.00008,
        metadata={"doc": "chance of gold per bare rock and step, if no iron", "range": [0, 0.5]},
    )
    min_miners: int = field(
        default=2, metadata={"doc": "miners that a piece of gold takes", "range": [1, 50]}
    )
    max_miners: int = field(default=2, metadata={"doc": "more miners lose it", "range": [1, 50]})
    window: int = field(
        default=3, metadata={"doc": "time to strike gold", "unit": "steps", "range": [1, 1000]}
    )
    mining_range: int = field(
        default=3, metadata={"doc": "reach", "unit": "cells", "range": [1, 9]}
    )
    cooldown: int = field(
        default=0, metadata={"doc": "rest between two strokes", "range": [0, 10_000]}
    )
    iron: float = field(default=1.0, metadata={"doc": "reward of iron", "range": [0, 1000]})
    gold: float = field(default=8.0, metadata={"doc": "reward of gold, each", "range": [0, 1000]})

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_miners < self.min_miners:
            raise UsageError(
                f"coop_mining: max_miners ({self.max_miners}) must be at least min_miners "
                f"({self.min_miners})"
            )


class CoopMining(GridWorld):
    """Iron alone or gold together: the better the more sure one can be of the others."""

    id: ClassVar[str] = "coop_mining-v0"
    own_metrics: ClassVar[tuple[str, ...]] = ("iron_mined", "gold_mined")

    def __init__(self, **params: Any) -> None:
        super().__init__(CoopMiningParams(**params))
        p = self.params
        # A seat strikes once a step, but several pieces it struck may be finished in one step.
        self.return_range = (0.0, float(max(p.iron, p.gold) * p.horizon))

    def build(self) -> GridGame:
        """Map, numbers and kernels."""
        p = self.params
        grid = read_map(p.map, package="gymposium.envs.social", names=p.maps, legend=LEGEND)
        codes = {".": 0, "#": 1, "S": SPAWN, "o": ORE_SITE, "i": IRON, "g": GOLD}
        made = layout(
            p,
            grid,
            codes,
            sites="oig",
            goals="oig",
            bare=(ORE_SITE, SPAWN),
            beam=("line", p.mining_range),
        )
        gold = (1 - p.iron_rate) * p.gold_rate
        total = p.iron_rate + gold
        return GridGame(
            grid=grid,
            layout=made,
            rules=CoopMiningRules(
                conduct=p.conduct,
                cooldown=p.cooldown,
                inverse_log=float(1 / np.log1p(-total)) if total else 0.0,
                iron_share=p.iron_rate / (total or 1.0),
                miners=p.min_miners,
                most=p.max_miners,
                window=p.window,
                iron=float(p.iron),
                gold=float(p.gold),
            ),
            module=kernels.__name__,
            agents=p.agents,
            horizon=p.horizon,
            items=ITEMS,
            glyphs=".#*oigGS",
            flags=("mining", "extracted ore", "", ""),
            actions=(*p.steps, "mine"),
            events={"iron": 0, "gold": 1, "collected": 2},
            counters=3,
            extras=2 * len(made.sites),
            things=(IRON, GOLD, STRUCK),
        )

    def own_measures(self, state: State, clock: Any) -> dict[str, Any]:
        """Pieces of each ore that were extracted."""
        return {
            "iron_mined": state.stock[:, kernels.IRON_SUM].astype(np.float64),
            "gold_mined": state.stock[:, kernels.GOLD_SUM].astype(np.float64),
        }

    def about(self) -> str:
        """The dilemma in words."""
        p = self.params
        return (
            f"'mine' strikes the first ore within {p.mining_range} cells ahead of you. Iron is "
            f"yours at once: {p.iron:+g}. Gold must be struck by {p.min_miners} different players "
            f"within {p.window} steps: then each of them gets {p.gold:+g}. If more than "
            f"{p.max_miners} strike it, nobody gets anything. Struck gold shows that someone began."
        )

    def event_words(self) -> Mapping[str, str]:
        """What a step's events are called."""
        return {"iron": "You mined iron.", "gold": "You and another mined gold."}
