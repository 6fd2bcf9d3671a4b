"""Things that hang on walls; their backs are flat."""

from __future__ import annotations

from .kit import BLACK, BRIGHTS, FABRICS, GLASS, SCREEN, STEEL, WHITE, WOODS, Kit, lighter
from .table import Category, Mount


def _frame(
    kit: Kit, edge: float, *, deep: float
) -> tuple[tuple[float, float], tuple[float, float]]:
    """A frame over the whole face; returns the opening (y, z)."""
    colour = kit.pick((BLACK, WHITE, *WOODS))
    x = (kit.x[0], kit.x[0] + deep)
    (right, left), top = kit.y, kit.height
    kit.box(x, kit.y, (0, edge), colour)
    kit.box(x, kit.y, (top - edge, top), colour)
    kit.box(x, (right, right + edge), (edge, top - edge), colour)
    kit.box(x, (left - edge, left), (edge, top - edge), colour)
    return (right + edge, left - edge), (edge, top - edge)


def painting(kit: Kit) -> None:
    """A landscape or an abstract of a few planes."""
    y, z = _frame(kit, 0.03, deep=kit.depth)
    x = (kit.x[0], kit.x[0] + 0.6 * kit.depth)
    wide, tall = y[1] - y[0], z[1] - z[0]
    if kit.chance(0.5):
        cuts = sorted(float(c) for c in kit.rng.uniform(0.15, 0.85, 3))
        edges = [0.0, *cuts, 1.0]
        colours = [lighter(kit.pick((*FABRICS, *BRIGHTS)), 0.1) for _ in range(4)]
        for k in range(4):
            kit.box(x, y, (z[0] + edges[k] * tall, z[0] + edges[k + 1] * tall), colours[k])
    else:
        split = float(kit.rng.uniform(0.3, 0.7))
        level = float(kit.rng.uniform(0.3, 0.7))
        for y0, y1 in ((0.0, split), (split, 1.0)):
            for z0, z1 in ((0.0, level), (level, 1.0)):
                across = (y[0] + y0 * wide, y[0] + y1 * wide)
                up = (z[0] + z0 * tall, z[0] + z1 * tall)
                kit.box(x, across, up, kit.pick((*BRIGHTS, WHITE, *FABRICS)))


def mirror(kit: Kit) -> None:
    """Glass in a frame."""
    y, z = _frame(kit, 0.025, deep=kit.depth)
    kit.box((kit.x[0], kit.x[0] + 0.6 * kit.depth), y, z, lighter(GLASS, 0.35))


def wall_clock(kit: Kit) -> None:
    """A square clock with hands."""
    y, z = _frame(kit, 0.02, deep=kit.depth)
    back = kit.x[0]
    kit.box((back, back + 0.6 * kit.depth), y, z, WHITE)
    mid, hands = kit.height / 2, (back + 0.6 * kit.depth, back + 0.8 * kit.depth)
    kit.box(hands, (-0.006, 0.006), (mid, mid + 0.36 * kit.height), BLACK)
    kit.box(hands, (0.006, 0.26 * kit.width), (mid, mid + 0.012), BLACK)


def wall_shelf(kit: Kit) -> None:
    """A board on brackets."""
    wood = kit.pick((WHITE, *WOODS))
    (back, front), (right, left) = kit.x, kit.y
    top = kit.height - 0.03
    kit.box(kit.x, kit.y, (top, kit.height), wood)
    for y in (right + 0.1 * kit.width, left - 0.1 * kit.width - 0.02):
        kit.box((back, back + 0.02), (y, y + 0.02), (0, top), BLACK)
        kit.box((back + 0.02, front - 0.04), (y, y + 0.02), (top - 0.02, top), BLACK)
    kit.surface((back + 0.01, front - 0.01), (right + 0.01, left - 0.01), kit.height, 0.5)


def whiteboard(kit: Kit) -> None:
    """With a tray, pens and some writing."""
    (back, front), (right, left) = kit.x, kit.y
    board = back + 0.4 * kit.depth
    kit.box((back, board), kit.y, (0.04, kit.height), STEEL)
    face = (board, board + 0.005)
    kit.box(face, (right + 0.02, left - 0.02), (0.06, kit.height - 0.02), WHITE)
    kit.box((back, front), (right + 0.1, left - 0.1), (0, 0.04), STEEL)
    for k in range(4):
        z = kit.height * (0.8 - 0.15 * k)
        y = (right + 0.12, right + 0.12 + float(kit.rng.uniform(0.3, 0.7)) * (kit.width - 0.3))
        kit.box((face[1], face[1] + 0.002), y, (z, z + 0.012), kit.pick(BRIGHTS))


