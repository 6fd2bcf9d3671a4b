import asyncio
import json
import os
import subprocess
import sys
import textwrap
import time

import pytest

from gymposium.agents.language.answer_schema import answer_schema
from gymposium.agents.language.backends.embedded import EmbeddedBackend, _patient_threads
from gymposium.agents.language.backends.pool import close_all, get_backend
from gymposium.agents.language.backends.protocol import ChatBackend
from gymposium.agents.language.models import model_file
from gymposium.errors import BackendError, MissingExtra

from ...gymposium import test_cli
from .stand_ins import SCHEMA

REPLY = answer_schema(SCHEMA, think=False, max_text=None).schema
SPEECH = answer_schema({"type": "string", "maxLength": 40}, think=True, max_text=None)


def talk(text):
    return [
        {"role": "system", "content": "You play a game. Answer as JSON."},
        {"role": "user", "content": text},
    ]


STORY = talk("Tell me a long story about a fox.")


@pytest.fixture
def backend(smollm2):
    return get_backend(smollm2, {"slots": 4})


def test_it_is_a_backend(backend):
    assert isinstance(backend, ChatBackend)
    assert not backend.deterministic
    assert backend.name == "smollm2-135m"


def test_constrained_answers_are_complete_compact_and_legal(backend):
    async def go():
        return await asyncio.gather(
            *(
                backend.complete(talk(f"Round {n}."), schema=REPLY, seed=n, temperature=1.5)
                for n in range(12)
            )
        )

    for (found,) in asyncio.run(go()):
        assert json.loads(found.text)["action"] in SCHEMA["enum"]
        assert found.text == json.dumps(json.loads(found.text), separators=(",", ":"))
        assert found.finish_reason == "stop"
        assert found.usage.completion_tokens < 16
        assert found.usage.prompt_tokens > 10


def test_properties_come_in_the_order_of_the_schema_and_strings_end(backend):
    (found,) = asyncio.run(
        backend.complete(
            talk("Say it."), schema=SPEECH.schema, seed=3, max_tokens=SPEECH.max_tokens
        )
    )
    reply = json.loads(found.text)
    assert list(reply) == ["thought", "action"]
    assert len(reply["action"]) <= 40
    assert found.finish_reason == "stop"


def test_samples_differ_and_the_hot_ones_more_than_the_cold(backend):
    def sampled(temperature):
        done = asyncio.run(
            backend.complete(STORY, n=6, seed=1, temperature=temperature, max_tokens=12)
        )
        return len({found.text for found in done})

    assert sampled(1.0) >= 3
    assert sampled(0.0) <= 2


def test_logprobs_are_those_of_the_model_not_of_the_grammar(backend):
    (found,) = asyncio.run(
        backend.complete(talk("Round 1."), schema=REPLY, seed=1, logprobs=1, temperature=0.5)
    )
    assert len(found.logprobs) == len(found.completion_ids) == found.usage.completion_tokens
    # A grammar leaves one way to begin; the model itself finds it unlikely.
    assert found.logprobs[0] < -1
    assert all(value <= 0 for value in found.logprobs)


def test_a_second_turn_reuses_the_first_ones_prompt(backend):
    async def go():
        begin = talk("The rules are these. " * 10)
        await backend.complete(begin, schema=REPLY, seed=1)
        more = [*begin, {"role": "assistant", "content": "{}"}, {"role": "user", "content": "Go."}]
        return (await backend.complete(more, schema=REPLY, seed=1))[0]

    usage = asyncio.run(go()).usage
    assert usage.cached_tokens > usage.prompt_tokens / 2


def test_more_calls_than_slots_wait_their_turn(backend):
    async def go():
        calls = (backend.complete(talk(f"Round {n}."), schema=REPLY, seed=n) for n in range(16))
        return await asyncio.wait_for(asyncio.gather(*calls), 60)

    assert len(asyncio.run(go())) == 16


def test_waiting_for_a_slot_is_not_thinking(smollm2):
    backend = get_backend(smollm2, {"slots": 1})
    limit = 20.0

    async def go():
        calls = (
            backend.complete(talk(f"Round {n}."), schema=REPLY, seed=n, timeout=limit)
            for n in range(12)
        )
        return await asyncio.gather(*calls)

    began = time.perf_counter()
    assert len(asyncio.run(go())) == 12
    # With a limit that each call meets and all of them together do not, nobody times out.
    limit = (time.perf_counter() - began) / 3
    assert len(asyncio.run(go())) == 12


def test_an_answer_that_takes_too_long_is_cut_short(smollm2):
    backend = get_backend(smollm2, {"slots": 1})

    async def go():
        await backend.complete(STORY, max_tokens=1500, seed=1, timeout=0.5)

    with pytest.raises(TimeoutError):
        asyncio.run(go())


def test_a_call_given_up_frees_its_slot_at_once(smollm2):
    backend = get_backend(smollm2, {"slots": 1})

    async def go():
        await backend.complete(talk("Hello."), max_tokens=1)  # load first
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(backend.complete(STORY, max_tokens=1500, seed=1), 0.5)
        began = time.perf_counter()
        await backend.complete(talk("Round 1."), schema=REPLY, seed=1)
        return time.perf_counter() - began

    assert asyncio.run(go()) < 4  # the story alone would take more than ten seconds


