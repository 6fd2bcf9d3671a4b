"""Gift: a token given away is worth three to whoever gets it (a trust game in space).

What it is
    Tokens lie about; whoever consumes one gets a point. Given to another it becomes three of a
    finer kind, and three finest if given once more. Giving pays only if the other gives back.

Seats
    ``agent_0``, ``agent_1``, …: six, or as many as ``agents`` says.

Observation
    Box uint8 (11, 11, 2): the cells around one, ahead up, 9 ahead, 1 behind, 5 to each side. The
    first byte is the item (0 empty, 1 wall, 2 gift beam, 3 token, 4 spawn point; under oneself what
    one holds, if anything: 4 plus 1 for raw, 2 for refined, 4 for twice refined tokens); the second
    whoever stands there (bit 0 oneself, 1 another, 2 and 3 one's heading or another's less one's
    own, 4 it fired, 5 it picked up, 6 it got a gift).

Actions
    Discrete(9): turn left, turn right, four steps, stay, gift, consume.

Rules
    In each step: (1) on every empty cell without a seat a token appears with probability ``rate``;
    (2) seats turn and step (who stays keeps the cell, a random one of several comers gets it, swaps
    are blocked); (3) who stands on a token and holds fewer than ``capacity`` raw ones picks it up;
    (4) who consumes gets a point for each token held; (5) gift beams hit the first seat within
    ``gift_range``: it gets ``multiplier`` tokens of the next kind for one of the giver's rawest
    (one for one of the finest), up to ``capacity``, unless it is full of that kind. All gifts of a
    step happen at once.

Reward
    +1 for each token consumed. Nothing else.

End
    After ``horizon`` steps, as a truncation.

Words
    A local map with a legend, and what just happened.

Parameters
    See ``GiftParams``.

Metrics
    The group metrics, ``gifts`` and ``consumed`` (tokens).

Source
    Numbers and map as in Melting Pot 2.4 (``configs/substrates/gift_refinements.py``: rate 0.0002,
    capacity 15, beam 5 long, cooldown 3; the multiplier of 3 is its text's, its configuration has
    5) and SocialJax (cooperativex/SocialJax, ``environments/gift``: multiplier 3). After Berg et
    al., Trust, Reciprocity, and Social History (1995).

Versions
    v0: first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ..grid.game import GridGame, layout
from ..grid.maps import read_map
from ..grid.params import GridParams
from ..grid.state import State
from ..grid.world import GridWorld
from . import gift_rules as kernels
from .gift_rules import HOLDS, SPAWN, TOKEN, GiftRules

LEGEND = {".": "ground", "#": "wall", "S": "spawn point", "t": "where tokens appear"}
KINDS = ("raw", "refined", "twice refined")


@dataclass(frozen=True)
class GiftParams(GridParams):
    """Parameters of ``gift-v0``; plain data throughout."""

    world: ClassVar[str] = "gift"
    maps: ClassVar[tuple[str, ...]] = ("gift", "gift_mini")

    agents: int = field(default=6, metadata={"doc": "seats", "range": [1, 50]})
    map: str = field(
        default="gift", metadata={"doc": "gift, gift_mini, path of a file, or the rows"}
    )
    rate: float = field(
        default=0.0002,
        metadata={"doc": "chance of a token per empty cell and step", "range": [0, 0.5]},
    )
    multiplier: int = field(
        default=3, metadata={"doc": "what one token becomes", "range": [1, 100]}
    )
    capacity: int = field(
        default=15, metadata={"doc": "most tokens of a kind in one hand", "range": [1, 1000]}
    )
    gift_range: int = field(
        default=5, metadata={"doc": "reach of a gift", "unit": "cells", "range": [1, 9]}
    )
    cooldown: int = field(
        default=3, metadata={"doc": "rest between two gifts", "range": [0, 10_000]}
    )


class Gift(GridWorld):
    """What is given away is worth more; whether anything comes back is up to the other."""

    id: ClassVar[str] = "gift-v0"
    own_metrics: ClassVar[tuple[str, ...]] = ("gifts", "consumed")

    def __init__(self, **params: Any) -> None:
        super().__init__(GiftParams(**params))
        p = self.params
        # At most one token is picked up and one gift from each other received in a step.
        most = 1 + (p.agents - 1) * p.multiplier
        self.return_range = (0.0, float(p.horizon * most))

    def build(self) -> GridGame:
        """Map, numbers and kernels."""
        p = self.params
        grid = read_map(p.map, package="gymposium.envs.social", names=p.maps, legend=LEGEND)
        codes = {".": 0, "#": 1, "S": SPAWN, "t": 0}
        holdings = [
            " and ".join(kind for bit, kind in enumerate(KINDS) if held >> bit & 1) + " tokens"
            for held in range(1, 8)
        ]
        return GridGame(
            grid=grid,
            layout=layout(
                p, grid, codes, sites="t", goals="t", bare=(SPAWN,), beam=("line", p.gift_range)
            ),
            rules=GiftRules(
                conduct=p.conduct,
                inverse_log=float(1 / np.log1p(-p.rate)) if p.rate else 0.0,
                cooldown=p.cooldown,
                multiplier=p.multiplier,
                capacity=p.capacity,
            ),
            module=kernels.__name__,
            agents=p.agents,
            horizon=p.horizon,
            items=("empty", "wall", "gift beam", "token", "spawn point", *holdings),
            glyphs=".#*tS-------",
            flags=("giving", "picked up", "got a gift", ""),
            actions=(*p.steps, "gift", "consume"),
            events={"gave": 0, "got": 1, "collected": 2},
            counters=2,
            things=(TOKEN,),
            holdings=HOLDS + 1,
        )

    def own_measures(self, state: State, clock: Any) -> dict[str, Any]:
        """Gifts made and tokens consumed."""
        return {
            "gifts": state.stock[:, kernels.GIFTS].astype(np.float64),
            "consumed": state.stock[:, kernels.CONSUMED].astype(np.float64),
        }

    def about(self) -> str:
        """The dilemma in words."""
        p = self.params
        return (
            "Step on a token to pick it up. 'consume' turns all tokens that you hold into points, "
            f"+1 each. 'gift' hands one of your rawest tokens to the first player within "
            f"{p.gift_range} cells ahead of you: a raw one becomes {p.multiplier} refined ones, a "
            f"refined one {p.multiplier} twice refined ones, a twice refined one stays one. Nobody "
            f"holds more than {p.capacity} of a kind."
        )

    def event_words(self) -> Mapping[str, str]:
        """What a step's events are called."""
        return {
            "collected": "You picked up a token.",
            "gave": "You gave a token away.",
            "got": "You got {count} gift(s).",
        }
