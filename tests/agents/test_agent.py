"""as_agent: what counts as an agent and how functions are called; and the random agent."""

import asyncio
import functools

import gymnasium as gym
import numpy as np
import pytest

from gymposium.agents.agent import as_agent
from gymposium.agents.random_agent import RandomAgent
from gymposium.errors import UsageError
from gymposium.types import Agent, Seat, Turn

SPACE = gym.spaces.Discrete(4, start=2)
SEAT = Seat("a", SPACE, SPACE)


def turn(space=SPACE, mask=None, text="hello"):
    return Turn("a", 0, 5, 0.0, space, mask, text=text)


def ask(thing, **more):
    agent = as_agent(thing)
    assert isinstance(agent, Agent)
    agent.reset(SEAT, 1)
    return agent.act(turn(**more))


class WithAct:
    def act(self, turn):
        return turn.observation


class Whole:
    def __init__(self, add=0):
        self.add = add

    def reset(self, seat, seed):
        self.seed = seed

    def act(self, turn):
        return self.seed + self.add


class Callable_:
    def __call__(self, observation):
        return observation.upper()


def of_turn(turn):
    return turn.observation


def annotated_turn(observation: Turn):
    return observation.observation


def by_name_text(text):
    return text


def by_name_observation(observation, loud=True):
    return observation.upper() if loud else observation


def annotated_str(anything: str):
    return anything


@pytest.mark.parametrize(
    ("thing", "said"),
    [
        (of_turn, 5),
        (annotated_turn, 5),
        (by_name_text, "hello"),
        (by_name_observation, "HELLO"),
        (annotated_str, "hello"),
        (lambda t: t.observation, 5),
        (functools.partial(by_name_observation, loud=False), "hello"),
        (Callable_(), "HELLO"),
        (Callable_, "HELLO"),
        (WithAct, 5),
        (WithAct(), 5),
        (Whole, 1),
        (Whole(10), 11),
        (lambda: Whole(3), 4),
        (functools.partial(Whole, add=2), 3),
    ],
)
def test_anything_that_answers_is_an_agent(thing, said):
    assert ask(thing) == said


def test_a_whole_agent_is_handed_back_as_it_is():
    agent = Whole()
    assert as_agent(agent) is agent


def test_an_async_function_gives_an_awaitable():
    async def slow(text: str):
        await asyncio.sleep(0)
        return text * 2

    assert asyncio.run(ask(slow)) == "hellohello"


class NeedsMore:
    def __init__(self, must):
        pass

    def act(self, turn):
        pass


class OddReset:
    def reset(self):
        pass

    def act(self, turn):
        pass


class OddAct:
    def act(self):
        pass


def two_needed(turn, other):
    pass


def foreign(observation: np.ndarray):
    pass


@pytest.mark.parametrize(
    ("thing", "said"),
    [
        (3, "3 cannot be an agent"),
        (object(), "cannot be an agent"),
        (NeedsMore, "needs? .*must|must"),
        (OddReset(), r"OddReset.reset\(\) cannot be called as reset\(self, seat, seed\)"),
        (OddAct(), "OddAct.act"),
        (two_needed, "two_needed"),
        (foreign, "annotate its parameter"),
        (None, "None cannot be an agent"),
    ],
)
def test_what_cannot_be_an_agent_is_told_why(thing, said):
    with pytest.raises(UsageError, match=said):
        as_agent(thing)


def answers(seed, space, mask=None, count=30):
    agent = RandomAgent()
    agent.reset(SEAT, seed)
    return [agent.act(turn(space, mask)) for _ in range(count)]


SPACES = [
    gym.spaces.Discrete(5, start=-2),
    gym.spaces.MultiDiscrete([3, 4]),
    gym.spaces.Box(-1, 1, (2, 2)),
    gym.spaces.Dict({"say": gym.spaces.Text(5), "move": gym.spaces.Discrete(3)}),
    gym.spaces.Tuple([gym.spaces.MultiBinary(3), gym.spaces.Discrete(2)]),
]


@pytest.mark.parametrize("space", SPACES, ids=lambda space: type(space).__name__)
def test_random_play_is_legal_and_decided_by_the_seed(space):
    one, two, other = answers(1, space), answers(1, space), answers(2, space)
    assert all(space.contains(action) for action in one)
    assert repr(one) == repr(two) != repr(other)


@pytest.mark.parametrize("space", SPACES, ids=lambda space: type(space).__name__)
def test_random_play_never_draws_from_the_shared_space_or_global_generators(space):
    space.seed(3)
    before = repr(space.sample())
    space.seed(3)
    np.random.seed(0)  # noqa: NPY002
    expected = np.random.random()  # noqa: NPY002
    np.random.seed(0)  # noqa: NPY002
    answers(1, space)
    assert repr(space.sample()) == before
    assert np.random.random() == expected  # noqa: NPY002


def test_random_play_obeys_the_mask_uniformly():
    mask = np.array([0, 1, 0, 1], np.int8)
    said = answers(1, SPACE, mask, 2000)
    assert set(said) == {3, 5}
    assert 900 < said.count(3) < 1100
    assert set(answers(1, SPACE, np.zeros(4, np.int8))) == {2}
    assert set(answers(1, SPACE, None, 200)) == {2, 3, 4, 5}


def test_random_play_obeys_masks_of_other_spaces():
    space = gym.spaces.MultiDiscrete([2, 2])
    mask = (np.array([0, 1], np.int8), np.array([1, 0], np.int8))
    assert all(action.tolist() == [1, 0] for action in answers(1, space, mask))
