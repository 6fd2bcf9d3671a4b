"""What stands on tables and in kitchens."""

from __future__ import annotations

import math

from ..prisms import Colour
from .kit import BLACK, BRIGHTS, CERAMIC, METAL, POTS, STEEL, WHITE, WOODS, Kit, lighter
from .table import Category, Mount

_GLAZES: tuple[Colour, ...] = (CERAMIC, WHITE, *POTS, (112, 140, 160), (226, 190, 160))
_BOTTLES: tuple[Colour, ...] = ((84, 122, 92), (142, 92, 62), (120, 160, 190), (94, 66, 84))


def cup(kit: Kit) -> None:
    """With a handle and something in it."""
    glaze, tall = kit.pick(_GLAZES), kit.height
    r = 0.4 * kit.depth
    at, wide = kit.x[0] + r, kit.width / (0.8 * kit.depth)
    kit.disc((at, 0), r, (0, 0.9 * tall), glaze, wide=wide)
    kit.disc((at, 0), 0.85 * r, (0.9 * tall, tall), (92, 66, 50), wide=wide)
    kit.box((at + r, kit.x[1]), (-0.006, 0.006), (0.25 * tall, 0.7 * tall), glaze)


def plate(kit: Kit) -> None:
    """A flat dish with a rim."""
    glaze, r, wide = kit.pick(_GLAZES), kit.depth / 2, kit.width / kit.depth
    kit.disc((0, 0), 0.7 * r, (0, 0.5 * kit.height), glaze, sides=16, wide=wide)
    kit.disc((0, 0), r, (0.5 * kit.height, kit.height), lighter(glaze, 0.2), sides=16, wide=wide)


def bowl(kit: Kit) -> None:
    """Round and deep."""
    glaze, r, wide = kit.pick((*_GLAZES, *BRIGHTS)), kit.depth / 2, kit.width / kit.depth
    tall = kit.height
    for k, share in enumerate((0.55, 0.8, 0.93, 1.0)):
        z = (tall * k / 4, tall * (k + 1) / 4)
        kit.disc((0, 0), share * r, z, lighter(glaze, 0.04 * k), wide=wide)


def fruit_bowl(kit: Kit) -> None:
    """Apples and oranges."""
    wood, r, wide = kit.pick((*WOODS, CERAMIC)), kit.depth / 2, kit.width / kit.depth
    rim = 0.55 * kit.height
    kit.disc((0, 0), 0.6 * r, (0, 0.4 * rim), wood, wide=wide)
    kit.disc((0, 0), r, (0.4 * rim, rim), wood, wide=wide)
    fruits: tuple[Colour, ...] = ((206, 74, 62), (232, 150, 60), (146, 178, 78), (226, 200, 84))
    for k in range(5):
        angle = 2 * math.pi * k / 5
        at = (0.56 * r * math.cos(angle), 0.56 * r * wide * math.sin(angle))
        size, colour = 0.25 * r * min(1.0, wide), fruits[k % len(fruits)]
        mid = rim + 0.4 * (kit.height - rim)
        kit.disc(at, size, (rim, mid), colour, sides=8)
        kit.disc(
            at, 0.75 * size, (mid, rim + 0.75 * (kit.height - rim)), lighter(colour, 0.1), sides=8
        )
    kit.disc((0, 0), 0.24 * r * min(1.0, wide), (rim, kit.height), fruits[1], sides=8)


def bottle(kit: Kit) -> None:
    """A shoulder, a neck and a label."""
    glass, r, tall = kit.pick(_BOTTLES), kit.depth / 2, kit.height
    wide = kit.width / kit.depth
    for z0, z1, share, colour in (
        (0, 0.2, 1.0, glass),
        (0.2, 0.42, 1.0, lighter(glass, 0.6)),
        (0.42, 0.58, 1.0, glass),
        (0.58, 0.66, 0.75, glass),
        (0.66, 0.92, 0.38, glass),
        (0.92, 1.0, 0.42, BLACK),
    ):
        kit.disc((0, 0), share * r, (z0 * tall, z1 * tall), colour, wide=wide)


def wine_glass(kit: Kit) -> None:
    """A foot, a stem and a bowl."""
    r, tall, wide = kit.depth / 2, kit.height, kit.width / kit.depth
    glass: Colour = (206, 222, 228)
    kit.disc((0, 0), 0.85 * r, (0, 0.03 * tall), glass)
    kit.disc((0, 0), 0.12 * r, (0.03 * tall, 0.5 * tall), glass, sides=8)
    kit.disc((0, 0), 0.8 * r, (0.5 * tall, 0.62 * tall), (126, 44, 60), wide=wide)
    kit.disc((0, 0), r, (0.62 * tall, 0.75 * tall), (126, 44, 60), wide=wide)
    kit.disc((0, 0), 0.9 * r, (0.75 * tall, tall), glass, wide=wide)


def pot(kit: Kit) -> None:
    """A cooking pot with two ears and a lid."""
    metal, tall = kit.pick((STEEL, BLACK, *BRIGHTS)), kit.height
    r = kit.depth / 2
    kit.disc((0, 0), r, (0, 0.7 * tall), metal)
    ears = (0.55 * tall, 0.65 * tall)
    for y in ((-kit.width / 2, -r), (r, kit.width / 2)):
        kit.box((-0.03, 0.03), y, ears, BLACK)
    kit.disc((0, 0), 0.98 * r, (0.7 * tall, 0.8 * tall), lighter(metal, 0.15))
    kit.disc((0, 0), 0.15 * r, (0.8 * tall, tall), BLACK, sides=8)


