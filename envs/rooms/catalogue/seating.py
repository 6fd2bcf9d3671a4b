"""Things to sit on."""

from __future__ import annotations

import itertools
import math

from .kit import BLACK, BRIGHTS, FABRICS, METAL, WHITE, WOODS, Kit, Span, lighter
from .table import Category


def chair(kit: Kit) -> None:
    """Four legs, a seat and a slatted or upholstered back."""
    wood, soft = kit.pick(WOODS), kit.pick((*FABRICS, WHITE))
    (back, front), (right, left) = kit.x, kit.y
    seat = 0.52 * kit.height
    kit.legs(kit.x, kit.y, (0, seat - 0.05), wood, thick=0.04)
    kit.box(kit.x, kit.y, (seat - 0.05, seat - 0.02), wood)
    kit.slab((back + 0.05, front), kit.y, (seat - 0.02, seat + 0.015), soft, cut=0.05)
    for y in ((right, right + 0.035), (left - 0.035, left)):
        kit.box((back, back + 0.035), y, (seat - 0.02, kit.height), wood)
    if kit.chance(0.5):
        for k in range(3):
            z = seat + 0.12 + k * (kit.height - seat - 0.17) / 2.2
            z = min(z, kit.height - 0.06)
            rail = (right + 0.035, left - 0.035)
            kit.box((back + 0.005, back + 0.03), rail, (z, z + 0.055), wood)
    else:
        pad = (right + 0.035, left - 0.035)
        kit.box((back, back + 0.04), pad, (seat + 0.12, kit.height - 0.01), soft)


def _star_base(kit: Kit, reach: float, z: Span) -> None:
    """Five spokes with castors and a column to ``z[1]``; all parts within ``reach`` of the axis."""
    kit.disc((0, 0), 0.05, (0.03, z[0]), BLACK, sides=12)
    kit.disc((0, 0), 0.025, z, METAL, sides=8)
    for spoke in range(5):
        angle = 2 * math.pi * spoke / 5
        c, s = math.cos(angle), math.sin(angle)
        near, far = 0.056, reach - 0.04
        outline = [
            (near * c + 0.02 * s, near * s - 0.02 * c),
            (far * c + 0.015 * s, far * s - 0.015 * c),
            (far * c - 0.015 * s, far * s + 0.015 * c),
            (near * c - 0.02 * s, near * s + 0.02 * c),
        ]
        kit.poly(outline, (0.06, 0.09), BLACK)
        kit.disc((0.97 * far * c, 0.97 * far * s), 0.028, (0, 0.06), BLACK, sides=8)


def office_chair(kit: Kit) -> None:
    """Castors, a gas spring, arms and a high back."""
    soft = kit.pick((*FABRICS, BLACK))
    (back, front), (right, left) = kit.x, kit.y
    seat = 0.46 * kit.height
    _star_base(kit, min(kit.depth, kit.width) / 2, (0.11, seat - 0.05))
    kit.pad((back + 0.08, front), (right + 0.06, left - 0.06), (seat - 0.05, seat + 0.04), soft)
    kit.box((back + 0.02, back + 0.08), (-0.04, 0.04), (seat - 0.05, seat + 0.12), BLACK)
    rest = (seat + 0.12, kit.height)
    kit.slab((back, back + 0.08), (right + 0.07, left - 0.07), rest, soft, cut=0.03)
    middle = (back + 0.2, back + 0.24)
    for y, pad in (
        ((right + 0.01, right + 0.05), (right, right + 0.06)),
        ((left - 0.05, left - 0.01), (left - 0.06, left)),
    ):
        kit.box(middle, y, (seat - 0.03, seat + 0.2), BLACK)
        kit.slab((back + 0.12, front - 0.12), pad, (seat + 0.2, seat + 0.23), BLACK, cut=0.02)


