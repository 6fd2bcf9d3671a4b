"""The JSON form of spaces and of the records built on them."""

from contextlib import suppress

import gymnasium.spaces as gs
import numpy as np
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gymposium.agents.wire import (
    dumps,
    from_json,
    loads,
    outcome_from_json,
    outcome_to_json,
    reply_from_json,
    reply_to_json,
    seat_from_json,
    seat_to_json,
    space_from_json,
    space_to_json,
    to_json,
    turn_from_json,
    turn_to_json,
)
from gymposium.errors import GymposiumError, UsageError
from gymposium.types import Call, Outcome, Reply, Seat, Turn, Usage

from .test_wire_values import JSON, VALUES, same

NAMES = ["Box", "Discrete", "MultiBinary", "MultiDiscrete", "Text", "Dict", "Tuple", "Sequence"]
SEEDS = st.integers(0, 2**31 - 1)
LEAVES = st.one_of(
    st.builds(gs.Discrete, st.integers(1, 9), start=st.integers(-5, 5)),
    st.builds(
        gs.MultiBinary, st.integers(1, 5) | st.lists(st.integers(1, 3), min_size=1, max_size=3)
    ),
    st.builds(
        lambda n, start: gs.MultiDiscrete(np.full(n, 3), start=np.full(n, start)),
        st.lists(st.integers(1, 3), min_size=1, max_size=2).map(tuple),
        st.integers(-2, 2),
    ),
    st.builds(
        lambda dtype, shape: gs.Box(-3, 4, shape, dtype),
        st.sampled_from([np.int8, np.int16, np.int64, np.float16, np.float32, np.float64]),
        st.lists(st.integers(0, 3), max_size=3).map(tuple),
    ),
    st.builds(lambda: gs.Box(-np.inf, np.inf, (2, 2), np.float64)),
    st.builds(lambda: gs.Box(np.array([-np.inf, -0.0]), np.array([0.0, np.inf]), dtype=np.float64)),
    st.builds(lambda: gs.Box(0, 255, (4, 4, 3), np.uint8)),
    st.builds(lambda: gs.Box(-np.inf, 3, (2,), np.int32)),
    st.builds(lambda: gs.Box(0, 1, (3,), np.bool_)),
    st.builds(
        lambda low, more: gs.Text(low + more, min_length=low, charset='aäß€😀$"\\'),
        st.integers(0, 3),
        st.integers(1, 4),
    ),
)
SPACES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(gs.Tuple),
        st.lists(inner, min_size=1, max_size=3).map(gs.OneOf),
        st.dictionaries(st.text(min_size=1, max_size=4), inner, min_size=1, max_size=3).map(
            gs.Dict
        ),
        inner.map(gs.Sequence),
    ),
    max_leaves=5,
) | st.builds(
    gs.Graph,
    st.sampled_from([gs.Box(0, 1, (2,)), gs.Discrete(3)]),
    st.sampled_from([None, gs.Box(-1, 1, (3,)), gs.Discrete(2)]),
)


def travel(plain):
    return orjson.loads(orjson.dumps(plain))


@given(SPACES, SEEDS)
@settings(max_examples=150, deadline=None)
def test_every_sample_of_every_space_comes_back_the_same(space, seed):
    space.seed(seed)
    value = space.sample()
    back = loads(dumps(value))
    assert space.contains(back)
    assert same(to_json(back), to_json(value))


@given(SPACES, SEEDS)
@settings(max_examples=150, deadline=None)
def test_every_space_comes_back_equal_and_samples_alike(space, seed):
    back = space_from_json(travel(space_to_json(space)))
    assert back == space
    space.seed(seed)
    back.seed(seed)
    assert dumps(back.sample()) == dumps(space.sample())


def test_key_order_and_unbounded_integers_survive():
    space = gs.Dict([("z", gs.Discrete(2)), ("a", gs.Box(-np.inf, np.inf, (2,), np.int64))])
    back = space_from_json(travel(space_to_json(space)))
    assert list(back.spaces) == list(space.spaces)
    assert not back["a"].is_bounded("below")


def test_a_large_uniform_box_is_written_in_a_few_bytes():
    assert len(orjson.dumps(space_to_json(gs.Box(0, 255, (88, 88, 3), np.uint8)))) < 120


def test_a_space_nobody_knows_is_refused_and_a_subclass_travels_as_its_base():
    class Odd(gs.Space):
        pass

    class Mine(gs.Discrete):
        pass

    with pytest.raises(UsageError, match="Odd has no JSON form"):
        space_to_json(Odd())
    assert space_from_json(space_to_json(Mine(3))) == gs.Discrete(3)


