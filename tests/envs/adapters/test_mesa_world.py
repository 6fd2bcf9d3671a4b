"""Mesa models as worlds: the decision hook is kept, and what lacks it is refused in a sentence."""

from __future__ import annotations

import copy
import gc
import pickle
import random
import sys
from pathlib import Path

import numpy as np
import pytest

import gymposium
from gymposium.envs.registry import make_world
from gymposium.errors import MissingExtra, UnknownName, UsageError

from . import mesa_models

HERE = mesa_models.__name__
EXAMPLES = "gymposium.envs.adapters.mesa_examples"


def make(name, **params):
    return gymposium.make(f"mesa:{HERE}:{name}", api="world", **params)


@pytest.mark.parametrize(
    ("id", "ticks"),
    [
        (f"mesa:{EXAMPLES}:Boltzmann", 12),
        (f"mesa:{EXAMPLES}:Neighbourhood", 10),
        (f"mesa:{HERE}:Auctioneer", 100),
    ],
)
def test_a_model_with_a_hook_meets_every_requirement(id, ticks):
    gymposium.check_env(lambda: make_world(id, ticks=ticks))


def test_seats_are_asked_in_the_midst_of_a_tick_and_paid_by_the_change_of_their_score():
    world = make("Auctioneer")
    turns, asked = world.reset(0), []
    while turns:
        ((seat, turn),) = turns.items()
        asked.append(seat)
        assert turn.action_mask.tolist() == [1, seat != "cyd"]
        turns = world.step({seat: 1 if seat != "cyd" else 0})
    odd, even = ["ann", "bob", "cyd"], ["ann", "bob"]
    assert asked == even + odd + even + odd + even + odd + even
    model = world._model
    assert world.outcome.returns == {name: 10.0 * won for name, won in model.won.items()}
    assert world.outcome.returns["ann"] == 70.0
    assert world.outcome.terminated["ann"]
    assert world.outcome.reason == "the model has stopped running"
    assert model.heard[0] == {"ann": 1}


def test_a_match_is_cut_off_after_the_ticks_asked_for():
    world = make("Auctioneer", ticks=2)
    turns = world.reset(0)
    while turns:
        turns = world.step(dict.fromkeys(turns, 0))
    assert world.outcome.truncated["ann"]
    assert world.outcome.reason == "2 ticks have passed"


def test_the_data_collectors_figures_are_metrics_and_a_table():
    world = make("Auctioneer")
    turns = world.reset(3)
    while turns:
        turns = world.step(dict.fromkeys(turns, 0))
    series = world.outcome.tables["series"]
    assert list(series) == ["left"]  # a list is no figure
    assert len(series["left"]) == 7
    assert world.outcome.metrics == {"left": series["left"][-1]}


def test_actions_have_the_names_that_the_model_gives_them():
    world = make("Auctioneer")
    turn = world.reset(0)["ann"]
    assert turn.schema["enum"] == ["pass", "take"]
    assert world.parse("ann", "I take it", turn.observation, turn.info) == 1
    assert "Two asked in turn" in world.seats["ann"].rules


def test_a_copy_is_the_same_match_played_again():
    world = make("Auctioneer", prize=9)
    turns = world.reset(5)
    for _ in range(4):
        turns = world.step(dict.fromkeys(turns, 0))
    for twin in (copy.deepcopy(world), pickle.loads(pickle.dumps(world))):
        assert twin.fingerprint() == world.fingerprint()
        assert twin._model is not world._model
        assert twin._model.heard == world._model.heard


def test_what_ignores_its_seed_is_repeatable_and_leaves_the_generators_alone():
    def shown(seed):
        world = make("Careless", ticks=3)
        turns, seen = world.reset(seed), []
        while turns:
            seen.append(turns["ann"].observation)
            turns = world.step(dict.fromkeys(turns, 0))
        return seen

    random.seed(1)
    before = random.getstate(), np.random.get_state()[1].tobytes()  # noqa: NPY002
    assert shown(1) == shown(1)
    assert shown(1) != shown(2)
    assert (random.getstate(), np.random.get_state()[1].tobytes()) == before  # noqa: NPY002


def test_models_are_let_go_and_until_then_give_every_agent_a_number_of_its_own():
    import mesa

    before = len(mesa.Agent._ids)
    world = make_world(f"mesa:{EXAMPLES}:Boltzmann")
    for seed in range(4):
        world.reset(seed)
    assert len(mesa.Agent._ids) == before + 1
    assert mesa.Agent(world._model).unique_id == 51
    del world
    gc.collect()
    assert len(mesa.Agent._ids) == before


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("NoScore", "no decision hook: it lacks score; a model with seats needs seats, decisions"),
        ("NoSeats", "seats must be a mapping from a name to"),
        ("Seedless", "takes neither seed nor rng"),
        ("Broken", "mesa cannot make .*no luck today"),
        ("Nothing", "cannot be found: .*Nothing"),
        ("VIEW", "VIEW is not a mesa.Model"),
    ],
)
def test_what_cannot_be_a_world_is_refused_when_it_is_made(name, says):
    with pytest.raises(UsageError, match=says):
        make(name)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("AsksStrangers", "asked dan, which is no seat"),
        ("AsksNobody", "asked nobody"),
        ("NoGenerator", "must be a generator, which yields the names of seats; it returned list"),
        ("NeverAsks", "has stopped running before any seat was asked"),
    ],
)
def test_a_hook_that_is_not_kept_is_named_when_the_match_begins(name, says):
    with pytest.raises(UsageError, match=says):
        make(name).reset(0)


@pytest.mark.parametrize(
    ("id", "says"),
    [
        ("mesa:nowhere.at.all:Model", "cannot be found: No module named 'nowhere'"),
        ("mesa:Model", "as in mesa:package.module:Model"),
        ("mesa:missing.py:Model", "there is no file missing.py"),
    ],
)
def test_models_that_are_not_there_are_named(id, says):
    with pytest.raises(UsageError, match=says):
        make_world(id)


def test_other_parameters_are_checked_too():
    with pytest.raises(UsageError, match="ticks must be 1 to 1000000, got 0"):
        make("Auctioneer", ticks=0)
    with pytest.raises(UnknownName, match="cooperative"):
        make("Auctioneer", kind="cooperating")
    with pytest.raises(UsageError, match="mesa cannot make"):
        make("Auctioneer", prizes=3)


def test_a_model_in_a_file_is_found_by_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(Path(mesa_models.__file__).read_text("utf-8"), "utf-8")
    world = make_world("mesa:mine.py:Auctioneer")
    twin = make_world(f"mesa:{HERE}:Auctioneer")
    assert world.reset(1)["ann"].observation == twin.reset(1)["ann"].observation


def test_without_mesa_the_install_line_is_given(monkeypatch):
    monkeypatch.setitem(sys.modules, "mesa", None)
    with pytest.raises(MissingExtra, match=r"pip install 'gymposium\[mesa\]'"):
        make("Auctioneer")
