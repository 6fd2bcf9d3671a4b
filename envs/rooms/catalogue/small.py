"""Small things of offices, bedrooms and bathrooms."""

from __future__ import annotations

from .kit import BLACK, BRIGHTS, FABRICS, LINEN, METAL, POTS, SCREEN, WHITE, WOODS, Kit, lighter
from .table import Category, Mount


def book(kit: Kit) -> None:
    """One, lying."""
    cover = kit.pick((*BRIGHTS, *FABRICS))
    (back, front), (right, left) = kit.x, kit.y
    board = 0.15 * kit.height
    kit.box(kit.x, kit.y, (0, board), cover)
    kit.box((back, back + 0.006), kit.y, (board, kit.height - board), cover)
    pages = (back + 0.006, front - 0.005), (right + 0.005, left - 0.005)
    kit.box(*pages, (board, kit.height - board), LINEN)
    kit.box(kit.x, kit.y, (kit.height - board, kit.height), cover)


def books(kit: Kit) -> None:
    """A row, standing; their backs face the front."""
    (back, _front), (right, _left) = kit.x, kit.y
    count = max(3, round(kit.width / 0.035))
    widths = kit.rng.uniform(0.6, 1.4, count)
    edges = right + kit.width * kit.rng.permutation(widths).cumsum() / widths.sum()
    tallest, deepest = kit.rng.integers(count, size=2)
    y = right
    for k in range(count):
        tall = kit.height * (1.0 if k == tallest else float(kit.rng.uniform(0.72, 0.97)))
        deep = kit.depth * (1.0 if k == deepest else float(kit.rng.uniform(0.75, 0.97)))
        colour = kit.pick((*BRIGHTS, *FABRICS, WHITE))
        kit.box((back, back + deep), (y + 0.0005, float(edges[k]) - 0.0005), (0, tall), colour)
        y = float(edges[k])


def book_stack(kit: Kit) -> None:
    """Three, lying."""
    (back, front), (right, left) = kit.x, kit.y
    tall = kit.height / 3
    for k in range(3):
        cut = 0.0 if k == 0 else float(kit.rng.uniform(0.01, 0.03))
        x, y = (back + cut, front - cut), (right + cut, left - cut)
        cover, z = kit.pick((*BRIGHTS, *FABRICS)), k * tall
        kit.box(x, y, (z, z + 0.12 * tall), cover)
        kit.box((x[0] + 0.004, x[1] - 0.004), y, (z + 0.12 * tall, z + 0.88 * tall), LINEN)
        kit.box(x, y, (z + 0.88 * tall, z + tall), cover)


def papers(kit: Kit) -> None:
    """A pile of sheets."""
    (back, front), (right, left) = kit.x, kit.y
    kit.box(kit.x, kit.y, (0, 0.6 * kit.height), WHITE)
    kit.box(
        (back + 0.01, front), (right + 0.01, left - 0.005), (0.6 * kit.height, kit.height), LINEN
    )


def pen_holder(kit: Kit) -> None:
    """A cup of pens."""
    r, wide, tall = kit.depth / 2, kit.width / kit.depth, kit.height
    kit.disc((0, 0), r, (0, 0.6 * tall), kit.pick((*POTS, BLACK, METAL)), wide=wide)
    for x, y, top in ((0.4, 0.3, 1.0), (-0.3, 0.4, 0.92), (0.1, -0.5, 0.96), (-0.45, -0.25, 0.85)):
        at = (x * r, y * r)
        kit.disc(at, 0.1 * r, (0.6 * tall, top * tall), kit.pick(BRIGHTS), sides=8)


def alarm_clock(kit: Kit) -> None:
    """A small clock with figures of light."""
    (back, front), (right, left) = kit.x, kit.y
    kit.slab(
        (back, front - 0.004), kit.y, (0, kit.height), kit.pick((BLACK, WHITE, *WOODS)), cut=0.01
    )
    face = (0.15 * kit.height, 0.85 * kit.height)
    kit.box((front - 0.004, front - 0.002), (right + 0.012, left - 0.012), face, SCREEN)
    for k in range(4):
        y = (0.36 - 0.2 * k - 0.12) * kit.width
        digit = (y, y + 0.11 * kit.width)
        kit.box(
            (front - 0.002, front), digit, (0.3 * kit.height, 0.7 * kit.height), (120, 220, 190)
        )


