"""FrozenLake: cross the ice to the gift, round the holes, in a few moves a reply.

What it is
    A walk on a small lake as a test of reasoning about state: whoever mistakes where a hole is
    falls into it. Each turn is answered by one reply, which may hold a belief of the state now and
    of the state after the moves.

Seats
    One, ``player_0``.

Observation
    Dict of ``text`` and ``image`` (uint8 300 x 300 x 3, drawn); ``shows`` takes either alone. With
    ``control="move"`` also the codes, uint8 4 x 4 x 1.

Actions
    Text: a reply of the strategy's format with up to three moves, such as ``Up, Left``. With
    ``control="move"`` Discrete 4: up, down, left, right.

Rules
    A move goes one cell; the edge holds one back. Moves are carried out in order until the gift or
    a hole is reached or a word is no move; what exceeds ``actions_per_turn`` is dropped. On
    ``slippery`` ice a move goes where it should or to either side, each one time in three.

Reward
    10 on the gift, 0 in a hole. A reply of the format with known moves only: +0.5. Right beliefs:
    up to ``belief_rewards``, F1 of the gift (0.7) and of the holes (0.3), half for one right axis.

End
    Terminated on the gift and in a hole; truncated after ``turns`` turns or 100 moves.

Words
    ``_ O G P X √``: ice, hole, gift, player, player in a hole, player on the gift.

Parameters
    See ``FrozenLakeParams``.

Metrics
    ``success``, ``turns``, ``actions``, ``format_rate``, ``valid_rate``, ``effective_rate``,
    ``state_estimation``, ``transition_modeling``, ``reply_length``.

Source
    Wang et al., VAGEN: Reinforcing World Model Reasoning for Multi-Turn VLM Agents (NeurIPS 2025),
    on Gymnasium's FrozenLake. Derived: maps follow from the seed (the original's do not); with
    ``legacy`` the rules call the ice slippery when it is not.

Versions
    v0: first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from gymposium.errors import UsageError

from ..limits import whole
from .beliefs import FROZEN_LAKE
from .boards import FrozenLakeBoard
from .grid_turns import GridTurns, GridTurnsParams, levels

_BEFORE = ("P__O", "_O__", "__G_", "____")
_AFTER = ("___O", "_O__", "P_G_", "____")


@dataclass(frozen=True)
class FrozenLakeParams(GridTurnsParams):
    """Parameters of ``frozen_lake-v0``."""

    size: int = field(default=4, metadata={"doc": "cells a side", "range": [2, 12]})
    frozen: float = field(
        default=0.8, metadata={"doc": "chance that a cell is frozen", "range": "0.3 to 1"}
    )
    slippery: bool = field(default=False, metadata={"doc": "whether one slips"})

    def __post_init__(self) -> None:
        super().__post_init__()
        whole("frozen_lake", "size", self.size, 2, 12)
        if isinstance(self.frozen, bool) or not 0.3 <= self.frozen <= 1:
            raise UsageError(f"frozen_lake: frozen must be from 0.3 to 1, got {self.frozen!r:.40}")


class FrozenLake(GridTurns):
    """Cross the ice to the gift."""

    id: ClassVar[str] = "frozen_lake-v0"
    sheet = "frozen_lake"
    symbols = "_OGPX√"
    legend: ClassVar[Mapping[str, Sequence[str]]] = {
        "O": ("hole",),
        "G": ("target",),
        "P": ("player",),
        "X": ("player", "hole"),
        "√": ("player", "target"),
    }
    kinds = ("target", "hole")
    weights = FROZEN_LAKE
    partly = True
    kind = "mixed"

    def __init__(self, **params: Any) -> None:
        made = FrozenLakeParams(**params)
        super().__init__(made)
        said = abs(made.format_reward) + sum(map(abs, made.belief_rewards)) + 0.2
        self.return_range = (-said * made.turns, 10.0 + said * made.turns)

    def board(self, rows: int) -> FrozenLakeBoard:
        """So many lakes."""
        p = self.params
        first, count = 0, 0
        if p.split != "any":
            first = levels("train") if p.split == "test" else 0
            count = levels(p.split)
        if p.level is not None:
            first, count = first + p.level, 1
        return FrozenLakeBoard(
            rows, size=p.size, frozen=p.frozen, slippery=p.slippery, first=first, count=count
        )

    def _luck(self) -> bytes:
        lakes = self._board.lakes  # type: ignore[attr-defined]
        return bytes(lakes.rng.tobytes()) if self.params.slippery else b""

    def _told(self) -> str:
        p = self.params
        ice = "The ice is not slippery."
        if p.slippery or p.legacy:
            ice = "The ice is slippery: you may slip to either side."
        return (
            "You walk over a frozen lake to a gift, the target, and must not fall into a hole. You "
            f"go Up, Down, Left or Right by one cell; the edge holds you back. {ice} Symbols: _ "
            "ice, O hole, G target, P player, X player in a hole, √ player on the target. Rows are "
            "counted from the top, columns from the left, from 0. The target earns 10."
        )

    def _examples(self) -> tuple[Mapping[str, str], Sequence[str]]:
        why = "There is a hole between me and the target, so I go down first."
        return self._example(_BEFORE, _AFTER, why), ("Down", "Down")
