"""How long it takes to import gymposium and to show its help, beside a bare interpreter.

Run: ``python benchmarks/startup.py``. Whole processes, median of ten each, in turns.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "import gymposium": ["-c", "import gymposium"],
    "gymposium --help": ["-m", "gymposium", "--help"],
}
GOALS = {"import gymposium": 0.3, "gymposium --help": 0.5}


def seconds(arguments: list[str]) -> float:
    """Wall time of one process."""
    began = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def main() -> None:
    """Print the medians."""
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(10):
        for name, arguments in COMMANDS.items():
            times[name].append(seconds(arguments))
    for name, measured in times.items():
        goal = f" (goal: under {GOALS[name]} s)" if name in GOALS else ""
        print(f"{name:18} {statistics.median(measured):.3f} s{goal}")


if __name__ == "__main__":
    main()
