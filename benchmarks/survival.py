"""Survival bandits: pulls a second of the batched kernel, and the time of an exact plan.

Run: ``python benchmarks/survival.py``. The kernel on one core, 100,000 lives of 1,000 steps; the
plan for 1,000 steps, 10 arms and budgets up to 10,000, beside the recursion in plain Python on a
hundredth of the cells.
"""

from __future__ import annotations

import time

import numpy as np

import gymposium
from gymposium.agents.planning.survival import plan
from gymposium.envs.bandits.arms import Arm

LIVES, STEPS = 100_000, 50


def kernel(*, observe: bool) -> float:
    """Pulls a second."""
    lives = gymposium.make_vec("survival_bandit-v0", LIVES, horizon=1000, budget=1000)
    lives.reset(seed=0)
    arms = np.random.default_rng(0).integers(0, 3, (LIVES, 1))
    for _ in range(3):
        lives.step(arms, observe=observe)
    began = time.perf_counter()
    for _ in range(STEPS):
        lives.step(arms, observe=observe)
    return STEPS * LIVES / (time.perf_counter() - began)


def instance() -> list[Arm]:
    """Ten arms of three whole outcomes from -10 to 10."""
    rng = np.random.default_rng(0)
    outcomes = [rng.choice(np.arange(-10, 11), 3, replace=False) for _ in range(10)]
    outcomes[0] = np.array([-10, 1, 10])  # so that the grid reaches 10 a step
    return [
        Arm(f"arm {i}", tuple(map(float, row)), tuple(rng.dirichlet([1, 1, 1])))
        for i, row in enumerate(outcomes)
    ]


def naive(arms: list[Arm], horizon: int, top: int) -> float:
    """Seconds of the recursion written out, cell by cell."""
    began = time.perf_counter()
    value = [0.0] * (top + 1)
    for _ in range(horizon):
        value = [0.0] + [
            max(
                sum(
                    p * (max(-b, r) + value[min(max(0, b + int(r)), top)])
                    for r, p in zip(arm.rewards, arm.probs, strict=True)
                )
                for arm in arms
            )
            for b in range(1, top + 1)
        ]
    return time.perf_counter() - began


def main() -> None:
    """Print the figures."""
    for observe in (True, False):
        name = "with observations" if observe else "without"
        print(f"pulls a second, {name:18}{kernel(observe=observe) / 1e6:6.1f} M (goal: 20 M)")
    arms = instance()
    began = time.perf_counter()
    made = plan(arms, 1000)
    ours = time.perf_counter() - began
    cells = 1000 * made.grid.top
    plain = naive(arms, 10, made.grid.top) * 100
    print(f"plan of {cells:,} cells, 10 arms {ours:6.2f} s (goal: under 2 s)")
    print(f"in plain Python, from a hundredth {plain:6.0f} s, {plain / ours:.0f} times as long")


if __name__ == "__main__":
    main()
