"""Language models in runs over worker processes: the calls of all are one process's calls."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

import gymposium
from gymposium.agents.language.backends.cache import Payer, ResponseCache
from gymposium.agents.language.backends.calls import Cost, Scope
from gymposium.agents.language.backends.desk import Desk, DeskLine
from gymposium.agents.language.backends.pool import get_backend
from gymposium.agents.language.backends.scripted import ScriptedBackend
from gymposium.arenas.meter import Meter
from gymposium.errors import BackendError, BudgetSpent, UsageError
from gymposium.types import Usage

from ..agents.language.http_server import completion, error, send, serving
from .test_budgets import by_agent, plays, two_models
from .test_resume import timeless, transcripts

USAGE = ("llm_calls", "prompt_tokens", "completion_tokens")


def play(url: str, folder: Path, workers: int, **how: Any) -> gymposium.Run:
    fields = how.pop("fields", {})
    how = {"cache": folder.parent / f"{folder.name}.sqlite", **how}
    made = two_models(url, how.pop("repeats", 6), **fields)
    return gymposium.run(made, out=folder, workers=workers, **how)


@pytest.mark.parametrize("agent", ["llm:scripted/legal", "llm:scripted/slow-20ms"])
def test_any_number_of_workers_gives_the_records_of_one_process(tmp_path: Path, agent: str) -> None:
    made = two_models("http://localhost:1/v1", 4, agents=[agent, "llm:scripted/flaky", "random"])
    runs = {
        workers: gymposium.run(made, out=tmp_path / str(workers), workers=workers)
        for workers in (1, 2, 4)
    }
    for workers in (2, 4):
        assert timeless(runs[workers].rows) == timeless(runs[1].rows)
        assert transcripts(tmp_path / str(workers)) == transcripts(tmp_path / "1")
    assert sum(seat.llm_calls for row in runs[1].rows for seat in row.seats) > 100


def test_calls_of_all_workers_are_one_runs(tmp_path: Path) -> None:
    """Usage, the cache and the window of calls are those of one process."""
    under_way = [0, 0]

    async def slowly(server: Any, request: Any, writer: Any) -> None:
        under_way[0] += 1
        under_way[1] = max(under_way)
        await asyncio.sleep(0.02)
        under_way[0] -= 1
        await plays(server, request, writer)

    with serving(slowly) as server:
        alone = play(server.url, tmp_path / "alone", 1)
        asked = len(server.asked)
        spread = play(server.url, tmp_path / "spread", 2)
        assert len(server.asked) == 2 * asked  # single flight holds over processes
        assert by_agent(spread, *USAGE) == by_agent(alone, *USAGE)
        assert transcripts(tmp_path / "spread") == transcripts(tmp_path / "alone")
        again = play(server.url, tmp_path / "again", 2, cache=tmp_path / "spread.sqlite")
        assert len(server.asked) == 2 * asked
        assert not any(seat.llm_calls for row in again.rows for seat in row.seats)
        assert under_way[1] > 2
        under_way[1] = 0
        agents = [f"llm:{name}@{server.url}?slots=1" for name in ("one", "two")]
        play(server.url, tmp_path / "narrow", 2, fields={"agents": agents})
        assert under_way[1] <= 2  # one for each of the two models, however many workers


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_a_budget_of_calls_is_met_exactly_and_the_run_goes_on(tmp_path: Path, workers: int) -> None:
    with serving(plays) as server:
        whole = play(server.url, tmp_path / "whole", 1)
        bought = len(server.asked)
        limits = {"budget": {"calls": 37}}
        with pytest.raises(BudgetSpent, match="37 LLM calls is spent"):
            play(server.url, tmp_path / "run", workers, fields=limits)
        assert len(server.asked) == bought + 37
        more = {"budget": {"calls": 10_000}, "cache": tmp_path / "run.sqlite"}
        resumed = gymposium.resume(tmp_path / "run", workers=workers, **more)
        assert len(server.asked) == 2 * bought
    assert by_agent(resumed, *USAGE) == by_agent(whole, *USAGE)
    assert transcripts(tmp_path / "run") == transcripts(tmp_path / "whole")


def test_a_model_that_fails_stops_all_workers_with_its_sentence(tmp_path: Path) -> None:
    async def refuses(server: Any, request: Any, writer: Any) -> None:
        send(writer, error("no such key"), status=401)

    with (
        serving(refuses) as server,
        pytest.raises(BackendError, match=r"refuses the key.*no such key"),
    ):
        play(server.url, tmp_path / "run", 2)


def _play(url: str, folder: Path) -> None:
    play(url, folder, 2)


def test_usage_after_drivers_and_workers_were_killed_equals_an_unbroken_runs(
    tmp_path: Path,
) -> None:
    async def slowly(server: Any, request: Any, writer: Any) -> None:
        await asyncio.sleep(0.02)
        await plays(server, request, writer)

    with serving(slowly) as server:
        whole = play(server.url, tmp_path / "whole", 1)
        folder = tmp_path / "run"
        context = multiprocessing.get_context("spawn")
        driver = context.Process(target=_play, args=(server.url, folder))
        before = len(server.asked)
        driver.start()
        _wait_for(lambda: len(server.asked) > before + 15)
        assert driver.pid is not None
        os.kill(driver.pid, signal.SIGKILL)
        driver.join()

        def kill_one() -> None:
            _wait_for(lambda: len(server.asked) > killed + 10)
            os.kill(multiprocessing.active_children()[0].pid or 0, signal.SIGKILL)

        import threading

        killed = len(server.asked)
        killer = threading.Thread(target=kill_one)
        killer.start()
        resumed = gymposium.resume(folder, workers=2, cache=tmp_path / "run.sqlite")
        killer.join()
    assert by_agent(resumed, *USAGE) == by_agent(whole, *USAGE)
    assert transcripts(folder) == transcripts(tmp_path / "whole")


def _wait_for(what: Any) -> None:
    deadline = time.monotonic() + 60
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_what_a_lost_process_bought_is_not_bought_or_booked_again(tmp_path: Path) -> None:
    async def go(address: Any, url: str) -> list[Any]:
        backend = get_backend(f"m@{url}")
        scope = Scope(agent="me", payer=Payer("run", "a match"))
        messages = [{"role": "user", "content": "what?"}]
        line = DeskLine(address)
        made = await line.ask(scope, backend, messages, {"n": 1, "temperature": 0.0})
        line.hang_up()
        return made

    async def says(server: Any, request: Any, writer: Any) -> None:
        send(writer, completion("this", usage=(50, 2, 0)))

    meter = Meter()
    cache = ResponseCache(tmp_path / "cache.sqlite")
    with serving(says) as server, Desk(meter, cache, "run") as desk:
        bought = [asyncio.run(go(desk.address, server.url))]
        for _ in range(2):
            desk.lost("a match")
            bought.append(asyncio.run(go(desk.address, server.url)))
        met_again = asyncio.run(go(desk.address, server.url))
        assert len(server.asked) == 1
    cache.close()
    assert [made[0].cached for made in bought] == [False] * 3
    assert met_again[0].cached
    assert meter.total.calls == 1
    assert meter.total.tokens == 52


def test_a_desk_answers_with_what_the_model_says_pictures_and_errors_included() -> None:
    import numpy as np

    seen: list[Any] = []

    async def sees(server: Any, request: Any, writer: Any) -> None:
        seen.append(request.body["messages"][0]["content"])
        send(writer, completion("a cat", usage=(50, 2, 0)))

    async def go(address: Any, url: str) -> None:
        line = DeskLine(address)
        picture = np.arange(27, dtype=np.uint8).reshape(3, 3, 3)
        messages = [{"role": "user", "content": "what?", "images": (picture,)}]
        backend = get_backend(f"m@{url}")
        scope = Scope(agent="me")
        arguments = {"n": 1, "temperature": 0.0, "max_tokens": 5}
        made = await line.ask(scope, backend, messages, arguments)
        assert made[0].text == "a cat"
        assert made[0].usage == Usage(50, 2, 0)
        with pytest.raises(BudgetSpent, match="budget of 1 LLM calls is spent"):
            await line.ask(scope, backend, messages, arguments)
        with pytest.raises(UsageError, match="known in this process only"):
            await line.ask(scope, ScriptedBackend("legal"), messages, arguments)
        line.hang_up()

    meter = Meter({"calls": 1})
    with serving(sees) as server, Desk(meter, None, "run") as desk:
        asyncio.run(go(desk.address, server.url))
    assert meter.agents["me"].prompt_tokens == 50
    assert meter.total.calls == 1
    assert json.dumps(seen[0]).count("data:image/png;base64,") == 1


def test_a_call_given_up_by_a_worker_is_given_up_at_the_desk_and_covered_again() -> None:
    async def go(address: Any) -> None:
        line = DeskLine(address)
        slow = get_backend("scripted/slow-60000ms")
        call = asyncio.create_task(line.ask(Scope(agent="me"), slow, [], {"max_tokens": 5}))
        await asyncio.sleep(0.2)
        assert meter._under_way == 1
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        while meter._under_way:
            await asyncio.sleep(0.01)
        lost = asyncio.create_task(line.ask(Scope(agent="me"), slow, [], {"max_tokens": 5}))
        await asyncio.sleep(0.2)
        line.hang_up()  # as the system does for a process that was killed
        with pytest.raises(BackendError, match="has gone"):
            await lost
        while meter._under_way:
            await asyncio.sleep(0.01)

    meter = Meter()
    with Desk(meter, None, "run") as desk:
        asyncio.run(asyncio.wait_for(go(desk.address), 30))
    assert meter.total == Meter().total
    meter.book("me", Cost())
    assert meter.total.calls == 1
