"""A picture of the venue: manuscripts by quality and prestige, and the figures over the years."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..palette import INK, PAPER, QUIET, Colour
from ..text_card import font

if TYPE_CHECKING:
    from gymposium.types import Image

    from .venue import Venue

SIZE = (720, 440)
_FIELD = (56, 40, 430, 388)
_CHART = (486, 40, 704, 388)
_TAKEN: Colour = (214, 126, 44)
_LEFT: Colour = (168, 176, 186)
_LINES: tuple[tuple[str, Colour], ...] = (
    ("overlap", (34, 152, 96)),
    ("gini", (142, 84, 190)),
    ("spearman", (45, 105, 205)),
)


def conference_picture(venue: Venue) -> Image:
    """The venue as uint8, 440 x 720 x 3.

    In the field each dot is a manuscript of the latest year that was decided, or of the one under
    review before there is any; those accepted are orange.
    """
    from PIL import Image as Pillow
    from PIL import ImageDraw

    canvas = Pillow.new("RGB", SIZE, PAPER)
    pen = ImageDraw.Draw(canvas)
    _field(pen, venue)
    _chart(pen, venue)
    return np.asarray(canvas, np.uint8).copy()


def _field(pen: Any, venue: Venue) -> None:
    left, top, right, bottom = _FIELD
    pen.rectangle(_FIELD, outline=QUIET)
    kept, count = venue.datacollector.tables["manuscripts"], venue.params.authors
    if venue.held:
        latest = {name: np.array(kept[name][-count:]) for name in ("quality", "prestige")}
        taken = np.array(kept["accepted"][-count:], bool)
        title = f"year {venue.held}, by {venue.figures['mechanism']}:"
    else:
        known = venue.prestige[venue.institution]
        latest = {"quality": venue.quality, "prestige": known}
        taken = np.zeros(count, bool)
        title = "year 1, under review" if venue.round is not None else "before the first year"
    x = left + (right - left) * (np.clip(latest["prestige"], -3, 3) + 3) / 6
    y = bottom - (bottom - top) * (np.clip(latest["quality"], -3, 3) + 3) / 6
    for chosen, colour in ((False, _LEFT), (True, _TAKEN)):
        for across, down in zip(x[taken == chosen], y[taken == chosen], strict=True):
            pen.ellipse((across - 3, down - 3, across + 3, down + 3), fill=colour)
    across = left
    told = ((title, INK), ("accepted", _TAKEN), ("rejected", _LEFT))[: 3 if venue.held else 1]
    for words, colour in told:
        pen.text((across, top - 14), words, fill=colour, font=font(13), anchor="lm")
        across += 8 + int(font(13).getlength(words))
    pen.text((left, bottom + 14), "prestige of the institution, -3 to 3", fill=QUIET, font=font(12))
    for value in (-2, 0, 2):
        down = bottom - (bottom - top) * (value + 3) / 6
        pen.text((left - 8, down), f"{value:+d}", fill=QUIET, font=font(12), anchor="rm")
    pen.text((8, top - 14), "quality", fill=QUIET, font=font(12), anchor="lm")
    _progress(pen, venue)


def _progress(pen: Any, venue: Venue) -> None:
    _, _, right, bottom = _FIELD
    told = "between years"
    if venue.round is not None:
        what = "pairs" if venue.round.compare else "ratings"
        told = f"year {venue.held + 1} under review: {what}"
    pen.text((right, bottom + 14), told, fill=INK, font=font(12), anchor="ra")


def _chart(pen: Any, venue: Venue) -> None:
    left, top, right, bottom = _CHART
    pen.rectangle(_CHART, outline=QUIET)
    series = venue.datacollector.model_vars
    x = left
    for name, colour in _LINES:
        values = [float(value) for value in series[name]]
        steps = max(venue.params.years - 1, 1)
        points = [
            (left + (right - left) * year / steps, bottom - (bottom - top) * max(0.0, value))
            for year, value in enumerate(values)
        ]
        pen.line(points, fill=colour, width=2)
        for across, down in points:
            pen.ellipse((across - 3, down - 3, across + 3, down + 3), fill=colour)
        pen.text((x, top - 14), name, fill=colour, font=font(13), anchor="lm")
        x += 12 + int(font(13).getlength(name))
    pen.text(
        (left, bottom + 14), f"0 to 1, over {venue.params.years} years", fill=QUIET, font=font(12)
    )
