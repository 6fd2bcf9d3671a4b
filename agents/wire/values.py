"""Values: what observations, actions and infos are made of, to JSON and back without loss.

Plain JSON passes through untouched. The rest is tagged: ``$tuple``, ``$array`` [dtype, shape,
data], ``$number`` [dtype, value] (a numpy scalar), ``$float`` (nan, inf), ``$int`` (beyond 64
bits), ``$bytes``, ``$text`` (lone surrogates), ``$dict`` (pairs, for keys JSON has no room for),
``$graph`` and ``$objects`` (arrays of Python objects). Array data is a flat list where that is
exact and short, else base64 of the bytes in C order. Dispatch is by exact type through a table: an
int costs a tenth of a microsecond, a small array one.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import orjson

from gymposium.errors import UsageError

_LISTED = 64
"""Arrays of up to this many numbers are written as a list a person can read."""
_DEPTH = 200
"""Nesting beyond this is refused; orjson itself stops at 254."""
_DTYPE = re.compile(
    r"[<>|=]?(?:b1|[iu][1248]|f(?:2|4|8|12|16)|c(?:8|16|24|32)|[SU]\d{1,9}|[mM]8(?:\[\d*\w+\])?)"
)
_INT_MIN, _INT_MAX = -(2**63), 2**64 - 1


def to_json(value: Any) -> Any:
    """``value`` as plain JSON data (dict, list, str, int, finite float, bool, None).

    Subclasses of the plain types (enum members, named tuples, ordered dicts) travel as their base.

    Args:
        value: numbers, strings, bytes, tuples, lists, mappings, numpy scalars and arrays, graph
            instances, nested in any way.

    Returns:
        Data that orjson writes and :func:`from_json` turns back into an equal value of equal types.

    Raises:
        UsageError: the value contains something that has no JSON form (a set, a function, itself).
    """
    try:
        return _encode(value)
    except RecursionError:
        raise UsageError(
            "a value nested too deeply, or containing itself, cannot be sent; flatten it"
        ) from None


def from_json(plain: Any) -> Any:
    """The value that :func:`to_json` turned into ``plain``; arrays are fresh and writable.

    Raises:
        UsageError: ``plain`` is not something ``to_json`` writes.
    """
    try:
        return _decode(plain, 0)
    except UsageError:
        raise
    except (TypeError, ValueError, OverflowError, RecursionError, MemoryError) as error:
        raise UsageError(f"not gymposium's JSON form of a value: {error}") from error


def dumps(value: Any) -> bytes:
    """``value`` as JSON bytes; see :func:`to_json`.

    Raises:
        UsageError: the value has no JSON form or is nested too deeply.
    """
    return pack(to_json(value))


def loads(data: bytes | bytearray | memoryview | str) -> Any:
    """The value written by :func:`dumps`.

    Raises:
        UsageError: the bytes are not JSON, or not of this form.
    """
    return from_json(unpack(data))


def pack(plain: Any) -> bytes:
    """Plain data as JSON bytes; raises UsageError where orjson refuses."""
    try:
        return orjson.dumps(plain)
    except TypeError as error:  # orjson.JSONEncodeError is one
        raise UsageError(f"a value cannot be written as JSON: {error}; flatten it") from error


def unpack(data: bytes | bytearray | memoryview | str) -> Any:
    """JSON bytes as plain data; raises UsageError where they are not JSON."""
    try:
        return orjson.loads(data)
    except ValueError as error:  # orjson.JSONDecodeError is one
        raise UsageError(f"not JSON: {error}") from error


# Encoding.


def _same(value: Any) -> Any:
    return value


def _int(value: int) -> Any:
    return value if _INT_MIN <= value <= _INT_MAX else {"$int": hex(value)}


def _float(value: float) -> Any:
    # inf - inf and nan - nan are nan: one comparison tells finite numbers from the three others.
    return value if value - value == 0.0 else {"$float": repr(value)}


def _str(value: str) -> Any:
    return value if value.isascii() or _is_utf8(value) else {"$text": _b64(_surrogate(value))}


def _is_utf8(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _surrogate(value: str) -> bytes:
    return value.encode("utf-8", "surrogatepass")


def _b64(data: bytes | memoryview) -> str:
    return binascii.b2a_base64(data, newline=False).decode("ascii")


def _bytes(value: bytes) -> Any:
    return {"$bytes": _b64(value)}


def _list(value: list[Any]) -> Any:
    return [_ENCODERS.get(type(item), _other)(item) for item in value]


def _tuple(value: tuple[Any, ...]) -> Any:
    return {"$tuple": [_ENCODERS.get(type(item), _other)(item) for item in value]}


def _dict(value: Mapping[Any, Any]) -> Any:
    plain: dict[str, Any] = {}
    for key, item in value.items():
        if type(key) is not str or key[:1] == "$" or not (key.isascii() or _is_utf8(key)):
            return {"$dict": [[_encode(k), _encode(v)] for k, v in value.items()]}
        plain[key] = _ENCODERS.get(type(item), _other)(item)
    return plain


def _array(value: np.ndarray[Any, Any]) -> Any:
    dtype = value.dtype
    kind, shape = dtype.kind, value.shape
    if kind == "O":
        return {"$objects": [list(shape), [_encode(item) for item in value.ravel().tolist()]]}
    if value.size <= _LISTED and (kind in "biu" or (kind == "f" and dtype.itemsize <= 8)):
        flat = value.tolist() if len(shape) == 1 else value.ravel().tolist()
        # A sum is finite only if every term is: nan and inf keep their bits in base64.
        if kind != "f" or math.isfinite(sum(flat)):
            return {"$array": [dtype.str, list(shape), flat]}
    if kind == "V":
        raise UsageError(f"an array of dtype {dtype} cannot be sent; use a dict of plain arrays")
    return {"$array": [dtype.str, list(shape), _b64(value.tobytes())]}


def _number(value: np.generic) -> Any:
    dtype = value.dtype
    kind = dtype.kind
    if kind in "biu" or (kind == "f" and dtype.itemsize <= 8 and math.isfinite(value)):
        return {"$number": [dtype.str, value.item()]}
    if kind in "VO":
        raise UsageError(f"a numpy scalar of dtype {dtype} cannot be sent; use plain values")
    return {"$number": [dtype.str, _b64(value.tobytes())]}


def _numpy_text(value: np.str_ | np.bytes_) -> Any:
    # Not by dtype: numpy says U0 of an empty string and then gives it four bytes.
    if isinstance(value, np.str_):
        return {"$number": ["str", _str(str(value))]}
    return {"$number": ["bytes", _b64(bytes(value))]}


def _other(value: Any) -> Any:
    """The slow road, for subclasses: find the base to travel as, and remember it by type."""
    kind = type(value)
    if kind.__name__ == "GraphInstance" and hasattr(value, "_fields"):
        return {"$graph": [_encode(item) for item in value]}
    for base, encode in _BASES:
        if isinstance(value, base):
            plain = encode(value)
            break
    else:
        raise UsageError(
            f"a {kind.__module__}.{kind.__qualname__} cannot be sent: use numbers, strings, lists, "
            "tuples, dicts or numpy arrays"
        )
    return plain


def _encode(value: Any) -> Any:
    return _ENCODERS.get(type(value), _other)(value)


_ENCODERS: dict[type, Callable[[Any], Any]] = {
    type(None): _same,
    bool: _same,
    int: _int,
    float: _float,
    str: _str,
    dict: _dict,
    list: _list,
    tuple: _tuple,
    bytes: _bytes,
    np.ndarray: _array,
    **dict.fromkeys(
        (
            *(np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32),
            *(np.uint64, np.float16, np.float32, np.float64, np.longdouble, np.complex64),
            *(np.complex128, np.clongdouble, np.datetime64, np.timedelta64),
        ),
        _number,
    ),
    np.str_: _numpy_text,
    np.bytes_: _numpy_text,
}
_BASES: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (np.generic, _number),
    (np.ndarray, lambda value: _array(np.asarray(value))),
    (int, lambda value: _int(int(value))),
    (float, lambda value: _float(float(value))),
    (str, lambda value: _str(str.__str__(value))),
    (tuple, _tuple),
    (list, _list),
    (Mapping, _dict),
    (bytes, lambda value: _bytes(bytes(value))),
    (bytearray, lambda value: _bytes(bytes(value))),
)


# Decoding. Everything below may be handed arbitrary JSON and must refuse it politely.


def _decode(plain: Any, depth: int) -> Any:
    kind = type(plain)
    if kind is dict:
        if depth > _DEPTH:
            raise UsageError("a value nested more than 200 levels deep is refused; flatten it")
        if len(plain) == 1:
            ((key, item),) = plain.items()
            if key[:1] == "$":
                decode = _DECODERS.get(key)
                if decode is None:
                    raise UsageError(
                        f"unknown tag {key!r} in a value; known: {', '.join(_DECODERS)}"
                    )
                return decode(item, depth + 1)
        for key in plain:
            if key[:1] == "$":
                raise UsageError(f"the key {key!r} cannot stand beside others in a JSON value")
        return {key: _decode(item, depth + 1) for key, item in plain.items()}
    if kind is list:
        if depth > _DEPTH:
            raise UsageError("a value nested more than 200 levels deep is refused; flatten it")
        return [_decode(item, depth + 1) for item in plain]
    return plain


def _expect(item: Any, kind: type, tag: str) -> Any:
    if type(item) is not kind:
        raise UsageError(f"{tag} needs a {kind.__name__}, got {type(item).__name__}")
    return item


def _fields(item: Any, count: int, tag: str) -> list[Any]:
    if type(item) is not list or len(item) != count:
        raise UsageError(f"{tag} needs a list of {count}")
    return item


def _unb64(item: Any, tag: str) -> bytes:
    return base64.b64decode(_expect(item, str, tag), validate=True)


def _read_dict(item: Any, depth: int) -> dict[Any, Any]:
    pairs = [_fields(pair, 2, "$dict") for pair in _expect(item, list, "$dict")]
    return {_decode(key, depth): _decode(value, depth) for key, value in pairs}


def _read_float(item: Any, depth: int) -> float:
    if item not in ("nan", "inf", "-inf"):
        raise UsageError("$float is 'nan', 'inf' or '-inf'")
    return float(item)


@lru_cache(maxsize=256)
def _dtype(name: str) -> np.dtype[Any]:
    if not isinstance(name, str) or not _DTYPE.fullmatch(name):
        raise UsageError(f"{name!r} is not a dtype that travels")
    return np.dtype(name)


def _shape(item: Any, tag: str) -> tuple[int, ...]:
    shape = _expect(item, list, tag)
    if not all(type(side) is int and 0 <= side < sys.maxsize for side in shape):
        raise UsageError(f"{tag} needs a shape of non-negative integers")
    return tuple(shape)


def _sized(data: list[Any], shape: tuple[int, ...], tag: str) -> None:
    # Before numpy sees the shape, so that a false one cannot make it allocate.
    if math.prod(shape) != len(data):
        raise UsageError(f"{tag}: {len(data)} values do not fill the shape {list(shape)}")


def _read_array(item: Any, depth: int) -> np.ndarray[Any, Any]:
    name, sides, data = _fields(item, 3, "$array")
    dtype, shape = _dtype(_expect(name, str, "$array")), _shape(sides, "$array")
    if type(data) is list:
        if dtype.kind not in "biuf" or not all(type(x) in (bool, int, float) for x in data):
            raise UsageError("$array: only numbers are listed; other data is base64")
        _sized(data, shape, "$array")
        return np.array(data, dtype).reshape(shape)
    raw = _unb64(data, "$array")
    if math.prod(shape) * dtype.itemsize != len(raw):
        raise UsageError(f"$array: {len(raw)} bytes do not fill the shape {sides} of {name}")
    if not raw:
        return np.zeros(shape, dtype)
    return np.frombuffer(raw, dtype).reshape(shape).copy()


def _read_objects(item: Any, depth: int) -> np.ndarray[Any, Any]:
    sides, data = _fields(item, 2, "$objects")
    shape = _shape(sides, "$objects")
    _sized(_expect(data, list, "$objects"), shape, "$objects")
    array = np.empty(len(data), dtype=object)
    for index, value in enumerate(data):
        array[index] = _decode(value, depth)
    return array.reshape(shape)


def _read_number(item: Any, depth: int) -> Any:
    name, data = _fields(item, 2, "$number")
    if name == "str":
        return np.str_(_expect(_decode(data, depth), str, "$number"))
    if name == "bytes":
        return np.bytes_(_unb64(data, "$number"))
    dtype = _dtype(_expect(name, str, "$number"))
    if type(data) is str:
        raw = _unb64(data, "$number")
        if len(raw) != dtype.itemsize:
            raise UsageError(f"$number: {len(raw)} bytes are no {name}")
        return np.frombuffer(raw, dtype)[0]
    if type(data) not in (bool, int, float) or dtype.kind not in "biuf":
        raise UsageError(f"$number: {data!r} is no {name}")
    return np.array(data, dtype)[()]


def _read_graph(item: Any, depth: int) -> Any:
    from gymnasium.spaces import GraphInstance

    return GraphInstance(*(_decode(part, depth) for part in _fields(item, 3, "$graph")))


_DECODERS: dict[str, Callable[[Any, int], Any]] = {
    "$tuple": lambda item, depth: tuple(_decode(x, depth) for x in _expect(item, list, "$tuple")),
    "$array": _read_array,
    "$number": _read_number,
    "$float": _read_float,
    "$int": lambda item, depth: int(_expect(item, str, "$int"), 16),
    "$bytes": lambda item, depth: _unb64(item, "$bytes"),
    "$text": lambda item, depth: _unb64(item, "$text").decode("utf-8", "surrogatepass"),
    "$dict": _read_dict,
    "$objects": _read_objects,
    "$graph": _read_graph,
}
