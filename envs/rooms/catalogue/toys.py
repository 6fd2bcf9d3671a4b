"""Children's things."""

from __future__ import annotations

from ..prisms import Colour
from .kit import BLACK, BRIGHTS, WHITE, WOODS, Kit, lighter
from .table import Category, Mount

_FURS: tuple[Colour, ...] = ((176, 128, 88), (214, 188, 156), (150, 150, 154), (226, 176, 180))


def teddy_bear(kit: Kit) -> None:
    """Sits and looks to its front."""
    fur, tall = kit.pick(_FURS), kit.height
    (back, front), (right, left) = kit.x, kit.y
    body = min(0.35 * kit.width, 0.36 * kit.depth)
    middle = back + body
    for z0, z1, share in ((0, 0.2, 1.0), (0.2, 0.4, 0.95), (0.4, 0.52, 0.75)):
        kit.disc((middle, 0), share * body, (z0 * tall, z1 * tall), fur)
    for y in ((right, right + 0.14 * kit.width), (left - 0.14 * kit.width, left)):
        kit.slab((middle - 0.03, middle + 0.06), y, (0.22 * tall, 0.48 * tall), fur, cut=0.02)
    for y in ((right + 0.08 * kit.width, -0.03), (0.03, left - 0.08 * kit.width)):
        kit.slab((middle + body, front), y, (0, 0.16 * tall), lighter(fur, 0.15), cut=0.02)
    head = 0.92 * body
    for z0, z1, share in ((0.52, 0.6, 0.8), (0.6, 0.8, 1.0), (0.8, 0.92, 0.8)):
        kit.disc((middle, 0), share * head, (z0 * tall, z1 * tall), fur)
    for ear in (-0.6 * head, 0.6 * head):
        kit.disc((middle, ear), 0.3 * head, (0.92 * tall, tall), fur, sides=8)
    kit.box((middle + head, middle + head + 0.02), (-0.03, 0.03), (0.62 * tall, 0.7 * tall), WHITE)


def toy_blocks(kit: Kit) -> None:
    """A heap of cubes."""
    (back, front), (right, left) = kit.x, kit.y
    side = kit.height / 2
    columns = max(2, int(kit.width / (1.2 * side)))
    rows = max(2, int(kit.depth / (1.2 * side)))
    dx, dy = kit.depth / rows, kit.width / columns
    for row in range(rows):
        for column in range(columns):
            x, y = back + row * dx, right + column * dy
            cell_x = (x, x + 0.94 * dx) if row < rows - 1 else (x, front)
            cell_y = (y, y + 0.94 * dy) if column < columns - 1 else (y, left)
            kit.box(cell_x, cell_y, (0, side), kit.pick(BRIGHTS))
    kit.box((-side / 2, side / 2), (-side / 2, side / 2), (side, kit.height), kit.pick(BRIGHTS))


def toy_car(kit: Kit) -> None:
    """A little car that drives to its front."""
    paint, tall = kit.pick(BRIGHTS), kit.height
    (back, front), (right, left) = kit.x, kit.y
    wheel = 0.3 * tall
    for x in (
        (back + 0.12 * kit.depth, back + 0.32 * kit.depth),
        (front - 0.32 * kit.depth, front - 0.12 * kit.depth),
    ):
        for y in ((right, right + 0.2 * kit.width), (left - 0.2 * kit.width, left)):
            kit.box(x, y, (0, wheel), BLACK)
    kit.slab(kit.x, kit.y, (wheel, 0.65 * tall), paint, cut=0.02)
    cabin = (back + 0.25 * kit.depth, front - 0.25 * kit.depth)
    kit.slab(
        cabin, (right + 0.01, left - 0.01), (0.65 * tall, 0.94 * tall), (196, 220, 230), cut=0.01
    )
    kit.slab(cabin, (right + 0.01, left - 0.01), (0.94 * tall, tall), paint, cut=0.01)


def doll_house(kit: Kit) -> None:
    """Two floors, open at the front, under a stepped roof."""
    wood, roof = kit.pick((WHITE, *WOODS)), kit.pick(BRIGHTS)
    (back, front), (right, left) = kit.x, kit.y
    walls_top = 0.7 * kit.height
    thick = 0.02
    kit.box((back, back + thick), kit.y, (0, walls_top), wood)
    for y in ((right, right + thick), (left - thick, left)):
        kit.box((back + thick, front), y, (0, walls_top), wood)
    inside = (right + thick, left - thick)
    for z in (0.0, 0.5 * walls_top - thick / 2, walls_top - thick):
        kit.box((back + thick, front), inside, (z, z + thick), lighter(wood, -0.1))
    steps = 5
    for k in range(steps):
        share = 1 - k / steps
        step = (
            walls_top + (kit.height - walls_top) * k / steps,
            walls_top + (kit.height - walls_top) * (k + 1) / steps,
        )
        kit.box(kit.x, (right * share, left * share), step, lighter(roof, 0.04 * k))