def _upholstered(kit: Kit, seats: int) -> None:
    soft = kit.pick(FABRICS)
    dark = lighter(soft, -0.12)
    (back, front), (right, left) = kit.x, kit.y
    arm, rest, base = min(0.2, 0.13 * kit.width + 0.06), 0.24, 0.12
    seat = 0.5 * kit.height
    kit.legs((back + 0.03, front - 0.03), (right + 0.03, left - 0.03), (0, base), kit.pick(WOODS))
    kit.slab((back, back + rest), kit.y, (base, 0.9 * kit.height), dark, cut=0.04)
    for y in ((right, right + arm), (left - arm, left)):
        kit.pad((back + rest, front - 0.02), y, (base, 0.72 * kit.height), dark)
    inside = (right + arm, left - arm)
    kit.box((back + rest, front - 0.04), inside, (base, seat - 0.12), dark)
    wide = (inside[1] - inside[0]) / seats
    for k in range(seats):
        y = (inside[0] + k * wide + 0.005, inside[0] + (k + 1) * wide - 0.005)
        kit.pad((back + rest, front), y, (seat - 0.12, seat), soft, cut=0.06)
        kit.pad((back + rest, back + rest + 0.16), y, (seat, kit.height), soft, cut=0.05)
    if seats > 1 and kit.chance(0.7):
        x = (back + rest + 0.17, back + rest + 0.3)
        kit.pad(x, (inside[0] + 0.03, inside[0] + 0.42), (seat, seat + 0.32), kit.pick(BRIGHTS))


def sofa(kit: Kit) -> None:
    """For as many as its width seats."""
    _upholstered(kit, max(2, round((kit.width - 0.4) / 0.62)))


def armchair(kit: Kit) -> None:
    """A sofa for one."""
    _upholstered(kit, 1)


def stool(kit: Kit) -> None:
    """A round seat on four legs."""
    wood = kit.pick(WOODS)
    reach = min(kit.depth, kit.width) / 2
    side = 0.64 * reach
    kit.legs((-side, side), (-side, side), (0, kit.height - 0.05), wood, thick=0.035)
    wide = kit.width / kit.depth
    top = (kit.height - 0.05, kit.height)
    kit.disc((0, 0), kit.depth / 2, top, kit.pick((*FABRICS, *WOODS)), wide=wide)
    kit.surface((-side, side), (-side, side), kit.height)


def bar_stool(kit: Kit) -> None:
    """A tall stool with a foot ring and a low back."""
    metal, soft = kit.pick((METAL, BLACK, *WOODS)), kit.pick(FABRICS)
    (back, front), (right, left) = kit.x, kit.y
    seat = 0.78 * kit.height
    kit.legs(kit.x, kit.y, (0, seat - 0.05), metal, thick=0.03)
    kit.pad(kit.x, kit.y, (seat - 0.05, seat), soft)
    for y in ((right, right + 0.025), (left - 0.025, left)):
        kit.box((back + 0.03, front - 0.03), y, (0.25, 0.28), metal)
    kit.slab((back, back + 0.04), (right + 0.02, left - 0.02), (seat, kit.height), soft, cut=0.02)


def bench(kit: Kit) -> None:
    """A long seat without a back."""
    wood = kit.pick(WOODS)
    right, left = kit.y
    kit.legs(kit.x, (right + 0.06, left - 0.06), (0, kit.height - 0.09), wood, thick=0.06)
    kit.box(kit.x, kit.y, (kit.height - 0.09, kit.height - 0.04), wood)
    kit.pad(kit.x, kit.y, (kit.height - 0.04, kit.height), kit.pick(FABRICS))
    kit.top(0.05)


def ottoman(kit: Kit) -> None:
    """A soft block for feet."""
    soft = kit.pick(FABRICS)
    (back, front), (right, left) = kit.x, kit.y
    kit.legs((back + 0.04, front - 0.04), (right + 0.04, left - 0.04), (0, 0.08), kit.pick(WOODS))
    kit.slab(kit.x, kit.y, (0.08, kit.height - 0.1), lighter(soft, -0.1), cut=0.05)
    kit.pad(kit.x, kit.y, (kit.height - 0.1, kit.height), soft, cut=0.06)
    kit.top(0.08)


