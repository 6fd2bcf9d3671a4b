"""The parent's half of one child process: start it, ask it, notice its death, kill it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from gymposium.errors import AgentFault, BackendError, UsageError

from ...envs.start_folder import here
from ..wire.values import to_json, unpack
from .frames import HEADER, REPLY_LIMIT, UNSENDABLE, frame

_TAIL_BYTES = 4096
_LAST_WORDS_SECONDS = 0.02
_CLOSED_SECONDS = 0.3
"""How long a child that closed its pipes has to end, so that its exit code can be told."""
_CRASH_MARKS = ("Fatal Python error", "Error:", "Exception:")


@dataclass(frozen=True, slots=True)
class ChildSpec:
    """What a child process runs.

    Attributes:
        target: absolute path of a file, or a module's name.
        attr: the class or function in it.
        params: its arguments, plain data.
        label: how the user calls it, for messages.
    """

    target: str
    attr: str
    params: Mapping[str, Any]
    label: str

    @property
    def key(self) -> bytes:
        """Equal for specs that one child can serve alike."""
        return orjson.dumps([self.target, self.attr, to_json(dict(self.params))])


class Unsendable(AgentFault):
    """The agent answered, and its answer has no form in which it could leave the process."""

    def __init__(self, message: str) -> None:
        super().__init__("error", message)


class ChildProcess(asyncio.SubprocessProtocol):
    """One child; ``request`` has at most one answer outstanding.

    A bare protocol instead of ``asyncio.subprocess`` streams: it halves the cost of a turn.
    """

    def __init__(self, label: str) -> None:
        self.label = label
        self.alive = False
        self.exited: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._transport: asyncio.SubprocessTransport | None = None
        self._stdin: Any = None
        self._buffer = bytearray()
        self._tail = bytearray()
        self._waiting: asyncio.Future[Any] | None = None
        self._why = ""
        self._loop = asyncio.get_running_loop()

    @classmethod
    async def start(cls, spec: ChildSpec) -> ChildProcess:
        """Start a child and have it import the user's code.

        Raises:
            AgentFault: the code cannot be imported (``error``), or kills the process (``crash``).
        """
        loop = asyncio.get_running_loop()
        # Sets of strings iterate in an order that depends on this: the same in every child.
        environment = {"PYTHONHASHSEED": "0", **os.environ, "PYTHONUNBUFFERED": "1"}
        apart: dict[str, Any] = (
            {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}  # type: ignore[attr-defined]
            if sys.platform == "win32"
            else {"start_new_session": True}
        )
        _, child = await loop.subprocess_exec(
            lambda: cls(spec.label),
            sys.executable,
            "-P",
            "-m",
            "gymposium.agents.isolation.child",
            env=environment,
            cwd=str(here()),
            **apart,
        )
        try:
            await child.request(
                {
                    "op": "load",
                    "path": [folder for folder in sys.path if folder],
                    "target": spec.target,
                    "attr": spec.attr,
                    "params": dict(spec.params),
                }
            )
        except BaseException:
            child.kill()
            raise
        return child

    @property
    def idle(self) -> bool:
        """It lives and owes no answer."""
        return self.alive and self._waiting is None

    async def request(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        """Send ``message`` and wait for the answer; being cancelled kills the child.

        Raises:
            Unsendable: what it answered cannot be sent.
            AgentFault: the user's code raised (``error``), or the process has gone (``crash``).
            BackendError: its language model cannot answer.
            UsageError: the message cannot be sent.
        """
        data = frame(message)
        if not self.alive:
            raise AgentFault("crash", self._obituary())
        if self._waiting is not None:
            raise UsageError(f"{self.label} was asked while it was still answering")
        answer = self._waiting = self._loop.create_future()
        self._stdin.write(data)
        try:
            found: Mapping[str, Any] = await answer
        except asyncio.CancelledError:
            # Its answer to this may still come, and would be taken for the answer to the next.
            self._why = "it was stopped while it was thinking"
            self.kill()
            raise
        finally:
            self._waiting = None
        if "error" in found:
            if found.get("kind") == "backend":
                raise BackendError(str(found["error"]))
            if found.get("kind") == UNSENDABLE:
                raise Unsendable(str(found["error"]))
            kind = "illegal" if found.get("kind") == "illegal" else "error"
            raise AgentFault(kind, str(found["error"]))
        return found

    def kill(self) -> None:
        """End the process and all it has started, now. Harmless when it has gone already."""
        self.alive = False
        transport = self._transport
        if transport is None:
            return
        if transport.get_returncode() is None:
            with contextlib.suppress(OSError):
                if sys.platform == "win32":
                    transport.kill()
                else:
                    os.killpg(transport.get_pid(), signal.SIGKILL)
        # Not transport.close(): it polls the process, and would snatch its exit code from asyncio.
        for fd in (0, 1, 2):
            pipe = transport.get_pipe_transport(fd)
            if pipe is not None:
                pipe.close()
        self._fail(AgentFault("crash", self._obituary()))

    # What asyncio calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The process has started."""
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport
        self._stdin = transport.get_pipe_transport(0)
        self.alive = True

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """An answer, or part of one, or something printed."""
        if fd == 2:
            self._tail += data[-_TAIL_BYTES:]
            del self._tail[:-_TAIL_BYTES]
            return
        buffer = self._buffer
        buffer += data
        if len(buffer) < HEADER:
            return
        size = int.from_bytes(buffer[:HEADER], "big")
        if size > REPLY_LIMIT:
            self._refuse("its answer is larger than 8 MiB, or garbled by what it printed")
        elif len(buffer) == HEADER + size:
            payload = bytes(memoryview(buffer)[HEADER:])
            self._buffer = bytearray()
            self._deliver(payload)
        elif len(buffer) > HEADER + size:
            self._refuse("it answered twice")

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """It closed a pipe: without both there is no talking to it."""
        if fd != 2 and self.alive:
            self._loop.call_later(_CLOSED_SECONDS, self._refuse, "it closed its pipes")

    def process_exited(self) -> None:
        """It has ended; its last words may still be in the pipes."""
        self._loop.call_later(_LAST_WORDS_SECONDS, self._bury)

    def _bury(self) -> None:
        self.alive = False
        self._fail(AgentFault("crash", self._obituary()))
        if self._transport is not None:
            self._transport.close()
        if not self.exited.done():
            self.exited.set_result(None)

    def _deliver(self, payload: bytes) -> None:
        waiting = self._waiting
        if waiting is None or waiting.done():
            self._refuse("it spoke without being asked")
            return
        try:
            message = unpack(payload)
        except UsageError:
            message = None
        if isinstance(message, dict):
            waiting.set_result(message)
        else:
            self._refuse("its answer is garbled")

    def _refuse(self, why: str) -> None:
        if self.alive:
            self._why = why
            self.kill()

    def _fail(self, fault: AgentFault) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(fault)

    def _obituary(self) -> str:
        """One sentence on how it ended."""
        code = None if self._transport is None else self._transport.get_returncode()
        if self._why:
            how = f"was killed: {self._why}"
        elif code is None:
            how = "has been stopped"
        elif code < 0:
            with contextlib.suppress(ValueError):
                code = signal.Signals(-code).name  # type: ignore[assignment]
            how = f"was ended by {code}"
        else:
            how = f"ended itself with exit code {code}"
        said = self._tail.decode("utf-8", "replace").strip().splitlines()
        marks = [line for line in said if any(mark in line for mark in _CRASH_MARKS)]
        words = (marks or said)[-1:]
        return f"the process of {self.label} {how}" + "".join(
            f" ({w.strip()[:200]})" for w in words
        )
