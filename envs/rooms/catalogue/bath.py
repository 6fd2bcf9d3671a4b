"""Bathrooms and laundry."""

from __future__ import annotations

from .kit import BLACK, CERAMIC, FABRICS, FURNITURE, GLASS, METAL, STEEL, WHITE, WOODS, Kit, lighter
from .table import Category, Mount


def toilet(kit: Kit) -> None:
    """Bowl, lid and cistern."""
    (back, front), (right, left) = kit.x, kit.y
    tall = kit.height
    tank = back + 0.28 * kit.depth
    kit.slab((back, tank), kit.y, (0.5 * tall, 0.96 * tall), CERAMIC, cut=0.03)
    kit.slab((back, tank), (right + 0.005, left - 0.005), (0.96 * tall, tall), WHITE, cut=0.03)
    bowl, wide = (front - tank) / 2, kit.width / (front - tank)
    middle = (front + tank) / 2
    kit.box((back + 0.04, tank), (-0.11, 0.11), (0, 0.5 * tall), CERAMIC)
    kit.cone((middle, 0), (0.6 * bowl, 0.96 * bowl), (0, 0.47 * tall), CERAMIC, steps=4)
    kit.disc((middle, 0), bowl, (0.47 * tall, 0.53 * tall), WHITE, sides=16, wide=0.98 * wide)
    kit.box((tank, tank + 0.03), (-0.14, 0.14), (0.53 * tall, 0.85 * tall), WHITE)


def washbasin(kit: Kit) -> None:
    """A basin and a tap on a cupboard."""
    wood = kit.pick(FURNITURE)
    (back, front), (right, left) = kit.x, kit.y
    bench = 0.84 * kit.height
    kit.box((back + 0.02, front - 0.1), (right + 0.03, left - 0.03), (0, 0.1), BLACK)
    kit.box((back, front - 0.05), kit.y, (0.1, bench - 0.14), wood)
    leaves = 2
    kit.doors(front - 0.05, kit.y, (0.1, bench - 0.14), wood, leaves=leaves, deep=0.04)
    rim = 0.05
    basin = (bench - 0.14, bench)
    kit.box((back, back + 0.12), kit.y, basin, CERAMIC)
    kit.box((front - rim, front), kit.y, basin, CERAMIC)
    inner = (back + 0.12, front - rim)
    for y in ((right, right + rim), (left - rim, left)):
        kit.box(inner, y, basin, CERAMIC)
    floor = (right + rim, left - rim)
    kit.box(inner, floor, (bench - 0.14, bench - 0.1), lighter(CERAMIC, -0.08))
    kit.box((back + 0.04, back + 0.07), (-0.015, 0.015), (bench, kit.height - 0.02), STEEL)
    kit.box((back + 0.04, back + 0.2), (-0.015, 0.015), (kit.height - 0.02, kit.height), STEEL)
    for y in ((right + 0.02, -0.04), (0.04, left - 0.02)):
        kit.surface((back + 0.01, back + 0.115), y, bench)


def bathtub(kit: Kit) -> None:
    """A tub with water."""
    (back, front), (right, left) = kit.x, kit.y
    rim, tall = 0.08, kit.height
    kit.box(kit.x, kit.y, (0, 0.12), CERAMIC)
    for x in ((back, back + rim), (front - rim, front)):
        kit.box(x, kit.y, (0.12, tall), CERAMIC)
    inside = (back + rim, front - rim)
    ends = (right + 0.12, left - 0.12)
    for y in ((right, ends[0]), (ends[1], left)):
        kit.box(inside, y, (0.12, tall), CERAMIC)
    kit.box(inside, ends, (0.12, 0.62 * tall), (176, 212, 222))


def shower(kit: Kit) -> None:
    """A tray between glass panes, open at the front."""
    (back, front), (right, left) = kit.x, kit.y
    tray = 0.08
    kit.box(kit.x, kit.y, (0, tray), CERAMIC)
    for y in ((right, right + 0.015), (left - 0.015, left)):
        kit.box((back + 0.03, front), y, (tray, kit.height), GLASS)
    kit.box((back, back + 0.03), kit.y, (tray, kit.height), lighter(GLASS, 0.4))
    kit.box((back + 0.03, back + 0.05), (-0.015, 0.015), (0.9, kit.height - 0.1), STEEL)
    kit.box(
        (back + 0.03, back + 0.27), (-0.015, 0.015), (kit.height - 0.1, kit.height - 0.08), STEEL
    )
    kit.disc((back + 0.38, 0), 0.1, (kit.height - 0.12, kit.height - 0.09), STEEL)


