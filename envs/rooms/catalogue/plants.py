"""What grows indoors, and what it grows in."""

from __future__ import annotations

import math

from ..prisms import Colour
from .kit import BRIGHTS, EARTH, LEAF, POTS, Kit, lighter
from .table import Category, Mount

_GREENS: tuple[Colour, ...] = (LEAF, (74, 124, 78), (122, 156, 92), (96, 140, 110))
_STEM: Colour = (106, 132, 84)


def _pot(kit: Kit, radius: float, tall: float) -> None:
    colour = kit.pick(POTS)
    kit.cone((0, 0), (0.72 * radius, 0.95 * radius), (0, 0.85 * tall), colour, steps=4)
    kit.disc((0, 0), radius, (0.85 * tall, 0.97 * tall), lighter(colour, 0.08))
    kit.disc((0, 0), 0.85 * radius, (0.97 * tall, tall), EARTH)


def _leaf(
    kit: Kit, angle: float, near: float, far: float, wide: float, z: float, stretch: float
) -> None:
    """A pointed leaf that lies level from ``near`` to ``far`` along ``angle``."""
    c, s = math.cos(angle), math.sin(angle)
    mid = (near + 1.2 * far) / 2.2
    outline = [
        (near * c, stretch * near * s),
        (mid * c + wide * s, stretch * (mid * s - wide * c)),
        (far * c, stretch * far * s),
        (mid * c - wide * s, stretch * (mid * s + wide * c)),
    ]
    kit.poly(outline, (z, z + 0.012), kit.pick(_GREENS))


def _crown(kit: Kit, z: tuple[float, float], *, levels: int, leaves: int) -> None:
    """Whorls of leaves about a stem; the widest reach the size of the thing on every axis."""
    r, stretch = kit.depth / 2, kit.width / kit.depth
    kit.disc((0, 0), min(0.016, 0.04 * r), z, _STEM, sides=8)
    gap = (z[1] - z[0]) / levels
    for level in range(levels):
        share = 1 - 0.55 * abs(2 * (level + 0.5) / levels - 0.7)
        full = level == levels // 3
        turn = 0.0 if full else float(kit.rng.uniform(0, 2 * math.pi))
        count = 4 if full else leaves
        far = r if full else 0.92 * r * share
        for leaf in range(count):
            angle = turn + 2 * math.pi * leaf / count
            height = z[0] + gap * (level + 0.25 + 0.5 * leaf / count)
            wide = min(0.1, 0.3 * far)
            _leaf(kit, angle, 0.03, far, wide, height, stretch)


def plant(kit: Kit) -> None:
    """A leafy plant in a pot on the floor."""
    tall = 0.3 * kit.height
    _pot(kit, 0.32 * min(kit.depth, kit.width), tall)
    _crown(kit, (tall, kit.height), levels=8, leaves=5)


def tree(kit: Kit) -> None:
    """A trunk with a round crown."""
    tall = 0.2 * kit.height
    _pot(kit, 0.3 * min(kit.depth, kit.width), tall)
    crown = 0.5 * kit.height
    kit.disc((0, 0), 0.03, (tall, crown), (112, 86, 62), sides=8)
    r, stretch, green = kit.depth / 2, kit.width / kit.depth, kit.pick(_GREENS)
    slices = 8
    for k in range(slices):
        height = (k + 0.5) / slices * 2 - 1
        widest = k == slices // 2
        share = 1.0 if widest else (1 - height**2) ** 0.5 * float(kit.rng.uniform(0.82, 0.98))
        z = crown + (kit.height - crown) * k / slices
        span = (z, z + (kit.height - crown) / slices)
        kit.disc((0, 0), r * share, span, lighter(green, 0.04 * k - 0.1), sides=16, wide=stretch)


def small_plant(kit: Kit) -> None:
    """A plant for a table or a shelf."""
    tall = 0.42 * kit.height
    _pot(kit, 0.3 * min(kit.depth, kit.width), tall)
    _crown(kit, (tall, kit.height), levels=4, leaves=5)


def cactus(kit: Kit) -> None:
    """Round ribs and a flower."""
    r, stretch, tall = kit.depth / 2, kit.width / kit.depth, kit.height
    pot = 0.4 * tall
    colour = kit.pick(POTS)
    for k, share in enumerate((0.75, 0.87, 1.0)):
        kit.disc((0, 0), r * share, (pot * k / 3, pot * (k + 1) / 3), colour, wide=stretch)
    green = kit.pick(_GREENS)
    for k, share in enumerate((0.6, 0.78, 0.8, 0.72, 0.5)):
        z = (pot + (0.94 * tall - pot) * k / 5, pot + (0.94 * tall - pot) * (k + 1) / 5)
        kit.disc((0, 0), r * share, z, lighter(green, 0.03 * k), sides=12, wide=stretch)
    kit.disc((0, 0), 0.2 * r, (0.94 * tall, tall), kit.pick(BRIGHTS), sides=8)


def vase(kit: Kit) -> None:
    """A vase of flowers."""
    r, stretch, tall = kit.depth / 2, kit.width / kit.depth, kit.height
    glaze = kit.pick((*POTS, *BRIGHTS))
    shape = ((0, 0.5), (0.06, 0.62), (0.2, 0.8), (0.34, 0.56), (0.46, 0.36), (0.5, 0.48))
    kit.turned((0, 0), [(z * tall, s * r) for z, s in shape], glaze)
    bloom = kit.pick(BRIGHTS)
    kit.disc((0, 0), 0.02, (0.5 * tall, 0.7 * tall), _STEM, sides=8)
    for k in range(5):
        angle = 2 * math.pi * k / 5 + 0.3
        at = (0.5 * r * math.cos(angle), 0.5 * r * stretch * math.sin(angle))
        kit.disc(at, 0.012, (0.5 * tall, 0.72 * tall), _STEM, sides=8)
    kit.disc((0, 0), r, (0.72 * tall, 0.84 * tall), lighter(bloom, -0.05), sides=16, wide=stretch)
    kit.disc((0, 0), 0.8 * r, (0.84 * tall, 0.94 * tall), bloom, sides=16, wide=stretch)
    kit.disc((0, 0), 0.45 * r, (0.94 * tall, tall), lighter(bloom, 0.35), wide=stretch)


ROWS = (
    Category(
        "plant",
        plant,
        (0.45, 0.45, 0.8),
        (0.75, 0.75, 1.4),
        reach=0,
        density=200,
        other_names=("potted_plant", "large_plant", "house_plant"),
    ),
    Category(
        "tree", tree, (0.6, 0.6, 1.5), (0.9, 0.9, 2.1), reach=0, density=120, other_names=("ficus",)
    ),
    Category(
        "small_plant",
        small_plant,
        (0.16, 0.16, 0.2),
        (0.28, 0.28, 0.36),
        Mount.TOP,
        reach=0,
        other_names=("plant_pot", "succulent", "herbs"),
    ),
    Category("cactus", cactus, (0.1, 0.1, 0.16), (0.16, 0.16, 0.28), Mount.TOP, reach=0),
    Category(
        "vase",
        vase,
        (0.13, 0.13, 0.28),
        (0.22, 0.22, 0.42),
        Mount.TOP,
        reach=0,
        other_names=("flowers",),
    ),
)
