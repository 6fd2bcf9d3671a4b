"""A picture of the town: a disc per place with everybody in it, and the course of cooperation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..palette import INK, PAPER, QUIET, Colour, seat_colour
from ..text_card import font
from .town_rules import STRATEGIES, Town
from .town_words import PLACES

if TYPE_CHECKING:
    from gymposium.types import Image

    from .town_params import TownParams

SIZE = (720, 480)
_CHEAP: tuple[Colour, ...] = ((86, 160, 211), (214, 96, 77), (120, 178, 96))
_GROUND: Colour = (236, 231, 220)
_CHART = (24, 372, 696, 452)
_GOLDEN = math.pi * (3 - math.sqrt(5))


def town_picture(params: TownParams, town: Town, series: Mapping[str, Sequence[Any]]) -> Image:
    """The town as uint8, 480 x 720 x 3; seats are large and have the colours of their seats.

    Args:
        params: of the world.
        town: its arrays.
        series: what the data collector has kept so far.
    """
    from PIL import Image as Pillow
    from PIL import ImageDraw

    canvas = Pillow.new("RGB", SIZE, PAPER)
    pen = ImageDraw.Draw(canvas)
    columns = max(range(1, params.places + 1), key=lambda many: _room(params.places, many))
    rows = math.ceil(params.places / columns)
    radius = _room(params.places, columns) / 2 - 18
    for place in range(params.places):
        row, column = divmod(place, columns)
        inside = min(columns, params.places - row * columns)
        x = SIZE[0] * (column + 0.5) / inside
        y = 28 + 320 * (row + 0.5) / rows
        pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=_GROUND)
        name = f"{PLACES[place].removeprefix('the ')} {int((town.place == place).sum())}"
        pen.text((x, y - radius - 9), name, fill=INK, font=font(13), anchor="mm")
        _people(pen, params, town, np.flatnonzero(town.place == place), x, y, radius)
    _legend(pen)
    _course(pen, params.hours, series)
    return np.asarray(canvas, np.uint8).copy()


def _room(places: int, columns: int) -> float:
    """Pixels that a place has in so many columns."""
    return min(SIZE[0] / columns, 320 / math.ceil(places / columns))


def _people(
    pen: Any, params: TownParams, town: Town, who: Any, x: float, y: float, radius: float
) -> None:
    """Dots in a sunflower's order, partners beside each other, seats last and so on top."""
    order = sorted(who, key=lambda one: min(one, town.partner[one] % (params.people + 1)))
    spread = (radius - 8) / math.sqrt(max(len(order), 12))
    size = max(1.5, min(5.0, spread * 0.55))
    spots = {}
    for number, one in enumerate(order):
        angle, away = number * _GOLDEN, spread * math.sqrt(number + 0.5)
        spots[one] = (x + away * math.cos(angle), y + away * math.sin(angle))
    for one in sorted(spots, reverse=True):
        seat = one < params.seats
        colour = seat_colour(int(one)) if seat else _CHEAP[int(town.strategy[one])]
        dot, (left, top) = (size + 4 if seat else size), spots[one]
        edge = INK if seat else None
        box = (left - dot, top - dot, left + dot, top + dot)
        pen.ellipse(box, fill=colour, outline=edge, width=2 if seat else 1)
        if seat:
            pen.text((left, top), str(int(one)), fill=INK, font=font(11), anchor="mm")


def _legend(pen: Any) -> None:
    x = 24
    for name, colour in zip(STRATEGIES, _CHEAP, strict=True):
        pen.ellipse((x, 356, x + 8, 364), fill=colour)
        pen.text((x + 13, 360), name, fill=INK, font=font(12), anchor="lm")
        x += 30 + int(font(12).getlength(name))
    pen.text((x, 360), "numbered: seats", fill=INK, font=font(12), anchor="lm")


def _course(pen: Any, hours: int, series: Mapping[str, Sequence[Any]]) -> None:
    """Lines over the hours, on a scale from 0 to 1."""
    left, top, right, bottom = _CHART
    pen.rectangle(_CHART, outline=QUIET)
    colours = dict(zip((f"{name}s" for name in STRATEGIES), _CHEAP, strict=True))
    for name, colour in {"cooperation": INK, **colours}.items():
        points = [
            (left + (right - left) * (hour + 1) / hours, bottom - (bottom - top) * share)
            for hour, share in enumerate(series[name])
            if share == share  # an hour without meetings has no share
        ]
        if len(points) == 1:
            pen.point(points, fill=colour)
        pen.line(points, fill=colour, width=3 if name == "cooperation" else 1)
    done = len(series["cooperation"])
    said = f"share of cooperation (black) and of strategies, hour {done} of {hours}"
    pen.text((left, bottom + 12), said, fill=QUIET, font=font(12), anchor="lm")
