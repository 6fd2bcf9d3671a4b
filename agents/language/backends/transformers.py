"""A language model in this process as torch runs it: slower than llama.cpp, and open to look into.

The same :class:`.white_box.WhiteBox` that a study reads and trains answers the calls of a match, so
what is played is what was trained. Calls that wait are answered together, in one batch; with
``exact`` one by one, and then equal calls give equal answers on this machine. Answers are held to
their JSON Schema, and given answers can be scored (:meth:`TransformersBackend.score`).
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from gymposium.errors import BackendError, GymposiumError, UsageError
from gymposium.types import Usage

from .embedded import CONTEXT, SLOTS
from .grammar_mask import Grammars
from .protocol import Completion, Scored
from .seeing import pictures_of
from .torch_sampling import Ask, sample
from .white_box import WhiteBox

_GATHERING_SECONDS = 0.002
"""How long a batch waits for company: far less than one pass of the smallest model."""
_LOG = logging.getLogger("gymposium.llm")


@dataclass(slots=True, eq=False)
class _Job:
    """One thing for the model's thread to do: an answer to sample, or answers to score."""

    messages: Sequence[Mapping[str, Any]]
    make: Callable[[list[int]], Ask] | None = None
    choices: Sequence[str] = ()
    begin: Callable[[], object] = lambda: None
    done: Future[Any] = field(default_factory=Future)
    stop: threading.Event = field(default_factory=threading.Event)


