"""What may stand in a room: the table ``furniture.yaml``, read once."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import yaml

from ..scenes import solids
from ..scenes.solids import Paint

Extent = tuple[float, float, float, float, float, float]
PLACES = ("wall", "floor", "hung", "top")
ROOMS = ("kitchen", "living", "bedroom", "bathroom")
_SPOT = (-0.8, 0.8, -0.6, 0.6)
_SHAPES = {"box": solids.BOX, "cylinder": solids.CYLINDER, "ball": solids.BALL}
_PATTERNS = {"grain": solids.GRAIN, "stripes": solids.STRIPES, "window": solids.WINDOW}


@dataclass(frozen=True)
class Part:
    """A solid of which a piece of furniture is made.

    Attributes:
        shape: BOX, CYLINDER or BALL.
        colour: 0 to 255.
        extent: x0, x1, y0, y1 in half sizes from the middle, z0, z1 in heights from the foot.
        pattern: of :mod:`..scenes.solids`.
    """

    shape: int
    colour: Paint
    extent: Extent
    pattern: int


@dataclass(frozen=True)
class Kind:
    """A type of thing.

    Attributes:
        type: its name in AI2-THOR; ``name`` is the one in words.
        rooms: where it may be.
        place: one of PLACES.
        size: width, depth, height in metres.
        use, looks: what it is for and how it looks, as objects of "Find …".
        parts: of which it is drawn.
        round: whether its foot is a disc.
        upon: types that carry it, if its place is ``top``.
        height: of its lower edge, if it hangs.
        top: height of its upper side.
        spot: where on it others lie: x0, x1, y0, y1 in half sizes.
    """

    type: str
    name: str
    rooms: tuple[str, ...]
    place: str
    size: tuple[float, float, float]
    use: str
    looks: str
    parts: tuple[Part, ...]
    round: bool
    upon: tuple[str, ...]
    height: float
    top: float
    spot: tuple[float, float, float, float]

    @property
    def blocks(self) -> bool:
        """Whether one cannot walk through it."""
        return self.place in ("wall", "floor")


@functools.cache
def furniture() -> Mapping[str, Kind]:
    """All kinds, by type."""
    text = files(__package__).joinpath("furniture.yaml").read_text(encoding="utf-8")
    return {row["type"]: _kind(row) for row in yaml.safe_load(text)}


def unknown(type: str) -> Kind:
    """A kind for a type of thing that the table does not have: a crate of half a metre."""
    words = "".join(f" {c.lower()}" if c.isupper() else c for c in type).strip()
    part = Part(solids.BOX, (176, 132, 92), (-1, 1, -1, 1, 0, 1), solids.GRAIN)
    return Kind(
        type=type,
        name=words,
        rooms=ROOMS,
        place="floor",
        size=(0.5, 0.5, 0.5),
        use=f"the {words}",
        looks=f"the {words}",
        parts=(part,),
        round=False,
        upon=(),
        height=0.0,
        top=0.5,
        spot=_SPOT,
    )


def _kind(row: Mapping[str, Any]) -> Kind:
    given = {"round": False, "height": 0.0, "top": row["size"][2], **row}
    given["parts"] = tuple(
        Part(_SHAPES[shape], tuple(colour), tuple(extent), _PATTERNS[rest[0]] if rest else 0)
        for shape, colour, extent, *rest in row["parts"]
    )
    given["size"] = tuple(row["size"])
    given["spot"] = tuple(row.get("spot", _SPOT))
    for name in ("rooms", "upon"):
        given[name] = tuple(row.get(name, ()))
    return Kind(**given)
