"""What an environment raises is told with the line of its author's file, by whatever door."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import gymposium
from gymposium.cli.app import app
from gymposium.errors import GymposiumError, UsageError

HURTS = """
def hurt(self, where):
    if self.where == where:
        raise ValueError("no way")  # here
    if self.where == where + " in numpy":
        np.stack([])  # there
    if self.where == where + " for a reason":
        try:
            {}["no way"]
        except KeyError as error:
            raise ValueError("no way") from error  # elsewhere
"""
GUESTS = {
    "gymnasium": """
import gymnasium
import numpy as np
from gymnasium import spaces


class Guest(gymnasium.Env):
    observation_space, action_space = spaces.Discrete(4), spaces.Discrete(3)

    def __init__(self, where=""):
        self.where = where
        hurt(self, "init")

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        hurt(self, "reset")
        return 0, {}

    def step(self, action):
        hurt(self, "step")
        return 1, 1.0, True, False, {}


gymnasium.register("RaisingGuest-v0", Guest, max_episode_steps=3)
""",
    "pettingzoo": """
import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils import wrappers


class Spaces:
    def __init__(self, where=""):
        self.where, self.possible_agents = where, ["ann", "bob"]
        hurt(self, "init")

    def observation_space(self, agent):
        return spaces.Discrete(4)

    def action_space(self, agent):
        return spaces.Discrete(3)


class Guest(Spaces, ParallelEnv):
    def reset(self, seed=None, options=None):
        hurt(self, "reset")
        self.agents = self.possible_agents[:]
        return dict.fromkeys(self.agents, 0), {}

    def step(self, actions):
        hurt(self, "step")
        here, self.agents = self.agents, []
        over = dict.fromkeys(here, True)
        return dict.fromkeys(here, 1), dict.fromkeys(here, 1.0), over, over, {}


class Turns(Spaces, AECEnv):
    metadata = {"name": "turns"}

    def reset(self, seed=None, options=None):
        hurt(self, "reset")
        self.agents = self.possible_agents[:]
        self.agent_selection = "ann"
        self.rewards = self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}

    def observe(self, agent):
        return 0

    def step(self, action):
        hurt(self, "step")


def wrapped(where=""):
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(Turns(where)))
""",
    "mesa": """
import mesa
import numpy as np
from gymnasium import spaces


class Guest(mesa.Model):
    def __init__(self, seed=None, where=""):
        super().__init__(seed=seed)
        self.where, self.seats = where, {"ann": (spaces.Discrete(4), spaces.Discrete(3))}
        hurt(self, "init")

    def decisions(self):
        hurt(self, "reset")
        yield ["ann"]
        hurt(self, "step")
        self.step()

    def observe(self, name):
        return 0

    def score(self, name):
        return 0.0
