"""The JSON form of values: nothing is lost, whatever an agent or a world may hand over."""

import enum
import math
from collections import OrderedDict, namedtuple
from contextlib import suppress
from types import MappingProxyType

import numpy as np
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gymposium.agents.wire import dumps, from_json, loads, to_json
from gymposium.errors import GymposiumError, UsageError

DTYPES = "? i1 u1 <i2 >i4 u4 i8 u8 f2 f4 >f8 c8 c16 U3 S2".split()  # noqa: SIM905


def same(left, right):
    """Equal in value, type, dtype, shape and bits."""
    if type(left) is not type(right):
        return False
    if isinstance(left, np.ndarray):
        if left.dtype != right.dtype or left.shape != right.shape:
            return False
        if left.dtype.kind == "O":
            return all(same(a, b) for a, b in zip(left.ravel(), right.ravel(), strict=True))
        return left.tobytes() == right.tobytes()
    if isinstance(left, np.generic):
        return left.dtype == right.dtype and left.tobytes() == right.tobytes()
    if isinstance(left, float):
        return math.isnan(left) == math.isnan(right) and (
            math.isnan(left) or repr(left) == repr(right)
        )
    if isinstance(left, list | tuple):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict):
        pairs = zip(left.items(), right.items(), strict=True)
        return len(left) == len(right) and all(same(a, b) for a, b in pairs)
    return left == right


ARRAYS = st.sampled_from(DTYPES).flatmap(
    lambda dtype: hnp.arrays(
        dtype, hnp.array_shapes(min_dims=0, min_side=0, max_dims=3, max_side=9)
    )
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(2**80), 2**80)
    | st.floats()
    | st.text(st.characters())
    | st.text("\ud800\udfff$äb")
    | st.binary(max_size=40)
)
KEYS = st.text(max_size=4) | st.sampled_from(["$tuple", "$", "\ud800"])
ANY_KEYS = KEYS | st.integers() | st.tuples(st.integers(), st.text(max_size=2)) | st.none()
VALUES = st.recursive(
    SCALARS | ARRAYS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(KEYS, inner, max_size=4)
        | st.dictionaries(ANY_KEYS, inner, max_size=3)
    ),
    max_leaves=12,
)


@given(VALUES)
@settings(max_examples=300, deadline=None)
def test_every_value_comes_back_the_same(value):
    assert same(loads(dumps(value)), value)


@given(ARRAYS)
@settings(max_examples=200, deadline=None)
def test_every_numpy_scalar_comes_back_the_same(array):
    for scalar in array.ravel()[:4]:
        assert same(loads(dumps(scalar)), scalar)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, -0.0, 2**64, -(2**63) - 1])
def test_awkward_numbers_keep_their_bits(value):
    assert same(loads(dumps(value)), value)
    for dtype in (np.float16, np.float32, np.float64):
        if abs(value) < 1 or not math.isfinite(value):
            assert same(loads(dumps(np.array([value, 1.0], dtype))), np.array([value, 1.0], dtype))


@pytest.mark.parametrize("dtype", ["M8[ns]", "m8[s]", "longdouble"])
def test_rarer_dtypes_travel(dtype):
    array = np.arange(3).astype(dtype)
    assert same(loads(dumps(array)), array)
    assert loads(dumps(array[1])) == array[1]


def test_object_arrays_travel_with_their_shape():
    array = np.array([[1, "a"], [None, (2, 3)]], dtype=object)
    assert same(loads(dumps(array)), array)


def test_subclasses_travel_as_their_base():
    class Move(enum.IntEnum):
        UP = 3

    class Word(enum.StrEnum):
        YES = "yes"

    point = namedtuple("point", "x y")(1, 2)
    value = [Move.UP, Word.YES, point, OrderedDict(a=1), MappingProxyType({"b": 2})]
    assert same(loads(dumps(value)), [3, "yes", (1, 2), {"a": 1}, {"b": 2}])


def test_arrays_that_arrive_are_fresh_and_writable():
    sent = np.arange(200)
    plain = to_json({"small": sent[:3], "large": sent})
    one, two = from_json(plain), from_json(plain)
    one["small"][0] = one["large"][0] = 7
    assert two["small"][0] == two["large"][0] == sent[0] == 0


@pytest.mark.parametrize("value", [{1, 2}, object(), len, np.zeros(2, "i4,i4"), range(3)])
def test_what_cannot_travel_is_refused_with_a_sentence(value):
    with pytest.raises(UsageError, match="cannot be sent"):
        to_json(value)


def test_a_value_containing_itself_is_refused():
    loop = []
    loop.append(loop)
    with pytest.raises(UsageError, match="containing itself"):
        dumps(loop)
    deep = None
    for _ in range(400):
        deep = [deep]
    with pytest.raises(UsageError, match="flatten"):
        dumps(deep)


TAGS = [f"${tag}" for tag in ("tuple", "array", "number", "float", "int", "bytes", "dict", "graph")]
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(TAGS),
            inner,
            min_size=1,
            max_size=1,
        )
        | st.tuples(
            st.sampled_from(["<i8", "|u1", "<f4", "<U9", "O", "<M8[ns]", "V8", "i4,i4", "|b1"]),
            st.lists(st.integers(-1, 2**62), max_size=3),
            st.lists(inner, max_size=3) | st.sampled_from(["", "AAAA", "AAAAAAAAAAA=", "%%"]),
        ).map(lambda parts: {"$array": list(parts)})
    ),
    max_leaves=8,
)


@given(JSON)
@settings(max_examples=500, deadline=None)
def test_reading_any_json_gives_a_value_or_one_of_our_errors(plain):
    with suppress(GymposiumError):
        from_json(plain)


@given(st.binary(max_size=60))
def test_reading_any_bytes_gives_a_value_or_one_of_our_errors(data):
    with suppress(GymposiumError):
        loads(data)


@pytest.mark.parametrize(
    "plain",
    [
        {"$array": ["<i8", [2**40, 2**40], ""]},
        {"$array": ["<i8", [2**40], [1]]},
        {"$objects": [[2**50], []]},
        {"$array": ["O", [1], [1]]},
        {"$number": ["<i8", "AAAA"]},
        {"$tuple": 3},
        {"$dict": [[[1], 2]]},
        {"$nothing": 1},
        {"a": 1, "$tuple": []},
        {"$int": "zz"},
        {"$graph": [1, 2]},
    ],
)
def test_forged_values_are_refused_before_anything_is_allocated(plain):
    with pytest.raises(UsageError):
        from_json(plain)


def test_deeply_nested_json_is_refused_rather_than_crashing():
    with pytest.raises(UsageError):
        from_json(orjson.loads(b"[" * 900 + b"]" * 900))
