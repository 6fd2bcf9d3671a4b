"""What planners of rooms are told, in full and in brief."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from gymposium.agents.language.answer_schema import answer_schema
from gymposium.agents.language.prompt import system_message
from gymposium.envs import registry
from gymposium.envs.rooms.room_types import room_type
from gymposium.envs.rooms.weaver_words import EDIT_FIELDS
from gymposium.errors import IllegalAction

SEAT = "player_0"
EDIT = {"objects": [{"category": "desk"}]}
ARGUMENTS = json.dumps({"ideas": "a desk", "edit": EDIT})


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


@pytest.mark.parametrize(
    "said",
    [
        "{}",
        '{"ideas": "a rug"}',
        '{"tool": null}',
        '{"tool": ["add_gpt"]}',
        '{"tool": {"name": "add_gpt"}}',
        '{"tool": true}',
        '{"tool": 1.5}',
        '{"tool": ""}',
        '{"action": {"tool": []}}',
    ],
)
def test_a_call_that_names_no_tool_is_told_how_one_is_named(said: str) -> None:
    made = registry.make_world("scene_weaver-v0", shows="text")
    turn = made.reset(1)[SEAT]
    with pytest.raises(IllegalAction, match="a call names its tool"):
        made.parse(SEAT, said, turn.observation, turn.info)


@pytest.mark.parametrize(
    "said",
    [
        {"name": "init_gpt", "arguments": {"ideas": "a desk", "edit": EDIT}},
        {"name": "init_gpt", "parameters": {"ideas": "a desk", "edit": EDIT}},
        {"tool": "init_gpt", "args": {"ideas": "a desk", "edit": EDIT}},
        {"tool": "init_gpt", "ideas": "a desk", "arguments": {"edit": EDIT}},
        {"function": {"name": "init_gpt", "arguments": ARGUMENTS}},
        {"tool": "init_gpt", "ideas": "a desk", "edit": EDIT, "thought": "hm", "confidence": 0.9},
    ],
)
def test_a_call_in_the_form_of_functions_is_the_same_call(said: dict[str, Any]) -> None:
    made = registry.make_world("scene_weaver-v0", shows="text")
    turn = made.reset(1)[SEAT]
    plain = {"tool": "init_gpt", "ideas": "a desk", "edit": EDIT}
    read = [
        made.parse(SEAT, json.dumps(call), turn.observation, turn.info) for call in (plain, said)
    ]
    assert read[0] == read[1]


def test_what_belongs_into_the_edit_is_refused_beside_the_tool_and_never_lost() -> None:
    made = registry.make_world("scene_weaver-v0", shows="text")
    turn = made.reset(1)[SEAT]
    fields = set()
    for tool in made._tools:
        schema = tool.edit_schema(room_type("bedroom"), ["1_bed", "2_desk"])
        fields.update(() if schema is None else schema["properties"])
    assert fields == EDIT_FIELDS
    for name in sorted(fields):
        for beside in ({name: []}, {"args": {name: []}}):
            said = json.dumps({"tool": "init_gpt", "ideas": "", **beside})
            with pytest.raises(IllegalAction, match=f"^'{name}' stands beside the tool"):
                made.parse(SEAT, said, turn.observation, turn.info)


@pytest.mark.parametrize("odd", ["\x00", "\x1b[31m", "\t", "\r\n", "\x0b", "é", "\u2028", "\ud800"])
def test_whatever_letters_a_demand_has_the_report_is_one_that_can_be_seen(odd: str) -> None:
    made = registry.make_world("scene_weaver-v0", shows="text", room=f"a {odd} bedroom")
    turn = made.reset(1)[SEAT]
    assert made.seats[SEAT].observation_space.contains(turn.observation)
    assert "bedroom" in turn.observation["report"]