""",
}
DOORS = [
    ("gymnasium", "Guest"),
    ("gymnasium", "RaisingGuest-v0"),  # wrapped by Gymnasium
    ("pettingzoo", "Guest"),
    ("pettingzoo", "Turns"),
    ("pettingzoo", "wrapped"),
    ("mesa", "Guest"),
]


@pytest.fixture
def guests(tmp_path: Path) -> Iterator[Path]:
    for name, code in GUESTS.items():
        (tmp_path / f"{name}_guest.py").write_text(code + "\n" + HURTS, encoding="utf-8")
    yield tmp_path
    from gymnasium import registry

    registry.pop("RaisingGuest-v0", None)


def place(folder: Path, library: str, mark: str) -> str:
    file = folder / f"{library}_guest.py"
    (line,) = (
        number
        for number, text in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if text.endswith(f"# {mark}")
    )
    return f"({file.name}:{line})"


def play(folder: Path, library: str, name: str, where: str) -> str:
    world = f"{library}:{folder / f'{library}_guest.py'}:{name}"
    asked = {
        "name": "raising",
        "worlds": [{"id": world, "params": {"where": where}}],
        "agents": ["random"],
    }
    with pytest.raises(GymposiumError) as caught:
        gymposium.run(asked, out=folder / "run")
    assert library in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(("library", "name"), DOORS)
@pytest.mark.parametrize("where", ["init", "reset", "step"])
def test_the_line_that_raised_stands_in_the_same_sentence(
    guests: Path, library: str, name: str, where: str
) -> None:
    said = play(guests, library, name, where)
    assert f"no way {place(guests, library, 'here')}" in said
    assert said.count("_guest.py:") - said.count(f"_guest.py:{name}") == 1  # once, beside its id


@pytest.mark.parametrize(("library", "name"), DOORS)
def test_the_authors_line_is_told_and_not_that_of_what_it_calls(
    guests: Path, library: str, name: str
) -> None:
    said = play(guests, library, name, "step in numpy")
    assert f"at least one array to stack {place(guests, library, 'there')}" in said


def test_of_an_error_raised_for_another_the_last_line_is_told(guests: Path) -> None:
    said = play(guests, "gymnasium", "Guest", "step for a reason")
    assert f"ValueError: no way {place(guests, 'gymnasium', 'elsewhere')}" in said


def test_workers_tell_it_too(guests: Path) -> None:
    world = f"pettingzoo:{guests / 'pettingzoo_guest.py'}:Turns"
    asked = {
        "name": "raising",
        "worlds": [{"id": world, "params": {"where": "step"}}],
        "agents": ["random"],
    }
    with pytest.raises(GymposiumError) as caught:
        gymposium.run(asked, out=guests / "run", workers=2)
    assert f"no way {place(guests, 'pettingzoo', 'here')}" in str(caught.value)


def test_what_is_raised_outside_a_run_is_the_authors_and_no_internal_error(guests: Path) -> None:
    world = f"gymnasium:{guests / 'gymnasium_guest.py'}:Guest"
    done = CliRunner().invoke(app, ["info", world, "-p", "where=reset"])
    assert done.exit_code == 1
    assert f"ValueError: no way {place(guests, 'gymnasium', 'here')}" in done.stderr
    assert "internal error" not in done.stderr


def test_a_conformance_check_tells_the_authors_line(guests: Path) -> None:
    world = f"gymnasium:{guests / 'gymnasium_guest.py'}:Guest"
    with pytest.raises(GymposiumError) as caught:
        gymposium.check_env(
            lambda: gymposium.make(world, api="world", where="step in numpy"), views=False
        )
    assert place(guests, "gymnasium", "there") in str(caught.value)


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("import gymnasium\n\n1 // 0\n", r"ZeroDivisionError: .* \(broken_guest.py:3\)"),
        ("import gymnasium\nimport no_such_thing\n", r"'no_such_thing' \(broken_guest.py:2\)"),
        ("import gymnasium\n\ndef broken(:\n", r"SyntaxError: .*\(broken_guest.py, line 3\)"),
        ("import sys\nsys.exit('no more')\n", r"SystemExit: no more \(broken_guest.py:2\)"),
    ],
)
@pytest.mark.parametrize("door", ["gymnasium:", "pettingzoo:", "mesa:", ""])
def test_a_file_that_cannot_be_imported_is_told_with_the_line(
    tmp_path: Path, door: str, code: str, says: str
) -> None:
    file = tmp_path / "broken_guest.py"
    file.write_text(code, encoding="utf-8")
    with pytest.raises(UsageError, match=says):
        gymposium.make(f"{door}{file}:Guest")


@pytest.mark.parametrize(
    ("id", "params", "says"),
    [
        ("gymnasium:NoSuchWorld-v0", {}, "gymnasium cannot make"),
        ("gymnasium:CartPole-v1", {"no_such": 1}, "gymnasium cannot make"),
    ],
)
def test_what_only_the_library_refuses_has_no_line_of_anybodys(
    id: str, params: dict[str, int], says: str
) -> None:
    with pytest.raises(UsageError, match=says) as caught:
        gymposium.make(id, **params)
    assert ".py:" not in str(caught.value)
