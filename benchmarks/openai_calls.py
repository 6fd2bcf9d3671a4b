"""Calls to an endpoint: how many stay under way, how long they take together, what each costs.

A scripted server in a process of its own answers after 50 ms. The peer is the ``openai`` SDK as it
comes (its typed method and its own HTTP pool), in the same run on the same server.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import statistics
import time
from typing import Any

DELAY = 0.05
CALLS = 200
ROUNDS = 7
MESSAGES = [
    {"role": "system", "content": "rules " * 100},
    {"role": "user", "content": "what you see now " * 15},
]
SCHEMA = {
    "type": "object",
    "properties": {"thought": {"type": "string"}, "action": {"enum": [0, 1]}},
    "required": ["thought", "action"],
    "additionalProperties": False,
}
ANSWER = json.dumps(
    {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": '{"thought":"so","action":1}'},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 150, "completion_tokens": 9, "total_tokens": 159},
    }
).encode()


def serve(ready: Any, most: Any) -> None:
    """Answer every request after DELAY; note the most requests that were open at once."""
    open_now = 0

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal open_now
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                size = head.partition(b"content-length: ")[2].partition(b"\r")[0]
                await reader.readexactly(int(size))
                open_now += 1
                most.value = max(most.value, open_now)
                await asyncio.sleep(DELAY)
                open_now -= 1
                writer.write(
                    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                    b"Content-Length: %d\r\n\r\n" % len(ANSWER) + ANSWER
                )
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def main() -> None:
        server = await asyncio.start_server(connected, "127.0.0.1", 0, backlog=1024)
        ready.put(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(main())


async def measure(call: Any, calls: int) -> tuple[float, float]:
    """(wall seconds of ``calls`` calls at once, CPU milliseconds a call), medians of ROUNDS."""
    walls, costs = [], []
    await asyncio.gather(*(call(n) for n in range(calls)))  # connections are there from now on
    for _ in range(ROUNDS):
        wall, cpu = time.perf_counter(), time.process_time()
        await asyncio.gather(*(call(n) for n in range(calls)))
        walls.append(time.perf_counter() - wall)
        costs.append((time.process_time() - cpu) / calls * 1e3)
    return statistics.median(walls), statistics.median(costs)


async def compare(url: str) -> None:
    """Print the figures."""
    import openai

    from gymposium.agents.language.backends.openai import OpenAIBackend

    ours = OpenAIBackend("m", url)
    theirs = openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
    form = {"name": "answer", "schema": SCHEMA, "strict": True}

    async def our_call(seed: int) -> None:
        await ours.complete(MESSAGES, schema=SCHEMA, seed=seed, max_tokens=64)

    async def their_call(seed: int) -> None:
        await theirs.chat.completions.create(
            model="m",
            messages=MESSAGES,  # type: ignore[arg-type]
            max_tokens=64,
            seed=seed,
            temperature=0.7,
            response_format={"type": "json_schema", "json_schema": form},  # type: ignore[arg-type]
        )

    for calls in (2, 50, CALLS):
        wall, cpu = await measure(our_call, calls)
        other_wall, other_cpu = await measure(their_call, calls)
        print(
            f"{calls:4d} calls at once: {wall / DELAY:.2f} times one answer's {DELAY * 1e3:.0f} ms "
            f"(the SDK by itself {other_wall / DELAY:.2f}), {cpu:.2f} ms of CPU a call "
            f"(the SDK by itself {other_cpu:.2f})"
        )
    await ours.close()
    await theirs.close()


def main() -> None:
    """Run it."""
    context = multiprocessing.get_context("spawn")
    ready, most = context.Queue(), context.Value("i", 0)
    server = context.Process(target=serve, args=(ready, most), daemon=True)
    server.start()
    try:
        asyncio.run(compare(f"http://127.0.0.1:{ready.get(timeout=30)}/v1"))
        print(f"most calls under way at once, as the server saw it: {most.value}")
    finally:
        server.terminate()


if __name__ == "__main__":
    main()
