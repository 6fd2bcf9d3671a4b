"""The conformance kit passes sound worlds and catches each kind of broken one."""

from __future__ import annotations

import pickle
import threading
from dataclasses import replace

import pytest

from gymposium.envs.checks import WorldUnfit, check_env
from gymposium.errors import UnknownName, UsageError

from .tiny_worlds import BROKEN, GUESS, Guess


class Shapeshifter(Guess):
    __doc__ = Guess.__doc__

    def observe(self, seat):
        return {"last": 10**6}


class Worse(Guess):
    fault_rule = ""

    def render(self):
        return ""


class Fixed(Guess):
    __doc__ = Guess.__doc__

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


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        ("NoNumber", "the reward of guesser is nan"),
        ("Unpicklable", "pickle"),
        ("Crashing", r"IndexError: tuple index out of range \(tiny_worlds.py:\d+\)"),
        ("Quitting", r"SystemExit: had enough \(tiny_worlds.py:\d+\)"),
        ("ShowsItself", r"info of guesser at step 0\['world'\] is a ShowsItself"),
        ("ShowsItsLuck", r"\['debug'\]\['rng'\]\[0\] is a Generator"),
        ("ShowsItsSeed", r"\['seed'\] gives away the seed"),
        ("TellsItsSeed", "the text of guesser at step 0 gives away the seed"),
        ("Talkative", "prints 'guessing"),
        ("Wordless", "the class has no docstring"),
    ],
)
def test_what_was_seen_is_told_with_its_place(broken, says):
    (world,) = (cls for cls in BROKEN if cls.__name__ == broken)
    with pytest.raises(WorldUnfit, match=says):
        check_env(world, views=False)


class Unmakeable(Guess):
    def __init__(self, rounds):
        super().__init__()


def test_a_world_that_cannot_be_made_is_told_once_with_nothing_else():
    with pytest.raises(WorldUnfit) as unfit:
        check_env(Unmakeable)
    assert [failure.number for failure in unfit.value.failures] == [0]
    assert "0. Unmakeable: TypeError" in str(unfit.value)
    assert "'rounds'" in str(unfit.value)
    assert "Remedy: let it be made with its default parameters" in str(unfit.value)
    with pytest.raises(WorldUnfit, match=r"what is made is a dict, no RuleWorld"):
        check_env(dict)


def test_a_preset_that_its_world_refuses_is_named():
    spec = replace(GUESS, entry_point=f"{Guess.__module__}:Guess", presets={"none": {"numbers": 0}})
    with pytest.raises(WorldUnfit) as unfit:
        check_env(spec, views=False)
    (failure,) = unfit.value.failures
    assert (failure.number, failure.world) == (0, "guess-v0 (none)")
    assert "numbers=0 must be from 2 to 100" in failure.found


class Hanging(Guess):
    __doc__ = Guess.__doc__
    waiting = threading.Event()

    def _play(self, actions):
        self.waiting.wait()
        return super()._play(actions)


def test_a_world_that_hangs_is_told_with_the_line_where_it_is():
    try:
        with pytest.raises(WorldUnfit) as unfit:
            check_env(Hanging, views=False, time_limit=2)
    finally:
        Hanging.waiting.set()
    (failure,) = unfit.value.failures
    assert failure.number == 2
    assert "nothing came back within 2 s; it is at threading.py:" in failure.found
    assert "a longer time_limit" in failure.remedy


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
