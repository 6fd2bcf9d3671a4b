"""Sokoban: push the boxes onto the targets, in a few moves a reply.

What it is
    The warehouse puzzle as a test of reasoning about state: whoever cannot say where player, box
    and target are, and where they will be, pushes boxes into corners. Each turn is answered by one
    reply, which may hold a belief of the state now and of the state after the moves.

Seats
    One, ``player_0``.

Observation
    Dict of ``text`` and ``image`` (uint8 300 x 300 x 3, drawn); ``shows`` takes either alone. With
    ``control="move"`` also the codes, uint8 6 x 6 x 1.

Actions
    Text: a reply of the strategy's format with up to three moves, such as ``Up, Left``. With
    ``control="move"`` Discrete 4: up, down, left, right.

Rules
    A move goes one cell; it pushes a box if the cell behind it is free. Walls, and boxes that
    cannot be pushed, hold one back, which costs a move all the same. Moves are carried out in order
    until all boxes are on targets or a word is no move; what exceeds ``actions_per_turn`` is
    dropped.

Reward
    -0.1 a move, +1 for a box onto a target, -1 for one off it, +10 for all on. A reply of the
    format with known moves only: +0.5. Right beliefs: up to ``belief_rewards``, the mean of F1 of
    boxes and of targets, both axes being right.

End
    Terminated when all boxes are on targets; truncated after ``turns`` turns or 100 moves.

Words
    ``# _ O X P √ S``: wall, floor, target, box, player, box on target, player on target.

Parameters
    See ``SokobanParams``.

Metrics
    ``success``, ``turns``, ``actions``, ``format_rate``, ``valid_rate``, ``effective_rate``,
    ``state_estimation``, ``transition_modeling``, ``reply_length``.

Source
    Wang et al., VAGEN: Reinforcing World Model Reasoning for Multi-Turn VLM Agents (NeurIPS 2025);
    rewards and generator of gym-sokoban (Schrader, 2018). Derived: rooms to test differ from all
    rooms to train; with ``legacy`` the player on a target is shown as if on plain floor.

Versions
    v0: first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from gymposium.errors import UsageError

from ..limits import whole
from . import sokoban_lists
from .beliefs import SOKOBAN
from .boards import SokobanBoard
from .grid_turns import GridTurns, GridTurnsParams
from .kernels.sokoban_maker import MAX_BOXES, MAX_STATES

_BEFORE = ("######", "#____#", "#PXO_#", "#____#", "######")
_AFTER = ("######", "#____#", "#_P√_#", "#____#", "######")


@dataclass(frozen=True)
class SokobanParams(GridTurnsParams):
    """Parameters of ``sokoban-v0``."""

    size: int = field(default=6, metadata={"doc": "cells a side, walls included", "range": [5, 12]})
    boxes: int = field(default=1, metadata={"doc": "boxes and targets", "range": [1, MAX_BOXES]})

    def __post_init__(self) -> None:
        super().__post_init__()
        whole("sokoban", "size", self.size, 5, 12)
        whole("sokoban", "boxes", self.boxes, 1, MAX_BOXES)
        if (self.size - 2) ** (2 * self.boxes + 2) > MAX_STATES:
            raise UsageError(
                f"sokoban: {self.boxes} boxes on {self.size} x {self.size} cells have too many "
                "states to play backwards through; take fewer boxes or cells"
            )
        listed = (sokoban_lists.SIZE, sokoban_lists.BOXES)
        if self.split != "any" and (self.size, self.boxes) != listed:
            raise UsageError("sokoban: the lists hold 6 x 6 rooms with one box; give split='any'")


class Sokoban(GridTurns):
    """Push the boxes onto the targets."""

    id: ClassVar[str] = "sokoban-v0"
    sheet = "sokoban"
    symbols = "#_O√XPS"
    legend: ClassVar[Mapping[str, Sequence[str]]] = {
        "O": ("target",),
        "√": ("box", "target"),
        "X": ("box",),
        "P": ("player",),
        "S": ("player", "target"),
    }
    kinds = ("box", "target")
    weights = SOKOBAN
    partly = False
    kind = "mixed"

    def __init__(self, **params: Any) -> None:
        made = SokobanParams(**params)
        if made.legacy:
            self.symbols = "#_O√XPP"
        super().__init__(made)
        pushes = 11.0 + 2 * self.moves  # a box may go on and off again
        said = abs(made.format_reward) + sum(map(abs, made.belief_rewards)) + 0.2
        self.return_range = (-2.1 * self.moves - said * made.turns, pushes + said * made.turns)

    def board(self, rows: int) -> SokobanBoard:
        """So many rooms."""
        p = self.params
        return SokobanBoard(rows, size=p.size, boxes=p.boxes, split=p.split, level=p.level)

    def _told(self) -> str:
        p = self.params
        boxes = "the box" if p.boxes == 1 else f"all {p.boxes} boxes"
        symbols = "# wall, _ floor, O target, X box, P player, √ box on target, S player on target"
        if p.legacy:
            symbols = symbols.rpartition(",")[0]
        return (
            f"You push {boxes} onto the targets of a room, which you see from above. You go Up, "
            "Down, Left or Right by one cell; walking against a box pushes it if the cell behind "
            "it is free, and you cannot pull. A box in a corner is lost, so plan ahead. Symbols: "
            f"{symbols}. Rows are counted from the top, columns from the left, from 0. Each move "
            "costs 0.1; a box onto a target earns 1, off it costs 1, all on earn 10."
        )

    def _examples(self) -> tuple[Mapping[str, str], Sequence[str]]:
        why = "The box is between me and the target, so I push it to the right."
        return self._example(_BEFORE, _AFTER, why), ("Right",)


def solved_within(codes: Any, most: int) -> int:
    """The fewest moves that solve a room of the lists' kind; -1 if there are none up to ``most``.

    Args:
        codes: uint8 ``[6, 6]``.
        most: moves to look ahead.
    """
    return int(sokoban_lists.optima(np.ascontiguousarray(codes).reshape(1, -1), most)[0])
