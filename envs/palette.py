"""The colours of seats: one list for sprites, cards and scoreboards, so that a seat keeps its own.

Ten hues that stay apart on sand and on grass; further seats take steps of the golden angle round
the wheel.
"""

from __future__ import annotations

import colorsys

Colour = tuple[int, int, int]

INK: Colour = (38, 40, 46)
PAPER: Colour = (251, 249, 244)
QUIET: Colour = (128, 126, 120)

# In the order in which worlds that name colours (coins) give them to their seats.
_SEATS: tuple[Colour, ...] = (
    (34, 152, 96),
    (222, 74, 58),
    (45, 105, 205),
    (236, 184, 32),
    (236, 126, 38),
    (142, 84, 190),
    (24, 172, 196),
    (150, 154, 164),
    (222, 98, 160),
    (132, 86, 48),
)


def seat_colour(index: int) -> Colour:
    """The colour of seat ``index`` (from 0); distinct for any number of seats."""
    if index < len(_SEATS):
        return _SEATS[index]
    hue = 0.08 + (index - len(_SEATS)) * 0.618034
    red, green, blue = colorsys.hsv_to_rgb(hue % 1, 0.55 + 0.1 * (index % 3), 0.72)
    return round(255 * red), round(255 * green), round(255 * blue)
