"""Robust zero-sum games: seconds of a solve, and the published way beside it.

Run: ``python benchmarks/robust_games.py``. RTZ-VI-LCB on 50 states, 2 x 2 actions and 100 steps; on
500 states, 5 x 5 actions and 50 steps with the memory it takes; and one step of the published way
(a scalar minimisation for every state and pair of actions, a linear program for every stage game),
written naively in ``tests/oracles/robust_twin.py``, against one step of ours.
"""

from __future__ import annotations

import resource
import statistics
import sys
import time
from pathlib import Path

import numpy as np

from gymposium.agents.offline.records import sample_triples
from gymposium.agents.planning.robust.model import Model, Penalty, estimate
from gymposium.agents.planning.robust.value_iteration import both, solve
from gymposium.envs.markov_games.games import dense
from gymposium.envs.markov_games.stage_games import solve_zero_sum

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.oracles.robust_twin import matrix_value, naive_step

RADIUS, PENALTY = 0.2, Penalty(0.001)


def model(size: tuple[int, int, int], horizon: int, samples: int) -> Model:
    """An estimate from independent transitions of a dense game."""
    game = dense(size, horizon, np.random.default_rng(0))
    return estimate(sample_triples(game, samples, 0))


def seconds(known: Model, repeats: int) -> float:
    """The median time of a solve."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        solve(known, both(RADIUS), PENALTY)
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def published_step(known: Model) -> float:
    """Seconds of one step of the published way."""
    kernel, rewards, counts, _ = known.at(0)
    top = float(known.horizon)
    value = np.random.default_rng(0).random((2, known.shape[0])) * top / 2

    def beta(s: int, a: int, b: int, row: np.ndarray, later: np.ndarray) -> float:
        n = counts[s, a, b]
        if n == 0:
            return top
        spread = max(row @ later**2 - (row @ later) ** 2, 0.0)
        c = PENALTY.constant
        return min(max((c / n * spread) ** 0.5, 2 * c * top / n), top)

    began = time.perf_counter()
    naive_step(kernel, rewards, (value[0], value[1]), RADIUS, beta, top)
    return time.perf_counter() - began


def stage_games(count: int) -> tuple[float, float]:
    """Seconds a 5 x 5 game: ours, and one linear program after another."""
    games = np.random.default_rng(0).random((count, 5, 5))
    solve_zero_sum(games[:2])
    began = time.perf_counter()
    solve_zero_sum(games)
    ours = (time.perf_counter() - began) / count
    began = time.perf_counter()
    for game in games[:100]:
        matrix_value(game)
    return ours, (time.perf_counter() - began) / 100


def main() -> None:
    """Print the figures."""
    small = model((50, 2, 2), 100, 1000)
    solve(small, both(RADIUS), PENALTY)
    ours = seconds(small, 20)
    theirs = published_step(small) * small.horizon
    print(f"S=50, A=B=2, H=100: {ours:.3f} s a solve (goal: under 0.2 s)")
    print(f"the published way, from one of 100 steps: {theirs:.1f} s, {theirs / ours:.0f} times")
    one, program = stage_games(50_000)
    print(f"50,000 stage games of 5 x 5: {one * 50_000:.2f} s; programs {program * 50_000:.0f} s")
    large = model((500, 5, 5), 50, 100_000)
    ours = seconds(large, 1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"S=500, A=B=5, H=50: {ours:.1f} s (goal: under 60 s), {peak:.2f} GB (goal: under 2 GB)")


if __name__ == "__main__":
    main()
