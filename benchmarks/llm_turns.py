"""Language-model turns per second that the pipeline itself can carry, beside Inspect AI's.

Run: ``python benchmarks/llm_turns.py``. The model is a scripted stand-in that answers at
once, so what is measured is everything around it: prompts, schema, extraction, parsing, usage and
store, with 64 concurrent matches in one process. Inspect AI's mock model answers as many samples
in the same run, if ``inspect-ai`` is installed (in any environment given as INSPECT_PYTHON).
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import gymposium
from gymposium.scenarios.model import Scenario

MATCHES, ROUNDS = 256, 10
_INSPECT = """
import time, sys, tempfile
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.scorer import match
from inspect_ai.solver import generate
n = int(sys.argv[1])
task = Task(dataset=[Sample(input=f"say yes {i}", target="yes") for i in range(n)],
            solver=[generate()], scorer=match())
began = time.perf_counter()
eval(task, model="mockllm/model", log_dir=tempfile.mkdtemp(), display="none", max_connections=64,
     max_samples=64)
print("SECONDS", time.perf_counter() - began)
"""


def ours() -> float:
    """LLM turns per second of a whole run."""
    scenario = Scenario.model_validate(
        {
            "name": "bench",
            "worlds": [
                {
                    "id": "iterated_matrix-v0",
                    "params": {"game": "prisoners-dilemma", "rounds": ROUNDS},
                }
            ],
            "agents": ["llm:scripted/legal"],
            "schedule": {"kind": "self_play", "repeats": MATCHES},
        }
    )
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        run = gymposium.run(scenario, out=Path(folder) / "run", concurrency=64)
        seconds = time.perf_counter() - began
    parsed = sum(seat.parsed_turns for row in run.rows for seat in row.seats)
    turns = sum(seat.llm_turns for row in run.rows for seat in row.seats)
    if parsed != turns:
        raise SystemExit(f"only {parsed} of {turns} answers were parsed")
    return turns / seconds


def inspect_ai(samples: int = 500) -> float | None:
    """Samples per second of Inspect AI with its mock model, or None if it is not installed."""
    python = os.environ.get("INSPECT_PYTHON", sys.executable)
    done = subprocess.run(
        [python, "-c", _INSPECT, str(samples)], capture_output=True, text=True, check=False
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("SECONDS")]
    return samples / float(lines[0].split()[1]) if lines else None


def main() -> None:
    """Print both figures and their ratio."""
    turns = ours()
    print(f"LLM turns/s, scripted backend, 64 matches: {turns:,.0f} (goal: 1,000)")
    samples = inspect_ai()
    if samples is None:
        print("Inspect AI is not installed here: set INSPECT_PYTHON to measure it beside ours")
    else:
        print(f"Inspect AI samples/s, mock model:          {samples:,.0f}")
        print(f"ratio:                                     {turns / samples:.1f}")


if __name__ == "__main__":
    main()
