import asyncio
import time

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gymposium.agents.language.backends.protocol import ChatBackend
from gymposium.agents.language.backends.scripted import Dice, ScriptedBackend, sample
from gymposium.errors import BackendError, UnknownName
from gymposium.types import Usage

from .stand_ins import SCHEMA

REPLY = {"type": "object", "properties": {"action": SCHEMA}, "required": ["action"]}


def ask(name, *words, **parameters):
    messages = [{"role": "user", "content": word} for word in words or ("Go.",)]
    return asyncio.run(ScriptedBackend(name).complete(messages, schema=REPLY, **parameters))


def test_it_is_a_backend_and_its_name_says_what_it_is():
    backend = ScriptedBackend("legal")
    assert isinstance(backend, ChatBackend)
    assert backend.name == "scripted/legal"
    assert backend.deterministic
    assert not backend.trainable


def test_equal_questions_and_seeds_give_equal_answers_and_others_differ():
    texts = [ask("legal", seed=seed)[0].text for seed in range(40)]
    assert texts == [ask("legal", seed=seed)[0].text for seed in range(40)]
    assert len(set(texts)) == 2
    assert [found.text for found in ask("legal", seed=5, n=3)] == texts[5:8]
    assert len({ask("legal", f"Round {n}.", seed=5)[0].text for n in range(20)}) == 2


def test_each_choice_is_about_equally_likely_and_seats_are_unrelated():
    draws = [[Dice(1000 * seat + turn).below(2) for turn in range(2000)] for seat in range(2)]
    for draw in draws:
        assert 900 < sum(draw) < 1100
    assert 900 < sum(a == b for a, b in zip(*draws, strict=True)) < 1100


def test_rubbish_is_rubbish_and_flaky_recovers_when_told():
    refused = ("Go.", "mumble", "That answer cannot be used: why not\nAnswer again.")
    assert ask("flaky", seed=1)[0].text == ask("rubbish", seed=1)[0].text
    assert ask("flaky", *refused, seed=1)[0].text in (
        '{"action":"cooperate"}',
        '{"action":"defect"}',
    )


def test_echo_repeats_and_usage_counts_words():
    (found,) = ask("echo", "one two", "three four five")
    assert found.text == "three four five"
    assert found.usage == Usage(5, 3)


def test_slow_takes_its_time_without_blocking_others():
    async def go():
        backend = ScriptedBackend("slow-50ms")
        messages = [{"role": "user", "content": "Go."}]
        began = time.perf_counter()
        await asyncio.gather(*(backend.complete(messages, schema=REPLY) for _ in range(20)))
        return time.perf_counter() - began

    assert 0.05 <= asyncio.run(go()) < 0.5


def test_fail_fails_and_an_unknown_script_names_the_nearest():
    with pytest.raises(BackendError, match="scripted/fail"):
        ask("fail")
    with pytest.raises(UnknownName, match="did you mean 'legal'"):
        ScriptedBackend("legall")


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**62), st.integers(-5, 5), st.integers(0, 9), st.booleans())
def test_samples_fit_their_schema(seed, low, spread, exclusive):
    whole = {"type": "integer", "minimum": low, "maximum": low + spread}
    if exclusive:
        whole = {
            "type": "integer",
            "exclusiveMinimum": low - 1,
            "exclusiveMaximum": low + spread + 1,
        }
    schema = {
        "type": "object",
        "properties": {
            "price": whole,
            "share": {"type": "number", "minimum": low, "maximum": low + spread},
            "to": {"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 1, "maxItems": 3},
            "pair": {
                "type": "array",
                "prefixItems": [{"type": "boolean"}, {"type": "null"}],
                "items": False,
            },
            "say": {"type": "string", "minLength": 2, "maxLength": 5},
            "move": {"oneOf": [{"const": 1}, {"const": 2}]},
        },
        "required": ["price", "pair"],
        "additionalProperties": False,
    }
    jsonschema.validate(sample(schema, Dice(seed)), schema)


def test_an_answer_that_takes_too_long_is_cut_short():
    with pytest.raises(TimeoutError):
        ask("slow-3000ms", timeout=0.01)
