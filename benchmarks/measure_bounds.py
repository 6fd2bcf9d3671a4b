"""The bounds of the social scenarios: what a random agent and the best shipped bot get there.

``python benchmarks/measure_bounds.py [SCENARIO …]`` plays each scenario's own agents on ten fresh
seed blocks and prints the ``bounds`` that its file holds: ``low`` is the mean focal per-capita
return of ``random``, ``high`` that of the best of the bots.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import gymposium
from gymposium.arenas.ratings.metrics import mean_returns
from gymposium.scenarios.load import change, named

SEED, REPEATS = 20_260, 10


def bounds(name: str) -> str:
    """The entry for one scenario."""
    scenario = named()[name].load()
    schedule = {**scenario.schedule.model_dump(), "repeats": REPEATS}
    with tempfile.TemporaryDirectory() as folder:
        made = change(scenario, schedule=schedule, seed=SEED, time_limit=None)
        finished = gymposium.run(made, out=Path(folder) / "run")
        means = {m.subject: m.value for m in mean_returns(finished.rows) if m.cell is None}
    low = means.pop("random")
    best = max(means, key=lambda agent: means[agent])
    how = f"random and {best.removeprefix('scripted:')}, {REPEATS} seed blocks from seed {SEED}"
    return f"low: {low:.2f}\nhigh: {means[best]:.2f}\nhow: {how} (benchmarks/measure_bounds.py)"


if __name__ == "__main__":
    for chosen in sys.argv[1:] or sorted(n for n, it in named().items() if it.family == "social"):
        print(f"{chosen}\n{bounds(chosen)}", flush=True)