def test_one_backend_serves_several_event_loops(backend):
    for n in range(3):
        assert asyncio.run(backend.complete(talk(f"Round {n}."), schema=REPLY, seed=n))


def test_a_prompt_beyond_the_context_is_an_error_in_one_sentence(backend):
    with pytest.raises(BackendError, match="exceeds the available context"):
        asyncio.run(backend.complete(talk("word " * 4000)))


def test_exact_answers_do_not_depend_on_order_or_company(smollm2):
    exact = get_backend(smollm2, {"exact": True, "context": 512})
    assert exact.deterministic

    async def answers(numbers):
        done = await asyncio.gather(
            *(
                exact.complete(talk(f"Say {n}."), seed=n, temperature=1.0, max_tokens=12)
                for n in numbers
            )
        )
        return {n: found[0].text for n, found in zip(numbers, done, strict=True)}

    first = asyncio.run(answers(range(8)))
    asyncio.run(exact.complete(STORY, max_tokens=5))
    again = asyncio.run(answers([5, 3, 7, 1, 0, 2, 6, 4]))
    assert first == again
    assert len(set(first.values())) > 4


def test_the_same_prompt_with_another_seed_is_another_draw(smollm2):
    exact = get_backend(smollm2, {"exact": True, "context": 512})

    async def go():
        return [
            (await exact.complete(STORY, seed=seed, temperature=1.0, max_tokens=8))[0].text
            for seed in (1, 2, 3, 1)
        ]

    one, two, three, again = asyncio.run(go())
    assert one == again
    assert len({one, two, three}) > 1


def test_a_closed_backend_refuses(smollm2):
    backend = EmbeddedBackend("own", model_file(smollm2), slots=1, context=256)
    asyncio.run(backend.close())
    asyncio.run(backend.close())
    with pytest.raises(BackendError, match="closed"):
        asyncio.run(backend.complete(talk("Hello.")))


def test_closing_ends_calls_under_way_and_waiting(smollm2):
    backend = EmbeddedBackend("own", model_file(smollm2), slots=1)

    async def go():
        await backend.complete(talk("Hello."), max_tokens=1)
        calls = [asyncio.create_task(backend.complete(STORY, max_tokens=1500)) for _ in "ab"]
        await asyncio.sleep(0.3)
        began = time.perf_counter()
        await backend.close()
        for call in calls:  # one under way, one waiting
            with pytest.raises(BackendError, match="closed"):
                await call
        return time.perf_counter() - began

    assert asyncio.run(go()) < 5


def test_a_file_that_is_no_model_is_an_error_in_one_sentence(tmp_path):
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF but not really")
    backend = EmbeddedBackend("broken", broken, slots=1)
    with pytest.raises(BackendError, match="cannot be loaded"):
        asyncio.run(backend.complete(talk("Hello.")))


def test_without_the_extra_the_install_line_is_named(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(MissingExtra, match=r"pip install 'gymposium\[llm\]'"):
        EmbeddedBackend("own", tmp_path / "x.gguf", slots=1)


def test_without_the_extra_no_run_begins(smollm2, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    close_all()
    agents = ("-a", "llm:smollm2-135m", "-a", "scripted:tit_for_tat")
    run = test_cli.call("run", "iterated_matrix-v0", *agents, "--out", tmp_path / "run", code=2)
    assert "pip install 'gymposium[llm]'" in run.stderr
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("ending", "codes"),
    [("pass", {0}), ("raise SystemExit(3)", {3}), ("raise KeyboardInterrupt", {1, 130, -2})],
)
def test_the_interpreter_ends_quietly_with_calls_waiting(smollm2, ending, codes):
    program = f"""
        import asyncio
        from gymposium.agents.language.backends.pool import get_backend

        async def main():
            backend = get_backend("smollm2", {{"slots": 2}})
            messages = [{{"role": "user", "content": "Tell me a long story."}}]
            await backend.complete(messages, max_tokens=1)
            calls = [asyncio.ensure_future(backend.complete(messages, max_tokens=1500))
                     for _ in range(6)]
            await asyncio.sleep(0.2)
            {ending}

        asyncio.run(main())
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode in codes
    assert done.stdout == ""
    assert done.stderr == "" or done.stderr.rstrip().endswith("KeyboardInterrupt")


def test_a_library_the_system_lacks_is_named_with_the_remedy(monkeypatch, tmp_path):
    said = "libgomp.so.1: cannot open shared object file"
    (tmp_path / "xllamacpp.py").write_text(f"raise ImportError({said!r})")
    monkeypatch.delitem(sys.modules, "xllamacpp", raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    backend = EmbeddedBackend("own", tmp_path / "x.gguf", slots=1)
    with pytest.raises(BackendError, match=r"libgomp\.so\.1.*apt-get install libgomp1"):
        asyncio.run(backend.complete(talk("Hello.")))


def test_threads_are_told_to_sleep_soon_and_nobody_else_notices(monkeypatch):
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    monkeypatch.delenv("GOMP_SPINCOUNT", raising=False)
    with _patient_threads():
        assert int(os.environ["GOMP_SPINCOUNT"]) < 10_000
    assert "GOMP_SPINCOUNT" not in os.environ
    monkeypatch.setenv("OMP_WAIT_POLICY", "active")
    with _patient_threads():
        assert "GOMP_SPINCOUNT" not in os.environ
