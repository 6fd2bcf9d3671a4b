"""How long prompts get in a text world, and how much of them a model has computed before.

Five people in a pub for fifty evenings, a hundred turns each, with a stand-in for the model: prompt
tokens by turn, with the memory a language agent has by default and with one that forgets nothing.
With ``--embedded`` the small contest is played with SmolLM2 as well (minutes): the share of prompt
tokens found in the prefix cache.

    python benchmarks/text_worlds.py
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import gymposium

EVENINGS, PEOPLE = 50, 5
PUB = {
    "id": "pub_coordination-v0",
    "params": {"players": PEOPLE, "stubborn": 0, "games": EVENINGS, "letters": 60},
}


def calls(run: Any) -> list[tuple[str, tuple[int, int, int]]]:
    """(seat, (prompt, completion, cached tokens)) of every model call, in order."""
    found = []
    for row in run.rows:
        for step in run.transcript(row.key):
            for seat, reply in step.get("replies", {}).items():
                usages = [call["usage"]["$tuple"] for call in reply.get("calls", ())]
                found += [(seat, tuple(usage)) for usage in usages]
    return found


def prompts(memory: int, folder: Path) -> list[int]:
    """Prompt tokens of one person's hundred turns."""
    spec = f"llm:scripted/legal?memory_tokens={memory}"
    agents: list[Any] = [{"spec": spec, "name": f"a{seat}"} for seat in range(PEOPLE)]
    once = {"rotate_seats": False, "self_play": False}
    scenario = gymposium.Scenario(name="pub", worlds=[PUB], schedule=once)
    run = gymposium.run(scenario, agents=agents, out=folder / str(memory), cache=False)
    return [usage[0] for seat, usage in calls(run) if seat == "player_0"]


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--embedded", action="store_true")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = {
            "bounded memory (default)": prompts(1024, folder),
            "nothing forgotten": prompts(10**6, folder),
        }
        for kind, values in lines.items():
            print(f"{kind}: {values[9]} tokens at turn 10, {values[49]} at 50, {values[-1]} at 100")
        if chosen.embedded:
            from gymposium.cli.arguments import chosen_scenario

            run = gymposium.run(
                chosen_scenario("concordia_contest_mini", []), out=folder / "mini", cache=False
            )
            used = [usage for _, usage in calls(run)]
            prompt, cached = sum(it[0] for it in used), sum(it[2] for it in used)
            longest = max(it[0] for it in used)
            print(f"{len(used)} calls, longest prompt {longest}, {cached / prompt:.0%} cached")


if __name__ == "__main__":
    main()
