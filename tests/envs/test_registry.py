"""Ids, versions, near misses, parameters, and the same world through every door."""

from __future__ import annotations

import json
import subprocess
import sys
import types
from importlib.metadata import EntryPoint

import gymnasium
import pettingzoo
import pytest

import gymposium
from gymposium.envs import registry
from gymposium.envs.registry import WorldSpec
from gymposium.errors import UnknownName, UsageError

from . import tiny_worlds
from .tiny_worlds import GUESS, Guess


@pytest.fixture
def guess(monkeypatch):
    module = types.ModuleType("guess_for_tests")
    module.Guess, module.GuessParams = Guess, tiny_worlds.GuessParams
    monkeypatch.setitem(sys.modules, "guess_for_tests", module)
    registry.register(GUESS)
    yield GUESS
    registry.unregister(GUESS.id)


def world(id, **changes):
    known = registry.spec("iterated_matrix-v0")
    return WorldSpec(id=id, entry_point=known.entry_point, summary="", seats=(2, 2), kind="mixed",
                     turn_based=False, **changes)  # fmt: skip


def test_every_world_is_listed_once_with_what_a_listing_shows():
    listed = registry.specs()
    ids = [spec.id for spec in listed]
    assert ids == sorted(set(ids))
    assert {"iterated_matrix-v0", "haggling-v0", "auction-v0"} <= set(ids)
    for spec in listed:
        assert spec.summary
        assert "\n" not in spec.summary
        assert spec.load().id == spec.id


@pytest.mark.parametrize(
    "spelled", ["iterated_matrix-v0", "iterated_matrix", "gymposium/iterated_matrix-v0",
                "IteratedMatrix-v0", "IteratedMatrix"]
)  # fmt: skip
def test_a_world_is_found_under_its_spellings(spelled):
    assert registry.spec(spelled).id == "iterated_matrix-v0"


def test_without_a_version_the_newest_is_meant():
    registry.register(world("iterated_matrix-v12"))
    try:
        assert registry.spec("iterated_matrix").version == 12
        assert registry.spec("iterated_matrix-v0").version == 0
    finally:
        registry.unregister("iterated_matrix-v12")


def test_a_near_miss_is_suggested():
    with pytest.raises(UnknownName, match="did you mean 'iterated_matrix-v0'"):
        registry.spec("iterate_matrx-v0")
    with pytest.raises(UnknownName, match="iterated_matrix-v0"):
        registry.spec("iterated_matrix-v7")
    with pytest.raises(UnknownName, match="did you mean 'rounds'"):
        registry.make("iterated_matrix-v0", round=3)
    with pytest.raises(UnknownName, match="did you mean 'parallel'"):
        registry.make("iterated_matrix-v0", api="parall")


@pytest.mark.parametrize("id", ["Camel-v0", "no_version", "x-v", "-v0", "a b-v0"])
def test_a_malformed_id_cannot_be_registered(id):
    with pytest.raises(UsageError, match="snake_case-v0"):
        world(id)


def test_an_id_is_taken_once():
    registry.register(registry.spec("iterated_matrix-v0"))  # the same again: nothing happens
    with pytest.raises(UsageError, match="is taken"):
        registry.register(world("iterated_matrix-v0"))


def test_a_world_that_cannot_be_imported_says_why():
    registry.register(WorldSpec("lost-v0", "no_such_module:World", "", (2, 2), "mixed", True))
    try:
        with pytest.raises(UsageError, match="no_such_module"):
            registry.make("lost-v0")
    finally:
        registry.unregister("lost-v0")


def test_parameters_are_described_as_plain_data():
    for spec in registry.specs():
        described = registry.parameters(spec.id)
        assert json.loads(json.dumps(described)) == described
        for name, entry in described.items():
            assert entry["doc"], f"{spec.id}.{name} is not documented"
            assert "default" in entry
    rounds = registry.parameters("iterated_matrix-v0")["rounds"]
    assert rounds["default"] == 10
    assert rounds["unit"] == "rounds"
    assert rounds["type"] == "int"


def test_the_native_door_fits_the_world(guess):
    assert isinstance(registry.make("iterated_matrix-v0"), pettingzoo.ParallelEnv)
    assert isinstance(registry.make("haggling-v0"), pettingzoo.AECEnv)
    assert isinstance(registry.make("guess-v0"), gymnasium.Env)
    assert isinstance(registry.make("guess-v0", api="world"), Guess)


