"""An environment of one's own is played by where it is, as a class, a function or an id."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import pytest

import gymposium
from gymposium.envs.checks import WorldUnfit, check_env
from gymposium.errors import UnknownName, UsageError

from . import foreign_envs

FILE = str(Path(foreign_envs.__file__))
MODULE = foreign_envs.__name__
OWN = (
    f"gymnasium:{FILE}:Echo",
    f"gymnasium:{MODULE}:Echo",
    f"pettingzoo:{FILE}:Mortal",
    f"pettingzoo:{FILE}:MortalTurns",
    f"pettingzoo:{MODULE}:make_turns",
)


@pytest.mark.parametrize("id", OWN)
def test_environments_of_ones_own_meet_every_requirement(id: str) -> None:
    gymposium.check_env(id)


def test_an_id_that_an_import_registers_is_found_as_gymnasium_writes_it(tmp_path: Path) -> None:
    (tmp_path / "maze.py").write_text(
        "import gymnasium\n"
        f"gymnasium.register('OwnMaze-v0', '{MODULE}:Echo', max_episode_steps=3)\n",
        encoding="utf-8",
    )
    try:
        world = gymposium.make(f"gymnasium:{tmp_path / 'maze.py'}:OwnMaze-v0", api="world")
        assert world.horizon == 3
        assert world.reset(0)["player_0"].step == 0
    finally:
        gymnasium.registry.pop("OwnMaze-v0", None)


def test_a_class_that_shares_its_spaces_is_sampled_apart() -> None:
    id = f"gymnasium:{FILE}:Careless"  # the spaces are attributes of the class
    one, two = (gymposium.make(id, api="world") for _ in range(2))
    spaces = [world.seats["player_0"].action_space for world in (one, two)]
    assert spaces[0] is not spaces[1]
    assert all(space is not foreign_envs.Careless.action_space for space in spaces)


def test_they_sit_in_a_tournament_by_their_file(tmp_path: Path) -> None:
    run = gymposium.run(
        {
            "name": "own",
            "worlds": [{"id": f"gymnasium:{FILE}:Echo"}, {"id": f"pettingzoo:{FILE}:Mortal"}],
            "agents": ["random"],
        },
        out=tmp_path / "run",
        workers=2,
    )
    assert set(run.matches()["world"]) == {f"gymnasium:{FILE}:Echo", f"pettingzoo:{FILE}:Mortal"}
    assert not run.matches()["faults"].any()


@pytest.mark.parametrize(
    ("id", "says"),
    [
        (f"gymnasium:{FILE}:Eco", "has no 'Eco'; its classes: .*Echo"),
        (f"gymnasium:{MODULE}:Ech-v0", "Ech"),
        (f"gymnasium:{FILE}:Mortal", "what is made is a Mortal, no gymnasium.Env"),
        (f"gymnasium:{FILE}:NOT_AN_ENVIRONMENT", "is a int; name a class or function"),
        (f"pettingzoo:{FILE}:Echo", "what is made is a Echo, no ParallelEnv and no AECEnv"),
        ("gymnasium:nowhere.py:Echo", "nowhere.py cannot be imported: there is no file"),
        ("pettingzoo:no.such_module:Echo", "no.such_module cannot be imported"),
        (f"pettingzoo:{MODULE}:nothing-v0", "unknown PettingZoo environment"),
    ],
)
def test_what_is_not_there_or_no_environment_is_told(id: str, says: str) -> None:
    with pytest.raises((UsageError, UnknownName), match=says):
        gymposium.make(id)


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({}, "nobody to play it: possible_agents is empty"),
        ({"names": [0, 1]}, "named by printable text, got 0"),
        ({"names": ["a\nb"]}, r"named by printable text, got 'a\\nb'"),
        ({"names": ["ann", "ann"]}, "two agents have the same name"),
        ({"names": ["ann"], "spaceless": True}, "the action space of ann is a NoneType"),
    ],
)
def test_seats_that_cannot_be_are_told_when_it_is_made(params: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        gymposium.make(f"pettingzoo:{FILE}:Peopled", **params)


@pytest.mark.parametrize(
    ("name", "prefix"),
    [("Echo", "gymnasium"), ("Mortal", "pettingzoo"), ("MortalTurns", "pettingzoo")],
)
def test_a_guest_without_its_prefix_is_shown_the_door(name: str, prefix: str) -> None:
    with pytest.raises(UsageError, match=f"name it {prefix}:{FILE}:{name}"):
        gymposium.make(f"{FILE}:{name}")
    with pytest.raises(WorldUnfit, match=f"name it {prefix}:FILE.py:{name}"):
        check_env(getattr(foreign_envs, name))
