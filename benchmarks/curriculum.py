"""How many rollouts a curriculum of budgets saves in a binary tree of depth 12, and at what speed.

``python benchmarks/curriculum.py [--seeds 20]``: paired seeds, the teacher's rollouts counted,
until the policy earns 0.9 under the deployment budget. The ratios are of geometric means, with the
intervals of the claims.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from gymposium.arenas.analysis.curriculum import tree_rollouts
from gymposium.arenas.claims.statistics import estimate

ARMS = ("target_budget?baseline=none", "curltrac", "curltrac?reuse=true")


def main() -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--depth", type=int, default=12)
    given = parser.parse_args()
    logs, began = {}, time.perf_counter()
    for method in ARMS:
        params = {"method": method, "cap": 120_000, "tree": {"depth": given.depth}}
        measured = [tree_rollouts(params, seed, "full") for seed in range(given.seeds)]
        logs[method] = np.array([one["log2_rollouts"] for one in measured])
        print(f"{method}: median {np.median(2 ** logs[method]):,.0f} rollouts")
    played = sum(float((2**log).sum()) for log in logs.values())
    print(f"{played / (time.perf_counter() - began):,.0f} rollouts a second")
    for method in ARMS[1:]:
        found = estimate("difference", (logs[ARMS[0]], logs[method]))
        ends = " to ".join("?" if end is None else f"{2**end:.2f}" for end in found[1:3])
        print(f"{ARMS[0]} / {method}: {2**found.value:.2f} ({ends})")


if __name__ == "__main__":
    main()
