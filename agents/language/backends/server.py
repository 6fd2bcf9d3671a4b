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
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from gymposium.errors import BackendError

from .pool import close_all, get_backend
from .shared import LINGER_SECONDS
from .wire import Exchange

_FIRST_SECONDS = 30.0


class ModelServer:
    """Answers the calls of any number of connected processes.

    Args:
        linger: seconds to live on without a connection.
    """

    def __init__(self, linger: float = LINGER_SECONDS) -> None:
        self._linger = linger
        self._changed = asyncio.Event()
        self._exchange = Exchange(_answer, self._changed.set)

    async def serve(self, folder: Path) -> None:
        """Listen, say where in ``folder``, and return when nobody needs it any more."""
        server, port = await self._exchange.listen()
        address = folder / "server.json"
        announce(address, {"port": port, "token": self._exchange.token, "pid": os.getpid()})
        try:
            await self._until_lonely()
        finally:
            server.close()
            withdraw(address)

    async def _until_lonely(self) -> None:
        patience = max(self._linger, _FIRST_SECONDS)
        while True:
            self._changed.clear()
            wait = None if self._exchange.connected else patience
            try:
                async with asyncio.timeout(wait):
                    await self._changed.wait()
            except TimeoutError:
                return
            patience = self._linger


async def _answer(request: Mapping[str, Any]) -> list[dict[str, Any]]:
    backend = get_backend(request["model"], request["settings"])
    # A server may outlive the command that started it, and the file that it has loaded.
    if getattr(backend, "identity", backend.name) != request["identity"]:
        raise BackendError(f"{backend.name}: its file has just been replaced; run that again")
    made = await getattr(backend, _OPERATIONS[request["op"]])(**request["arguments"])
    return [each._asdict() for each in made]


_OPERATIONS = {"complete": "complete", "score": "score"}


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
