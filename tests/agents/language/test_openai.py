"""The endpoint backend against real servers: what it asks, what it makes of answers."""

import asyncio
import base64
import json
import time
import zlib

import numpy as np
import pytest

from gymposium.agents.language.backends import openai as module
from gymposium.agents.language.backends.endpoint_answer import completions
from gymposium.agents.language.backends.openai import OpenAIBackend
from gymposium.agents.language.backends.protocol import ChatBackend
from gymposium.agents.language.backends.retry import Trouble
from gymposium.errors import BackendError, UsageError

from .http_server import completion, error, first, saying, send, serving

MESSAGES = [{"role": "system", "content": "rules"}, {"role": "user", "content": "turn"}]
SCHEMA = {
    "type": "object",
    "properties": {"action": {"enum": [0, 1]}},
    "required": ["action"],
    "additionalProperties": False,
}


@pytest.fixture(autouse=True)
def no_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def ask(server, *, settings=None, times=1, **parameters):
    """The completions of one call (or of ``times`` calls, one after the other)."""

    async def go():
        backend = OpenAIBackend("some-model", server.url, **(settings or {}))
        try:
            found = []
            for _ in range(times):
                found += await backend.complete(MESSAGES, **{"seed": 1, **parameters})
            return found
        finally:
            await backend.close()

    return asyncio.run(go())


def test_a_call_asks_for_what_was_asked_and_returns_what_came():
    with serving(saying('{"action":1}')) as server:
        (found,) = ask(server, schema=SCHEMA, temperature=0.2, top_p=0.9, max_tokens=17, seed=5)
    assert (found.text, found.finish_reason) == ('{"action":1}', "stop")
    assert found.usage == (10, 3, 4)
    assert found.seconds > 0
    (body,) = server.asked
    form = {"name": "answer", "schema": SCHEMA, "strict": True}
    assert body == {
        "model": "some-model",
        "messages": MESSAGES,
        "temperature": 0.2,
        "top_p": 0.9,
        "max_tokens": 17,
        "seed": 5,
        "response_format": {"type": "json_schema", "json_schema": form},
    }


def test_it_is_a_chat_backend_named_by_model_and_address():
    backend = OpenAIBackend("m", "http://localhost:1/v1")
    assert isinstance(backend, ChatBackend)
    assert backend.name == "m@http://localhost:1/v1"


def test_without_a_key_none_is_sent_and_with_one_it_is(monkeypatch):
    with serving(saying("x")) as server:
        ask(server)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-common")
        ask(server)
        monkeypatch.setenv("MINE", "sk-mine")
        ask(server, settings={"key_env": "MINE"})
    sent = [request.headers.get("authorization") for request in server.requests]
    assert sent == [None, "bearer sk-common", "bearer sk-mine"]


def test_a_key_variable_that_is_not_set_is_said_at_once():
    with pytest.raises(UsageError, match="NO_SUCH_KEY"):
        OpenAIBackend("m", "https://host/v1", key_env="NO_SUCH_KEY")


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("https://far.example/v1", "sk"),
        ("http://localhost:8000/v1", "sk"),
        ("http://far.example/v1", None),
    ],
)
def test_the_common_key_never_travels_unencrypted(monkeypatch, url, sent):
    monkeypatch.setenv("OPENAI_API_KEY", "sk")
    assert module.endpoint_key(url, None) == sent


def test_several_answers_come_from_one_call_or_from_more_where_the_endpoint_gives_one():
    async def all_at_once(server, request, writer):
        send(writer, completion(*(f"t{n}" for n in range(request.body.get("n", 1)))))

    async def one_each(server, request, writer):
        send(writer, completion(str(request.body["seed"])))

    with serving(all_at_once) as server:
        assert [each.text for each in ask(server, n=3)] == ["t0", "t1", "t2"]
        assert len(server.asked) == 1
    with serving(one_each) as server:
        found = ask(server, n=3, seed=7)
        assert [each.text for each in found] == ["7", "8", "9"]


def test_log_probabilities_are_asked_for_and_read():
    body = completion("ab")
    body["choices"][0]["logprobs"] = {
        "content": [{"token": "a", "logprob": -0.5}, {"token": "b", "logprob": -1}]
    }

    async def behave(server, request, writer):
        send(writer, body)

    with serving(behave) as server:
        (found,) = ask(server, logprobs=2)
    assert found.logprobs == (-0.5, -1.0)
    assert (server.asked[0]["logprobs"], server.asked[0]["top_logprobs"]) == (True, 2)


