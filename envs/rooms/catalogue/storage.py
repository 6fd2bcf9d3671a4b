"""Things that hold other things."""

from __future__ import annotations

from ..prisms import Colour
from .kit import (
    BLACK,
    BRIGHTS,
    FABRICS,
    FURNITURE,
    GLASS,
    METAL,
    STEEL,
    WHITE,
    WOODS,
    Kit,
    lighter,
)
from .table import Category


def _carcass(kit: Kit, colour: Colour, *, plinth: float, front: float) -> None:
    """A closed box on a dark plinth, ``front`` metres short at the front."""
    back, face = kit.x[0], kit.x[1] - front
    right, left = kit.y
    kit.box((back + 0.02, face - 0.03), (right + 0.02, left - 0.02), (0, plinth), BLACK)
    kit.box((back, face), kit.y, (plinth, kit.height), colour)


def wardrobe(kit: Kit) -> None:
    """Tall doors."""
    wood = kit.pick(FURNITURE)
    _carcass(kit, wood, plinth=0.08, front=0.04)
    leaves = max(2, round(kit.width / 0.5))
    kit.doors(kit.x[1] - 0.04, kit.y, (0.08, kit.height - 0.02), wood, leaves=leaves, deep=0.04)


def dresser(kit: Kit) -> None:
    """Two columns of drawers."""
    wood = kit.pick(FURNITURE)
    right, left = kit.y
    _carcass(kit, wood, plinth=0.08, front=0.04)
    for y in ((right, 0.0), (0.0, left)):
        kit.drawers(kit.x[1] - 0.04, y, (0.08, kit.height - 0.02), wood, rows=3, deep=0.04)
    kit.top(0.01, front=0.04)


def nightstand(kit: Kit) -> None:
    """One drawer above an open shelf, beside a bed."""
    wood = kit.pick(FURNITURE)
    (back, front), (right, left) = kit.x, kit.y
    kit.legs((back, front - 0.04), kit.y, (0, 0.1), lighter(wood, -0.2), thick=0.035)
    face, low, mid = front - 0.04, 0.12, 0.55 * kit.height
    kit.box((back, face), kit.y, (0.1, low), wood)
    for y in ((right, right + 0.02), (left - 0.02, left)):
        kit.box((back, face), y, (low, mid), wood)
    kit.box((back, back + 0.015), (right + 0.02, left - 0.02), (low, mid), lighter(wood, -0.15))
    kit.box((back, face), kit.y, (mid, kit.height), wood)
    kit.drawers(face, kit.y, (mid, kit.height), wood, rows=1, deep=0.04)
    kit.surface((back + 0.03, face - 0.01), (right + 0.03, left - 0.03), low, mid - low - 0.01)
    kit.surface((back + 0.01, face), (right + 0.01, left - 0.01), kit.height)


def _shelves(kit: Kit, boards: int, columns: int) -> None:
    wood = kit.pick(FURNITURE)
    (back, front), (right, _left) = kit.x, kit.y
    thick = 0.025
    kit.box((back, back + 0.012), kit.y, (0, kit.height), lighter(wood, -0.15))
    deep = (back + 0.012, front)
    wide = (kit.width - thick) / columns
    for column in range(columns + 1):
        y0 = right + column * wide
        kit.box(deep, (y0, y0 + thick), (0, kit.height), wood)
    tall = (kit.height - thick) / boards
    for column in range(columns):
        y = (right + column * wide + thick, right + (column + 1) * wide)
        for level in range(boards + 1):
            z0 = level * tall
            kit.box(deep, y, (z0, z0 + thick), wood)
            if level < boards:
                inside = (y[0] + 0.01, y[1] - 0.01)
                room = tall - thick - 0.01
                kit.surface((back + 0.02, front - 0.01), inside, z0 + thick, room)
    kit.top(0.02)


def bookshelf(kit: Kit) -> None:
    """Tall, with boards about a book apart."""
    _shelves(kit, max(3, round(kit.height / 0.36)), max(1, round(kit.width / 0.85)))


