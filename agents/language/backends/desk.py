"""Where the model calls of a run's worker processes are made: in the process that drives the run.

Workers hold worlds, prompts and answers; that is what takes a processor. Their calls come here, so
that cache, budget, equal questions, rate limits and the number of calls under way are one run's and
not each worker's. A worker that dies takes its calls with it; when the driver dies, its workers
end.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, NamedTuple

from gymposium.errors import BackendError, UsageError
from gymposium.types import Usage

from .cache import Payer, ResponseCache
from .calls import Account, Scope, ask_model, calling
from .choosing import Choosing
from .pool import called, get_backend, leave_loop
from .protocol import ChatBackend, Completion
from .wire import Exchange, Line, messages_of, tuples


class DeskAddress(NamedTuple):
    """What a worker must know to ask."""

    port: int
    token: str


class Desk:
    """Answers on a loop in a thread of its own for the length of a ``with`` block.

    Args:
        account: the run's budget.
        cache: of answers, or None.
        run: the run's id.

    Attributes:
        address: what workers must know to ask.
    """

    address: DeskAddress

    def __init__(self, account: Account, cache: ResponseCache | None, run: str) -> None:
        self._account, self._cache, self._run = account, cache, run
        self._met: dict[str, list[set[bytes]]] = {}  # by each of its processes, the living first
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="gymposium-desk", daemon=True
        )
        self._exchange = Exchange(self._answer)

    def __enter__(self) -> Desk:
        """Begin."""
        self._thread.start()
        listening = asyncio.run_coroutine_threadsafe(self._exchange.listen(), self._loop)
        self._server, port = listening.result()
        self.address = DeskAddress(port, self._exchange.token)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _end(self) -> None:
        self._server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await leave_loop()

    def ended(self, match: str) -> None:
        """A match is stored: what it has met need not be remembered. From any thread."""
        self._met.pop(match, None)

    def lost(self, match: str) -> None:
        """The process of a match died: what it bought is its own again, and paid for already."""
        self._met[match] = [set(), *self._met.get(match, ())]

    async def _answer(self, request: Mapping[str, Any]) -> list[dict[str, Any]]:
        met, *before = self._met.setdefault(request["match"], [set()])
        scope = Scope(
            cache=self._cache,
            account=self._account,
            payer=Payer(self._run, request["match"]),
            agent=request["agent"],
            met=met,
            booked=before,
            shared=True,
        )
        with calling(scope):
            backend: ChatBackend = get_backend(request["model"], request["settings"])
            if request["choosing"]:
                backend = Choosing(backend, letters=True)
            made = await ask_model(
                backend, messages_of(request["messages"]), **request["arguments"]
            )
        return [each._asdict() for each in made]


class DeskLine:
    """A worker's way to the desk; belongs to one event loop."""

    def __init__(self, address: DeskAddress) -> None:
        self._line = Line(lambda: address)

    async def ask(
        self,
        scope: Scope,
        backend: ChatBackend,
        messages: Sequence[Mapping[str, Any]],
        arguments: Mapping[str, Any],
    ) -> list[Completion]:
        """As :func:`.calls.ask_model`, over there.

        Raises:
            UsageError: the backend is one that only this process knows.
        """
        choosing = isinstance(backend, Choosing)
        name = called(backend.inner if isinstance(backend, Choosing) else backend)
        if name is None:
            raise UsageError(
                f"the model {backend.name} is known in this process only, so that the run's "
                "budget cannot bound it: play with one worker"
            )
        model, settings = name
        request = {
            "model": model,
            "settings": dict(settings),
            "choosing": choosing,
            "agent": scope.agent,
            "match": scope.payer.match,
            "messages": messages,
            "arguments": arguments,
        }
        try:
            made = await self._line.ask(request)
        except ConnectionError:
            raise BackendError("the process that drives the run has gone") from None
        return [Completion(**tuples(each) | {"usage": Usage(*each["usage"])}) for each in made]

    def hang_up(self) -> None:
        """Close the connection."""
        self._line.hang_up()
