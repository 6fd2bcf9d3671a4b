"""Screens, speakers and office machines."""

from __future__ import annotations

from .kit import BLACK, METAL, SCREEN, STEEL, WHITE, Kit, lighter
from .table import Category, Mount


def _picture(kit: Kit, x: float, y: tuple[float, float], z: tuple[float, float]) -> None:
    """What a screen shows: a few bands of colour, 4 mm thick."""
    deep = (x, x + 0.004)
    sky = kit.pick(((96, 148, 196), (226, 156, 116), (120, 132, 176)))
    mid = z[0] + 0.4 * (z[1] - z[0])
    kit.box(deep, y, (mid, z[1]), sky)
    kit.box(deep, y, (z[0], mid), lighter(sky, -0.45))


def tv(kit: Kit) -> None:
    """A flat screen on a foot."""
    (_back, _front), (right, left) = kit.x, kit.y
    foot = 0.1 * kit.height
    kit.slab(kit.x, (-0.2 * kit.width, 0.2 * kit.width), (0, 0.02), BLACK, cut=0.03)
    kit.box((-0.02, 0.02), (-0.05, 0.05), (0.02, foot), METAL)
    kit.box((-0.025, 0.02), kit.y, (foot, kit.height), BLACK)
    _picture(kit, 0.02, (right + 0.015, left - 0.015), (foot + 0.015, kit.height - 0.015))


def monitor(kit: Kit) -> None:
    """A screen for a desk; one looks at its front."""
    (_back, _front), (right, left) = kit.x, kit.y
    foot = 0.3 * kit.height
    kit.slab(kit.x, (-0.11, 0.11), (0, 0.012), METAL, cut=0.03)
    kit.box((-0.03, -0.005), (-0.025, 0.025), (0.012, foot), METAL)
    kit.box((-0.03, 0.01), kit.y, (foot, kit.height), BLACK)
    _picture(kit, 0.01, (right + 0.01, left - 0.01), (foot + 0.015, kit.height - 0.01))


def laptop(kit: Kit) -> None:
    """Open, the screen at the back."""
    body = kit.pick((STEEL, (96, 98, 104), WHITE))
    (back, front), (right, left) = kit.x, kit.y
    kit.box((back, front), kit.y, (0, 0.015), body)
    kit.box((back + 0.04, front - 0.09), (right + 0.02, left - 0.02), (0.015, 0.019), BLACK)
    kit.box((front - 0.075, front - 0.015), (-0.05, 0.05), (0.015, 0.017), lighter(body, -0.15))
    kit.box((back, back + 0.01), kit.y, (0.015, kit.height), body)
    _picture(kit, back + 0.01, (right + 0.01, left - 0.01), (0.03, kit.height - 0.01))


def keyboard(kit: Kit) -> None:
    """Rows of keys."""
    body = kit.pick((BLACK, WHITE))
    (back, _front), (right, left) = kit.x, kit.y
    base = 0.6 * kit.height
    kit.slab(kit.x, kit.y, (0, base), body, cut=0.008)
    rows = 4
    tall = (kit.depth - 0.02) / rows
    for row in range(rows):
        x = (back + 0.01 + row * tall + 0.002, back + 0.01 + (row + 1) * tall - 0.002)
        colour = lighter(body, 0.25 if body == BLACK else -0.12)
        kit.box(x, (right + 0.01, left - 0.01), (base, kit.height), colour)


def computer(kit: Kit) -> None:
    """A tower."""
    body = kit.pick((BLACK, WHITE))
    (back, front), (right, left) = kit.x, kit.y
    kit.box((back, front - 0.01), kit.y, (0, kit.height), body)
    kit.box((front - 0.01, front), (right + 0.02, left - 0.02), (0.03, 0.6 * kit.height), METAL)
    lamp = (0.85 * kit.height, 0.88 * kit.height)
    kit.box((front - 0.01, front - 0.005), (-0.02, 0.02), lamp, (90, 190, 220))


def printer(kit: Kit) -> None:
    """A block with paper in and out."""
    body = kit.pick((WHITE, (92, 96, 102)))
    (back, front), (right, left) = kit.x, kit.y
    top = 0.78 * kit.height
    kit.slab((back, front - 0.06), kit.y, (0, top), body, cut=0.02)
    kit.box(
        (front - 0.06, front),
        (right + 0.06, left - 0.06),
        (0.08 * kit.height, 0.12 * kit.height),
        body,
    )
    paper = (0.12 * kit.height, 0.15 * kit.height)
    kit.box((front - 0.055, front - 0.005), (right + 0.08, left - 0.08), paper, WHITE)
    kit.box((back + 0.04, back + 0.05), (right + 0.07, left - 0.07), (top, kit.height), WHITE)
    kit.box(
        (front - 0.12, front - 0.08), (left - 0.12, left - 0.04), (top, top + 0.01), (90, 150, 190)
    )


