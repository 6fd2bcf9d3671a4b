"""``gymposium check``: numbered failures with remedies, and what it says of what is not there."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gymposium.cli.app import app

WORLD = '''
import random
from dataclasses import dataclass

from gymnasium.spaces import Discrete

from gymposium.envs.world import RuleWorld


@dataclass(frozen=True)
class TossParams:
    """None."""


class Toss(RuleWorld):
    """Say a number, or another, and be paid for luck; the match is three steps long in all."""

    id = "toss-v0"
    turn_based = True
    kind = "cooperative"
    fault_rule = "No answer wastes the step."
    horizon = 3
    return_range = (0.0, 3.0)

    def __init__(self):
        self.params = TossParams()
        self._seat_all(["player_0"], {"player_0": Discrete(8)}, {"player_0": Discrete(2)})

    def _begin(self, rng):
        self._luck, self._seen = [%s for _ in range(4)], 0

    def _actors(self):
        return self.possible_seats

    def _play(self, actions):
        self._seen += 1
        return {"player_0": float(self._luck[self._seen] == actions["player_0"])}

    def _ended(self):
        return self._seen >= 3, False, "three steps"

    def _observe(self, seat):
        import numpy as np

        return np.int64(self._seen + 4 * self._luck[self._seen])

    def _state(self):
        return repr((self._luck, self._seen)).encode()
'''


def call(*words: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, ["check", *words])
    assert done.exit_code == code, done.output
    return done.output


def test_a_world_that_is_fit_is_said_to_be() -> None:
    assert "every requirement is met" in call("world", "iterated_matrix", "--steps", "20")


def test_a_world_of_ones_own_is_checked_from_its_file(tmp_path: Path) -> None:
    fair, unfair = tmp_path / "fair_toss.py", tmp_path / "unfair_toss.py"
    fair.write_text(WORLD % "int(rng.integers(2))")
    unfair.write_text(WORLD % "random.randrange(2)")
    assert "every requirement is met" in call("world", f"{fair}:Toss", "--no-views")
    said = call("world", f"{unfair}:Toss", "--no-views", code=1)
    assert "7. Toss: making or playing the world moved the process-wide generator of " in said
    assert "Remedy: use the generator given to _begin" in said
    found = json.loads(call("world", f"{unfair}:Toss", "--no-views", "--json", code=1))
    assert not found["fit"]
    assert {"number", "what", "found", "remedy"} == set(found["failures"][0])


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("__import__('os')._exit(3)", ": it took down the process that checked it."),
        ("__import__('time').sleep(60)", "nothing came back within 2 s; it is at bad_toss.py:"),
        ("None.luck", "AttributeError: 'NoneType' object has no attribute 'luck' (bad_toss.py:"),
        ("__import__('sys').exit(3)", "SystemExit: 3 (bad_toss.py:"),
        ("(_ for _ in ()).throw(KeyboardInterrupt('no'))", "KeyboardInterrupt: no (bad_toss.py:"),
    ],
    ids=["dies", "hangs", "raises", "exits", "interrupts"],
)
def test_a_world_that_dies_hangs_or_raises_is_told_with_a_remedy(
    tmp_path: Path, fault: str, says: str
) -> None:
    file = tmp_path / "bad_toss.py"
    file.write_text(WORLD % fault)
    said = call("world", f"{file}:Toss", "--no-views", "--time-limit", "2", code=1)
    assert said.count(says) == 1
    assert "Remedy: " in said


def test_an_agent_is_checked_by_its_spec(tmp_path: Path) -> None:
    assert "every requirement is met" in call("agent", "scripted:grim")
    file = tmp_path / "mine.py"
    file.write_text("def act(turn):\n    return 99\n")
    said = call("agent", f"{file}:act", "--steps", "5", code=1)
    assert "2. it answers with what is legal" in said
    found = json.loads(call("agent", f"{file}:act", "--steps", "5", "--json", code=1))
    assert found["failures"][0]["number"] == 2


def test_what_an_agent_does_to_all_others_things_is_seen_though_it_runs_apart(
    tmp_path: Path,
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "import numpy\n"
        "def act(turn):\n    print('thinking')\n    return int(numpy.random.randint(2))\n"
        "def writes(turn):\n    turn.observation['last'] += 1\n    return 0\n"
    )
    said = call("agent", f"{file}:act", "--steps", "5", code=1)
    assert "8. it does not draw from the global random generators" in said
    assert "numpy.random had moved" in said
    assert "thinking" not in said
    assert "7. it leaves the observation" in call("agent", f"{file}:writes", code=1)


ENDS = """
import os, signal, sys

