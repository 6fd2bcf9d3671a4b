import asyncio
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import gymposium
from gymposium.agents.language.backends import shared
from gymposium.agents.language.backends.calls import Scope, calling
from gymposium.agents.language.backends.pool import close_all, get_backend
from gymposium.agents.language.backends.protocol import ChatBackend
from gymposium.agents.language.backends.scripted import ScriptedBackend
from gymposium.agents.language.backends.shared import SharedBackend, find_or_start, server_folder
from gymposium.agents.language.backends.wire import read, write
from gymposium.arenas.executors.processes import run_jobs
from gymposium.errors import BackendError, UsageError
from gymposium.scenarios.model import Scenario

from .stand_ins import SCHEMA

TALK = [{"role": "user", "content": "Round 1."}]
LINGER = 0.3


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def gone(pid, patience=20):
    deadline = time.monotonic() + patience
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not alive(pid)


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """A server of this test's own, ended with it."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    yield tmp_path
    facts = shared._announced(server_folder())
    if facts is not None:
        assert gone(facts["pid"], 40)


def remote(script="legal"):
    return SharedBackend(ScriptedBackend(script), f"scripted/{script}", {}, linger=LINGER)


def served_by():
    return json.loads((server_folder() / "server.json").read_bytes())["pid"]


def test_it_answers_as_the_backend_behind_it():
    async def go():
        backend = remote()
        assert isinstance(backend, ChatBackend)
        assert backend.name == "scripted/legal"
        theirs = await ScriptedBackend("legal").complete(TALK, schema=SCHEMA, n=3, seed=4)
        ours = await backend.complete(TALK, schema=SCHEMA, n=3, seed=4)
        assert [each._replace(seconds=0) for each in ours] == [
            each._replace(seconds=0) for each in theirs
        ]
        await backend.close()
        with pytest.raises(BackendError, match="closed"):
            await backend.complete(TALK)

    asyncio.run(go())


def test_calls_at_once_go_over_one_connection_and_none_waits_for_another():
    async def go():
        backend, clock = remote("slow-300ms"), asyncio.get_running_loop().time
        await backend.complete(TALK)
        began = clock()
        await backend.complete(TALK)
        one = clock() - began
        await asyncio.gather(*(backend.complete(TALK) for _ in range(50)))
        fifty = clock() - began - one
        assert len(backend._lines) == 1
        await backend.close()
        return fifty / one

    assert asyncio.run(go()) < 10


def test_errors_arrive_as_what_they_were():
    async def go():
        unknown = SharedBackend(ScriptedBackend("legal"), "scripted/nobody", {}, linger=LINGER)
        for backend, kind, said in (
            (remote("fail"), BackendError, "fails as it was asked to"),
            (remote("slow-5000ms"), TimeoutError, None),
            (unknown, UsageError, "nobody"),
        ):
            with pytest.raises(kind, match=said):
                await backend.complete(TALK, timeout=0.05)
            await backend.close()
        with pytest.raises(UsageError, match="cannot see"):
            await remote().complete([{"role": "user", "content": "", "images": [0]}])

    asyncio.run(go())


def test_however_many_need_it_at_once_one_server_is_started():
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda _: find_or_start(LINGER)["pid"], range(6)))
    assert len(set(found)) == 1
    code = "from gymposium.agents.language.backends.shared import *; print(find_or_start()['pid'])"
    asked = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) for _ in range(3)
    ]
    assert {int(each.communicate()[0]) for each in asked} == set(found)
    os.kill(found[0], signal.SIGKILL)


def test_a_server_that_is_killed_in_the_middle_of_a_call_is_replaced_and_the_call_answered():
    async def go():
        backend = remote("slow-700ms")
        await backend.complete(TALK)
        first = served_by()
        calls = [asyncio.create_task(backend.complete(TALK, seed=n)) for n in range(5)]
        await asyncio.sleep(0.2)
        os.kill(first, signal.SIGKILL)
        assert len(await asyncio.gather(*calls)) == 5
        assert served_by() != first
        await backend.close()

    asyncio.run(go())


def test_a_server_that_keeps_dying_ends_in_a_sentence(monkeypatch):
    async def go():
        async def slam(reader, writer):
            writer.close()

        server = await asyncio.start_server(slam, "127.0.0.1", 0)
        facts = {"port": server.sockets[0].getsockname()[1], "token": "", "pid": 0}
        monkeypatch.setattr(shared, "find_or_start", lambda linger: facts)
        with pytest.raises(BackendError, match=r"died 4 times during one call.*server\.log"):
            await remote().complete(TALK)
        server.close()

    asyncio.run(go())


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_it_goes_when_its_last_client_is_killed(how):
    code = textwrap.dedent(f"""
        import asyncio
        from gymposium.agents.language.backends.scripted import ScriptedBackend
        from gymposium.agents.language.backends.shared import SharedBackend
        async def go():
            made = SharedBackend(ScriptedBackend("legal"), "scripted/legal", {{}}, linger={LINGER})
            await made.complete({TALK!r})
            print("ready", flush=True)
            await asyncio.sleep(600)
        asyncio.run(go())
    """)
    client = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert client.stdout.readline() == "ready\n"
    pid = served_by()
    time.sleep(3 * LINGER)
    assert alive(pid)  # it stays as long as somebody is connected
    client.send_signal(how)
    client.wait()
    assert gone(pid)
    assert not (server_folder() / "server.json").exists()


def test_nobody_is_answered_without_the_token():
    async def go():
        facts = await asyncio.to_thread(find_or_start, LINGER)
        for said in ({"token": "0" * 64}, {}, [1]):
            reader, writer = await asyncio.open_connection("127.0.0.1", facts["port"])
            write(writer, said)
            assert await read(reader) is None
            writer.close()
        file = server_folder() / "server.json"
        assert file.stat().st_mode & 0o077 == 0
        assert server_folder().stat().st_mode & 0o077 == 0
        os.kill(facts["pid"], signal.SIGKILL)

    asyncio.run(go())


def test_a_call_that_is_given_up_is_given_up_there_too():
    async def go():
        backend = remote("slow-60000ms")
        call = asyncio.create_task(backend.complete(TALK))
        await asyncio.sleep(1.0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await backend.close()

    asyncio.run(go())  # and the fixture sees the server go, which no call keeps


def _kinds(model):
    kinds = type(get_backend(model)).__name__, type(get_backend("scripted/legal")).__name__
    close_all()
    return kinds


def test_workers_and_runs_share_and_who_asks_for_a_model_itself_has_it(smollm2):
    assert _kinds(smollm2) == ("EmbeddedBackend", "ScriptedBackend")
    with calling(Scope(shared=True)):
        assert _kinds(smollm2) == ("SharedBackend", "ScriptedBackend")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(_kinds, (smollm2,)) == ("SharedBackend", "ScriptedBackend")


def _play(job, tell, stopping):
    model, out = job
    scenario = Scenario.model_validate(
        {
            "name": "shared",
            "world": "iterated_matrix-v0",
            "params": {"game": "prisoners-dilemma", "rounds": 3},
            "agents": [model, "random"],
            "schedule": {"kind": "pairs", "repeats": 2, "self_play": False},
        }
    )
    run = gymposium.run(scenario, out=out, seed=int(out.name), cache=False)
    address = server_folder() / "server.json"
    server = json.loads(address.read_bytes())["pid"] if address.exists() else None
    rows = sorted(
        (row.key, [(s.agent, s.return_, s.faults) for s in row.seats]) for row in run.rows
    )
    return rows, server


def test_runs_and_jobs_in_worker_processes_ask_one_server(tiny_model, tmp_path):
    """And play as with the model in this process, which is used where it has been loaded."""
    model = f"llm:transformers/{tiny_model}?exact=1&choose=likelihood"
    played, servers = {}, {}
    get_backend(f"transformers/{tiny_model}", {"exact": True}).white_box()
    for workers in ("loaded", 1, 2):
        jobs = [(model, tmp_path / str(workers) / str(seed)) for seed in range(3)]
        count = 1 if workers == "loaded" else workers
        done = run_jobs(_play, jobs, workers=count, on_told=print, on_interrupt=print)
        played[workers] = [rows for rows, _ in done]
        (servers[workers],) = {server for _, server in done}
        close_all()
    assert servers["loaded"] is None
    assert servers[1] == servers[2] is not None  # one command after the other finds it loaded
    assert played["loaded"] == played[1] == played[2]


def test_two_commands_at_once_use_one_server_which_outlives_the_first(tiny_model, tmp_path):
    command = [sys.executable, "-m", "gymposium", "run", "iterated_matrix-v0", "--agent"]
    command += [f"llm:transformers/{tiny_model}?choose=likelihood", "--agent", "random"]
    command += ["--param", "rounds=3", "--no-cache"]
    both = [
        subprocess.Popen([*command, "--repeats", str(n), "--out", str(tmp_path / str(n))])
        for n in (1, 8)
    ]
    seen = set()
    while any(each.poll() is None for each in both):
        facts = shared._announced(server_folder())
        seen |= set() if facts is None else {facts["pid"]}
        time.sleep(0.05)
    assert [each.returncode for each in both] == [0, 0]
    assert len(seen) == 1


def test_a_model_whose_file_was_replaced_is_not_answered_for_by_the_one_loaded(tiny_model):
    async def go():
        ours = get_backend(f"transformers/{tiny_model}")
        right = SharedBackend(ours, f"transformers/{tiny_model}", {}, linger=LINGER)
        await right.complete(TALK, max_tokens=2)
        right._called["identity"] += " changed"
        with pytest.raises(BackendError, match="just been replaced"):
            await right.complete(TALK, max_tokens=2)
        await right.close()

    asyncio.run(go())
    config = tiny_model / "generation_config.json"
    before = get_backend(f"transformers/{tiny_model}")
    config.write_text("{}") if not config.exists() else config.write_text(config.read_text() + " ")
    assert get_backend(f"transformers/{tiny_model}") is not before
    close_all()


def test_a_folder_that_others_can_enter_is_not_used(place):
    folder = server_folder()
    folder.chmod(0o755)
    with pytest.raises(BackendError, match="no folder of this user's alone"):
        server_folder()
    folder.rmdir()
    folder.symlink_to(place)
    with pytest.raises(BackendError, match="no folder of this user's alone"):
        server_folder()
    folder.unlink()
