"""Lamps; what glows is nearly white."""

from __future__ import annotations

from ..prisms import Colour
from .kit import BLACK, FABRICS, LIGHT, METAL, POTS, STEEL, WOODS, Kit, lighter
from .table import Category, Mount

_BRASS: Colour = (190, 156, 92)
_SHADES: tuple[Colour, ...] = ((244, 232, 204), (232, 214, 186), (250, 244, 230), (222, 196, 164))


def _shade(kit: Kit, radius: float, z: tuple[float, float], narrow: float) -> None:
    colour = kit.pick(_SHADES)
    steps = 5
    for k in range(steps):
        share = 1 - (1 - narrow) * k / (steps - 1)
        span = (z[0] + (z[1] - z[0]) * k / steps, z[0] + (z[1] - z[0]) * (k + 1) / steps)
        wide = kit.width / kit.depth
        kit.disc((0, 0), radius * share, span, lighter(colour, 0.04 * k), sides=16, wide=wide)


def table_lamp(kit: Kit) -> None:
    """A turned foot under a shade."""
    foot = kit.pick((*POTS, *WOODS, _BRASS))
    r, tall = kit.depth / 2, kit.height
    kit.disc((0, 0), 0.6 * r, (0, 0.03 * tall), lighter(foot, -0.1))
    shape = ((0.03, 0.3), (0.14, 0.6), (0.26, 0.62), (0.36, 0.34), (0.44, 0.14), (0.55, 0.1))
    kit.turned((0, 0), [(z * tall, s * r) for z, s in shape], foot)
    _shade(kit, r, (0.55 * tall, tall), 0.65)


def floor_lamp(kit: Kit) -> None:
    """A shade on a tall pole."""
    metal = kit.pick((BLACK, _BRASS, STEEL))
    r, tall = kit.depth / 2, kit.height
    kit.disc((0, 0), 0.75 * r, (0, 0.03), metal)
    kit.disc((0, 0), 0.014, (0.03, 0.8 * tall), metal, sides=8)
    _shade(kit, r, (0.8 * tall, tall), kit.rng.choice([0.6, 0.85]))


def desk_lamp(kit: Kit) -> None:
    """An arm that reaches over the work from a heavy foot."""
    metal = kit.pick((BLACK, STEEL, *FABRICS))
    back, front = kit.x
    r, tall = kit.width / 2, kit.height
    kit.disc((back + r, 0), r, (0, 0.05), metal)
    kit.box((back + r - 0.01, back + r + 0.01), (-0.01, 0.01), (0.05, 0.92 * tall), metal)
    kit.box((back + r - 0.01, front - 0.03), (-0.008, 0.008), (0.92 * tall, 0.95 * tall), metal)
    kit.slab((front - 0.09, front), (-0.04, 0.04), (0.95 * tall, tall), metal, cut=0.02)
    for y in ((-0.034, -0.009), (0.009, 0.034)):
        kit.slab((front - 0.08, front - 0.031), y, (0.9 * tall, 0.95 * tall), LIGHT, cut=0.01)


def ceiling_lamp(kit: Kit) -> None:
    """A shade on a cord."""
    r, tall = kit.depth / 2, kit.height
    kit.disc((0, 0), 0.06, (0.95 * tall, tall), METAL)
    kit.disc((0, 0), 0.008, (0.5 * tall, 0.95 * tall), BLACK, sides=8)
    _shade(kit, r, (0, 0.5 * tall), 0.35)


def chandelier(kit: Kit) -> None:
    """A ring of candles."""
    metal = kit.pick((_BRASS, BLACK))
    r, tall = kit.depth / 2, kit.height
    kit.disc((0, 0), 0.07, (0.95 * tall, tall), metal)
    kit.disc((0, 0), 0.015, (0.3 * tall, 0.95 * tall), metal, sides=8)
    kit.disc((0, 0), 0.12 * r, (0.1 * tall, 0.3 * tall), metal)
    wide = kit.width / kit.depth
    kit.box((-r, -0.12 * r), (-0.015, 0.015), (0.16 * tall, 0.2 * tall), metal)
    kit.box((0.12 * r, r), (-0.015, 0.015), (0.16 * tall, 0.2 * tall), metal)
    for y in ((-r * wide, -0.12 * r), (0.12 * r, r * wide)):
        kit.box((-0.015, 0.015), y, (0.16 * tall, 0.2 * tall), metal)
    for way, aside in ((-1, 0), (1, 0), (0, -1), (0, 1)):
        at = (way * (r - 0.03), aside * (r * wide - 0.03))
        kit.disc(at, 0.03, (0.2 * tall, 0.26 * tall), metal, sides=8)
        kit.cone(at, (0.025, 0.012), (0.26 * tall, 0.5 * tall), LIGHT, steps=3, sides=8)
    kit.disc((0, 0), 0.08 * r, (0, 0.1 * tall), metal)


def wall_lamp(kit: Kit) -> None:
    """A half shade on a bracket."""
    metal = kit.pick((_BRASS, BLACK, STEEL))
    (back, front), (_right, _left) = kit.x, kit.y
    kit.box((back, back + 0.02), (-0.04, 0.04), (0.1 * kit.height, 0.5 * kit.height), metal)
    low = 0.35 * kit.height
    kit.box((back + 0.02, 0.0), (-0.01, 0.01), (0.2 * kit.height, 0.25 * kit.height), metal)
    kit.slab((back + 0.02, front), kit.y, (low, kit.height), kit.pick(_SHADES), cut=0.05)


def candle(kit: Kit) -> None:
    """Wax and a flame on a dish."""
    r, tall, wide = kit.depth / 2, kit.height, kit.width / kit.depth
    kit.disc((0, 0), r, (0, 0.08 * tall), kit.pick((_BRASS, *POTS)), wide=wide)
    kit.disc((0, 0), 0.6 * r, (0.08 * tall, 0.82 * tall), kit.pick((*_SHADES, *FABRICS)))
    kit.disc((0, 0), 0.14 * r, (0.82 * tall, tall), (250, 190, 90), sides=8)


ROWS = (
    Category(
        "table_lamp",
        table_lamp,
        (0.22, 0.22, 0.36),
        (0.34, 0.34, 0.56),
        Mount.TOP,
        reach=0,
        other_names=("lamp", "bedside_lamp"),
    ),
    Category(
        "floor_lamp",
        floor_lamp,
        (0.36, 0.36, 1.4),
        (0.5, 0.5, 1.75),
        reach=0,
        density=200,
        other_names=("standing_lamp", "arc_lamp"),
    ),
    Category("desk_lamp", desk_lamp, (0.34, 0.15, 0.38), (0.44, 0.2, 0.52), Mount.TOP, reach=0),
    Category(
        "ceiling_lamp",
        ceiling_lamp,
        (0.34, 0.34, 0.4),
        (0.6, 0.6, 0.6),
        Mount.CEILING,
        reach=0,
        other_names=("pendant_lamp", "pendant", "ceiling_light", "hanging_lamp"),
    ),
    Category("chandelier", chandelier, (0.6, 0.6, 0.5), (0.9, 0.9, 0.7), Mount.CEILING, reach=0),
    Category(
        "wall_lamp",
        wall_lamp,
        (0.14, 0.16, 0.24),
        (0.2, 0.24, 0.36),
        Mount.WALL,
        reach=0,
        other_names=("sconce",),
    ),
    Category("candle", candle, (0.07, 0.07, 0.1), (0.12, 0.12, 0.24), Mount.TOP, reach=0),
)