class Panic(BaseException):
    pass

def exits(turn):
    sys.exit(3)

def dies(turn):
    os._exit(3)

def crashes(turn):
    os.kill(os.getpid(), signal.SIGKILL)

def panics(turn):
    raise Panic("at src/lib.rs")

def interrupts(turn):
    raise KeyboardInterrupt

class Unmade:
    def __init__(self):
        os._exit(4)
    def act(self, turn):
        return 0
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("name", ["exits", "dies", "crashes", "panics", "interrupts", "Unmade"])
@pytest.mark.parametrize("trusted", [(), ("--trusted",)], ids=["apart", "trusted"])
def test_an_agent_that_ends_its_process_fails_the_first_requirement(
    tmp_path: Path, name: str, trusted: tuple[str, ...]
) -> None:
    file = tmp_path / "ends.py"
    file.write_text(ENDS)
    found = json.loads(call("agent", f"{file}:{name}", "--steps", "3", "--json", *trusted, code=1))
    assert [it["number"] for it in found["failures"]] == [1]
    whole = " ".join(it["found"] for it in found["failures"])
    assert any(word in whole for word in ("SystemExit", "process", "Panic", "KeyboardInterrupt"))


HANGS = """
import re, time

def waits(turn):
    while True:
        time.sleep(0.01)

def matches(turn):
    return len(re.match("(a|aa)+$", "a" * 200 + "b"))
"""


@pytest.mark.parametrize("name", ["waits", "matches"])
@pytest.mark.parametrize("trusted", [(), ("--trusted",)], ids=["apart", "trusted"])
def test_an_agent_that_never_answers_fails_the_third_requirement(
    tmp_path: Path, name: str, trusted: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gymposium.cli.check._LONGER", 3.0)
    file = tmp_path / "hangs.py"
    file.write_text(HANGS)
    words = ("agent", f"{file}:{name}", "--time-limit", "0.5", *trusted)
    said = call(*words, code=1)
    assert "3. it answers within the time limit: " in said
    assert said.count("Remedy: do less") == 1
    found = json.loads(call(*words, "--json", code=1))
    assert [it["number"] for it in found["failures"]] == [3]


def test_a_world_whose_native_code_never_comes_back_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gymposium.cli.check._LONGER", 3.0)
    file = tmp_path / "bad_toss.py"
    file.write_text(WORLD % "__import__('re').match('(a|aa)+$', 'a' * 200 + 'b')")
    said = call("world", f"{file}:Toss", "--no-views", "--time-limit", "0.5", code=1)
    assert "nothing came back within 3.5 s" in said
    assert "Remedy: let reset, step" in said


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("world", "iterated_matriks-v0"), "iterated_matrix"),
        (("world", "nowhere.py:Toss"), "there is no file nowhere.py"),
        (("world", "json:Tosser"), "Tosser"),
        (("agent", "scripted:grimm"), "grim"),
        (("agent", "random", "--world", "auktion-v0"), "auction"),
    ],
)
def test_what_is_not_there_is_named(words: tuple[str, ...], says: str) -> None:
    done = CliRunner().invoke(app, ["check", *words])
    assert done.exit_code == 2
    assert says in done.output + (done.stderr if done.stderr_bytes else "")
