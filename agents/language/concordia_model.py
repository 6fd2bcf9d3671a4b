"""Any model of ours as Concordia's ``LanguageModel``.

Concordia (Vezhnevets et al., 2023; PyPI ``gdm-concordia``) hands its models one growing text and
waits for the rest, from threads of its own. Here the text becomes a chat prompt, the call passes
the door where cache and budget stand, and a choice is looked up among those offered: what is none
of them is refused and asked for again, and never replaced.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Collection, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar
from zlib import crc32

from concordia.language_model import language_model

from gymposium.types import Call

from .answer_schema import AnswerSchema, answer_schema
from .backends.calls import ask_model
from .backends.pool import get_backend
from .backends.protocol import CHARACTERS_PER_TOKEN, ChatBackend, Completion
from .extract import extract
from .llm_agent import call_of, sample_seed
from .prompt import (
    again_message,
    answer_message,
    continuation_messages,
    question_message,
    shortened,
)

REASKS = 2
"""How often a choice is put again after an answer that is none of those offered."""
MAX_TOKENS = 160
"""Longest text, unless given; Concordia asks for thousands."""
_AROUND = 200  # tokens of context for what stands around Concordia's text

T = TypeVar("T")


class ConcordiaModel(language_model.LanguageModel):
    """A language model for Concordia's entities, game masters and simulations.

    Safe for Concordia's threads. Equal seeds and equal prompts draw equal samples, in whatever
    order the threads ask.

    Args:
        model: a model as after ``llm:`` (``smollm2``, ``MODEL@https://host/v1``, …), or a backend.
        seed: of all sampling.
        temperature: instead of the one that Concordia asks for, call by call.
        max_tokens: where texts are cut off, however long Concordia would have them.

    Raises:
        UnknownName, UsageError: no such model, or its file is not on this machine.
    """

    def __init__(
        self,
        model: str | ChatBackend,
        *,
        seed: int = 0,
        temperature: float | None = None,
        max_tokens: int = MAX_TOKENS,
    ) -> None:
        self._backend = get_backend(model) if isinstance(model, str) else model
        self._seed = seed
        self._temperature = temperature
        self._max_tokens = max_tokens
        self._lock = threading.Lock()
        self._met: dict[tuple[int, int], int] = {}
        self._calls: list[Call] = []
        self._place: tuple[asyncio.AbstractEventLoop, contextvars.Context] | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._form: tuple[str, AnswerSchema] | None = None
        self._time_limit: float | None = None
        self._left = False

    def sample_text(
        self,
        prompt: str,
        *,
        max_tokens: int = language_model.DEFAULT_MAX_TOKENS,
        terminators: Collection[str] = language_model.DEFAULT_TERMINATORS,
        temperature: float = language_model.DEFAULT_TEMPERATURE,
        timeout: float = language_model.DEFAULT_TIMEOUT_SECONDS,
        seed: int | None = None,
    ) -> str:
        """The text that follows ``prompt``, up to the first of ``terminators``.

        Raises:
            BudgetSpent, BackendError, TimeoutError: as :func:`.backends.calls.ask_model`.
        """
        form = self._form
        limit = min(max_tokens, self._max_tokens)
        if form is not None and form[0] in prompt[-len(form[0]) - _AROUND :]:
            answer, limit = form[1], form[1].max_tokens
        else:
            answer = AnswerSchema({}, limit)
        messages = continuation_messages(self._fitting(prompt, limit))
        done = self._wait(self._complete(messages, answer, temperature, seed, timeout))
        text = done.text if answer.schema else done.text.lstrip()
        ends = [text.find(mark) for mark in terminators if mark in text]
        return text[: min(ends)] if ends else text

    def sample_choice(
        self, prompt: str, responses: Sequence[str], *, seed: int | None = None
    ) -> tuple[int, str, Mapping[str, Any]]:
        """One of ``responses``: its index, itself, and how often it had to be asked for.

        Raises:
            InvalidResponseError: the model named none of them, however often it was asked.
            BudgetSpent, BackendError, TimeoutError: as :func:`.backends.calls.ask_model`.
        """
        listed = ", ".join(map(repr, responses))
        answer = answer_schema(
            {"enum": list(responses)}, think=False, max_text=None, under="answer"
        )
        text = self._fitting(prompt, answer.max_tokens + len(listed))
        messages = [question_message(f"{text}\n\nWhich of these comes next: {listed}?")]
        lowered = [response.strip().casefold() for response in responses]
        for attempt in range(1 + REASKS):
            done = self._wait(self._complete(messages, answer, 0.7, seed, None))
            said = extract(done.text).action_text.strip().casefold()
            if said in lowered:
                index = lowered.index(said)
                return index, responses[index], {"attempts": attempt + 1}
            why = f"{said[:80]!r} is none of {listed}"
            messages += [answer_message(done.text), again_message(why)]
        raise language_model.InvalidResponseError(f"{self._backend.name}: {why}")

    def calls(self) -> list[Call]:
        """The calls made since this was last asked."""
        with self._lock:
            made, self._calls = self._calls, []
        return made

    @contextmanager
    def called_from_here(
        self, call_to_action: str, form: AnswerSchema | None, time_limit: float | None
    ) -> Iterator[None]:
        """Inside, calls are made on the running event loop, for whoever opened this.

        Args:
            call_to_action: the question whose answer is the move.
            form: what the move must look like, where the backend can see to it.
            time_limit: seconds for one call, whatever Concordia says.
        """
        self._place = asyncio.get_running_loop(), contextvars.copy_context()
        self._form = None if form is None else (call_to_action, form)
        self._time_limit, self._left = time_limit, False
        try:
            yield
        finally:
            # Whoever left early waits for none of the calls, and its threads make no more.
            self._left = True
            for task in tuple(self._tasks):
                task.cancel()

    async def _complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        answer: AnswerSchema,
        temperature: float,
        seed: int | None,
        timeout: float | None,
    ) -> Completion:
        asked: dict[str, Any] = {
            "temperature": temperature if self._temperature is None else self._temperature,
            "top_p": 1.0,
            "max_tokens": answer.max_tokens,
            "seed": self._sample(messages, seed),
            "schema": answer.schema or None,
        }
        limit = timeout if self._place is None else self._time_limit
        done = (await ask_model(self._backend, messages, timeout=limit, **asked))[0]
        with self._lock:
            self._calls.append(call_of(self._backend.name, messages, done, asked))
        return done

    def _sample(self, messages: Sequence[Mapping[str, Any]], seed: int | None) -> int:
        """A seed that tells repetitions of one prompt apart, and nothing of what was between."""
        base = self._seed if seed is None else seed
        text = "\n".join(message["content"] for message in messages)
        key = base, crc32(text.encode("utf-8", "replace"))
        with self._lock:
            self._met[key] = again = self._met.get(key, -1) + 1
        return sample_seed(*key, again)

    def _fitting(self, text: str, reply: int) -> str:
        """The text, its middle left out if the model could not take it in."""
        context = self._backend.context_tokens
        if context is None:
            return text
        room = int((context - reply - _AROUND) * CHARACTERS_PER_TOKEN)
        return shortened(text, max(room, 400))

    def _wait(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run it on the event loop it belongs to; this thread waits."""
        if self._left:
            coroutine.close()
            raise CancelledError
        loop, context = self._place or (_own_loop(), contextvars.copy_context())
        answer: Future[T] = Future()

        def start() -> None:
            task = loop.create_task(coroutine, context=context)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            task.add_done_callback(lambda done: _hand_over(done, answer))

        loop.call_soon_threadsafe(start, context=context)
        return answer.result()


def _hand_over(task: asyncio.Task[T], answer: Future[T]) -> None:
    if task.cancelled():
        answer.set_exception(CancelledError())
    elif (error := task.exception()) is not None:
        answer.set_exception(error)
    else:
        answer.set_result(task.result())


@cache
def _own_loop() -> asyncio.AbstractEventLoop:
    """An event loop in a thread of its own, for simulations that are none of our matches."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="gymposium-concordia", daemon=True).start()
    return loop
