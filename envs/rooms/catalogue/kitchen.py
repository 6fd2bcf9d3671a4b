"""Kitchens, and what restaurants and offices brew with."""

from __future__ import annotations

from ..prisms import Colour
from .kit import BLACK, BRIGHTS, FURNITURE, METAL, SCREEN, STEEL, WHITE, Kit, lighter
from .table import Category, Mount

_STONES: tuple[Colour, ...] = ((88, 88, 92), (206, 200, 190), (235, 232, 226), (150, 132, 112))
_RED: Colour = (196, 84, 74)


def _base(kit: Kit, colour: Colour) -> float:
    """Plinth and carcass of a floor unit; returns where its front begins."""
    (back, front), (right, left) = kit.x, kit.y
    kit.box((back, front - 0.1), (right + 0.01, left - 0.01), (0, 0.1), BLACK)
    kit.box((back, front - 0.05), kit.y, (0.1, kit.height - 0.04), colour)
    return front - 0.05


def kitchen_counter(kit: Kit) -> None:
    """Drawers and doors below a stone top."""
    wood, stone = kit.pick(FURNITURE), kit.pick(_STONES)
    right, left = kit.y
    face, top = _base(kit, wood), kit.height - 0.04
    middle = right + 0.4 * kit.width
    kit.drawers(face, (right, middle), (0.1, top), wood, rows=3, deep=0.04)
    leaves = max(1, round((left - middle) / 0.5))
    kit.doors(face, (middle, left), (0.1, top), wood, leaves=leaves, deep=0.04)
    kit.box(kit.x, kit.y, (top, kit.height), stone)
    kit.top(0.03)


def kitchen_sink(kit: Kit) -> None:
    """A counter with a basin and a tap."""
    wood, stone = kit.pick(FURNITURE), kit.pick(_STONES)
    (back, front), (right, left) = kit.x, kit.y
    bench = min(kit.height - 0.25, 0.92)
    kit.box((back, front - 0.1), (right + 0.01, left - 0.01), (0, 0.1), BLACK)
    kit.box((back, front - 0.05), kit.y, (0.1, bench - 0.04), wood)
    leaves = max(2, round(kit.width / 0.5))
    kit.doors(front - 0.05, kit.y, (0.1, bench - 0.04), wood, leaves=leaves, deep=0.04)
    basin_x, basin_y = (back + 0.14, front - 0.1), (left - 0.6 * kit.width, left - 0.08)
    top = (bench - 0.04, bench)
    kit.box((back, basin_x[0]), kit.y, top, stone)
    kit.box((basin_x[1], front), kit.y, top, stone)
    kit.box(basin_x, (right, basin_y[0]), top, stone)
    kit.box(basin_x, (basin_y[1], left), top, stone)
    kit.box(basin_x, basin_y, (bench - 0.04, bench - 0.03), lighter(STEEL, -0.1))
    middle = sum(basin_y) / 2
    kit.disc((back + 0.07, middle), 0.02, (bench, kit.height - 0.02), STEEL, sides=8)
    spout = (back + 0.05, back + 0.26)
    kit.box(spout, (middle - 0.015, middle + 0.015), (kit.height - 0.02, kit.height), STEEL)
    kit.surface((back + 0.05, front - 0.03), (right + 0.03, basin_y[0] - 0.03), bench)


def oven(kit: Kit) -> None:
    """Four plates, knobs and a window."""
    body = kit.pick((STEEL, WHITE, BLACK))
    (back, front), (right, left) = kit.x, kit.y
    face, top = front - 0.05, kit.height - 0.02
    kit.box((back, face), kit.y, (0, top), body)
    kit.box((face, face + 0.02), (right + 0.03, left - 0.03), (0.16, 0.7 * top), SCREEN)
    kit.box((face + 0.02, front), (right + 0.08, left - 0.08), (0.7 * top, 0.7 * top + 0.02), METAL)
    kit.box((face, face + 0.015), (right + 0.03, left - 0.03), (0.03, 0.13), lighter(body, -0.1))
    for k in range(5):
        y = right + kit.width * (k + 1) / 6
        kit.box((face, face + 0.03), (y - 0.018, y + 0.018), (0.86 * top, 0.91 * top), METAL)
    kit.box((back, front - 0.02), kit.y, (top, kit.height - 0.004), BLACK)
    for x in ((back + 0.02, -0.02), (0.0, front - 0.05)):
        for plate in ((right + 0.02, -0.01), (0.01, left - 0.02)):
            kit.slab(x, plate, (kit.height - 0.004, kit.height), (84, 66, 64), cut=0.04)
    kit.surface((back + 0.05, front - 0.08), (right + 0.05, left - 0.05), kit.height)


def fridge(kit: Kit) -> None:
    """A freezer below, two long handles."""
    body = kit.pick((STEEL, WHITE, (188, 206, 200), _RED))
    (back, front), (_right, left) = kit.x, kit.y
    face, split = front - 0.06, 0.36 * kit.height
    kit.box((back, face), kit.y, (0, kit.height), lighter(body, -0.08))
    for z in ((0.03, split - 0.005), (split + 0.005, kit.height)):
        kit.slab((face, front - 0.03), kit.y, z, body, cut=0.01)
        mid = sum(z) / 2
        kit.box((front - 0.03, front), (left - 0.07, left - 0.05), (mid - 0.2, mid + 0.2), METAL)


