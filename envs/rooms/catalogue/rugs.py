"""Rugs; other things may stand on them, they count neither as things nor as contacts."""

from __future__ import annotations

from .kit import FABRICS, LINEN, Kit, lighter
from .table import Category, Mount


def rug(kit: Kit) -> None:
    """A field with borders, or stripes."""
    colour = kit.pick((*FABRICS, LINEN))
    (back, front), (right, left) = kit.x, kit.y
    z = (0.0, kit.height)
    if kit.chance(0.5):
        stripes = 7
        wide = kit.width / stripes
        other = kit.pick((*FABRICS, LINEN))
        for k in range(stripes):
            y = (right + k * wide, right + (k + 1) * wide)
            kit.box(kit.x, y, z, lighter(other if k % 2 else colour, 0.15))
        return
    edge, pale = 0.1, lighter(colour, 0.45)
    for inset, shade in ((0.0, colour), (edge, pale), (2 * edge, lighter(colour, 0.15))):
        x, y = (back + inset, front - inset), (right + inset, left - inset)
        if inset == 2 * edge:
            kit.box(x, y, z, shade)
            break
        kit.box(x, (y[0], y[0] + edge), z, shade)
        kit.box(x, (y[1] - edge, y[1]), z, shade)
        kit.box((x[0], x[0] + edge), (y[0] + edge, y[1] - edge), z, shade)
        kit.box((x[1] - edge, x[1]), (y[0] + edge, y[1] - edge), z, shade)


def round_rug(kit: Kit) -> None:
    """A disc of two colours."""
    colour, wide = kit.pick(FABRICS), kit.width / kit.depth
    r = kit.depth / 2
    kit.disc((0, 0), r, (0, 0.6 * kit.height), colour, sides=24, wide=wide)
    kit.disc(
        (0, 0), 0.85 * r, (0.6 * kit.height, kit.height), lighter(colour, 0.3), sides=24, wide=wide
    )


ROWS = (
    Category(
        "rug",
        rug,
        (1.2, 1.6, 0.01),
        (2.2, 3.2, 0.02),
        Mount.RUG,
        reach=0,
        density=100,
        other_names=("carpet", "area_rug"),
    ),
    Category(
        "round_rug", round_rug, (1.0, 1.0, 0.01), (2.2, 2.2, 0.02), Mount.RUG, reach=0, density=100
    ),
)
