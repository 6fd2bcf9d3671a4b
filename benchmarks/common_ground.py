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

ROWS, GAMES, REPEATS = 4096, 4, 15


def seconds(batch: WasonVectorWorld, actions: list[Any], *, observe: bool) -> float:
    """One go of GAMES games in every row."""
    began = time.perf_counter()
    for turn in range(GAMES * batch.horizon):
        batch.step(actions[turn % len(actions)], observe=observe)
    return time.perf_counter() - began


def main() -> None:
    """Print games a second with and without the books."""
    world, rng = WasonCards(), np.random.default_rng(0)
    actions = [rng.integers(0, 4, (ROWS, 4, 4)) for _ in range(7)]
    show = Console().print
    for observe in (True, False):
        batches = [
            WasonVectorWorld(world, ROWS, autoreset="same_step", track=track)
            for track in (True, False)
        ]
        least = [float("inf")] * 2
        for batch in batches:
            batch.reset(seed=0)
            seconds(batch, actions, observe=observe)
        for _ in range(REPEATS):
            for k, batch in enumerate(batches):
                least[k] = min(least[k], seconds(batch, actions, observe=observe))
        kept, bare = (ROWS * GAMES / spent for spent in least)
        seen = "with observations" if observe else "without observations"
        show(f"{seen}: {kept:,.0f} games/s, {bare:,.0f} without books: {bare / kept - 1:+.0%}")


if __name__ == "__main__":
    main()