@given(
    JSON,
    st.sampled_from(
        [
            "Box",
            "Discrete",
            "MultiBinary",
            "MultiDiscrete",
            "Text",
            "Dict",
            "Tuple",
            "Sequence",
            "OneOf",
            "x",
        ]
    ),
)
@settings(max_examples=200, deadline=None)
def test_reading_any_json_as_a_record_raises_only_our_errors(plain, name):
    fields = ("n", "start", "nvec", "dtype", "shape", "low", "high", "spaces", "of", "stack")
    for read, data in (
        (space_from_json, {"space": name, **dict.fromkeys(fields, plain)}),
        (space_from_json, plain),
        (turn_from_json, plain),
        (seat_from_json, plain),
        (reply_from_json, plain),
        (outcome_from_json, plain),
    ):
        with suppress(GymposiumError):
            read(data)


@given(VALUES, st.dictionaries(st.text(max_size=3), VALUES, max_size=2), st.floats(), st.text())
@settings(max_examples=80, deadline=None)
def test_turns_come_back_the_same(observation, info, reward, text):
    space = gs.Discrete(3)
    mask = np.array([1, 0, 1], np.int8)
    image = np.zeros((2, 3, 3), np.uint8)
    turn = Turn(
        "a",
        4,
        observation,
        reward,
        space,
        mask,
        info,
        text=text,
        images=(image,),
        schema={"enum": [1, "ä"]},
    )
    seat = Seat("a", gs.Discrete(1), space)
    for given_seat in (None, seat):
        back = turn_from_json(travel(turn_to_json(turn, seat=given_seat)), seat=given_seat)
        assert back.action_space == space
        for name in ("seat", "step", "observation", "reward", "action_mask", "text", "images"):
            assert same(getattr(back, name), getattr(turn, name)), name
        assert same(dict(back.info), dict(info))
        assert dict(back.schema) == {"enum": [1, "ä"]}


def test_a_turn_whose_space_is_not_the_seats_brings_its_own():
    seat = Seat("a", gs.Discrete(1), gs.Discrete(3))
    turn = Turn("a", 0, 1, 0.0, gs.Discrete(2))
    assert turn_from_json(turn_to_json(turn, seat=seat), seat=seat).action_space == gs.Discrete(2)
    with pytest.raises(UsageError, match="only be read with its seat"):
        turn_from_json(turn_to_json(Turn("a", 0, 1, 0.0, seat.action_space), seat=seat))


@given(VALUES, st.text(), st.none() | st.text(), st.lists(st.floats(), max_size=3))
@settings(max_examples=80, deadline=None)
def test_replies_come_back_the_same(action, text, thought, logprobs):
    call = Call(
        "m",
        ({"role": "user", "content": text},),
        text,
        {"seed": 3},
        Usage(1, 2, 3),
        0.5,
        (1, 2),
        (),
        tuple(logprobs),
        True,
        "length",
        0.25,
        ({"kind": "tool_call", "name": text, "arguments": {"a": 1}},),
    )
    reply = Reply(action, text, thought, (call, Call("n", (), "")), ({"who": "me"},))
    back = reply_from_json(travel(reply_to_json(reply)))
    assert same(back.action, action)
    assert (back.text, back.thought, back.trace) == (text, thought, ({"who": "me"},))
    assert same(tuple(back.calls[0].logprobs), tuple(logprobs))
    assert repr(back.calls) == repr(reply.calls)


@given(SPACES, st.text(), st.none() | st.integers(1, 99), st.none() | st.floats(0.1, 9))
@settings(max_examples=40, deadline=None)
def test_seats_come_back_the_same(space, rules, horizon, limit):
    seat = Seat("s", space, gs.Discrete(2), rules, "buyer", None, horizon, "forfeits", limit)
    assert seat_from_json(travel(seat_to_json(seat))) == seat


@given(st.dictionaries(st.text(max_size=3), st.floats(allow_nan=False), max_size=3), st.text())
@settings(max_examples=40, deadline=None)
def test_outcomes_come_back_the_same(returns, reason):
    outcome = Outcome(
        returns,
        {"a": 1.0},
        {"a": (1, "x")},
        {"a": True},
        {"a": False},
        {"a": {"illegal": 2}},
        {"efficiency": 0.5},
        reason,
    )
    assert outcome_from_json(travel(outcome_to_json(outcome))) == outcome
    assert outcome_from_json(travel(outcome_to_json(Outcome({})))) == Outcome({})


def test_from_json_of_a_space_sample_mask_round_trips():
    mask = (4, np.ones(62, np.int8))
    assert same(from_json(travel(to_json(mask))), mask)
