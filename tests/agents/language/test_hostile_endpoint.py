"""Whatever an endpoint does ends as documented: an answer, or one sentence that says what to do."""

import asyncio
import time

import pytest

from gymposium.agents.language.backends import endpoint_http
from gymposium.agents.language.backends.endpoint_answer import MAX_TEXT
from gymposium.agents.language.backends.openai import OpenAIBackend
from gymposium.agents.language.backends.retry import Retries
from gymposium.errors import BackendError

from .http_server import completion, error, first, saying, send, serving

MESSAGES = [{"role": "user", "content": "turn"}]
FINE = saying("fine")


def ask(server, *, limit=None, **settings):
    async def go():
        backend = OpenAIBackend("some-model", server.url, **{"timeout": 5.0, **settings})
        backend._retries = Retries(backend._retries.most, first=0.001, longest=1.0)
        try:
            return (await backend.complete(MESSAGES, seed=1, timeout=limit))[0]
        finally:
            await backend.close()

    return asyncio.run(go())


def sending(body, **how):
    async def behave(server, request, writer):
        send(writer, body, **how)

    return behave


async def hangs(server, request, writer):
    await asyncio.sleep(30)


async def resets(server, request, writer):
    writer.transport.abort()


async def hangs_up(server, request, writer):
    writer.close()


async def truncated(server, request, writer):
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + b'{"choices": [{"mess')
    await writer.drain()
    writer.close()


async def truncated_chunks(server, request, writer):
    head = (
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    writer.write(head + b'a\r\n{"choices"\r\n')
    await writer.drain()
    writer.close()


async def not_http(server, request, writer):
    writer.write(b"SSH-2.0-OpenSSH_9.6\r\n\r\n")
    await writer.drain()
    writer.close()


async def drips(server, request, writer):
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    for _ in range(1000):
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.05)


async def ten_megabytes(server, request, writer):
    send(writer, completion("x" * (10 << 20)))


async def endless(server, request, writer):
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        writer.write(b"10000\r\n" + b" " * 0x10000 + b"\r\n")
        await writer.drain()


TRANSIENT = {
    "malformed JSON": sending(b'{"choices": [{"message": '),
    "no JSON": sending(b"ok", kind="text/plain"),
    "JSON that is no completion": sending({"hello": "world"}),
    "a bare list": sending([1, 2, 3]),
    "no choices": sending({"choices": []}),
    "choices of a wrong shape": sending({"choices": [7]}),
    "no message": sending({"choices": [{"message": None}]}),
    "an error with status 200": sending(error("upstream is asleep")),
    "nothing": sending(b""),
    "500": sending(error("boom"), status="500 Internal Server Error"),
    "502 with a page": sending(b"<html>bad gateway</html>", status="502 Bad Gateway"),
    "503": sending(b"", status="503 Service Unavailable"),
    "408": sending(error("slow"), status="408 Request Timeout"),
    "429": sending(error("too fast"), status="429 Too Many Requests"),
    "429 with Retry-After": sending(
        error("too fast"), status="429 Too Many Requests", headers=("Retry-After: 0.01",)
    ),
    "a truncated body": truncated,
    "truncated chunks": truncated_chunks,
    "a reset": resets,
    "a closed connection": hangs_up,
    "another protocol": not_http,
}


@pytest.mark.parametrize("trouble", TRANSIENT)
def test_a_passing_trouble_is_survived(trouble):
    with serving(first(TRANSIENT[trouble], TRANSIENT[trouble], FINE)) as server:
        assert ask(server).text == "fine"


@pytest.mark.parametrize("trouble", TRANSIENT)
def test_a_lasting_trouble_ends_as_one_sentence(trouble):
    with serving(TRANSIENT[trouble]) as server:
        with pytest.raises(BackendError) as caught:
            ask(server, retries=2)
        sentence = str(caught.value)
        assert sentence.startswith(f"some-model at {server.url} ")
        assert "(3 attempts)" in sentence
        assert "\n" not in sentence
        assert len(sentence) < 600


LASTING = {
    "a web page": (sending(b"<!doctype html><p>Welcome", kind="text/html"), "web page"),
    "a wrong model": (
        sending(error("The model `some-model` does not exist"), status="404 Not Found"),
        "does not exist.*check the model's name",
    ),
    "a bad key": (sending(error("bad key"), status="401 Unauthorized"), "OPENAI_API_KEY"),
    "no rights": (sending(error("not yours"), status="403 Forbidden"), "refuses the key"),
    "no quota": (
        sending(error("you owe us", "insufficient_quota"), status="429 Too Many Requests"),
        "no quota",
    ),
    "a bad request": (
        sending(error("context length exceeded"), status="400 Bad Request"),
        "context length exceeded",
    ),
    "a redirect": (
        sending(b"", status="302 Found", headers=("Location: http://evil.example/",)),
        "moved to http://evil.example/",
    ),
    "10 MB": (ten_megabytes, "more than 4 MiB"),
    "an endless answer": (endless, "more than 4 MiB"),
    "a packed answer": (
        sending(b"\x1f\x8b\x08", headers=("Content-Encoding: gzip",)),
        "gzip",
    ),
    "a far Retry-After": (
        sending(error("later"), status="429 Too Many Requests", headers=("Retry-After: 3600",)),
        "left alone for 3600 s",
    ),
}


