"""Plain speech: which of several options an answer in words means.

People and language models rarely answer with the bare option: they write "b)", "**b**",
"Answer: (b)", "I choose cooperate.". Simulations have died of it (concordia issue 56), so the
reading is deliberately generous about *form* and strict about *meaning*: whatever could mean two
options is refused with a sentence, and the speaker is asked again. All regular expressions here
run in linear time, for the text comes from strangers.
"""

from __future__ import annotations

import json
import re
import string
import unicodedata
from collections.abc import Container, Sequence
from functools import lru_cache
from typing import Any

from gymposium.errors import IllegalAction

MAX_TEXT = 20_000
"""Longer answers are cut in the middle: the answer stands at the start or the end."""

_THINK = re.compile(r"<(think|thinking|reasoning|scratchpad)>.*?(?:</\1>|\Z)", re.S | re.I)
_TAG = re.compile(r"</?(?:answer|action|move|choice|response|final)>", re.I)
_CLOSING = re.compile(
    r"</(a|b|br|code|div|em|font|i|kbd|li|mark|ol|p|pre|q|s|small|span|strong|tt|u|ul)>", re.I
)
_FENCE = re.compile(r"```[ \t]*[\w+-]*[ \t]*\n?(.*?)(?:```|\Z)", re.S)
_MARKER = re.compile(
    r"\b(?:answers?|actions?|choices?|choose|chose|decisions?|moves?|options?|responses?|replies"
    r"|reply|output|result|pick|select(?:ion)?|verdict|bid|offer)\b"
    r"(?:[ \t]+(?:is|would be|will be|was))?[ \t]*(?:[:=]|->|=>|→|\bis\b)[ \t]*([^\n]*)",
    re.I,
)
_RESOLVE = re.compile(
    r"\b(?:i|we|let's|let us|let me|i'll|i'd|we'll|i'm|i am)[ \t]+"
    r"(?:(?:will|would|shall|should|am|going|gonna|want|would like|like|now|have|decided|to|choose"
    r"|pick|select|play|take|answer|go|with|for|opt|say|vote|bid|do|choosing|picking|playing"
    r"|action|option|the)[ \t]+)+[\"'(\[*`_]*([^\n]*)",
    re.I,
)
_QUOTED = re.compile(
    r"\*\*([^*\n]{1,80})\*\*|__([^_\n]{1,80})__|`([^`\n]{1,80})`|\"([^\"\n]{1,80})\""
    r"|\[([^\[\]\n]{1,80})\]|\\boxed\{([^{}\n]{1,80})\}|<([^<>\n]{1,80})>"
)
_NEGATED = re.compile(
    r"(?:\bnot|n't|\bnever|\bwithout|\bavoid|\binstead of|\brather than|\bthan|\brefuse to"
    r"|\bnot going to|\bno)[ \t]+(?:to[ \t]+|a[ \t]+|the[ \t]+|be[ \t]+)?[\"'(\[*`_]*$",
    re.I,
)
_CODE = re.compile(r"(?:option|choice|answer|action|letter)?\s*[(\[]?\s*([a-z])\s*[)\].:]*", re.I)
_CODE_FIRST = re.compile(r"[(\[]?([a-z])(?:[)\].:]+|\s+[-–—])\s*(.+)", re.I | re.S)
_NUMBER_WORD = re.compile(
    r"(?:option|choice|answer|action|number|no\.?|#)?\s*[(\[#]?\s*"
    r"([+-]?\d{1,18})\s*[)\].:]*",
    re.I,
)
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+(?:,\d{3})+|\d+)?(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w])")
# "a" before another word is the article, not the option, unless the word tells about an option.
_ARTICLE = re.compile(
    r"[ \t]+(?!(?:is|was|are|would|will|seems|looks|gives|has|because|since|as|so|or|and|but|over"
    r"|then|now|here|for|with|if|to|in|on|at|of|vs|versus|than)\b)[^\W\d_]{2}",
    re.I,
)
_CONCLUSION = re.compile(r"\W*(?:so|therefore|thus|hence|finally|overall|in conclusion)\b", re.I)
_JOINED = re.compile(r"^\W*(?:or|and|and/or|vs|versus|but not|then)\b", re.I)
_INTEGER = re.compile(r"(?<![\w.,])[-+]?\d{1,18}(?![\w]|[.,]\d)")
_TYPOGRAPHY = str.maketrans(
    {
        "‘": "'",
        "’": "'",
        "‚": "'",
        "“": '"',
        "”": '"',
        "„": '"',
        "«": '"',
        "»": '"',
        "–": "-",
        "—": "-",
        "−": "-",
        "…": "...",
        "\u00a0": " ",
        "\u200b": None,
        "\ufeff": None,
    }
)
_EDGE = string.whitespace + string.punctuation + "“”‘’«»…–—·•"


