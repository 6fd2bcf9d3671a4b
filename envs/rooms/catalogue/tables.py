"""Tables and desks."""

from __future__ import annotations

from .kit import BLACK, FURNITURE, GLASS, METAL, WHITE, WOODS, Kit, lighter
from .table import Category


def _table(kit: Kit, *, thick: float, inset: float, leg: float) -> None:
    wood = kit.pick(FURNITURE)
    (back, front), (right, left) = kit.x, kit.y
    under = kit.height - thick
    inner = (back + inset, front - inset), (right + inset, left - inset)
    apron = 0.07
    kit.legs(*inner, (0, under - apron), lighter(wood, -0.08), thick=leg)
    (a, b), (c, d) = inner
    for x, y in (
        ((a, b), (c, c + 0.02)),
        ((a, b), (d - 0.02, d)),
        ((a, a + 0.02), (c + 0.02, d - 0.02)),
        ((b - 0.02, b), (c + 0.02, d - 0.02)),
    ):
        kit.box(x, y, (under - apron, under), lighter(wood, -0.08))
    kit.slab(kit.x, kit.y, (under, kit.height), wood, cut=0.015)
    kit.top(0.02)


def dining_table(kit: Kit) -> None:
    """A rectangular table for meals."""
    _table(kit, thick=0.035, inset=0.05, leg=0.07)


def coffee_table(kit: Kit) -> None:
    """A low table before a sofa, with a shelf below or a top of glass."""
    wood = kit.pick(FURNITURE)
    (back, front), (right, left) = kit.x, kit.y
    top = GLASS if kit.chance(0.3) else wood
    low = 0.3 * kit.height
    for span in ((0, low), (low + 0.02, kit.height - 0.03)):
        for x in ((back, back + 0.05), (front - 0.05, front)):
            for y in ((right, right + 0.05), (left - 0.05, left)):
                kit.box(x, y, span, lighter(wood, -0.1))
    kit.box(kit.x, kit.y, (low, low + 0.02), wood)
    kit.slab(kit.x, kit.y, (kit.height - 0.03, kit.height), top, cut=0.03)
    kit.surface(
        (back + 0.06, front - 0.06),
        (right + 0.06, left - 0.06),
        low + 0.02,
        kit.height - low - 0.06,
    )
    kit.top(0.02)


def round_table(kit: Kit) -> None:
    """A round top on one foot."""
    wood = kit.pick(FURNITURE)
    radius, wide = kit.depth / 2, kit.width / kit.depth
    top = kit.height - 0.035
    kit.cone((0, 0), (0.55 * radius, 0.4 * radius), (0, 0.06), lighter(wood, -0.15), steps=2)
    kit.turned(
        (0, 0),
        ((0.06, 0.09), (0.2, 0.05), (top - 0.1, 0.05), (top - 0.04, 0.09), (top, 0.09)),
        lighter(wood, -0.1),
    )
    kit.disc((0, 0), radius, (top, kit.height), wood, sides=20, wide=wide)
    half = 0.68 * radius
    kit.surface((-half, half), (-half * wide, half * wide), kit.height)


def side_table(kit: Kit) -> None:
    """A small table at the side of a seat."""
    if kit.chance(0.5):
        round_table(kit)
        return
    _table(kit, thick=0.025, inset=0.02, leg=0.035)


def desk(kit: Kit) -> None:
    """A top with drawers on one side and legs on the other; one sits at its front."""
    wood, legs = kit.pick(FURNITURE), kit.pick((METAL, BLACK, WHITE, *WOODS))
    (back, front), (right, left) = kit.x, kit.y
    top = kit.height - 0.035
    chest = right + min(0.42, 0.36 * kit.width)
    kit.box((back, front - 0.05), (right, chest), (0.06, top), wood)
    kit.drawers(front - 0.05, (right, chest), (0.06, top), wood, rows=3, deep=0.04)
    kit.box((back + 0.03, front - 0.08), (right + 0.02, chest - 0.02), (0, 0.06), BLACK)
    for x in ((back, back + 0.05), (front - 0.05, front)):
        kit.box(x, (left - 0.05, left), (0, top), legs)
    kit.box((back, back + 0.02), (chest, left - 0.05), (0.4 * top, top), lighter(wood, -0.06))
    kit.slab(kit.x, kit.y, (top, kit.height), wood, cut=0.01)
    kit.top(0.02)


def console_table(kit: Kit) -> None:
    """A narrow table along a wall, with a board below."""
    wood = kit.pick(FURNITURE)
    (back, front), (right, left) = kit.x, kit.y
    low, top = 0.2 * kit.height, kit.height - 0.03
    for span in ((0, low), (low + 0.02, top - 0.12)):
        for x in ((back, back + 0.04), (front - 0.04, front)):
            for y in ((right, right + 0.04), (left - 0.04, left)):
                kit.box(x, y, span, lighter(wood, -0.1))
    kit.box(kit.x, kit.y, (low, low + 0.02), wood)
    kit.box((back, front - 0.03), kit.y, (top - 0.12, top), wood)
    kit.drawers(front - 0.03, kit.y, (top - 0.12, top), wood, rows=1, deep=0.03)
    kit.box(kit.x, kit.y, (top, kit.height), wood)
    inside = (back + 0.05, front - 0.05), (right + 0.05, left - 0.05)
    kit.surface(*inside, low + 0.02, top - 0.14 - low)
    kit.top(0.02)


