"""A scene as one picture: the world's frame, and beside it who does what and has how much."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...envs.palette import INK, PAPER, QUIET, Colour, seat_colour
from ...envs.text_card import font, printable, wrapped
from .scenes import Scene, SeatLine

if TYPE_CHECKING:
    from gymposium.types import Image

HEIGHT = 480
"""Frames are enlarged by the whole number that brings them closest to this many pixels."""

SIDE = 260
_ROW = 58
_LEAST_ROW = 20
_GREEN: Colour = (30, 140, 80)
_RED: Colour = (196, 60, 44)


def board(scene: Scene) -> Image:
    """The whole picture of a scene.

    Returns:
        uint8 HxWx3, height and width even (as films want them) and the same for a whole match.
    """
    from PIL import Image as Pictures
    from PIL import ImageDraw

    frame = enlarged(scene.picture)
    height, width = frame.shape[:2]
    tall = max(height, 74 + _LEAST_ROW * len(scene.seats) + 60)
    tall += tall % 2
    wide = width + SIDE + (width + SIDE) % 2
    picture = Pictures.new("RGB", (wide, tall), PAPER)
    picture.paste((30, 31, 36), (0, 0, width, tall))
    picture.paste(Pictures.fromarray(frame), (0, (tall - height) // 2))
    _panel(ImageDraw.Draw(picture), width + 16, wide - 14, tall, scene)
    return np.asarray(picture)


def enlarged(frame: Image) -> Image:
    """``frame`` with every pixel repeated until it is about HEIGHT high; never made smaller."""
    times = max(1, round(HEIGHT / frame.shape[0]))
    return np.asarray(frame.repeat(times, axis=0).repeat(times, axis=1))


def _panel(pen: Any, left: int, right: int, tall: int, scene: Scene) -> None:
    pen.text((left, 24), printable(scene.world), INK, font(17), anchor="lm")
    pen.text((right, 24), f"step {scene.step}", QUIET, font(14), anchor="rm")
    pen.line((left, 44, right, 44), fill=(214, 210, 200))
    foot = tall - 60
    pitch = min(_ROW, max(_LEAST_ROW, (foot - 58) // max(1, len(scene.seats))))
    y = 58
    for number, line in enumerate(scene.seats):
        _seat(pen, left, right, y, line, seat_colour(number), roomy=pitch >= 44)
        y += pitch
    reason = wrapped(printable(scene.reason), 13, right - left)[:3] if scene.reason else []
    for number, text in enumerate(reason):
        pen.text((left, foot + 4 + 17 * number), text, INK, font(13))


def _seat(
    pen: Any, left: int, right: int, y: int, line: SeatLine, colour: Colour, *, roomy: bool
) -> None:
    """A seat's chip, agent and return; below it, where there is room, its action and reward."""
    pen.rounded_rectangle((left, y + 2, left + 12, y + 14), 3, fill=colour)
    total = f"{line.total:+g}" if line.total else "0"
    pen.text((right, y + 8), total, INK, font(15), anchor="rm")
    room = right - left - 26 - int(font(15).getlength(total))
    pen.text((left + 20, y + 8), _short(line.agent, 15, room), INK, font(15), anchor="lm")
    if not roomy:
        return
    reward = f"{line.reward:+g}" if line.reward else ""
    room = right - left - 26 - int(font(13).getlength(reward))
    below = f"{line.seat}: {line.action}" if line.action else line.seat
    pen.text((left + 20, y + 28), _short(below, 13, room), QUIET, font(13), anchor="lm")
    gained = _GREEN if line.reward > 0 else _RED
    pen.text((right, y + 28), reward, gained, font(13), anchor="rm")


def _short(text: str, size: int, room: int) -> str:
    """``text`` on one line of ``room`` pixels, its end replaced by … if need be."""
    text = " ".join(printable(text[:200]).split())
    if font(size).getlength(text) <= room:
        return text
    while text and font(size).getlength(text + "…") > room:
        text = text[:-1]
    return text.rstrip() + "…"
