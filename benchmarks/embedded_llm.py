"""What the arena costs a language model: tokens per second through matches and without them.

Run: ``python benchmarks/embedded_llm.py [PAIRS]`` (the model must have been pulled). Eight matches
at a time, each with one seat played by SmolLM2, go through the whole arena: prompts, schemas,
parsing, store. The bare leg asks the same server the same prompts with the same settings, from
eight threads that do nothing else. Each leg begins with a freshly loaded model, so that neither
finds its prompts in the other's cache; the legs alternate, and the median of the ratios counts.
Both legs decode the same prompts but sample their own words, hence tokens per second.
"""

from __future__ import annotations

import asyncio
import logging
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import gymposium
from gymposium.agents.language.backends.embedded import EmbeddedBackend
from gymposium.agents.language.backends.pool import close_all, get_backend
from gymposium.scenarios.model import Scenario

MATCHES, ROUNDS, GOAL = 8, 5, 0.90
SPEC = "llm:smollm2?think=1"
SCENARIO: Mapping[str, Any] = {
    "name": "bench",
    "worlds": [
        {
            "id": "iterated_matrix-v0",
            "params": {"game": "prisoners-dilemma", "rounds": ROUNDS},
            "agents": ["scripted:tit_for_tat"],
        }
    ],
    "agents": [SPEC],
    "schedule": {"kind": "round_robin", "repeats": MATCHES // 2, "self_play": False},
}

Calls = dict[int, list[dict[str, Any]]]


def fresh_backend() -> EmbeddedBackend:
    """A newly loaded model with nothing in its caches."""
    close_all()
    backend = get_backend("smollm2")
    if not isinstance(backend, EmbeddedBackend):
        raise SystemExit("smollm2 should run embedded")
    asyncio.run(backend.complete([{"role": "user", "content": "Hello."}], max_tokens=1))
    return backend


def through_the_arena() -> tuple[float, Calls]:
    """Tokens per second of a whole run, and the requests it made, by match."""
    backend = fresh_backend()
    asked: Calls = defaultdict(list)
    tokens = 0
    complete = backend.complete

    async def noting(messages: Any, **parameters: Any) -> Any:
        nonlocal tokens
        asked[id(asyncio.current_task())].append({"messages": messages, **parameters})
        done = await complete(messages, **parameters)
        tokens += done[0].usage.completion_tokens
        return done

    backend.complete = noting  # type: ignore[method-assign]
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        gymposium.run(
            Scenario.model_validate(SCENARIO), out=Path(folder) / "run", concurrency=MATCHES
        )
        seconds = time.perf_counter() - began
    return tokens / seconds, asked


def bare(asked: Calls) -> float:
    """Tokens per second of the server alone on the same requests."""
    backend = fresh_backend()
    server = backend._load()

    def one_after_another(calls: list[dict[str, Any]]) -> int:
        tokens = 0
        for call in calls:
            request = {
                "messages": call["messages"],
                "grammar": backend._grammar(call["schema"]),
                "cache_prompt": True,
                "top_k": 0,
                "min_p": 0.0,
                **{name: call[name] for name in ("seed", "temperature", "top_p", "max_tokens")},
            }
            tokens += server.handle_chat_completions(request)["usage"]["completion_tokens"]
        return tokens

    with ThreadPoolExecutor(MATCHES) as pool:
        began = time.perf_counter()
        tokens = sum(pool.map(one_after_another, asked.values()))
        return tokens / (time.perf_counter() - began)


def main() -> None:
    """Print tokens per second of each pair, and the median ratio."""
    logging.disable(logging.INFO)
    ratios = []
    for pair in range(int(sys.argv[1]) if len(sys.argv) > 1 else 5):
        arena, asked = through_the_arena()
        alone = bare(asked)
        ratios.append(arena / alone)
        calls = sum(map(len, asked.values()))
        print(
            f"pair {pair + 1}: {arena:.0f} tokens/s in {len(asked)} matches ({calls} calls), "
            f"{alone:.0f} bare, ratio {ratios[-1]:.2f}",
            flush=True,
        )
    close_all()
    print(f"embedded model, arena / bare, median ratio: {statistics.median(ratios):.2f}", end=" ")
    print(f"(goal: {GOAL:.2f})")


if __name__ == "__main__":
    main()
