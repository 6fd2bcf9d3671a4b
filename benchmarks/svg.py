"""Milliseconds from an SVG document to pixels, 256 by 256, cleaning and decoding included.

Two figures a document: what the rasteriser takes by itself, and what a reply costs in all. Each is
the fastest of many: everything above that is other work on the machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import resvg_py

from gymposium.envs.visual.svg import raster
from gymposium.envs.visual.svg.icons import document, made_up
from gymposium.envs.visual.svg.reading import clean_svg
from gymposium.envs.visual.svg.scores import FilterCosine, FilterLikeness, Structure

REPEATS = 40
ICONS = 20


def fastest(work: Callable[[], object]) -> float:
    """Milliseconds."""
    took = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        took.append(time.perf_counter() - start)
    return 1e3 * min(took)


def main() -> None:
    """Print the means over made-up icons."""
    rows = []
    for seed in range(ICONS):
        icon = document(made_up(np.random.default_rng(seed)))
        clean, picture = clean_svg(icon), raster.rasterised(icon)
        facts = {"svg_string": clean, "width": 256, "height": 256, "background": "#ffffff"}
        rows.append(
            (
                fastest(lambda icon=icon: clean_svg(icon)),
                fastest(lambda facts=facts: resvg_py.svg_to_bytes(**facts, skip_system_fonts=True)),
                fastest(lambda icon=icon: raster._pixels.__wrapped__(icon, 256)),
                *(
                    fastest(lambda s=scorer, p=picture: s(p, p))
                    for scorer in (Structure(), FilterCosine(), FilterLikeness())
                ),
            )
        )
    names = ("cleaning", "resvg alone", "in all", "structure", "cosine", "likeness")
    for name, mean in zip(names, np.mean(rows, axis=0), strict=True):
        print(f"{name}: {mean:.2f} ms")


if __name__ == "__main__":
    main()
