"""``gymposium check agent`` looks at a user's agent twice, and tells what either look has found.

Once in its own process, as a run has it, and once in the process of who checks, which alone sees
what it does to things that are everybody's.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gymposium.cli.app import app

AGENTS = """
import os, re, sys
import numpy

spec = sys.modules["__main__"].__spec__
ALONE = spec is not None and spec.name == "gymposium.agents.isolation.child"

def fair(turn):
    return 0

def draws(turn):
    return int(numpy.random.randint(2))

def errs_and_draws(turn):
    numpy.random.random()
    return 99

def errs_in_two_ways(turn):
    return 99 if ALONE else 77

def errs_alone(turn):
    return 99 if ALONE else 0

def raises_alone(turn):
    numpy.random.random()
    return 1 // (not ALONE)

def errs_alone_and_dies_here(turn):
    return 99 if ALONE else os._exit(3)

def errs_alone_and_raises_here(turn):
    return 99 if ALONE else 1 // 0

def errs_alone_and_freezes_here(turn):
    return 99 if ALONE else len(re.match("(a|aa)+$", "a" * 200 + "b"))

def answers_a_set(turn):
    return {0, 1}

def answers_a_megabyte_too_much(turn):
    return numpy.zeros(9 * 2**20, numpy.uint8)

class Odd(dict):
    def items(self):
        raise RuntimeError("no items today")

def answers_what_raises(turn):
    return Odd()
"""


def found(tmp_path: Path, name: str, *more: str) -> dict[int, str]:
    file = tmp_path / "twice.py"
    file.write_text(AGENTS, encoding="utf-8")
    words = ["check", "agent", f"{file}:{name}", "--steps", "3", "--time-limit", "2", "--json"]
    done = CliRunner().invoke(app, [*words, *more])
    told = json.loads(done.output)
    assert done.exit_code == (0 if told["fit"] else 1)
    assert told["fit"] == (not told["failures"])
    return {each["number"]: each["found"] for each in told["failures"]}


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("fair", []),
        ("draws", [8]),  # only the second look sees it
        ("errs_alone", [2]),  # only the first one
        ("errs_and_draws", [2, 8]),
        ("errs_alone_and_dies_here", [1, 2]),
        ("errs_alone_and_raises_here", [1, 2]),
    ],
)
def test_what_either_look_finds_is_told(tmp_path: Path, name: str, numbers: list[int]) -> None:
    assert list(found(tmp_path, name)) == numbers


def test_what_both_find_is_told_once_and_as_a_run_sees_it(tmp_path: Path) -> None:
    (two,) = found(tmp_path, "errs_in_two_ways").items()
    assert two[0] == 2
    assert "99 is not one of the actions" in two[1]
    (trusted,) = found(tmp_path, "errs_in_two_ways", "--trusted").items()
    assert "77 is not one of the actions" in trusted[1]


def test_of_an_agent_that_raises_no_second_look_is_taken(tmp_path: Path) -> None:
    assert list(found(tmp_path, "raises_alone")) == [1]  # the second would tell of 8


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_second_look_that_freezes_takes_nothing_from_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gymposium.cli.check._LONGER", 1.0)
    seen = found(tmp_path, "errs_alone_and_freezes_here")
    assert list(seen) == [2, 3]
    assert seen[3] == "nothing came back within 5 s."


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("answers_a_set", "at step 0, a builtins.set cannot be sent"),
        ("answers_a_megabyte_too_much", "at step 0, the answer is too large: 12 MiB, at most 8"),
        ("answers_what_raises", "at step 0, RuntimeError: no items today (twice.py:"),
    ],
)
def test_an_answer_that_cannot_be_sent_fails_the_fourth_requirement(
    tmp_path: Path, name: str, says: str
) -> None:
    seen = found(tmp_path, name, "--steps", "1")
    assert 1 not in seen
    assert says in seen[4]
