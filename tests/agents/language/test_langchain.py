import asyncio
import importlib.util
import json
import os
from pathlib import Path

import numpy as np
import pytest

import gymposium
from gymposium.agents.language.backends.langchain import LangChainBackend
from gymposium.agents.language.backends.protocol import ChatBackend
from gymposium.agents.registry import resolve
from gymposium.errors import BackendError, MissingExtra, UnknownName, UsageError

from . import langchain_user as user
from .stand_ins import SCHEMA, make_seat, make_turn, play

FILE = Path(user.__file__)
TALK = [
    {"role": "system", "content": "Play."},
    {"role": "user", "content": "Round 1."},
    {"role": "assistant", "content": "cooperate"},
    {"role": "user", "content": "Round 2."},
]
REPLY = {"type": "object", "properties": {"action": SCHEMA}, "required": ["action"]}


def ask(runnable, messages=TALK, **parameters):
    return asyncio.run(LangChainBackend(runnable).complete(messages, **parameters))


def seated(name, *, trusted=True):
    agent = resolve(f"langchain:{FILE}:{name}", trusted=trusted).create()
    agent.reset(make_seat(), 0)
    return agent


def test_it_is_a_backend_and_named_after_the_model():
    backend = LangChainBackend(user.parrot())
    assert isinstance(backend, ChatBackend)
    assert backend.name == "langchain/ParrotFakeChatModel"
    assert not backend.deterministic
    assert not backend.trainable


def test_messages_arrive_in_order_with_their_roles():
    seen = []

    class Watching(user.ParrotFakeChatModel):
        def _generate(self, messages, *args, **kwargs):
            seen.extend((message.type, message.content) for message in messages)
            return super()._generate(messages, *args, **kwargs)

    (found,) = ask(Watching())
    assert seen == [
        ("system", "Play."), ("human", "Round 1."), ("ai", "cooperate"), ("human", "Round 2.")
    ]  # fmt: skip
    assert found.text == "Round 2."


def test_pictures_arrive_as_parts_of_a_message():
    seen = []

    class Watching(user.ParrotFakeChatModel):
        def _generate(self, messages, *args, **kwargs):
            seen.extend(messages[-1].content)
            return super()._generate(messages, *args, **kwargs)

    picture = np.zeros((2, 2, 3), np.uint8)
    (found,) = ask(Watching(), [{"role": "user", "content": "Look.", "images": [picture]}])
    assert seen[0] == {"type": "text", "text": "Look."}
    assert seen[1]["image_url"]["url"].startswith("data:image/png;base64,")
    assert found.text == "Look."  # the words of a message of several parts


def test_usage_and_the_reason_for_the_end_are_kept():
    (found,) = ask(user.counted())
    assert found.usage == (11, 7, 5)
    assert found.finish_reason == "length"


def test_several_answers_are_several_calls():
    found = ask(user.FakeListChatModel(responses=["a", "b", "c"]), n=3)
    assert sorted(each.text for each in found) == ["a", "b", "c"]


def test_a_schema_is_kept_to_where_the_model_can():
    assert ask(user.Structured(), schema=REPLY)[0].text == '{"action":"cooperate"}'
    assert ask(user.Structured())[0].text == "Round 2."
    plain = LangChainBackend(user.Structured(), structured=False)
    assert asyncio.run(plain.complete(TALK, schema=REPLY))[0].text == "Round 2."
    # Models without it are asked plainly.
    assert ask(user.parrot(), schema=REPLY)[0].text == "Round 2."


def test_a_graph_answers_with_its_last_message_and_its_tools_are_in_the_trace():
    (found,) = ask(user.graph())
    assert found.text == "Action: defect"
    assert found.usage == (14, 5, 0)
    assert found.trace == (
        {"kind": "tool_call", "name": "look_up", "arguments": {"player": "player_1"}},
        {"kind": "tool_result", "name": "look_up", "text": "player_1 defected"},
    )
    json.dumps(found.trace)


def test_a_chain_that_ends_in_plain_text_will_do():
    assert ask(user.chain())[0].text == '{"action":"cooperate"}'


