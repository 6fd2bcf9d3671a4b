"""What language models take: paid once, counted the same however often a run is killed, limited."""

import asyncio
import json
import multiprocessing
import os
import signal
import time

import pytest

import gymposium
from gymposium.agents.language.backends.calls import Cost
from gymposium.agents.language.backends.scripted import Dice, sample
from gymposium.arenas.meter import Meter, Spent
from gymposium.arenas.store import RunFolder
from gymposium.errors import BackendError, BudgetSpent, UsageError
from gymposium.scenarios.model import Scenario
from gymposium.types import Usage

from ..agents.language.http_server import completion, error, send, serving
from .test_resume import timeless, transcripts

TURNS = 10


async def plays(server, request, writer):
    """A model that plays legally; what it says is a function of the seed it is sent."""
    schema = request.body["response_format"]["json_schema"]["schema"]
    text = json.dumps(sample(schema, Dice(request.body["seed"])))
    await asyncio.sleep(0.001)
    send(writer, completion(text, usage=(100, 10, 0)))


def two_models(url, repeats=1, **fields):
    plain = {
        "name": "talk",
        "world": "iterated_matrix-v0",
        "params": {"game": "prisoners-dilemma", "rounds": TURNS},
        "agents": [f"llm:one@{url}", f"llm:two@{url}"],
        "schedule": {"kind": "pairs", "repeats": repeats, "self_play": False},
        "seed": 5,
    }
    return Scenario.model_validate({**plain, **fields})


@pytest.fixture
def priced(tmp_path, monkeypatch):
    """Prices for the test server's models: a dollar a million prompt tokens, ten for answers."""
    file = tmp_path / "prices.yaml"
    file.write_text('hosts: {"127.0.0.1": {"*": {input: 1, output: 10}}}', encoding="utf-8")
    monkeypatch.setenv("GYMPOSIUM_PRICES", str(file))


def by_agent(run, *names):
    """Per agent the sums of these columns."""
    table = run.matches().groupby("agent")
    return {agent: tuple(part[name].sum() for name in names) for agent, part in table}


def moves(run):
    return [
        {seat: reply["action"] for seat, reply in line["replies"].items()}
        for row in run.rows
        for line in run.transcript(row.key)
        if line["kind"] == "step"
    ]


@pytest.mark.parametrize("concurrency", [1, 8])
def test_the_same_tournament_twice_is_paid_once(tmp_path, concurrency):
    repeats = 1 if concurrency == 1 else 8
    cache = tmp_path / "answers.sqlite"
    with serving(plays) as server:
        scenario = two_models(server.url, repeats)
        first = gymposium.run(scenario, out=tmp_path / "a", cache=cache, concurrency=concurrency)
        asked = len(server.asked)
        again = gymposium.run(
            scenario, out=tmp_path / "b", cache=cache, concurrency=concurrency, budget={"calls": 0}
        )
        assert len(server.asked) == asked > 0
    assert moves(first) == moves(again)
    assert transcripts(first.path) == transcripts(again.path)
    assert len(moves(first)) == TURNS * len(first.rows)
    paid = sum(seat.llm_calls for row in first.rows for seat in row.seats)
    found = [seat for row in again.rows for seat in row.seats]
    assert sum(seat.cached_calls for seat in found) == paid == asked
    assert {(seat.llm_calls, seat.prompt_tokens, seat.money) for seat in found} == {(0, 0, 0.0)}
    assert sum(seat.cached_tokens for seat in found) == 110 * asked


def test_without_the_cache_everything_is_asked_again(tmp_path):
    with serving(plays) as server:
        for name in ("a", "b"):
            gymposium.run(two_models(server.url), out=tmp_path / name, cache=False)
        assert len(server.asked) == 2 * 2 * 2 * TURNS


def test_repeats_are_new_samples_and_equal_turns_are_not_mixed_up(tmp_path):
    with serving(plays) as server:
        run = gymposium.run(two_models(server.url, 4), out=tmp_path / "a", cache=tmp_path / "c")
        samples = [(body["model"], body["seed"]) for body in server.asked]
    assert len(set(samples)) == len(samples) == 2 * TURNS * len(run.rows)


