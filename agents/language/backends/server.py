"""The machine's one model server: ``python -m gymposium.agents.language.backends.server FOLDER``.

Worker processes that each loaded the model would fill memory with copies and have their threads
fight for the same cores; so all of them call this one process, whose slots their calls fill
together. It listens on a port of this machine only and answers nobody who does not know the token,
which stands in a file that only its user can read. It lives as long as somebody is connected: a
client that is killed is disconnected by the system, its calls are given up, and when the last one
has been gone for some seconds the server goes too. The other side is :mod:`.shared`.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import os
import secrets
import signal
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from gymposium.errors import BackendError, UsageError

from .pool import close_all, get_backend

HEADER = 4
MOST_BYTES = 64 << 20
LINGER_SECONDS = 5.0
_HELLO_SECONDS = 5.0
_FIRST_SECONDS = 30.0


class ModelServer:
    """Answers the calls of any number of connected processes.

    Args:
        linger: seconds to live on without a connection.
    """

    def __init__(self, linger: float = LINGER_SECONDS) -> None:
        self.token = secrets.token_hex(32)
        self._linger = linger
        self._connected = 0
        self._changed = asyncio.Event()

    async def serve(self, folder: Path) -> None:
        """Listen, say where in ``folder``, and return when nobody needs it any more."""
        server = await asyncio.start_server(self._meet, "127.0.0.1", 0)
        address = folder / "server.json"
        port = server.sockets[0].getsockname()[1]
        announce(address, {"port": port, "token": self.token, "pid": os.getpid()})
        try:
            await self._until_lonely()
        finally:
            server.close()
            withdraw(address)

    async def _until_lonely(self) -> None:
        patience = max(self._linger, _FIRST_SECONDS)
        while True:
            self._changed.clear()
            wait = None if self._connected else patience
            try:
                async with asyncio.timeout(wait):
                    await self._changed.wait()
            except TimeoutError:
                return
            patience = self._linger

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
            self._connected += 1
            self._changed.set()
            write(writer, {"pid": os.getpid()})
            while (request := await read(reader)) is not None:
                number = int(request["id"])
                if request["op"] == "cancel":
                    if number in tasks:
                        tasks[number].cancel()
                    continue
                task = asyncio.create_task(self._call(request, writer))
                tasks[number] = task
                task.add_done_callback(partial(_forget, tasks, number))
        except (OSError, ValueError, KeyError, TypeError, TimeoutError):
            pass  # whoever talks nonsense is talked to no longer
        finally:
            for task in tasks.values():
                task.cancel()
            if known:
                self._connected -= 1
                self._changed.set()
            writer.close()

    async def _call(self, request: Mapping[str, Any], writer: asyncio.StreamWriter) -> None:
        answer: dict[str, Any] = {"id": request["id"]}
        try:
            backend = get_backend(request["model"], request["settings"])
            made = await getattr(backend, _OPERATIONS[request["op"]])(**request["arguments"])
            answer["ok"] = [each._asdict() for each in made]
        except TimeoutError:
            answer |= {"kind": "timeout", "error": ""}
        except UsageError as error:
            answer |= {"kind": "usage", "error": str(error)}
        except BackendError as error:
            answer |= {"kind": "backend", "error": str(error)}
        except Exception as error:  # noqa: BLE001 - the backend boundary: told to the client
            answer |= {"kind": "backend", "error": f"{type(error).__name__}: {error}"[:500]}
        if not writer.is_closing():
            write(writer, answer)


def _forget(tasks: dict[int, asyncio.Task[None]], number: int, _: asyncio.Task[None]) -> None:
    tasks.pop(number, None)


_OPERATIONS = {"complete": "complete", "score": "score"}


async def read(reader: asyncio.StreamReader) -> Any:
    """The next message, or None at the end of the connection.

    Raises:
        ValueError: it is too large or no JSON.
    """
    try:
        size = int.from_bytes(await reader.readexactly(HEADER), "big")
        if size > MOST_BYTES:
            raise ValueError(f"a message of {size} bytes")
        return orjson.loads(await reader.readexactly(size))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


def write(writer: asyncio.StreamWriter, message: Mapping[str, Any]) -> None:
    """Send a message: four bytes of length, then JSON."""
    data = orjson.dumps(message, default=_plain)
    writer.write(len(data).to_bytes(HEADER, "big") + data)


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else list(value)


def announce(address: Path, facts: Mapping[str, Any]) -> None:
    """Write the file by which the server is found, whole or not at all, for its user only."""
    new = address.with_name(f".{address.name}.{os.getpid()}")
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(orjson.dumps(facts))
    new.replace(address)


def withdraw(address: Path) -> None:
    """Delete the file, if it still speaks of this process."""
    with contextlib.suppress(OSError, ValueError, KeyError):
        if orjson.loads(address.read_bytes())["pid"] == os.getpid():
            address.unlink()


def main() -> None:
    """Serve until nobody is left."""
    # It ends with its clients: signals to the terminal's programs are theirs to answer.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    folder = Path(sys.argv[1])
    linger = float(sys.argv[2]) if len(sys.argv) > 2 else LINGER_SECONDS

    async def serve() -> None:
        await ModelServer(linger).serve(folder)

    try:
        asyncio.run(serve())
    finally:
        close_all()


if __name__ == "__main__":
    main()