def rocking_horse(kit: Kit) -> None:
    """Runners, a body, a head at the front."""
    wood, hair = kit.pick(WOODS), kit.pick(BRIGHTS)
    (back, front), (right, left) = kit.x, kit.y
    tall = kit.height
    for y in ((right, right + 0.04), (left - 0.04, left)):
        kit.box(kit.x, y, (0, 0.05), wood)
        for x in (back + 0.25 * kit.depth, front - 0.32 * kit.depth):
            kit.box((x, x + 0.05), y, (0.05, 0.38 * tall), wood)
    body = (back + 0.2 * kit.depth, front - 0.2 * kit.depth)
    kit.slab(body, kit.y, (0.38 * tall, 0.62 * tall), lighter(wood, 0.15), cut=0.06)
    kit.slab(
        (body[0] + 0.12, body[1] - 0.2),
        (right + 0.02, left - 0.02),
        (0.62 * tall, 0.66 * tall),
        hair,
        cut=0.03,
    )
    neck = (body[1] - 0.14, body[1])
    kit.slab(neck, (-0.05, 0.05), (0.62 * tall, 0.86 * tall), lighter(wood, 0.15), cut=0.02)
    kit.slab(
        (neck[0], min(front, neck[1] + 0.14)),
        (-0.05, 0.05),
        (0.86 * tall, tall),
        lighter(wood, 0.15),
        cut=0.02,
    )


def play_tent(kit: Kit) -> None:
    """A stepped tepee with a dark door."""
    cloth = kit.pick((WHITE, *BRIGHTS))
    r, wide, tall = kit.depth / 2, kit.width / kit.depth, kit.height
    steps = 10
    for k in range(steps):
        share = 1 - 0.92 * k / steps
        z = (0.94 * tall * k / steps, 0.94 * tall * (k + 1) / steps)
        shade = lighter(cloth, 0.25 if k % 2 else 0.05)
        kit.disc((0, 0), r * share, z, shade, sides=8, wide=wide)
    kit.disc((0, 0), 0.05, (0.94 * tall, tall), (150, 112, 74), sides=8)


def globe(kit: Kit) -> None:
    """The world on a foot."""
    r, wide, tall = kit.depth / 2, kit.width / kit.depth, kit.height
    kit.disc((0, 0), 0.6 * r, (0, 0.08 * tall), kit.pick(WOODS))
    kit.disc((0, 0), 0.08 * r, (0.08 * tall, 0.22 * tall), BLACK, sides=8)
    for k in range(7):
        height = (k + 0.5) / 7 * 2 - 1
        share = 1.0 if k == 3 else (1 - height**2) ** 0.5
        z = (tall * (0.22 + 0.78 * k / 7), tall * (0.22 + 0.78 * (k + 1) / 7))
        colour: Colour = (86, 142, 190) if k in (0, 2, 3, 6) else (126, 168, 104)
        kit.disc((0, 0), r * share, z, colour, wide=wide)


_ON = Mount.TOP
ROWS = (
    Category(
        "teddy_bear",
        teddy_bear,
        (0.22, 0.22, 0.28),
        (0.36, 0.34, 0.45),
        _ON,
        reach=0,
        density=60,
        other_names=("stuffed_animal", "plush", "doll"),
    ),
    Category(
        "toy_blocks",
        toy_blocks,
        (0.24, 0.24, 0.12),
        (0.36, 0.4, 0.16),
        _ON,
        reach=0,
        density=300,
        other_names=("toy", "blocks", "building_blocks"),
    ),
    Category("toy_car", toy_car, (0.16, 0.09, 0.08), (0.26, 0.13, 0.12), _ON, reach=0, density=200),
    Category("doll_house", doll_house, (0.3, 0.5, 0.55), (0.45, 0.8, 0.9), reach=0.4, density=150),
    Category(
        "rocking_horse", rocking_horse, (0.75, 0.26, 0.55), (0.95, 0.34, 0.75), reach=0, density=200
    ),
    Category("play_tent", play_tent, (1.0, 1.0, 1.2), (1.3, 1.3, 1.6), reach=0.4, density=8),
    Category("globe", globe, (0.2, 0.2, 0.28), (0.3, 0.3, 0.42), _ON, reach=0, density=150),
)
