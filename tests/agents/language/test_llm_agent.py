import json

import jsonschema
import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import given, settings
from hypothesis import strategies as st

from gymposium.agents.language.answer_schema import MAX_TOKENS, answer_schema
from gymposium.agents.language.backends.scripted import Dice, sample
from gymposium.agents.language.extract import extract
from gymposium.agents.language.llm_agent import LLMAgent, sample_seed
from gymposium.agents.registry import resolve
from gymposium.errors import BackendError, UsageError
from gymposium.types import Turn, Usage

from .stand_ins import SCHEMA, Recording, make_turn, play


def test_the_raw_text_and_the_call_behind_it_are_handed_on(seat):
    backend = Recording(['{"thought":"hm","action":"defect"}'], usage=lambda _: Usage(40, 9, 30))
    agent = LLMAgent(backend, temperature=0.3)
    agent.reset(seat, 1)
    (reply,) = play(agent, [make_turn(0, "Go.")])
    (call,) = reply.calls
    assert reply.action is None
    assert reply.text == call.completion == '{"thought":"hm","action":"defect"}'
    assert call.model == "recording"
    assert call.usage == Usage(40, 9, 30)
    assert call.parameters["temperature"] == 0.3
    assert call.parameters["seed"] == backend.parameters[0]["seed"]
    assert list(call.messages) == backend.asked[0]


def test_a_recorded_prompt_does_not_grow_with_later_turns(seat):
    agent = LLMAgent(Recording())
    agent.reset(seat, 1)
    replies = play(agent, [make_turn(step, "Go.") for step in range(5)])
    assert [len(reply.calls[0].messages) for reply in replies] == [2, 4, 6, 8, 10]


def test_asked_again_the_model_sees_its_answer_and_the_reason(seat):
    backend = Recording(["mumble", "grumble", "defect"])
    agent = LLMAgent(backend)
    agent.reset(seat, 1)
    turn = make_turn(0, "Go.")
    play(agent, [turn, turn.again("cannot read 'mumble'", 1), turn.again("nor 'grumble'", 2)])
    last = backend.asked[2]
    assert [part["role"] for part in last] == [
        "system", "user", "assistant", "user", "assistant", "user",
    ]  # fmt: skip
    assert last[2]["content"] == "mumble"
    assert "cannot read 'mumble'" in last[3]["content"]
    assert last[4]["content"] == "grumble"
    assert "nor 'grumble'" in last[5]["content"]
    assert len({call["seed"] for call in backend.parameters}) == 3


def test_only_the_answer_that_counted_is_remembered(seat):
    backend = Recording(["mumble", "defect", "cooperate"])
    agent = LLMAgent(backend)
    agent.reset(seat, 1)
    turn = make_turn(0, "Go.")
    play(agent, [turn, turn.again("cannot read that", 1), make_turn(1, "Go on.")])
    assert [part["content"] for part in backend.asked[2][1:]] == ["Go.", "defect", "Go on."]


def test_asked_again_after_a_timeout_there_is_no_answer_to_show(seat):
    backend = Recording()
    agent = LLMAgent(backend)
    agent.reset(seat, 1)
    play(agent, [make_turn(0, "Go.").again("no answer came within the time limit", 1)])
    roles = [part["role"] for part in backend.asked[0]]
    assert roles == ["system", "user"]
    assert "no answer came" in backend.asked[0][1]["content"]


def test_every_call_has_its_own_seed():
    seeds = {
        sample_seed(seed, step, attempt)
        for seed in range(20)
        for step in range(20)
        for attempt in range(3)
    }
    assert len(seeds) == 1200
    assert all(0 <= seed < 2**31 for seed in seeds)


def test_rules_that_cannot_fit_the_context_are_refused_with_the_remedy(seat):
    agent = LLMAgent(Recording(context_tokens=64))
    agent.reset(seat, 1)
    with pytest.raises(BackendError, match=r"\?context=128"):
        play(agent, [make_turn(0, "x" * 2000)])


def test_the_thought_comes_before_the_action_and_can_be_left_out():
    thinking = answer_schema(SCHEMA, think=True, max_text=None).schema
    assert list(thinking["properties"]) == ["thought", "action"]
    silent = answer_schema(SCHEMA, think=False, max_text=None).schema
    assert list(silent["properties"]) == ["action"]


OFFER = {
    "type": "object",
    "properties": {
        "move": {"const": "offer"},
        "price": {"type": "integer", "minimum": 0, "maximum": 20},
        "say": {"type": "string", "maxLength": 200},
    },
    "required": ["move", "price"],
}


