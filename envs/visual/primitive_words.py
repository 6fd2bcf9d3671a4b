"""Skills and beliefs of ``primitive_skill-v0`` in words: reading them, and scoring beliefs.

A belief names things and where they are: as JSON, ``{"red_cube": (x, y, z), …}``, or in sentences
("the red cube is at (10, 20, 20)"). As in VAGEN (Wang et al., 2025) it is right if every place that
it names is within 10 mm of the thing's; there a language model judges, here it is computed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .beliefs import MAX_READ

CLOSE = 10.0
"""How near, in each coordinate, a believed place must be, in millimetres."""
_ARITY = {"pick": 3, "place": 3, "push": 6}
_SKILL = re.compile(r"(pick|place|push)\s*\(([-+\d\s,]{1,80})\)", re.I)
_TRIPLE = re.compile(r"[(\[]\s*([-+]?\d{1,6}(?:\.\d{1,4})?)\s*,\s*([-+]?\d{1,6}(?:\.\d{1,4})?)"
                     r"\s*,\s*([-+]?\d{1,6}(?:\.\d{1,4})?)\s*(?:mm)?\s*[)\]]")  # fmt: skip


class Skill(NamedTuple):
    """A skill: its name and its millimetres."""

    name: str
    at: tuple[int, ...]


def read_skill(word: str) -> Skill | None:
    """The skill that a word is, such as ``pick(10, -20, 20)``, or None."""
    found = _SKILL.fullmatch(word.strip())
    if found is None:
        return None
    name = found[1].lower()
    try:
        numbers = tuple(int(part) for part in found[2].split(","))
    except ValueError:
        return None
    return Skill(name, numbers) if len(numbers) == _ARITY[name] else None


def score_places(text: str, truth: Mapping[str, Any], representation: str) -> float:
    """1 if the text names at least one place, and each is right; else 0.

    Args:
        text: the belief.
        truth: places by name, ``[x, y, z]`` in millimetres; what is no place is not read.
        representation: ``structured`` for JSON, else sentences.
    """
    places = {name: it for name, it in truth.items() if isinstance(it, list)}
    cut = text[:MAX_READ]
    believed = _listed(cut) if representation == "structured" else _told(cut, [*places])
    if not believed:
        return 0.0
    return float(all(_right(places.get(name), place) for name, place in believed))


def _right(true: Sequence[float] | None, believed: Sequence[float]) -> bool:
    return true is not None and all(
        abs(a - b) <= CLOSE for a, b in zip(true, believed, strict=True)
    )


def _listed(text: str) -> list[tuple[str, tuple[float, ...]]]:
    """Names and places in JSON, parentheses allowed; none if it is no belief."""
    try:
        value = json.loads(text.strip().replace("(", "[").replace(")", "]"))
    except (ValueError, RecursionError):
        return []
    if not isinstance(value, dict):
        return []
    found = []
    for name, place in value.items():
        if not (isinstance(place, list) and len(place) == 3 and all(map(_number, place))):
            return []
        found.append(("_".join(name.lower().split()), tuple(map(float, place))))
    return found


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e9


def _told(text: str, names: Sequence[str]) -> list[tuple[str, tuple[float, ...]]]:
    """Names and places in sentences: each place belongs to the name before it, or else after."""
    plain = text.lower().replace("_", " ")
    mentions = _mentions(plain, names)
    found: list[tuple[str, tuple[float, ...]]] = []
    for hit in _TRIPLE.finditer(plain):
        before = [name for at, name in mentions if at < hit.start()]
        after = [name for at, name in mentions if at > hit.start()]
        name = before[-1] if before else after[0] if after else ""
        found.append((name, (float(hit[1]), float(hit[2]), float(hit[3]))))
    return found


def _mentions(text: str, names: Sequence[str]) -> list[tuple[int, str]]:
    """Where things are named; "the red one" is the red cube, the longest name counts."""
    known = {name.replace("_", " "): name for name in names}
    known |= {name.split("_")[0]: name for name in names if name.endswith("_cube")}
    spoken = re.compile(
        rf"\b(?:{'|'.join(sorted(map(re.escape, known), key=len, reverse=True))})\b"
    )
    return [(hit.start(), known[hit[0]]) for hit in spoken.finditer(text)]
