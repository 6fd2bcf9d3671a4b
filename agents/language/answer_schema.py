"""The JSON Schema a reply is constrained to: a world's action schema in its wrapping.

Beside wrapping the action (``{"thought"?: …, "action": …}``) this closes objects that a world left
open and shortens long strings where the agent asks for it, so that every constrained reply *ends*,
and computes how many tokens the longest legal reply can take, so that none is cut off.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

MAX_THOUGHT = 120
"""Characters of the thought asked for before an action."""
OPEN_STRING = 400
"""Characters assumed, and enforced, where a schema leaves a string open."""
OPEN_ITEMS = 16
MAX_TOKENS = 1024
"""Most tokens of a reply, whatever the schema allows."""
_NUMBER_LENGTH = 20


@dataclass(frozen=True, slots=True)
class AnswerSchema:
    """A reply's schema and the longest it can get.

    Attributes:
        schema: plain JSON data.
        max_tokens: enough tokens for the longest reply it allows, up to MAX_TOKENS.
    """

    schema: Mapping[str, Any]
    max_tokens: int


_made: dict[tuple[bytes, bool, int | None, str], AnswerSchema] = {}
_MOST_KEPT = 4096


def answer_schema(
    action: Mapping[str, Any], *, think: bool, max_text: int | None, under: str = "action"
) -> AnswerSchema:
    """The schema of a whole reply.

    Args:
        action: the world's schema of a legal action; empty if it has none.
        think: whether a thought comes before the action.
        max_text: longest string, in characters, that the model may put into an action; None
            leaves it to the world.
        under: the key of the answer: ``action``, or ``answer`` where a question is no move.

    Returns:
        The schema and a token limit; equal arguments give the same object.
    """
    key = (orjson.dumps(action, default=dict), think, max_text, under)
    made = _made.get(key)
    if made is None:
        made = _make(orjson.loads(key[0]), think, max_text, under)
        if len(_made) >= _MOST_KEPT:
            _made.clear()
        _made[key] = made
    return made


def whole_schema(reply: Mapping[str, Any]) -> AnswerSchema:
    """The schema of a reply that nothing is wrapped round; empty where it is no object but text."""
    closed = _closed(orjson.loads(orjson.dumps(reply, default=dict)), None)
    fits = closed if reply.get("type") == "object" else {}
    return AnswerSchema(fits, min(MAX_TOKENS, _longest(closed) + 8))


def _make(action: dict[str, Any], think: bool, max_text: int | None, under: str) -> AnswerSchema:
    closed = _closed(action or {"type": "string"}, max_text)
    properties: dict[str, Any] = {}
    if think:
        # First, so that it is written first: a thought after the action would explain nothing.
        properties["thought"] = {"type": "string", "maxLength": MAX_THOUGHT}
    properties[under] = closed
    schema: dict[str, Any] = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    # References must resolve from the root.
    for name in ("$defs", "definitions"):
        if name in closed:
            schema[name] = closed.pop(name)
    # A token is at least one character, so the longest reply in characters is always enough.
    return AnswerSchema(schema, min(MAX_TOKENS, _longest(schema) + 8))


def _closed(schema: Any, max_text: int | None) -> Any:
    """A copy in which objects take no further properties and strings and lists have an end."""
    if isinstance(schema, list):
        return [_closed(part, max_text) for part in schema]
    if not isinstance(schema, dict):
        return schema
    made = {
        key: value if key in ("enum", "const", "default", "examples") else _closed(value, max_text)
        for key, value in schema.items()
    }
    kinds = schema.get("type")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if isinstance(schema.get("properties"), dict):
        made.setdefault("additionalProperties", False)
    if "string" in kinds and "enum" not in schema and "const" not in schema:
        most = min(x for x in (schema.get("maxLength"), max_text, 10**6) if isinstance(x, int))
        if "pattern" not in schema and "format" not in schema:
            made["maxLength"] = OPEN_STRING if most == 10**6 else most
            made["maxLength"] = max(made["maxLength"], schema.get("minLength", 0))
    if "array" in kinds:
        made.setdefault("maxItems", max(OPEN_ITEMS, schema.get("minItems", 0)))
    return made


def _longest(schema: Any, depth: int = 0) -> int:
    """Characters of the longest compact JSON text that fits; an estimate for unusual schemas."""
    if not isinstance(schema, dict) or depth > 12:
        return OPEN_STRING
    if "const" in schema:
        return len(orjson.dumps(schema["const"]))
    if "enum" in schema:
        return max((len(orjson.dumps(value)) for value in schema["enum"]), default=2)
    for name in ("anyOf", "oneOf"):
        if name in schema:
            return max((_longest(part, depth + 1) for part in schema[name]), default=2)
    if "allOf" in schema:
        return sum(_longest(part, depth + 1) for part in schema["allOf"])
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return max((_longest({**schema, "type": kind}, depth + 1) for kind in kinds), default=2)
    if kinds == "string":
        return 2 + int(schema.get("maxLength", OPEN_STRING))
    if kinds in ("integer", "number"):
        return _NUMBER_LENGTH
    if kinds == "boolean":
        return 5
    if kinds == "null":
        return 4
    if kinds == "array":
        items = list(schema.get("prefixItems", ()))
        most = int(schema.get("maxItems", OPEN_ITEMS))
        rest = max(0, most - len(items))
        one = _longest(schema["items"], depth + 1) if isinstance(schema.get("items"), dict) else 20
        return 2 + sum(_longest(part, depth + 1) + 1 for part in items) + rest * (one + 1)
    if kinds == "object" or "properties" in schema:
        properties = schema.get("properties", {})
        return 2 + sum(
            len(name) + 4 + _longest(part, depth + 1) for name, part in properties.items()
        )
    return OPEN_STRING