def picture_frame(kit: Kit) -> None:
    """A photograph that stands."""
    (back, front), (right, left) = kit.x, kit.y
    kit.box((front - 0.02, front - 0.004), kit.y, (0, kit.height), kit.pick((BLACK, WHITE, *WOODS)))
    photo = (right + 0.02, left - 0.02)
    kit.box((front - 0.004, front), photo, (0.02, kit.height - 0.02), kit.pick(FABRICS))
    kit.box((back, front - 0.02), (-0.01, 0.01), (0, 0.4 * kit.height), BLACK)


def jewelry_box(kit: Kit) -> None:
    """A little chest."""
    wood = kit.pick((*WOODS, *FABRICS))
    kit.slab(kit.x, kit.y, (0, 0.7 * kit.height), wood, cut=0.01)
    kit.slab(kit.x, kit.y, (0.72 * kit.height, kit.height), lighter(wood, 0.15), cut=0.015)
    middle = (0.7 * kit.height, 0.72 * kit.height)
    kit.box(
        (kit.x[0] + 0.005, kit.x[1] - 0.005), (kit.y[0] + 0.005, kit.y[1] - 0.005), middle, METAL
    )


def towels(kit: Kit) -> None:
    """Folded, in a pile."""
    tall, count = kit.height, max(2, round(kit.height / 0.06))
    for k in range(count):
        z = (k * tall / count, (k + 1) * tall / count)
        kit.pad(kit.x, kit.y, z, kit.pick((WHITE, *FABRICS)), cut=0.03)


def soap_dispenser(kit: Kit) -> None:
    """A bottle with a pump."""
    r, wide, tall = kit.depth / 2, kit.width / kit.depth, kit.height
    kit.disc((0, 0), r, (0, 0.65 * tall), kit.pick((*POTS, *BRIGHTS)), wide=wide)
    kit.disc((0, 0), 0.5 * r, (0.65 * tall, 0.75 * tall), BLACK)
    kit.disc((0, 0), 0.15 * r, (0.75 * tall, 0.92 * tall), METAL, sides=8)
    kit.box((-0.2 * r, 0.9 * r), (-0.2 * r, 0.2 * r), (0.92 * tall, tall), METAL)


def toothbrush_cup(kit: Kit) -> None:
    """A tumbler and two brushes."""
    r, wide, tall = kit.depth / 2, kit.width / kit.depth, kit.height
    kit.disc((0, 0), r, (0, 0.5 * tall), (196, 220, 226), wide=wide)
    for y in (-0.4, 0.4):
        colour = kit.pick(BRIGHTS)
        kit.disc((0, y * r), 0.12 * r, (0.5 * tall, 0.85 * tall), colour, sides=8)
        head = (0.85 * tall, tall)
        kit.box((-0.12 * r, 0.3 * r), ((y - 0.12) * r, (y + 0.12) * r), head, WHITE)


def waste_bin(kit: Kit) -> None:
    """A tapering bucket with some paper."""
    r, wide, tall = kit.depth / 2, kit.width / kit.depth, kit.height
    colour = kit.pick((BLACK, METAL, WHITE, *FABRICS))
    for k in range(5):
        share = 0.8 + 0.05 * k
        z = (0.95 * tall * k / 5, 0.95 * tall * (k + 1) / 5)
        kit.disc((0, 0), r * share, z, colour, wide=wide)
    kit.disc((0, 0), r, (0.95 * tall, tall), lighter(colour, 0.15), wide=wide)


