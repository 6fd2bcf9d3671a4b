"""What words mean to a tool without a model: which furniture they name, how many, and which things.

A reading by keywords: categories by all their spellings with a number before them ("two armchairs",
"no rug"), phrases that stand for several ("a reading corner"), and ids of things in the room. What
is named beside a phrase that holds it too ("a reading corner: two armchairs") says how many it has.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib import resources

from ..catalogue import CATEGORIES, NAMES

MOST_EACH = 8
"""Things of one category that words can ask for at once."""
_NUMBERS = {
    "no": 0, "without": 0, "a": 1, "an": 1, "one": 1, "pair": 2, "two": 2, "three": 3, "four": 4,
    "five": 5, "six": 6, "seven": 7, "eight": 8, "several": 3, "some": 2, "few": 2, "many": 4,
}  # fmt: skip
_LONGEST = 3
"""Words of a category's longest spelling."""


@dataclass
class Wanted:
    """Categories that words ask for, and those they forbid."""

    counts: Counter[str] = field(default_factory=Counter)
    unwanted: set[str] = field(default_factory=set)

    def __bool__(self) -> bool:
        return bool(self.counts or self.unwanted)


def read(words: str) -> Wanted:
    """The furniture that a text names; ids of things (``4_desk``) do not count."""
    text = re.sub(r"\b\d+_\w+", " ", words.lower())
    found, implied = Wanted(), Counter[str]()
    for phrase, categories in phrases().items():
        text, times = re.subn(rf"\b{re.escape(phrase)}\b", " ", text)
        if times:
            implied.update(categories)
    tokens = re.findall(r"[a-z]+|\d+", text)
    place, number = 0, None
    while place < len(tokens):
        category, width = _longest(tokens, place)
        if category is not None:
            if number == 0:
                found.unwanted.add(category)
            else:
                plural = tokens[place + width - 1].endswith("s") and number is None
                found.counts[category] += number or (
                    2 if plural and width and _plural(tokens, place, width) else 1
                )
            place, number = place + width, None
            continue
        number = _number(tokens[place], number)
        place += 1
    asked = found.counts | implied  # the larger of the two
    found.counts = Counter({name: min(n, MOST_EACH) for name, n in asked.items()})
    for name in found.unwanted:
        found.counts.pop(name, None)
    return found


@functools.lru_cache(maxsize=256)
def forbidden(words: str) -> frozenset[str]:
    """The categories that a request forbids; a bare noun means all of its kind ("no bed")."""
    found = read(words)
    said = "_".join(re.findall(r"[a-z]+", words.lower()))
    kinds = set(found.unwanted)
    for name in found.unwanted:
        spellings = [w for w in NAMES if NAMES[w] == name and re.search(rf"(?:^|_){w}", said)]
        if spellings and "_" not in (noun := max(spellings, key=len)):
            kinds |= {category for category in CATEGORIES if category.endswith(f"_{noun}")}
    return frozenset(kinds - found.counts.keys())


def named(words: str, ids: Iterable[str]) -> list[str]:
    """The ids among ``ids`` that stand in a text, in its order."""
    places = {}
    for name in ids:
        match = re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", words)
        if match:
            places[name] = match.start()
    return sorted(places, key=places.__getitem__)


@functools.cache
def phrases() -> dict[str, Counter[str]]:
    """What phrases stand for, the longest first; from ``phrases.yaml``."""
    import yaml

    text = resources.files(__package__).joinpath("phrases.yaml").read_text(encoding="utf-8")
    table = {phrase: Counter(things) for phrase, things in yaml.safe_load(text).items()}
    return dict(sorted(table.items(), key=lambda entry: -len(entry[0])))


def _longest(tokens: list[str], place: int) -> tuple[str | None, int]:
    for width in range(min(_LONGEST, len(tokens) - place), 0, -1):
        joined = "_".join(tokens[place : place + width])
        single = re.sub(r"ves$", "f", joined)
        for spelling in (joined, joined.removesuffix("s"), joined.removesuffix("es"), single):
            if spelling in NAMES:
                return NAMES[spelling], width
    return None, 0


def _plural(tokens: list[str], place: int, width: int) -> bool:
    """Whether the last word names the category only without its s."""
    return "_".join(tokens[place : place + width]) not in NAMES


def _number(token: str, before: int | None) -> int | None:
    """The number that holds after a word: its own, or for an adjective the one before it."""
    if token.isdecimal():
        return min(int(token[:3]), MOST_EACH)
    if token in _NUMBERS:
        own = _NUMBERS[token]
        return before if before == 0 and own == 1 else own
    if token in ("and", "or", "with", "then", "the", "to"):
        return 0 if before == 0 and token == "or" else None
    return before
