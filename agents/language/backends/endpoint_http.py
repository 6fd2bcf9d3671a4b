"""The wire under the ``openai`` SDK: as many connections as there are calls, and bounded answers.

An HTTP pool goes through all its connections at each call, which at 200 of them costs more than the
call, and caps how many there are. Here every connection is a pool of one and idle ones lie on a
stack: nothing is searched, nothing is capped (how many calls run at once is the backend's affair).
An answer longer than MAX_BYTES is cut off on its way, before anything of it is decoded.
"""

from __future__ import annotations

import ssl
import urllib.request
from collections.abc import AsyncIterator
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from gymposium.errors import MissingExtra

from .retry import Trouble

MAX_BYTES = 4 << 20
"""Most bytes of one response; a chat answer is a thousand times shorter."""
CONNECT_SECONDS = 10.0
_KEEP_SECONDS = 30.0


def sdk() -> Any:
    """The ``openai`` package.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        return import_module("openai")
    except ModuleNotFoundError as error:
        raise MissingExtra(
            "a model behind an endpoint (llm:MODEL@URL)", extra="llm", module="openai"
        ) from error


def http() -> Any:
    """The HTTP library of the SDK: ``httpx`` in older versions, ``httpx2`` in newer ones."""
    bases = sdk().DefaultAsyncHttpxClient.__mro__
    client = next(base for base in bases if base.__name__ == "AsyncClient")
    return import_module(client.__module__.partition(".")[0])


def make_client(url: str, key: str | None) -> Any:
    """An SDK client for one endpoint, for the running event loop; it neither retries nor redirects.

    Args:
        url: the endpoint's base URL.
        key: sent as a bearer token; None sends none.
    """
    openai = sdk()
    # An answer must not be unpacked before its size is known, so none may come packed.
    headers = {"Accept-Encoding": "identity"}
    timeout = http().Timeout(None, connect=CONNECT_SECONDS)
    return openai.AsyncOpenAI(
        base_url=url,
        api_key=key or "none",
        max_retries=0,
        timeout=timeout,
        default_headers=headers,
        http_client=http().AsyncClient(
            transport=_lines(url, keyless=key is None), timeout=timeout, follow_redirects=False
        ),
    )


def _lines(url: str, *, keyless: bool) -> Any:
    """A transport (a class of the SDK's own HTTP library, hence made here)."""
    library = http()
    context = ssl.create_default_context() if url.startswith("https:") else False
    limits = library.Limits(
        max_connections=1, max_keepalive_connections=1, keepalive_expiry=_KEEP_SECONDS
    )
    proxy = _proxy(url)

    class Body(library.AsyncByteStream):  # type: ignore[misc, name-defined]
        """A response's body, counted; its line is free again when it is closed."""

        def __init__(self, stream: Any, line: Any) -> None:
            self._stream = stream
            self._line = line

        async def __aiter__(self) -> AsyncIterator[bytes]:
            taken = 0
            async for piece in self._stream:
                taken += len(piece)
                if taken > MAX_BYTES:
                    raise Trouble(
                        f"sent more than {MAX_BYTES >> 20} MiB, not an answer", again=False
                    )
                yield piece

        async def aclose(self) -> None:
            await self._stream.aclose()
            line, self._line = self._line, None
            if line is not None:
                idle.append(line)

    class Lines(library.AsyncBaseTransport):  # type: ignore[misc, name-defined]
        """Connections used last come first, so that those not needed any more grow old."""

        async def handle_async_request(self, request: Any) -> Any:
            if keyless:  # the SDK insists on one
                request.headers.pop("Authorization", None)
            line = (
                idle.pop()
                if idle
                else library.AsyncHTTPTransport(verify=context, limits=limits, proxy=proxy)
            )
            try:
                response = await line.handle_async_request(request)
            except BaseException:
                await line.aclose()
                raise
            packed = response.headers.get("content-encoding", "identity")
            if packed != "identity":
                await line.aclose()
                raise Trouble(f"sent a {packed[:20]!r} answer, though asked not to", again=False)
            response.stream = Body(response.stream, line)
            return response

        async def aclose(self) -> None:
            while idle:
                await idle.pop().aclose()

    idle: list[Any] = []
    return Lines()


def _proxy(url: str) -> str | None:
    """The proxy the environment names for this URL, as for every other program."""
    parts = urlsplit(url)
    if urllib.request.proxy_bypass(parts.netloc):
        return None
    known = urllib.request.getproxies()
    return known.get(parts.scheme) or known.get("all")
