"""A language model in this process: llama.cpp with continuous batching, through ``xllamacpp``.

One server per process and model answers many calls at once in its slots; further calls wait their
turn. Answers are constrained by a grammar made from the JSON Schema, without white space, for every
token costs time. The server's calls block (and release the interpreter lock), so each runs in a
thread of a pool as large as the number of slots; a call that is cancelled stops within a token,
unless it asked for log-probabilities, which come with the whole answer only.
"""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import os
import secrets
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

import orjson

from gymposium.errors import BackendError, MissingExtra
from gymposium.types import Usage

from .prefix_queue import PrefixQueue, Waiting
from .protocol import Completion, Scored

SLOTS = 8
CONTEXT = 2048
"""Tokens of context per slot."""
_PROMPT_CACHE_MIB = 512  # prompts of matches that wait for a slot; about 11 MiB each
_MOST_THREADS = 16
_SPINS = "1000"
_LOG = logging.getLogger("gymposium.llm")


class EmbeddedBackend:
    """A GGUF model on this machine's processors.

    Loading happens at the first call. With ``exact`` there is one slot and nothing is reused
    between calls: equal prompts, parameters and seeds give equal answers on this machine, whatever
    came before. Without it they may differ in the last bit of a sum, hence in a word.

    Args:
        name: what calls are recorded under.
        path: the model file.
        slots: calls answered at the same time; one if ``exact``.
        context: tokens of context per call.
        threads: processor threads; None for as many as this process may use.
        exact: see above.
        identity: name and weights, for the cache; the name alone unless given.
    """

    trainable = False
    local = True

    def __init__(
        self,
        name: str,
        path: Path,
        *,
        slots: int = SLOTS,
        context: int = CONTEXT,
        threads: int | None = None,
        exact: bool = False,
        identity: str = "",
    ) -> None:
        if importlib.util.find_spec("xllamacpp") is None:
            raise _missing()
        self.name = name
        self.identity = (identity or name) + ("|exact" if exact else "")
        self.deterministic = exact
        self.context_tokens: int = context
        self.slots = 1 if exact else slots
        self._path = path
        self._threads = threads or _usable_processors()
        self._exact = exact
        self._server: Any = None
        self._loading = threading.Lock()
        self._closed = threading.Event()
        self._pool = ThreadPoolExecutor(self.slots, thread_name_prefix=f"gymposium-{name}")
        self._queue = PrefixQueue(self.slots)
        self._grammars: dict[bytes, str] = {}

    @property
    def loaded(self) -> bool:
        """The weights are in this process."""
        return self._server is not None

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
        """Sample ``n`` answers; see :class:`.protocol.ChatBackend`."""
        request: dict[str, Any] = {
            "messages": [dict(message) for message in messages],
            "max_tokens": max_tokens,
            "temperature": temperature,
            # llama.cpp cuts the distribution before tempering it unless told otherwise; what is
            # sampled from should be the model's own distribution.
            "top_k": 0,
            "min_p": 0.0,
            "top_p": top_p,
            "cache_prompt": not self._exact,
        }
        if logprobs:
            # Not streamed, since a stream leaves out the token that ends the answer.
            request |= {"logprobs": True, "top_logprobs": logprobs}
        else:
            request |= {"stream": True, "stream_options": {"include_usage": True}}
        if schema is not None:
            request["grammar"] = self._grammar(schema)
        first = secrets.randbits(31) if seed is None else seed
        samples = [
            self._sample({**request, "seed": (first + index) & 0x7FFFFFFF}, timeout)
            for index in range(n)
        ]
        return [await samples[0]] if n == 1 else list(await asyncio.gather(*samples))

    async def score(
        self,
        messages: Sequence[Mapping[str, Any]],
        choices: Sequence[str],
        *,
        timeout: float | None = None,
    ) -> list[Scored]:
        """How likely the model finds each of ``choices`` as the whole answer.

        llama.cpp does not score given tokens, so a grammar that allows one text only has the model
        write each; what is summed are log-probabilities before the grammar. The token that ends an
        answer is left out, for the grammar allows several; the answer's last brace has said it.

        Args:
            messages: as for ``complete``.
            choices: answers, at least one, as compact JSON.
            timeout: as for ``complete``, for each.
        """
        asked = (
            self.complete(
                messages,
                schema={"const": orjson.loads(choice)},
                seed=0,
                logprobs=1,
                temperature=0.0,
                max_tokens=len(choice.encode()) + 2,
                timeout=timeout,
            )
            for choice in choices
        )
        found = [made[0] for made in await asyncio.gather(*asked)]
        usages = [found[0].usage, *(Usage(0, it.usage.completion_tokens) for it in found[1:])]
        return [
            Scored(choice, (it.completion_ids or ())[:-1], (it.logprobs or ())[:-1], usage)
            for choice, it, usage in zip(choices, found, usages, strict=True)
        ]

    async def _sample(self, request: dict[str, Any], timeout: float | None) -> Completion:
        if self._closed.is_set():
            raise BackendError(f"{self.name}: the backend is closed")
        began = perf_counter()
        begun = asyncio.Event()
        loop = asyncio.get_running_loop()
        call = Waiting(request, begin=lambda: loop.call_soon_threadsafe(begun.set))
        self._queue.put(call)
        try:
            self._pool.submit(self._serve)
        except RuntimeError as error:  # the pool has been shut down meanwhile
            raise BackendError(f"{self.name}: the backend is closed") from error
        try:
            answered = asyncio.wrap_future(call.done)
            if timeout is not None:
                await _either(begun, answered)
            async with asyncio.timeout(timeout):
                chunks = await answered
        finally:
            # Reached early only if the caller gave up: free the slot for somebody else.
            call.stop.set()
        return _completion(chunks, perf_counter() - began)

    def _serve(self) -> None:
        """Answer one waiting call; runs in the pool, once for every call queued."""
        call = self._queue.take()
        if call is None:  # the call that this was for has been given up
            return
        try:
            call.done.set_result(self._answer(call))
        except BaseException as error:  # noqa: BLE001 - handed on to whoever waits for the call
            call.done.set_exception(error)
        finally:
            self._queue.give_back(call)

    def _answer(self, call: Waiting) -> list[dict[str, Any]]:
        server = self._load()
        call.begin()
        chunks: list[dict[str, Any]] = []
        stop, closed = call.stop, self._closed

        def receive(chunk: dict[str, Any]) -> bool:
            chunks.append(chunk)
            return stop.is_set() or closed.is_set()

        if not receive({}):
            try:
                server.handle_chat_completions(call.request, receive)
            except Exception as error:  # the backend boundary: named and raised
                raise BackendError(f"{self.name}: {_first_line(error)}") from error
        if closed.is_set():
            raise BackendError(f"{self.name}: the backend was closed during a call")
        for chunk in chunks:
            if "error" in chunk:
                raise BackendError(f"{self.name}: {_refusal(chunk['error'])}")
        return chunks

    def _load(self) -> Any:
        with self._loading:
            if self._server is None:
                self._server = self._start()
            return self._server

    def _start(self) -> Any:
        xllamacpp = _xllamacpp()
        params = xllamacpp.CommonParams()
        params.model.path = str(self._path)
        params.n_parallel = self.slots
        params.n_ctx = self.context_tokens * self.slots
        # A step for one call waits for its slowest thread at every layer: leave the rest of the
        # program a processor, or it stalls them all. Steps for several calls are worth them all.
        params.cpuparams.n_threads = max(1, self._threads - 1)
        params.cpuparams_batch.n_threads = self._threads
        params.verbosity = -1  # llama.cpp would write to the terminal
        params.warmup = False
        params.cache_prompt = not self._exact
        params.cache_ram_mib = 0 if self._exact else _PROMPT_CACHE_MIB
        params.slot_prompt_similarity = 0.0 if self._exact else 0.1
        began = perf_counter()
        try:
            server = xllamacpp.Server(params)
        except Exception as error:  # the backend boundary: named and raised
            raise BackendError(
                f"{self.name}: the model file {self._path} cannot be loaded "
                f"({_first_line(error)}); remove it and pull it again"
            ) from error
        _LOG.info("%s loaded in %.1f s, %d slots", self.name, perf_counter() - began, self.slots)
        return server

    def _grammar(self, schema: Mapping[str, Any]) -> str:
        """The schema as llama.cpp's grammar, compact JSON only."""
        key = orjson.dumps(schema, default=dict)
        grammar = self._grammars.get(key)
        if grammar is None:
            compact = {**schema, "x-guidance": {"whitespace_flexible": False}}
            library = _xllamacpp()
            try:
                grammar = str(library.json_schema_to_grammar(compact))
            except Exception as error:  # the backend boundary: named and raised
                raise BackendError(
                    f"{self.name}: cannot constrain an answer to the schema ({_first_line(error)})"
                ) from error
            if len(self._grammars) >= 4096:
                self._grammars.clear()
            self._grammars[key] = grammar
        return grammar

    async def close(self) -> None:
        """Stop calls under way and free the model. Idempotent."""
        self.stop()
        await asyncio.to_thread(self.release)

    def stop(self) -> None:
        """Refuse new calls and make those under way return."""
        self._closed.set()
        self._pool.shutdown(wait=False, cancel_futures=True)
        for call in self._queue.drain():
            if call.done.set_running_or_notify_cancel():
                call.done.set_exception(BackendError(f"{self.name}: the backend is closed"))

    def release(self) -> None:
        """Wait for the last call to return, then free the model."""
        self.stop()
        self._pool.shutdown(wait=True)
        with self._loading:
            self._server = None