def pan(kit: Kit) -> None:
    """A frying pan; its handle points to the front."""
    tall, r = kit.height, kit.width / 2
    at = kit.x[0] + r
    kit.disc((at, 0), 0.9 * r, (0, 0.5 * tall), BLACK, sides=16)
    kit.disc((at, 0), r, (0.5 * tall, 0.9 * tall), (70, 70, 74), sides=16)
    kit.box((at + r, kit.x[1]), (-0.015, 0.015), (0.6 * tall, tall), (112, 78, 54))


def cutting_board(kit: Kit) -> None:
    """A board with a knife."""
    wood = kit.pick(WOODS)
    kit.slab(kit.x, kit.y, (0, 0.6 * kit.height), wood, cut=0.02)
    y = (0.15 * kit.width, 0.15 * kit.width + 0.02)
    z = (0.6 * kit.height, kit.height)
    kit.box((kit.x[0] + 0.02, 0.02), y, z, STEEL)
    kit.box((0.02, kit.x[1] - 0.02), y, z, BLACK)


def knife_block(kit: Kit) -> None:
    """Wood with handles."""
    wood, tall = kit.pick(WOODS), kit.height
    kit.slab(kit.x, kit.y, (0, 0.72 * tall), wood, cut=0.01)
    for k in range(3):
        y = (-0.32 + 0.26 * k) * kit.width
        top = tall * (1.0 - 0.08 * k)
        kit.box((-0.03, 0.0), (y, y + 0.16 * kit.width), (0.72 * tall, top), BLACK)


def tray(kit: Kit) -> None:
    """A board with a rim, to carry a tea set."""
    wood = kit.pick((*WOODS, BLACK, METAL))
    (back, front), (right, left) = kit.x, kit.y
    low, edge = 0.4 * kit.height, 0.012
    kit.box(kit.x, kit.y, (0, low), wood)
    for y in ((right, right + edge), (left - edge, left)):
        kit.box(kit.x, y, (low, kit.height), wood)
    for x in ((back, back + edge), (front - edge, front)):
        kit.box(x, (right + edge, left - edge), (low, kit.height), wood)
    kit.surface((back + 0.02, front - 0.02), (right + 0.02, left - 0.02), low)


def teapot(kit: Kit) -> None:
    """Spout in front, handle behind."""
    glaze, tall, r = kit.pick((*_GLAZES, *BRIGHTS)), kit.height, kit.width / 2
    for z0, z1, share in ((0, 0.12, 0.7), (0.12, 0.3, 0.92), (0.3, 0.55, 1.0), (0.55, 0.75, 0.85)):
        kit.disc((0, 0), share * r, (z0 * tall, z1 * tall), glaze)
    kit.disc((0, 0), 0.45 * r, (0.75 * tall, 0.85 * tall), lighter(glaze, -0.1))
    kit.disc((0, 0), 0.15 * r, (0.85 * tall, tall), glaze, sides=8)
    kit.box((r, kit.x[1]), (-0.012, 0.012), (0.4 * tall, 0.7 * tall), glaze)
    kit.box((kit.x[0], -r), (-0.012, 0.012), (0.25 * tall, 0.65 * tall), glaze)


_ON = Mount.TOP
ROWS = (
    Category(
        "cup",
        cup,
        (0.09, 0.07, 0.07),
        (0.12, 0.1, 0.11),
        _ON,
        reach=0,
        density=800,
        other_names=("mug", "coffee_cup", "tea_cup"),
    ),
    Category(
        "plate",
        plate,
        (0.18, 0.18, 0.015),
        (0.28, 0.28, 0.025),
        _ON,
        reach=0,
        density=1500,
        other_names=("dish",),
    ),
    Category("bowl", bowl, (0.13, 0.13, 0.05), (0.24, 0.24, 0.1), _ON, reach=0, density=800),
    Category(
        "fruit_bowl",
        fruit_bowl,
        (0.22, 0.22, 0.12),
        (0.32, 0.32, 0.18),
        _ON,
        reach=0,
        density=600,
        other_names=("fruit_container",),
    ),
    Category(
        "bottle",
        bottle,
        (0.06, 0.06, 0.2),
        (0.09, 0.09, 0.32),
        _ON,
        reach=0,
        density=900,
        other_names=("wine_bottle", "jar"),
    ),
    Category(
        "wine_glass",
        wine_glass,
        (0.07, 0.07, 0.17),
        (0.1, 0.1, 0.24),
        _ON,
        reach=0,
        density=800,
        other_names=("glass", "wineglass"),
    ),
    Category(
        "pot",
        pot,
        (0.18, 0.27, 0.15),
        (0.26, 0.38, 0.24),
        _ON,
        reach=0,
        density=900,
        other_names=("cooking_pot",),
    ),
    Category(
        "pan",
        pan,
        (0.42, 0.22, 0.05),
        (0.5, 0.28, 0.07),
        _ON,
        reach=0,
        density=1500,
        other_names=("frying_pan",),
    ),
    Category(
        "cutting_board",
        cutting_board,
        (0.22, 0.3, 0.02),
        (0.3, 0.42, 0.035),
        _ON,
        reach=0,
        density=700,
    ),
    Category(
        "knife_block",
        knife_block,
        (0.12, 0.12, 0.22),
        (0.16, 0.16, 0.32),
        _ON,
        reach=0,
        density=700,
    ),
    Category("tray", tray, (0.24, 0.34, 0.04), (0.34, 0.5, 0.06), _ON, reach=0, density=700),
    Category("teapot", teapot, (0.2, 0.13, 0.13), (0.26, 0.16, 0.19), _ON, reach=0, density=800),
)
