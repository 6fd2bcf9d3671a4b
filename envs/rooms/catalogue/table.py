"""What a row of the catalogue says of a category of things."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from .kit import Kit

Size = tuple[float, float, float]


class Mount(StrEnum):
    """Where things of a category belong."""

    FLOOR = "floor"
    WALL = "wall"
    CEILING = "ceiling"
    TOP = "top"
    RUG = "rug"


@dataclass(frozen=True)
class Category:
    """A kind of thing: how it is built and between which sizes (depth, width, height) [m].

    ``reach`` is the free strip [m] that its front needs; 0 for things without a front. ``seat``
    things should face the table they belong to. ``density`` is kg per m³ of the parts' volume.
    """

    name: str
    build: Callable[[Kit], None]
    low: Size
    high: Size
    mount: Mount = Mount.FLOOR
    reach: float = 0.6
    density: float = 250.0
    seat: bool = False
    other_names: tuple[str, ...] = ()

    @property
    def front(self) -> bool:
        """Whether it has a front that wants to be reached."""
        return self.reach > 0

    @property
    def middle(self) -> Size:
        """The size between the smallest and the largest."""
        a, b, c = ((low + high) / 2 for low, high in zip(self.low, self.high, strict=True))
        return a, b, c
