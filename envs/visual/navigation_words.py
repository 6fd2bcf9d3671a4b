"""Navigation in words: what is told of a place, and how right a sentence about the target is.

The authors of VAGEN (Wang et al., 2025) have a language model say yes or no to a belief: it must
name the target's direction, nearness alone does not do. Here the rule is kept and the model is not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from .beliefs import MAX_READ
from .furniture import furniture, unknown

DIRECTIONS: Mapping[str, tuple[str, ...]] = {
    "ahead": ("straight ahead", "directly ahead", "ahead", "in front", "front", "forward"),
    "right": ("right-hand", "rightward", "right"),
    "left": ("left-hand", "leftward", "left"),
    "back": ("behind", "backward", "at the back", "in the back", "my back", "to the back", "rear"),
}
"""How directions are said; the target's is the one of its bearing."""
_WAY = {word: way for way, words in DIRECTIONS.items() for word in words}
_SAID = re.compile(rf"\b({'|'.join(sorted(map(re.escape, _WAY), key=len, reverse=True))})\b")
_DENIED = re.compile(
    rf"\b(?:not|never|isn't|no longer)\s+(?:\w+\s+){{0,3}}?(?:{'|'.join(map(re.escape, _WAY))})\b"
)
_AIM = ("target", "goal", "destination")
_CUT = re.compile(r"[.;!?\n]|,|\b(?:and|while|but|whereas)\s+(?=(?:the|a|an|my|i|there)\b)")


def score_direction(text: str, truth: Mapping[str, Any]) -> float:
    """1 if the text says where the target is, else 0.

    Args:
        text: English. What is said of other things does not matter.
        truth: ``target`` and ``direction``.

    Returns:
        1.0 if the target, by its name or as target, goal or destination, is said to be in its
        direction and in no other; ahead to one side counts as ahead.
    """
    names = (*_AIM, truth["target"].lower(), kind_name(truth["target"]))
    named = re.compile(rf"\b(?:{'|'.join(map(re.escape, dict.fromkeys(names)))})s?\b")
    others = _others(truth["target"])
    said: set[str] = set()
    about = False
    for clause in _CUT.split(_DENIED.sub(" ", " ".join(text[:MAX_READ].lower().split()))):
        if named.search(clause or ""):
            about = True
        elif others.search(clause or ""):
            about = False
        if about:
            said |= {_WAY[hit[1]] for hit in _SAID.finditer(clause)}
    true = truth["direction"]
    if said == {true}:
        return 1.0
    return float(true == "ahead" and said in ({"ahead", "left"}, {"ahead", "right"}))


def kind_name(type: str) -> str:
    """What a type of thing is called in words."""
    return (furniture().get(type) or unknown(type)).name


def _others(target: str) -> re.Pattern[str]:
    own = kind_name(target)
    names = [it.name for it in furniture().values() if it.name != own and it.name not in own]
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, (*names, 'wall', 'door', 'doorway')))})s?\b")


def seen_words(things: Sequence[tuple[str, float, float]]) -> str:
    """The things in view, in a sentence.

    Args:
        things: type, distance in metres and bearing in degrees of each, nearest first.
    """
    if not things:
        return "You see nothing but walls."
    told = []
    for type, distance, angle in things:
        side = "right" if angle > 0 else "left"
        where = f"{abs(angle):.0f} degrees to the {side}" if abs(angle) >= 0.5 else "straight ahead"
        told.append(f"the {kind_name(type)} {distance:.2f} m away, {where}")
    return f"You see {'; '.join(told)}."
