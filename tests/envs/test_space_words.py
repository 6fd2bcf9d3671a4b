"""Every space in words: what is said is read back, and fits its schema."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import given, settings
from hypothesis import strategies as st

from gymposium.envs.sameness import same
from gymposium.envs.words import describe_space, format_space, parse_space, schema_space
from gymposium.errors import IllegalAction, UsageError

ODD_LETTERS = 'ab"\\ \n\t“”–é{}[]:,0'


def discrete() -> st.SearchStrategy[Any]:
    return st.builds(
        lambda n, start: spaces.Discrete(n, start=start), st.integers(1, 30), st.integers(-9, 9)
    )


def boxes() -> st.SearchStrategy[Any]:
    def build(low: int, size: int, shape: tuple[int, ...], dtype: Any) -> spaces.Box:
        low = max(low, 0) if np.dtype(dtype).kind == "u" else low
        return spaces.Box(low, low + size, shape, dtype)

    dtypes = st.sampled_from([np.float32, np.float64, np.uint8, np.int64])
    shapes = st.sampled_from([(), (1,), (3,), (2, 2), (0,)])
    bounded = st.builds(build, st.integers(-50, 50), st.integers(0, 99), shapes, dtypes)
    open_ended = st.builds(lambda shape: spaces.Box(-np.inf, np.inf, shape, np.float64), shapes)
    return bounded | open_ended


def leaves() -> st.SearchStrategy[Any]:
    counts = st.lists(st.integers(1, 5), min_size=1, max_size=4)
    return st.one_of(
        discrete(),
        boxes(),
        st.builds(spaces.MultiDiscrete, counts),
        st.just(spaces.MultiDiscrete([[2, 3], [4, 5]])),
        st.builds(spaces.MultiBinary, st.sampled_from([1, 4, [2, 2]])),
        st.builds(
            lambda low, more, letters: spaces.Text(low + more, min_length=low, charset=letters),
            st.integers(0, 3),
            st.integers(0, 9),
            st.sampled_from(["ab", ODD_LETTERS, "0123456789"]),
        ),
    )  # fmt: skip


def trees(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    keys = st.sampled_from(["say", "move", "action", "key two", "9", ""])
    several = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        st.dictionaries(keys, inner, min_size=1, max_size=3).map(spaces.Dict),
        several.map(spaces.Tuple),
        inner.map(spaces.Sequence),
        several.map(spaces.OneOf),
    )


any_space = st.recursive(leaves(), trees, max_leaves=5)


@given(space=any_space, seed=st.integers(0, 2**16))
@settings(max_examples=400, deadline=None)
def test_what_is_said_is_read_back_and_fits_the_schema(space, seed):
    space.seed(seed)
    action = space.sample()
    said = format_space(space, action)
    back = parse_space(space, said)
    assert space.contains(back)
    assert same(back, action, exact=False)
    assert describe_space(space, action) is not None
    schema = schema_space(space)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(said), schema)


@given(
    labels=st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=8, unique=True),
    data=st.data(),
)
@settings(max_examples=200, deadline=None)
def test_any_distinct_names_are_read_back(labels, data):
    space = spaces.Discrete(len(labels))
    action = data.draw(st.integers(0, len(labels) - 1))
    assert format_space(space, action, labels) == labels[action]
    assert parse_space(space, labels[action], labels) == action


def test_names_go_inside_composite_spaces():
    space = spaces.Dict(
        {"say": spaces.Text(9), "moves": spaces.MultiDiscrete([2, 3])},
    )
    labels = {"moves": (("stay", "go"), None)}
    action = {"say": "hi", "moves": np.array([1, 2])}
    said = format_space(space, action, labels)
    assert json.loads(said) == {"say": "hi", "moves": ["go", 2]}
    assert same(parse_space(space, said, labels), action)
    assert schema_space(space, labels)["properties"]["moves"]["prefixItems"][0]["enum"] == [
        "stay",
        "go",
    ]


@pytest.mark.parametrize(
    ("space", "mask", "legal", "illegal"),
    [
        (spaces.Discrete(3), np.array([0, 1, 1], np.int8), "2", "0"),
        (spaces.MultiDiscrete([2, 2]), (np.array([1, 0], np.int8), np.array([1, 1], np.int8)),
         "[0, 1]", "[1, 1]"),
        (spaces.MultiBinary(2), np.array([1, 2], np.int8), "[1, 0]", "[0, 0]"),
        (spaces.Dict({"x": spaces.Discrete(2)}), {"x": np.array([1, 0], np.int8)},
         '{"x": 0}', '{"x": 1}'),
        (spaces.Tuple([spaces.Discrete(2)]), (np.array([1, 0], np.int8),), "[0]", "[1]"),
        (spaces.Sequence(spaces.Discrete(2)), (np.array([1, 2]), np.array([1, 0], np.int8)),
         "[0, 0]", "[0, 1]"),
        (spaces.Sequence(spaces.Discrete(2)), (np.array([1, 2]), None), "[0]", "[0, 0, 0]"),
    ],
    ids=lambda value: str(value)[:24],
)  # fmt: skip
def test_masks_are_obeyed_in_every_space(space, mask, legal, illegal):
    assert space.contains(parse_space(space, legal, None, mask))
    with pytest.raises(IllegalAction):
        parse_space(space, illegal, None, mask)


def test_a_masked_schema_offers_only_what_is_legal():
    mask = np.array([0, 1, 1], np.int8)
    assert schema_space(spaces.Discrete(3), None, mask) == {"type": "integer", "enum": [1, 2]}
    assert schema_space(spaces.Discrete(3), ("x", "y", "z"), mask)["enum"] == ["y", "z"]


@pytest.mark.parametrize(
    ("space", "said", "meant"),
    [
        (spaces.Box(0, 1, (2,), np.float64), "0.25 and 0.5", np.array([0.25, 0.5])),
        (spaces.Box(0, 9, (), np.float64), "I offer 2.5 of them", np.array(2.5)),
        (spaces.Box(0, 9, (1,), np.float64), "2", np.array([2.0])),
        (spaces.Box(0, 9, (2, 2), np.int64), "[1, 2, 3, 4]", np.array([[1, 2], [3, 4]])),
        (spaces.MultiDiscrete([3, 3]), "(1, 2)", np.array([1, 2])),
        (spaces.MultiDiscrete([3, 3]), '{"action": [1, 2]}', np.array([1, 2])),
        (spaces.Dict({"n": spaces.Discrete(9), "say": spaces.Text(20, charset=" abcdefghi")}),
         "n: 3, say: a bad bid", {"n": 3, "say": "a bad bid"}),
        (spaces.Dict({"n": spaces.Discrete(9), "say": spaces.Text(20, min_length=0)}),
         '{"N": 3}', {"n": 3, "say": ""}),
        (spaces.Text(20, charset="don't "), "don’t", "don't"),
        (spaces.Text(20, charset="ab \""), '"a b"', "a b"),
        (spaces.Sequence(spaces.Discrete(3)), "[]", ()),
    ],
    ids=lambda value: str(value)[:24],
)  # fmt: skip
def test_plain_speech_is_understood_in_other_spaces(space, said, meant):
    assert same(parse_space(space, said), meant, exact=False)


@pytest.mark.parametrize(
    ("space", "said", "hint"),
    [
        (spaces.Box(0, 1, (2,)), "[0.5, 3]", "from 0.0 to 1.0"),
        (spaces.Box(0, 1, (2,)), "[0.5]", "2 numbers"),
        (spaces.Box(0, 1, (), np.float64), "NaN", "out of range"),
        (spaces.Box(0, 9, (1,), np.uint8), "[1.5]", "whole number"),
        (spaces.Text(3), "toolong", "7 characters"),
        (spaces.Text(9, charset="ab"), "abc", "'c'"),
        (spaces.Dict({"n": spaces.Discrete(2)}), "{}", "'n'"),
        (spaces.Dict({"n": spaces.Discrete(2)}), '{"n": 5}', "'n': 5"),
        (spaces.Tuple([spaces.Discrete(2)]), "[1, 1]", "1 entries"),
        (spaces.MultiBinary(2), "[0, 2]", "only 0 and 1"),
        (spaces.Discrete(2), "true", "0 to 1"),
    ],
    ids=lambda value: str(value)[:24],
)  # fmt: skip
def test_a_refusal_says_what_would_be_legal(space, said, hint):
    with pytest.raises(IllegalAction, match=hint):
        parse_space(space, said)


def test_large_arrays_are_summarised_and_floats_show_their_own_digits():
    big = np.zeros((64, 64), np.float32)
    assert "64 x 64" in describe_space(spaces.Box(0, 1, big.shape), big)
    assert describe_space(spaces.Box(0, 1, (1,)), np.array([0.1], np.float32)) == "[0.1]"


def test_a_space_without_words_says_so():
    graph = spaces.Graph(spaces.Discrete(2), None)
    with pytest.raises(UsageError, match="no form in words"):
        schema_space(graph)
    with pytest.raises(UsageError, match="no form in words"):
        parse_space(graph, "{}")
