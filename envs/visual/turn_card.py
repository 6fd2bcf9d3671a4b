"""A turn to be looked at: the picture, and beside it what was believed, what is true, what it paid.

The frame that spectators and films get of worlds that are answered by reasoning.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..palette import INK, PAPER, QUIET, Colour
from ..text_card import font, printable, wrapped

if TYPE_CHECKING:
    from gymposium.types import Image

WIDTH = 380
"""Of the words beside the picture, in pixels."""
_SIZE, _PITCH, _MARGIN = 13, 18, 14
_GOOD: Colour = (30, 130, 80)


def turn_card(picture: Image, title: str, last: Mapping[str, Any]) -> Image:
    """The picture with words on its right; one size for one size of picture.

    Args:
        picture: uint8 ``[H, W, 3]``.
        title: on top.
        last: what a turn came to, as in its ``info``.

    Returns:
        uint8 ``[max(H, 300), W + WIDTH, 3]``.
    """
    from PIL import Image as Pictures
    from PIL import ImageDraw

    height, width, _ = picture.shape
    card = Pictures.new("RGB", (width + WIDTH, max(height, 300)), PAPER)
    card.paste(Pictures.fromarray(picture), (0, (card.height - height) // 2))
    pen = ImageDraw.Draw(card)
    pen.text((width + _MARGIN, _MARGIN), printable(title), INK, font(16))
    y = _MARGIN + 26
    for label, text, colour in _rows(last):
        pen.text((width + _MARGIN, y), label, QUIET, font(11))
        y += 14
        lines = wrapped(printable(text), _SIZE, WIDTH - 2 * _MARGIN)
        for line in [*lines[:3], "..."] if len(lines) > 4 else lines:
            pen.text((width + _MARGIN, y), line, colour, font(_SIZE))
            y += _PITCH
        y += 4
    return np.asarray(card)


def _rows(last: Mapping[str, Any]) -> list[tuple[str, str, Colour]]:
    metrics = last["turn_metrics"]
    paid = ", ".join(
        f"{name} {metrics[key]:g}"
        for name, key in (
            ("format", "format_reward"),
            ("belief now", "grounding_reward"),
            ("prediction", "worldmodeling_reward"),
            ("world", "environment_reward"),
        )
    )
    said = [(name, text or "(nothing)", INK) for name, text in last["said"].items()]
    done = ", ".join(last["executed"]) or "nothing"
    right = _GOOD if metrics["format_correct"] else INK
    return [*said, ("carried out", done, INK), ("scores", paid, right), *_true(last["state"])]


def _true(state: Mapping[str, Any]) -> list[tuple[str, str, Colour]]:
    shown = {name: value for name, value in state.items() if name != "map"}  # the picture has it
    told = "; ".join(f"{name} {value}" for name, value in shown.items())
    return [("truth", told, INK)] if told else []
