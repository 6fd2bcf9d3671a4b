"""What may be answered now, from the turn's JSON Schema, in the words of a hint."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

MOST = 40
"""Choices listed; of more only so many are shown."""


def legal_answers(schema: Mapping[str, Any]) -> str:
    """One line (for alternatives: several) that says what ``schema`` allows.

    Args:
        schema: as in ``Turn.schema``; anything unknown is shown as JSON.
    """
    if not schema:
        return "an answer in words"
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return "\n  or ".join(legal_answers(part) for part in schema[key])
    if "const" in schema:
        return _word(schema["const"])
    if "enum" in schema:
        return _listed(schema["enum"])
    kind = schema.get("type")
    if kind == "object":
        parts = schema.get("properties", {}).items()
        return "; ".join(f"{name}: {legal_answers(part)}" for name, part in parts)
    if kind in ("integer", "number"):
        return _number(schema, "a whole number" if kind == "integer" else "a number")
    if kind == "string":
        most = schema.get("maxLength")
        if most == 0:
            return "nothing"
        return f"a text of at most {most} characters" if most is not None else "a text"
    if kind == "boolean":
        return "true or false"
    if kind == "null":
        return "nothing"
    if kind == "array":
        return f"a list of {legal_answers(schema.get('items') or {})}"
    return json.dumps(schema, ensure_ascii=False)


def _listed(values: Any) -> str:
    words = [_word(value) for value in values]
    rest = len(words) - MOST
    return ", ".join(words[:MOST]) + (f", … ({rest} more)" if rest > 0 else "")


def _word(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _number(schema: Mapping[str, Any], noun: str) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and low == high:
        return _word(low)
    if low is not None and high is not None:
        return f"{noun} from {_word(low)} to {_word(high)}"
    if low is not None:
        return f"{noun} of at least {_word(low)}"
    return noun if high is None else f"{noun} of at most {_word(high)}"