def bean_bag(kit: Kit) -> None:
    """A sack that gives way."""
    soft = kit.pick((*BRIGHTS, *FABRICS))
    radius, wide, tall = kit.depth / 2, kit.width / kit.depth, kit.height
    shape = (
        (0.0, 0.86),
        (0.12, 0.96),
        (0.35, 1.0),
        (0.55, 0.86),
        (0.75, 0.62),
        (0.9, 0.36),
        (1, 0.2),
    )
    for k, ((z0, r), (z1, _)) in enumerate(itertools.pairwise(shape)):
        r = 1.0 if k == 2 else r
        z = (z0 * tall, z1 * tall)
        back = -radius * (1 - r) * 0.6
        kit.disc((back, 0), radius * r, z, lighter(soft, 0.03 * k), wide=wide)


def waiting_seats(kit: Kit) -> None:
    """A row of shells on one beam."""
    shell = kit.pick((*FABRICS, *BRIGHTS))
    (back, front), (right, left) = kit.x, kit.y
    seat, seats = 0.5 * kit.height, max(2, round(kit.width / 0.56))
    for y in ((right + 0.15, right + 0.2), (left - 0.2, left - 0.15)):
        kit.box((back + 0.05, front - 0.05), y, (0, 0.04), METAL)
        kit.box((-0.03, 0.03), y, (0.04, seat - 0.12), METAL)
    kit.box((-0.04, 0.04), kit.y, (seat - 0.12, seat - 0.06), METAL)
    wide = kit.width / seats
    for k in range(seats):
        y = (right + k * wide + 0.02, right + (k + 1) * wide - 0.02)
        kit.pad((back + 0.06, front), y, (seat - 0.06, seat), shell)
        kit.slab((back, back + 0.06), y, (seat - 0.02, kit.height), shell, cut=0.02)


ROWS = (
    Category(
        "chair",
        chair,
        (0.42, 0.4, 0.8),
        (0.56, 0.54, 1.0),
        seat=True,
        density=300,
        reach=0.4,
        other_names=("dining_chair", "kitchen_chair", "side_chair", "seat"),
    ),
    Category(
        "office_chair",
        office_chair,
        (0.56, 0.56, 0.95),
        (0.68, 0.7, 1.25),
        seat=True,
        density=220,
        reach=0.4,
        other_names=("desk_chair", "swivel_chair", "task_chair"),
    ),
    Category(
        "armchair",
        armchair,
        (0.75, 0.7, 0.75),
        (0.95, 1.0, 1.05),
        density=90,
        other_names=("lounge_chair", "easy_chair", "reading_chair", "recliner"),
    ),
    Category(
        "sofa",
        sofa,
        (0.82, 1.4, 0.72),
        (1.0, 2.6, 0.95),
        density=90,
        other_names=("couch", "loveseat", "settee", "sectional"),
    ),
    Category(
        "stool", stool, (0.32, 0.32, 0.42), (0.42, 0.42, 0.5), reach=0, seat=True, density=350
    ),
    Category(
        "bar_stool",
        bar_stool,
        (0.38, 0.38, 0.85),
        (0.48, 0.48, 1.1),
        seat=True,
        reach=0.3,
        other_names=("barstool", "counter_stool"),
    ),
    Category("bench", bench, (0.32, 0.9, 0.42), (0.5, 1.7, 0.5), other_names=("bed_bench",)),
    Category(
        "ottoman",
        ottoman,
        (0.4, 0.4, 0.36),
        (0.7, 0.8, 0.48),
        reach=0,
        density=90,
        other_names=("pouf", "pouffe", "footstool", "hassock"),
    ),
    Category(
        "bean_bag",
        bean_bag,
        (0.7, 0.7, 0.6),
        (0.95, 0.95, 0.8),
        density=40,
        other_names=("beanbag",),
    ),
    Category(
        "waiting_seats",
        waiting_seats,
        (0.52, 1.1, 0.75),
        (0.65, 2.4, 0.9),
        density=300,
        other_names=("waiting_chairs", "beam_seating"),
    ),
)
