"""What an agent writes before it acts: five strategies, as tags or as JSON.

Wang et al., VAGEN: Reinforcing World Model Reasoning for Multi-Turn VLM Agents (2025), section 3: a
reply may hold nothing but the answer, free thought, a belief of the state now (``observation``), of
the state after the actions (``prediction``), or both. :func:`read` takes a reply apart in one pass,
whatever the text is; it decides the format, :mod:`.beliefs` what the beliefs mean.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from gymposium.errors import UnknownName

from ..markets.money import CHARACTERS
from ..speech import spelled

MAX_READ = 20_000
"""A longer reply is not of the format, and its rest is not read."""
STRATEGIES: Mapping[str, tuple[str, ...]] = {
    "no_think": (),
    "free_think": ("think",),
    "state_estimation": ("observation", "reasoning"),
    "transition_modeling": ("reasoning", "prediction"),
    "world_modeling": ("observation", "reasoning", "prediction"),
}
"""The parts before the answer, in order, by strategy."""
LEGACY_NAMES: Mapping[str, str] = {
    "grounding": "state_estimation",
    "worldmodeling": "transition_modeling",
    "grounding_worldmodeling": "world_modeling",
}
"""The names in the authors' program that differ from the paper's."""
_TAG = re.compile(r"</?(?:think|observation|reasoning|prediction|answer)>")
_TAG_LIKE = re.compile(
    r"<[ \t]*(/?)[ \t]*(think|observation|reasoning|prediction|answer)[ \t]*>", re.I
)
_FENCE = re.compile(r"(```|~~~)[ \t]*[\w+-]*[ \t]*\n")
_DRESS = "`*\"' \t\r\n"
_DOUBLE_QUOTES = str.maketrans("“”„‟", '""""')
_LETTERS = frozenset(CHARACTERS + "\n√")
"""What replies are written in: an object's escapes could bring in what no file can hold."""
_MAX_OBJECTS = 20
"""Places where the object of a reply with other words in it is looked for."""


class Said(NamedTuple):
    """A reply, taken apart.

    Attributes:
        correct: the whole reply was of the strategy's format.
        parts: what stood in each part before the answer, without tags; only what was found.
        answer: what stood in the answer, without tags; "" if there was none.
    """

    correct: bool
    parts: Mapping[str, str]
    answer: str

    def actions(self, *, separator: str = ",", most: int = 3) -> tuple[str, ...]:
        """The first ``most`` actions of the answer; what comes after is dropped.

        Marks that chat models put round code or emphasis, and a full stop, are no part of one.
        """
        words = (_undressed(word) for word in _undressed(self.answer).split(separator))
        return tuple(word for word in words if word)[:most]


def parts_of(strategy: str) -> tuple[str, ...]:
    """The parts before the answer.

    Raises:
        UnknownName: no such strategy, under neither of its names.
    """
    name = LEGACY_NAMES.get(strategy, strategy)
    if name not in STRATEGIES:
        raise UnknownName("strategy", strategy, (*STRATEGIES, *LEGACY_NAMES))
    return STRATEGIES[name]


def skeleton(strategy: str) -> str:
    """The format as an agent is shown it, with ``...`` for what it must fill in."""
    parts = parts_of(strategy)
    inner = "".join(f"<{part}>...</{part}>" for part in parts)
    if parts and parts != ("think",):
        inner = f"<think>{inner}</think>"
    return f"{inner}<answer>...</answer>"


def pattern(strategy: str) -> str:
    """A regular expression of all replies of the format, for backends that decode by one."""
    shown = re.sub(r"(?<=>)(?=<)", r"\\s*", skeleton(strategy))
    return shown.replace("...", "[^<]*")


def schema(
    strategy: str, actions: Sequence[str] = (), *, most: int = 3, longest: int | None = None
) -> dict[str, Any]:
    """JSON Schema of the same reply as an object, for backends that decode by one.

    Args:
        strategy: its name.
        actions: the actions there are; none for any text.
        most: actions a turn.
        longest: characters of an action of any text; None leaves it open.
    """
    item: dict[str, Any] = {"enum": [*actions]} if actions else {"type": "string"}
    if longest is not None:
        item["maxLength"] = longest
    fields: dict[str, Any] = {part: {"type": "string"} for part in parts_of(strategy)}
    fields["action"] = {"type": "array", "items": item, "minItems": 1, "maxItems": most}
    return {
        "type": "object",
        "properties": fields,
        "required": [*fields],
        "additionalProperties": False,
    }


def read(
    text: str,
    strategy: str,
    *,
    separator: str = ",",
    loose: bool | None = None,
    nested: bool = False,
) -> Said:
    """Take a reply apart; never fails.

    Args:
        text: the reply: tags, or an object of :func:`schema`.
        strategy: its name.
        separator: put between the actions of an object, which come as a list.
        loose: also find parts in a reply that is not of the format: with other words around it,
            with tags in capitals, cut off within its answer. None is the authors' way: only for
            strategies with beliefs.
        nested: tags inside a part do not spoil the format (they are stripped all the same), as in
            the authors' program.

    Returns:
        What was found. A reply of the format reads the same loosely and strictly.
    """
    parts = parts_of(strategy)
    body = text[:MAX_READ].strip()
    told = _from_object(_unfenced(body), parts, separator)
    if told is not None:
        return told
    found = _strictly(body, parts) if len(text) <= MAX_READ else None
    if found is not None and (nested or not any(_TAG.search(part) for part in found)):
        cleaned = [_clean(part) for part in found]
        return Said(True, dict(zip(parts, cleaned, strict=False)), cleaned[-1])
    if not (len(parts) > 1 if loose is None else loose):
        return Said(False, {}, "")
    return _loosely(body, parts, separator)


