"""vLLM, started and stopped here: ``llm:vllm/PATH`` serves a folder of weights and plays with it.

vLLM pins its own torch and transformers, so it lives in an environment of its own; what is started
is its ``vllm`` program, from PATH or from the environment named by ``env``. One server runs for
each model and process, on a port of this machine, with a key that nobody else is told. It is talked
to as any endpoint (:mod:`.openai`), with its own batching, schemas and pictures. A keeper process
stands between it and us and ends it when we are gone, however we ended.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar
from urllib.error import URLError
from urllib.request import Request, urlopen

from gymposium.errors import BackendError, UsageError

from ..weights import weights_folder
from .endpoint_http import sdk
from .openai import OpenAIBackend
from .protocol import Completion, Scored

T = TypeVar("T")
START_SECONDS = 600.0
"""Patience until the server is healthy: large models take minutes to load."""
_POLL_SECONDS = 0.2
_TAIL_LINES = 12

# The keeper: starts the server in a session of its own and ends all of that when its own standard
# input closes, which the system does for us even if we are killed.
_KEEPER = """
import os, signal, subprocess, sys, threading
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, start_new_session=True)
def end(how):
    try:
        os.killpg(server.pid, how)
    except OSError:
        pass
def guard():
    sys.stdin.buffer.read()
    end(signal.SIGTERM)
    try:
        server.wait(10)
    except subprocess.TimeoutExpired:
        pass
    end(signal.SIGKILL)
