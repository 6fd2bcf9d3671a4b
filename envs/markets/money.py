"""Money and talk in plain speech: reads amounts as people and small language models write them.

The markets share it: "$12", "offer 12", "I'd pay 12 dollars", ``{"price": "12"}``. Everything that
cannot be read raises IllegalAction with a sentence for the speaker, and nothing else ever.
"""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any

from gymposium.errors import IllegalAction

from .. import speech

MAX_SAY = 200
"""Most characters one seat can say in a turn."""

CHARACTERS = "".join(
    [
        *map(chr, range(0x20, 0x7F)),
        *map(chr, range(0xA1, 0xAD)),  # Latin-1 without the soft hyphen
        *map(chr, range(0xAE, 0x100)),
        "–—‘’“”•…€œŒ",
    ]
)
"""What can be said: printable Latin text and the usual typography, no line breaks."""

_ALLOWED = frozenset(CHARACTERS)
_NUMBER = re.compile(
    r"(?<![\w.])(?P<sign>[-−](?=[$€£]?\d))?[$€£]?\s?"
    r"(?P<digits>\d{1,3}(?:,\d{3}){1,4}|\d+)(?P<part>\.\d+)?(?![\w%])"
)


def speakable(text: str, most: int = MAX_SAY) -> str:
    """``text`` as it can be said: one line, known characters, at most ``most`` of them."""
    if len(text) <= most and _ALLOWED.issuperset(text):
        return text
    line = unicodedata.normalize("NFKC", " ".join(text[: 4 * most].split()))
    kept = "".join(letter if letter in _ALLOWED else " " for letter in line)
    return " ".join(kept.split())[:most]


def object_in(text: str) -> dict[str, Any] | None:
    """The JSON object that ``text`` is or holds (bare, fenced or within prose), or None."""
    if "{" not in text:
        return None
    try:
        exact = json.loads(text)  # as it stands: cleaning would alter what is said
    except (ValueError, RecursionError):
        exact = None
    candidates = [exact] if exact is not None else speech.json_values(speech.clean(text))
    return next((found for found in candidates if isinstance(found, dict)), None)


def amounts(text: str) -> list[int | float]:
    """Every amount of money named in ``text``, in order; a float where it is not whole."""
    found: list[int | float] = []
    for match in _NUMBER.finditer(text):
        digits = match["digits"].replace(",", "")
        if len(digits) > 12:
            digits = "9" * 12  # out of any range, and cheap to convert
        value: int | float = int(digits)
        if match["part"] and match["part"].strip(".0"):
            value = float(digits + match["part"][:6])
        found.append(-value if match["sign"] else value)
    return found


def money(value: Any, *, what: str, top: int) -> int:
    """``value`` of a JSON answer as a whole amount from 0 to ``top``.

    Args:
        value: a number, or a text with exactly one amount in it.
        what: how the amount is called in the sentence of a refusal.
        top: the highest amount allowed.

    Raises:
        IllegalAction: it is something else.
    """
    if isinstance(value, str):
        named = amounts(value[:200])
        value = named[0] if len(named) == 1 else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise IllegalAction(f"{what} must be one whole number from 0 to {top}")
    if not 0 <= value <= top:  # refuses nan, too
        raise IllegalAction(f"{what} must be from 0 to {top}; {str(value)[:20]} is not")
    if value != int(value):
        raise IllegalAction(f"{what} must be a whole number from 0 to {top}; {value} is not")
    return int(value)
