"""Budgets, the cache and endpoints from the command line."""

import json

import pytest

from ..agents.language.http_server import saying, send, serving
from ..arenas.test_budgets import plays
from .test_cli import call, call_json


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GYMPOSIUM_ANSWERS", str(tmp_path / "answers.sqlite"))
    return tmp_path


def scenario(url, *, temperature=0.7):
    agents = [f"llm:one@{url}?temperature={temperature}", "random"]
    plain = {"world": "iterated_matrix-v0", "params": {"rounds": 3}, "agents": agents}
    plain |= {"name": "small", "schedule": {"kind": "pairs", "self_play": False}}
    with open("small.yaml", "w", encoding="utf-8") as file:
        json.dump(plain, file)  # JSON is YAML
    return "small.yaml"


def test_a_tournament_is_paid_once_and_says_so():
    with serving(plays) as server:
        first = call_json("tournament", scenario(server.url), "--out", "a")
        again = call_json("tournament", scenario(server.url), "--out", "b", "--budget", "calls=0")
        assert (first["llm_calls"], first["cached_calls"]) == (6, 0)
        assert (again["llm_calls"], again["cached_calls"], again["money"]) == (0, 6, 0.0)
        assert again["cached_tokens"] == 660
        assert first["money"] is None  # nobody has said what this server charges
        fresh = call_json("tournament", scenario(server.url), "--out", "c", "--no-cache")
        assert fresh["llm_calls"] == 6
        assert len(server.asked) == 12
        text = call("tournament", scenario(server.url), "--out", "d").stdout
    assert "6 calls (660 tokens) from the cache" in text


def test_a_budget_stops_with_one_sentence_and_resume_goes_on():
    with serving(plays) as server:
        stopped = call(
            "tournament", scenario(server.url), "--out", "a", "--budget", "per_agent.calls=2",
            code=1,
        )  # fmt: skip
        assert "2 LLM calls is spent (budget.per_agent.calls)" in stopped.stderr
        assert "gymposium resume a" in stopped.stderr
        done = call_json("resume", "a", "--budget", "per_agent.calls=50")
        assert (done["llm_calls"], len(server.asked)) == (6, 6)


def test_cache_verbs_show_explain_and_clear(here):
    with serving(plays) as server:
        call("tournament", scenario(server.url), "--out", "a")
        call("tournament", scenario(server.url, temperature=0.1), "--out", "b")
    stats = call_json("cache", "stats")
    assert stats["answers"] == 12
    assert "12 answers" in call("cache", "stats").stdout
    said = call("cache", "explain", "b").stdout
    assert "differ from the nearest one kept before in:" in said
    assert "temperature: 0.1, not 0.7" in said
    assert "nothing older" in call("cache", "explain", "a").stdout
    assert len(call_json("cache", "explain", "b", "--calls", "2")) == 2
    assert call_json("cache", "clear")["bytes_freed"] > 0
    assert not (here / "answers.sqlite").exists()


def test_a_corrupt_cache_is_one_sentence_and_can_be_done_without(here):
    (here / "answers.sqlite").write_bytes(b"garbage " * 1000)
    with serving(plays) as server:
        said = call("tournament", scenario(server.url), "--out", "a", code=1).stderr
        assert "gymposium cache clear" in said
        assert server.asked == []
        call("tournament", scenario(server.url), "--out", "b", "--no-cache")
    call("cache", "clear")
    assert not (here / "answers.sqlite").exists()
    assert "exclude each other" in call(
        "tournament", "small.yaml", "--cache", "x", "--no-cache", code=2
    ).stderr  # fmt: skip


def test_doctor_asks_endpoints_whether_they_serve_the_model():
    async def lists(server, request, writer):
        send(writer, {"data": [{"id": "llama-small"}, {"id": "other"}]})

    def found(agent, code=0):
        result = call("doctor", "--json", "--agent", agent, code=code)
        return json.loads(result.stdout)[-1]

    with serving(lists) as server:
        assert found(f"llm:llama-small@{server.url}")["state"] == "ok"
        missing = found(f"llm:llama-smal@{server.url}", code=1)
        assert missing["state"] == "broken"
        assert "llama-small" in missing["detail"]
    gone = found(f"llm:x@{server.url}", code=1)
    assert "is the server running" in gone["detail"]
    with serving(saying("no list here")) as server:
        assert found(f"llm:x@{server.url}")["state"] == "ok"
    assert "has no endpoint" in call("doctor", "--agent", "random", code=2).stderr


def test_models_alone_lists_them():
    assert call_json("models") == call_json("models", "list")