def test_pictures_travel_as_png_data_urls():
    picture = np.arange(2 * 3 * 3, dtype=np.uint8).reshape(2, 3, 3)
    message = {"role": "user", "content": "look", "images": (picture,)}

    async def go(url):
        backend = OpenAIBackend("m", url)
        await backend.complete([message])
        await backend.close()

    with serving(saying("x")) as server:
        asyncio.run(go(server.url))
    text, image = server.asked[0]["messages"][0]["content"]
    assert text == {"type": "text", "text": "look"}
    head, _, data = image["image_url"]["url"].partition(",")
    assert head == "data:image/png;base64"
    assert np.array_equal(decoded(base64.b64decode(data)), picture)


def decoded(png):
    """A twin reader of the simplest PNG: 8-bit RGB, filter 0."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    place, data = 8, b""
    while place < len(png):
        size, kind = int.from_bytes(png[place : place + 4], "big"), png[place + 4 : place + 8]
        part = png[place + 8 : place + 8 + size]
        check = int.from_bytes(png[place + 8 + size : place + 12 + size], "big")
        assert check == zlib.crc32(kind + part)
        if kind == b"IHDR":
            width, height = int.from_bytes(part[:4], "big"), int.from_bytes(part[4:8], "big")
        data += part if kind == b"IDAT" else b""
        place += 12 + size
    rows = np.frombuffer(zlib.decompress(data), np.uint8).reshape(height, 1 + 3 * width)
    assert not rows[:, 0].any()
    return rows[:, 1:].reshape(height, width, 3)


def refusing(parameter_named, *, unless):
    """A server that refuses requests until ``unless(body)``."""

    async def behave(server, request, writer):
        if unless(request.body):
            send(writer, completion("fine"))
        else:
            said = error(f"Unsupported parameter: '{parameter_named}' is not supported")
            send(writer, said, status="400 Bad Request")

    return behave


def test_a_schema_the_endpoint_refuses_is_asked_for_less_strictly_once_and_for_all():
    forms = []

    def unless(body):
        asked = body.get("response_format", {})
        forms.append(asked.get("json_schema", {}).get("strict", asked.get("type")))
        return not asked

    with serving(refusing("response_format", unless=unless)) as server:
        found = ask(server, schema=SCHEMA, times=2)
    assert [each.text for each in found] == ["fine", "fine"]
    assert forms == [True, False, "json_object", None, None]


def test_a_token_limit_of_another_name_is_used():
    said = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."

    async def behave(server, request, writer):
        if "max_tokens" in request.body:
            send(writer, error(said), status="400 Bad Request")
        else:
            send(writer, completion("fine"))

    with serving(behave) as server:
        ask(server, max_tokens=9)
    assert server.asked[-1]["max_completion_tokens"] == 9


def test_a_seed_the_endpoint_does_not_know_is_left_out():
    with serving(refusing("seed", unless=lambda body: "seed" not in body)) as server:
        assert ask(server, times=2)[1].text == "fine"
    assert len(server.asked) == 3


def test_a_temperature_is_never_dropped_in_silence():
    behave = refusing("temperature", unless=lambda body: "temperature" not in body)
    with serving(behave) as server, pytest.raises(BackendError, match="temperature"):
        ask(server)
    assert len(server.asked) == 1


def test_usage_is_estimated_where_the_endpoint_does_not_count():
    body = completion("four letter words")
    del body["usage"]

    async def behave(server, request, writer):
        send(writer, body)

    with serving(behave) as server:
        (found,) = ask(server)
    assert found.usage.prompt_tokens > 2
    assert found.usage.completion_tokens == 5


def test_calls_at_once_take_about_one_calls_time_and_are_not_capped_by_the_http_pool():
    calls = 200

    async def go(url):
        backend = OpenAIBackend("m", url)
        one = backend.complete(MESSAGES, seed=0)
        await one  # a connection is there already
        found = await asyncio.gather(*(backend.complete(MESSAGES, seed=n) for n in range(calls)))
        await backend.close()
        return found

    async def together(server, request, writer):
        # Nobody is answered before all have asked: a smaller window would wait for ever.
        if len(server.asked) > 1:
            while len(server.asked) < 1 + calls:
                await asyncio.sleep(0.005)
        send(writer, completion("x"))

    with serving(together) as server:
        found = asyncio.run(asyncio.wait_for(go(server.url), 60))
    assert len(found) == calls
    assert server.most_in_flight == calls


def test_the_window_slides_instead_of_going_in_waves():
    slots, calls = 4, 30

    async def only_when_full(server, request, writer):
        # Nobody is answered unless all slots are taken, the first call not before all have asked:
        # in waves, or with a slot left empty, this would never end.
        slow = request.body["seed"] == 0
        while len(server.asked) < calls and (slow or server.in_flight < slots):
            await asyncio.sleep(0.002)
        send(writer, completion("x"))

    async def go(url):
        backend = OpenAIBackend("m", url, slots=slots)
        await asyncio.gather(*(backend.complete(MESSAGES, seed=n) for n in range(calls)))
        await backend.close()

    with serving(only_when_full) as server:
        asyncio.run(asyncio.wait_for(go(server.url), 30))
    assert server.most_in_flight == slots


def test_connections_are_used_again():
    with serving(saying("x")) as server:
        ask(server, times=10)
    assert server.connections == 1


def test_each_event_loop_has_connections_of_its_own():
    with serving(saying("x")) as server:
        backend = OpenAIBackend("m", server.url)

        async def once():
            found = await backend.complete(MESSAGES)
            await backend.leave_loop()
            return found[0].text

        assert [asyncio.run(once()) for _ in range(2)] == ["x", "x"]


def test_requests_a_minute_are_kept_to(monkeypatch):
    slept = []
    real = asyncio.sleep

    async def sleep(seconds, *rest):
        slept.append(seconds)
        await real(0)

    with serving(saying("x")) as server:
        monkeypatch.setattr(module.asyncio, "sleep", sleep)
        ask(server, settings={"rpm": 30.0}, times=5)
    waits = [seconds for seconds in slept if seconds > 0]
    # Three at once (a tenth of a minute's worth), then 27 a minute, counted from the beginning.
    assert len(waits) == 2
    assert all(0 < wait <= 2 * 60 / 27 for wait in waits)


def test_the_names_an_endpoint_serves_are_listed():
    async def behave(server, request, writer):
        send(writer, {"object": "list", "data": [{"id": "one"}, {"id": "two"}]})

    async def go(url):
        return await OpenAIBackend("m", url).models()

    with serving(behave) as server:
        assert asyncio.run(go(server.url)) == ["one", "two"]


def test_a_call_on_a_closed_backend_says_so():
    async def go():
        backend = OpenAIBackend("m", "http://localhost:1/v1")
        await backend.close()
        await backend.complete(MESSAGES)

    with pytest.raises(BackendError, match="closed"):
        asyncio.run(go())


def test_the_key_is_not_shown_when_the_endpoint_repeats_it(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")

    async def behave(server, request, writer):
        send(writer, error("Incorrect API key: sk-very-secret"), status="401 Unauthorized")

    with serving(behave) as server, pytest.raises(BackendError) as caught:
        ask(server)
    assert "refuses the key" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_seats_time_limit_is_a_time_out_and_not_repeated():
    with serving(saying("late", after=5.0)) as server:
        began = time.monotonic()
        with pytest.raises(TimeoutError):
            ask(server, timeout=0.2)
        assert time.monotonic() - began < 4
    assert len(server.asked) == 1


def test_a_failed_first_attempt_is_repeated_and_costs_the_seat_nothing():
    async def broken(server, request, writer):
        send(writer, error("boom"), status="500 Internal Server Error")

    with serving(first(broken, saying("fine"))) as server:
        assert ask(server, timeout=5.0)[0].text == "fine"
    assert len(server.asked) == 2
    assert json.dumps(server.asked[0]) == json.dumps(server.asked[1])


@pytest.mark.parametrize("content", ["", None, "Let me look."])
def test_tools_that_an_answer_calls_are_kept_and_a_lone_one_can_be_the_answer(content):
    call = {"id": "1", "function": {"name": "play", "arguments": '{"action": "defect"}'}}
    message = {"role": "assistant", "content": content, "tool_calls": [call]}
    body = json.dumps({"choices": [{"message": message, "finish_reason": "tool_calls"}]}).encode()
    (found,) = completions(body, "application/json", estimate=3)
    assert found.trace == (
        {"kind": "tool_call", "name": "play", "arguments": '{"action": "defect"}'},
    )
    assert found.text == (content or '{"action": "defect"}')


@pytest.mark.parametrize("calls", [[3], "x", {"a": 1}, [None], [{"function": "x"}]])
def test_nonsense_for_tools_is_no_chat_completion(calls):
    message = {"role": "assistant", "content": "hi", "tool_calls": calls}
    body = json.dumps({"choices": [{"message": message}]}).encode()
    with pytest.raises(Trouble, match="not a chat completion"):
        completions(body, "application/json", estimate=3)