def test_what_fails_is_a_sentence_with_the_models_name():
    with pytest.raises(BackendError, match=r"^langchain/GenericFakeChatModel: \w+"):
        ask(user.failing())
    with pytest.raises(TimeoutError):
        ask(user.slow(), timeout=0.05)
    with pytest.raises(UsageError, match="no LangChain model"):
        LangChainBackend(3)


def test_a_model_plays_a_match_in_a_child_process_and_trusted_in_this_one(tmp_path):
    for trusted in (False, True):
        spec = resolve(f"langchain:{FILE}:says", trusted=trusted)
        assert spec.isolated is not trusted
        assert spec.language
        run = gymposium.run(
            "iterated_matrix-v0", [spec, "scripted:always_cooperate"], seed=1,
            out=tmp_path / str(trusted),
        )  # fmt: skip
        defector, other = sorted(run.rows[0].seats, key=lambda seat: seat.agent != spec.name)
        assert not defector.faults
        assert defector.parsed_turns == defector.turns > 0
        assert defector.return_ > other.return_


def test_a_users_factory_runs_in_another_process_unless_it_is_trusted():
    async def process_of(trusted):
        agent = resolve(f"langchain:{FILE}:process", trusted=trusted).create()
        waiting = agent.reset(make_seat(), 0)
        if waiting is not None:
            await waiting
        reply = await agent.act(make_turn(0, "Who?"))
        if waiting is not None:
            await agent.close()
        return int(reply.text)

    assert asyncio.run(process_of(trusted=True)) == os.getpid()
    assert asyncio.run(process_of(trusted=False)) != os.getpid()


def test_a_graph_in_a_seat_keeps_its_calls_and_the_tools_it_used():
    (reply,) = play(seated("graph"), [make_turn(0, "Round 1.")])
    assert reply.calls[0].usage == (14, 5, 0)
    assert [event["kind"] for event in reply.calls[0].tools] == ["tool_call", "tool_result"]


def test_parameters_go_to_the_factory_but_for_the_seats_own():
    spec = resolve(f"langchain:{FILE}:says?text=defect&think=0&persona=Fox", trusted=True)
    agent = spec.create()
    agent.reset(make_seat(), 0)
    (reply,) = play(agent, [make_turn(0, "Round 1.")])
    assert reply.text == "defect"
    assert reply.calls[0].messages[0]["content"].startswith("Fox")
    assert spec.identity != resolve(f"langchain:{FILE}:says?text=x", trusted=True).identity


def test_a_failing_model_stops_the_run_from_a_child_process_too(tmp_path):
    agents = [f"langchain:{FILE}:failing", "random"]
    with pytest.raises(BackendError, match="GenericFakeChatModel"):
        gymposium.run("iterated_matrix-v0", agents, seed=1, out=tmp_path / "run")


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("langchain:nothing", "names no model"),
        ("langchain:a.b", "names no model"),
        (f"langchain:{FILE}", "names no model"),
        ("langchain:no_such_module:make", "no module"),
        (f"langchain:{FILE}:sayz", "did you mean 'says'"),
        (f"langchain:{FILE}:says?txt=3", "did you mean 'text'"),
        (f"langchain:{FILE}:says?images=maybe", "images='maybe' is not allowed"),
    ],
)
def test_a_wrong_spec_is_said_before_anything_runs(spec, said):
    with pytest.raises((UsageError, UnknownName), match=said):
        resolve(spec)


def test_a_trusted_name_that_is_no_model_is_said_at_once():
    with pytest.raises(UsageError, match="is a int, not a function"):
        resolve(f"langchain:{FILE}:number", trusted=True)
    with pytest.raises(UsageError, match="already made"):
        resolve(f"langchain:{FILE}:ready?x=1", trusted=True)


def test_without_langchain_the_extra_is_named(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "langchain_core" else find(name)
    )
    with pytest.raises(MissingExtra, match=r"gymposium\[langchain\]"):
        resolve(f"langchain:{FILE}:says")
