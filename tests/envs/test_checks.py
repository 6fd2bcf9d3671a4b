"""The conformance kit passes sound worlds and catches each kind of broken one."""

from __future__ import annotations

import pickle

import pytest

from gymposium.envs.checks import WorldUnfit, check_env
from gymposium.errors import UnknownName, UsageError

from .tiny_worlds import BROKEN, Guess


class Shapeshifter(Guess):
    def observe(self, seat):
        return {"last": 10**6}


class Worse(Guess):
    fault_rule = ""

    def render(self):
        return ""


class Fixed(Guess):
    def _begin(self, rng):
        super()._begin(rng)
        self._hidden = 3


def test_a_sound_world_passes_as_instance_and_as_function():
    check_env(Guess())
    check_env(lambda: Guess(numbers=3))


@pytest.mark.parametrize("broken", BROKEN, ids=lambda cls: cls.__name__)
def test_a_broken_world_fails_its_own_requirement(broken):
    with pytest.raises(WorldUnfit) as unfit:
        check_env(broken, views=False)
    numbers = [failure.number for failure in unfit.value.failures]
    assert BROKEN[broken] in numbers
    assert f"{BROKEN[broken]}. {broken.__name__}: " in str(unfit.value)
    assert "Remedy: " in str(unfit.value)


def test_the_views_are_checked_by_the_checkers_of_others():

    with pytest.raises(WorldUnfit) as unfit:
        check_env(Shapeshifter)
    assert [failure.number for failure in unfit.value.failures] == [13]


def test_all_failures_are_told_at_once():

    with pytest.raises(WorldUnfit, match="2 requirements are not met") as unfit:
        check_env(Worse)
    again = pickle.loads(pickle.dumps(unfit.value))
    assert str(again) == str(unfit.value)


def test_a_seed_that_does_not_matter_must_be_declared():

    with pytest.raises(WorldUnfit, match="eight different seeds"):
        check_env(Fixed)
    check_env(Fixed, deterministic=True)


def test_what_cannot_be_checked_is_said():
    with pytest.raises(UnknownName):
        check_env("no_such_world-v0")
    with pytest.raises(UsageError, match="takes an id"):
        check_env(3)
