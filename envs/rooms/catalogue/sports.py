"""Gyms and music rooms."""

from __future__ import annotations

from .kit import BLACK, BRIGHTS, FABRICS, METAL, SCREEN, STEEL, WHITE, WOODS, Kit, lighter
from .table import Category, Mount


def treadmill(kit: Kit) -> None:
    """A belt, two posts and a console; one mounts it from the front, the console is behind."""
    (back, front), (right, left) = kit.x, kit.y
    deck = 0.2
    hood = back + 0.3
    kit.slab((back, hood), kit.y, (0, deck + 0.06), BLACK, cut=0.08)
    kit.box((hood, front), (right + 0.1, left - 0.1), (0.05, deck - 0.02), (66, 68, 74))
    kit.box((hood, front), (right + 0.12, left - 0.12), (deck - 0.02, deck), BLACK)
    for y in ((right, right + 0.1), (left - 0.1, left)):
        kit.box((hood, front), y, (0, deck), STEEL)
        kit.box((back + 0.1, back + 0.16), y, (deck + 0.06, kit.height - 0.2), METAL)
        kit.box((back + 0.1, back + 0.6), y, (kit.height - 0.2, kit.height - 0.15), BLACK)
    inside = (right + 0.1, left - 0.1)
    console = (kit.height - 0.25, kit.height)
    kit.box((back + 0.06, back + 0.14), inside, console, BLACK)
    kit.box(
        (back + 0.14, back + 0.15),
        (inside[0] + 0.08, inside[1] - 0.08),
        (console[0] + 0.05, console[1] - 0.03),
        (74, 128, 168),
    )


def exercise_bike(kit: Kit) -> None:
    """Flywheel at the back, saddle towards the front, handlebar between."""
    colour = kit.pick((BLACK, STEEL, *BRIGHTS))
    (back, front), (right, left) = kit.x, kit.y
    for x in ((back, back + 0.08), (front - 0.08, front)):
        kit.slab(x, kit.y, (0, 0.07), BLACK, cut=0.02)
    kit.box((back + 0.08, front - 0.08), (-0.04, 0.04), (0.02, 0.07), METAL)
    kit.slab(
        (back + 0.06, back + 0.55 * kit.depth),
        (-0.09, 0.09),
        (0.1, 0.5 * kit.height),
        colour,
        cut=0.04,
    )
    kit.box((back + 0.12, back + 0.2), (-0.03, 0.03), (0.5 * kit.height, kit.height - 0.04), METAL)
    kit.box(
        (back + 0.1, back + 0.34),
        (right + 0.02, right + 0.05),
        (kit.height - 0.04, kit.height),
        BLACK,
    )
    kit.box(
        (back + 0.1, back + 0.34),
        (left - 0.05, left - 0.02),
        (kit.height - 0.04, kit.height),
        BLACK,
    )
    kit.box(
        (back + 0.1, back + 0.2),
        (right + 0.05, left - 0.05),
        (kit.height - 0.04, kit.height),
        BLACK,
    )
    post = back + 0.68 * kit.depth
    kit.box((post, post + 0.06), (-0.03, 0.03), (0.07, 0.74 * kit.height), METAL)
    kit.pad((post - 0.1, post + 0.18), (-0.1, 0.1), (0.74 * kit.height, 0.8 * kit.height), BLACK)


def weight_bench(kit: Kit) -> None:
    """A padded bench with a barbell at its head."""
    soft = kit.pick((BLACK, *FABRICS))
    (back, front), (right, left) = kit.x, kit.y
    pad = 0.45 * kit.height
    for x in ((back + 0.1, back + 0.16), (front - 0.2, front - 0.14)):
        kit.box(x, (-0.2, 0.2), (0, 0.04), METAL)
        kit.box(x, (-0.04, 0.04), (0.04, pad - 0.08), METAL)
    kit.pad((back + 0.2, front), (-0.15, 0.15), (pad - 0.08, pad), soft)
    bar = kit.height - 0.2
    for y in (-0.34, 0.28):
        kit.box((back + 0.02, back + 0.08), (y, y + 0.06), (0, bar), STEEL)
    kit.box((back + 0.03, back + 0.07), (right + 0.12, left - 0.12), (bar, bar + 0.03), METAL)
    disc = kit.pick((BLACK, *BRIGHTS))
    for plates in ((right, right + 0.12), (left - 0.12, left)):
        kit.slab((back, back + 0.36), plates, (bar - 0.17, kit.height), disc, cut=0.03)


