"""Gymnasium's spaces to JSON and back: equal spaces, with equal bounds, dtypes and key order.

A space's generator does not travel: the far side gets an unseeded space, for an agent's randomness
comes from its own seed. A subclass travels as the nearest of Gymnasium's own classes; the arena,
which checks every answer, keeps the original.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from gymposium.errors import UsageError

from .values import from_json, to_json

if TYPE_CHECKING:
    from gymposium.types import Space


def space_to_json(space: Space) -> dict[str, Any]:
    """``space`` as plain JSON data, ``{"space": "Discrete", "n": 3, …}``.

    Raises:
        UsageError: it is none of Gymnasium's fundamental or composite spaces.
    """
    for kind in type(space).__mro__:
        write = _WRITERS.get(kind.__name__)
        if write is not None and kind.__module__.startswith("gymnasium.spaces"):
            return {"space": kind.__name__, **write(space)}
    raise UsageError(
        f"the space {type(space).__name__} has no JSON form: build it from "
        f"Gymnasium's spaces ({', '.join(_WRITERS)})"
    )


def space_from_json(plain: Any) -> Space:
    """The space that :func:`space_to_json` wrote.

    Raises:
        UsageError: ``plain`` is no such thing.
    """
    if not isinstance(plain, Mapping) or not isinstance(plain.get("space"), str):
        raise UsageError("a space in JSON is an object with the field 'space'")
    read = _READERS.get(plain["space"])
    if read is None:
        raise UsageError(f"unknown space {plain['space']!r}; known: {', '.join(_READERS)}")
    try:
        return read(plain)
    except UsageError:
        raise
    except KeyError as error:
        raise UsageError(f"the space {plain['space']} lacks its field {error}") from error
    except (
        *(AssertionError, AttributeError, MemoryError, OverflowError),
        *(RecursionError, TypeError, ValueError),
    ) as error:
        raise UsageError(f"not a space {plain['space']}: {error}") from error


def _spaces() -> Any:
    from gymnasium import spaces  # a quarter of a second: only when a space is read

    return spaces


@lru_cache(maxsize=32)
def _accepts(kind: type, parameter: str) -> bool:
    """Whether this Gymnasium's constructor knows ``parameter`` (dtypes and key order are newer)."""
    return parameter in inspect.signature(kind).parameters


def _uniform(bound: np.ndarray[Any, Any]) -> Any:
    """The bound as one number where all entries are the same, bit for bit (-0.0 is not 0.0)."""
    if bound.size and bound.tobytes() == bound.dtype.type(bound.flat[0]).tobytes() * bound.size:
        return to_json(bound.flat[0].item())
    return to_json(bound)


def _write_box(space: Any) -> dict[str, Any]:
    plain = {
        "shape": [int(side) for side in space.shape],
        "dtype": space.dtype.str,
        "low": _uniform(space.low),
        "high": _uniform(space.high),
    }
    if space.dtype.kind in "iu" and not (space.bounded_below.all() and space.bounded_above.all()):
        # Integers have no infinity: the arrays hold the dtype's limits, these say what was meant.
        plain["bounded"] = [to_json(space.bounded_below), to_json(space.bounded_above)]
    return plain


def _read_box(plain: Mapping[str, Any]) -> Space:
    dtype = np.dtype(plain["dtype"])
    shape = tuple(plain["shape"])
    low, high = (_bound(plain[side], dtype) for side in ("low", "high"))
    box = _spaces().Box(low, high, shape, dtype)
    if "bounded" in plain:
        box.bounded_below, box.bounded_above = (from_json(side) for side in plain["bounded"])
    return box  # type: ignore[no-any-return]


def _bound(plain: Any, dtype: np.dtype[Any]) -> Any:
    value = from_json(plain)
    if isinstance(value, bool) or (isinstance(value, float) and dtype.kind in "iu"):
        value = int(value)
    return value


def _write_discrete(space: Any) -> dict[str, Any]:
    plain = {"n": int(space.n), "start": int(space.start)}
    if space.dtype != np.int64:
        plain["dtype"] = space.dtype.str
    return plain