def low_shelf(kit: Kit) -> None:
    """Open cubes, knee-high."""
    _shelves(kit, max(1, round(kit.height / 0.38)), max(2, round(kit.width / 0.4)))


def storage_rack(kit: Kit) -> None:
    """Open boards on steel posts."""
    (back, front), (right, left) = kit.x, kit.y
    post, board = 0.04, 0.03
    levels = max(3, round(kit.height / 0.45))
    for level in range(levels):
        z0 = 0.1 + level * (kit.height - 0.15) / (levels - 1)
        z0 = min(z0, kit.height - 0.05)
        kit.box((back + post, front - post), kit.y, (z0, z0 + board), STEEL)
        inside = (back + post, front - post), (right + 0.02, left - 0.02)
        gap = (kit.height - 0.15) / (levels - 1) - board - 0.01
        kit.surface(*inside, z0 + board, gap if level < levels - 1 else 1.0)
    for x in ((back, back + post), (front - post, front)):
        for y in ((right, right + post), (left - post, left)):
            kit.box(x, y, (0, kit.height), METAL)


def sideboard(kit: Kit) -> None:
    """A low, wide cupboard on legs."""
    wood = kit.pick(FURNITURE)
    (back, front), (right, left) = kit.x, kit.y
    kit.legs(
        (back + 0.03, front - 0.07), (right + 0.05, left - 0.05), (0, 0.16), lighter(wood, -0.2)
    )
    kit.box((back, front - 0.04), kit.y, (0.16, kit.height), wood)
    third = kit.width / 3
    face = (0.16, kit.height - 0.02)
    kit.doors(front - 0.04, (right, right + third), face, wood, leaves=1, deep=0.04)
    kit.drawers(front - 0.04, (right + third, left - third), face, wood, rows=3, deep=0.04)
    kit.doors(front - 0.04, (left - third, left), face, wood, leaves=1, deep=0.04)
    kit.top(0.01, front=0.04)


def tv_stand(kit: Kit) -> None:
    """Low, with an open bay between two drawers."""
    wood = kit.pick(FURNITURE)
    (back, front), (right, left) = kit.x, kit.y
    third, face = kit.width / 3, front - 0.04
    kit.legs((back + 0.03, face - 0.03), (right + 0.05, left - 0.05), (0, 0.1), lighter(wood, -0.2))
    kit.box((back, face), kit.y, (0.1, 0.12), wood)
    top = kit.height - 0.025
    for y in ((right, right + third), (left - third, left)):
        kit.box((back, face), y, (0.12, top), wood)
        kit.drawers(face, y, (0.12, top), wood, rows=1, deep=0.04)
    bay = (right + third, left - third)
    kit.box((back, back + 0.015), bay, (0.12, top), lighter(wood, -0.2))
    kit.surface((back + 0.03, face), (bay[0] + 0.01, bay[1] - 0.01), 0.12, top - 0.13)
    kit.box((back, face), kit.y, (top, kit.height), lighter(wood, 0.05))
    kit.surface((back + 0.01, face), (right + 0.02, left - 0.02), kit.height)


def cabinet(kit: Kit) -> None:
    """A cupboard with two doors below and glass above."""
    wood = kit.pick(FURNITURE)
    _carcass(kit, wood, plinth=0.06, front=0.04)
    face, mid = kit.x[1] - 0.04, 0.5 * kit.height
    kit.doors(face, kit.y, (0.06, mid), wood, leaves=2, deep=0.04)
    kit.doors(face, kit.y, (mid, kit.height - 0.02), GLASS, leaves=2, deep=0.04)
    kit.top(0.01, front=0.04)