def test_every_door_of_pettingzoo_gives_the_same_world():
    for spec in registry.specs():
        seed = 11
        world = registry.make_world(spec.id)
        world.reset(seed)
        for api in ("parallel", "aec"):
            ours = gymposium.make(spec.id, api=api)
            theirs = pettingzoo.make(api, f"gymposium/{spec.id}")
            for view in (ours, theirs):
                view.reset(seed=seed)
                assert view.world.fingerprint() == world.fingerprint()
                assert view.world.params == world.params
            assert type(ours) is type(theirs)


def test_parameters_and_render_mode_pass_through_the_doors():
    view = pettingzoo.make("parallel", "gymposium/iterated_matrix-v0", rounds=3, render_mode="ansi")
    assert view.world.params.rounds == 3
    view.reset(seed=0)
    assert "Round 1 of 3" in view.render()
    with pytest.raises(UsageError, match="render_mode"):
        pettingzoo.make("aec", "gymposium/iterated_matrix-v0", render_mode="human")


def test_a_world_of_one_seat_is_in_gymnasiums_registry(guess):
    env = gymnasium.make("gymposium/Guess-v0", numbers=7, render_mode="ansi")
    env.reset(seed=3)
    assert env.action_space.n == 7
    assert env.render()
    assert "gymposium/IteratedMatrix-v0" not in gymnasium.registry
    assert env.unwrapped.world.params.numbers == 7


def test_an_unregistered_world_is_gone_everywhere(guess):
    registry.unregister("guess-v0")
    assert "gymposium/Guess-v0" not in gymnasium.registry
    assert "gymposium/guess-v0" not in pettingzoo.aec_registry
    registry.register(GUESS)
    assert "gymposium/Guess-v0" in gymnasium.registry


def test_registering_everywhere_twice_is_silent(recwarn):
    registry.register_everywhere()
    registry.register_everywhere()
    assert not recwarn.list


def test_a_broken_plug_in_is_reported_and_breaks_nothing(monkeypatch):
    points = [
        EntryPoint("bad", "no_such_module:spec", registry.ENTRY_POINTS),
        EntryPoint("odd", "json:dumps", registry.ENTRY_POINTS),
        EntryPoint("good", "gymposium_test_plugin:worlds", registry.ENTRY_POINTS),
    ]
    module = types.ModuleType("gymposium_test_plugin")
    module.worlds = lambda: [world("plugged-v0")]
    monkeypatch.setitem(sys.modules, "gymposium_test_plugin", module)
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: points)
    monkeypatch.setattr(registry, "_plugins_loaded", False)
    monkeypatch.setattr(registry, "_broken", {})
    try:
        assert registry.spec("plugged-v0").id == "plugged-v0"
        assert set(registry.broken_plugins()) == {"bad", "odd"}
        assert "no_such_module" in registry.broken_plugins()["bad"]
    finally:
        registry.unregister("plugged-v0")


IMPORT_ORDERS = [
    "import gymposium, pettingzoo",
    "import pettingzoo, gymposium",
    "import gymposium; from pettingzoo.utils import AECEnv; import pettingzoo",
    "import gymnasium, gymposium, pettingzoo",
]


@pytest.mark.parametrize("imports", IMPORT_ORDERS)
def test_worlds_are_in_pettingzoo_whatever_is_imported_first(imports):
    code = f"""{imports}
for api in ("parallel", "aec"):
    env = pettingzoo.make(api, "gymposium/iterated_matrix-v0", game="chicken")
    assert env.world.params.game == "chicken"
import sys
assert not [f for f in sys.meta_path if type(f).__module__.startswith("gymposium")]
assert pettingzoo.__spec__.loader is pettingzoo.__loader__
assert type(pettingzoo.__loader__).__module__.startswith(("_frozen", "importlib"))
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_importing_gymposium_imports_nothing_heavy():
    code = """import sys, gymposium
heavy = {"numpy", "gymnasium", "pettingzoo", "pandas", "pydantic", "yaml", "rich"}
print(sorted(heavy & set(sys.modules)))"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
