"""What the two of ``pair_sokoban-v0`` see and are told: parameters, codes, symbols, rules."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gymposium.errors import UnknownName, UsageError

from ..limits import whole
from ..markets.money import MAX_SAY
from ..speech import spelled
from .grid_turns import SPLITS, levels
from .kernels.sokoban_maker import BOX, BOX_ON, FLOOR, PLAYER, PLAYER_ON, TARGET
from .reasoned_params import REPRESENTATIONS, SHOWS
from .replies import WRITABLE

SEATS = ("player_0", "player_1")
SPLIT, WINDOWS, FULL = "split", "windows", "full"
LABELS = ("stay", "up", "down", "left", "right")
STEPS = ((0, 0), (-1, 0), (1, 0), (0, -1), (0, 1))
PARTNER, PARTNER_ON, UNKNOWN = range(PLAYER_ON + 1, PLAYER_ON + 4)
SYMBOLS = "#_O√XPSAT?"
LEGEND: Mapping[str, Sequence[str]] = {
    "O": ("target",),
    "√": ("box", "target"),
    "X": ("box",),
    "P": ("player",),
    "S": ("player", "target"),
    "T": ("target",),
}
MAX_BELIEF = 600


@dataclass(frozen=True)
class PairSokobanParams:
    """Parameters of ``pair_sokoban-v0``."""

    views: str = field(
        default=SPLIT, metadata={"doc": "who sees what", "choices": (SPLIT, WINDOWS, FULL)}
    )
    radius: int = field(
        default=1, metadata={"doc": "with windows: cells seen in every direction", "range": [1, 5]}
    )
    shows: str = field(default="both", metadata={"doc": "what is seen", "choices": SHOWS})
    talk: bool = field(default=True, metadata={"doc": "whether what is said is heard"})
    beliefs: bool = field(default=False, metadata={"doc": "ask for a belief of the whole room"})
    belief_reward: float = field(
        default=0.0, metadata={"doc": "for a right belief, each step", "range": "-10 to 10"}
    )
    representation: str = field(
        default="natural", metadata={"doc": "how beliefs are written", "choices": REPRESENTATIONS}
    )
    horizon: int = field(default=20, metadata={"doc": "most steps", "range": [1, 1000]})
    split: str = field(
        default="train", metadata={"doc": "which list rooms are from", "choices": SPLITS}
    )
    level: int | None = field(
        default=None, metadata={"doc": "the one room of the list; None to draw it each match"}
    )
    size: int = field(
        default=6, metadata={"doc": "cells a side; other than 6 with split any", "range": [5, 10]}
    )
    pixels: int = field(default=300, metadata={"doc": "side of a picture", "range": [24, 1024]})

    def __post_init__(self) -> None:
        where = "pair_sokoban"
        for name, known in (
            ("views", (SPLIT, WINDOWS, FULL)),
            ("shows", SHOWS),
            ("representation", REPRESENTATIONS),
            ("split", SPLITS),
        ):
            if getattr(self, name) not in known:
                raise UnknownName(name, str(getattr(self, name)), known, where=where)
        for name, low, high in (
            ("radius", 1, 5),
            ("horizon", 1, 1000),
            ("size", 5, 10),
            ("pixels", 24, 1024),
        ):
            whole(where, name, getattr(self, name), low, high)
        if isinstance(self.belief_reward, bool) or not abs(self.belief_reward) <= 10:
            raise UsageError(f"{where}: belief_reward must be within ±10: {self.belief_reward!r}")
        if self.belief_reward and not self.beliefs:
            raise UsageError(f"{where}: belief_reward needs beliefs=True, or none are asked for")
        if self.split != "any" and self.size != 6:
            raise UsageError(f"{where}: the lists hold 6 x 6 rooms; give split='any'")
        if self.level is not None:
            if self.split == "any":
                raise UsageError(f"{where}: level is of a list: give split='train' or 'test'")
            whole(where, "level", self.level, 0, levels(self.split) - 1)


NO_TARGETS, NO_BOXES = (np.arange(UNKNOWN + 1, dtype=np.uint8) for _ in range(2))
NO_TARGETS[[TARGET, BOX_ON, PLAYER_ON, PARTNER_ON]] = FLOOR, BOX, PLAYER, PARTNER
NO_BOXES[[BOX, BOX_ON]] = FLOOR, TARGET


def drawing(codes: Any) -> str:
    """Codes ``[H, W]`` in symbols, a line a row."""
    return "\n".join("".join(SYMBOLS[code] for code in row) for row in codes.tolist())


def state_of(codes: Any) -> dict[str, Any]:
    """Codes ``[H, W]`` as the state that beliefs are about."""
    rows = drawing(codes).splitlines()
    found: dict[str, Any] = {"player": [], "box": [], "target": []}
    for row, line in enumerate(rows):
        for column, mark in enumerate(line):
            for kind in LEGEND.get(mark, ()):
                found[kind].append([row, column])
    return {**found, "player": found["player"][0], "map": rows}


def writable(text: Any) -> str:
    """A belief as it can be written down; "" for none."""
    if not isinstance(text, str):
        text = "" if text is None else json.dumps(text)
    return spelled(text, WRITABLE)[:MAX_BELIEF]


def told(params: PairSokobanParams, seat: str) -> str:
    """What both want, what this seat sees, and how to answer."""
    p, partner = params, SEATS[1 - SEATS.index(seat)]
    eyes = {
        FULL: "You both see everything.",
        WINDOWS: f"You see what is within {p.radius} cells of you, your partner likewise.",
        SPLIT: {
            "player_0": "You see boxes but no targets; your partner sees targets, no boxes.",
            "player_1": "You see targets but no boxes; your partner sees boxes, no targets.",
        }[seat],
    }[p.views]
    talk = "What you say is heard in the next step. " if p.talk else "You cannot be heard. "
    belief = ""
    if p.beliefs:
        how = {
            "natural": "in words, as in: The box is above and to the left of me",
            "structured": 'as JSON: {"player": [row, column], "box": …, "target": …}',
            "symbolic": "as a drawing of the whole room in these symbols",
        }[p.representation]
        belief = f' In "belief", say where box and target are, seen from you, {how}.'
    return (
        f"You are {seat}. You and {partner} push one box onto its target in a room seen from "
        "above; it goes one cell when you walk against it and the cell behind it is free. "
        f"{eyes} {talk}Symbols: # wall, _ floor, O target, X box, √ box on target, P you, S "
        "you on a target, A partner, T partner on a target, ? unseen. Rows are counted from "
        "the top, columns from the left, from 0. Each step costs you both 0.1, the box onto "
        f"the target earns 11. You move at the same time.{belief} Answer with a JSON object: "
        f'{{"move": one of {", ".join(LABELS)}, "say": at most {MAX_SAY} characters'
        f"{', ' + chr(34) + 'belief' + chr(34) + ': text' if p.beliefs else ''}}}."
    )
