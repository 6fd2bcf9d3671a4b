"""What minds cost beside their model: our own CPU time a turn, with a stand-in for the model.

Five people in a pub for eight evenings (`pub_coordination-v0`): the plain language agent, and the
`rational` mind remembering by words and by meaning; prompts, memory, parsing, match loop, record
and store are all counted. A first match of each warms up.

    python benchmarks/minds.py
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import gymposium
from gymposium.agents.language.backends.scripted import ScriptedBackend
from gymposium.agents.language.minds import Goal, Mind, Options, Question, Recall

SEATS, MATCHES = 5, 3
PUB = {"id": "pub_coordination-v0", "params": {"players": SEATS, "stubborn": 0, "games": 8}}


def rational(by: str) -> Mind:
    """The parts of `rational`, with a given memory."""
    ask = Question("What situation are you in?"), Options(), Question("Which is best?")
    return Mind(ScriptedBackend("legal"), [Goal("to win."), Recall(by=by), *ask])  # type: ignore[arg-type]


def milliseconds(agents: list[Any], folder: Path, name: str) -> float:
    """CPU milliseconds a turn, of the fastest match but the first."""
    once = {"rotate_seats": False, "self_play": False}
    times = []
    for match in range(1 + MATCHES):
        scenario = gymposium.Scenario(name="pub", worlds=[PUB], schedule=once, seed=match)
        began = time.process_time()
        run = gymposium.run(scenario, agents=agents, out=folder / f"{name}{match}", cache=False)
        spent = time.process_time() - began
        steps = run.transcript(run.rows[0].key)
        times.append(1000 * spent / sum(len(step.get("replies", {})) for step in steps))
    return min(times[1:])


def main() -> None:
    """Print one line an agent."""
    with tempfile.TemporaryDirectory() as folder:
        plain = [{"spec": "llm:scripted/legal", "name": f"a{seat}"} for seat in range(SEATS)]
        kinds: dict[str, list[Any]] = {"llm": plain}
        for by in ("bm25", "embeddings"):
            kinds[f"rational, {by}"] = [rational(by) for _ in range(SEATS)]
        for name, agents in kinds.items():
            spent = milliseconds(agents, Path(folder), name.replace(", ", "_"))
            print(f"{name}: {spent:.1f} ms of CPU a turn")


if __name__ == "__main__":
    main()
