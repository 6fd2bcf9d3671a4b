"""JSON as people and language models write it, read leniently.

Trailing commas, single or typographic quotes, bare keys and words, Python's ``True`` and ``None``,
raw line breaks in strings, comments, and text that was cut off: all of it is read where a strict
parser would give up. The idea is JSON5's, the mistakes are those seen in real model output. The
work is linear in the text and bounded in depth, for the text comes from strangers.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

MAX_DEPTH = 32

_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "`": "`"}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_SKIP = re.compile(r"(?:\s+|//[^\n]*|#[^\n]*|/\*.*?\*/)*", re.S)
_BARE = re.compile(r"[^,:{}\[\]\"\n]+")
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d{1,3})?")
_WORDS = {"true": True, "false": False, "null": None, "none": None}
_KEY = re.compile(r"[\w$ -]{1,64}")
_CODE_POINT = re.compile(r"u([0-9a-fA-F]{4})")
_SURROGATES = re.compile(r"u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_AFTER_STRING = re.compile(r"\s*(?:[,:}\]]|\Z)")


class Relaxed(NamedTuple):
    """A value read from text.

    Attributes:
        value: what was read.
        end: the index after it.
        complete: False if the text broke off inside it.
    """

    value: Any
    end: int
    complete: bool


class _Unreadable(Exception):
    """This is not JSON, however leniently one looks."""


def read(text: str, start: int = 0) -> Relaxed | None:
    """The value that begins at ``start``, or None if there is none; never raises.

    Args:
        text: any text.
        start: where the value begins.

    Returns:
        The value, where it ends, and whether the text broke off inside it.
    """
    reader = _Reader(text)
    try:
        value, end = reader.value(start, 0)
    except _Unreadable:
        return None
    return Relaxed(value, end, not reader.cut)


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.cut = False

    def value(self, at: int, depth: int) -> tuple[Any, int]:
        at = self._skip(at)
        if depth > MAX_DEPTH or at >= len(self.text):
            raise _Unreadable
        first = self.text[at]
        if first == "{":
            return self._object(at + 1, depth + 1)
        if first == "[":
            return self._array(at + 1, depth + 1)
        if first in _QUOTES:
            return self._string(at)
        return self._bare(at)

    def _skip(self, at: int) -> int:
        found = _SKIP.match(self.text, at)
        return found.end() if found else at

    def _object(self, at: int, depth: int) -> tuple[dict[str, Any], int]:
        made: dict[str, Any] = {}
        text = self.text
        while True:
            at = self._skip(at)
            if at >= len(text):
                self.cut = True
                return made, at
            if text[at] == "}":
                return made, at + 1
            if text[at] == ",":
                at += 1
                continue
            key, at = self._string(at) if text[at] in _QUOTES else self._key(at)
            at = self._skip(at)
            if at >= len(text):
                self.cut = True
                return made, at
            if text[at] not in ":=":
                raise _Unreadable
            at = self._skip(at + 1)
            if at >= len(text):
                self.cut = True
                return made, at
            value, at = self.value(at, depth)
            # A number at the very end may have lost digits: 1 of 15 is another answer, so drop it.
            if not (at >= len(text) and isinstance(value, int | float)):
                made[key] = value
            at = self._separator(at, "}")

    def _array(self, at: int, depth: int) -> tuple[list[Any], int]:
        made: list[Any] = []
        text = self.text
        while True:
            at = self._skip(at)
            if at >= len(text):
                self.cut = True
                return made, at
            if text[at] == "]":
                return made, at + 1
            if text[at] == ",":
                at += 1
                continue
            value, at = self.value(at, depth)
            if not (at >= len(text) and isinstance(value, int | float)):
                made.append(value)
            at = self._separator(at, "]")

    def _separator(self, at: int, closing: str) -> int:
        at = self._skip(at)
        if at < len(self.text) and self.text[at] not in "," + closing + "\"'“‘":
            raise _Unreadable
        return at

    def _key(self, at: int) -> tuple[str, int]:
        found = _KEY.match(self.text, at)
        if found is None:
            raise _Unreadable
        return found.group().strip(), found.end()

    def _string(self, at: int) -> tuple[str, int]:
        text, opening = self.text, self.text[at]
        closing = _QUOTES[opening]
        out: list[str] = []
        at += 1
        while at < len(text):
            char = text[at]
            if char == "\\" and at + 1 < len(text):
                piece, at = self._escape(at + 1)
                out.append(piece)
            elif char == closing and (
                # An apostrophe inside 'I'm in' does not end the string.
                closing == '"' or _AFTER_STRING.match(text, at + 1)
            ):
                return "".join(out), at + 1
            else:
                out.append(char)
                at += 1
        self.cut = True
        return "".join(out), at

    def _escape(self, at: int) -> tuple[str, int]:
        char = self.text[at]
        if char != "u":
            return _ESCAPES.get(char, char), at + 1
        pair = _SURROGATES.match(self.text, at)
        if pair is not None:
            high, low = int(pair[1], 16), int(pair[2], 16)
            return chr(0x10000 + ((high - 0xD800) << 10) + low - 0xDC00), pair.end()
        one = _CODE_POINT.match(self.text, at)
        if one is None:
            return char, at + 1
        number = int(one[1], 16)
        # Half a pair cannot be encoded, so it must not come out of here.
        return "\ufffd" if 0xD800 <= number <= 0xDFFF else chr(number), one.end()

    def _bare(self, at: int) -> tuple[Any, int]:
        found = _BARE.match(self.text, at)
        if found is None:
            raise _Unreadable
        word = found.group().strip()
        if not word:
            raise _Unreadable
        if found.end() >= len(self.text):
            self.cut = True
        if _NUMBER.fullmatch(word):
            short = len(word) <= 24
            number = int(word) if short and word.lstrip("+-").isdigit() else float(word)
            return number, found.end()
        return _WORDS.get(word.lower(), word), found.end()
