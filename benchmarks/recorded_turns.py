"""How many turns a second pass through match loop, record and store, beside a bare loop.

Run: ``python benchmarks/recorded_turns.py``. Synchronous bots play the iterated prisoners' dilemma
through the runner and the store on one core; beside it the same world in a bare PettingZoo Parallel
loop with the same moves and nothing recorded. The figure to look at is the ratio.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

import gymposium
from gymposium.scenarios.model import Scenario

ROUNDS, REPEATS, PASSES = 500, 100, 3


def through_the_store() -> float:
    """Turns per second of a whole run, from plan to closed database."""
    scenario = Scenario.model_validate(
        {
            "name": "bench",
            "worlds": [
                {
                    "id": "iterated_matrix-v0",
                    "params": {"game": "prisoners-dilemma", "rounds": ROUNDS},
                }
            ],
            "agents": ["scripted:tit_for_tat", "scripted:always_defect"],
            "schedule": {"kind": "pairs", "repeats": REPEATS, "self_play": False},
        }
    )
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        run = gymposium.run(scenario, out=Path(folder) / "run", concurrency=1)
        seconds = time.perf_counter() - began
        return sum(seat.turns for row in run.rows for seat in row.seats) / seconds


def bare_pettingzoo() -> float:
    """Agent-turns per second of the same world in a plain Parallel loop."""
    import pettingzoo

    env = pettingzoo.make(
        "parallel", "gymposium/iterated_matrix-v0", game="prisoners-dilemma", rounds=ROUNDS
    )
    turns = 0
    began = time.perf_counter()
    for seed in range(REPEATS):
        env.reset(seed=seed)
        first, second = env.possible_agents
        mine = 0
        while env.agents:
            env.step({first: mine, second: 1})
            mine = 1
            turns += 2
    return turns / (time.perf_counter() - began)


def main() -> None:
    """Print the median of interleaved passes."""
    pairs = [(through_the_store(), bare_pettingzoo()) for _ in range(PASSES)]
    stored = statistics.median(pair[0] for pair in pairs)
    bare = statistics.median(pair[1] for pair in pairs)
    print(f"recorded turns/s through runner and store: {stored:,.0f} (goal: 50,000)")
    print(f"turns/s of a bare PettingZoo loop:         {bare:,.0f}")
    print(f"ratio:                                     {stored / bare:.2f}")


if __name__ == "__main__":
    main()
