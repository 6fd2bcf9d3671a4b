"""The one extractor: from what a model wrote to the words a world can parse.

Models wrap their answers in thoughts, fences, JSON, tags and courtesies; worlds should not care.
``extract`` peels the wrapping off and hands on plain words or JSON text; what they *mean* is for
the world's own ``parse``. It never raises, whatever the text. The chain of readings follows Game
Arena's parsers; the shapes come from complaints in the trackers of similar projects.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson

from .relaxed_json import read

MAX_READ = 20_000
"""A longer text is cut in the middle: the answer stands at its start or its end."""
MAX_ACTION = 4_000
"""Plain words are cut to this. JSON is not: half a document would be read as something else."""
MAX_THOUGHT = 4_000

_THINK = re.compile(
    r"<(think|thinking|thought|reasoning|scratchpad|analysis)>(.*?)(?:</\1>|\Z)", re.S | re.I
)
_THINK_END = re.compile(r"\A(.*)</(?:think|thinking|thought|reasoning)>", re.S | re.I)
_FENCE = re.compile(r"(```|~~~)[ \t]*[\w+-]*[ \t]*\n?(.*?)(?:\1|\Z)", re.S)
_TAGGED = re.compile(
    r"<(answer|action|final_answer|move|choice|response|output)>\s*(.*?)\s*(?:</\1>|\Z)",
    re.S | re.I,
)
_BOXED = re.compile(r"\\boxed\{(?:\\text\{)?([^{}\n]{1,200})\}")
_LABELLED = re.compile(
    r"(?:^|[\n.!?;]|\*\*|\bmy|\bthe|\bfinal)[ \t>#*_`-]*"
    r"(?:final[ \t]+)?(?:answer|action|choice|decision|move|response|reply)"
    r"(?:[ \t]+(?:is|would be|will be))?[ \t]*[*_`]*[ \t]*"
    r"(?::|=|->|=>|→)(?:[*_]{1,2}(?=\s))?[ \t]*([^\n]+)",
    re.I,
)
_THOUGHT_KEYS = frozenset(
    {
        "thought",
        "thoughts",
        "thinking",
        "reasoning",
        "reason",
        "rationale",
        "explanation",
        "analysis",
    }
)
_ANSWER_KEYS = (
    "action",
    "actions",
    "answer",
    "final_answer",
    "finalanswer",
    "choice",
    "decision",
    "response",
    "output",
    "result",
)
_NESTS = ("arguments", "parameters", "args", "input", "function")
_ANSWER_IS = re.compile(
    r"\b(?:final|my|the|correct)[ \t]+answer[ \t]+is[ \t]*:?[ \t]*([^\n]+)", re.I
)
_PAIRS = {'"': '"', "'": "'", "`": "`", "“": "”", "*": "*", "(": ")", "[": "]"}


class Extracted(NamedTuple):
    """What a model's text came to.

    Attributes:
        action_text: plain words or JSON text for the world's ``parse``.
        thought: what was thought aloud, if anything.
    """

    action_text: str
    thought: str | None = None


def extract(text: str) -> Extracted:
    """Peel an answer out of what a model wrote.

    Args:
        text: the raw completion; anything at all.

    Returns:
        The answer, at most MAX_ACTION characters unless it is JSON, and the thought beside it, if
        any.
    """
    if text[:1] == "{" and text[-1:] == "}" and len(text) <= MAX_READ:
        try:
            value = orjson.loads(text)
        except (orjson.JSONDecodeError, UnicodeEncodeError):
            pass
        else:
            if isinstance(value, dict) and "action" in value:
                if len(value) > 1:
                    found = _answer_in(value)
                    if found is not None:
                        return found
                return _made(value["action"], None)
    return _extract_slowly(text)


def _extract_slowly(text: str) -> Extracted:
    if len(text) > MAX_READ:
        half = MAX_READ // 2
        text = f"{text[:half]}\n{text[-half:]}"
    body, thought = _without_thoughts(text.strip().lstrip("\ufeff"))
    found = _from_json(body)
    if found is not None:
        return Extracted(found.action_text, found.thought or _kept(thought))
    for pattern, group in ((_TAGGED, 2), (_BOXED, 1), (_LABELLED, 1), (_ANSWER_IS, 1)):
        hits = [hit[group] for hit in pattern.finditer(body) if hit[group].strip()]
        if hits:
            return _made(_unwrapped(hits[-1]), thought)
    fences = _fenced(body)
    return _made(_unwrapped(fences[0] if fences else body), thought)


def _made(action: Any, thought: str | None) -> Extracted:
    said = action.strip()[:MAX_ACTION] if isinstance(action, str) else _dumped(action).strip()
    return Extracted(said, _kept(thought))


def _kept(thought: str | None) -> str | None:
    return None if thought is None else thought.strip()[:MAX_THOUGHT] or None


def _dumped(value: Any) -> str:
    try:
        return orjson.dumps(value).decode()
    except (TypeError, ValueError, RecursionError):  # e.g. integers beyond 64 bits
        try:
            return json.dumps(value, ensure_ascii=False)
        except (TypeError, ValueError, RecursionError):
            return ""


def _without_thoughts(text: str) -> tuple[str, str | None]:
    """The text outside think blocks, and what was inside them."""
    if "<" not in text:
        return text, None
    thoughts = [hit[2] for hit in _THINK.finditer(text)]
    body = _THINK.sub(" ", text).strip()
    # Some templates open the block themselves, so that only its end is in the text.
    lone = _THINK_END.match(body)
    if lone is not None:
        thoughts.insert(0, lone[1])
        body = body[lone.end() :].strip()
    thought = "\n".join(part.strip() for part in thoughts if part.strip())
    if not body and thought:
        # Everything was thought: the answer may be in there, e.g. when the end tag was cut off.
        body = thought
    return body, thought or None


def _fenced(text: str) -> list[str]:
    """The contents of code fences, last first (the last is usually the answer)."""
    if "```" not in text and "~~~" not in text:
        return []
    return [hit[2].strip() for hit in _FENCE.finditer(text) if hit[2].strip()][::-1]


def _from_json(text: str) -> Extracted | None:
    """The answer of the last JSON object that has one; else a lone JSON object itself."""
    if "{" not in text:
        return None
    bare: str | None = None
    for candidate in (*_fenced(text), text):
        for value, complete in _objects(candidate):
            answered = _answer_in(value)
            if answered is not None:
                return answered
            if bare is None and complete and value:
                bare = _dumped(value)
    return None if bare is None else Extracted(bare)


def _objects(text: str) -> list[tuple[dict[str, Any], bool]]:
    """The outermost objects in ``text``, last first, with whether each was complete."""
    starts = [hit.start() for hit in re.finditer(r"\{", text)]
    if len(starts) > 40:  # bounded work on hostile text
        starts = starts[:20] + starts[-20:]
    found: list[tuple[dict[str, Any], bool]] = []
    end = -1
    for start in starts:
        if start < end:
            continue
        made = read(text, start)
        if made is not None and isinstance(made.value, dict):
            found.append((made.value, made.complete))
            end = made.end
    return found[::-1]


def _answer_in(value: Mapping[str, Any], depth: int = 0) -> Extracted | None:
    """What the object gives as its answer, if it has a key for one."""
    lowered = {str(key).lower().replace(" ", "_"): key for key in value}
    thought = None
    for name in _THOUGHT_KEYS & lowered.keys():
        said = value[lowered[name]]
        thought = said if isinstance(said, str) else None
    for name in _ANSWER_KEYS:
        if name not in lowered:
            continue
        answer = value[lowered[name]]
        if name != "action" and not _is_wrapper(lowered.keys(), name):
            continue  # {"choice": 1, "price": 3} is an action itself, not the wrapping of one
        # What is under "action" is the world's affair, even if it has an "action" of its own.
        if name != "action" and isinstance(answer, dict) and depth < 3:
            inner = _answer_in(answer, depth + 1)
            if inner is not None:
                return Extracted(inner.action_text, inner.thought or thought)
        return _made(answer, thought)
    for name in _NESTS:
        nested = value[lowered[name]] if name in lowered else None
        if isinstance(nested, dict) and depth < 3:
            found = _answer_in(nested, depth + 1)
            if found is not None:
                return Extracted(found.action_text, found.thought or thought)
    return None


def _is_wrapper(keys: Any, name: str) -> bool:
    return all(key == name or key in _THOUGHT_KEYS or key == "confidence" for key in keys)


def _unwrapped(text: str) -> str:
    """``text`` without quotes, emphasis or brackets that enclose all of it."""
    text = text.strip()
    for _ in range(4):
        closing = _PAIRS.get(text[:1])
        stripped = text.rstrip(".,;! ")
        if closing is None or len(stripped) < 3 or stripped[-1] != closing:
            break
        inner = stripped[1:-1]
        # ("a" or "b") must keep its outer pair; so must a JSON list.
        if text[0] == "[" and "," in inner:
            break
        if closing in inner.strip("*`"):
            break
        text = inner.strip()
    return text
