"""Any Gymnasium space, read from words: JSON text or plain speech, or one helpful refusal.

The counterpart of :mod:`~gymposium.envs.space_words`. ``parse_space`` is total: for every text it
returns an element of the space or raises IllegalAction, nothing else; a fuzz test holds it to that.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import concatenate, create_empty_array

from gymposium.errors import IllegalAction

from . import speech
from .space_words import part, wordless

if TYPE_CHECKING:
    from gymposium.types import Space

WRAPPERS = ("action", "answer", "choice", "move", "decision", "response", "value", "output")
"""Keys under which people put the action when they answer with a JSON object."""


def parse_space(space: Space, text: str, labels: Any = None, mask: Any = None) -> Any:
    """The element of ``space`` that ``text`` means.

    Args:
        space: the action space.
        text: an answer, as JSON or plain speech.
        labels: names for the space's numbers, mirroring the space.
        mask: what ``space.sample(mask=)`` accepts, or None if all is legal.

    Returns:
        A legal action: plain ``int`` for Discrete, arrays of the space's dtype otherwise.

    Raises:
        IllegalAction: the text means no action, several, or one that is not legal now.
    """
    if not isinstance(text, str):
        raise IllegalAction(f"an answer must be text; got {type(text).__name__}")
    try:
        action = _read(space, text, labels, mask)
    except (ValueError, TypeError, OverflowError, RecursionError, KeyError) as error:
        raise IllegalAction(f"cannot read {speech.excerpt(text)} as an action: {error}") from error
    return action


def _read(space: Space, text: str, labels: Any, mask: Any) -> Any:
    if isinstance(space, spaces.Discrete):
        return _discrete(space, text, labels, mask)
    if isinstance(space, spaces.Text):
        return _spoken_text(space, text)
    said = speech.clean(text)
    refusal: IllegalAction | None = None
    # JSON is read as it stands first: cleaning would change the typography inside its strings.
    for value in speech.whole_json(text) or speech.json_values(said):
        try:
            return build(space, _unwrapped(space, value), labels, mask)
        except IllegalAction as error:
            refusal = refusal or error
    spoken = _from_prose(space, said)
    if spoken is not None:
        return build(space, spoken, labels, mask)
    if refusal is not None:
        raise refusal
    raise IllegalAction(f"cannot read {speech.excerpt(text)}: answer with JSON, as in the rules")


def _unwrapped(space: Space, value: Any) -> Any:
    """``value`` without an envelope such as ``{"action": …}`` that the space does not know."""
    known = {str(key) for key in space.spaces} if isinstance(space, spaces.Dict) else set()
    for _ in range(3):
        if not isinstance(value, Mapping) or known.intersection(value):
            break
        inner = [key for key in WRAPPERS if key in value and key not in known]
        if not inner or (isinstance(space, spaces.OneOf) and "option" in value):
            break
        value = value[inner[0]]
        if isinstance(value, str) and not isinstance(space, spaces.Text | spaces.Discrete):
            found = speech.json_values(value)
            value = found[0] if found else value
    return value


def _discrete(space: spaces.Discrete[Any], text: str, labels: Any, mask: Any) -> int:
    start, count = int(space.start), int(space.n)
    if labels is not None and text in labels:  # the common case, at the price of one look
        return start + speech.choose(text, labels, mask)
    said = speech.clean(text)
    if said[:1] in '{["' or "```" in said or "{" in said:
        for value in speech.json_values(said):
            value = _unwrapped(space, value)
            if isinstance(value, list) and len(value) == 1:
                value = value[0]
            if isinstance(value, int | float | str) and value != said:
                return int(build(space, value, labels, mask))
    if labels is not None:
        return start + speech.choose(said, labels, mask)
    for piece in (said, *speech.marked(said), *said.splitlines()[-1:]):
        found = set(speech.integers(piece))
        if len(found) == 1:
            return _legal_number(found.pop(), start, count, mask)
    raise IllegalAction(
        f"cannot tell which number {speech.excerpt(text)} means; answer with one whole number "
        f"from {start} to {start + count - 1}"
    )


def _legal_number(number: int, start: int, count: int, mask: Any) -> int:
    if not start <= number < start + count:
        raise IllegalAction(f"{number} is not one of the numbers {start} to {start + count - 1}")
    if mask is not None and not mask[number - start]:
        legal = [str(start + index) for index in range(count) if mask[index]]
        raise IllegalAction(f"{number} is not allowed now; legal are: {speech.listed(legal)}")
    return number


def build(space: Space, value: Any, labels: Any = None, mask: Any = None) -> Any:
    """The element of ``space`` whose plain form is ``value`` (what JSON gave).

    Raises:
        IllegalAction: it is none, or it is masked.
    """
    match space:
        case spaces.Discrete():
            return _build_number(int(space.n), int(space.start), value, labels, mask)
        case spaces.MultiDiscrete():
            return _build_choices(space, value, labels, mask)
        case spaces.MultiBinary():
            bits = _array(value, space.shape, np.dtype(np.int64))
            fixed = None if mask is None else np.asarray(mask)
            if not ((bits == 0) | (bits == 1)).all():
                raise IllegalAction(f"{value!r:.80} must hold only 0 and 1")
            if fixed is not None and ((fixed != 2) & (bits != fixed)).any():
                raise IllegalAction(f"{value!r:.80} is not allowed now; fixed places: {fixed}")
            return bits.astype(space.dtype)
        case spaces.Box():
            return _build_box(space, value)
        case spaces.Text():
            return _legal_text(space, value)
        case spaces.Dict():
            return _build_dict(space, value, labels, mask)
        case spaces.Tuple():
            items = _items(value, len(space.spaces))
            return tuple(
                build(inner, item, part(labels, index), part(mask, index))
                for index, (inner, item) in enumerate(zip(space.spaces, items, strict=True))
            )
        case spaces.Sequence():
            return _build_sequence(space, value, labels, mask)
        case spaces.OneOf():
            if not isinstance(value, Mapping) or not {"option", "value"} <= set(value):
                raise IllegalAction('answer with an object {"option": number, "value": …}')
            index = _build_number(len(space.spaces), 0, value["option"], None, None)
            inner = space.spaces[index]
            built = build(inner, value["value"], part(labels, index), part(mask, index))
            return (np.int64(index), built)
    raise wordless(space)


def _build_number(count: int, start: int, value: Any, labels: Any, mask: Any) -> int:
    if isinstance(value, str):
        if labels is not None:
            return start + speech.choose(value, labels, mask)
        found = set(speech.integers(value))
        if len(found) != 1:
            raise IllegalAction(
                f"{value!r:.80} is not a number from {start} to {start + count - 1}"
            )
        value = found.pop()
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        raise IllegalAction(
            f"{value!r:.80} is not one of "
            + (
                speech.listed(labels, mask)
                if labels is not None
                else f"{start} to {start + count - 1}"
            )
        )
    return _legal_number(int(value), start, count, mask)


def _build_choices(space: spaces.MultiDiscrete[Any], value: Any, labels: Any, mask: Any) -> Any:
    if space.nvec.ndim == 1:
        items = _items(value, len(space.nvec))
        columns = zip(space.nvec.tolist(), space.start.tolist(), items, strict=True)
        built = [
            _build_number(count, start, item, part(labels, i), part(mask, i))
            for i, (count, start, item) in enumerate(columns)
        ]
        return np.array(built, dtype=space.dtype)
    array = _array(value, space.shape, np.dtype(np.int64))
    if not ((array >= space.start) & (array < space.start + space.nvec)).all():
        raise IllegalAction(f"{value!r:.80} holds a number outside its range")
    return array.astype(space.dtype)


def _build_box(space: spaces.Box, value: Any) -> Any:
    if not isinstance(value, list) and math.prod(space.shape) == 1:
        value = np.full(space.shape, _number(value)).tolist()
    array = _array(value, space.shape, space.dtype)
    if not ((array >= space.low) & (array <= space.high)).all():
        low, high = space.low.min(), space.high.max()
        raise IllegalAction(f"{value!r:.80} is out of range; numbers must be from {low} to {high}")
    return array


def _number(value: Any) -> float:
    if isinstance(value, str):
        found = speech.numbers(speech.clean(value))
        if len(set(found)) == 1:
            return found[0]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise IllegalAction(f"{value!r:.80} is not a number")
    return value


def _array(value: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    if isinstance(value, list | int | float | bool):
        array = np.array(value, dtype=object if dtype.kind in "iu" else np.float64)
        if array.shape != tuple(shape) and array.size == math.prod(shape) and array.ndim == 1:
            array = array.reshape(shape)  # a flat list of the right length is understood
        if array.shape == tuple(shape):
            return _whole(array, dtype) if dtype.kind in "iub" else array.astype(dtype)
    wanted = " x ".join(map(str, shape)) or "one"
    raise IllegalAction(f"{value!r:.80} does not hold {wanted} numbers in JSON lists")


def _whole(array: Any, dtype: Any) -> Any:
    for number in array.ravel():
        if not isinstance(number, int | float | bool) or number != number // 1:
            raise IllegalAction(f"{number!r:.80} is not a whole number")
    limits = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    if any(not limits[0] <= number <= limits[1] for number in array.ravel()):
        raise IllegalAction(f"numbers must be from {limits[0]} to {limits[1]}")
    return np.array([int(number) for number in array.ravel()], dtype=dtype).reshape(array.shape)


def _items(value: Any, count: int) -> list[Any]:
    if not isinstance(value, list) or len(value) != count:
        got = f"{len(value)}" if isinstance(value, list) else f"{value!r:.60}"
        raise IllegalAction(f"answer with a JSON list of {count} entries; got {got}")
    return value


def _build_dict(space: spaces.Dict, value: Any, labels: Any, mask: Any) -> dict[Any, Any]:
    names = ", ".join(repr(str(key)) for key in space.spaces)
    if not isinstance(value, Mapping):
        raise IllegalAction(f"answer with a JSON object with the keys {names}; got {value!r:.60}")
    given = {str(key).strip().casefold(): item for key, item in value.items()}
    built = {}
    for key, inner in space.spaces.items():
        name = str(key).casefold()
        if str(key) in value:
            item = value[str(key)]
        elif name in given:
            item = given[name]
        elif isinstance(inner, spaces.Text) and inner.min_length == 0:
            item = ""  # saying nothing is said by leaving it out
        else:
            raise IllegalAction(f"the key {str(key)!r} is missing; all of {names} are needed")
        try:
            built[key] = build(inner, item, part(labels, key), part(mask, key))
        except IllegalAction as error:
            raise IllegalAction(f"{str(key)!r}: {error}") from error
    return built


def _build_sequence(space: spaces.Sequence, value: Any, labels: Any, mask: Any) -> Any:
    if not isinstance(value, list):
        raise IllegalAction(f"answer with a JSON list; got {value!r:.60}")
    length, feature = (None, None) if mask is None else mask
    if length is not None and len(value) not in np.ravel(length):
        raise IllegalAction(
            f"the list must have {speech.listed(list(map(str, np.ravel(length))))} "
            f"entries; got {len(value)}"
        )
    items = tuple(build(space.feature_space, item, labels, feature) for item in value)
    if not space.stack:
        return items
    empty: Any = create_empty_array(space.feature_space, len(items))
    return concatenate(space.feature_space, items, empty) if items else empty


def _spoken_text(space: spaces.Text, text: str) -> str:
    if text[:1] == '"' and text[-1:] == '"' and len(text) > 1:
        for value in speech.json_values(text)[:1]:
            if isinstance(value, str):
                return _legal_text(space, value)
    said = speech.clean(text)
    for value in speech.json_values(said) if said[:1] in ("{", '"', "`") else ():
        inner = _unwrapped(space, value)
        if isinstance(inner, str):
            return _legal_text(space, inner)
    if space.contains(text):
        return text
    return _legal_text(space, said)


def _legal_text(space: spaces.Text, value: Any) -> str:
    if not isinstance(value, str):
        raise IllegalAction(f"{value!r:.60} is not text; answer with a string")
    if not space.contains(value):
        value = " ".join(speech.clean(value).split())  # typographic quotes and line breaks
    unknown = sorted(set(value) - space.character_set)
    if unknown:
        raise IllegalAction(f"the characters {''.join(unknown[:10])!r} cannot be used here")
    if not space.min_length <= len(value) <= space.max_length:
        raise IllegalAction(
            f"the text has {len(value)} characters; it must have "
            f"{space.min_length} to {space.max_length}"
        )
    return str(value)


def _from_prose(space: Space, said: str) -> Any:
    """Plain data for spaces that people can answer without JSON; None for other texts."""
    match space:
        case spaces.Dict():
            return _keyed_lines([str(key) for key in space.spaces], said)
        case spaces.Box() | spaces.MultiDiscrete() | spaces.MultiBinary():
            size = math.prod(space.shape)
            for piece in (said, *speech.marked(said), *said.splitlines()[-1:]):
                found: list[Any] = speech.numbers(piece)
                if len(found) == size and size > 0:
                    return found[0] if space.shape == () else found
            if isinstance(space, spaces.MultiDiscrete) and space.nvec.ndim == 1:
                words = [word.strip() for word in re.split(r"[,;\n]", said) if word.strip()]
                return words if len(words) == size else None
    return None


def _keyed_lines(keys: list[str], said: str) -> dict[str, str] | None:
    """Answers like ``offer: 3, say: deal`` and one ``key = value`` per line."""
    if not keys:
        return {}
    names = "|".join(re.escape(key).replace("_", "[_ ]") for key in sorted(keys, key=len)[::-1])
    found = list(re.finditer(rf"(?<!\w)(?:{names})\W{{0,4}}[:=]", said, re.I))
    by_name = {key.casefold().replace("_", " "): key for key in keys}
    values: dict[str, str] = {}
    for position, match in enumerate(found):
        end = found[position + 1].start() if position + 1 < len(found) else len(said)
        name = re.sub(r"\W+$", "", match[0]).casefold().replace("_", " ")
        value = said[match.end() : end].strip().strip(",;*`").strip()
        if name in by_name:
            values.setdefault(by_name[name], value.strip("\"'"))
    return values or None