def notice_board(kit: Kit) -> None:
    """Cork with notes."""
    y, z = _frame(kit, 0.02, deep=kit.depth)
    x = kit.x[0]
    kit.box((x, x + 0.6 * kit.depth), y, z, (190, 146, 98))
    columns = max(2, int((y[1] - y[0]) / 0.22))
    wide, tall = (y[1] - y[0]) / columns, (z[1] - z[0]) / 2
    for k in range(columns):
        for row in range(2):
            y0, z0 = y[0] + k * wide, z[0] + row * tall
            note = (y0 + 0.15 * wide, y0 + 0.8 * wide)
            up = (z0 + 0.2 * tall, z0 + 0.85 * tall)
            face = (x + 0.6 * kit.depth, x + 0.75 * kit.depth)
            kit.box(face, note, up, lighter(kit.pick((WHITE, *BRIGHTS)), 0.4))


def wall_tv(kit: Kit) -> None:
    """A flat screen on a bracket."""
    (back, front), (right, left) = kit.x, kit.y
    kit.box(
        (back, back + 0.4 * kit.depth), (-0.2, 0.2), (0.3 * kit.height, 0.7 * kit.height), BLACK
    )
    kit.box((back + 0.4 * kit.depth, front - 0.004), kit.y, (0, kit.height), BLACK)
    kit.box(
        (front - 0.004, front),
        (right + 0.015, left - 0.015),
        (0.015, kit.height - 0.015),
        (72, 96, 124),
    )


def projector_screen(kit: Kit) -> None:
    """A white sheet below its case."""
    (back, _front), (right, left) = kit.x, kit.y
    kit.box(kit.x, kit.y, (kit.height - 0.09, kit.height), STEEL)
    sheet = (back + 0.02, back + 0.03)
    kit.box(sheet, (right + 0.05, left - 0.05), (0.04, kit.height - 0.09), WHITE)
    kit.box((back + 0.01, back + 0.04), (right + 0.05, left - 0.05), (0, 0.04), BLACK)


def menu_board(kit: Kit) -> None:
    """Chalk on slate."""
    y, z = _frame(kit, 0.03, deep=kit.depth)
    x = kit.x[0]
    kit.box((x, x + 0.6 * kit.depth), y, z, SCREEN)
    lines = max(3, int((z[1] - z[0]) / 0.12))
    for k in range(lines):
        low = z[0] + (k + 0.4) * (z[1] - z[0]) / lines
        share = float(kit.rng.uniform(0.4, 0.8))
        line = (y[0] + 0.05, y[0] + 0.05 + share * (y[1] - y[0] - 0.1))
        kit.box((x + 0.6 * kit.depth, x + 0.7 * kit.depth), line, (low, low + 0.015), WHITE)


def coat_hooks(kit: Kit) -> None:
    """A board of pegs."""
    wood = kit.pick(WOODS)
    (back, front), (right, _left) = kit.x, kit.y
    kit.box((back, back + 0.02), kit.y, (0, kit.height), wood)
    pegs = max(3, round(kit.width / 0.16))
    for k in range(pegs):
        y = right + (k + 0.5) * kit.width / pegs
        kit.box(
            (back + 0.02, front),
            (y - 0.012, y + 0.012),
            (0.4 * kit.height, 0.6 * kit.height),
            BLACK,
        )


_WALL = Mount.WALL
ROWS = (
    Category(
        "painting",
        painting,
        (0.02, 0.4, 0.35),
        (0.04, 1.2, 0.9),
        _WALL,
        reach=0,
        other_names=("picture", "wall_art", "poster", "artwork", "wall_decoration"),
    ),
    Category(
        "mirror",
        mirror,
        (0.02, 0.4, 0.6),
        (0.04, 0.9, 1.3),
        _WALL,
        reach=0.4,
        other_names=("wall_mirror",),
    ),
    Category(
        "wall_clock",
        wall_clock,
        (0.03, 0.24, 0.24),
        (0.05, 0.36, 0.36),
        _WALL,
        reach=0,
        other_names=("clock",),
    ),
    Category(
        "wall_shelf",
        wall_shelf,
        (0.18, 0.6, 0.14),
        (0.28, 1.2, 0.2),
        _WALL,
        reach=0,
        other_names=("floating_shelf",),
    ),
    Category(
        "whiteboard",
        whiteboard,
        (0.06, 1.2, 0.8),
        (0.1, 2.4, 1.3),
        _WALL,
        reach=0.6,
        other_names=("blackboard", "chalkboard"),
    ),
    Category(
        "notice_board",
        notice_board,
        (0.02, 0.6, 0.45),
        (0.04, 1.2, 0.9),
        _WALL,
        reach=0,
        other_names=("pinboard", "corkboard", "bulletin_board"),
    ),
    Category("wall_tv", wall_tv, (0.06, 0.9, 0.52), (0.1, 1.6, 0.92), _WALL, reach=0),
    Category(
        "projector_screen", projector_screen, (0.08, 1.6, 1.2), (0.12, 2.6, 1.7), _WALL, reach=0
    ),
    Category("menu_board", menu_board, (0.03, 0.6, 0.7), (0.05, 1.2, 1.1), _WALL, reach=0),
    Category("coat_hooks", coat_hooks, (0.08, 0.5, 0.1), (0.12, 1.2, 0.14), _WALL, reach=0.4),
)
