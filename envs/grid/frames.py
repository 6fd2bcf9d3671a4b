"""A grid world's match as a picture for a spectator: the whole map, the seats, and their beams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .beams import reach
from .game import GridGame
from .state import AWAY, FLAG_SPECIAL, FLAG_ZAPS, MARGIN, new_desk
from .tiles import SIZE, tiles

if TYPE_CHECKING:
    from gymposium.types import Image

SCALE = 2
_BEAMS = ((FLAG_SPECIAL, (150, 228, 255)), (FLAG_ZAPS, (255, 190, 30)))
_STRENGTH = 0.6  # of a beam's colour over what it falls on


def draw_match(game: GridGame, state: Any) -> Image:
    """The first match of ``state``, just after a step: with the beams that were fired in it.

    Args:
        game: the world; its items name the sprites.
        state: the matches.

    Returns:
        uint8 ``[8 H SCALE, 8 W SCALE, 3]``, seats in their own colours.
    """
    grid, layout, cells = game.grid, game.layout, state.cell[0]
    inner = slice(MARGIN, MARGIN + grid.height), slice(MARGIN, MARGIN + grid.width)
    items = state.grid[0].reshape(-1, grid.stride)[inner]
    places = np.stack([layout.row[cells], layout.column[cells]], axis=1) - MARGIN
    places[cells == AWAY] = -1
    picture = tiles(game.sprites).map(items, places, state.heading[0], scale=SCALE)
    # The last of them is the zapping one; worlds without a second beam use its flag otherwise.
    beams = sum(name.endswith(" beam") for name in game.items)
    for flag, colour in _BEAMS[len(_BEAMS) - beams :]:
        for i in np.flatnonzero((state.flags[0] & flag) != 0):
            _light(picture, state, layout, int(i), colour)
    return picture


def _light(picture: Image, state: Any, layout: Any, i: int, colour: tuple[int, int, int]) -> None:
    """Tint the cells that seat ``i``'s beam falls on."""
    if state.cell[0, i] == AWAY:
        return
    desk = new_desk(layout, state.cell.shape[1])
    reach.py_func(state, layout, 0, i, desk)
    side = SIZE * SCALE
    for cell in desk.lit[desk.lit >= 0]:
        top, left = (layout.row[cell] - MARGIN) * side, (layout.column[cell] - MARGIN) * side
        if 0 <= top < picture.shape[0] and 0 <= left < picture.shape[1]:
            spot = picture[top : top + side, left : left + side]
            spot[:] = (1 - _STRENGTH) * spot + _STRENGTH * np.array(colour)