for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(each, signal.SIG_IGN)
threading.Thread(target=guard, daemon=True).start()
code = server.wait()
end(signal.SIGKILL)
os._exit(code if 0 <= code < 256 else 1)
"""


class VLLMBackend:
    """A folder of weights served by vLLM on this machine.

    The server is started at the first call.

    Args:
        name: what calls are recorded under.
        source: the weights; see :func:`..weights.weights_folder`.
        env: a virtual environment with vLLM in it; None looks for ``vllm`` on PATH.
        context: most tokens of a prompt with its answer; None leaves it to vLLM.
        slots: calls under way at the same time.
        timeout: seconds for one call.
        start: seconds until the server must be healthy.
        args: further arguments of ``vllm serve``, as one text, split at spaces.
        identity: name and weights, for the cache; the name alone unless given.

    Raises:
        UsageError: there is no vLLM.
        MissingExtra: the openai SDK is not installed.
    """

    deterministic = False
    trainable = False
    local = True

    def __init__(
        self,
        name: str,
        source: str,
        *,
        env: str | None = None,
        context: int | None = None,
        slots: int = 256,
        timeout: float = 300.0,
        start: float = START_SECONDS,
        args: str = "",
        identity: str = "",
    ) -> None:
        if sys.platform == "win32":
            raise UsageError(f"{name}: vLLM does not run on Windows; name an endpoint instead")
        sdk()
        self.name = name
        self.identity = identity or name
        self.context_tokens = context
        self._program = str(vllm_program(env))
        self._source = source
        self._args = args.split()
        if context is not None:
            self._args += ["--max-model-len", str(context)]
        self._options = {"slots": slots, "timeout": timeout}
        self._patience = start
        self._starting = threading.Lock()
        self._keeper: subprocess.Popen[bytes] | None = None
        self._endpoint: OpenAIBackend | None = None
        self._log = Path()
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

        def ask(endpoint: OpenAIBackend) -> Awaitable[list[Completion]]:
            return endpoint.complete(
                messages,
                schema=schema,
                n=n,
                seed=seed,
                logprobs=logprobs,
                temperature=temperature,
                top_p=top_p,
                max_tokens=max_tokens,
                timeout=timeout,
            )

        return await self._with_endpoint(ask)

    async def score_letters(
        self,
        messages: Sequence[Mapping[str, Any]],
        choices: Sequence[str],
        *,
        timeout: float | None = None,
    ) -> list[Scored]:
        """See :meth:`.openai.OpenAIBackend.score_letters`."""
        return await self._with_endpoint(
            lambda endpoint: endpoint.score_letters(messages, choices, timeout=timeout)
        )

    async def _with_endpoint(self, ask: Callable[[OpenAIBackend], Awaitable[list[T]]]) -> list[T]:
        endpoint = self._endpoint
        if endpoint is None:
            endpoint = await asyncio.to_thread(self._started)
        try:
            return await ask(endpoint)
        except BackendError as error:
            keeper = self._keeper
            if keeper is not None and keeper.poll() is not None:
                self._endpoint = self._keeper = None  # the next call starts another
                raise self._died(keeper) from error
            raise

    def _started(self) -> OpenAIBackend:
        """The healthy server's endpoint, started if there is none."""
        with self._starting:
            if self._closed:
                raise BackendError(f"{self.name}: the backend is closed")
            if self._endpoint is None:
                port, key = _free_port(), secrets.token_hex(16)
                handle, log = tempfile.mkstemp(prefix="gymposium-vllm-", suffix=".log")
                self._log = Path(log)
                command = [self._program, "serve", str(weights_folder(self._source)), *self._args]
                command += ["--host", "127.0.0.1", "--port", str(port), "--served-model-name", "it"]
                try:
                    self._keeper = subprocess.Popen(
                        [sys.executable, "-c", _KEEPER, *command],
                        stdin=subprocess.PIPE,
                        stdout=handle,
                        stderr=handle,
                        # The key travels in the environment, where other users cannot read it.
                        env={**os.environ, "VLLM_API_KEY": key},
                        start_new_session=True,
                    )
                finally:
                    os.close(handle)
                atexit.register(self.release)
                self._wait_until_healthy(port, self._keeper)
                self._endpoint = _endpoint(self.name, port, key, self._options)
            return self._endpoint

    def _wait_until_healthy(self, port: int, keeper: subprocess.Popen[bytes]) -> None:
        request = Request(f"http://127.0.0.1:{port}/health")
        deadline = time.monotonic() + self._patience
        while time.monotonic() < deadline:
            if keeper.poll() is not None:
                self._keeper = None
                raise self._died(keeper)
            with contextlib.suppress(URLError, OSError), urlopen(request, timeout=5) as response:
                if response.status == 200:
                    return
            if self._closed:
                raise BackendError(f"{self.name}: the backend was closed while vLLM was starting")
            time.sleep(_POLL_SECONDS)
        self._end()
        raise BackendError(
            f"{self.name}: vLLM was not ready within {self._patience:g} s (?start= sets how long); "
            + self._tail()
        )

    def _died(self, keeper: subprocess.Popen[bytes]) -> BackendError:
        return BackendError(
            f"{self.name}: vLLM ended with exit code {keeper.returncode}; {self._tail()}"
        )

    def _tail(self) -> str:
        """The end of what the server said, for people."""
        try:
            said = self._log.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            said = []
        lines = [line.rstrip()[:300] for line in said if line.strip()][-_TAIL_LINES:]
        return f"the end of {self._log}:\n" + "\n".join(lines or ["(it said nothing)"])

    def _end(self) -> None:
        """End the server: closing the keeper's input is the sign, its own end the receipt."""
        keeper, self._keeper, self._endpoint = self._keeper, None, None
        if keeper is None or keeper.stdin is None:
            return
        with contextlib.suppress(OSError):
            keeper.stdin.close()
        try:
            keeper.wait(15)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(OSError):
                os.killpg(keeper.pid, signal.SIGKILL)

    async def leave_loop(self) -> None:
        """Close the connections of the running event loop; later calls open new ones."""
        if self._endpoint is not None:
            await self._endpoint.leave_loop()

    async def close(self) -> None:
        """Stop the server. Idempotent."""
        await self.leave_loop()
        await asyncio.to_thread(self.release)

    def release(self) -> None:
        """Stop the server, from outside an event loop."""
        self._closed = True
        atexit.unregister(self.release)
        self._end()
        if self._log != Path():
            self._log.unlink(missing_ok=True)


def vllm_program(env: str | None) -> Path:
    """The ``vllm`` to start.

    Args:
        env: a virtual environment, or None for PATH.

    Raises:
        UsageError: there is none.
    """
    if env is not None:
        program = Path(env).expanduser().absolute() / "bin" / "vllm"
        if not os.access(program, os.X_OK):
            raise UsageError(f"there is no vLLM in {env}: {program} is not there")
        return program
    found = shutil.which("vllm")
    if found is None:
        raise UsageError(
            "vllm is not on PATH; install vLLM into an environment of its own (it pins its own "
            "torch) and name it with ?env=FOLDER"
        )
    return Path(found)


def _endpoint(name: str, port: int, key: str, options: Mapping[str, Any]) -> OpenAIBackend:
    made = OpenAIBackend("it", f"http://127.0.0.1:{port}/v1", key=key, retries=1, **options)
    made.name = name
    return made


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