def dumbbell_rack(kit: Kit) -> None:
    """Two sloping rows of dumb-bells."""
    (back, front), (right, left) = kit.x, kit.y
    for y in ((right, right + 0.05), (left - 0.05, left)):
        kit.box(kit.x, y, (0, 0.06), BLACK)
        kit.box((back + 0.04, back + 0.1), y, (0.06, kit.height), BLACK)
    inside = (right + 0.05, left - 0.05)
    pairs = max(3, int((inside[1] - inside[0]) / 0.2))
    step = (inside[1] - inside[0]) / pairs
    for x, z in (
        ((back + 0.12, front), 0.3 * kit.height),
        ((back, front - 0.12), 0.75 * kit.height),
    ):
        kit.box(x, inside, (z, z + 0.03), METAL)
        for k in range(pairs):
            at = inside[0] + (k + 0.5) * step
            size = 0.035 + 0.03 * k / pairs
            ends = (x[0] + 0.03, x[0] + 0.11), (x[1] - 0.11, x[1] - 0.03)
            colour = lighter(BLACK, 0.08)
            for end in ends:
                kit.slab(
                    end, (at - size, at + size), (z + 0.03, z + 0.03 + 2 * size), colour, cut=0.02
                )
            grip = (z + 0.03 + size - 0.012, z + 0.03 + size + 0.012)
            kit.box((ends[0][1], ends[1][0]), (at - 0.012, at + 0.012), grip, STEEL)


def squat_rack(kit: Kit) -> None:
    """A cage with a loaded bar."""
    frame = kit.pick((BLACK, *BRIGHTS))
    (back, front), (right, left) = kit.x, kit.y
    post, inner = 0.07, 0.3
    tops = (kit.height - post, kit.height)
    ys = ((right + inner, right + inner + post), (left - inner - post, left - inner))
    for y in ys:
        for x in ((back, back + post), (front - post, front)):
            kit.box(x, y, (0, tops[0]), frame)
        kit.box(kit.x, y, tops, frame)
        kit.box((back + post, front - post), y, (0, post), frame)
        kit.box((back + post, front - post), y, (0.4 * kit.height, 0.4 * kit.height + 0.04), METAL)
    for x in ((back, back + post), (front - post, front)):
        kit.box(x, (ys[0][1], ys[1][0]), tops, frame)
    bar = 0.6 * kit.height
    x = (front - post - 0.05, front - post - 0.02)
    kit.box(x, (right + 0.1, left - 0.1), (bar, bar + 0.03), STEEL)
    for y in ((right, right + 0.1), (left - 0.1, left)):
        middle = sum(x) / 2
        kit.slab((middle - 0.2, middle + 0.2), y, (bar - 0.18, bar + 0.21), BLACK, cut=0.03)


def yoga_mat(kit: Kit) -> None:
    """A thin mat on the floor."""
    kit.box(kit.x, kit.y, (0, kit.height), kit.pick(BRIGHTS))


def exercise_ball(kit: Kit) -> None:
    """A big ball, as a stack of discs."""
    colour = kit.pick(BRIGHTS)
    r, wide, tall = kit.depth / 2, kit.width / kit.depth, kit.height
    slices = 9
    for k in range(slices):
        height = (k + 0.5) / slices * 2 - 1
        radius = r * (1 - height**2) ** 0.5 if k != slices // 2 else r
        z = (tall * k / slices, tall * (k + 1) / slices)
        kit.disc((0, 0), radius, z, lighter(colour, 0.03 * k), sides=16, wide=wide)


def punching_bag(kit: Kit) -> None:
    """A bag on a heavy foot."""
    colour = kit.pick((BLACK, (168, 62, 56), (70, 92, 128)))
    r, wide, tall = kit.depth / 2, kit.width / kit.depth, kit.height
    kit.disc((0, 0), r, (0, 0.12), BLACK, sides=16, wide=wide)
    kit.cone((0, 0), (0.9 * r, 0.35 * r), (0.12, 0.26), BLACK, steps=3)
    kit.disc((0, 0), 0.1, (0.26, 0.4), METAL)
    kit.disc((0, 0), 0.62 * r, (0.4, tall - 0.04), colour)
    kit.disc((0, 0), 0.5 * r, (tall - 0.04, tall), lighter(colour, 0.1))


