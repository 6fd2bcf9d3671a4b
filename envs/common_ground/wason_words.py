"""The words of card selection: symbols and classes as people name them in talk."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from .wason_deal import NAMES, SYMBOLS
from .words import DiscussionWords

if TYPE_CHECKING:
    from .wason_cards import WasonCardsParams

PLACES = ("first", "second", "third", "fourth")
TURN, LEAVE = 1, 2
_KINDS = (
    (re.compile(r"\bconsonants?\b", re.I), 0),
    (re.compile(r"\beven\b(?! (?:if|though|when|so)\b)", re.I), 1),
    (re.compile(r"\bodd\b(?! that\b)", re.I), 2),
    (re.compile(r"\bvowels?\b", re.I), 3),
)
_RULE = re.compile(r"\b(?:sides?|rule|behind|back|means?|follows?)\b", re.I)
_ALL = re.compile(r"\ball (?:of them|four|the cards|cards|4)\b|\bevery card\b", re.I)
_COUNTED = r"(?!\s+(?:cards?|of|people|times|turns?|sides?|rounds?|others?)\b)"
_BEFORE_LETTER = (
    r"(?:\b(?i:cards?|the|letter|flip|turn|turning|pick|choose|select|check|need|test|leave|skip|and"
    r"|or|over|is|not|just|only|with|both|to)\s+|^\s*|[,&/+:(]\s*)"
)
_AFTER_LETTER = (
    r"(?=\s*(?:$|[,&/+.)]"
    r"|(?i:and|or|is|isn|must|should|needs?|has to|because|since|as|with|card)\b))"
)


@lru_cache(maxsize=64)
def _symbol(symbol: str) -> re.Pattern[str]:
    """What names a card: its symbol as a word of its own, or quoted.

    "A" and "I" are words of English too, so that bare ones must stand where a card would.
    """
    quoted = rf"[\"'“‘*`\[]{symbol}[\"'”’*`\]]"
    if symbol.isdigit():
        return re.compile(rf"{quoted}|(?<![\w.,-]){symbol}(?![\w%]|[.,]\d){_COUNTED}")
    if symbol in "AI":
        return re.compile(rf"{quoted}|{_BEFORE_LETTER}{symbol}{_AFTER_LETTER}")
    return re.compile(rf"{quoted}|(?<![\w'’.-]){symbol}(?![\w'’])")


class WasonWords(DiscussionWords):
    """The text side of :class:`~.wason_cards.WasonCards`."""

    params: WasonCardsParams

    def task(self, seat: str) -> str:
        """Wason's problem."""
        return (
            "Four cards lie on the table; each has a letter on one side and a number on the other. "
            "The rule: every card with a vowel on one side has an even number on the other. Which "
            "cards must be turned over to find out whether the rule holds for these four, and "
            "which can be left? (0 is even.)"
        )

    def due(self) -> str:
        """An answer is the cards to turn."""
        return "the cards to turn, by symbol or place; all others are left"

    def example(self) -> str:
        """As it is said of a card."""
        return "turn first"

    def local(self, sentence: str, observation: Any) -> str:
        """``turn first`` as ``turn A``."""
        words = sentence.split()
        words[-1] = SYMBOLS[int(observation["cards"][PLACES.index(words[-1])])]
        return " ".join(words)

    def scene(self, observation: Any) -> list[str]:
        """The cards, and what one was told about one of them."""
        cards = [SYMBOLS[int(symbol)] for symbol in observation["cards"]]
        told = [f"On the table: {', '.join(cards)}."]
        for place, code in enumerate(observation.get("hint", ())):
            if code:
                what = "must be turned" if code == TURN else "can be left"
                told.append(f"You alone were told, and it is true: {cards[place]} {what}.")
        return told

    def mentions(self, text: str, observation: Any) -> Iterator[tuple[int, int]]:
        """Cards by symbol, or by what is on them unless the rule itself is talked about."""
        numbers = [int(symbol) for symbol in observation["cards"]]
        everything = bool(_ALL.search(text))
        rule = bool(_RULE.search(text))
        named = set() if rule else {kind for what, kind in _KINDS if what.search(text)}
        for place, number in enumerate(numbers):
            by_kind = class_of(number) in named
            if everything or by_kind or _symbol(SYMBOLS[number]).search(text):
                yield place, TURN

    def denied(self, question: int, code: int) -> int:
        """Not to turn is to leave."""
        return LEAVE if code == TURN else TURN


def class_of(symbol: int) -> int:
    """The class of a symbol by number, an index into ``CLASSES``."""
    if symbol >= 26:
        return 1 if symbol < 31 else 2
    return 3 if symbol < 5 else 0


__all__ = ["LEAVE", "NAMES", "PLACES", "TURN", "WasonWords", "class_of"]
