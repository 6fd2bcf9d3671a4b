"""Bots that draw: one that copies what it sees as a mosaic, and one that draws nothing."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from gymposium.errors import UsageError
from gymposium.types import Seat, Turn

WORLDS = ("svg_reconstruction-v0",)
_ROOM = 3_600
"""Characters of a mosaic; what does not fit is left white."""


class SvgMosaic:
    """Lays the picture out in squares of its colours, row by row."""

    name: ClassVar[str] = "svg_mosaic"
    summary: ClassVar[str] = "Copies the icon as a mosaic of cells by cells squares."
    worlds: ClassVar[tuple[str, ...]] = WORLDS
    deterministic: ClassVar[bool] = True

    def __init__(self, cells: int = 16) -> None:
        if not isinstance(cells, int) or not 1 <= cells <= 64:
            raise UsageError(
                f"svg_mosaic: cells must be a whole number from 1 to 64, got {cells!r}"
            )
        self._cells = cells

    def reset(self, seat: Seat, seed: int) -> None:
        """Nothing to remember."""

    def act(self, turn: Turn) -> str:
        """The mosaic, equal neighbours in one piece."""
        if "target" not in turn.observation:
            raise UsageError("svg_mosaic copies pictures: set shows to image or both")
        target, cells = np.asarray(turn.observation["target"]), self._cells
        edges = np.linspace(0, len(target), cells + 1).astype(int)
        pieces: list[str] = []
        room = _ROOM
        for row in range(cells):
            band = target[edges[row] : edges[row + 1]]
            colours = [_colour(band[:, edges[c] : edges[c + 1]]) for c in range(cells)]
            start = 0
            for column in range(1, cells + 1):
                if column < cells and colours[column] == colours[start]:
                    continue
                if colours[start] != "#fff":
                    width = column - start
                    shape = f"x='{start}' y='{row}' width='{width}' height='1'"
                    piece = f"<rect {shape} fill='{colours[start]}'/>"
                    room -= len(piece)
                    pieces += [piece] if room > 0 and len(pieces) < 250 else []
                start = column
        return _document(cells, "".join(pieces))


class SvgBlank:
    """Draws an empty sheet."""

    name: ClassVar[str] = "svg_blank"
    summary: ClassVar[str] = "Draws an empty sheet: what any drawing has to beat."
    worlds: ClassVar[tuple[str, ...]] = WORLDS
    deterministic: ClassVar[bool] = True

    def reset(self, seat: Seat, seed: int) -> None:
        """Nothing to remember."""

    def act(self, turn: Turn) -> str:
        """The sheet."""
        return _document(1, "")


def _document(side: int, inside: str) -> str:
    crisp = "shape-rendering='crispEdges'"
    head = f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {side} {side}' {crisp}>"
    return f"<answer>{head}{inside}</svg></answer>"


def _colour(square: Any) -> str:
    """Its commonest colour, sixteen steps a channel, so that neighbours become equal."""
    codes = (square.reshape(-1, 3).astype(int) + 8) // 17 @ np.array([256, 16, 1])
    return f"#{int(np.bincount(codes).argmax()):03x}"


BOTS: dict[str, type] = {bot.name: bot for bot in (SvgMosaic, SvgBlank)}
