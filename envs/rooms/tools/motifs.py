"""Groups of things laid out on a top as people lay them: a work place, a table for tea.

SceneWeaver's add_acdc has a picture of such a group painted and rebuilds it in 3D. Ours come from
a table, ``motifs.yaml``, of poses relative to who sits before the top; they are squeezed to fit it.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from typing import NamedTuple

import numpy as np

from ..bodies import Support, supports
from ..catalogue import category
from ..scene import Item, Relation, RelationKind, Scene

_EDGE = 0.22
"""Metres between the edge of a table and the middle of a plate before a seat."""
_SEAT = 0.62
"""Metres of edge that a place at a table takes."""


class Spot(NamedTuple):
    """A thing of a motif: metres to the front and to the left of its middle, radians of turn."""

    category: str
    ahead: float
    left: float
    turn: float


@dataclass(frozen=True)
class Motif:
    """A group: on what it is laid out, and whether at each place of a table."""

    name: str
    upon: tuple[str, ...]
    things: tuple[Spot, ...]
    each: bool = False


@functools.cache
def motifs() -> dict[str, Motif]:
    """All by name."""
    import yaml

    text = resources.files(__package__).joinpath("motifs.yaml").read_text(encoding="utf-8")
    return {
        name: Motif(
            name,
            tuple(row["upon"]),
            tuple(Spot(c, a, b, math.radians(turn)) for c, a, b, turn in row["things"]),
            row.get("each", False),
        )
        for name, row in yaml.safe_load(text).items()
    }


def top(item: Item) -> Support | None:
    """The uppermost open surface of a thing."""
    open_ones = [support for support in supports(item) if not support.inner]
    return open_ones[-1] if open_ones else None


def laid_out(scene: Scene, carrier: Item, motif: Motif, rng: np.random.Generator) -> list[Item]:
    """The things of a motif on a carrier's top; those that do not fit on it are left away."""
    surface = top(carrier)
    if surface is None:
        return []
    coming: list[Item] = []
    for x, y, facing in _places(scene, carrier, surface, motif):
        for spot in motif.things:
            c, s = math.cos(facing), math.sin(facing)
            at = (x + c * spot.ahead - s * spot.left, y + s * spot.ahead + c * spot.left)
            item = _small(scene, spot, carrier, surface, at, facing, coming, rng)
            if item is not None:
                coming.append(item)
    return coming


def _places(
    scene: Scene, carrier: Item, surface: Support, motif: Motif
) -> Iterator[tuple[float, float, float]]:
    """(x, y, facing) in the frame of the surface: of the group, or of each place at the table.

    ``facing`` points to whoever sits there.
    """
    if not motif.each:
        yield 0.0, 0.0, 0.0
        return
    seats = [item for item in scene if any(r.parent == carrier.id for r in item.relations)]
    seats = [seat for seat in seats if category(seat.category).seat]
    deep, wide = surface.size[0] / 2, surface.size[1] / 2
    for seat in seats:
        x, y = surface.local(seat.location[0], seat.location[1])
        if abs(x) / deep >= abs(y) / wide:
            sign = math.copysign(1.0, x)
            yield (
                sign * (deep - _EDGE),
                max(-wide + _EDGE, min(y, wide - _EDGE)),
                (0.0 if sign > 0 else math.pi),
            )
        else:
            sign = math.copysign(1.0, y)
            yield (
                max(-deep + _EDGE, min(x, deep - _EDGE)),
                sign * (wide - _EDGE),
                (sign * math.pi / 2),
            )
    if seats:
        return
    for number in range(max(1, int(2 * wide / _SEAT))):
        y = -wide + (number + 0.5) * 2 * wide / max(1, int(2 * wide / _SEAT))
        yield deep - _EDGE, y, 0.0
        yield -(deep - _EDGE), y, math.pi


def _small(
    scene: Scene,
    spot: Spot,
    carrier: Item,
    surface: Support,
    at: tuple[float, float],
    facing: float,
    coming: list[Item],
    rng: np.random.Generator,
) -> Item | None:
    """The thing of a spot, moved inwards until it lies within the surface; None if it cannot."""
    row = category(spot.category)
    low, middle = row.low, row.middle
    size = tuple(round((a + b) / 2, 3) for a, b in zip(low, middle, strict=True))
    turn = facing + spot.turn
    c, s = abs(math.cos(turn)), abs(math.sin(turn))
    halves = ((c * size[0] + s * size[1]) / 2, (s * size[0] + c * size[1]) / 2)
    inside = []
    for value, half, whole in zip(at, halves, surface.size, strict=True):
        reach = whole / 2 - half
        if reach < 0:
            return None
        inside.append(max(-reach, min(value, reach)))
    x, y = surface.outward(inside[0], inside[1])
    name = scene.fresh_id(spot.category, [item.id for item in coming])
    return Item(
        name,
        spot.category,
        (x, y, surface.z),
        math.remainder(surface.yaw + turn, 2 * math.pi),
        (size[0], size[1], size[2]),
        (Relation(carrier.id, RelationKind.ONTOP),),
        int(rng.integers(2**31)),
    )
