"""The child's half: ``python -m gymposium.agents.isolation.child`` runs one user's agent.

It answers requests on its standard input (``load``, then ``reset``, ``act``, ``end``) one by one.
Before any user code runs it moves the two pipes out of the way: printing goes to standard error and
``input()`` finds the end of the file, so neither can garble the conversation. It never outlives the
parent: a thread waits for the other end of the pipe to close and ends the whole process group, and
on Linux the kernel does it too, should user code hold the interpreter.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import IO, Any

from gymposium.errors import BackendError, IllegalAction, UsageError
from gymposium.types import Agent, Reply, Seat

from ..user_code import load_factory
from ..wire.records import outcome_from_json, reply_to_json, seat_from_json, turn_from_json
from ..wire.values import to_json, unpack
from .frames import HEADER, REPLY_LIMIT, UNSENDABLE, frame

_MESSAGE_LIMIT = 500


class Host:
    """Holds the user's agent and does what the parent asks of it."""

    def __init__(self) -> None:
        self._home = ""
        self._make: Callable[[], Agent] | None = None
        self._agent: Any = None
        self._seat: Seat | None = None
        self._loop: Any = None

    def answer(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Do one request; whatever user code raises becomes an ``error`` answer."""
        doing = {
            "act": self._act,
            "reset": self._reset,
            "end": self._end,
            "load": self._load,
        }[request["op"]]
        try:
            return doing(request)
        except BaseException as error:  # noqa: BLE001 - the agent boundary: told to the parent
            kind = "illegal" if isinstance(error, IllegalAction) else "error"
            kind = "backend" if isinstance(error, BackendError) else kind
            return {"error": self._explain(error), "kind": kind}

    def _load(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        for folder in request["path"]:
            if folder not in sys.path:
                sys.path.append(folder)
        target = request["target"]
        self._home = str(Path(target).parent) if target.endswith(".py") else ""
        self._make = load_factory(target, request["attr"], request["params"])
        return {"ok": None}

    def _reset(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        if self._make is None:
            raise UsageError("reset before load")
        self._forget()
        self._seat = seat_from_json(request["seat"])
        self._agent = self._make()
        self._finish(self._agent.reset(self._seat, request["seed"]))
        return {"ok": None}

    def _act(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        said = self._agent.act(turn_from_json(request["turn"], seat=self._seat))
        if hasattr(said, "__await__"):
            said = self._finish(said)
        try:
            if isinstance(said, Reply):
                return {"reply": reply_to_json(said)}
            return {"ok": to_json(said)}
        except Exception as error:  # noqa: BLE001 - the agent boundary: what it gave may raise too
            return {"error": self._explain(error), "kind": UNSENDABLE}

    def _end(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        end = getattr(self._agent, "end", None)
        if end is not None:
            self._finish(end(outcome_from_json(request["outcome"])))
        self._forget()
        return {"ok": None}

    def _finish(self, result: Any) -> Any:
        """Wait for an awaitable in the child's own event loop; hand anything else through."""
        if not hasattr(result, "__await__"):
            return result
        import asyncio

        if self._loop is None:
            self._loop = asyncio.new_event_loop()

        async def wait() -> Any:
            return await result

        return self._loop.run_until_complete(wait())

    def _forget(self) -> None:
        """Let go of the last match: its agent, and the event loop with what still runs in it."""
        self._agent = None
        if self._loop is not None:
            import asyncio

            for task in asyncio.all_tasks(self._loop):
                task.cancel()
            self._loop.run_until_complete(asyncio.sleep(0))
            self._loop.close()
            self._loop = None

    def _explain(self, error: BaseException) -> str:
        """``Type: message (file.py:12)``, the place being the last one in the user's own files."""
        try:
            text = str(error)
        except Exception:  # noqa: BLE001 - a user's __str__ may raise as well
            text = "(its message cannot be shown)"
        text = text.encode(errors="backslashreplace").decode()  # surrogates have no JSON form
        if isinstance(error, UsageError | BackendError):
            text = f"{text}"[:_MESSAGE_LIMIT]
        else:
            text = f"{type(error).__name__}: {text}"[:_MESSAGE_LIMIT]
        if isinstance(error, SyntaxError) and error.filename:
            return f"{text} ({Path(error.filename).name}:{error.lineno})".replace(
                f" ({Path(error.filename).name}, line {error.lineno})", "", 1
            )
        ours = str(Path(__file__).parents[1])
        frames = [
            item
            for item in traceback.extract_tb(error.__traceback__)
            if not item.filename.startswith(("<", ours))
        ]
        home = [item for item in frames if self._home and item.filename.startswith(self._home)]
        place = (home or frames)[-1:]
        return text + "".join(f" ({Path(p.filename).name}:{p.lineno})" for p in place)


def main() -> None:
    """Serve requests until the parent closes the pipe."""
    requests, replies = _claim_pipes()
    _die_with_parent(requests.fileno())
    _report_crashes()
    mine = os.getpid()
    host = Host()
    while True:
        header = requests.read(HEADER)
        if len(header) < HEADER:
            _leave()
        request = unpack(requests.read(int.from_bytes(header, "big")))
        answer = _framed(host.answer(request))
        if os.getpid() != mine:
            # User code forked and came back here twice: only the first of the two may speak.
            os._exit(0)
        _write(replies, answer)


def _framed(answer: Mapping[str, Any]) -> bytes:
    try:
        data = frame(answer)
    except UsageError as error:
        return frame({"error": str(error), "kind": UNSENDABLE})
    if len(data) > REPLY_LIMIT:
        size = len(data) / 2**20
        return frame(
            {"error": f"the answer is too large: {size:.0f} MiB, at most 8", "kind": UNSENDABLE}
        )
    return data


def _write(fd: int, data: bytes) -> None:
    try:
        sent = os.write(fd, data)
        while sent < len(data):
            sent += os.write(fd, data[sent:])
    except OSError:
        _leave()  # the parent has gone, or user code has closed the pipe


def _claim_pipes() -> tuple[IO[bytes], int]:
    reading, writing = os.dup(0), os.dup(1)
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(reading, os.O_BINARY)
        msvcrt.setmode(writing, os.O_BINARY)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(line_buffering=True, errors="backslashreplace")
    return open(reading, "rb", buffering=1 << 16), writing


def _report_crashes() -> None:
    import faulthandler

    faulthandler.enable()  # a segmentation fault then says in which of the user's lines
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to decide


def _die_with_parent(pipe: int) -> None:
    if sys.platform == "win32":
        return _watch(lambda: _await_parent_windows(os.getppid()))
    if sys.platform == "linux":
        _ask_kernel()
        # A forked grandchild loses the kernel's promise and must ask for itself.
        os.register_at_fork(after_in_child=_ask_kernel)
    return _watch(lambda: _await_hangup(pipe))


def _watch(wait: Callable[[], None]) -> None:
    def guard() -> None:
        wait()
        _leave()

    threading.Thread(target=guard, name="gymposium-watchdog", daemon=True).start()


def _await_hangup(pipe: int) -> None:
    import select

    poll = select.poll()
    poll.register(pipe, 0)  # no event but the hang-up, which is always reported
    poll.poll()


def _await_parent_windows(parent: int) -> None:
    import ctypes

    kernel = ctypes.windll.kernel32  # type: ignore[attr-defined]
    synchronize, infinite = 0x00100000, 0xFFFFFFFF
    handle = kernel.OpenProcess(synchronize, False, parent)
    if handle:
        kernel.WaitForSingleObject(handle, infinite)


def _ask_kernel() -> None:
    with contextlib.suppress(OSError, AttributeError, ImportError):
        import ctypes

        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)


def _leave(_signal: int = 0, _frame: FrameType | None = None) -> None:
    """End at once, with everything user code has started in this process group."""
    if sys.platform != "win32" and os.getpgrp() == os.getpid():
        with contextlib.suppress(OSError):
            os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(0)


if __name__ == "__main__":
    main()
