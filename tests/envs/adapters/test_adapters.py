"""Foreign worlds: turns, rewards, masks and seeds survive the crossing, and nothing else does."""

from __future__ import annotations

import copy
import pickle
import random
import sys
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from pettingzoo.env_registry.registration import (
    aec_registry,
    parallel_registry,
)
from pettingzoo.env_registry.registration import register as register_pettingzoo

import gymposium
from gymposium.errors import IllegalAction, MissingExtra, UnknownName, UsageError

from . import foreign_envs
from .foreign_envs import SPACES

LIBRARIES = (
    "gymnasium:CartPole-v1",
    "gymnasium:FrozenLake-v1",
    "gymnasium:Taxi-v4",
    "gymnasium:Pendulum-v1",
    "pettingzoo:classic/connect_four_v3",
    "pettingzoo:classic/rps_v2",
    "openspiel:kuhn_poker",
    "openspiel:matrix_rps",
    "openspiel:goofspiel(imp_info=True,num_cards=4,points_order=descending)",
    "textarena:TicTacToe-v0",
)


@pytest.fixture(autouse=True)
def known() -> Iterator[None]:
    for name in ("Echo", "Careless", "Endless"):
        gymnasium.register(f"Foreign{name}-v0", f"{foreign_envs.__name__}:{name}")
    register_pettingzoo("parallel", "foreign/mortal-v0", f"{foreign_envs.__name__}:Mortal")
    register_pettingzoo("aec", "foreign/turns-v0", f"{foreign_envs.__name__}:MortalTurns")
    yield
    for name in ("Echo", "Careless", "Endless"):
        del gymnasium.registry[f"Foreign{name}-v0"]
    del parallel_registry["foreign/mortal-v0"], aec_registry["foreign/turns-v0"]


def play(world: Any, seed: int) -> tuple[dict[str, float], list[Any]]:
    """Random legal play; rewards by seat as turns brought them, and everything shown."""
    turns, shown = world.reset(seed), []
    got = dict.fromkeys(world.seats, 0.0)
    rng = np.random.default_rng(seed)
    while turns:
        actions = {}
        for seat, turn in turns.items():
            got[seat] += turn.reward
            shown.append((seat, turn.text))
            space = copy.deepcopy(turn.action_space)
            space.seed(int(rng.integers(2**31)))
            actions[seat] = space.sample(turn.action_mask)
        turns = world.step(actions)
    return got, shown


@pytest.mark.parametrize("id", LIBRARIES)
def test_worlds_of_other_libraries_meet_every_requirement(id: str) -> None:
    gymposium.check_env(id)


@pytest.mark.parametrize("space", SPACES)
def test_every_space_crosses_in_a_gymnasium_environment(space: str) -> None:
    world = gymposium.make("gymnasium:ForeignEcho-v0", api="world", space=space)
    got, _ = play(world, 1)
    assert world.outcome.returns == {"player_0": 2.5}
    assert got["player_0"] + world.outcome.final_rewards["player_0"] == 2.5
    assert world.outcome.terminated["player_0"]


@pytest.mark.parametrize("space", [name for name in SPACES if name != "text"])
def test_every_space_crosses_in_a_parallel_environment(space: str) -> None:
    play(gymposium.make("pettingzoo:foreign/mortal-v0", api="world", space=space), 3)


def test_a_foreign_info_reaches_nobody() -> None:
    world = gymposium.make("gymnasium:ForeignEcho-v0", api="world")
    assert world.reset(0)["player_0"].info == {}


@pytest.mark.parametrize("seed", range(12))
def test_seats_that_leave_early_are_asked_no_more_and_keep_their_rewards(seed: int) -> None:
    world = gymposium.make("pettingzoo:foreign/mortal-v0", api="world")
    turns, asked = world.reset(seed), dict.fromkeys(world.seats, 0)
    while turns:
        for seat in turns:
            asked[seat] += 1
        turns = world.step(dict.fromkeys(turns, 0))
    for seat, life in asked.items():
        assert world.outcome.returns[seat] == life - 1 + 10 * life


@pytest.mark.parametrize("seed", range(12))
def test_rewards_of_others_deaths_arrive_in_an_aec_environment(seed: int) -> None:
    world = gymposium.make("pettingzoo:foreign/turns-v0", api="world")
    turns, order = world.reset(seed), []
    got = dict.fromkeys(world.seats, 0.0)
    while turns:
        ((seat, turn),) = turns.items()
        got[seat] += turn.reward
        order.append(seat)
        turns = world.step({seat: 0})
    last = {seat: max(i for i, s in enumerate(order) if s == seat) for seat in world.seats}
    for seat in world.seats:
        deaths = sum(last[other] < last[seat] for other in world.seats)
        assert world.outcome.returns[seat] == order.count(seat) - 1 + 5 * deaths
        assert got[seat] + world.outcome.final_rewards[seat] == world.outcome.returns[seat]


@pytest.mark.parametrize("where", ["observation", "info"])
def test_masks_are_found_in_the_observation_or_in_info(where: str) -> None:
    world = gymposium.make("pettingzoo:foreign/mortal-v0", api="world", mask=where)
    turn = world.reset(0)["ann"]
    assert turn.action_mask.tolist() == [1, 0, 0, 0]
    assert turn.schema["enum"] == [0] or turn.schema.get("enum") == ["0"] or turn.schema
    play(world, 2)  # the environment itself insists on legal actions


