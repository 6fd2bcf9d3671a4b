"""A user's own worlds are known by where they are: ``FILE.py:CLASS``, ``PACKAGE.MODULE:CLASS``."""

from __future__ import annotations

import copy
import pickle
import sys

import pytest

from gymposium.envs import registry
from gymposium.envs.checks import check_env
from gymposium.envs.own_module import is_place, module_at
from gymposium.errors import MissingExtra, UnknownName, UsageError

POTLUCK = '''
from dataclasses import dataclass, field

from gymposium.envs.text_worlds.text_world import TextWorld, TextWorldParams
from gymposium.envs.text_worlds.yardsticks import of_stage
from beside_potluck import WORTH


@dataclass(frozen=True, kw_only=True)
class PotluckParams(TextWorldParams):
    meals: int = field(default=1, metadata={"doc": "meals eaten together", "range": (1, 9)})


class Potluck(TextWorld):
    """Neighbours bring food or plates."""

    id = "potluck-v0"
    params_type = PotluckParams

    def _cast(self):
        self.main = ("ann", "bob")
        meals = self.params.meals
        self.horizon = 2 * self.params.talk + meals
        self.return_range = (-meals, WORTH * meals)
        return dict.fromkeys(self.main, "neighbour")

    def _story(self, tale):
        tale.enter("In the yard", self.main)
        yield from tale.talk("What does {name} say?", rounds=self.params.talk)
        for _ in range(self.params.meals):
            brought = yield from tale.choose("What does {name} bring?", ("food", "plates"))
            for one, paid in zip(self.main, self.worth([*brought.values()]), strict=True):
                tale.pay(one, paid)

    def worth(self, brought):
        return [WORTH * (brought.count(0) > 0) - (one == 0) for one in brought]

    def _yardsticks(self):
        return of_stage(self.worth, [2, 2])

    def _about(self, seat):
        return "Eat together."


class Wasteful:
    """No world."""
'''


@pytest.fixture
def potluck(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "beside_potluck.py").write_text("WORTH = 2.0\n")
    (tmp_path / "potluck.py").write_text(POTLUCK)
    (tmp_path / "broken.py").write_text("1 / 0\n")
    (tmp_path / "lacking.py").write_text(
        "from gymposium.errors import MissingExtra\n"
        "raise MissingExtra('soup', extra='soup', module='soup')\n"
    )
    return "potluck.py:Potluck"


@pytest.mark.parametrize("id", ["potluck.py:Potluck", "potluck_again.worlds:Potluck"])
def test_a_world_in_a_file_or_module_is_a_world_like_any_other(potluck, tmp_path, id):
    package = tmp_path / "potluck_again"
    package.mkdir()
    (package / "worlds.py").write_text(POTLUCK)
    assert registry.spec(id).id == id
    check_env(id, steps=10)
    world = registry.make(id, api="world", meals=3, talk=0)
    turns = world.reset(1)
    world.step({seat: {"say": "", "choose": int(seat == "ann")} for seat in turns})
    for other in (copy.deepcopy(world), pickle.loads(pickle.dumps(world))):
        assert type(other) is type(world)
        assert other.fingerprint() == world.fingerprint()
    assert registry.parameters(id)["meals"]["range"] == [1, 9]
    assert len(registry.make(id).reset(seed=0)[0]) == 2
    assert id not in [spec.id for spec in registry.specs()]


def test_a_file_is_imported_once_and_hides_nothing_installed(potluck, tmp_path):
    (tmp_path / "json.py").write_text("raise RuntimeError('imported by mistake')\n")
    assert module_at("potluck.py") is module_at(str(tmp_path / "potluck.py"))
    assert "potluck" not in sys.modules
    assert sys.path[-1] == str(tmp_path)


@pytest.mark.parametrize(
    ("id", "says"),
    [
        ("nowhere.py:Potluck", "there is no file nowhere.py"),
        ("no_such.module:Potluck", "No module named 'no_such'"),
        ("broken.py:Potluck", "ZeroDivisionError"),
        ("potluck.py:Picnic", "potluck.py has no 'Picnic'; its classes: .*Potluck"),
    ],
)
def test_what_is_not_there_is_said_in_a_sentence(potluck, id, says):
    for _ in range(2):  # a file that failed is not kept half imported
        with pytest.raises(UsageError, match=f"world {id!r} cannot be loaded.*{says}"):
            registry.make(id)


def test_a_parameter_a_missing_extra_and_a_misspelt_library_are_told_as_ever(potluck):
    with pytest.raises(UnknownName, match="did you mean 'meals'"):
        registry.make(potluck, meels=2)
    with pytest.raises(MissingExtra):
        registry.make("lacking.py:Potluck")
    with pytest.raises(UnknownName, match="did you mean 'gymnasium'"):
        registry.make("gymnasum:CartPole-v1")
    assert not is_place("mesa:tank.py:Tank")
