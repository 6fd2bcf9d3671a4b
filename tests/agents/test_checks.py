"""check_agent: each requirement is seen to be violated, and the shipped agents meet them all."""

import random
import time

import numpy as np
import pytest

from gymposium.agents.checks import REQUIREMENTS, AgentUnfit, check_agent
from gymposium.agents.registry import known_agents
from gymposium.types import Reply

from .user_files import GOOD


class Fine:
    deterministic = True

    def reset(self, seat, seed):
        self.n = int(seat.action_space.n)
        self.draw = np.random.default_rng(seed)

    def act(self, turn):
        return int(self.draw.integers(self.n))


def hang():
    while True:
        time.sleep(0.01)


class Raises(Fine):
    def act(self, turn):
        return 1 // 0


class Illegal(Fine):
    def act(self, turn):
        return 99


class Silent(Fine):
    def act(self, turn):
        return Reply(thought="hm")


class Slow(Fine):
    async def act(self, turn):
        import asyncio

        await asyncio.sleep(1)
        return 0


class Hangs(Fine):
    def act(self, turn):
        hang()


class HangsInReset(Fine):
    def reset(self, seat, seed):
        hang()


class HangsMade(Fine):
    def __init__(self):
        hang()


class HangsAtTheEnd(Fine):
    def end(self, outcome):
        hang()


class WaitsInReset(Fine):
    async def reset(self, seat, seed):
        import asyncio

        await asyncio.sleep(60)


class TimesOut(Fine):
    def act(self, turn):
        raise TimeoutError("its own")


class Untransportable(Fine):
    def act(self, turn):
        return {0, 1}


class Fickle(Fine):
    def act(self, turn):
        return int(np.random.default_rng().integers(self.n))


class Forgetless(Fine):
    total = 0

    def act(self, turn):
        self.total += 1
        return self.total // 7 % self.n


class Writes(Fine):
    def act(self, turn):
        turn.observation["last"] += 1
        return super().act(turn)


class Global(Fine):
    def act(self, turn):
        random.random()
        return super().act(turn)


class GlobalNumpy(Fine):
    deterministic = False

    def act(self, turn):
        return int(np.random.randint(self.n))  # noqa: NPY002


class Sampler(Fine):
    deterministic = False

    def act(self, turn):
        return turn.action_space.sample()


class Fails(Fine):
    def reset(self, seat, seed):
        raise RuntimeError("no weights")


class Objects(Fine):
    def act(self, turn):
        return object()


class NoNumber(Fine):
    def act(self, turn):
        return float("nan")


class WrongSpace(Fine):
    def act(self, turn):
        return {"move": 0}


class Babbles(Fine):
    def act(self, turn):
        return "perhaps"


class Masks(Fine):
    def act(self, turn):
        turn.info["noted"] = True
        return super().act(turn)


class Quits(Fine):
    def act(self, turn):
        raise SystemExit(3)


@pytest.mark.parametrize(
    ("agent", "number"),
    [
        (Raises, 1), (Illegal, 2), (Silent, 2), (Slow, 3), (Untransportable, 4), (Fickle, 5),
        (Forgetless, 6), (Writes, 7), (Global, 8), (GlobalNumpy, 8), (Sampler, 9),
        (Fails, 1), (Quits, 1), (Objects, 4), (NoNumber, 2), (WrongSpace, 2),
        (Babbles, 2), (Masks, 1), (TimesOut, 1),
    ],
)  # fmt: skip
def test_each_requirement_can_be_seen_to_be_violated(agent, number):
    with pytest.raises(AgentUnfit) as caught:
        check_agent(agent, time_limit=0.2)
    assert number in caught.value.failures
    assert f"{number}. {REQUIREMENTS[number - 1]}" in str(caught.value)
    assert "Remedy" in str(caught.value)


@pytest.mark.parametrize(
    ("agent", "late"),
    [
        (Hangs, "at step 0, no answer came within 0.4 s; it is at test_checks.py:"),
        (HangsInReset, r"reset\(\) did not return within 0.3 s; it is at test_checks.py:"),
        (HangsMade, "it was not made within 0.3 s; it is at test_checks.py:"),
        (HangsAtTheEnd, r"end\(\) did not return within 0.2 s; it is at test_checks.py:"),
        (WaitsInReset, r"reset\(\) did not return within 0.3 s"),
    ],
)  # fmt: skip
def test_code_that_never_comes_back_is_named_and_holds_nobody_up(agent, late, monkeypatch):
    monkeypatch.setattr("gymposium.agents.checks._STARTUP_SECONDS", 0.3)
    with pytest.raises(AgentUnfit, match=f"3. it answers within the time limit: .*{late}") as it:
        check_agent(agent, time_limit=0.2)
    assert list(it.value.failures) == [3]


def test_a_good_agent_passes():
    check_agent(Fine)


@pytest.mark.parametrize(
    "spec", [i.spec for i in known_agents() if i.spec == "random" or i.spec.startswith("scripted:")]
)
def test_every_shipped_bot_passes_in_the_worlds_it_plays(spec):
    check_agent(spec)


@pytest.mark.parametrize("world", ["iterated_matrix-v0", "haggling-v0", "auction-v0"])
def test_random_passes_everywhere(world):
    check_agent("random", world)


def test_a_users_file_is_checked_in_its_child(tmp_path):
    path = tmp_path / "bots.py"
    path.write_text("class Bot:\n    def act(self, turn):\n        return turn.step % 2\n")
    check_agent(f"{path}:Bot", steps=10)
    path.write_text(GOOD)
    with pytest.raises(AgentUnfit) as caught:
        check_agent(f"{path}:Bot", steps=3)
    assert 2 in caught.value.failures
    path.write_text("class Bot:\n    def act(self, turn):\n        while True: pass\n")
    with pytest.raises(AgentUnfit) as caught:
        check_agent(f"{path}:Bot", steps=3, time_limit=0.1)
    assert list(caught.value.failures) == [3]
    path.write_text("import os\nclass Bot:\n    def act(self, turn):\n        os._exit(7)\n")
    with pytest.raises(AgentUnfit, match=r"1\. it can be made.*7") as caught:
        check_agent(f"{path}:Bot", steps=3)
    assert list(caught.value.failures) == [1]


def test_it_works_inside_a_running_loop():
    import asyncio

    async def notebook():
        check_agent("random")

    asyncio.run(notebook())
