"""Records in the world's own words: what was shown and done, as its players would say it.

A record keeps actions and observations as data (``{"move": 2}``); the world that they belong to
knows their names (``quit``). It is made again from the record's first line; if that fails (a
plug-in is gone, rules have changed), the data are shown as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import orjson

from ..record import decode

Line = Mapping[str, Any]


class Labels:
    """Adds words to the lines of records; worlds are made once."""

    def __init__(self) -> None:
        self._words: dict[bytes, Any] = {}

    def of(self, lines: Iterable[Line]) -> Iterator[Line]:
        """``lines`` with more in them, where possible.

        Every turn gets ``text`` and ``look``, a function that gives its pictures; every reply gets
        ``words``.
        """
        words = None
        for line in lines:
            if line.get("kind") == "match":
                words = self._find(line)
            elif line.get("kind") == "step" and words is not None:
                line = _in_words(line, words)
            yield line

    def _find(self, header: Line) -> Any:
        world, params = header.get("world"), header.get("params") or {}
        key = orjson.dumps([world, params], option=orjson.OPT_SORT_KEYS)
        if key not in self._words:
            from ...envs.registry import make_world

            try:
                self._words[key] = make_world(str(world), **params).words
            except Exception:  # noqa: BLE001 - the world boundary: shown as data instead
                self._words[key] = None
        return self._words[key]


def _in_words(line: Line, words: Any) -> Line:
    turns, replies = dict(line.get("turns") or {}), dict(line.get("replies") or {})
    for seat, turn in turns.items():
        if "observation" in turn:
            shown = turn["observation"], turn.get("info") or {}
            text = turn["text"] if "text" in turn else _said(words.describe, seat, *shown)
            look = partial(_pictures, words, seat, *shown)
            turns[seat] = {**turn, "text": text, "look": look}
    for seat, reply in replies.items():
        if reply.get("action") is not None:
            replies[seat] = {**reply, "words": _said(words.format, seat, reply["action"])}
    return {**line, "turns": turns, "replies": replies}


def _pictures(words: Any, seat: str, *values: Any) -> Any:
    return words.images(seat, *map(decode, values))


def _said(say: Any, seat: str, *values: Any) -> str | None:
    try:
        return str(say(seat, *map(decode, values)))
    except Exception:  # noqa: BLE001 - the world boundary: shown as data instead
        return None
