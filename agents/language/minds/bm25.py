"""BM25: how well texts match a query by the words they share.

The ranking function of Robertson and Walker ("Okapi at TREC-3", 1994) with the always positive
inverse document frequency of Lucene: rare words count more, repeated ones less and less, and long
texts are not favoured for their length.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

K1 = 1.5
"""How soon a repeated word stops counting."""
B = 0.75
"""How far the length of a text is made up for, from 0 to 1."""
_WORD = re.compile(r"\w+")


def words(text: str) -> list[str]:
    """Its words in lower case: runs of letters, digits and underscores."""
    return _WORD.findall(text.casefold())


@lru_cache(maxsize=8192)
def _counts(text: str) -> Mapping[str, int]:
    return Counter(words(text))


def bm25(query: str, texts: Sequence[str]) -> list[float]:
    """A score for each text, 0 where no word of the query is in it; higher is better."""
    counts = [_counts(text) for text in texts]
    lengths = [sum(count.values()) for count in counts]
    usual = sum(lengths) / len(lengths) if any(lengths) else 1.0
    scores = [0.0] * len(texts)
    for word in sorted(_counts(query)):  # sums are made in one order, whatever strings hash to
        having = sum(word in count for count in counts)
        rarity = math.log(1 + (len(texts) - having + 0.5) / (having + 0.5))
        for index, count in enumerate(counts):
            often = count.get(word, 0)
            if often:
                length = 1 - B + B * lengths[index] / usual
                scores[index] += rarity * often * (K1 + 1) / (often + K1 * length)
    return scores