def test_a_run_stopped_and_resumed_reports_what_an_unbroken_one_does(tmp_path, priced):
    with serving(plays) as server:
        whole = gymposium.run(two_models(server.url, 4), out=tmp_path / "a", cache=tmp_path / "1")
        asked = len(server.asked)
        limit = 30
        with pytest.raises(BudgetSpent, match="30 LLM calls is spent"):
            gymposium.run(
                two_models(server.url, 4),
                out=tmp_path / "b",
                cache=tmp_path / "2",
                budget={"calls": limit},
            )
        # Stopped in the middle of several matches; exactly what was allowed has been asked.
        assert len(server.asked) == asked + limit
        with pytest.raises(BudgetSpent):
            gymposium.resume(tmp_path / "b", cache=tmp_path / "2")
        assert len(server.asked) == asked + limit
        resumed = gymposium.resume(
            tmp_path / "b", cache=tmp_path / "2", budget={"calls": 10_000}, concurrency=3
        )
        assert len(server.asked) == 2 * asked
    columns = ("llm_calls", "prompt_tokens", "completion_tokens", "cached_calls", "cached_tokens")
    assert by_agent(resumed, *columns) == by_agent(whole, *columns)
    assert timeless(resumed.rows) == timeless(whole.rows)
    assert transcripts(resumed.path) == transcripts(whole.path)


def _play(url, folder):
    gymposium.run(two_models(url, 3), out=folder / "run", cache=folder / "answers", concurrency=4)


def test_usage_after_a_kill_and_resume_equals_an_unbroken_runs(tmp_path):
    async def slowly(server, request, writer):
        await asyncio.sleep(0.005)
        await plays(server, request, writer)

    with serving(slowly) as server:
        whole = gymposium.run(two_models(server.url, 3), out=tmp_path / "a", cache=tmp_path / "1")
        asked = len(server.asked)
        process = multiprocessing.get_context("spawn").Process(
            target=_play, args=(server.url, tmp_path)
        )
        process.start()
        deadline = time.monotonic() + 60
        while len(server.asked) < asked + asked // 2 and time.monotonic() < deadline:
            time.sleep(0.005)
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        resumed = gymposium.resume(tmp_path / "run", cache=tmp_path / "answers")
        # Only the handful under way at the kill, whose answers never came, are asked again.
        assert len(server.asked) <= 2 * asked + 8
    assert timeless(resumed.rows) == timeless(whole.rows)


def test_money_is_counted_by_the_list_of_prices(tmp_path, priced):
    with serving(plays) as server:
        run = gymposium.run(two_models(server.url), out=tmp_path / "a", cache=False)
    calls = 2 * TURNS
    each = calls * (100 * 1 + 10 * 10) / 1e6
    assert by_agent(run, "money") == {
        name: pytest.approx((each,)) for name in by_agent(run, "money")
    }


def test_a_budget_of_money_is_never_overrun_and_can_be_raised(tmp_path, priced):
    with serving(plays) as server:
        with pytest.raises(BudgetSpent, match=r"dollars.*budget\.money"):
            gymposium.run(
                two_models(server.url, 4),
                out=tmp_path / "a",
                cache=tmp_path / "c",
                budget={"money": 0.01},
            )
        assert 0 < len(server.asked) * 200e-6 <= 0.01
        done = gymposium.resume(tmp_path / "a", cache=tmp_path / "c", budget={"money": 5.0})
    assert len(done.rows) == 8


def test_a_budget_of_money_without_prices_is_refused_before_anything_is_asked(tmp_path):
    with serving(plays) as server:
        for budget in ({"money": 1.0}, {"per_agent": {"money": 1.0}}):
            with pytest.raises(UsageError, match=r"not known what the tokens of .*prices\.yaml"):
                gymposium.run(two_models(server.url), out=tmp_path / "a", budget=budget)
        assert server.asked == []
        run = gymposium.run(two_models(server.url), out=tmp_path / "b", cache=False)
    assert {seat.money for row in run.rows for seat in row.seats} == {None}


def test_an_agents_own_budget_stops_the_run_and_names_the_agent(tmp_path):
    with serving(plays) as server:
        agents = [f"llm:one@{server.url}", "random"]
        with pytest.raises(BudgetSpent, match=r"llm:one@.*7 LLM calls.*budget\.per_agent\.calls"):
            gymposium.run(
                two_models(server.url),
                agents,
                out=tmp_path / "a",
                cache=tmp_path / "c",
                budget={"per_agent.calls": 7},
            )
        assert len(server.asked) == 7
        run = gymposium.resume(
            tmp_path / "a", cache=tmp_path / "c", budget={"per_agent": {"calls": 500}}
        )
    assert len(run.rows) == 2


def test_a_budget_of_tokens_is_never_overrun(tmp_path):
    with serving(plays) as server, pytest.raises(BudgetSpent, match="tokens"):
        gymposium.run(
            two_models(server.url, 4), out=tmp_path / "a", cache=False, budget={"tokens": 5000}
        )
    assert 0 < len(server.asked) * 110 <= 5000