def piano(kit: Kit) -> None:
    """An upright; one plays at its front."""
    wood = kit.pick((BLACK, (84, 52, 40), (120, 76, 50)))
    (back, front), (right, left) = kit.x, kit.y
    keys, body = 0.6 * kit.height, back + 0.5 * kit.depth
    kit.box((back, body), kit.y, (0, kit.height), wood)
    kit.box((body, front), kit.y, (keys - 0.08, keys), wood)
    for y in ((right, right + 0.06), (left - 0.06, left)):
        kit.box((front - 0.08, front - 0.02), y, (0, keys - 0.08), wood)
        kit.box((body, front), y, (keys, keys + 0.06), wood)
    kit.box((front - 0.16, front - 0.01), (right + 0.07, left - 0.07), (keys, keys + 0.02), WHITE)
    count = 30
    for k in range(count):
        if k % 7 not in (2, 6):
            at = right + 0.07 + (k + 1) * (kit.width - 0.14) / (count + 1)
            kit.box(
                (front - 0.16, front - 0.07),
                (at - 0.007, at + 0.007),
                (keys + 0.02, keys + 0.03),
                SCREEN,
            )
    kit.box((body, body + 0.02), (-0.3, 0.3), (keys + 0.06, keys + 0.3), lighter(wood, 0.12))
    kit.surface((back + 0.02, body - 0.02), (right + 0.02, left - 0.02), kit.height)


def easel(kit: Kit) -> None:
    """A canvas on three legs."""
    wood = kit.pick(WOODS)
    (back, front), (right, left) = kit.x, kit.y
    for y in ((right, right + 0.03), (left - 0.03, left)):
        kit.box((front - 0.09, front - 0.06), y, (0, kit.height - 0.2), wood)
    kit.box((back, back + 0.03), (-0.02, 0.02), (0, 0.75 * kit.height), wood)
    kit.box(
        (back + 0.03, front - 0.09), (-0.015, 0.015), (0.7 * kit.height, 0.73 * kit.height), wood
    )
    kit.box((front - 0.06, front), kit.y, (0.42 * kit.height, 0.44 * kit.height), wood)
    canvas = (right + 0.02, left - 0.02)
    z = (0.44 * kit.height, kit.height)
    kit.box((front - 0.06, front - 0.03), canvas, z, WHITE)
    for k in range(3):
        y = (canvas[0] + 0.05 + k * 0.1, canvas[0] + 0.2 + k * 0.12)
        low = z[0] + (0.15 + 0.2 * k) * (z[1] - z[0])
        band = (low, low + 0.15 * (z[1] - z[0]))
        kit.box((front - 0.03, front - 0.028), y, band, kit.pick(BRIGHTS))


ROWS = (
    Category("treadmill", treadmill, (1.6, 0.75, 1.3), (1.9, 0.9, 1.5), density=180, reach=0.8),
    Category(
        "exercise_bike",
        exercise_bike,
        (1.0, 0.5, 1.1),
        (1.3, 0.6, 1.35),
        density=400,
        other_names=("stationary_bike", "spinning_bike"),
    ),
    Category("weight_bench", weight_bench, (1.3, 1.2, 1.0), (1.6, 1.7, 1.2), density=500),
    Category(
        "dumbbell_rack",
        dumbbell_rack,
        (0.45, 1.0, 0.75),
        (0.6, 1.8, 1.0),
        density=900,
        other_names=("weight_rack", "dumbbells"),
    ),
    Category(
        "squat_rack",
        squat_rack,
        (1.1, 1.7, 2.0),
        (1.4, 2.1, 2.2),
        density=800,
        other_names=("power_rack", "barbell_rack"),
    ),
    Category("yoga_mat", yoga_mat, (0.6, 1.7, 0.01), (0.7, 1.9, 0.012), Mount.RUG, reach=0),
    Category(
        "exercise_ball",
        exercise_ball,
        (0.55, 0.55, 0.55),
        (0.75, 0.75, 0.75),
        reach=0,
        density=15,
        other_names=("gym_ball", "yoga_ball"),
    ),
    Category(
        "punching_bag", punching_bag, (0.55, 0.55, 1.6), (0.65, 0.65, 1.85), reach=0, density=250
    ),
    Category("piano", piano, (0.55, 1.4, 1.1), (0.65, 1.55, 1.3), density=350, reach=0.8),
    Category("easel", easel, (0.5, 0.55, 1.4), (0.7, 0.8, 1.7), density=300),
)
