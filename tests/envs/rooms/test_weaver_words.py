"""What planners of rooms are told, in full and in brief."""

from __future__ import annotations

import json

import numpy as np

from gymposium.agents.language.answer_schema import answer_schema
from gymposium.agents.language.prompt import system_message
from gymposium.envs import registry

SEAT = "player_0"


def test_brief_words_and_an_answer_fit_into_a_small_context() -> None:
    made = registry.make_world(
        "scene_weaver-v0",
        words="brief",
        shows="text",
        room="a bedroom for two with a reading corner, " * 9,
    )
    seat, turns, rng = made.seats[SEAT], made.reset(1), np.random.default_rng(1)
    system = system_message(seat, think=True)["content"]
    assert all(f"- {name}: " in system for name in made.action_labels(SEAT)["tool"])
    while turns:
        turn = turns[SEAT]
        offered = turn.info["offered"]
        answer = answer_schema(turn.schema, think=True, max_text=None)
        assert "edit" not in json.dumps(turn.schema)
        assert turn.schema["properties"]["tool"]["enum"] == list(offered)
        assert all(name in turn.text for name in offered)
        # Numbers and ids are tokens of two letters; a token of an answer is one at the most.
        assert len(system) / 4 + len(turn.text) / 2.2 + answer.max_tokens < 2048
        name = str(rng.choice([it for it in offered if it != "terminate"] or ["terminate"]))
        said = json.dumps({"tool": name, "ideas": ""})
        turns = made.step({SEAT: made.parse(SEAT, said, turn.observation, turn.info)})
    assert len(made.scene) > 15