class TransformersBackend:
    """A model of Hugging Face's transformers on this machine.

    Loading happens at the first call, or when :meth:`white_box` is asked for.

    Args:
        name: what calls are recorded under.
        source: what to load; see :meth:`.white_box.WhiteBox.load`.
        slots: answers sampled in one batch; one if ``exact``.
        context: tokens of context per call.
        threads: of torch, in the whole process; None leaves them as they are.
        device: as torch names it.
        adapter: the folder of a LoRA adapter, or None.
        exact: equal calls give equal answers, in any order and company.
        identity: name and weights, for the cache; the name alone unless given.
    """

    trainable = True
    local = True

    def __init__(
        self,
        name: str,
        source: str,
        *,
        slots: int = SLOTS,
        context: int = CONTEXT,
        threads: int | None = None,
        device: str = "cpu",
        adapter: str | None = None,
        exact: bool = False,
        identity: str = "",
    ) -> None:
        self.name = name
        self.identity = (identity or name) + ("|exact" if exact else "")
        self.deterministic = exact
        self.context_tokens: int = context
        self.slots = 1 if exact else slots
        self._load: Callable[[], WhiteBox] = lambda: WhiteBox.load(
            source, device=device, adapter=adapter
        )
        self._threads = threads
        self._box: WhiteBox | None = None
        self._grammars: Grammars | None = None
        self._waiting: list[_Job] = []
        self._lock = threading.Lock()
        self._loading = threading.Lock()
        self._closed = threading.Event()
        # One thread: torch spreads a pass over the processors by itself.
        self._pool = ThreadPoolExecutor(1, thread_name_prefix=f"gymposium-{name}")

    def white_box(self) -> WhiteBox:
        """The model itself; what is changed in it is played from the next call on."""
        with self._loading:
            if self._box is None:
                began = perf_counter()
                self._box = self._load()
                if self._threads is not None:
                    import torch

                    torch.set_num_threads(self._threads)
                _LOG.info("%s loaded in %.1f s", self.name, perf_counter() - began)
            return self._box

    @property
    def loaded(self) -> bool:
        """The weights are in this process."""
        return self._box is not None

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
        first = secrets.randbits(31) if seed is None else seed

        def one(index: int) -> _Job:
            def make(prompt: list[int]) -> Ask:
                room = self._room(prompt)
                ask = Ask(prompt, (first + index) & 0x7FFFFFFF, temperature, top_p)
                ask.max_tokens = min(max_tokens, room)
                ask.matcher = None if schema is None else self._matcher(schema)
                ask.stop = job.stop
                return ask

            job = _Job(messages, make)
            return job

        jobs = [self._do(one(index), timeout) for index in range(n)]
        began = perf_counter()
        asks: list[Ask] = [await jobs[0]] if n == 1 else list(await asyncio.gather(*jobs))
        seconds = perf_counter() - began
        return [self._completion(ask, bool(logprobs), seconds) for ask in asks]

    async def score(
        self,
        messages: Sequence[Mapping[str, Any]],
        choices: Sequence[str],
        *,
        timeout: float | None = None,
    ) -> list[Scored]:
        """How likely the model finds each of ``choices`` as the whole answer.

        Args:
            messages: as for ``complete``.
            choices: answers, at least one.
            timeout: as for ``complete``.
        """
        found: list[Scored] = await self._do(_Job(messages, choices=tuple(choices)), timeout)
        return found

    async def _do(self, job: _Job, timeout: float | None) -> Any:
        if self._closed.is_set():
            raise BackendError(f"{self.name}: the backend is closed")
        loop, begun = asyncio.get_running_loop(), asyncio.Event()
        job.begin = lambda: loop.call_soon_threadsafe(begun.set)
        with self._lock:
            self._waiting.append(job)
        try:
            self._pool.submit(self._serve)
        except RuntimeError as error:  # the pool has been shut down meanwhile
            raise BackendError(f"{self.name}: the backend is closed") from error
        try:
            answered = asyncio.wrap_future(job.done)
            if timeout is not None:
                beginning = asyncio.ensure_future(begun.wait())
                try:
                    await asyncio.wait({beginning, answered}, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    beginning.cancel()
            async with asyncio.timeout(timeout):
                return await answered
        finally:
            job.stop.set()  # reached early only if the caller gave up

    def _serve(self) -> None:
        """Answer what waits; runs in the model's thread, once for every call queued."""
        jobs: list[_Job] = []
        try:
            self.white_box()
            if self.slots > 1:
                time.sleep(_GATHERING_SECONDS)
            jobs = self._take()
            if jobs and jobs[0].make is None:
                jobs[0].begin()
                jobs[0].done.set_result(self._scores(jobs[0]))
            elif jobs:
                self._sample(jobs)
        except BaseException as error:  # noqa: BLE001 - handed on to whoever waits
            with self._lock:
                jobs, self._waiting = (jobs or self._waiting), ([] if not jobs else self._waiting)
            for job in jobs:
                if not job.done.done():
                    job.done.set_exception(self._named(error))

    def _take(self) -> list[_Job]:
        """The oldest job, with as many others of its kind as there are slots."""
        taken: list[_Job] = []
        with self._lock:
            for job in list(self._waiting):
                if taken and (taken[0].make is None or job.make is None):
                    break
                self._waiting.remove(job)
                if job.done.set_running_or_notify_cancel():
                    taken.append(job)
                if len(taken) == self.slots:
                    break
        return taken

    def _sample(self, jobs: list[_Job]) -> None:
        box = self.white_box()
        asks: dict[int, Ask] = {}
        for job in jobs:
            job.begin()
            try:
                assert job.make is not None
                ask = asks[id(job)] = job.make(self._read(job.messages))
                ask.pictures = pictures_of(job.messages)
            except GymposiumError as error:  # this one's schema or length; the others can go on
                job.done.set_exception(self._named(error))
        if asks:
            sample(box, list(asks.values()))
        for job in jobs:
            if id(job) in asks:
                job.done.set_result(asks[id(job)])

    def _scores(self, job: _Job) -> list[Scored]:
        import torch

        box = self.white_box()
        prompt, shown = self._read(job.messages), pictures_of(job.messages)
        answers = [box.completion_ids(choice) for choice in job.choices]
        if max(map(len, answers)) > self._room(prompt):
            raise BackendError(f"{self.name}: the choices do not fit; {self._remedy()}")
        with torch.inference_mode():
            cache = None if shown else box.prefill(prompt)
            found = box.logprobs_batch(prompt, answers, cache=cache, pictures=shown)
        usages = [Usage(len(prompt), len(answers[0])), *(Usage(0, len(it)) for it in answers[1:])]
        return [
            Scored(text, tuple(ids), tuple(map(float, logs)), usage)
            for text, ids, logs, usage in zip(job.choices, answers, found, usages, strict=True)
        ]

    def _read(self, messages: Sequence[Mapping[str, Any]]) -> list[int]:
        if self.white_box().eye is None and pictures_of(messages):
            raise UsageError(f"{self.name} cannot see: it takes words only")
        return self.white_box().prompt_ids(messages)

    def _room(self, prompt: Sequence[int]) -> int:
        room = min(self.context_tokens, self.white_box().context) - len(prompt)
        if room < 1:
            raise BackendError(
                f"{self.name}: a prompt of {len(prompt)} tokens leaves no room for an answer; "
                + self._remedy()
            )
        return room

    def _remedy(self) -> str:
        return f"raise the context with ?context={2 * self.context_tokens}"

    def _matcher(self, schema: Mapping[str, Any]) -> Any:
        if self._grammars is None:
            box = self.white_box()
            self._grammars = Grammars(box.tokenizer, int(box.facts.vocab_size))
        return self._grammars.matcher(schema)

    def _completion(self, ask: Ask, with_logprobs: bool, seconds: float) -> Completion:
        if self._closed.is_set():
            raise BackendError(f"{self.name}: the backend was closed during a call")
        said = ask.tokens[:-1] if ask.ended else ask.tokens
        text = self.white_box().tokenizer.decode(said, skip_special_tokens=True)
        return Completion(
            text=text,
            usage=Usage(len(ask.prompt), len(ask.tokens)),
            finish_reason="stop" if ask.ended else "length",
            seconds=seconds,
            logprobs=tuple(ask.logprobs) if with_logprobs else None,
            completion_ids=tuple(ask.tokens) if with_logprobs else None,
            prompt_ids=tuple(ask.prompt) if with_logprobs else None,
        )

    def _named(self, error: BaseException) -> BaseException:
        """The error as callers are to see it: theirs as it is, the library's as a sentence."""
        if isinstance(error, GymposiumError):
            return error
        said = (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
        made = BackendError(f"{self.name}: {said}")
        made.__cause__ = error
        return made

    async def close(self) -> None:
        """Stop calls under way and free the model. Idempotent."""
        self._stop()
        await asyncio.to_thread(self.release)

    def _stop(self) -> None:
        self._closed.set()
        with self._lock:
            waiting, self._waiting = self._waiting, []
        for job in waiting:
            if job.done.set_running_or_notify_cancel():
                job.done.set_exception(BackendError(f"{self.name}: the backend is closed"))
        self._pool.shutdown(wait=False, cancel_futures=True)

    def release(self) -> None:
        """Wait for the last batch, then free the model."""
        self._stop()
        self._pool.shutdown(wait=True)
        self._box = self._grammars = None
