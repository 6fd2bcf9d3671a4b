"""The real small model at a grid world: legal to the last turn, and told little at a time."""

from __future__ import annotations

from gymposium.arenas.run import run
from gymposium.scenarios.model import Scenario


def test_a_small_language_model_plays_twenty_turns_of_clean_up_legally(smollm2, tmp_path):
    params = {"agents": 2, "horizon": 20, "map": "clean_up_mini", "start_dirt": 0.3}
    scenario = Scenario(
        name="small",
        worlds=[{"id": "clean_up-v0", "params": params}],
        agents=["llm:smollm2?memory_tokens=0", "scripted:river_cleaner"],
        schedule={"self_play": False, "rotate_seats": False},
        time_limit=None,
    )
    finished = run(scenario, out=tmp_path / "run")
    model = next(s for s in finished.rows[0].seats if s.agent.startswith("llm:"))
    assert (model.turns, model.parsed_turns, model.faults) == (20, 20, {})
    lines = finished.transcript(finished.rows[0].key)
    calls = [
        call
        for line in lines
        if line["kind"] == "step"
        for call in line["replies"][model.seat].get("calls", ())
    ]
    assert len(calls) == 20
    assert max(prompt_tokens(call) for call in calls) < 650  # the rules and the turn


def prompt_tokens(call):
    return call["usage"]["$tuple"][0]
