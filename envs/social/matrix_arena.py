"""Matrix Arena: gather a strategy, choose whom to meet, be paid by a matrix game.

What it is
    A matrix game laid out in space. Two kinds of resources lie about; what one gathers is one's
    mixture of the game's two strategies. Who hits another with a beam plays one round with it.

Seats
    ``agent_0``, ``agent_1``, …: eight, or as many as ``agents`` says.

Observation
    Box uint8 (11, 11, 2): the cells around one, ahead up, 9 ahead, 1 behind, 5 to each side. The
    first byte is the item (0 empty, 1 wall, 2 meeting beam, 3 and 4 the resources of the first and
    the second strategy, 5 spawn point; under oneself what one holds: 6 not ready, 7 to 11 a share
    of the first resource from 0 to 1 in fifths); the second whoever stands there (bit 0 oneself, 1
    another, 2 and 3 one's heading or another's less one's own, 4 it fired, 5 it gathered, 6 it is
    ready, 7 it is away).

Actions
    Discrete(8): turn left, turn right, four steps, stay, meet.

Rules
    Everybody starts with one of each resource, not ready; gathering any makes one ready. In each
    step: (1) resources taken more than ``regrowth_delay`` steps ago come back with probability
    ``regrowth_rate``; (2) whoever's absence is over comes back; (3) seats turn and step (who stays
    keeps the cell, a random one of several comers gets it, swaps are blocked); (4) who stands on a
    resource gathers it; (5) in a random order of the seats, beams hit the first seat in their cells
    (the middle lane first); if both are ready they play, lose what they hold and are away for
    ``absence`` steps.

Reward
    The expected payoff of one's mixture against the other's, to both.

End
    After ``horizon`` steps, as a truncation.

Words
    A local map with a legend, and what just happened.

Parameters
    See ``MatrixArenaParams``. ``game`` names the payoffs; ``payoffs`` are one's own. On the maps
    ``?`` is either resource, drawn at the start of the match.

Metrics
    The group metrics, ``meetings`` and ``first_share`` (mean share of the first strategy in them).

Source
    Numbers and maps as in Melting Pot 2.4
    (``configs/substrates/{prisoners_dilemma,stag_hunt,chicken}_in_the_matrix__arena.py``: payoffs,
    beam 3 long and 3 wide, cooldown 2, absence 50, regrowth 0.04 after 10). Left out: the 16
    frames in which a meeting is shown, and beams that destroy resources.

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
from . import matrix_arena_rules as kernels
from .matrix_arena_rules import FIRST, NOT_READY, SECOND, SPAWN, MatrixArenaRules

LEGEND = {
    ".": "ground",
    "#": "wall",
    "S": "spawn point",
    "1": "first resource",
    "2": "second resource",
    "?": "either resource",
}
GAMES: dict[str, tuple[tuple[str, str], tuple[tuple[float, ...], ...]]] = {
    "prisoners-dilemma": (("cooperate", "defect"), ((3, 0), (5, 1))),
    "stag-hunt": (("stag", "hare"), ((4, 0), (2, 2))),
    "chicken": (("dove", "hawk"), ((3, 2), (5, 0))),
}


@dataclass(frozen=True)
class MatrixArenaParams(GridParams):
    """Parameters of ``matrix_arena-v0``; plain data throughout."""

    world: ClassVar[str] = "matrix_arena"
    maps: ClassVar[tuple[str, ...]] = ("matrix_arena", "matrix_arena_stag_hunt")

    agents: int = field(default=8, metadata={"doc": "seats", "range": [1, 50]})
    map: str = field(
        default="matrix_arena",
        metadata={"doc": "matrix_arena, matrix_arena_stag_hunt, path of a file, or the rows"},
    )
    game: str = field(
        default="prisoners-dilemma",
        metadata={"doc": "which payoffs", "choices": tuple(GAMES)},
    )
    payoffs: tuple[Any, ...] | None = field(
        default=None,
        metadata={"doc": "payoffs[own][other] of one's own, in place of the game's"},
    )
    absence: int = field(
        default=50, metadata={"doc": "after a meeting", "unit": "steps", "range": [1, 10_000]}
    )
    cooldown: int = field(
        default=2, metadata={"doc": "rest between two beams", "range": [0, 10_000]}
    )
    regrowth_rate: float = field(
        default=0.04, metadata={"doc": "chance of a resource to come back", "range": [0, 1]}
    )
    regrowth_delay: int = field(
        default=10, metadata={"doc": "not before", "unit": "steps", "range": [0, 10_000]}
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.payoffs is not None:
            table = np.array(self.payoffs, dtype=object)
            numbers = all(isinstance(value, int | float) for value in table.ravel())
            if table.shape != (2, 2) or not numbers or not np.isfinite(table.astype(float)).all():
                raise UsageError(
                    f"matrix_arena: payoffs must be two rows of two numbers, got {self.payoffs!r}"
                )
            object.__setattr__(self, "payoffs", tuple(map(tuple, self.payoffs)))

    @property
    def table(self) -> Any:
        """Payoffs, float64 ``[2, 2]``."""
        return np.array(self.payoffs or GAMES[self.game][1], np.float64)


class MatrixArena(GridWorld):
    """Gather what you will play, then meet someone who has gathered too."""

    id: ClassVar[str] = "matrix_arena-v0"
    own_metrics: ClassVar[tuple[str, ...]] = ("meetings", "first_share")

    def __init__(self, **params: Any) -> None:
        super().__init__(MatrixArenaParams(**params))
        p = self.params
        meetings = 1 + p.horizon // p.absence
        low, high = float(p.table.min()), float(p.table.max())
        self.return_range = (min(low, 0.0) * meetings, max(high, 0.0) * meetings)

    def build(self) -> GridGame:
        """Map, numbers and kernels."""
        p = self.params
        grid = read_map(p.map, package="gymposium.envs.social", names=p.maps, legend=LEGEND)
        codes = {".": 0, "#": 1, "S": SPAWN, "1": FIRST, "2": SECOND, "?": 0}
        made = layout(p, grid, codes, sites="12?", goals="12?", bare=(SPAWN,), beam=("wide", 3))
        one, two = GAMES[p.game][0]
        fifths = [f"{20 * k} to {20 * k + 20} % {one}" for k in range(5)]
        return GridGame(
            grid=grid,
            layout=made,
            rules=MatrixArenaRules(
                conduct=p.conduct._replace(zap_steps=p.absence),
                payoffs=p.table,
                kinds=made.base[made.sites].copy(),
                delay=p.regrowth_delay,
                rate=float(p.regrowth_rate),
                cooldown=p.cooldown,
            ),
            module=kernels.__name__,
            agents=p.agents,
            horizon=p.horizon,
            items=(
                "empty",
                "wall",
                "meeting beam",
                f"{one} resource",
                f"{two} resource",
                "spawn point",
                "nothing gathered yet",
                *fifths,
            ),
            glyphs=".#*12S------",
            flags=("meeting", "gathered", "ready", "away"),
            actions=(*p.steps, "meet"),
            events={"met": 0, "collected": 2},
            counters=2,
            extras=2 * len(made.sites),
            things=(FIRST, SECOND),
            holdings=NOT_READY,
        )

    def own_measures(self, state: State, clock: Any) -> dict[str, Any]:
        """How often seats met, and how much of the first strategy they brought."""
        meetings = state.stock[:, kernels.MEETINGS]
        shares = state.stock[:, kernels.SHARES] / kernels.MICRO / 2
        share = np.where(meetings > 0, shares / np.maximum(meetings, 1), np.nan)
        return {"meetings": meetings.astype(np.float64), "first_share": share}

    def about(self) -> str:
        """The dilemma in words."""
        p = self.params
        (one, two), m = GAMES[p.game][0], p.table
        return (
            f"Step on {one} and {two} resources to gather them; what you hold is your mixture of "
            "the two strategies, starting with one of each. 'meet' fires a beam three cells wide "
            "and long: if it hits somebody and both of you have gathered since your last meeting, "
            f"both are paid by your mixtures: {one} against {one} {m[0, 0]:g}, {one} against {two} "
            f"{m[0, 1]:g}, {two} against {one} {m[1, 0]:g}, {two} against {two} {m[1, 1]:g}. Then "
            f"both lose what they hold and are away for {p.absence} steps."
        )

    def event_words(self) -> Mapping[str, str]:
        """What a step's events are called."""
        return {"met": "You met another player.", "collected": "You gathered a resource."}
