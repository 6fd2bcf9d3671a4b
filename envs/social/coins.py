"""Coins: taking the other's coins pays, and costs the other more.

What it is
    Coins of the seats' colours appear on a field. Any coin is worth the same to whoever takes it,
    but its owner loses twice that when another does.

Seats
    ``agent_0``, ``agent_1``, …, each with a colour: green, red, blue, yellow, …; two, or as many as
    ``agents`` says.

Observation
    Box uint8 (11, 11, 2): the cells around one, ahead up, 9 ahead, 1 behind, 5 to each side. The
    first byte is the item (0 empty, 1 wall, 2 spawn point, 3 coin of agent_0, 4 of agent_1, …); the
    second whoever stands there (bit 0 oneself, 1 another, 2 and 3 one's heading or another's less
    one's own, 5 it took a coin, 6 it took another's coin). ``VectorWorld.planes`` makes 14
    planes of it for two seats.

Actions
    Discrete(7): turn left, turn right, four steps, stay.

Rules
    In each step: (1) on every empty coin cell without a seat a coin appears with probability
    ``rate``; its colour is then drawn from ``colour_probs``; (2) seats turn and step (who stays
    keeps the cell, a random one of several comers gets it, swaps are blocked); (3) who stands on a
    coin takes it.

Reward
    ``gain`` (+1) for a coin taken; ``loss`` (-2) to the owner of a coin that another took.

End
    After ``horizon`` steps, as a truncation.

Words
    A local map with a legend, and what just happened.

Parameters
    See ``CoinsParams``. Unfair Coins: ``colour_probs=[15, 1]`` (green in 15 of 16 cases), or
    ``agents=3, colour_probs=[7, 1, 1], map="coins_four_corners"``. ``coins_mini`` is 5 x 5.

Metrics
    The group metrics, ``own_coins`` and ``foreign_coins`` (taken by their owner, by another),
    ``coins_alive`` (mean over the steps). The sum of all returns is own less foreign coins.

Source
    Lerer and Peysakhovich, Maintaining Cooperation in Complex Social Dilemmas Using Deep
    Reinforcement Learning (2017); numbers and map as in SocialJax (cooperativex/SocialJax,
    ``environments/coin_game``, August 2026), but with one draw per cell and the colour drawn after
    it; uneven colours as in Kim and Sycara, Conflict-Aware Gradient Adjustment (2025).

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
from . import coins_rules as kernels
from .coins_rules import COIN, SPAWN, CoinsRules

COLOURS = ("green", "red", "blue", "yellow", "orange", "purple", "cyan", "white")
LEGEND = {".": "ground without coins", "#": "wall", "S": "spawn point", "c": "coin cell"}


@dataclass(frozen=True)
class CoinsParams(GridParams):
    """Parameters of ``coins-v0``; plain data throughout."""

    world: ClassVar[str] = "coins"
    maps: ClassVar[tuple[str, ...]] = ("coins", "coins_four_corners", "coins_mini")

    agents: int = field(default=2, metadata={"doc": "seats", "range": [1, len(COLOURS)]})
    map: str = field(
        default="coins",
        metadata={"doc": "coins, coins_four_corners, coins_mini, path of a file, or the rows"},
    )
    rate: float = field(
        default=0.001,
        metadata={"doc": "chance of a coin per empty cell and step", "range": [0, 1]},
    )
    colour_probs: tuple[float, ...] = field(
        default=(), metadata={"doc": "weights of the seats' colours; empty is even"}
    )
    gain: float = field(default=1.0, metadata={"doc": "reward of a coin", "range": [-1000, 1000]})
    loss: float = field(
        default=-2.0, metadata={"doc": "reward of losing a coin", "range": [-1000, 1000]}
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        weights = tuple(self.colour_probs) or (1.0,) * self.agents
        numbers = all(isinstance(w, int | float) and 0 <= w < 1e9 for w in weights)
        if len(weights) != self.agents or not numbers or not sum(weights) > 0:
            raise UsageError(
                f"coins: colour_probs must be {self.agents} weights, one per agent, not all zero; "
                f"got {self.colour_probs!r}"
            )
        object.__setattr__(self, "colour_probs", tuple(w / sum(weights) for w in weights))


class Coins(GridWorld):
    """Coins of everybody's colour; taking another's costs the owner more than it brings."""

    id: ClassVar[str] = "coins-v0"
    own_metrics: ClassVar[tuple[str, ...]] = ("own_coins", "foreign_coins", "coins_alive")

    def __init__(self, **params: Any) -> None:
        super().__init__(CoinsParams(**params))
        p = self.params
        worst = min(p.loss, 0) * (p.agents - 1) + min(p.gain, 0)
        best = max(p.loss, 0) * (p.agents - 1) + max(p.gain, 0)
        self.return_range = (float(worst * p.horizon), float(best * p.horizon))

    def build(self) -> GridGame:
        """Map, numbers and kernels."""
        p = self.params
        grid = read_map(p.map, package="gymposium.envs.social", names=p.maps, legend=LEGEND)
        made = layout(
            p, grid, {".": 0, "#": 1, "S": SPAWN, "c": 0}, sites="c", goals="c", bare=(SPAWN,)
        )
        log = np.log1p(-p.rate) if p.rate < 1 else -1e300
        colours = np.cumsum(p.colour_probs)
        colours[-1] = 1.0
        return GridGame(
            grid=grid,
            layout=made,
            rules=CoinsRules(
                conduct=p.conduct,
                inverse_log=float(1 / log) if p.rate else 0.0,
                no_coin=float(np.exp(log * len(made.sites))),
                colours=colours,
                gain=float(p.gain),
                loss=float(p.loss),
            ),
            module=kernels.__name__,
            agents=p.agents,
            horizon=p.horizon,
            items=("empty", "wall", "spawn point", *(f"{c} coin" for c in COLOURS[: p.agents])),
            glyphs=".#S" + "".join(colour[0] for colour in COLOURS[: p.agents]),
            flags=("", "took a coin", "took another's coin", ""),
            actions=p.steps,
            events={"lost": 0, "foreign": 1, "collected": 2},
            counters=4,
            things=tuple(range(COIN, COIN + p.agents)),
        )

    def own_measures(self, state: State, clock: Any) -> dict[str, Any]:
        """Who took whose coins, and how many lay about."""
        return {
            "own_coins": state.stock[:, kernels.OWN].astype(np.float64),
            "foreign_coins": state.stock[:, kernels.FOREIGN].astype(np.float64),
            "coins_alive": state.stock[:, kernels.COINS_SUM] / clock,
        }

    def about(self) -> str:
        """The dilemma in words."""
        p = self.params
        owners = ", ".join(
            f"{colour} ones to agent_{k}" for k, colour in enumerate(COLOURS[: p.agents])
        )
        return (
            f"Coins appear now and then: {owners} belong. Step on a coin to take it, whosever it "
            f"is: {p.gain:+g}. When another takes a coin of yours, you get {p.loss:+g}."
        )

    def event_words(self) -> Mapping[str, str]:
        """What a step's events are called."""
        return {
            "collected": "You took a coin.",
            "foreign": "It belonged to another.",
            "lost": "Another took {count} coin(s) of yours.",
        }
