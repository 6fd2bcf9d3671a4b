"""A picture of words: the frame of worlds that have nothing else to show.

Pillow draws it with the font it carries, so there is no window system, no font to install and the
same picture everywhere. A card has one size whatever it says, as films need: type shrinks until
the text fits, and what still does not fit is cut at its beginning, where the oldest lines stand.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from .palette import INK, PAPER, QUIET, Colour, seat_colour

if TYPE_CHECKING:
    from gymposium.types import Image

WIDTH, HEIGHT = 640, 400
_HEADER = 44
_MARGIN = 22
_SIZES = (20, 17, 15, 13, 11)
_MAX_CHARACTERS = 6000  # more cannot fit, and measuring it takes time


@lru_cache(maxsize=32)
def font(size: int) -> Any:
    """Pillow's own font at ``size`` pixels."""
    from PIL import ImageFont

    return ImageFont.load_default(size)


def printable(text: str) -> str:
    """``text`` as the font can draw it, in the same lines: no accents, no control characters."""
    plain = (c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return "".join(c if c.isprintable() or c == "\n" else " " for c in plain)


def wrapped(text: str, size: int, width: int) -> list[str]:
    """``text`` in lines of at most ``width`` pixels, broken between words where that is possible.

    Leading spaces of a line are kept, and repeated for the lines it is broken into.
    """
    return [line for each in text.split("\n") for line in _lines(each, size, width)]


@lru_cache(maxsize=1024)  # what was said is drawn again in every later frame
def _lines(paragraph: str, size: int, width: int) -> tuple[str, ...]:
    """The lines of one paragraph."""
    letters = font(size)
    lines: list[str] = []
    indent = paragraph[: len(paragraph) - len(paragraph.lstrip())]
    line = indent
    for word in paragraph.split():
        joined = f"{line} {word}" if line.strip() else line + word
        if letters.getlength(joined) <= width:
            line = joined
            continue
        if line.strip():
            lines.append(line)
        *full, line = _broken(indent, word, letters, width)
        lines += full
    return (*lines, line)


def _broken(indent: str, word: str, letters: Any, width: int) -> list[str]:
    """A word alone on its line, or cut into pieces that fit."""
    pieces, piece = [], indent
    for letter in word:
        if letters.getlength(piece + letter) > width and piece != indent:
            pieces.append(piece)
            piece = indent
        piece += letter
    return [*pieces, piece]


def text_card(title: str, note: str, text: str, *, seats: Sequence[str] = ()) -> Image:
    """``text`` on a card.

    Args:
        title: in the header, on the left.
        note: in the header, on the right (which step it is).
        text: what the card says; the seats it names are drawn in their colours.
        seats: the seats, in seating order.

    Returns:
        uint8, HEIGHT x WIDTH x 3.
    """
    from PIL import Image as Pictures
    from PIL import ImageDraw

    picture = Pictures.new("RGB", (WIDTH, HEIGHT), PAPER)
    pen = ImageDraw.Draw(picture)
    pen.rectangle((0, 0, WIDTH, _HEADER), fill=INK)
    pen.text((_MARGIN, _HEADER // 2), printable(title), PAPER, font(18), anchor="lm")
    pen.text((WIDTH - _MARGIN, _HEADER // 2), printable(note), PAPER, font(15), anchor="rm")
    size, lines = _fitted(printable(text[-_MAX_CHARACTERS:]))
    y = _HEADER + 16
    colours = {seat: seat_colour(number) for number, seat in enumerate(seats)}
    for line in lines:
        _write(pen, _MARGIN, y, line, size, colours)
        y += _pitch(size)
    return np.asarray(picture)


def _pitch(size: int) -> int:
    return round(1.45 * size)


def _fitted(text: str) -> tuple[int, list[str]]:
    room, paragraphs = HEIGHT - _HEADER - 32, text.split("\n")
    for size in _SIZES:
        fit = room // _pitch(size)
        lines: list[str] = []
        for each in reversed(paragraphs):  # of what does not fit the end is kept
            lines[:0] = _lines(each, size, WIDTH - 2 * _MARGIN)
            if len(lines) > fit:
                break
        else:
            return size, lines
    return size, ["…", *lines[len(lines) - fit + 1 :]]


def _write(pen: Any, x: float, y: int, line: str, size: int, colours: Mapping[str, Colour]) -> None:
    """A line with every seat it names in that seat's colour; ``[seat]`` loses its brackets."""
    if line == "…":
        pen.text((x, y), line, QUIET, font(size))
        return
    tag = line[1:].partition("]")[0]
    if line[:1] == "[" and tag in colours:
        line = f"{tag} {line[len(tag) + 2 :]}"
    names = "|".join(sorted(map(re.escape, colours), key=len, reverse=True)) or r"(?!)"
    for part in re.split(rf"(?<!\w)({names})(?!\w)", line):
        pen.text((x, y), part, colours.get(part, INK), font(size))
        x += font(size).getlength(part)
