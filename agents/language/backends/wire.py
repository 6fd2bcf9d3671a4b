"""Model calls between processes of one machine: requests and answers over one connection.

Two sorts of processes are asked so: the machine's model server (:mod:`.server`), and the process
that drives a run, by its workers (:mod:`.desk`). Both listen on a port of this machine only and
answer nobody who does not know their token. A message is four bytes of length, then JSON; any
number of calls are under way on one connection, and one that is given up, or whose asker has gone,
is given up on the other side as well.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hmac
import itertools
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import orjson

from gymposium.errors import BackendError, BudgetSpent, UsageError

_HEADER = 4
_MOST_BYTES = 64 << 20
_HELLO_SECONDS = 5.0
_KINDS: Mapping[str, type[Exception]] = {
    "timeout": TimeoutError,
    "budget": BudgetSpent,
    "usage": UsageError,
    "backend": BackendError,
}

Answering: TypeAlias = Callable[[Mapping[str, Any]], Awaitable[Any]]
"""Makes the answer to a request, as plain data, or raises."""


class Exchange:
    """The side that is asked: any number of connections, each with any number of calls.

    Args:
        answer: to each request.
        changed: called when somebody has come or gone.
    """

    def __init__(self, answer: Answering, changed: Callable[[], None] = lambda: None) -> None:
        self.token = secrets.token_hex(32)
        self.connected = 0
        self._answer, self._changed = answer, changed

    async def listen(self) -> tuple[asyncio.Server, int]:
        """Begin; the server and its port."""
        server = await asyncio.start_server(self._meet, "127.0.0.1", 0)
        return server, server.sockets[0].getsockname()[1]

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection: the token, then calls until the other side has gone."""
        tasks: dict[int, asyncio.Task[None]] = {}
        known = False
        try:
            async with asyncio.timeout(_HELLO_SECONDS):
                said = await read(reader)
            known = isinstance(said, dict) and hmac.compare_digest(
                str(said.get("token", "")), self.token
            )
            if not known:
                return
            self.connected += 1
            self._changed()
            write(writer, {})
            while (request := await read(reader)) is not None:
                number = int(request["id"])
                if request.get("op") == "cancel":
                    if number in tasks:
                        tasks[number].cancel()
                    continue
                task = asyncio.create_task(self._call(number, request, writer))
                tasks[number] = task
                task.add_done_callback(partial(_forget, tasks, number))
        except (OSError, ValueError, KeyError, TypeError, TimeoutError):
            pass  # whoever talks nonsense is talked to no longer
        finally:
            for task in tasks.values():
                task.cancel()
            if known:
                self.connected -= 1
                self._changed()
            writer.close()

    async def _call(
        self, number: int, request: Mapping[str, Any], writer: asyncio.StreamWriter
    ) -> None:
        answer: dict[str, Any] = {"id": number}
        try:
            answer["ok"] = await self._answer(request)
        except tuple(_KINDS.values()) as error:
            kind = next(name for name, each in _KINDS.items() if isinstance(error, each))
            answer |= {"kind": kind, "error": str(error)}
        except Exception as error:  # noqa: BLE001 - the backend boundary: told to the client
            answer |= {"kind": "backend", "error": f"{type(error).__name__}: {error}"[:500]}
        if not writer.is_closing():
            write(writer, answer)


class Line:
    """The side that asks: one event loop's connection, opened at the first call.

    Args:
        find: port and token of who is to be asked; called in a thread, for it may take a while.
    """

    def __init__(self, find: Callable[[], tuple[int, str]]) -> None:
        self._find = find
        self._writer: asyncio.StreamWriter | None = None
        self._reading: asyncio.Task[None] | None = None
        self._opening = asyncio.Lock()
        self._numbers = itertools.count()
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}

    async def ask(self, request: Mapping[str, Any]) -> Any:
        """Send a request and wait for its answer; cancelled, it is cancelled there too.

        Raises:
            ConnectionError: nobody is there any more.
            TimeoutError, BudgetSpent, UsageError, BackendError: as on the other side.
        """
        async with self._opening:
            if self._writer is None:
                await self._open()
        writer = self._writer
        if writer is None:  # lost again before it was our turn
            raise ConnectionError
        number = next(self._numbers)
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        try:
            write(writer, {**request, "id": number})
            answered = await answer
        except asyncio.CancelledError:
            if not writer.is_closing():
                write(writer, {"id": number, "op": "cancel"})
            raise
        finally:
            self._waiting.pop(number, None)
        if "kind" in answered:
            raise _KINDS[answered["kind"]](answered["error"])
        return answered["ok"]

    async def _open(self) -> None:
        port, token = await asyncio.to_thread(self._find)
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            write(writer, {"token": token})
            if await read(reader) is None:
                writer.close()
                raise ConnectionError
        except OSError as error:
            raise ConnectionError from error
        self._writer = writer
        self._reading = asyncio.create_task(self._read(reader))

    async def _read(self, reader: asyncio.StreamReader) -> None:
        with contextlib.suppress(ValueError):
            while (answer := await read(reader)) is not None:
                waiting = self._waiting.get(answer["id"])
                if waiting is not None and not waiting.done():
                    waiting.set_result(answer)
        self.hang_up()

    def hang_up(self) -> None:
        """Close the connection; calls under way end with ConnectionError."""
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()
        if self._reading is not None and self._reading is not asyncio.current_task():
            self._reading.cancel()
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(ConnectionError())


def _forget(tasks: dict[int, asyncio.Task[None]], number: int, _: asyncio.Task[None]) -> None:
    tasks.pop(number, None)


async def read(reader: asyncio.StreamReader) -> Any:
    """The next message, or None at the end of the connection.

    Raises:
        ValueError: it is too large or no JSON.
    """
    try:
        size = int.from_bytes(await reader.readexactly(_HEADER), "big")
        if size > _MOST_BYTES:
            raise ValueError(f"a message of {size} bytes")
        return orjson.loads(await reader.readexactly(size))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


def write(writer: asyncio.StreamWriter, message: Mapping[str, Any]) -> None:
    """Send a message."""
    data = orjson.dumps(message, default=_plain)
    writer.write(len(data).to_bytes(_HEADER, "big") + data)


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return {"shape": value.shape, "bytes": base64.b64encode(value.tobytes()).decode()}
    return dict(value) if isinstance(value, Mapping) else list(value)


def messages_of(plain: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Chat messages that have travelled, with their pictures (uint8) as arrays again."""
    return [
        {**each, "images": tuple(map(_picture, each["images"]))} if "images" in each else {**each}
        for each in plain
    ]


def _picture(plain: Mapping[str, Any]) -> np.ndarray[Any, Any]:
    return np.frombuffer(base64.b64decode(plain["bytes"]), np.uint8).reshape(plain["shape"])


def tuples(plain: Mapping[str, Any]) -> dict[str, Any]:
    """A record that has travelled, with its sequences as tuples again."""
    return {key: tuple(value) if isinstance(value, list) else value for key, value in plain.items()}
