"""The colours of seats: one list for sprites, cards and scoreboards, so that a seat keeps its own.

Ten hues that stay apart for most colour-blind eyes and on both sand and grass, in the spirit of
Okabe and Ito (2008) and Tol; further seats take steps of the golden angle round the wheel.
"""

from __future__ import annotations

import colorsys

Colour = tuple[int, int, int]

INK: Colour = (38, 40, 46)
PAPER: Colour = (251, 249, 244)
QUIET: Colour = (128, 126, 120)

_SEATS: tuple[Colour, ...] = (
    (45, 105, 205),
    (224, 82, 60),
    (38, 160, 110),
    (236, 168, 32),
    (142, 84, 190),
    (24, 172, 196),
    (222, 98, 160),
    (140, 92, 50),
    (104, 118, 136),
    (150, 180, 40),
)


def seat_colour(index: int) -> Colour:
    """The colour of seat ``index`` (from 0); distinct for any number of seats."""
    if index < len(_SEATS):
        return _SEATS[index]
    hue = 0.08 + (index - len(_SEATS)) * 0.618034
    red, green, blue = colorsys.hsv_to_rgb(hue % 1, 0.55 + 0.1 * (index % 3), 0.72)
    return round(255 * red), round(255 * green), round(255 * blue)