def test_a_budget_of_tokens_is_not_overrun_by_scoring_choices(tmp_path):
    top = [{"token": "A", "logprob": -0.1}, {"token": "B", "logprob": -3.0}]

    async def tells(server, request, writer):
        words = sum(len(message["content"]) for message in request.body["messages"])
        body = completion("A", usage=(words // 4, 1, 0))
        first = {"token": "A", "logprob": -0.1, "top_logprobs": top}
        body["choices"][0]["logprobs"] = {"content": [first]}
        send(writer, body)

    with serving(tells) as server:
        agents = [f"llm:m@{server.url}?choose=likelihood", "random"]
        whole = gymposium.run(two_models(server.url, agents=agents), out=tmp_path / "whole")
        assert whole.rows[0].seats[0].parsed_turns == TURNS
        limit = 3000
        made = two_models(server.url, agents=agents, budget={"tokens": limit})
        with pytest.raises(BudgetSpent, match="does not cover"):
            gymposium.run(made, out=tmp_path / "run", cache=False, concurrency=8)
    with RunFolder(tmp_path / "run") as folder:
        assert sum(spent.tokens for spent in folder.spent().values()) <= limit


def test_an_endpoint_that_fails_stops_the_run_and_the_run_can_be_resumed(tmp_path):
    state = {"down": False}

    async def sometimes(server, request, writer):
        if state["down"] or len(server.asked) == 25:
            state["down"] = True
            send(writer, error("out of order"), status="401 Unauthorized")
        else:
            await plays(server, request, writer)

    with serving(sometimes) as server:
        with pytest.raises(BackendError, match="out of order"):
            gymposium.run(two_models(server.url, 2), out=tmp_path / "a", cache=tmp_path / "c")
        state["down"] = False
        run = gymposium.resume(tmp_path / "a", cache=tmp_path / "c")
    assert len(run.rows) == 4
    assert not any(seat.faults for row in run.rows for seat in row.seats)


def test_a_refusal_is_a_fault_of_the_agent(tmp_path):
    async def refuses(server, request, writer):
        send(writer, completion(None, refusal="I do not play games."))

    with serving(refuses) as server:
        run = gymposium.run(two_models(server.url, reasks=0), out=tmp_path / "a", cache=False)
    assert all(seat.faults == {"illegal": TURNS} for row in run.rows for seat in row.seats)


def test_the_run_knows_its_own_purchases_after_the_fact(tmp_path):
    with serving(plays) as server:
        run = gymposium.run(two_models(server.url), out=tmp_path / "a", cache=False)
    with RunFolder(run.path) as folder:
        spent = folder.spent()
    assert {each.calls for each in spent.values()} == {2 * TURNS}
    assert all(each.money is None for each in spent.values())


# The meter by itself.

CALL = Cost(Usage(10, 10), 0.5)


def test_a_call_waits_for_those_under_way_rather_than_be_refused():
    async def go():
        meter = Meter({"tokens": 45})
        order = []

        async def call(name, taken):
            await meter.reserve("a", CALL)
            order.append(f"{name} begins")
            await asyncio.sleep(0.01)
            meter.book("a", taken)
            meter.settle("a", CALL)
            order.append(f"{name} ends")

        small = Cost(Usage(1, 1), 0.1)
        await asyncio.gather(*(call(name, small) for name in "xyz"))
        return order, meter.total

    order, total = asyncio.run(go())
    assert order[:3] == ["x begins", "y begins", "x ends"]
    assert "z ends" in order
    assert (total.calls, total.tokens) == (3, 6)


def test_a_spent_budget_lets_calls_under_way_come_home_first():
    async def go():
        meter = Meter({"calls": 2})
        home = []

        async def call():
            await meter.reserve("a", CALL)
            await asyncio.sleep(0.02)
            meter.book("a", CALL)
            meter.settle("a", CALL)
            home.append(1)

        async def late():
            await asyncio.sleep(0.01)
            try:
                await meter.reserve("b", CALL)
            except BudgetSpent:
                return len(home)

        *_, seen = await asyncio.gather(call(), call(), late())
        return seen

    assert asyncio.run(go()) == 2


def test_a_cancelled_call_gives_back_what_was_set_aside():
    async def go():
        meter = Meter({"calls": 1})
        await meter.reserve("a", CALL)
        meter.settle("a", CALL)
        await asyncio.wait_for(meter.reserve("a", CALL), 1)

    asyncio.run(go())


def test_unknown_money_stays_unknown():
    spent = Spent()
    spent.add(1, Cost(Usage(1, 1), None))
    spent.add(1, CALL)
    assert spent.money is None
