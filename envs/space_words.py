"""Any Gymnasium space in words: its values said, described and given a JSON Schema.

The forms are fixed so that ``parse_space(space, format_space(space, action))`` gives the action
back: a labelled number is its label, everything composite is JSON with the labels inside, text is
a JSON string. ``labels`` and ``mask`` mirror the space: a sequence of names for Discrete, a
sequence of those for MultiDiscrete and Tuple, a mapping for Dict.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import iterate

from gymposium.errors import UsageError

if TYPE_CHECKING:
    from gymposium.types import Space

SHOWN = 64
"""Arrays with more elements than this are summarised in descriptions, not spelled out."""


def part(tree: Any, key: Any) -> Any:
    """The labels or mask of one component; None where there are none."""
    if tree is None:
        return None
    if isinstance(tree, Mapping):
        return tree.get(key)
    return tree[key] if isinstance(key, int) and key < len(tree) else None


def plain(space: Space, action: Any, labels: Any = None) -> Any:
    """``action`` as JSON-able plain data, labels in place of labelled numbers.

    Raises:
        UsageError: the space has no form in words (Graph, or somebody's own).
    """
    match space:
        case spaces.Discrete():
            return int(action) if labels is None else labels[int(action) - int(space.start)]
        case spaces.MultiDiscrete():
            if labels is None:
                return np.asarray(action).tolist()
            starts = space.start.ravel().tolist()
            return [
                int(value) if names is None else names[int(value) - start]
                for value, start, names in zip(
                    np.ravel(action), starts, _padded(labels, len(starts)), strict=True
                )
            ]
        case spaces.MultiBinary() | spaces.Box():
            return np.asarray(action).tolist()
        case spaces.Text():
            return str(action)
        case spaces.Dict():
            return {
                str(key): plain(inner, action[key], part(labels, key))
                for key, inner in space.spaces.items()
            }
        case spaces.Tuple():
            return [
                plain(inner, value, part(labels, index))
                for index, (inner, value) in enumerate(zip(space.spaces, action, strict=True))
            ]
        case spaces.Sequence():
            items = iterate(space.stacked_feature_space, action) if space.stack else action
            return [plain(space.feature_space, item, labels) for item in items]
        case spaces.OneOf():
            index = int(action[0])
            return {
                "option": index,
                "value": plain(space.spaces[index], action[1], part(labels, index)),
            }
    raise wordless(space)


def wordless(space: Space) -> UsageError:
    """The error for a space that cannot be spoken."""
    return UsageError(
        f"{type(space).__name__} spaces have no form in words: give the world its own "
        "parse, format and action_schema"
    )


def format_space(space: Space, action: Any, labels: Any = None) -> str:
    """``action`` in words, such that ``parse_space`` gives it back.

    Args:
        space: the space that ``action`` is an element of.
        action: what is to be said.
        labels: names for its numbers, mirroring the space.

    Returns:
        A label, a number or JSON text.
    """
    value = plain(space, action, labels)
    if isinstance(value, str) and not isinstance(space, spaces.Text):
        return value
    return json.dumps(value, ensure_ascii=False)


def describe_space(space: Space, value: Any, labels: Any = None) -> str:
    """``value`` in words for a reader who has to act on it; large arrays are summarised.

    Args:
        space: the space that ``value`` is an element of.
        value: what is to be described.
        labels: names for its numbers, mirroring the space.

    Returns:
        One line, or for Dict spaces one ``key: value`` line per entry.
    """
    match space:
        case spaces.Dict():
            lines = []
            for key, inner in space.spaces.items():
                said = describe_space(inner, value[key], part(labels, key))
                name = str(key).replace("_", " ")
                indented = "\n  ".join(said.splitlines())
                lines.append(f"{name}:\n  {indented}" if "\n" in said else f"{name}: {said}")
            return "\n".join(lines)
        case spaces.Tuple():
            parts = [
                describe_space(inner, item, part(labels, index))
                for index, (inner, item) in enumerate(zip(space.spaces, value, strict=True))
            ]
            return "; ".join(parts) or "nothing"
        case spaces.Sequence():
            items = iterate(space.stacked_feature_space, value) if space.stack else value
            parts = [describe_space(space.feature_space, item, labels) for item in items]
            return "; ".join(parts) or "nothing yet"
        case spaces.Text():
            return str(value)
        case spaces.Box() | spaces.MultiDiscrete() | spaces.MultiBinary():
            return _array_in_words(np.asarray(value), plain(space, value, labels))
        case spaces.Graph():
            edges = 0 if value.edge_links is None else len(value.edge_links)
            return f"a graph of {len(value.nodes)} nodes and {edges} edges"
    return str(plain(space, value, labels))


def _array_in_words(array: np.ndarray[Any, Any], data: Any) -> str:
    if array.size > SHOWN:
        low, high = array.min(), array.max()
        shape = " x ".join(map(str, array.shape))
        return f"an array of {shape} numbers from {low:g} to {high:g}"
    if array.dtype.kind == "f":
        # A float32 shows its own digits, not those of the double nearest to it.
        rounded = np.vectorize(lambda number: f"{number:.6g}", otypes=[object])(array).tolist()
        return str(rounded).replace("'", "")
    return str(data).replace("'", "")


def schema_space(space: Space, labels: Any = None, mask: Any = None) -> dict[str, Any]:
    """JSON Schema of the text form of the actions that are legal now.

    Args:
        space: the action space.
        labels: names for its numbers, mirroring the space.
        mask: what ``space.sample(mask=)`` accepts, or None if all is legal.

    Returns:
        A fresh dict; every legal action's plain form satisfies it.
    """
    match space:
        case spaces.Discrete():
            return _choice_schema(int(space.n), int(space.start), labels, mask)
        case spaces.MultiDiscrete():
            return _choices_schema(space, labels, mask)
        case spaces.MultiBinary():
            return _nested({"type": "integer", "minimum": 0, "maximum": 1}, space.shape)
        case spaces.Box():
            return _nested(_number_schema(space), space.shape)
        case spaces.Text():
            return _text_schema(space)
        case spaces.Dict():
            return {
                "type": "object",
                "properties": {
                    str(key): schema_space(inner, part(labels, key), part(mask, key))
                    for key, inner in space.spaces.items()
                },
                "required": [str(key) for key in space.spaces],
                "additionalProperties": False,
            }
        case spaces.Tuple():
            items = [
                schema_space(inner, part(labels, index), part(mask, index))
                for index, inner in enumerate(space.spaces)
            ]
            return _fixed(items)
        case spaces.Sequence():
            feature = None if mask is None else mask[1]
            return {"type": "array", "items": schema_space(space.feature_space, labels, feature)}
        case spaces.OneOf():
            return {"anyOf": [_option_schema(space, i, labels, mask) for i in range(len(space))]}
    raise wordless(space)


def _option_schema(space: spaces.OneOf[Any], index: int, labels: Any, mask: Any) -> dict[str, Any]:
    inner = schema_space(space.spaces[index], part(labels, index), part(mask, index))
    return {
        "type": "object",
        "properties": {"option": {"const": index}, "value": inner},
        "required": ["option", "value"],
        "additionalProperties": False,
    }


def _choice_schema(count: int, start: int, labels: Any, mask: Any) -> dict[str, Any]:
    if labels is not None:
        legal = [name for i, name in enumerate(labels) if mask is None or mask[i]]
        return {"type": "string", "enum": legal}
    if mask is not None:
        return {"type": "integer", "enum": [start + i for i in range(count) if mask[i]]}
    return {"type": "integer", "minimum": start, "maximum": start + count - 1}


def _choices_schema(space: spaces.MultiDiscrete[Any], labels: Any, mask: Any) -> dict[str, Any]:
    if space.nvec.ndim != 1:
        low, high = int(space.start.min()), int((space.start + space.nvec).max()) - 1
        return _nested({"type": "integer", "minimum": low, "maximum": high}, space.shape)
    columns = zip(space.nvec.tolist(), space.start.tolist(), strict=True)
    return _fixed(
        [
            _choice_schema(count, start, part(labels, i), part(mask, i))
            for i, (count, start) in enumerate(columns)
        ]
    )


def _number_schema(space: spaces.Box) -> dict[str, Any]:
    whole = space.dtype is not None and space.dtype.kind in "iub"
    schema: dict[str, Any] = {"type": "integer" if whole else "number"}
    if space.low.size:
        low, high = space.low.min().item(), space.high.max().item()
        if math.isfinite(low):
            schema["minimum"] = low
        if math.isfinite(high):
            schema["maximum"] = high
    return schema


def _text_schema(space: spaces.Text) -> dict[str, Any]:
    schema: dict[str, Any] = {
        "type": "string",
        "minLength": space.min_length,
        "maxLength": space.max_length,
    }
    letters = space.characters
    if (letters and not letters.isascii()) or len(letters) < 90:
        # Printable ASCII and more needs no pattern; grammars are faster without one.
        allowed = "".join(re.escape(letter) for letter in letters)
        schema["pattern"] = f"^[{allowed}]*$" if letters else "^$"
    return schema


def _nested(item: dict[str, Any], shape: Sequence[int]) -> dict[str, Any]:
    for size in reversed(shape):
        item = {"type": "array", "items": item, "minItems": size, "maxItems": size}
    return item


def _fixed(items: list[dict[str, Any]]) -> dict[str, Any]:
    size = {"minItems": len(items), "maxItems": len(items)}
    if items and all(item == items[0] for item in items):
        return {"type": "array", "items": items[0], **size}
    return {"type": "array", "prefixItems": items, **size}


def _padded(labels: Any, count: int) -> list[Any]:
    return [part(labels, index) for index in range(count)]
