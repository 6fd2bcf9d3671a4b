"""A user's agent in its child process: it plays like any other, and can hurt only itself."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import time

import gymnasium as gym
import numpy as np
import pytest

from gymposium.agents.isolation import ChildAgent, ChildPool, ChildSpec
from gymposium.errors import AgentFault
from gymposium.types import Outcome, Seat, Turn

from .user_files import ABUSE, GOOD, WORDS

SPACE = gym.spaces.Discrete(3)
SEAT = Seat("row", gym.spaces.Box(0, 9, (4,), np.int64), SPACE, rules="Play.", time_limit=1.0)
POSIX_ONLY = pytest.mark.skipif(sys.platform == "win32", reason="signals and forks are POSIX")


def turn(text, step=0):
    return Turn("row", step, np.arange(4), 0.5, SPACE, None, {}, text=text)


async def twice(agent, deed):
    """What is written into the pipe may only be found at the next answer."""
    await agent.act(turn(deed))
    await agent.act(turn("fine"))


@pytest.fixture
def play(tmp_path):
    """Runs a coroutine function with (make, pool) and ends every child afterwards."""

    def write(code):
        path = tmp_path / "user_bot.py"
        path.write_text(code, encoding="utf-8")
        return path

    def run(code, story, attr="Bot", **params):
        path = write(code)

        async def main():
            pool = ChildPool(starting=2)
            spec = ChildSpec(str(path), attr, params, f"user_bot.py:{attr}")
            try:
                return await asyncio.wait_for(story(lambda: ChildAgent(spec, pool), pool), 30)
            finally:
                await pool.close()

        return asyncio.run(main())

    return run


def test_it_plays_with_its_seat_seed_parameters_and_own_copy_of_everything(play):
    async def story(make, pool):
        agent = make()
        await agent.reset(SEAT, 5)
        first, second = await agent.act(turn("hi ä")), await agent.act(turn("ho"))
        await agent.end(Outcome({"row": 1.0}))
        await agent.close()
        return first, second

    first, second = play(GOOD, story, bias=4)
    assert (first["seen"], second["seen"]) == (1, 2)
    assert (first["seed"], first["seat"], first["bias"]) == (5, "row", 4)
    assert (first["text"], first["reward"]) == ("hi ä", 0.5)
    assert first["observation"].dtype == np.int64
    assert first["observation"].tolist() == [0, 1, 2, 3]
    assert first["space"] == "Discrete(3)"


def test_a_child_is_reused_with_a_fresh_instance_for_each_match(play):
    async def story(make, pool):
        pids = []
        for _ in range(3):
            agent = make()
            await agent.reset(SEAT, 1)
            assert (await agent.act(turn("")))["seen"] == 1
            pids.append(agent._child._transport.get_pid())
            await agent.close()
        return pids

    assert len(set(play(GOOD, story))) == 1


def test_two_matches_at_once_have_two_children(play):
    async def story(make, pool):
        one, two = make(), make()
        await asyncio.gather(one.reset(SEAT, 1), two.reset(SEAT, 2))
        answers = [await one.act(turn("")), await two.act(turn("")), await one.act(turn(""))]
        return [(a["seed"], a["seen"]) for a in answers]

    assert play(GOOD, story) == [(1, 1), (2, 1), (1, 2)]


@pytest.mark.parametrize(
    ("attr", "params", "said"),
    [
        ("speaker", {}, "I say: hello"),
        ("speaker", {"prefix": ""}, "hello"),
        ("slow_speaker", {}, "HELLO"),
        ("AsyncBot", {}, 0),
    ],
)
def test_functions_and_async_agents_run_there_too(play, attr, params, said):
    async def story(make, pool):
        for seed in (1, 2):
            agent = make()
            await agent.reset(SEAT, seed)
            answer = await agent.act(turn("hello"))
            await agent.close()
        return answer

    assert play(WORDS, story, attr, **params) == said


@pytest.mark.parametrize(
    ("deed", "said"),
    [
        ("raises", r"ValueError: no idea \(user_bot.py:14\)"),
        ("exits", r"SystemExit: enough \(user_bot.py:17\)"),
        ("asks_the_keyboard", r"EOFError.*user_bot.py"),
        ("answers_hugely", "too large"),
        ("answers_a_set", "set cannot be sent"),
        ("recurses", "RecursionError"),
        ("raises_half_a_character", r"ValueError: no \\udc80 \(user_bot.py:\d+\)"),
    ],
)
def test_an_error_costs_one_answer_and_names_the_line(play, deed, said):
    async def story(make, pool):
        agent = make()
        await agent.reset(SEAT, 1)
        with pytest.raises(AgentFault, match=said) as caught:
            await agent.act(turn(deed))
        assert caught.value.kind == "error"
        return await agent.act(turn("fine"))

    assert play(ABUSE, story) == 1


@pytest.mark.parametrize(
    "deed", ["prints", "deletes_stdin", "spoils", pytest.param("forks", marks=POSIX_ONLY)]
)
def test_noise_and_mischief_change_nothing(play, deed):
    observed = turn(deed)

    async def story(make, pool):
        agent = make()
        await agent.reset(SEAT, 1)
        answers = [await agent.act(observed), await agent.act(turn("fine"))]
        assert pool._all
        return answers

    assert play(ABUSE, story) == [1, 1]
    assert observed.observation.tolist() == [0, 1, 2, 3]
    assert SPACE.n == 3


@POSIX_ONLY
@pytest.mark.parametrize(
    ("deed", "said"),
    [
        ("dies", "exit code 3"),
        ("segfaults", "SIGSEGV"),
        ("closes_everything", "process of user_bot.py:Bot"),
        ("garbles", "garbled|twice|killed"),
    ],
)
def test_a_death_is_a_crash_and_the_next_match_gets_a_new_child(play, deed, said):
    async def story(make, pool):
        agent = make()
        await agent.reset(SEAT, 1)
        with pytest.raises(AgentFault, match=said) as caught:
            await twice(agent, deed)
        assert caught.value.kind == "crash"
        with pytest.raises(AgentFault, match="process of"):
            await agent.act(turn("fine"))
        agent.kill()
        await agent.close()
        again = make()
        await again.reset(SEAT, 1)
        return await again.act(turn("fine"))

    assert play(ABUSE, story) == 1


@POSIX_ONLY
@pytest.mark.parametrize("deed", ["loops", "holds_the_interpreter", "ignores_signals"])
def test_an_endless_turn_ends_with_its_time_limit(play, deed):
    async def story(make, pool):
        agent = make()
        await agent.reset(SEAT, 1)
        pid = agent._child._transport.get_pid()
        began = time.perf_counter()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(agent.act(turn(deed)), 0.3)
        agent.kill()
        with pytest.raises(AgentFault, match="stopped while it was thinking") as caught:
            await agent.act(turn("fine"))
        assert caught.value.kind == "crash"
        child = agent._child
        await agent.close()
        await asyncio.wait_for(child.exited, 3)
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
        return time.perf_counter() - began

    assert play(ABUSE, story) < 3


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import nowhere_to_be_found", r"ModuleNotFoundError.*user_bot.py:1"),
        ("x = 1\ny = x / 0\n", r"ZeroDivisionError.*user_bot.py:2"),
        ("def broken(:\n", r"SyntaxError.*user_bot.py:1"),
        ("class Bat: pass", "did you mean 'Bat'"),
        (
            "class Bot:\n    def __init__(self, x): pass\n    def act(self, t): pass",
            "parameter 'x'",
        ),
        ("class Bot:\n    def reset(self): pass\n    def act(self, t): pass", "reset"),
        ("class Bot:\n    pass", "not callable"),
        ("raise SystemExit(4)", "SystemExit"),
    ],
)
def test_a_file_that_cannot_be_loaded_is_an_error_with_the_place(play, code, said):
    async def story(make, pool):
        for _ in range(2):
            agent = make()
            with pytest.raises(AgentFault, match=said) as caught:
                await agent.reset(SEAT, 1)
            assert caught.value.kind == "error"
            await agent.close()

    play(code, story)


def test_a_broken_file_is_not_started_again_for_every_match(play, monkeypatch):
    async def story(make, pool):
        for _ in range(20):
            with contextlib.suppress(AgentFault):
                await make().reset(SEAT, 1)
        return len(pool._all), pool._now_starting

    began = time.perf_counter()
    assert play("1 / 0", story) == (0, 0)
    assert time.perf_counter() - began < 5


def test_idle_children_are_ended_beyond_the_limit(play):
    async def story(make, pool):
        pool.idle_limit = 1
        agents = [make() for _ in range(3)]
        await asyncio.gather(*(agent.reset(SEAT, 1) for agent in agents))
        for agent in agents:
            await agent.close()
        return len(pool._idle), sum(child.alive for child in pool._all)

    assert play(GOOD, story) == (1, 1)


@POSIX_ONLY
def test_interrupting_the_terminal_does_not_reach_the_child(play):
    async def story(make, pool):
        agent = make()
        await agent.reset(SEAT, 1)
        pid = agent._child._transport.get_pid()
        assert os.getsid(pid) != os.getsid(0)
        os.kill(pid, signal.SIGINT)
        await asyncio.sleep(0.05)
        return (await agent.act(turn("")))["seen"]

    assert play(GOOD, story) == 1


@POSIX_ONLY
@pytest.mark.parametrize("deed", ["fine", "loops", "holds_the_interpreter"])
def test_no_child_outlives_a_killed_parent(tmp_path, deed):
    (tmp_path / "user_bot.py").write_text(ABUSE, encoding="utf-8")
    parent = textwrap.dedent(f"""
        import asyncio, sys
        import gymnasium as gym
        from gymposium.agents.isolation import ChildAgent, ChildSpec
        from gymposium.types import Seat, Turn

        async def main():
            space = gym.spaces.Discrete(3)
            agent = ChildAgent(ChildSpec({str(tmp_path / "user_bot.py")!r}, "Bot", {{}}, "bot"))
            await agent.reset(Seat("a", space, space), 1)
            task = asyncio.ensure_future(agent.act(Turn("a", 0, 1, 0.0, space, text={deed!r})))
            await asyncio.sleep(0.2)
            print(agent._child._transport.get_pid(), flush=True)
            await asyncio.sleep(60)

        asyncio.run(main())
    """)
    with subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE) as process:
        pid = int(process.stdout.readline())
        os.kill(pid, 0)
        process.kill()
        process.wait()
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        if not _runs(pid):
            return
        time.sleep(0.02)
    os.kill(pid, signal.SIGKILL)
    pytest.fail(f"the child {pid} outlived its parent")


def _runs(pid):
    """Alive, and not a zombie that only waits for somebody to collect it."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as status:
            return status.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
