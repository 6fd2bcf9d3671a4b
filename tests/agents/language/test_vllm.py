"""vLLM itself is tried by ``make test-vllm``; here a stand-in takes its place."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import gymposium
from gymposium.agents.language.backends.pool import get_backend
from gymposium.agents.language.backends.protocol import ChatBackend
from gymposium.agents.language.backends.vllm import VLLMBackend
from gymposium.agents.registry import resolve
from gymposium.errors import BackendError, UsageError

from .stand_in_vllm import ANSWER, install

TALK = [{"role": "user", "content": "Round 1."}]


def processes(backend):
    said = backend._log.read_text()
    assert "stand-in for vLLM" in said
    return [int(each) for each in re.search(r"processes (\d+) (\d+)", said).groups()]


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def all_gone(pids, patience=20):
    deadline = time.monotonic() + patience
    while any(map(alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not any(map(alive, pids))


@pytest.fixture
def make(tiny_model, tmp_path):
    made = []

    def build(mode="", **settings):
        env = install(tmp_path / f"env{len(made)}", mode)
        made.append(VLLMBackend("vllm/tiny", str(tiny_model), env=str(env), **settings))
        return made[-1]

    yield build
    for backend in made:
        backend.release()


def ask(backend, messages=TALK, **parameters):
    return asyncio.run(backend.complete(messages, **parameters))[0]


def test_it_is_a_backend_that_starts_once_and_leaves_nothing_behind(make):
    backend = make(context=512)
    assert isinstance(backend, ChatBackend)

    async def together():
        return await asyncio.gather(*(backend.complete(TALK) for _ in range(8)))

    assert {found[0].text for found in asyncio.run(together())} == {ANSWER}
    assert ask(backend).usage == (5, 3, 0)
    said = backend._log.read_text()
    assert said.count("stand-in for vLLM") == 1
    assert "--max-model-len 512" in said
    pids = processes(backend)
    assert all(map(alive, pids))
    asyncio.run(backend.close())
    assert all_gone(pids)
    with pytest.raises(BackendError, match="closed"):
        ask(backend)


def test_pictures_go_to_it(make):
    message = {"role": "user", "content": "Look.", "images": [np.zeros((2, 2, 3), np.uint8)]}
    assert json.loads(ask(make(), [message]).text) == ["text", "image_url"]


def test_a_server_that_dies_is_told_with_the_end_of_its_log(make):
    with pytest.raises(BackendError, match="exit code 7") as error:
        ask(make("dies"))
    assert "ValueError: no such architecture" in str(error.value)


def test_a_server_that_is_never_ready_is_given_up_and_ended(make):
    backend = make("hangs", start=1.5)
    with pytest.raises(BackendError, match=r"not ready within 1\.5 s .*\?start=") as error:
        ask(backend)
    assert "stand-in for vLLM" in str(error.value)
    assert all_gone(processes(backend))


def test_a_server_that_crashes_is_told_and_started_anew_by_the_next_call(make):
    backend = make("crashes")
    with pytest.raises(BackendError, match="exit code 3") as error:
        ask(backend)
    assert "out of memory" in str(error.value)
    first = processes(backend)
    assert all_gone(first)
    with pytest.raises(BackendError, match="exit code 3"):
        ask(backend)
    assert processes(backend) != first


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_however_the_parent_ends_the_server_does_too(tiny_model, tmp_path, how):
    env = install(tmp_path / "env")
    code = textwrap.dedent(f"""
        import asyncio, signal, time
        from gymposium.agents.language.backends.vllm import VLLMBackend
        # In the background of a shell Ctrl-C is ignored, which children inherit.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        backend = VLLMBackend("vllm/tiny", {str(tiny_model)!r}, env={str(env)!r})
        asyncio.run(backend.complete([{{"role": "user", "content": "hi"}}]))
        print(backend._log, flush=True)
        time.sleep(60)
    """)
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    log = parent.stdout.readline().strip()
    with open(log) as file:
        pids = [int(each) for each in re.search(r"processes (\d+) (\d+)", file.read()).groups()]
    assert all(map(alive, pids))
    os.kill(parent.pid, how)
    parent.wait(timeout=30)
    assert all_gone(pids)


def test_a_match_is_played_through_it(tiny_model, tmp_path):
    env = install(tmp_path / "env")
    spec = resolve(f"llm:vllm/{tiny_model}?env={env}")
    assert spec.name == f"vllm/{tiny_model.name}"
    assert spec.language
    run = gymposium.run(
        "iterated_matrix-v0", [spec, "scripted:always_cooperate"], seed=1, out=tmp_path / "run",
        cache=False,
    )  # fmt: skip
    seat = next(seat for seat in run.rows[0].seats if seat.agent == spec.name)
    assert seat.parsed_turns == seat.turns > 0
    assert seat.money == 0.0
    get_backend(f"vllm/{tiny_model}", {"env": str(env)}).release()  # not only when the tests end


def test_where_there_is_no_vllm_the_remedy_is_named(tiny_model, tmp_path, monkeypatch):
    with pytest.raises(UsageError, match="there is no vLLM in"):
        resolve(f"llm:vllm/{tiny_model}?env={tmp_path}")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match=r"not on PATH.*\?env=FOLDER"):
        resolve(f"llm:vllm/{tiny_model}")
    install(tmp_path / "env")
    monkeypatch.setenv("PATH", str(tmp_path / "env" / "bin"))
    assert resolve(f"llm:vllm/{tiny_model}").language


def test_a_missing_folder_is_said_before_a_match(tmp_path):
    env = install(tmp_path / "env")
    with pytest.raises(UsageError, match="there is no model folder"):
        resolve(f"llm:vllm/{tmp_path}/none?env={env}")
