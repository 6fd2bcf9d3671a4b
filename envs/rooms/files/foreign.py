"""What other programs call things, in the catalogue's categories.

3D-FRONT labels things by the categories of 3D-FUTURE ("Lounge Chair / Cafe Chair / Office Chair"),
generators trained on it by shorter ones ("multi_seat_sofa"), SceneWeaver by classes of Infinigen
("SidetableDeskFactory"). A table knows what the catalogue's own spellings do not; what neither
knows is the nearest spelling, said as a guess, or nothing.
"""

from __future__ import annotations

import difflib
import functools
import re
from typing import NamedTuple

from ..catalogue import NAMES, find

_ALIKE = 0.82
"""Similarity of spellings from which a name is taken for another."""
_LONGEST = 100
OTHERS: dict[str, str] = {
    "bed frame": "double_bed",
    "kids bed": "single_bed",
    "couch bed": "daybed",
    "children cabinet": "cabinet",
    "wine cabinet": "cabinet",
    "drawer chest": "dresser",
    "corner cabinet": "cabinet",
    "side cabinet": "sideboard",
    "shoe cabinet": "shoe_rack",
    "bar chair": "bar_stool",
    "dressing chair": "chair",
    "folding chair": "chair",
    "classic chinese chair": "chair",
    "hanging chair": "armchair",
    "cafe chair": "armchair",
    "lazy sofa": "bean_bag",
    "three seat": "sofa",
    "chaise longue": "daybed",
    "chaise longue sofa": "daybed",
    "bed end stool": "bench",
    "sofastool": "ottoman",
    "table dining": "dining_table",
    "tea table": "coffee_table",
    "corner side table": "side_table",
    "round end table": "side_table",
    "sidetable desk": "desk",
    "triangle shelf": "bookshelf",
    "beverage fridge": "fridge",
    "single cabinet": "cabinet",
    "plant container": "small_plant",
    "large plant container": "plant",
    "nature shelf trinkets": "vase",
    "food box": "storage_box",
    "can": "bottle",
}
"""Names in plain words that stand for a category and that the catalogue does not know itself."""


class Named(NamedTuple):
    """A category, and whether it is the nearest spelling only."""

    category: str
    guessed: bool


@functools.lru_cache(maxsize=4096)
def named(words: str) -> Named | None:
    """The category that a name from elsewhere stands for; of ``A / B`` the first that is known."""
    if len(words) > _LONGEST:
        return None
    choices = [" ".join(_split(choice)) for choice in re.split(r"[/,|]", words)]
    for choice in [choice for choice in (" ".join(choices), *choices) if choice]:
        if choice in OTHERS:
            return Named(OTHERS[choice], False)
    for choice in choices:
        known = find(choice)
        if known is not None:
            return Named(known, False)
    for choice in choices:
        near = difflib.get_close_matches(choice.replace(" ", "_"), NAMES, n=1, cutoff=_ALIKE)
        if near:
            return Named(NAMES[near[0]], True)
    return None


def _split(words: str) -> list[str]:
    """Plain words of a name: ``SidetableDeskFactory``, ``multi_seat_sofa``, ``12_Bed``."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[^A-Za-z]+", " ", words)
    plain = apart.lower().split()
    return plain[:-1] if plain[-1:] == ["factory"] and len(plain) > 1 else plain
