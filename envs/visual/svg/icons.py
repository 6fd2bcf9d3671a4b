"""Icons to be redrawn: made up from a seeded grammar, or read from a folder of the user's.

An icon has one to six primitives on a square of 24 by 24, as the common collections of icons have;
each is a line of SVG, so that an icon is also a list of what drew it.
"""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path

import numpy as np

from gymposium.errors import UsageError

from ...start_folder import located
from .reading import BadDrawing, clean_svg

SIDE = 24
MAX_FILES = 10_000
_COLOURS = ("#d1342f", "#2a6fbb", "#2e8b57", "#e0a526", "#7a4fa3", "#222222", "#f28c6a")


def made_up(rng: np.random.Generator, *, most: int = 6) -> list[str]:
    """The primitives of a new icon, lowest first.

    Args:
        rng: where it is drawn from.
        most: 1 to 6 primitives.
    """
    makers = (_circle, _rect, _ellipse, _line, _polygon, _curve)
    count = int(rng.integers(1, most + 1))
    return [makers[int(rng.integers(len(makers)))](rng) for _ in range(count)]


def document(primitives: list[str]) -> str:
    """One SVG document of these primitives."""
    inside = "".join(primitives)
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIDE} {SIDE}">{inside}</svg>'


@lru_cache(maxsize=4)
def icons_in(folder: str) -> tuple[str, ...]:
    """All ``*.svg`` of a folder and those below it, by name.

    Raises:
        UsageError: there are none, or one cannot be drawn here.
    """
    paths = sorted(located(Path(folder).expanduser()).rglob("*.svg"))[:MAX_FILES]
    if not paths:
        raise UsageError(f"svg_reconstruction: there is no .svg file in {folder}")
    found = []
    for path in paths:
        try:
            found.append(path.read_text(encoding="utf-8"))
            clean_svg(found[-1])
        except (OSError, UnicodeDecodeError, BadDrawing) as error:
            raise UsageError(f"svg_reconstruction: {path} cannot be drawn: {error}") from None
    return tuple(found)


def _paint(rng: np.random.Generator, *, filled: bool | None = None) -> str:
    colour = _COLOURS[int(rng.integers(len(_COLOURS)))]
    if filled is None:
        filled = bool(rng.random() < 0.5)
    if filled:
        return f'fill="{colour}"'
    return f'fill="none" stroke="{colour}" stroke-width="{int(rng.integers(1, 4))}"'


def _at(rng: np.random.Generator, low: int = 3, high: int = SIDE - 3) -> tuple[int, int]:
    x, y = rng.integers(low, high + 1, 2)
    return int(x), int(y)


def _circle(rng: np.random.Generator) -> str:
    x, y = _at(rng, 6, 18)
    return f'<circle cx="{x}" cy="{y}" r="{int(rng.integers(2, 7))}" {_paint(rng)}/>'


def _rect(rng: np.random.Generator) -> str:
    x, y = _at(rng, 1, 13)
    width, height = rng.integers(4, 11, 2)
    size = f'width="{int(width)}" height="{int(height)}" rx="{int(rng.integers(0, 3))}"'
    return f'<rect x="{x}" y="{y}" {size} {_paint(rng)}/>'


def _ellipse(rng: np.random.Generator) -> str:
    x, y = _at(rng, 7, 17)
    rx, ry = rng.integers(2, 7, 2)
    return f'<ellipse cx="{x}" cy="{y}" rx="{int(rx)}" ry="{int(ry)}" {_paint(rng)}/>'


def _line(rng: np.random.Generator) -> str:
    (a, b), (c, d) = _at(rng), _at(rng)
    c += 4 if (a, b) == (c, d) else 0
    return f'<line x1="{a}" y1="{b}" x2="{c}" y2="{d}" {_paint(rng, filled=False)}/>'


def _polygon(rng: np.random.Generator) -> str:
    x, y = _at(rng, 8, 16)
    corners, radius, turn = int(rng.integers(3, 7)), int(rng.integers(3, 8)), rng.random()
    angles = [2 * math.pi * (k + turn) / corners for k in range(corners)]
    points = (f"{x + radius * math.cos(a):.1f},{y + radius * math.sin(a):.1f}" for a in angles)
    return f'<polygon points="{" ".join(points)}" {_paint(rng)}/>'


def _curve(rng: np.random.Generator) -> str:
    (a, b), (c, d), (e, f) = _at(rng), _at(rng), _at(rng)
    return f'<path d="M{a} {b}Q{c} {d} {e} {f}" {_paint(rng, filled=False)}/>'