async def _either(begun: asyncio.Event, answered: asyncio.Future[Any]) -> None:
    """Wait until the model begins on a call, or until it is known that it never will."""
    beginning = asyncio.ensure_future(begun.wait())
    try:
        await asyncio.wait({beginning, answered}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        beginning.cancel()


def _missing() -> MissingExtra:
    return MissingExtra("an embedded language model", extra="llm", module="xllamacpp")


def _xllamacpp() -> Any:
    try:
        with _patient_threads():
            import xllamacpp
    except ModuleNotFoundError as error:
        raise _missing() from error
    except ImportError as error:
        raise BackendError(
            f"xllamacpp is installed but cannot be loaded ({_first_line(error)}); "
            "it needs the system's OpenMP library, e.g. apt-get install libgomp1"
        ) from error
    return xllamacpp


@contextmanager
def _patient_threads() -> Iterator[None]:
    """Have OpenMP's threads sleep soon when they wait, unless the user has said otherwise.

    By default they spin, which on a busy machine keeps the very thread they wait for from running:
    measured on two cores with other work beside it, 5 tokens/s instead of 100. The library reads
    its settings once, when it is loaded; other programs started from here should not see ours.
    """
    names = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")
    if any(name in os.environ for name in names):
        yield
        return
    os.environ["GOMP_SPINCOUNT"] = _SPINS
    try:
        yield
    finally:
        os.environ.pop("GOMP_SPINCOUNT", None)


def _usable_processors() -> int:
    usable = getattr(os, "sched_getaffinity", None)
    count = len(usable(0)) if usable is not None else os.cpu_count() or 1
    return max(1, min(_MOST_THREADS, count))


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]


def _refusal(error: Any) -> str:
    said = error.get("message", error) if isinstance(error, Mapping) else error
    return str(said)[:300]


def _completion(chunks: Sequence[Mapping[str, Any]], seconds: float) -> Completion:
    """Put the streamed pieces of one answer together."""
    text: list[str] = []
    reason = "stop"
    usage: Mapping[str, Any] = {}
    ids: list[int] = []
    logs: list[float] = []
    for chunk in chunks:
        usage = chunk.get("usage") or usage
        for choice in chunk.get("choices", ()):
            delta = choice.get("delta") or choice.get("message") or {}
            text.append(delta.get("content") or "")
            reason = choice.get("finish_reason") or reason
            for token in (choice.get("logprobs") or {}).get("content") or ():
                ids.append(token["id"])
                logs.append(token["logprob"])
    cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0)
    return Completion(
        text="".join(text),
        usage=Usage(usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0), cached),
        finish_reason=reason,
        seconds=seconds,
        logprobs=tuple(logs) if logs else None,
        completion_ids=tuple(ids) if ids else None,
    )