def clean(text: str) -> str:
    """``text`` without thoughts, tags, odd typography and outer whitespace, cut to MAX_TEXT."""
    if len(text) > MAX_TEXT:
        half = MAX_TEXT // 2
        text = text[:half] + "\n" + text[-half:]
    bare = text
    if "<" in text:  # a chat template may have swallowed the opening tag of the thoughts
        bare = _TAG.sub(" ", _THINK.sub(" ", text).rpartition("</think>")[2])
        if shapes := {name.lower() for name in _CLOSING.findall(bare)}:  # "<b>yes</b>" is no "b"
            bare = re.sub(rf"</?(?:{'|'.join(sorted(shapes))})>", " ", bare, flags=re.I)
    return unicodedata.normalize("NFKC", bare.translate(_TYPOGRAPHY)).strip()


def spelled(text: str, letters: Container[str], unknown: str = "?") -> str:
    """``text`` in ``letters`` only: other blanks become spaces, what else there is ``unknown``."""
    return "".join(c if c in letters else " " if c.isspace() else unknown for c in text)


def fenced(text: str) -> list[str]:
    """The contents of Markdown code fences, last first (the last is usually the answer)."""
    return [block.strip() for block in _FENCE.findall(text)][::-1] if "```" in text else []


def plain_key(text: str) -> str:
    """``text`` as it is compared: case folded, trimmed of punctuation, spaces collapsed."""
    return " ".join(text.casefold().replace("_", " ").strip(_EDGE).split())


def json_values(text: str) -> list[Any]:
    """The JSON value ``text`` is, or those of its code fences, the last first; never raises.

    Only JSON as it is meant to be: whoever hands over a language model's raw answer takes it apart
    first (``agents/language/extract.py``).
    """
    return whole_json(text) or [value for block in fenced(text) for value in whole_json(block)]


def whole_json(text: str) -> list[Any]:
    """The value of a text that is JSON as it stands, in a list; else an empty list."""
    try:
        return [json.loads(text)]
    except (ValueError, RecursionError):
        return []


@lru_cache(maxsize=512)
def _keys(labels: tuple[str, ...]) -> dict[str, int]:
    keys: dict[str, int] = {}
    for index, label in enumerate(labels):
        keys.setdefault(plain_key(label), index)
    keys.pop("", None)
    return keys


@lru_cache(maxsize=512)
def _mention(labels: tuple[str, ...]) -> re.Pattern[str]:
    keys = sorted(_keys(labels), key=lambda key: (-len(key), key))
    words = "|".join(r"[\s_]+".join(map(re.escape, key.split())) for key in keys) or r"(?!)"
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.I)


def choose(text: str, labels: Sequence[str], allowed: Sequence[bool] | None = None) -> int:
    """The index of the label that ``text`` means.

    Args:
        text: what was said.
        labels: the options in words, all different.
        allowed: which options are legal now; None means all.

    Returns:
        An index into ``labels``.

    Raises:
        IllegalAction: the text means no option, several, or one that is not allowed.
    """
    names = tuple(labels)
    try:
        index = names.index(text)
    except ValueError:
        found = _find(clean(text), names, allowed)
        if found is None:
            named = [names[i] for i in dict.fromkeys(_mentioned(clean(text), names))]
            several = f": it names {' and '.join(named[:4])}" if len(named) > 1 else ""
            raise IllegalAction(
                f"cannot tell which option {excerpt(text)} means{several}; "
                f"answer with exactly one of: {listed(names, allowed)}"
            ) from None
        index = found
    if allowed is not None and not allowed[index]:
        raise IllegalAction(
            f"{names[index]!r} is not allowed now; answer with one of: {listed(names, allowed)}"
        )
    return index


def _find(text: str, names: tuple[str, ...], allowed: Sequence[bool] | None) -> int | None:
    index = _exact(text, names)
    if index is not None or _contradicts(text, names):
        return index
    for pieces in _pieces(text):
        found = {index for piece in pieces if (index := _exact(piece, names)) is not None}
        if len(found) == 1:
            return found.pop()
        if len(found) > 1:
            continue
        for piece in pieces:
            found = set(_mentioned(piece, names))
            if len(found) == 1:
                return found.pop()
            if (index := _leading(piece, names)) is not None:
                return index
    mentions = set(_mentioned(text, names))
    if len(mentions) > 1 and allowed is not None:
        mentions = {index for index in mentions if allowed[index]}
    if len(mentions) == 1:
        return mentions.pop()
    return _by_line([line for line in text.splitlines() if line.strip()], names)