def filing_cabinet(kit: Kit) -> None:
    """Steel drawers for paper."""
    steel = kit.pick((STEEL, (120, 128, 136), WHITE))
    _carcass(kit, steel, plinth=0.03, front=0.04)
    rows = max(2, round(kit.height / 0.34))
    kit.drawers(kit.x[1] - 0.04, kit.y, (0.03, kit.height - 0.01), steel, rows=rows, deep=0.04)
    kit.top(0.01, front=0.04)


def locker(kit: Kit) -> None:
    """Steel doors in a row, for changing rooms."""
    steel = kit.pick((STEEL, *BRIGHTS))
    _carcass(kit, steel, plinth=0.1, front=0.04)
    leaves = max(1, round(kit.width / 0.32))
    kit.doors(kit.x[1] - 0.04, kit.y, (0.1, kit.height - 0.01), steel, leaves=leaves, deep=0.04)


def shoe_rack(kit: Kit) -> None:
    """Slatted boards for shoes, with a few pairs."""
    wood = kit.pick(WOODS)
    (back, front), (right, left) = kit.x, kit.y
    for y in ((right, right + 0.03), (left - 0.03, left)):
        kit.box(kit.x, y, (0, kit.height), wood)
    inside = (right + 0.03, left - 0.03)
    levels = 2
    for level in range(levels):
        z0 = 0.08 + level * (kit.height - 0.11) / levels
        for k in range(4):
            x0 = back + 0.01 + k * (kit.depth - 0.05) / 3
            kit.box((x0, x0 + 0.03), inside, (z0, z0 + 0.02), wood)
        for k in range(max(1, int((inside[1] - inside[0]) / 0.3))):
            y0 = inside[0] + 0.04 + k * 0.3
            shoe = lighter(kit.pick((BLACK, *FABRICS, WHITE)), -0.1)
            for side in (y0, y0 + 0.11):
                along = (back + 0.02, min(front - 0.02, back + 0.28))
                kit.slab(along, (side, side + 0.09), (z0 + 0.02, z0 + 0.08), shoe, cut=0.03)
    kit.box(kit.x, inside, (kit.height - 0.025, kit.height), wood)
    kit.top(0.02)


def coat_rack(kit: Kit) -> None:
    """A post with hooks, and a coat."""
    wood = kit.pick((BLACK, *WOODS))
    radius, tall, wide = kit.depth / 2, kit.height, kit.width / kit.depth
    kit.disc((0, 0), radius, (0, 0.03), wood, wide=wide)
    kit.disc((0, 0), 0.022, (0.03, tall), wood, sides=8)
    for k, z in enumerate((tall - 0.12, tall - 0.3)):
        for sign in (-1, 1):
            arm = sorted((sign * 0.025, sign * (0.7 * radius)))
            across = (-0.012, 0.012)
            x, y = (arm, across) if k else (across, arm)
            kit.box((x[0], x[1]), (y[0], y[1]), (z, z + 0.025), wood)
    coat = kit.pick(FABRICS)
    x = (0.03, 0.8 * radius)
    kit.slab(x, (-0.16, 0.16), (tall - 1.15, tall - 0.33), coat, cut=0.05)


def chest(kit: Kit) -> None:
    """A trunk with a lid and metal bands."""
    wood = kit.pick(WOODS)
    (back, front), (right, left) = kit.x, kit.y
    lid = 0.72 * kit.height
    kit.box((back, front - 0.01), kit.y, (0, lid), wood)
    kit.box((back, front - 0.01), kit.y, (lid + 0.008, kit.height), lighter(wood, -0.12))
    kit.box((back + 0.01, front - 0.02), (right + 0.01, left - 0.01), (lid, lid + 0.008), BLACK)
    for y in (right + 0.15 * kit.width, left - 0.15 * kit.width - 0.04, -0.02):
        kit.box((front - 0.01, front), (y, y + 0.04), (0.02, kit.height - 0.02), METAL)
    kit.top(0.03)


