"""A real HTTP server for tests: every connection is a socket, every answer is bytes.

A behaviour is ``async def (server, request, writer)``; it writes what it likes, slowly or brokenly.
"""

import asyncio
import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field

CHAT = "/v1/chat/completions"


@dataclass
class Request:
    verb: str
    path: str
    headers: dict
    body: object


@dataclass
class Server:
    behaviour: object
    port: int = 0
    requests: list = field(default_factory=list)
    connections: int = 0
    in_flight: int = 0
    most_in_flight: int = 0
    log: list = field(default_factory=list)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def asked(self):
        """The bodies of all chat requests."""
        return [request.body for request in self.requests if request.path == CHAT]

    async def connected(self, reader, writer):
        self.connections += 1
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                verb, path, _ = head[0].split(" ")
                headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
                size = int(headers.get("content-length", 0))
                body = json.loads(await reader.readexactly(size)) if size else None
                request = Request(verb, path, headers, body)
                self.requests.append(request)
                self.in_flight += 1
                self.most_in_flight = max(self.most_in_flight, self.in_flight)
                self.log.append(self.in_flight)
                try:
                    await self.behaviour(self, request, writer)
                finally:
                    self.in_flight -= 1
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()


@contextmanager
def serving(behaviour):
    """A server in a thread of its own; closed, with its connections, at the end."""
    server = Server(behaviour)
    loop = asyncio.new_event_loop()
    ready = threading.Event()

    async def main():
        listening = await asyncio.start_server(server.connected, "127.0.0.1", 0, backlog=1024)
        server.port = listening.sockets[0].getsockname()[1]
        ready.set()
        await stop.wait()
        listening.close()

    stop = asyncio.Event()

    def work():
        asyncio.set_event_loop(loop)
        loop.run_until_complete(main())
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)


def send(writer, body, *, status="200 OK", kind="application/json", headers=()):
    """One whole response."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {len(data)}"]
    writer.write("\r\n".join([*lines, *headers, "", ""]).encode() + data)


def completion(*texts, usage=(10, 3, 4), reason="stop", **message):
    """The body of a chat completion."""
    choices = [
        {
            "index": place,
            "message": {"role": "assistant", "content": text, **message},
            "finish_reason": reason,
        }
        for place, text in enumerate(texts)
    ]
    prompt, made, cached = usage
    counted = {
        "prompt_tokens": prompt,
        "completion_tokens": made,
        "total_tokens": prompt + made,
        "prompt_tokens_details": {"cached_tokens": cached},
    }
    return {"id": "x", "object": "chat.completion", "choices": choices, "usage": counted}


def error(message, code=None):
    return {"error": {"message": message, "type": "invalid_request_error", "code": code}}


def saying(text, *, after=0.0):
    """A behaviour: always the same answer."""

    async def behave(server, request, writer):
        if after:
            await asyncio.sleep(after)
        send(writer, completion(text))

    return behave


def first(*behaviours):
    """A behaviour: the first request meets the first behaviour, and so on; the last stays."""
    waiting = list(behaviours)

    async def behave(server, request, writer):
        now = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        await now(server, request, writer)

    return behave
