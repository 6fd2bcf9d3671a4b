"""The client of the machine's model server: a backend that is somewhere else.

Runs and worker processes get it in place of a model of their own (:func:`.pool.get_backend`). The
first that needs the server starts it, under a lock, so that there is one however many begin at
once, from however many commands; a server that dies is replaced, and the calls it owed are made
again. A process that has loaded the model itself, to look into it or to train it, plays with that.
"""

from __future__ import annotations

import asyncio
import contextlib
import getpass
import hashlib
import multiprocessing
import os
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import orjson

from gymposium import __version__
from gymposium.errors import BackendError, UsageError
from gymposium.types import Usage

from ..models import models_folder
from .protocol import ChatBackend, Completion, Scored
from .wire import Line, tuples

LINGER_SECONDS = 5.0
START_SECONDS = 60.0
REPLACEMENTS = 3
"""How often a call is made again because the server died under it."""
_POLL_SECONDS = 0.05


def in_worker() -> bool:
    """Whether this process is one of several that were started to work for another.

    That is a worker of an executor, or the process of one seat's agent.
    """
    main = getattr(sys.modules.get("__main__"), "__spec__", None)
    one_seat = main is not None and main.name == "gymposium.agents.isolation.child"
    return one_seat or multiprocessing.parent_process() is not None


class SharedBackend:
    """A model in the machine's model server.

    Args:
        local: the backend as it would be in this process; never loaded, only described.
        model: as for :func:`.pool.get_backend`, paths absolute.
        settings: checked.
    """

    trainable = False
    local = True

    def __init__(
        self, local: ChatBackend, model: str, settings: Mapping[str, Any], *,
        linger: float = LINGER_SECONDS,
    ) -> None:  # fmt: skip
        self.name = local.name
        self.identity = str(getattr(local, "identity", local.name))
        self.deterministic = local.deterministic
        self.context_tokens = local.context_tokens
        self._called = {"model": model, "settings": dict(settings), "identity": self.identity}
        self._linger = linger
        if hasattr(local, "score"):
            self.score = self._score
        self._lines: WeakKeyDictionary[asyncio.AbstractEventLoop, Line] = WeakKeyDictionary()
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
        """Sample ``n`` answers; see :class:`.protocol.ChatBackend`."""
        if any("images" in message for message in messages):
            raise UsageError(f"{self.name} cannot see: it takes words only")
        arguments = {
            "messages": [dict(message) for message in messages],
            "schema": schema,
            "n": n,
            "seed": seed,
            "logprobs": logprobs,
            "temperature": temperature,
            "top_p": top_p,
            "max_tokens": max_tokens,
            "timeout": timeout,
        }
        made = await self._call("complete", arguments)
        return [Completion(**tuples(each) | {"usage": Usage(*each["usage"])}) for each in made]

    async def _score(
        self,
        messages: Sequence[Mapping[str, Any]],
        choices: Sequence[str],
        *,
        timeout: float | None = None,
    ) -> list[Scored]:
        plain = [dict(message) for message in messages]
        arguments = {"messages": plain, "choices": list(choices), "timeout": timeout}
        made = await self._call("score", arguments)
        return [Scored(**tuples(each) | {"usage": Usage(*each["usage"])}) for each in made]

    async def _call(self, operation: str, arguments: Mapping[str, Any]) -> list[dict[str, Any]]:
        request = {**self._called, "op": operation, "arguments": arguments}
        for _ in range(1 + REPLACEMENTS):
            if self._closed:
                raise BackendError(f"{self.name}: the backend is closed")
            line = self._lines.setdefault(asyncio.get_running_loop(), Line(self._find))
            try:
                made: list[dict[str, Any]] = await line.ask(request)
                return made
            except ConnectionError:
                continue  # the server has gone; the next attempt finds or starts another
        raise BackendError(
            f"{self.name}: the model server died {REPLACEMENTS + 1} times during one call; what it "
            f"said last is in {server_folder() / 'server.log'}"
        )

    def _find(self) -> tuple[int, str]:
        facts = find_or_start(self._linger)
        return facts["port"], facts["token"]

    async def leave_loop(self) -> None:
        """Close the connection of the running event loop; later calls open another."""
        line = self._lines.pop(asyncio.get_running_loop(), None)
        if line is not None:
            line.hang_up()

    async def close(self) -> None:
        """Refuse further calls and disconnect. Idempotent."""
        await self.leave_loop()
        self.release()

    def release(self) -> None:
        """As ``close``, from outside an event loop."""
        self._closed = True
        self._lines.clear()


def server_folder() -> Path:
    """Where the server of this user, installation and model folder is announced; made if missing.

    Raises:
        BackendError: it is not this user's alone.
    """
    place = f"{sys.executable}|{Path(__file__).resolve()}|{__version__}|{models_folder()}"
    digest = hashlib.blake2b(place.encode(), digest_size=6).hexdigest()
    folder = Path(tempfile.gettempdir(), f"gymposium-{getpass.getuser()}-{digest}")
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or (
        sys.platform != "win32" and (found.st_uid != os.getuid() or found.st_mode & 0o077)
    ):
        raise BackendError(
            f"{folder} is no folder of this user's alone; remove it, or set TMPDIR to another place"
        )
    return folder


def find_or_start(linger: float = LINGER_SECONDS) -> dict[str, Any]:
    """Port, token and process of the server; of a new one if there is none that lives.

    Raises:
        BackendError: it does not start.
    """
    import filelock

    folder = server_folder()
    with filelock.FileLock(folder / "server.lock"):
        facts = _announced(folder)
        if facts is not None and _answers(facts):
            return facts
        (folder / "server.json").unlink(missing_ok=True)
        with (folder / "server.log").open("wb") as log:
            started = subprocess.Popen(
                [sys.executable, "-m", f"{__package__}.server", str(folder), str(linger)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=sys.platform != "win32",
            )
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and started.poll() is None:
            facts = _announced(folder)
            if facts is not None:
                return facts
            time.sleep(_POLL_SECONDS)
    raise BackendError(f"the model server does not start; see {folder / 'server.log'}")


def _announced(folder: Path) -> dict[str, Any] | None:
    try:
        facts: dict[str, Any] = orjson.loads((folder / "server.json").read_bytes())
    except (OSError, ValueError):
        return None
    return facts


def _answers(facts: Mapping[str, Any]) -> bool:
    """Whether something listens there; that it knows the token is found out by talking to it."""
    import socket

    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", facts["port"]), 2):
        return True
    return False