def speaker(kit: Kit) -> None:
    """A slim box with two cones."""
    body = kit.pick((BLACK, (112, 78, 54), WHITE))
    (back, front), (right, left) = kit.x, kit.y
    kit.box((back, front - 0.02), kit.y, (0, kit.height), body)
    kit.box(
        (front - 0.02, front - 0.01),
        (right + 0.015, left - 0.015),
        (0.03, kit.height - 0.02),
        SCREEN,
    )
    half = 0.3 * kit.width
    for z, size in ((0.35, half), (0.75, 0.6 * half)):
        middle = z * kit.height
        kit.box(
            (front - 0.01, front), (-size, size), (middle - size, middle + size), (98, 100, 106)
        )


def projector(kit: Kit) -> None:
    """A small box with a lens."""
    (back, front), (right, left) = kit.x, kit.y
    kit.slab((back, front - 0.03), kit.y, (0.015, kit.height), WHITE, cut=0.02)
    kit.box((back + 0.03, front - 0.06), (right + 0.03, left - 0.03), (0, 0.015), BLACK)
    lens = 0.25 * kit.height
    middle = 0.55 * kit.height
    kit.box(
        (front - 0.03, front),
        (right + 0.04, right + 0.04 + 2 * lens),
        (middle - lens, middle + lens),
        SCREEN,
    )


def telephone(kit: Kit) -> None:
    """A desk phone."""
    (back, front), (right, left) = kit.x, kit.y
    low = 0.55 * kit.height
    kit.slab(kit.x, kit.y, (0, low), BLACK, cut=0.01)
    kit.slab(
        (back + 0.01, front - 0.01),
        (right, right + 0.3 * kit.width),
        (low, kit.height),
        (70, 72, 78),
        cut=0.01,
    )
    kit.box((back + 0.02, -0.01), (0.0, left - 0.01), (low, low + 0.01), (130, 168, 150))


def fan(kit: Kit) -> None:
    """A standing fan."""
    (_back, _front), (_right, _left) = kit.x, kit.y
    r, wide = kit.depth / 2, kit.width / kit.depth
    kit.disc((0, 0), r, (0, 0.03), WHITE, wide=wide)
    low = kit.height - min(kit.width, 0.45)
    kit.disc((0, 0), 0.018, (0.03, low), METAL, sides=8)
    kit.slab((-0.06, 0.04), (-0.06, 0.06), (low, kit.height - 0.1), WHITE, cut=0.02)
    half, mid = 0.48 * kit.width, (low + kit.height) / 2
    for k, share in enumerate((0.55, 0.85, 1.0, 0.85, 0.55)):
        tall = (kit.height - low) / 5
        z = (low + k * tall, low + (k + 1) * tall)
        kit.box((0.04, 0.09), (-half * share, half * share), z, lighter(STEEL, 0.2 if k % 2 else 0))
    kit.box((0.09, 0.1), (-0.03, 0.03), (mid - 0.03, mid + 0.03), BLACK)


_ON = Mount.TOP
ROWS = (
    Category(
        "tv",
        tv,
        (0.18, 0.8, 0.52),
        (0.28, 1.5, 0.92),
        _ON,
        reach=0,
        density=250,
        other_names=("television", "tv_set"),
    ),
    Category(
        "monitor",
        monitor,
        (0.16, 0.46, 0.38),
        (0.22, 0.7, 0.5),
        _ON,
        reach=0.3,
        density=300,
        other_names=("computer_screen", "screen", "display"),
    ),
    Category(
        "laptop",
        laptop,
        (0.22, 0.3, 0.2),
        (0.26, 0.38, 0.24),
        _ON,
        reach=0.3,
        density=600,
        other_names=("notebook_computer",),
    ),
    Category("keyboard", keyboard, (0.12, 0.36, 0.02), (0.15, 0.45, 0.03), _ON, reach=0.2),
    Category(
        "computer", computer, (0.38, 0.18, 0.36), (0.46, 0.22, 0.46), reach=0, other_names=("pc",)
    ),
    Category("printer", printer, (0.34, 0.4, 0.24), (0.42, 0.5, 0.36), _ON, reach=0.3),
    Category(
        "speaker",
        speaker,
        (0.18, 0.18, 0.3),
        (0.32, 0.26, 1.0),
        reach=0,
        other_names=("loudspeaker",),
    ),
    Category("projector", projector, (0.24, 0.26, 0.1), (0.3, 0.34, 0.14), _ON, reach=0),
    Category(
        "telephone",
        telephone,
        (0.16, 0.16, 0.05),
        (0.2, 0.2, 0.08),
        _ON,
        reach=0.2,
        other_names=("phone",),
    ),
    Category("fan", fan, (0.36, 0.36, 1.05), (0.44, 0.44, 1.3), reach=0),
)
