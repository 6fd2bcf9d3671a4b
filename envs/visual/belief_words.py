"""Beliefs of grids in plain sentences, read without a judge.

The released program of Wang et al., VAGEN (2025), asks a language model what a sentence says; here
rules do, so that rewards are exact functions of the text. Each sentence is cut where it names a
thing, and directions are looked up in a small table. What a sentence leaves open stays open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .beliefs import MAX_READ, MAX_THINGS, Relation

_NAMES = {
    "target": ("target", "goal", "gift"),
    "hole": ("hole",),
    "box": ("box", "crate"),
    "player": ("player", "agent", "elf", "me", "you", "i"),
}
_DIRECTIONS = {
    "above": ("above", "up", "upper", "north", "over"),
    "below": ("below", "down", "lower", "south", "under", "beneath"),
    "left": ("left", "west"),
    "right": ("right", "east"),
    "row": ("same row",),
    "column": ("same column",),
    "place": ("same place", "same position", "same cell"),
}
_INVERTED = {"above": "below", "below": "above", "left": "right", "right": "left"}
_KIND = {name: kind for kind, names in _NAMES.items() for name in names}
_WAY = {word: way for way, words in _DIRECTIONS.items() for word in words}
# No plural of "i": it is "is".
_THING = re.compile(rf"\b(?:({'|'.join(_KIND)})|({'|'.join(_KIND)})(?<!\bi)(?:es|s))\b")
_DIRECTION = re.compile(rf"\b({'|'.join(sorted(_WAY, key=len, reverse=True))})\b")
_DENIED = re.compile(rf"\b(?:not|never|isn't|no)\s+(?:\w+\s+){{0,3}}?(?:{'|'.join(_WAY)})\b")
_DIAGONAL = re.compile(r"\b(north|south|upper|lower|up|down)[ -]?(east|west|left|right)\b")
_LINKED = re.compile(r"(?:,|;|\b(?:and|while|but|or))\s*(?:the|a|an|another)?\s*\Z")


def from_words(text: str) -> list[Relation]:
    """Relations in sentences such as "The box is above and to the left of me", one for each thing.

    Args:
        text: English; at most MAX_READ characters are read.

    Returns:
        One relation for each mention of a thing with a direction; an axis that was not mentioned,
        was denied or was said in two ways is None. What is said of two things other than the
        player is not read.
    """
    found: list[Relation] = []
    plain = _DIAGONAL.sub(r"\1 \2", " ".join(text[:MAX_READ].lower().split()))
    for sentence in re.split(r"[.;!?]", plain):
        found += _of_sentence(_DENIED.sub(" ", sentence))
    return found[:MAX_THINGS]


def coverage(relations: Sequence[Relation]) -> float:
    """The share of axes that something was said about, 0 to 1; 0 where there is no relation."""
    axes = [axis for each in relations for axis in (each.vertical, each.horizontal)]
    return sum(axis is not None for axis in axes) / len(axes) if axes else 0.0


def _of_sentence(sentence: str) -> list[Relation]:
    named = [(_KIND[hit[1] or hit[2]], hit.start(), hit.end()) for hit in _THING.finditer(sentence)]
    things = [each for each in named if each[0] != "player"]
    if not things:
        return []
    subject = named[0][0] == "player" and not _DIRECTION.search(sentence[: named[0][1]])
    if subject and _DIRECTION.search(sentence[named[0][2] : things[0][1]]):
        return _from_the_player(sentence, things, named[0][2])
    found, start = [], 0  # what comes before the first thing ("above me is a box") is said of it
    for (kind, _, end), following in zip(things, [*things[1:], None], strict=True):
        stop = following[1] if following else len(sentence)
        said = sentence[end:stop]
        refers = following is not None and not _LINKED.search(said)
        if refers and not any(end <= each[1] < stop and each[0] == "player" for each in named):
            start = stop  # "the box is above the target": of no one's concern
            continue
        if start == 0:
            said = f"{sentence[: things[0][1]]} {said}"
        found += _related(kind, said)
        start = stop
    return found


def _from_the_player(
    sentence: str, things: Sequence[tuple[str, int, int]], start: int
) -> list[Relation]:
    """Of "the player is above the box": what stands before a thing, turned round."""
    found = []
    for kind, here, end in things:
        for each in _related(kind, sentence[start:here]):
            vertical, horizontal = each.vertical or "", each.horizontal or ""
            found.append(
                Relation(
                    kind,
                    _INVERTED.get(vertical, each.vertical),
                    _INVERTED.get(horizontal, each.horizontal),
                )
            )
        start = end
    return found


def _related(kind: str, said: str) -> list[Relation]:
    ways = {_WAY[hit[1]] for hit in _DIRECTION.finditer(said)}
    if not ways:
        return []
    together = "place" in ways
    vertical = ({"same"} if together or "row" in ways else set()) | ways & {"above", "below"}
    horizontal = ({"same"} if together or "column" in ways else set()) | ways & {"left", "right"}
    return [Relation(kind, _one(vertical), _one(horizontal))]


def _one(ways: set[str]) -> str | None:
    return next(iter(ways)) if len(ways) == 1 else None