def _read_discrete(plain: Mapping[str, Any]) -> Space:
    kind = _spaces().Discrete
    extra = {"dtype": np.dtype(plain["dtype"])} if _has_dtype(kind, plain) else {}
    return kind(plain["n"], start=plain["start"], **extra)  # type: ignore[no-any-return]


def _has_dtype(kind: type, plain: Mapping[str, Any]) -> bool:
    return "dtype" in plain and _accepts(kind, "dtype")


def _write_multi_discrete(space: Any) -> dict[str, Any]:
    return {"nvec": to_json(space.nvec), "start": to_json(space.start), "dtype": space.dtype.str}


def _read_multi_discrete(plain: Mapping[str, Any]) -> Space:
    return _spaces().MultiDiscrete(  # type: ignore[no-any-return]
        from_json(plain["nvec"]), dtype=np.dtype(plain["dtype"]), start=from_json(plain["start"])
    )


def _write_text(space: Any) -> dict[str, Any]:
    return {
        "min_length": space.min_length,
        "max_length": space.max_length,
        "charset": to_json("".join(space.character_list)),
    }


def _read_text(plain: Mapping[str, Any]) -> Space:
    return _spaces().Text(  # type: ignore[no-any-return]
        plain["max_length"], min_length=plain["min_length"], charset=from_json(plain["charset"])
    )


def _write_dict(space: Any) -> dict[str, Any]:
    return {"spaces": [[to_json(key), space_to_json(sub)] for key, sub in space.spaces.items()]}


def _read_dict(plain: Mapping[str, Any]) -> Space:
    kind = _spaces().Dict
    pairs = [(from_json(key), space_from_json(sub)) for key, sub in plain["spaces"]]
    ordered = {"sort_keys": False} if _accepts(kind, "sort_keys") else {}
    return kind(pairs, **ordered)  # type: ignore[no-any-return]


def _write_parts(space: Any) -> dict[str, Any]:
    return {"spaces": [space_to_json(sub) for sub in space.spaces]}


def _read_parts(name: str) -> Callable[[Mapping[str, Any]], Space]:
    def read(plain: Mapping[str, Any]) -> Space:
        return getattr(_spaces(), name)(  # type: ignore[no-any-return]
            [space_from_json(sub) for sub in plain["spaces"]]
        )

    return read


def _write_graph(space: Any) -> dict[str, Any]:
    edges = space.edge_space
    return {
        "nodes": space_to_json(space.node_space),
        "edges": None if edges is None else space_to_json(edges),
    }


def _read_graph(plain: Mapping[str, Any]) -> Space:
    edges = plain["edges"]
    return _spaces().Graph(  # type: ignore[no-any-return]
        space_from_json(plain["nodes"]), None if edges is None else space_from_json(edges)
    )


def _write_multi_binary(space: Any) -> dict[str, Any]:
    return {"n": list(space.n) if isinstance(space.n, tuple) else int(space.n)}


_WRITERS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "Box": _write_box,
    "Discrete": _write_discrete,
    "MultiBinary": _write_multi_binary,
    "MultiDiscrete": _write_multi_discrete,
    "Text": _write_text,
    "Dict": _write_dict,
    "Tuple": _write_parts,
    "Sequence": lambda space: {"of": space_to_json(space.feature_space), "stack": space.stack},
    "Graph": _write_graph,
    "OneOf": _write_parts,
}
_READERS: dict[str, Callable[[Mapping[str, Any]], Space]] = {
    "Box": _read_box,
    "Discrete": _read_discrete,
    "MultiBinary": lambda plain: _spaces().MultiBinary(plain["n"]),
    "MultiDiscrete": _read_multi_discrete,
    "Text": _read_text,
    "Dict": _read_dict,
    "Tuple": _read_parts("Tuple"),
    "Sequence": lambda plain: _spaces().Sequence(
        space_from_json(plain["of"]), stack=bool(plain["stack"])
    ),
    "Graph": _read_graph,
    "OneOf": _read_parts("OneOf"),
}
