"""The words of ranking: comparisons of goods, and whole lists, as people say them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from .questions import Codes
from .words import DiscussionWords

if TYPE_CHECKING:
    from .ranking_task import RankingTaskParams

GOODS = ("salt", "silk", "dates", "copper", "pepper", "indigo", "incense", "wool", "glass", "ivory")
FIRST, SECOND = 1, 2
_GOOD = rf"(?:the\s+)?(?P<{{0}}>{'|'.join(GOODS)})"
_ONE, _OTHER = _GOOD.format("one"), _GOOD.format("other")
_VERB = (
    r"(?:comes?|goes|is|ranks?|are|fetch(?:es)?|should be|should come)?(?:n['’]t| not)? ?"
    r"(?:worth )?"
)
_WORTH = r"(?:valuable |important |precious )?than"
_MORE = re.compile(
    rf"\b{_ONE}\s*(?:>|{_VERB}(?:before|above|over|ahead of|more {_WORTH}|dearer than))"
    rf"\s*(?={_OTHER}\b)",
    re.I,
)
_LESS = re.compile(
    rf"\b{_ONE}\s*(?:<|{_VERB}(?:after|below|under|behind|less {_WORTH}|cheaper than))"
    rf"\s*(?={_OTHER}\b)",
    re.I,
)
_NAMED = re.compile(rf"\b(?:{'|'.join(GOODS)})\b", re.I)
_WORST_FIRST = re.compile(r"\b(?:ascending|cheapest first|least .{0,20}first|worst first)\b", re.I)


@lru_cache(maxsize=8)
def pairs(items: int) -> tuple[tuple[int, int], ...]:
    """All pairs of goods, by number, in the order of their questions."""
    return tuple(combinations(range(items), 2))


class RankingWords(DiscussionWords):
    """The text side of :class:`~.ranking_task.RankingTask`."""

    params: RankingTaskParams

    @property
    def goods(self) -> tuple[str, ...]:
        """What is to be ranked."""
        return GOODS[: self.params.items]

    def task(self, seat: str) -> str:
        """The caravan and its goods."""
        p = self.params
        return (
            f"Your caravan carries {', '.join(self.goods)} through the desert and cannot keep all. "
            "Rank the goods by what they fetch in the next town, the dearest first. Prices there "
            f"follow no custom you know; each of you was told {p.told} true comparisons, not the "
            "same ones."
        )

    def due(self) -> str:
        """An answer is an order."""
        return 'the order, the dearest first, as a list of all goods or as "salt before silk"'

    def mentions(self, text: str, observation: Any) -> Iterator[tuple[int, int]]:
        """Comparisons of two goods."""
        for pattern, code in ((_MORE, FIRST), (_LESS, SECOND)):
            for found in pattern.finditer(text):
                names = (found["one"].casefold(), found["other"].casefold())
                if names[0] != names[1] and set(names) <= set(self.goods):
                    yield self.pair(self.goods.index(names[0]), self.goods.index(names[1]), code)

    def pair(self, one: int, other: int, code: int) -> tuple[int, int]:
        """(question, code) of ``one`` being first (FIRST) or second of the two."""
        if one > other:
            one, other, code = other, one, FIRST + SECOND - code
        return pairs(self.params.items).index((one, other)), code

    def denied(self, question: int, code: int) -> int:
        """No two fetch the same: not before is after."""
        return FIRST + SECOND - code

    def read(self, seat: str, text: str, observation: Any) -> Codes:
        """A list of all goods, each named once, is an order; else clause by clause."""
        named = [name.casefold() for name in _NAMED.findall(text)]
        listed = [name for name in named if name in self.goods]
        plain = not (_MORE.search(text) or _LESS.search(text))
        if plain and sorted(listed) == sorted(self.goods):
            order = [self.goods.index(name) for name in listed]
            return self.order(order[::-1] if _WORST_FIRST.search(text) else order)
        return super().read(seat, text, observation)

    def order(self, ranked: list[int]) -> Codes:
        """The codes of an order, the dearest first."""
        codes = np.zeros(len(pairs(self.params.items)), np.int64)
        for one, other in combinations(ranked, 2):
            question, code = self.pair(one, other, FIRST)
            codes[question] = code
        return codes