@pytest.mark.parametrize("trouble", LASTING)
def test_what_another_attempt_cannot_mend_is_said_at_once(trouble, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    behaviour, words = LASTING[trouble]
    with serving(behaviour) as server, pytest.raises(BackendError, match=words):
        ask(server)
    assert len(server.asked) == 1


@pytest.mark.parametrize("behaviour", [hangs, drips])
def test_an_attempt_that_never_ends_is_cut_off_and_repeated(behaviour):
    began = time.monotonic()
    with serving(first(behaviour, FINE)) as server:
        assert ask(server, timeout=0.3).text == "fine"
    with serving(behaviour) as server:
        with pytest.raises(BackendError, match=r"no answer within 0.3 s \(2 attempts\)"):
            ask(server, timeout=0.3, retries=1)
        assert len(server.asked) == 2
    assert time.monotonic() - began < 20


@pytest.mark.parametrize("behaviour", [hangs, drips])
def test_an_answer_beyond_the_seats_time_limit_is_the_seats_time_out(behaviour):
    with serving(behaviour) as server, pytest.raises(TimeoutError):
        ask(server, limit=0.3)


def test_nobody_listening_is_said_with_the_address():
    with serving(FINE) as server:
        pass
    with pytest.raises(BackendError, match=r"cannot be reached.*is the server running"):
        ask(server, retries=1)


def test_a_server_that_comes_back_is_found_again():
    with serving(first(resets, hangs_up, truncated, FINE)) as server:
        assert ask(server).text == "fine"


def test_a_refusal_is_an_answer_without_an_action():
    with serving(sending(completion(None, refusal="I cannot do that."))) as server:
        found = ask(server)
    assert (found.text, found.finish_reason) == ("I cannot do that.", "refusal")
    body = error("flagged", "content_filter")
    with serving(sending(body, status="400 Bad Request")) as server:
        found = ask(server)
    assert (found.text, found.finish_reason) == ("flagged", "content_filter")


def test_odd_but_readable_answers_are_read():
    odd = {
        "choices": [{"message": {"content": [{"type": "text", "text": "a"}, {"text": "b"}]}}],
        "usage": {"prompt_tokens": 3, "completion_tokens": None},
    }
    with serving(sending(odd, kind="text/plain")) as server:
        found = ask(server)
    assert (found.text, found.finish_reason, found.usage) == ("ab", "stop", (3, 0, 0))
    with serving(sending(completion("x" * (2 * MAX_TEXT)))) as server:
        assert len(ask(server).text) == MAX_TEXT
    half = b'{"choices": [{"message": {"content": "\\ud83d"}}]}'
    with serving(sending(half)) as server:
        assert ask(server, retries=0).text.encode() == b"?"


@pytest.mark.parametrize("count", ["1e30", "1e999", "-5", "NaN"])
def test_counts_that_cannot_be_true_are_estimated(count):
    body = f"""{{"choices": [{{"message": {{"content": "four"}}}}],
        "usage": {{"prompt_tokens": 7, "completion_tokens": {count}}}}}"""
    with serving(sending(body.encode())) as server:
        found = ask(server, retries=0)
    assert found.text == "four"
    assert found.usage.completion_tokens == 2


def test_log_probabilities_that_are_no_numbers_are_not_kept():
    body = completion("a")
    body["choices"][0]["logprobs"] = {"content": [{"token": "a", "logprob": float("nan")}]}
    with serving(sending(body)) as server:
        assert ask(server, retries=0).logprobs is None


def test_an_error_of_control_characters_cannot_disturb_a_terminal():
    body = error("\x1b[2J\u202egone\nnext")
    behaviour = sending(body, status="400 Bad Request")
    with serving(behaviour) as server, pytest.raises(BackendError) as caught:
        ask(server)
    assert str(caught.value).isprintable()


def test_no_more_is_read_than_the_limit(monkeypatch):
    monkeypatch.setattr(endpoint_http, "MAX_BYTES", 1000)
    with serving(sending(completion("x" * 2000))) as server, pytest.raises(BackendError):
        ask(server)
