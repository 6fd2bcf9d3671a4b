"""Pictures of grid worlds: codes in, sprites out, with numpy and nothing else.

A world names a sprite for each of its item codes; seats are drawn over them, each in its colour
and looking where it is headed. The egocentric pictures are what Melting Pot's agents see: 11 x 11
sprites of 8 x 8 pixels, 88 x 88 RGB, the viewer at the bottom looking up. The sprites themselves
are data (``sprites.txt``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gymposium.errors import UnknownName

from ..palette import Colour, seat_colour
from .state import HEADING_SHIFT, OTHER, SELF

if TYPE_CHECKING:
    from gymposium.types import Image

SIZE = 8
"""Pixels of a sprite's side."""

_SEAT = "seat"
# Quarter turns to the left from looking up, by heading (south, east, north, west on a map).
_TURNS = (2, 3, 0, 1)
_SELF, _OTHER = seat_colour(2), seat_colour(1)


class _Drawing(NamedTuple):
    """A sprite as it stands in the sheet: rows of letters, and the letters' colours."""

    rows: list[str]
    colours: Mapping[str, Colour]


@lru_cache(maxsize=1)
def _sheet() -> dict[str, _Drawing]:
    """All sprites by name."""
    colours: dict[str, Colour] = {}
    sprites: dict[str, _Drawing] = {}
    rows: list[str] = []
    looks: Mapping[str, Colour]
    text = resources.files(__package__).joinpath("sprites.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "colour":
            colours[rest[0]] = _colour(rest[2:])
        elif kind == "sprite":
            name, _, other = rest.partition(" = ")
            changes = [word.split(":") for word in other.split() if ":" in word]
            model = " ".join(word for word in other.split() if ":" not in word)
            rows, looks = sprites[model] if model else ([], colours)
            looks = {**looks, **{letter: _colour(code) for letter, code in changes}}
            sprites[name] = _Drawing(rows, looks)
        elif kind and kind != "#":
            rows.append(kind)
    return sprites


def _colour(code: str) -> Colour:
    value = int(code, 16)
    return value >> 16, value >> 8 & 255, value & 255


def sprite(name: str) -> Image:
    """A sprite as uint8 ``[8, 8, 3]``.

    Raises:
        UnknownName: there is none of that name.
    """
    sheet = _sheet()
    if name not in sheet:
        raise UnknownName("sprite", name, sheet)
    rows, colours = sheet[name]
    return np.array([[colours[c] for c in row] for row in rows], np.uint8)


@lru_cache(maxsize=256)
def seat_sprites(colour: Colour) -> tuple[Any, Any]:
    """A seat looking up, and turned left once, twice and three times.

    Returns:
        Pixels uint8 ``[4, 8, 8, 3]`` and where they cover the ground, bool ``[4, 8, 8]``.
    """
    rows, colours = _sheet()[_SEAT]
    shades = {"o": 0.5, "b": 1.0, "s": 0.82}
    body = {c: tuple(round(part * share) for part in colour) for c, share in shades.items()}
    looks = {**colours, **body}
    pixels = np.array([[looks[c] for c in row] for row in rows], np.uint8)
    covers = np.array([[c != "." for c in row] for row in rows])
    turned = [np.rot90(pixels, turn) for turn in range(4)]
    return np.stack(turned), np.stack([np.rot90(covers, turn) for turn in range(4)])


@lru_cache(maxsize=64)
def tiles(items: tuple[str, ...]) -> Tiles:
    """The tiles of a world's items, made once."""
    return Tiles(items)


class Tiles:
    """Draws the codes of one world."""

    def __init__(self, items: Sequence[str]) -> None:
        """Prepare.

        Args:
            items: the name of a sprite for every item code, in order.

        Raises:
            UnknownName: there is no such sprite.
        """
        self._items = np.stack([sprite(name) for name in items])

    def view(self, codes: Any) -> Image:
        """What seats see, as pictures.

        Args:
            codes: uint8 ``[…, H, W, 2]`` as a world emits them: item and whoever stands there,
                headings relative to the viewer's.

        Returns:
            uint8 ``[…, 8 H, 8 W, 3]``: oneself blue, everybody else red.
        """
        codes = np.asarray(codes)
        ground = self._items[codes[..., 0]]
        seats = codes[..., 1]
        for mark, colour in ((SELF, _SELF), (OTHER, _OTHER)):
            here = (seats & mark) != 0
            # Headings count left turns, relative to the viewer, who looks up.
            turns = (seats[here] >> HEADING_SHIFT) & 3 if mark == OTHER else 0
            _cover(ground, here, seat_sprites(colour), turns)
        return _joined(ground)

    def map(self, items: Any, places: Any, headings: Any, *, scale: int = 1) -> Image:
        """The whole map.

        Args:
            items: uint8 ``[H, W]``, item codes.
            places: int ``[A, 2]``, row and column of every seat; negative if it is not there.
            headings: int ``[A]``, where each looks: 0 down, 1 right, 2 up, 3 left.
            scale: how large a sprite's pixel is drawn.

        Returns:
            uint8 ``[8 H scale, 8 W scale, 3]``, seats in their own colours.
        """
        ground = self._items[np.asarray(items)]
        for number, ((row, column), heading) in enumerate(zip(places, headings, strict=True)):
            if row >= 0:
                pixels, covers = seat_sprites(seat_colour(number))
                turn = _TURNS[int(heading)]
                ground[row, column][covers[turn]] = pixels[turn][covers[turn]]
        picture = _joined(ground)
        return np.asarray(picture.repeat(scale, axis=0).repeat(scale, axis=1))


def _cover(ground: Any, here: Any, seats: tuple[Any, Any], turns: Any) -> None:
    """Draw seats over the ground where ``here`` is true, turned left ``turns`` times."""
    pixels, covers = seats
    bare = ground[here]
    turns = np.broadcast_to(turns, len(bare))
    ground[here] = np.where(covers[turns][..., None], pixels[turns], bare)


def _joined(ground: Any) -> Image:
    """Tiles ``[…, H, W, 8, 8, 3]`` as one picture ``[…, 8 H, 8 W, 3]``."""
    height, width = ground.shape[-5:-3]
    return np.ascontiguousarray(np.moveaxis(ground, -3, -4)).reshape(
        *ground.shape[:-5], height * SIZE, width * SIZE, ground.shape[-1]
    )
