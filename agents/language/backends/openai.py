"""Any OpenAI-compatible endpoint: hosted services, vLLM, llama.cpp, Ollama, gateways.

Calls go through the ``openai`` SDK's async client, by its door for arbitrary requests: the typed
one spends more time on going through the messages than all the rest takes. Retries, rates, size and
time limits are ours (:mod:`.retry`, :mod:`.rate`, :mod:`.endpoint_http`), and every trouble ends
as one sentence. A sliding window of ``slots`` calls is under way at any time.

Two clocks run. ``timeout`` is the endpoint's: the wall time of one attempt, from connecting to the
last byte; when it runs out the attempt is repeated. The seat's time limit is the model's: an
attempt that takes longer, though the endpoint is there, is the seat's time-out. Waiting for a slot,
for the rate limit or between attempts counts for neither.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from gymposium.errors import BackendError, UsageError

from . import endpoint_answer as answer
from .endpoint_http import http, make_client, sdk
from .protocol import Completion, Scored, prompt_tokens
from .rate import Bucket
from .retry import Retries, Trouble, retry_after

SLOTS = 256
TIMEOUT = 60.0
RETRIES = 5
KEY = "OPENAI_API_KEY"
_LOG = logging.getLogger("gymposium.llm")
_BUSY = (408, 409, 425, 429)
_CHECK_SECONDS = 10.0
_NEAR = ("localhost", "127.0.0.1", "::1")


class Refused(Trouble):
    """A status that another attempt with the same request will not change."""

    def __init__(self, sentence: str, status: int, said: str, code: str = "") -> None:
        super().__init__(sentence, again=False)
        self.status = status
        self.said = said
        self.code = code


class _Session(NamedTuple):
    """What belongs to one event loop."""

    client: Any
    window: asyncio.Semaphore


class OpenAIBackend:
    """A model behind an endpoint.

    Args:
        model: its name there.
        url: the endpoint's base URL, usually ending in ``/v1``.
        slots: calls under way at the same time.
        timeout: seconds for one attempt.
        retries: attempts after the first.
        rpm: requests per minute; None for no limit.
        tpm: tokens per minute, prompt and completion; None for no limit.
        key_env: environment variable that holds the key; None for OPENAI_API_KEY, if it is set.
        context: tokens of context, if the prompt is to be kept within it.
        schema: how answers are constrained: one of ``endpoint_answer.FORMS``; what the endpoint
            refuses is asked for less strictly.
        key: the key itself, for servers that were started with it.

    Raises:
        MissingExtra: the SDK is not installed.
        UsageError: the key's variable is not set.
    """

    deterministic = False
    trainable = False

    def __init__(
        self,
        model: str,
        url: str,
        *,
        slots: int = SLOTS,
        timeout: float = TIMEOUT,
        retries: int = RETRIES,
        rpm: float | None = None,
        tpm: float | None = None,
        key_env: str | None = None,
        context: int | None = None,
        schema: str = answer.FORMS[0],
        key: str | None = None,
    ) -> None:
        sdk()
        self.name = f"{model}@{url}"
        self.model = model
        self.url = url
        self.context_tokens: int | None = context
        self._slots = slots
        self._timeout = timeout
        self._retries = Retries(retries)
        self._requests = None if rpm is None else Bucket(rpm)
        self._tokens = None if tpm is None else Bucket(tpm)
        self._key = key or endpoint_key(url, key_env)
        self._dialect = answer.Dialect(answer.FORMS.index(schema))
        self._sessions: WeakKeyDictionary[asyncio.AbstractEventLoop, _Session] = WeakKeyDictionary()
        self._closed = False

    async def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        schema: Mapping[str, Any] | None = None,
        n: int = 1,
        seed: int | None = None,
        logprobs: int = 0,
        temperature: float = 0.7,
        top_p: float = 1.0,
        max_tokens: int = 256,
        timeout: float | None = None,
    ) -> list[Completion]:
        """Sample ``n`` answers; see :class:`.protocol.ChatBackend`.

        An endpoint that gives fewer answers than asked for is asked for the rest.
        """
        first = secrets.randbits(31) if seed is None else seed

        def ask(count: int, after: int) -> Any:
            def body() -> dict[str, Any]:
                return answer.request(
                    self.model,
                    messages,
                    self._dialect,
                    schema=schema,
                    n=count,
                    seed=(first + after) & 0x7FFFFFFF,
                    logprobs=logprobs,
                    temperature=temperature,
                    top_p=top_p,
                    max_tokens=max_tokens,
                )

            estimate = prompt_tokens(messages)
            return self._ask(body, estimate, max_tokens * count, first + after, timeout)

        async with self._session().window:
            found: list[Completion] = await ask(n, 0)
            if len(found) < n:
                more = range(len(found), n)
                for one in await asyncio.gather(*(ask(1, after) for after in more)):
                    found += one[:1]
        return found[:n]

    async def score_letters(
        self,
        messages: Sequence[Mapping[str, Any]],
        choices: Sequence[str],
        *,
        timeout: float | None = None,
    ) -> list[Scored]:
        """How likely the model finds each of ``choices``, shown to it as lettered options.

        Args:
            messages: as for ``complete``; the options are put at their end.
            choices: at most as many as :data:`.endpoint_answer.LETTERS`.
            timeout: as for ``complete``.

        Raises:
            BackendError: as ``complete``, or the endpoint does not tell log-probabilities.
        """
        asked = answer.lettered(messages, choices)

        def body() -> dict[str, Any]:
            return answer.request(
                self.model,
                asked,
                self._dialect,
                schema=None,
                n=1,
                seed=None,
                logprobs=len(answer.LETTERS),
                temperature=1.0,
                top_p=1.0,
                max_tokens=1,
            )

        def read(content: bytes, kind: str, *, estimate: int) -> list[Completion]:
            return answer.first_letters(content, kind, len(choices), estimate=estimate)

        async with self._session().window:
            found = await self._ask(body, prompt_tokens(asked), 1, 0, timeout, read)
        return [
            Scored(choice, (), each.logprobs or (), each.usage)
            for choice, each in zip(choices, found, strict=True)
        ]

    async def models(self) -> list[str]:
        """The names the endpoint lists; empty if it lists none.

        Raises:
            BackendError: it cannot be reached, refuses the key, or answers nonsense.
        """
        try:
            response, _ = await self._exchange("get", "/models", None, _CHECK_SECONDS, None)
            data = answer.parsed(response.content, response.headers.get("content-type", ""))
            entries = data.get("data") or () if isinstance(data, Mapping) else ()
            return [str(entry["id"]) for entry in entries if isinstance(entry, Mapping)]
        except Trouble as trouble:
            raise self._failed(trouble) from None

    def _session(self) -> _Session:
        if self._closed:
            raise BackendError(f"{self.name}: the backend is closed")
        loop = asyncio.get_running_loop()
        session = self._sessions.get(loop)
        if session is None:
            client = make_client(self.url, self._key)
            session = self._sessions[loop] = _Session(client, asyncio.Semaphore(self._slots))
        return session

    async def _ask(
        self,
        body: Any,
        estimate: int,
        most: int,
        seed: int,
        limit: float | None,
        read: Any = answer.completions,
    ) -> list[Completion]:
        """Attempts until one succeeds or no other may help."""
        repeated = 0
        while True:
            await self._wait_for_rate(estimate + most)
            sent = body()
            try:
                response, seconds = await self._exchange(
                    "post", "/chat/completions", sent, self._timeout, limit
                )
                kind = response.headers.get("content-type", "")
                found: list[Completion] = read(response.content, kind, estimate=estimate)
                self._rate_was(estimate + most, found)
                return [each._replace(seconds=seconds) for each in found]
            except Refused as refusal:
                self._rate_was(estimate + most, ())
                if answer.is_filtered(refusal.code):
                    return [Completion(refusal.said, finish_reason="content_filter")]
                if refusal.status in (400, 422) and self._dialect.learn(sent, refusal.said):
                    _LOG.info("%s: asked differently from now on (%s)", self.name, refusal.said)
                    continue
                raise self._failed(refusal) from None
            except Trouble as trouble:
                delay = self._retries.delay(repeated, trouble, seed)
                if delay is None:
                    raise self._failed(trouble, repeated) from None
                _LOG.info("%s %s; again in %.1f s", self.name, trouble.sentence, delay)
                repeated += 1
                await asyncio.sleep(delay)

    async def _exchange(
        self, verb: str, path: str, body: Any, timeout: float, limit: float | None
    ) -> tuple[Any, float]:
        """One request; the response, whole and well, and the seconds it took.

        Raises:
            Refused: a status that another attempt will not change.
            Trouble: all else that went wrong.
            TimeoutError: the seat's ``limit`` ran out first.
        """
        openai, client = sdk(), self._session().client
        began = perf_counter()
        bound = timeout if limit is None else min(timeout, limit)
        try:
            async with asyncio.timeout(bound):
                extra = {} if body is None else {"body": body}
                response = await getattr(client, verb)(path, cast_to=http().Response, **extra)
        except TimeoutError:
            if limit is not None and limit <= timeout:
                raise
            raise Trouble(f"gave no answer within {timeout:g} s", again=True) from None
        except openai.APIStatusError as error:
            raise self._refused(error) from None
        except openai.APITimeoutError:
            raise Trouble("cannot be reached (connecting took too long)", again=True) from None
        except openai.APIConnectionError as error:
            raise Trouble(_connection(error.__cause__ or error), again=True) from None
        except (Trouble, BackendError):
            raise
        except Exception as error:  # the backend boundary: named and raised
            raise Trouble(_connection(error), again=True) from error
        return response, perf_counter() - began

    def _refused(self, error: Any) -> Trouble:
        """What a status outside 200 to 299 means."""
        status, body = int(error.status_code), error.body
        said = self._hidden(answer.words_of(body if body is not None else error.response.text))
        code = answer.code_of(body)
        if 300 <= status < 400:
            place = str(error.response.headers.get("location", "elsewhere"))[:200]
            return Refused(f"moved to {place}: use that address", status, said, code)
        if status in (401, 403):
            return Refused(f"refuses the key ({status}: {said}); {self._key_hint()}", status, said)
        if code == "insufficient_quota":
            return Refused(f"has no quota left for this key ({said})", status, said, code)
        if status in _BUSY or status >= 500:
            why = "is asked too often" if status == 429 else f"failed ({status})"
            wait = retry_after(error.response.headers)
            return Trouble(f"{why}: {said}", again=True, wait=wait)
        if status == 404:
            sentence = f"is not there (404: {said}); check the model's name and the address"
            return Refused(sentence, status, said, code)
        return Refused(f"refuses the request ({status}: {said})", status, said, code)

    def _key_hint(self) -> str:
        return "check the key" if self._key else f"set {KEY}, or name a variable with ?key_env="

    def _hidden(self, text: str) -> str:
        return text.replace(self._key, "***") if self._key else text

    def _failed(self, trouble: Trouble, repeated: int = 0) -> BackendError:
        tries = f" ({repeated + 1} attempts)" if repeated else ""
        asked = ""
        if trouble.again and trouble.wait is not None and trouble.wait > self._retries.longest:
            asked = f"; it asks to be left alone for {trouble.wait:.0f} s"
        return BackendError(
            f"{self.model} at {self.url} {self._hidden(trouble.sentence)}{tries}{asked}"
        )

    async def _wait_for_rate(self, tokens: int) -> None:
        waits = [0.0]
        if self._requests is not None:
            waits.append(self._requests.take())
        if self._tokens is not None:
            waits.append(self._tokens.take(tokens))
        if max(waits) > 0:
            await asyncio.sleep(max(waits))

    def _rate_was(self, taken: int, found: Sequence[Completion]) -> None:
        if self._tokens is not None:
            used = sum(each.usage.prompt_tokens + each.usage.completion_tokens for each in found)
            self._tokens.give_back(taken - used)

    async def leave_loop(self) -> None:
        """Close the connections of the running event loop; later calls open new ones."""
        session = self._sessions.pop(asyncio.get_running_loop(), None)
        if session is not None:
            await session.client.close()

    async def close(self) -> None:
        """Refuse further calls and close this loop's connections. Idempotent."""
        self._closed = True
        await self.leave_loop()

    def release(self) -> None:
        """As ``close``, from outside an event loop: connections of ended loops are dropped."""
        self._closed = True
        self._sessions.clear()


def endpoint_key(url: str, key_env: str | None) -> str | None:
    """The key to send to ``url``; None if there is none to send.

    The common variable's key goes to no host that others could listen to on the way: unencrypted
    addresses beyond this machine get a key only from a variable that is named for them.

    Raises:
        UsageError: the variable named by ``key_env`` is not set.
    """
    if key_env is not None:
        key = os.environ.get(key_env)
        if not key:
            raise UsageError(f"{url}: the environment variable {key_env} (key_env) is not set")
        return key
    parts = urlsplit(url)
    if parts.scheme != "https" and parts.hostname not in _NEAR:
        return None
    return os.environ.get(KEY) or None


def _connection(error: BaseException) -> str:
    """What happened to a connection, in words."""
    said = (str(error).strip().splitlines() or [""])[0][:200]
    name = type(error).__name__
    if name == "ConnectError":
        return f"cannot be reached ({said or 'connection refused'}): is the server running?"
    if name == "RemoteProtocolError":
        return f"broke off its answer ({said})"
    return f"lost the connection ({name}{': ' + said if said else ''})"