def test_long_strings_are_shortened_only_if_asked():
    def say(max_text):
        made = answer_schema(OFFER, think=False, max_text=max_text).schema
        return made["properties"]["action"]["properties"]["say"]["maxLength"]

    assert (say(None), say(60), say(500)) == (200, 60, 200)


def test_open_objects_are_closed_and_open_strings_get_an_end():
    made = answer_schema(OFFER, think=False, max_text=None).schema
    assert made["properties"]["action"]["additionalProperties"] is False
    free = answer_schema({}, think=False, max_text=None).schema
    assert free["properties"]["action"]["maxLength"] > 0


SCHEMAS = st.recursive(
    st.sampled_from(
        [
            {"type": "boolean"},
            {"type": "integer", "minimum": -5, "maximum": 5},
            {"type": "number", "minimum": 0, "maximum": 1},
            {"type": "string", "maxLength": 30},
            {"enum": ["a", "b", 3]},
            {"const": "only"},
            {"type": ["integer", "null"], "minimum": 0, "maximum": 3},
        ]
    ),
    lambda inner: st.one_of(
        st.builds(lambda part: {"type": "array", "items": part, "maxItems": 4}, inner),
        st.builds(lambda parts: {"anyOf": parts}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(
            lambda parts: {
                "type": "object",
                "properties": parts,
                "required": sorted(parts)[:1],
            },
            st.dictionaries(st.sampled_from("xyz"), inner, max_size=3),
        ),
    ),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(SCHEMAS, st.booleans(), st.integers(0, 2**31))
def test_legal_replies_fit_the_token_limit_the_world_and_the_extractor(schema, think, seed):
    answer = answer_schema(schema, think=think, max_text=None)
    reply = sample(answer.schema, Dice(seed))
    jsonschema.validate(reply, dict(answer.schema))
    jsonschema.validate(reply["action"], schema)
    text = json.dumps(reply, separators=(",", ":"))
    assert len(text) <= answer.max_tokens or answer.max_tokens == MAX_TOKENS
    action = reply["action"]
    found = extract(text).action_text
    assert found == action.strip() if isinstance(action, str) else json.loads(found) == action


def looking_turn(step, *pictures):
    space = spaces.Discrete(2)
    return Turn("player_0", step, 0, 0.0, space, images=pictures, text=f"Look {step}.", schema={})


def test_pictures_go_with_the_current_turn_only_and_only_if_wanted(seat):
    first, second = (np.full((2, 3, 3), shade, np.uint8) for shade in (0, 9))
    for wanted in (True, False):
        backend = Recording()
        agent = LLMAgent(backend, images=wanted)
        agent.reset(seat, 0)
        replies = play(agent, [looking_turn(0, first), looking_turn(1, second, first)])
        pictures = [[len(m.get("images", ())) for m in asked] for asked in backend.asked]
        assert pictures == ([[0, 1], [0, 0, 0, 2]] if wanted else [[0, 0], [0, 0, 0, 0]])
        # The record holds what the pictures hash to, not the pictures.
        kept = replies[1].calls[0].messages[-1].get("images", [])
        assert [type(each) for each in kept] == ([str, str] if wanted else [])


def test_pictures_stay_when_a_turn_is_asked_again(seat):
    backend = Recording(answers=["hm"])
    agent = LLMAgent(backend, images=True)
    agent.reset(seat, 0)
    turn = looking_turn(0, np.zeros((2, 2, 3), np.uint8))
    play(agent, [turn, turn.again("no", 1)])
    assert [len(m.get("images", ())) for m in backend.asked[1]] == [0, 1, 0, 0]


def test_models_without_eyes_refuse_pictures_before_a_match(smollm2):
    with pytest.raises(UsageError, match="cannot see"):
        resolve("llm:smollm2?images=1")


def test_what_came_beside_the_text_is_in_the_reply(seat):
    class Calling(Recording):
        async def complete(self, messages, **parameters):
            (done,) = await super().complete(messages, **parameters)
            return [done._replace(trace=({"kind": "tool_call", "name": "look"}, {"kind": "note"}))]

    agent = LLMAgent(Calling())
    agent.reset(seat, 0)
    (reply,) = play(agent, [make_turn(0, "Round 1.")])
    assert reply.calls[0].tools == ({"kind": "tool_call", "name": "look"},)
    assert reply.trace == ({"kind": "note"},)