def dishwasher(kit: Kit) -> None:
    """A flap with a bar, below a top."""
    body = kit.pick((STEEL, WHITE))
    (back, front), (right, left) = kit.x, kit.y
    face = front - 0.05
    kit.box((back, face - 0.05), kit.y, (0, 0.1), BLACK)
    kit.box((back, face), kit.y, (0.1, kit.height - 0.04), lighter(body, -0.1))
    kit.box((face, face + 0.02), (right + 0.01, left - 0.01), (0.11, kit.height - 0.05), body)
    bar = (kit.height - 0.15, kit.height - 0.13)
    kit.box((face + 0.02, front), (right + 0.06, left - 0.06), bar, METAL)
    kit.box((back, front - 0.02), kit.y, (kit.height - 0.04, kit.height), kit.pick(_STONES))
    kit.surface((back + 0.03, face), (right + 0.03, left - 0.03), kit.height)


def kitchen_island(kit: Kit) -> None:
    """A block to work at from all sides; its top overhangs the front."""
    wood, stone = kit.pick(FURNITURE), kit.pick(_STONES)
    (back, front), (right, left) = kit.x, kit.y
    top = kit.height - 0.05
    kit.box((back + 0.05, front - 0.28), (right + 0.05, left - 0.05), (0, 0.08), BLACK)
    kit.box((back + 0.02, front - 0.25), (right + 0.02, left - 0.02), (0.08, top), wood)
    panels = max(2, round(kit.width / 0.5))
    wide = (kit.width - 0.04) / panels
    for k in range(panels):
        y = (right + 0.02 + k * wide + 0.03, right + 0.02 + (k + 1) * wide - 0.03)
        kit.box((front - 0.25, front - 0.24), y, (0.14, top - 0.06), lighter(wood, 0.12))
    kit.box(kit.x, kit.y, (top, kit.height), stone)
    kit.top(0.04)


def wall_cabinet(kit: Kit) -> None:
    """A cupboard above the counter."""
    wood = kit.pick(FURNITURE)
    kit.box((kit.x[0], kit.x[1] - 0.04), kit.y, (0, kit.height), wood)
    leaves = max(1, round(kit.width / 0.45))
    kit.doors(kit.x[1] - 0.04, kit.y, (0, kit.height), wood, leaves=leaves, deep=0.04)


def microwave(kit: Kit) -> None:
    """A door of dark glass and buttons."""
    body = kit.pick((STEEL, WHITE, BLACK))
    (back, front), (right, left) = kit.x, kit.y
    kit.box((back, front - 0.02), kit.y, (0, kit.height), body)
    panel = left - 0.24 * kit.width
    kit.box((front - 0.02, front), (right + 0.01, panel), (0.02, kit.height - 0.02), SCREEN)
    for k in range(3):
        z = (0.2 + 0.25 * k) * kit.height
        kit.box((front - 0.02, front - 0.01), (panel + 0.02, left - 0.02), (z, z + 0.03), METAL)


def coffee_machine(kit: Kit) -> None:
    """A tank behind, a head above, a pot between."""
    body = kit.pick((BLACK, STEEL, _RED))
    (back, front), (_right, _left) = kit.x, kit.y
    tall, half = kit.height, 0.45 * kit.depth
    kit.box(kit.x, kit.y, (0, 0.1 * tall), body)
    kit.box((back, back + half), kit.y, (0.1 * tall, 0.72 * tall), lighter(body, 0.1))
    kit.slab(kit.x, kit.y, (0.72 * tall, tall), body, cut=0.02)
    middle = (back + half + front) / 2
    pot = 0.85 * min(middle - back - half, kit.width / 2)
    kit.cone((middle, 0), (pot, 0.75 * pot), (0.1 * tall, 0.55 * tall), (82, 58, 44), steps=3)


def kettle(kit: Kit) -> None:
    """A tapering body with a handle at the back."""
    body = kit.pick((STEEL, *BRIGHTS))
    r, tall = 0.36 * kit.depth, kit.height
    at = kit.x[1] - r
    wide = kit.width / 2 / r
    kit.disc((at, 0), r, (0, 0.1 * tall), BLACK, wide=wide)
    kit.turned(
        (at, 0), ((0.1 * tall, 0.95 * r), (0.5 * tall, 0.9 * r), (0.8 * tall, 0.66 * r)), body
    )
    kit.turned((at, 0), ((0.8 * tall, 0.6 * r), (0.92 * tall, 0.5 * r), (tall, 0.12 * r)), BLACK)
    grip = (kit.x[0], kit.x[0] + 0.14 * kit.depth)
    kit.box(grip, (-0.015, 0.015), (0.2 * tall, 0.8 * tall), BLACK)


