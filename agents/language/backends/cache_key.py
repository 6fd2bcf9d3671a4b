"""What makes two model calls the same call: the cache's key, and what tells two keys apart.

The key hashes a written list of fields and nothing else, so that no new field can kill a cache in
silence (a golden test freezes it). Above temperature 0 a sample index belongs to it, made of the
match's seed, the seat, the step and the attempt: repeats are new samples, and the same turn of the
same match is the same one. At temperature 0 there is nothing to sample, hence no index.
"""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import orjson

VERSION = 1
"""Part of the key; a higher one forgets every older answer."""
FIELDS = ("version", "model", "messages", "schema", "parameters", "sample")
_SHOWN = 60


def question(
    model: str,
    messages: Sequence[Mapping[str, Any]],
    *,
    schema: Mapping[str, Any] | None,
    parameters: Mapping[str, Any],
    sample: int | None,
) -> dict[str, Any]:
    """All that a key is made of, as plain data.

    Args:
        model: what answers: name and place, or name and weights.
        messages: as sent; pictures enter by their hash.
        schema: of the answer, or None.
        parameters: ``temperature`` and all else that can change an answer, the seed left out.
        sample: which of the possible answers; ignored at temperature 0.
    """
    return {
        "version": VERSION,
        "model": model,
        "messages": [plain_message(message) for message in messages],
        "schema": schema,
        "parameters": dict(parameters),
        "sample": sample if parameters.get("temperature", 0) else None,
    }


def key_of(asked: Mapping[str, Any]) -> bytes:
    """The key of a :func:`question`: 16 bytes."""
    plain = orjson.dumps(asked, default=dict, option=orjson.OPT_SORT_KEYS)
    return hashlib.blake2b(plain, digest_size=16).digest()


def plain_message(message: Mapping[str, Any]) -> dict[str, Any]:
    """The message as plain data: pictures are represented by their hashes."""
    made = {key: value for key, value in message.items() if key != "images"}
    if len(message.get("images", ())):
        made["images"] = [_digest(image) for image in message["images"]]
    return made


def _digest(image: Any) -> str:
    pixels = np.ascontiguousarray(image)
    shape = ",".join(map(str, pixels.shape)).encode()
    return hashlib.blake2b(shape + pixels.tobytes(), digest_size=16).hexdigest()


def differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, str]:
    """Where two questions differ: the field, and both values in short.

    Args:
        one: the question asked.
        other: the nearest one known.
    """
    found: dict[str, str] = {}
    for field in FIELDS:
        mine, theirs = one.get(field), other.get(field)
        if mine == theirs:
            continue
        if field == "messages":
            found.update(_message_differences(mine or (), theirs or ()))
        elif isinstance(mine, Mapping) and isinstance(theirs, Mapping):
            for name in sorted({*mine, *theirs}):
                if mine.get(name) != theirs.get(name):
                    place = name if field == "parameters" else f"{field}.{name}"
                    found[place] = f"{_short(mine.get(name))}, not {_short(theirs.get(name))}"
        else:
            found[field] = f"{_short(mine)}, not {_short(theirs)}"
    return found


def _message_differences(mine: Sequence[Any], theirs: Sequence[Any]) -> dict[str, str]:
    for place, (a, b) in enumerate(zip(mine, theirs, strict=False)):
        if a == b:
            continue
        left, right = a.get("content", ""), b.get("content", "")
        if a.get("role") != b.get("role") or left == right:
            return {f"messages[{place}]": f"{_short(a)}, not {_short(b)}"}
        at = next((n for n, (x, y) in enumerate(zip(left, right, strict=False)) if x != y), None)
        at = min(len(left), len(right)) if at is None else at
        start = max(0, at - 15)
        return {
            f"messages[{place}] ({a.get('role')}) from character {at}": (
                f"{_short(left[start : start + _SHOWN])}, not "
                f"{_short(right[start : start + _SHOWN])}"
            )
        }
    return {"messages": f"{len(mine)} of them, not {len(theirs)}"}


def nearness(one: Mapping[str, Any], other: Mapping[str, Any]) -> float:
    """How alike two questions are, from 0 to 1: the share of fields, the words counting most."""
    score: float = 3.0 * _alike(one.get("messages") or (), other.get("messages") or ())
    for field in ("model", "schema", "sample"):
        score += one.get(field) == other.get(field)
    mine, theirs = one.get("parameters") or {}, other.get("parameters") or {}
    names = {*mine, *theirs}
    score += sum(mine.get(name) == theirs.get(name) for name in names) / max(1, len(names))
    return score / 7


def _alike(mine: Sequence[Any], theirs: Sequence[Any]) -> float:
    equal = sum(bool(a == b) for a, b in zip(mine, theirs, strict=False))
    most = max(len(mine), len(theirs), 1)
    if equal < min(len(mine), len(theirs)):
        a, b = mine[equal].get("content", ""), theirs[equal].get("content", "")
        matcher = difflib.SequenceMatcher(None, a[:400], b[:400], autojunk=False)
        return float(equal + matcher.quick_ratio()) / most
    return equal / most


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else orjson.dumps(value, default=str).decode()
    quoted = repr(text) if isinstance(value, str) else text
    return quoted if len(quoted) <= _SHOWN + 10 else f"{quoted[: _SHOWN + 8]}…"
