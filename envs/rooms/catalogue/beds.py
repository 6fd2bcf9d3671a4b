"""Beds: frame, mattress, pillows and blanket; the head is at the back."""

from __future__ import annotations

from .kit import FABRICS, LINEN, WHITE, WOODS, Kit, lighter
from .table import Category


def _made_bed(kit: Kit, *, sleepers: int, headboard: bool) -> None:
    wood, fabric = kit.pick((*WOODS, *FABRICS[:4])), kit.pick(FABRICS)
    (back, front), (right, left) = kit.x, kit.y
    mattress = min(0.5, 0.62 * kit.height) if headboard else kit.height - 0.1
    board = 0.07 if headboard else 0.02
    if headboard:
        kit.box((back, back + board), kit.y, (0, kit.height), wood)
    kit.legs((back + board, front), kit.y, (0, 0.1), lighter(wood, -0.25), thick=0.06)
    kit.box((back + board, front), kit.y, (0.1, mattress - 0.2), wood)
    bed = (back + board, front - 0.02)
    kit.slab(bed, (right + 0.015, left - 0.015), (mattress - 0.2, mattress), LINEN, cut=0.04)
    top = mattress + 0.1 if headboard else kit.height
    wide = (kit.width - 0.1) / sleepers
    for sleeper in range(sleepers):
        y0 = right + 0.05 + sleeper * wide
        kit.pad(
            (bed[0] + 0.03, bed[0] + 0.38), (y0 + 0.04, y0 + wide - 0.04), (mattress, top), WHITE
        )
    start = bed[0] + 0.55
    kit.pad((start, bed[1]), (right + 0.005, left - 0.005), (mattress, mattress + 0.06), fabric)
    fold = (start - 0.13, start)
    kit.slab(fold, (right + 0.005, left - 0.005), (mattress, mattress + 0.05), WHITE, cut=0.02)
    if kit.chance(0.6):  # a throw over the foot
        throw = (bed[1] - 0.5, bed[1] - 0.12)
        over = (mattress + 0.06, mattress + 0.075)
        kit.slab(throw, (right + 0.03, left - 0.03), over, kit.pick(FABRICS), cut=0.02)


def double_bed(kit: Kit) -> None:
    """For two."""
    _made_bed(kit, sleepers=2, headboard=True)


def single_bed(kit: Kit) -> None:
    """For one."""
    _made_bed(kit, sleepers=1, headboard=True)


def daybed(kit: Kit) -> None:
    """A low couch to lie on."""
    _made_bed(kit, sleepers=1, headboard=False)


def bunk_bed(kit: Kit) -> None:
    """Two beds, one above the other, with a ladder at the front."""
    wood = kit.pick(WOODS)
    (back, front), (right, left) = kit.x, kit.y
    post = 0.07
    for x in ((back, back + post), (front - post, front)):
        for y in ((right, right + post), (left - post, left)):
            kit.box(x, y, (0, kit.height), wood)
    inner = (back + post, front - post)
    for level in (0.22, 0.62 * kit.height):
        kit.box(inner, kit.y, (level, level + 0.1), wood)
        bed = (right + 0.03, left - 0.03)
        kit.slab(inner, bed, (level + 0.1, level + 0.22), LINEN, cut=0.03)
        over = (level + 0.22, level + 0.27)
        kit.pad(
            (back + post + 0.05, back + post + 0.38), (bed[0] + 0.08, bed[1] - 0.08), over, WHITE
        )
        kit.pad((back + post + 0.5, inner[1] - 0.02), bed, over, kit.pick(FABRICS))
    rail = 0.62 * kit.height + 0.3
    for y in ((right, right + 0.03), (left - 0.03, left)):
        kit.box((inner[0], inner[1] - 0.4), y, (rail, rail + 0.08), lighter(wood, 0.1))
    for step in range(4):
        z = 0.3 + step * 0.25
        kit.box((front - 0.05, front - 0.02), (left - 0.42, left - post), (z, z + 0.04), wood)


def crib(kit: Kit) -> None:
    """A cot with bars all round."""
    wood = kit.pick((WHITE, *WOODS))
    (back, front), (right, left) = kit.x, kit.y
    post = 0.05
    for x in ((back, back + post), (front - post, front)):
        for y in ((right, right + post), (left - post, left)):
            kit.box(x, y, (0, kit.height), wood)
    inside = (back + post, front - post), (right + post, left - post)
    kit.box(*inside, (0.3, 0.34), wood)
    kit.pad(*inside, (0.34, 0.44), LINEN)
    kit.pad((inside[0][0] + 0.02, inside[0][0] + 0.22), (-0.15, 0.15), (0.44, 0.49), WHITE)
    blanket = (inside[0][0] + 0.4, inside[0][1] - 0.02)
    kit.slab(blanket, inside[1], (0.44, 0.47), kit.pick(FABRICS), cut=0.02)
    for rail in ((0.3, 0.34), (kit.height - 0.05, kit.height)):
        for y in ((right, right + 0.03), (left - 0.03, left)):
            kit.box(inside[0], y, rail, wood)
        for x in ((back, back + 0.03), (front - 0.03, front)):
            kit.box(x, inside[1], rail, wood)
    bars = (0.34, kit.height - 0.05)
    for k in range(1, 9):
        at = inside[0][0] + k * (inside[0][1] - inside[0][0]) / 9
        for y in ((right, right + 0.02), (left - 0.02, left)):
            kit.box((at - 0.01, at + 0.01), y, bars, wood)
    for k in range(1, 5):
        at = inside[1][0] + k * (inside[1][1] - inside[1][0]) / 5
        for x in ((back, back + 0.02), (front - 0.02, front)):
            kit.box(x, (at - 0.01, at + 0.01), bars, wood)


ROWS = (
    Category(
        "double_bed",
        double_bed,
        (1.95, 1.4, 0.85),
        (2.2, 2.0, 1.3),
        density=110,
        other_names=("bed", "king_bed", "queen_bed"),
    ),
    Category("single_bed", single_bed, (1.9, 0.8, 0.8), (2.15, 1.2, 1.2), density=110),
    Category("daybed", daybed, (1.8, 0.8, 0.42), (2.1, 1.1, 0.6), density=110),
    Category("bunk_bed", bunk_bed, (2.0, 0.9, 1.55), (2.2, 1.2, 1.8), density=150),
    Category(
        "crib", crib, (1.1, 0.6, 0.85), (1.4, 0.8, 1.05), density=200, other_names=("cot", "cradle")
    ),
)