def toaster(kit: Kit) -> None:
    """Two slots and two slices."""
    body = kit.pick((STEEL, *BRIGHTS))
    (back, front), (right, left) = kit.x, kit.y
    body_top = 0.88 * kit.height
    kit.slab(kit.x, kit.y, (0.02, body_top), body, cut=0.02)
    kit.box((back + 0.02, front - 0.02), (right + 0.02, left - 0.02), (0, 0.02), BLACK)
    third = kit.depth / 3
    for x in (back + 0.5 * third, front - 0.5 * third - 0.02):
        crust = (168, 116, 66)
        kit.slab(
            (x, x + 0.02), (right + 0.05, left - 0.05), (body_top, kit.height), crust, cut=0.008
        )


def vending_machine(kit: Kit) -> None:
    """Rows of colours behind glass."""
    body = kit.pick(((60, 92, 140), _RED, BLACK))
    (back, front), (right, left) = kit.x, kit.y
    face = front - 0.04
    kit.box((back, face), kit.y, (0, kit.height), body)
    panel, rows, columns = left - 0.28 * kit.width, 5, 5
    z0, tall = 0.28 * kit.height, 0.66 * kit.height / rows
    wide = (panel - right - 0.06) / columns
    for row in range(rows):
        for column in range(columns):
            y = right + 0.04 + column * wide
            z = z0 + row * tall
            cell = (y, y + 0.75 * wide)
            kit.box((face, front - 0.02), cell, (z, z + 0.6 * tall), kit.pick(BRIGHTS))
    kit.box(
        (face, front), (right + 0.06, panel - 0.02), (0.1 * kit.height, 0.2 * kit.height), BLACK
    )
    pad = (panel + 0.03, left - 0.05)
    kit.box((face, front - 0.02), pad, (0.5 * kit.height, 0.66 * kit.height), SCREEN)


def water_cooler(kit: Kit) -> None:
    """A blue bottle on a white column."""
    (back, front), (right, left) = kit.x, kit.y
    body = 0.68 * kit.height
    kit.box((back, front - 0.04), kit.y, (0, body), WHITE)
    bay = (0.55 * kit.height, 0.64 * kit.height)
    kit.box((front - 0.04, front - 0.02), (right + 0.03, left - 0.03), bay, (90, 96, 104))
    for y in (-0.06, 0.03):
        kit.box(
            (front - 0.02, front), (y, y + 0.03), (bay[0] + 0.03, bay[0] + 0.06), (90, 150, 200)
        )
    r = 0.45 * min(kit.depth - 0.04, kit.width)
    middle = (back + front - 0.04) / 2
    bottle = (150, 196, 222)
    tall = kit.height - body
    shape = ((0, 0.5), (0.12, 0.8), (0.2, 1.0), (0.9, 1.0), (1.0, 0.85))
    kit.turned((middle, 0), [(body + z * tall, s * r) for z, s in shape], bottle)


_ON = Mount.TOP
ROWS = (
    Category(
        "kitchen_counter",
        kitchen_counter,
        (0.6, 0.8, 0.86),
        (0.7, 2.4, 0.94),
        density=300,
        reach=0.8,
        other_names=("counter", "kitchen_cabinet", "worktop", "kitchen_space"),
    ),
    Category(
        "kitchen_sink", kitchen_sink, (0.6, 0.9, 1.12), (0.7, 1.6, 1.3), density=250, reach=0.8
    ),
    Category(
        "oven",
        oven,
        (0.58, 0.55, 0.86),
        (0.7, 0.8, 0.94),
        density=180,
        reach=0.8,
        other_names=("stove", "cooker", "range"),
    ),
    Category(
        "fridge",
        fridge,
        (0.6, 0.58, 1.5),
        (0.75, 0.9, 1.95),
        density=140,
        reach=0.8,
        other_names=("refrigerator", "freezer"),
    ),
    Category(
        "dishwasher", dishwasher, (0.58, 0.55, 0.82), (0.66, 0.62, 0.94), density=180, reach=0.8
    ),
    Category(
        "kitchen_island", kitchen_island, (0.8, 1.2, 0.88), (1.1, 2.2, 0.95), density=250, reach=0.8
    ),
    Category(
        "wall_cabinet",
        wall_cabinet,
        (0.32, 0.6, 0.55),
        (0.4, 1.8, 0.75),
        Mount.WALL,
        reach=0.4,
        density=150,
    ),
    Category("microwave", microwave, (0.3, 0.42, 0.24), (0.4, 0.54, 0.3), _ON, reach=0.3),
    Category(
        "coffee_machine", coffee_machine, (0.26, 0.18, 0.3), (0.36, 0.28, 0.4), _ON, reach=0.3
    ),
    Category("kettle", kettle, (0.2, 0.14, 0.2), (0.24, 0.18, 0.26), _ON, reach=0),
    Category("toaster", toaster, (0.17, 0.26, 0.19), (0.2, 0.32, 0.23), _ON, reach=0),
    Category(
        "vending_machine",
        vending_machine,
        (0.7, 0.8, 1.7),
        (0.85, 1.1, 1.95),
        density=200,
        reach=0.8,
    ),
    Category("water_cooler", water_cooler, (0.32, 0.3, 1.15), (0.4, 0.38, 1.4), density=200),
)