@pytest.mark.parametrize("seed", [0, 7])
def test_what_ignores_its_seed_is_repeatable_all_the_same(seed: int) -> None:
    state, numpys = random.getstate(), pickle.dumps(np.random.get_state())  # noqa: NPY002
    worlds = [gymposium.make("gymnasium:ForeignCareless-v0", api="world") for _ in range(2)]
    random.seed(seed)
    again = random.getstate()
    assert play(worlds[0], 5)[1] == play(worlds[1], 5)[1]
    assert play(worlds[0], 5)[1] != play(worlds[1], 6)[1]
    assert random.getstate() == again
    random.setstate(state)
    assert pickle.dumps(np.random.get_state()) == numpys  # noqa: NPY002


def test_what_never_ends_is_cut_off() -> None:
    world = gymposium.make("gymnasium:ForeignEndless-v0", api="world")
    world.horizon = 7
    play(world, 0)
    assert world.outcome.truncated["player_0"]
    assert "limit of 7 steps" in world.outcome.reason


def test_silence_is_a_random_legal_action() -> None:
    world = gymposium.make("openspiel:tic_tac_toe", api="world")
    turns = world.reset(4)
    while turns:
        turns = world.step(dict.fromkeys(turns))
    assert sum(world.outcome.returns.values()) == 0


def test_openspiels_games_say_what_kind_they_are() -> None:
    kinds = {
        name: gymposium.make(f"openspiel:{name}", api="world").kind
        for name in ("kuhn_poker", "tiny_hanabi", "matrix_pd")
    }
    assert kinds == {"kuhn_poker": "zero_sum", "tiny_hanabi": "cooperative", "matrix_pd": "mixed"}


def test_a_model_reads_openspiels_words_and_answers_by_name() -> None:
    world = gymposium.make("openspiel:kuhn_poker", api="world")
    ((seat, turn),) = world.reset(0).items()
    assert turn.schema["enum"] == ["Pass", "Bet"]
    assert "You may: Pass, Bet." in turn.text
    action = world.words.parse(seat, "bet", turn.observation, turn.info)
    assert action == 1
    with pytest.raises(IllegalAction, match="say one of: Pass, Bet"):
        world.words.parse(seat, "fold", turn.observation, turn.info)


def test_where_nothing_is_hidden_the_board_is_shown() -> None:
    world = gymposium.make("openspiel:tic_tac_toe", api="world")
    world.reset(0)
    turns = world.step({"player_0": 4})
    assert "...\n.x.\n..." in turns["player_1"].text


def test_a_game_of_words_is_won_in_words() -> None:
    world = gymposium.make("textarena:TicTacToe-v0", api="world", kind="zero_sum")
    turns = world.reset(0)
    for move in ("[0]", "[3]", "[1]", "[4]", "[2]"):
        ((seat, _),) = turns.items()
        turns = world.step({seat: move})
    assert world.outcome.returns == {"player_0": 1.0, "player_1": -1.0}


def test_foreign_and_own_worlds_meet_in_one_tournament(tmp_path: Any) -> None:
    run = gymposium.run(
        {
            "name": "mixed",
            "worlds": [
                {"id": "pettingzoo:classic/rps_v2", "params": {"kind": "zero_sum"}},
                {"id": "openspiel:kuhn_poker"},
            ],
            "schedule": {"kind": "pairs", "repeats": 4},
            "agents": ["random", {"spec": "random", "name": "other"}],
        },
        out=tmp_path / "run",
    )
    assert len(run.rows) == 2 * 2 * 4
    assert not any(seat.faults for row in run.rows for seat in row.seats)


@pytest.mark.parametrize(
    ("id", "says"),
    [
        ("gymnasium:CartPol-v1", "CartPole"),
        ("pettingzoo:classic/conect_four_v3", "connect_four"),
        ("openspiel:khun_poker", "khun_poker"),
        ("textarena:Nothing-v0", "Nothing-v0"),
        ("gymnasum:CartPole-v1", "gymnasium"),
        ("gymnasium:", "say which world"),
    ],
)
def test_worlds_that_are_not_there_are_named(id: str, says: str) -> None:
    with pytest.raises((UsageError, UnknownName), match=says):
        gymposium.make(id)


@pytest.mark.parametrize(
    ("id", "module", "extra"),
    [
        ("openspiel:kuhn_poker", "pyspiel", "openspiel"),
        ("textarena:TicTacToe-v0", "textarena", "textarena"),
        ("mesa:mesa.examples:Schelling", "mesa", "mesa"),
    ],
)
def test_a_library_that_is_not_installed_comes_with_its_install_line(
    monkeypatch: pytest.MonkeyPatch, id: str, module: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=rf"{id}.*pip install 'gymposium\[{extra}\]'"):
        gymposium.make(id)


def test_parameters_that_the_other_library_refuses_are_its_own_to_explain() -> None:
    with pytest.raises(UsageError, match="gymnasium cannot make 'CartPole-v1'"):
        gymposium.make("gymnasium:CartPole-v1", wheels=3)
    with pytest.raises(UnknownName, match="zero_sum"):
        gymposium.make("pettingzoo:classic/rps_v2", kind="zero-sum")