def _loosely(body: str, parts: tuple[str, ...], separator: str) -> Said:
    """What can be found in a reply that is not of the format."""
    body = _TAG_LIKE.sub(lambda hit: f"<{hit[1]}{hit[2].lower()}>", body)
    # A reply within other words, perhaps behind thoughts that speak of the tags themselves.
    opening = "<answer>" if not parts else "<think>"
    begin, end = body.rfind(opening), body.rfind("</answer>")
    whole = _strictly(body[begin : end + len("</answer>")], parts) if 0 <= begin < end else None
    if whole is not None:
        cleaned = [_clean(part) for part in whole]
        return Said(False, dict(zip(parts, cleaned, strict=False)), cleaned[-1])
    rest = body[body.rfind("</think>") + 1 :]
    told = _object_within(rest, parts, separator) if "<answer>" not in rest else None
    if told is not None:
        return told._replace(correct=False)
    spans = {name: _between(body, name) for name in (*parts, "answer")}
    shown = {name: _clean(span) for name, span in spans.items() if span is not None}
    if "answer" not in shown:
        cut = body.rfind("<answer>")
        shown["answer"] = _clean(body[cut:]) if cut >= 0 else ""
    return Said(False, shown, shown.pop("answer"))


def _strictly(body: str, parts: tuple[str, ...]) -> list[str] | None:
    """The contents of all parts and of the answer, if nothing else is in ``body``.

    Each part ends at the first place where the next one begins: later places would only leave the
    rest less room, so there is no need to go back, and hostile text costs one pass.
    """
    wrapped = bool(parts) and parts != ("think",)
    names = (*parts, "answer")
    start = re.compile((r"<think>\s*" if wrapped else "") + f"<{names[0]}>").match(body)
    if start is None or not body.endswith("</answer>"):
        return None
    found, at = [], start.end()
    for name, following in pairwise(names):
        close = r"\s*</think>" if wrapped and following == "answer" else ""
        border = re.compile(rf"</{name}>{close}\s*<{following}>").search(body, at)
        if border is None:
            return None
        found.append(body[at : border.start()])
        at = border.end()
    end = len(body) - len("</answer>")
    return [*found, body[at:end]] if at <= end else None


def _between(body: str, name: str) -> str | None:
    start = body.find(f"<{name}>")
    end = body.find(f"</{name}>", start)
    return None if start < 0 or end < 0 else body[start + len(name) + 2 : end]


def _clean(part: str) -> str:
    while True:  # taking one tag out may make another of what was around it
        shorter = _TAG.sub("", part)
        if shorter == part:
            return part.strip()
        part = shorter


def _undressed(word: str) -> str:
    """``word`` without a fence, quotes, emphasis or brackets all round it, or a full stop."""
    word = _unfenced(word.strip()).strip(_DRESS)
    if word[:1] == "[" and word[-1:] == "]":
        word = word[1:-1].strip(_DRESS)
    return word.rstrip(".").strip(_DRESS)


def _unfenced(text: str) -> str:
    """What a fence of Markdown holds, if it is all of ``text``."""
    begin = _FENCE.match(text)
    if begin is None or not text.endswith(begin[1]) or begin.end() > len(text) - 3:
        return text
    return text[begin.end() : -3].strip()


def _object_within(body: str, parts: tuple[str, ...], separator: str) -> Said | None:
    """The last object with an answer among other words."""
    decoder, told = json.JSONDecoder(strict=False), None
    at = body.find("{")
    for _ in range(_MAX_OBJECTS):
        if at < 0:
            break
        try:
            value, end = decoder.raw_decode(body, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            told = _told_by(value, parts, separator) or told
        at = body.find("{", end)
    return told


def _from_object(body: str, parts: tuple[str, ...], separator: str) -> Said | None:
    if not body.startswith("{"):
        return None
    for text in (body, body.translate(_DOUBLE_QUOTES)):
        try:
            value = json.loads(text, strict=False)
        except (ValueError, RecursionError):
            continue
        return _told_by(value, parts, separator) or Said(False, {}, "")
    return None


def _told_by(value: Mapping[str, Any], parts: tuple[str, ...], separator: str) -> Said | None:
    """What an object says; None if there is neither an answer in it nor any of the parts."""
    action = value.get("action", value.get("answer"))
    words = action if isinstance(action, list) else []
    right = bool(words) and all(isinstance(word, str) for word in words) and "action" in value
    if isinstance(action, str):
        words = [action]
    shown = {part: _clean(_plain(_belief(value[part]))) for part in parts if part in value}
    if action is None and not shown:
        return None
    right = right and len(shown) == len(parts) and len(value) == len(parts) + 1
    answer = separator.join(_clean(_plain(word)) for word in words if isinstance(word, str))
    return Said(right, shown, answer)


def _plain(text: str) -> str:
    return text if _LETTERS.issuperset(text) else spelled(text, _LETTERS)


def _belief(value: Any) -> str:
    """A part as text: models that are asked for JSON often write the state as JSON, not as text."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(line, str) for line in value):
        return "\n".join(value)  # a drawing, line by line
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return ""
