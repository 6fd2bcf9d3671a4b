"""How long a resume takes to find out that nothing is missing among 10,000 stored matches.

Run: ``python benchmarks/resume_check.py``.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import gymposium
from gymposium.scenarios.model import Scenario

MATCHES = 10_000


def main() -> None:
    """Store the matches, then time ``resume``."""
    scenario = Scenario.model_validate(
        {
            "name": "bench",
            "worlds": [
                {"id": "iterated_matrix-v0", "params": {"game": "prisoners-dilemma", "rounds": 1}}
            ],
            "agents": ["scripted:tit_for_tat", "scripted:always_defect"],
            "schedule": {"kind": "pairs", "repeats": MATCHES // 2, "self_play": False},
        }
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        began = time.perf_counter()
        run = gymposium.run(scenario, out=path)
        played = time.perf_counter() - began
        began = time.perf_counter()
        again = gymposium.resume(path)
        resumed = time.perf_counter() - began
    if [row.key for row in again.rows] != [row.key for row in run.rows]:
        raise SystemExit("the resumed run differs")
    print(f"played and stored {len(run.rows):,} matches in {played:.1f} s")
    print(f"resume found nothing missing in {resumed:.2f} s (goal: under 2 s)")


if __name__ == "__main__":
    main()