def storage_box(kit: Kit) -> None:
    """A plain box with a lid; what the catalogue has no other name for becomes one."""
    colour = kit.pick((*FABRICS, *WOODS))
    (back, front), (right, left) = kit.x, kit.y
    lid = 0.8 * kit.height
    rim = 0.02 * min(kit.depth, kit.width)
    kit.box((back + rim, front - rim), (right + rim, left - rim), (0, lid), colour)
    kit.box(kit.x, kit.y, (lid, kit.height), lighter(colour, 0.15))
    kit.top(0.02)


def umbrella_stand(kit: Kit) -> None:
    """A tube and two umbrellas."""
    r, wide, tall = kit.depth / 2, kit.width / kit.depth, kit.height
    kit.disc((0, 0), r, (0, 0.55 * tall), kit.pick((BLACK, *POTS)), wide=wide)
    for y, top in ((-0.45, 1.0), (0.4, 0.95)):
        stick = (0.55 * tall, top * tall - 0.02)
        kit.cone((0, y * r), (0.28 * r, 0.1 * r), stick, kit.pick(BRIGHTS), steps=4, sides=8)
        kit.disc((0, y * r), 0.14 * r, (top * tall - 0.02, top * tall), BLACK, sides=8)


_ON = Mount.TOP
ROWS = (
    Category("book", book, (0.14, 0.1, 0.02), (0.25, 0.18, 0.05), _ON, reach=0, density=500),
    Category(
        "books",
        books,
        (0.15, 0.2, 0.2),
        (0.22, 0.5, 0.27),
        _ON,
        reach=0,
        density=500,
        other_names=("book_column",),
    ),
    Category(
        "book_stack", book_stack, (0.16, 0.2, 0.07), (0.22, 0.28, 0.14), _ON, reach=0, density=500
    ),
    Category(
        "papers",
        papers,
        (0.21, 0.29, 0.01),
        (0.24, 0.32, 0.03),
        _ON,
        reach=0,
        density=500,
        other_names=("document", "notebook"),
    ),
    Category(
        "pen_holder",
        pen_holder,
        (0.07, 0.07, 0.14),
        (0.1, 0.1, 0.2),
        _ON,
        reach=0,
        other_names=("pencil_cup",),
    ),
    Category("alarm_clock", alarm_clock, (0.06, 0.12, 0.07), (0.1, 0.18, 0.11), _ON, reach=0),
    Category(
        "picture_frame",
        picture_frame,
        (0.09, 0.12, 0.16),
        (0.14, 0.22, 0.28),
        _ON,
        reach=0,
        other_names=("photo_frame", "photo"),
    ),
    Category("jewelry_box", jewelry_box, (0.12, 0.16, 0.08), (0.18, 0.26, 0.14), _ON, reach=0),
    Category(
        "towels",
        towels,
        (0.22, 0.28, 0.1),
        (0.32, 0.4, 0.24),
        _ON,
        reach=0,
        density=150,
        other_names=("towel",),
    ),
    Category(
        "soap_dispenser",
        soap_dispenser,
        (0.06, 0.06, 0.14),
        (0.09, 0.09, 0.2),
        _ON,
        reach=0,
        other_names=("soap", "shampoo"),
    ),
    Category(
        "toothbrush_cup",
        toothbrush_cup,
        (0.07, 0.07, 0.16),
        (0.09, 0.09, 0.2),
        _ON,
        reach=0,
        other_names=("toothbrush", "toothbrush_holder"),
    ),
    Category(
        "waste_bin",
        waste_bin,
        (0.22, 0.22, 0.26),
        (0.34, 0.34, 0.45),
        reach=0,
        density=100,
        other_names=("trash_can", "trash", "bin", "trashcan", "garbage_can"),
    ),
    Category(
        "storage_box",
        storage_box,
        (0.15, 0.15, 0.1),
        (0.6, 0.6, 0.5),
        reach=0,
        density=100,
        other_names=("box", "crate", "basket"),
    ),
    Category(
        "umbrella_stand", umbrella_stand, (0.2, 0.2, 0.7), (0.28, 0.28, 0.85), reach=0, density=150
    ),
)
