"""Scales of 10,000 items from a million comparisons, on one core.

Run with ``OMP_NUM_THREADS=1 python benchmarks/comparisons.py``. Each model of comparisons is fitted
once and its intervals (of values and of ranks) drawn; choosing the pairs, with the refits that
adaptive schedules need, is timed beside it. The
target is a minute for choosing, fitting and intervals by the default model.
"""

from __future__ import annotations

import time

import numpy as np

from gymposium.arenas.judging.eliciting import Elicitation, Plan
from gymposium.arenas.judging.scheduling import SCHEDULES
from gymposium.arenas.ratings.scale import MODELS, fit_scale, ranks

ITEMS, COMPARISONS = 10_000, 1_000_000
TARGET_SECONDS = 60.0


def main() -> None:
    """Print seconds, and the target beside them."""
    rng = np.random.default_rng(0)
    worth = rng.normal(size=ITEMS)
    made = None
    for schedule in SCHEDULES:
        began = time.process_time()
        study = Elicitation(Plan(ITEMS, COMPARISONS, schedule, orders="one"))
        while len(asked := study.questions()):
            ahead = worth[asked[:, 0]] - worth[asked[:, 1]]
            study.answer((rng.random(len(asked)) < 1 / (1 + np.exp(-ahead))) * 1.0)
        made = made or study.judgements
        print(f"choosing {COMPARISONS:,} pairs, {schedule}: {time.process_time() - began:.1f} s")
    assert made is not None
    counts = made.counts()
    for model in MODELS:
        began = time.process_time()
        scale = fit_scale(counts, model)
        fitted = time.process_time()
        places = ranks(scale.draws(200))
        ended = time.process_time()
        middle = np.quantile(places[:, np.argsort(worth)[ITEMS // 2]], [0.025, 0.975])
        print(
            f"{model}: fit {fitted - began:.1f} s, 200 draws of values and ranks "
            f"{ended - fitted:.1f} s (target for bradley_terry {TARGET_SECONDS:.0f} s); "
            f"correlation with the truth {np.corrcoef(scale.values, worth)[0, 1]:.3f}; "
            f"the middle item's rank is {middle[0]:.0f} … {middle[1]:.0f}"
        )


if __name__ == "__main__":
    main()
