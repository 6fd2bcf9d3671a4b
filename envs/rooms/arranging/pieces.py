"""What there is to furnish a room with, by its type: a few pieces with sizes and prices.

Each is a thing of the catalogue at a usual size. Which pieces may face each other, stand
near each other or need room before them is what people have opinions on.
"""

from __future__ import annotations

from typing import NamedTuple

SPOTS = (
    "in store",
    "north-west corner",
    "north wall",
    "north-east corner",
    "west wall",
    "middle",
    "east wall",
    "south-west corner",
    "south wall",
    "south-east corner",
)
"""Where a piece can be, by number; 0 is outside the room."""
STORE, MIDDLE = 0, 5
CORNERS = (1, 3, 7, 9)
WALLS = ("west", "south", "east", "north")
"""In the order of :func:`..scene.walls`."""
MOST_PIECES = 6
"""More would be too many arrangements to list."""


class Piece(NamedTuple):
    """``name`` in talk, ``category`` of the catalogue, (depth, width, height) [m], price."""

    name: str
    category: str
    size: tuple[float, float, float]
    price: int


class Furniture(NamedTuple):
    """What a type of room can hold; pairs and singles are numbers of ``pieces``.

    Attributes:
        pieces: most needed first.
        facing: pairs of which one may face the other.
        near: pairs that may stand near each other.
        clear: pieces before which there may be room.
    """

    pieces: tuple[Piece, ...]
    facing: tuple[tuple[int, int], ...]
    near: tuple[tuple[int, int], ...]
    clear: tuple[int, ...]


_SHELF = Piece("bookshelf", "bookshelf", (0.3, 0.9, 1.8), 120)
_TV = Piece("TV", "tv_stand", (0.42, 1.3, 0.5), 400)
FURNITURE = {
    "bedroom": Furniture(
        (
            Piece("bed", "double_bed", (2.05, 1.6, 1.0), 500),
            Piece("wardrobe", "wardrobe", (0.6, 1.5, 2.1), 350),
            Piece("desk", "desk", (0.65, 1.3, 0.75), 200),
            Piece("armchair", "armchair", (0.85, 0.85, 0.85), 250),
            _TV,
            _SHELF,
        ),
        facing=((0, 4), (3, 4)),
        near=((2, 3), (3, 5), (0, 2)),
        clear=(0, 1),
    ),
    "living_room": Furniture(
        (
            Piece("sofa", "sofa", (0.9, 2.0, 0.85), 600),
            Piece("table", "round_table", (1.0, 1.0, 0.74), 220),
            _SHELF,
            Piece("armchair", "armchair", (0.85, 0.85, 0.85), 250),
            _TV,
            Piece("piano", "piano", (0.65, 1.5, 1.2), 900),
        ),
        facing=((0, 4), (0, 3)),
        near=((0, 1), (2, 3), (3, 5)),
        clear=(0, 2),
    ),
    "office": Furniture(
        (
            Piece("desk", "desk", (0.7, 1.5, 0.75), 250),
            _SHELF,
            Piece("chair", "chair", (0.5, 0.48, 0.9), 60),
            Piece("sofa", "sofa", (0.85, 1.7, 0.85), 500),
            Piece("plant", "plant", (0.5, 0.5, 1.1), 40),
            Piece("cabinet", "cabinet", (0.45, 0.9, 1.3), 180),
        ),
        facing=((0, 3), (2, 0)),
        near=((0, 1), (3, 4), (0, 5)),
        clear=(0, 1),
    ),
}
