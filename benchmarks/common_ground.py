"""Symbolic card selections as arrays: games a second on one core, and what the books cost.

Both batches play the same random stances, in turns of this very loop, so that a busy machine slows
both; the least time of each counts. ``python benchmarks/common_ground.py``
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from rich.console import Console

from gymposium.envs.common_ground.wason_cards import WasonCards
from gymposium.envs.common_ground.wason_vector import WasonVectorWorld

SIZES, GAMES, REPEATS = (256, 1024, 4096), 16_384, 15


def seconds(batch: WasonVectorWorld, actions: list[Any], *, observe: bool) -> float:
    """One go of GAMES games."""
    began = time.perf_counter()
    for turn in range(GAMES // batch.num_envs * batch.horizon):
        batch.step(actions[turn % len(actions)], observe=observe)
    return time.perf_counter() - began


def compare(rows: int, *, observe: bool) -> tuple[float, float]:
    """Games a second with and without the books, in batches of ``rows``."""
    world, rng = WasonCards(), np.random.default_rng(0)
    actions = [rng.integers(0, 4, (rows, 4, 4)) for _ in range(7)]
    batches = [
        WasonVectorWorld(world, rows, autoreset="same_step", track=track) for track in (True, False)
    ]
    least = [float("inf")] * 2
    for batch in batches:
        batch.reset(seed=0)
        seconds(batch, actions, observe=observe)
    for _ in range(REPEATS):
        for k, batch in enumerate(batches):
            least[k] = min(least[k], seconds(batch, actions, observe=observe))
    return GAMES / least[0], GAMES / least[1]


def main() -> None:
    """Print what the books cost, batch by batch."""
    show = Console().print
    for observe in (True, False):
        for rows in SIZES:
            kept, bare = compare(rows, observe=observe)
            seen = f"{rows} rows, {'with' if observe else 'without'} observations"
            show(f"{seen}: {kept:,.0f} games/s, {bare:,.0f} without books: {bare / kept - 1:+.0%}")


if __name__ == "__main__":
    main()
