"""What a reader would see of a text, and what was hidden in it from readers but not from models.

Manuscripts are written by people who want them accepted, and some hide orders to the reviewer: in
white or tiny letters, comments, invisible characters, or characters that turn the reading order
around. All that is taken out and named; what a reader would see is left as it is, orders included
(those are quoted, :mod:`..quoting`, and looked for by :func:`orders`). Every expression runs in
linear time, for the text comes from strangers.
"""

from __future__ import annotations

import re
import unicodedata
from functools import partial
from typing import NamedTuple

from .hidden_letters import without_unseen_elements, without_unseen_groups

MOST_READ = 200_000
"""Characters that are looked at; what follows is cut off before anything else is done."""

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
)
_UNREADABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\ue000-\uf8ff]")
# What is opened and never closed hides all that follows, as it does in a browser: so every match
# ends somewhere, and nothing is looked at twice.
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.S)
_SCRIPT = re.compile(r"<(script|style|template)\b[^<>]{0,400}>.*?(?:</\1>|\Z)", re.S | re.I)
_UNSEEN_TEX = re.compile(
    r"\\iffalse\b.*?(?:\\fi\b|\Z)|\\begin\{comment\}.*?(?:\\end\{comment\}|\Z)", re.S
)
_MARKDOWN_COMMENT = re.compile(r"^ {0,3}\[[^\]\n]{0,80}\]:[ \t]*(?:#|<#?>)[^\n]*", re.M)
_TEX_COMMENT = re.compile(r"(?<!\\)(?:(?<=\n)|\A)[ \t]*%[^\n]{0,20000}")
_TEX_END = re.compile(r"(?<!\\)%[^\n]*")
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,400}>")
_ORDERS = re.compile(
    r"\b(?:ignore|disregard|forget)\b[^.\n]{0,60}\b(?:instruction|prompt|previous|guideline)"
    r"|\b(?:as|dear|note to|attention)\b[^.\n]{0,30}\b(?:reviewer|language model|llm|assistant)"
    r"|\byou (?:must|should|have to)\b[^.\n]{0,60}\b(?:accept|prefer|rate|score|rank)"
    r"|\b(?:give|assign|write)\b[^.\n]{0,40}\b(?:positive review|highest (?:score|rating)|10/10)"
    r"|\b(?:prefer|choose|select)\b[^.\n]{0,30}\bthis (?:manuscript|paper|submission)\b",
    re.I,
)


class Visible(NamedTuple):
    """A text as a reader would see it, and what was taken out, in words."""

    text: str
    hidden: tuple[str, ...]


def visible(text: str, *, tex: bool = False) -> Visible:
    """Take out what a reader would not see.

    Args:
        text: anything; more than ``MOST_READ`` characters are cut.
        tex: it is TeX's source, where a percent sign hides the rest of its line.
    """
    found: list[str] = []
    taken: dict[str, int] = {}
    if len(text) > MOST_READ:
        found.append(f"{len(text) - MOST_READ:,} characters beyond {MOST_READ:,}")
        text = text[:MOST_READ]
    for take_out, what in (
        (partial(_COMMENT.subn, " "), "a comment"),
        (partial(_SCRIPT.subn, " "), "a script or style"),
        (without_unseen_elements, "white, tiny or hidden letters"),
        (without_unseen_groups, "white or phantom letters"),
        (partial(_UNSEEN_TEX.subn, " "), "a comment"),
        (partial(_MARKDOWN_COMMENT.subn, " "), "a comment"),
        (partial((_TEX_END if tex else _TEX_COMMENT).subn, " "), "a comment"),
    ):
        text, times = take_out(text)
        taken[what] = taken.get(what, 0) + times
    found += [it if times == 1 else f"{it}, {times} times" for it, times in taken.items() if times]
    text = _TAG.sub(" ", text)
    text, times = _INVISIBLE.subn("", text)
    if times:
        found.append(f"{times} invisible characters")
    text, times = _UNREADABLE.subn(" ", text)
    if times:
        found.append(f"{times} unreadable characters")
    return Visible(unicodedata.normalize("NFC", text).strip(), tuple(found))


def orders(text: str) -> list[str]:
    """Passages that seem to tell the reviewer what to do; a hint for readers of reports."""
    return [hit[0] for hit in _ORDERS.finditer(text[:MOST_READ])]