def meeting_table(kit: Kit) -> None:
    """A long top on two pedestals."""
    wood = kit.pick(FURNITURE)
    (back, front), (right, left) = kit.x, kit.y
    top = kit.height - 0.05
    for y in ((right + 0.35, right + 0.45), (left - 0.45, left - 0.35)):
        kit.box((back + 0.3, front - 0.3), y, (0.04, top), lighter(wood, -0.15))
        foot = (y[0] - 0.12, y[1] + 0.12)
        kit.slab((back + 0.2, front - 0.2), foot, (0, 0.04), METAL, cut=0.03)
    kit.slab(kit.x, kit.y, (top, kit.height), wood, cut=0.14)
    kit.top(0.06)


def reception_desk(kit: Kit) -> None:
    """A counter with a raised front; guests stand at its front."""
    wood, panel = kit.pick(WOODS), kit.pick((WHITE, *FURNITURE))
    (back, front), (right, left) = kit.x, kit.y
    work = 0.68 * kit.height
    kit.box((front - 0.28, front - 0.02), kit.y, (0, kit.height - 0.04), panel)
    slats = 7
    wide = kit.width / slats
    for k in range(slats):
        y = (right + k * wide + 0.01, right + (k + 1) * wide - 0.01)
        kit.box((front - 0.02, front), y, (0.06, kit.height - 0.1), wood)
    kit.box((front - 0.3, front), kit.y, (kit.height - 0.04, kit.height), lighter(panel, 0.3))
    for y in ((right, right + 0.04), (left - 0.04, left)):
        kit.box((back, front - 0.28), y, (0, work - 0.03), panel)
    kit.box((back, front - 0.3), kit.y, (work - 0.03, work), wood)
    kit.surface((back + 0.02, front - 0.32), (right + 0.02, left - 0.02), work)
    kit.surface((front - 0.28, front - 0.02), (right + 0.02, left - 0.02), kit.height)


def kids_table(kit: Kit) -> None:
    """A low table for children."""
    _table(kit, thick=0.03, inset=0.02, leg=0.05)


def dressing_table(kit: Kit) -> None:
    """Drawers, room for knees, and a mirror at the back."""
    wood = kit.pick((WHITE, *FURNITURE))
    (back, front), (right, left) = kit.x, kit.y
    top = 0.55 * kit.height
    under = top - 0.03
    kit.legs((back, front - 0.03), kit.y, (0, under - 0.14), wood)
    kit.box((back, front - 0.03), kit.y, (under - 0.14, under), wood)
    kit.drawers(front - 0.03, kit.y, (under - 0.14, under), wood, rows=1, deep=0.03)
    kit.slab(kit.x, kit.y, (under, top), wood, cut=0.01)
    half = 0.3 * kit.width
    kit.box((back, back + 0.03), (-half, half), (top, kit.height), wood)
    kit.box(
        (back + 0.03, back + 0.035),
        (-half + 0.03, half - 0.03),
        (top + 0.04, kit.height - 0.03),
        GLASS,
    )
    kit.surface((back + 0.05, front - 0.02), (right + 0.02, left - 0.02), top, 0.8)


ROWS = (
    Category(
        "dining_table",
        dining_table,
        (0.75, 1.2, 0.72),
        (1.1, 2.4, 0.78),
        reach=0,
        other_names=("table", "kitchen_table", "restaurant_table"),
    ),
    Category(
        "round_table",
        round_table,
        (0.7, 0.7, 0.7),
        (1.4, 1.4, 0.78),
        reach=0,
        other_names=("bistro_table", "cafe_table"),
    ),
    Category(
        "coffee_table",
        coffee_table,
        (0.5, 0.8, 0.35),
        (0.8, 1.3, 0.48),
        reach=0,
        other_names=("low_table", "cocktail_table"),
    ),
    Category(
        "side_table",
        side_table,
        (0.38, 0.38, 0.45),
        (0.55, 0.55, 0.62),
        reach=0,
        other_names=("end_table", "accent_table"),
    ),
    Category(
        "desk",
        desk,
        (0.55, 1.0, 0.72),
        (0.8, 1.8, 0.78),
        reach=0.8,
        other_names=("writing_desk", "computer_desk", "work_desk", "office_desk", "simple_desk"),
    ),
    Category(
        "console_table",
        console_table,
        (0.3, 0.9, 0.75),
        (0.42, 1.5, 0.9),
        other_names=("console", "hall_table", "sofa_table"),
    ),
    Category(
        "meeting_table",
        meeting_table,
        (1.0, 2.0, 0.72),
        (1.4, 3.8, 0.78),
        reach=0,
        other_names=("conference_table", "boardroom_table"),
    ),
    Category(
        "reception_desk",
        reception_desk,
        (0.75, 1.4, 1.05),
        (0.95, 2.6, 1.2),
        reach=0.9,
        other_names=("reception", "counter_desk"),
    ),
    Category(
        "kids_table",
        kids_table,
        (0.5, 0.6, 0.45),
        (0.7, 1.0, 0.55),
        reach=0,
        other_names=("play_table", "activity_table", "children_table"),
    ),
    Category(
        "dressing_table",
        dressing_table,
        (0.4, 0.9, 1.25),
        (0.5, 1.3, 1.5),
        other_names=("vanity", "vanity_table", "makeup_table"),
    ),
)