def _by_line(lines: list[str], names: tuple[str, ...]) -> int | None:
    """The option that the first or last line is, or that a concluding last line names."""
    if len(lines) < 2:
        return None
    alone = {index for line in (lines[0], lines[-1]) if (index := _exact(line, names)) is not None}
    if len(alone) == 1:
        return alone.pop()
    if not alone and _CONCLUSION.match(lines[-1]):
        found = set(_mentioned(lines[-1], names))
        return found.pop() if len(found) == 1 else None
    return None


def _pieces(text: str) -> list[list[str]]:
    """Parts of the text that look like the answer itself, by how surely they are it."""
    quoted = [next(filter(None, match), "") for match in _QUOTED.findall(text)]
    return [
        fenced(text)[:1],
        _MARKER.findall(text)[-1:],
        _RESOLVE.findall(text)[-1:],
        quoted,
    ]


def _exact(piece: str, names: tuple[str, ...]) -> int | None:
    """The option that ``piece`` is, as a name, a letter code or a number; None if it is none."""
    keys = _keys(names)
    key = plain_key(piece)
    if key in keys:
        return keys[key]
    bare = piece.strip().strip("*_`\"'").strip()
    if match := _CODE.fullmatch(bare):
        return _coded(match[1], len(names))
    if match := _CODE_FIRST.fullmatch(bare):
        index = _coded(match[1], len(names))
        named = set(_mentioned(match[2], names))
        if index is not None and named == {index}:
            return index
    if match := _NUMBER_WORD.fullmatch(bare):
        number = int(match[1])
        # Where names hold digits ("take 1"), a bare number may mean the name: it is no index.
        if not any(char.isdigit() for name in names for char in name) and 0 <= number < len(names):
            return number
    return None


def _contradicts(text: str, names: tuple[str, ...]) -> bool:
    """Whether the text opens with one option's letter and goes on with another's name."""
    match = _CODE_FIRST.fullmatch(text)
    if match is None or (index := _coded(match[1], len(names))) is None:
        return False
    named = set(_mentioned(match[2], names))
    return bool(named) and index not in named


def _leading(piece: str, names: tuple[str, ...]) -> int | None:
    """The option a piece opens with ("defect, because …"), unless it goes on to offer another."""
    mention = _mention(names)
    first = mention.match(piece.lstrip(_EDGE))
    if first is None:
        return None
    rest = _JOINED.sub("", piece.lstrip(_EDGE)[first.end() :], count=1).lstrip(_EDGE)
    return None if mention.match(rest) else _keys(names).get(plain_key(first[0]))


def _coded(letter: str, count: int) -> int | None:
    index = ord(letter.lower()) - ord("a")
    return index if index < count else None


def _mentioned(text: str, names: tuple[str, ...]) -> list[int]:
    """Options named in the text, in order, but for those that it denies."""
    keys = _keys(names)
    found = []
    for match in _mention(names).finditer(text):
        if _NEGATED.search(text, max(0, match.start() - 30), match.start()):
            continue
        if match[0] in "aA" and _ARTICLE.match(text, match.end()):
            continue
        index = keys.get(plain_key(match[0]))
        if index is not None:
            found.append(index)
    return found


def integers(text: str) -> list[int]:
    """The whole numbers in ``text``, in order."""
    return [int(word) for word in _INTEGER.findall(text)]


def numbers(text: str) -> list[float]:
    """All numbers in ``text``, in order; thousands separators are understood."""
    words = (word.replace(",", "") for word in NUMBER.findall(text))
    return [float(word) for word in words if any(char.isdigit() for char in word)]


def marked(text: str) -> list[str]:
    """The parts of ``text`` that look like the answer itself, the surest first."""
    return [piece for pieces in _pieces(text) for piece in pieces]


def excerpt(text: str, limit: int = 60) -> str:
    """``text`` quoted for an error sentence, shortened to ``limit`` characters."""
    line = " ".join(text[: 4 * limit].split())
    return repr(line if len(line) <= limit else line[: limit - 1] + "…")


def listed(names: Sequence[str], allowed: Sequence[bool] | None = None, limit: int = 20) -> str:
    """The legal options in one line, with a count of those left out."""
    legal = [name for index, name in enumerate(names) if allowed is None or allowed[index]]
    more = f", … ({len(legal)} in all)" if len(legal) > limit else ""
    return ", ".join(legal[:limit]) + more
