"""The words of policies that are trained from nothing: some sixty tokens, each a piece of text.

Wang et al., VAGEN (2025), train language models; at the scale of minutes a policy needs a language
of its own size: the tags of its replies, what is where, digits, symbols of a drawing, moves. Text
made of these is ordinary text, which a world reads as it reads anybody's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ....envs.visual.beliefs import Relation
from ....envs.visual.grid_beliefs import relations, told

_TAGS = ("think", "observation", "reasoning", "prediction", "answer")
SYMBOLS = "_#OGPX√S"
"""What cells of a drawing look like, in Sokoban and FrozenLake."""
_PIECES = (
    "",  # where a text begins, and what ends a reply that is too long
    *(f"<{tag}>" for tag in _TAGS),
    *(f"</{tag}>" for tag in _TAGS),
    *("Up", "Down", "Left", "Right", ", "),
    *(";target", ";hole", ";box", " above", " below", " left", " right"),
    *(" same row", " same column", " same place"),
    *('{"player": ', '"target": ', '"hole": ', '"box": ', "[", "], [", "]", "}"),
    *"0123456789",
    *SYMBOLS,
    "\n",
)
TOKENS: Mapping[str, int] = {piece: number for number, piece in enumerate(_PIECES)}
BEGIN, END = 0, TOKENS["</answer>"]
_LONGEST_FIRST = sorted(filter(None, _PIECES), key=len, reverse=True)
_TOKEN = re.compile("|".join(map(re.escape, _LONGEST_FIRST)))
_ROW = re.compile(f"[{re.escape(SYMBOLS)}]{{2,}}")


def text_of(tokens: Iterable[int]) -> str:
    """Tokens as text."""
    return "".join(_PIECES[token] for token in tokens)


def tokens_of(text: str) -> list[int]:
    """Text as tokens, each the longest that fits; what no token says is left out."""
    return [TOKENS[hit[0]] for hit in _TOKEN.finditer(text)]


def drawing_in(text: str) -> list[str]:
    """The rows of a drawing in a message: its lines of nothing but symbols."""
    return [line for line in text.splitlines() if _ROW.fullmatch(line)]


def belief(state: Mapping[str, Any], representation: str) -> str:
    """A state in these tokens.

    Args:
        state: places by kind, and the map, as grids tell them in ``info``.
        representation: ``natural``, ``structured`` or ``symbolic``.
    """
    if representation != "natural":
        return told(state, representation)
    return "".join(_said(each) for each in relations(state))


def _said(each: Relation) -> str:
    if each.vertical == each.horizontal:
        return f";{each.kind} same place"
    vertical = "same row" if each.vertical == "same" else each.vertical
    horizontal = "same column" if each.horizontal == "same" else each.horizontal
    return f";{each.kind} {vertical} {horizontal}"


def planes(rows: Sequence[str]) -> Any:
    """A drawing as numbers: float32 ``[cells x symbols]``, 1 where a cell looks so."""
    codes = np.array([SYMBOLS.index(mark) for row in rows for mark in row])
    return np.eye(len(SYMBOLS), dtype=np.float32)[codes].ravel()