def toy_box(kit: Kit) -> None:
    """An open crate full of colours."""
    wood = kit.pick((WHITE, *WOODS))
    (back, front), (right, left) = kit.x, kit.y
    wall = 0.025
    kit.box(kit.x, kit.y, (0, 0.03), wood)
    body = (0.03, kit.height - 0.06)
    kit.box((back, back + wall), kit.y, body, wood)
    kit.box((front - wall, front), kit.y, body, wood)
    for y in ((right, right + wall), (left - wall, left)):
        kit.box((back + wall, front - wall), y, body, wood)
    cells = max(3, int(kit.width / 0.16))
    wide = (kit.width - 2 * wall) / cells
    for k in range(cells):
        y = (right + wall + k * wide + 0.01, right + wall + (k + 1) * wide - 0.01)
        top = kit.height if k == cells // 2 else kit.height - 0.02 - 0.08 * float(kit.rng.random())
        kit.slab((back + 0.06, front - 0.06), y, (0.03, top), kit.pick(BRIGHTS), cut=0.04)


ROWS = (
    Category(
        "wardrobe",
        wardrobe,
        (0.52, 0.9, 1.8),
        (0.65, 2.2, 2.3),
        density=140,
        other_names=("closet", "armoire"),
    ),
    Category(
        "dresser",
        dresser,
        (0.42, 0.9, 0.75),
        (0.55, 1.6, 1.0),
        density=180,
        other_names=("chest_of_drawers", "drawers", "commode", "bureau"),
    ),
    Category(
        "nightstand",
        nightstand,
        (0.36, 0.38, 0.45),
        (0.46, 0.58, 0.62),
        reach=0.3,
        other_names=("bedside_table", "night_table", "night_stand"),
    ),
    Category(
        "bookshelf",
        bookshelf,
        (0.28, 0.6, 1.5),
        (0.4, 1.8, 2.2),
        density=350,
        other_names=("bookcase", "shelf", "large_shelf", "shelving", "shelves"),
    ),
    Category(
        "low_shelf",
        low_shelf,
        (0.3, 0.8, 0.4),
        (0.4, 1.6, 0.85),
        density=350,
        other_names=("cube_shelf", "cell_shelf", "simple_bookcase"),
    ),
    Category(
        "storage_rack",
        storage_rack,
        (0.4, 0.8, 1.4),
        (0.6, 1.6, 2.0),
        density=300,
        other_names=("rack", "metal_shelf", "pantry_shelf"),
    ),
    Category(
        "sideboard",
        sideboard,
        (0.4, 1.2, 0.7),
        (0.5, 2.0, 0.9),
        density=180,
        other_names=("buffet", "credenza"),
    ),
    Category(
        "tv_stand",
        tv_stand,
        (0.38, 1.2, 0.42),
        (0.5, 2.0, 0.6),
        density=200,
        other_names=("media_console", "tv_cabinet", "tv_unit", "entertainment_center"),
    ),
    Category(
        "cabinet",
        cabinet,
        (0.38, 0.7, 1.2),
        (0.5, 1.3, 1.9),
        density=150,
        other_names=("cupboard", "display_cabinet", "storage_cabinet", "china_cabinet"),
    ),
    Category("filing_cabinet", filing_cabinet, (0.45, 0.38, 0.65), (0.6, 0.5, 1.35), density=180),
    Category("locker", locker, (0.42, 0.3, 1.7), (0.52, 1.6, 2.0), density=130),
    Category("shoe_rack", shoe_rack, (0.28, 0.6, 0.4), (0.36, 1.1, 0.6), reach=0.4),
    Category(
        "coat_rack",
        coat_rack,
        (0.36, 0.36, 1.6),
        (0.5, 0.5, 1.85),
        reach=0,
        density=400,
        other_names=("coat_stand", "hat_stand"),
    ),
    Category(
        "chest", chest, (0.42, 0.8, 0.42), (0.55, 1.3, 0.55), density=180, other_names=("trunk",)
    ),
    Category("toy_box", toy_box, (0.38, 0.6, 0.38), (0.5, 1.0, 0.55), density=120),
)