def washing_machine(kit: Kit) -> None:
    """A round window in a white front."""
    (back, front), (right, left) = kit.x, kit.y
    face = front - 0.04
    kit.box((back, face), kit.y, (0, kit.height), kit.pick((WHITE, STEEL)))
    r, z, bands = 0.3 * kit.width, 0.45 * kit.height, 7
    for k in range(bands):
        middle = (k + 0.5) / bands * 2 - 1
        half = r * (1 - middle**2) ** 0.5
        band = (z - r + 2 * r * k / bands, z - r + 2 * r * (k + 1) / bands)
        kit.box((face, front), (-half, half), band, (70, 78, 90))
    kit.box(
        (face, face + 0.02),
        (right + 0.03, left - 0.03),
        (0.84 * kit.height, 0.95 * kit.height),
        METAL,
    )
    kit.surface((back + 0.02, face - 0.02), (right + 0.02, left - 0.02), kit.height)


def laundry_basket(kit: Kit) -> None:
    """A woven basket with a lid."""
    straw = kit.pick(((196, 168, 124), (150, 132, 108), WHITE))
    r, wide, tall = kit.depth / 2, kit.width / kit.depth, kit.height
    bands = 7
    for k in range(bands):
        z = (0.92 * tall * k / bands, 0.92 * tall * (k + 1) / bands)
        radius = r * (0.88 if k % 2 else 0.92)
        kit.disc((0, 0), radius, z, lighter(straw, 0.1 * (k % 2)), wide=wide)
    kit.disc((0, 0), r, (0.92 * tall, tall), lighter(straw, -0.1), wide=wide)


def towel_rack(kit: Kit) -> None:
    """Towels over two bars on the wall."""
    (back, front), (right, left) = kit.x, kit.y
    for y in ((right, right + 0.02), (left - 0.02, left)):
        kit.box(kit.x, y, (kit.height - 0.06, kit.height), METAL)
    inside = (right + 0.02, left - 0.02)
    for x in (back + 0.35 * kit.depth, front - 0.03):
        kit.box((x, x + 0.02), inside, (kit.height - 0.04, kit.height - 0.02), METAL)
    towel = kit.pick(FABRICS)
    half = (right + 0.12 * kit.width, 0.0), (0.04, left - 0.12 * kit.width)
    kit.box((front - 0.03, front - 0.01), half[0], (0, kit.height - 0.04), towel)
    kit.box((front - 0.03, front - 0.01), half[1], (0.25 * kit.height, kit.height - 0.04), WHITE)


def bath_mat(kit: Kit) -> None:
    """A small soft mat."""
    kit.slab(kit.x, kit.y, (0, kit.height), kit.pick(FABRICS), cut=0.05)


def drying_rack(kit: Kit) -> None:
    """A frame of rods with some washing."""
    (back, _front), (right, left) = kit.x, kit.y
    wood = kit.pick((METAL, *WOODS))
    top = kit.height - 0.03
    kit.legs(kit.x, kit.y, (0, top), wood, thick=0.025)
    for k in range(6):
        x = back + 0.01 + k * (kit.depth - 0.04) / 5
        kit.box((x, x + 0.02), kit.y, (top, kit.height), wood)
    for k in (1, 3):
        x = back + 0.01 + k * (kit.depth - 0.04) / 5
        cloth = (right + 0.1 + 0.1 * k, min(left - 0.05, right + 0.55 + 0.1 * k))
        kit.box((x, x + 0.02), cloth, (0.35 * top, top), kit.pick((WHITE, *FABRICS)))


ROWS = (
    Category("toilet", toilet, (0.62, 0.36, 0.72), (0.75, 0.44, 0.85), density=400, reach=0.6),
    Category(
        "washbasin",
        washbasin,
        (0.42, 0.5, 0.98),
        (0.55, 1.3, 1.1),
        density=250,
        reach=0.7,
        other_names=("sink", "bathroom_sink", "standing_sink", "bathroom_vanity", "basin"),
    ),
    Category(
        "bathtub",
        bathtub,
        (0.7, 1.5, 0.5),
        (0.85, 1.8, 0.62),
        density=300,
        other_names=("bath", "tub"),
    ),
    Category(
        "shower",
        shower,
        (0.8, 0.8, 1.95),
        (1.0, 1.2, 2.2),
        density=300,
        other_names=("shower_cabin",),
    ),
    Category(
        "washing_machine",
        washing_machine,
        (0.55, 0.58, 0.84),
        (0.66, 0.62, 0.9),
        density=250,
        reach=0.7,
        other_names=("washer", "dryer", "tumble_dryer"),
    ),
    Category(
        "laundry_basket",
        laundry_basket,
        (0.36, 0.36, 0.5),
        (0.48, 0.5, 0.65),
        reach=0,
        density=40,
        other_names=("hamper",),
    ),
    Category(
        "towel_rack",
        towel_rack,
        (0.1, 0.5, 0.5),
        (0.2, 0.8, 0.8),
        Mount.WALL,
        reach=0.4,
        density=120,
    ),
    Category("bath_mat", bath_mat, (0.45, 0.6, 0.012), (0.6, 0.9, 0.02), Mount.RUG, reach=0),
    Category("drying_rack", drying_rack, (0.5, 0.8, 0.85), (0.6, 1.4, 1.05), reach=0, density=150),
)
