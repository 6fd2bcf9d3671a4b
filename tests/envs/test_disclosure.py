"""What an agent is handed leads to no state of the match, by whatever chain of references."""

import copy
import pickle

import numpy as np
import pytest

from gymposium.envs.disclosure import hidden_in
from gymposium.envs.speaker import Speaker, StatefulWords
from tests.envs.tiny_worlds import Guess, StateInWords


class Box:
    __slots__ = ("held",)

    def __init__(self, held):
        self.held = held


def begun():
    world = Guess()
    (turn,) = world.reset(3).values()
    return world, turn


LEAKS = {
    "world": lambda world: world,
    "in a list": lambda world: [[{"deep": (world,)}]],
    "in slots": lambda world: Box(Box(world)),
    "in a closure": lambda world: lambda: world,
    "in a default": lambda world: lambda it=world: it,
    "as a bound method": lambda world: world.observe,
    "its dict": vars,
    "its generator": lambda world: {"luck": world._rng},
}


@pytest.mark.parametrize("leak", LEAKS)
def test_a_planted_leak_is_found(leak):
    world, turn = begun()
    assert hidden_in([turn, LEAKS[leak](world)], world) is not None


@pytest.mark.parametrize("what", ["turn", "turn whose words were asked for", "seat"])
def test_what_our_worlds_give_leads_to_none_of_their_state(what):
    world, turn = begun()
    if "words" in what:
        assert turn.text
    given = world.seats["guesser"] if what == "seat" else turn
    assert hidden_in(given, world) is None


def test_generators_of_others_are_nobodys_secret():
    world, turn = begun()
    turn.action_space.seed(1)  # an agent's own luck
    assert hidden_in([turn, np.random.default_rng(1)], world) is None


def test_a_turn_says_what_its_world_says_before_and_after_it_was_copied():
    world = Guess(numbers=7)
    (turn,) = world.reset(5).values()
    for one in (turn, copy.deepcopy(turn), pickle.loads(pickle.dumps(turn))):
        assert one.text == world.describe("guesser", turn.observation, turn.info)
        assert one.schema == world.action_schema("guesser", turn.observation, turn.info)


def test_copies_of_a_world_speak_with_its_parameters():
    world = Guess(numbers=7)
    world.reset(5)
    for copied in (copy.deepcopy(world), copy.copy(world), pickle.loads(pickle.dumps(world))):
        (turn,) = copied.reset(2).values()
        assert turn.schema == world.action_schema("guesser", turn.observation, turn.info)


def test_words_that_read_the_state_are_told_by_name():
    world = StateInWords()
    (turn,) = world.reset(1).values()
    with pytest.raises(StatefulWords, match=r"describe reads the state of a match \(_guesses\)"):
        _ = turn.text


def test_a_mistake_in_words_is_no_reading_of_the_state():
    class Typo(Guess):
        def describe(self, seat, observation, info):
            return observation.lst

    (turn,) = Typo().reset(1).values()
    with pytest.raises(AttributeError, match="lst"):
        _ = turn.text


def test_a_speaker_speaks_for_all_six_words():
    mine, theirs = Speaker(Guess, (), {"numbers": 4}), Guess(numbers=4)
    (turn,) = theirs.reset(0).values()
    about = (turn.observation, turn.info)
    assert mine.rules("guesser") == theirs.rules("guesser")
    assert mine.describe("guesser", *about) == theirs.describe("guesser", *about)
    assert mine.images("guesser", *about) == theirs.images("guesser", *about)
    assert mine.action_schema("guesser", *about) == theirs.action_schema("guesser", *about)
    assert mine.format("guesser", 2) == theirs.format("guesser", 2)
    assert mine.parse("guesser", mine.format("guesser", 2), *about) == 2
