"""Pictures in a terminal: two pixels a character, the upper half block in 24-bit colours."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gymposium.types import Image

_RESET = "\x1b[0m"


def half_blocks(image: Image, *, columns: int, lines: int) -> str:
    """``image`` as text with colour codes.

    Args:
        image: uint8, HxWx3. A larger one is averaged down by a whole factor, a smaller one is
            shown as it is.
        columns: the most characters it may take across.
        lines: the most it may take down.
    """
    import numpy as np

    height, width = image.shape[:2]
    factor = max(1, math.ceil(width / max(1, columns)), math.ceil(height / max(2, 2 * lines)))
    image = np.pad(image, ((0, -height % factor), (0, -width % factor), (0, 0)), mode="edge")
    cut = image.reshape(-1, factor, image.shape[1] // factor, factor, 3)
    image = cut.mean(axis=(1, 3)).astype(np.uint8)
    if len(image) % 2:
        image = np.concatenate([image, np.zeros_like(image[:1])])
    rows = zip(image[::2].tolist(), image[1::2].tolist(), strict=True)
    return "\n".join(
        "".join(_cell(up, down) for up, down in zip(*pair, strict=True)) + _RESET for pair in rows
    )


def _cell(up: list[int], down: list[int]) -> str:
    foreground, background = ";".join(map(str, up)), ";".join(map(str, down))
    return f"\x1b[38;2;{foreground};48;2;{background}m▀"
