"""What an order of manuscripts selects: how good, how new, from where; against truth and people.

The measures are those by which Zhang et al. (2025, pairwise peer review) compare ways to review:
citations of the accepted, agreement with people, and the two things their pairwise system did
worse, novelty and the concentration on few institutions. Sizes of sets are always equal, for most
of these depend on how many are accepted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...envs.societies.judging import gini, spearman
from ..ratings.pair_counts import Floats, Ints

if TYPE_CHECKING:
    from ...envs.peer_review.manuscript import Manuscript

_WORD = re.compile(r"[^\W\d_]{3,40}")
_ROWS = 512


@dataclass(frozen=True)
class Pile:
    """What is known of manuscripts, as arrays; None where it is not known of all.

    Attributes:
        truth: ``[n]``, what a perfect reviewer would order by.
        citations: ``[n]``.
        people: ``[n]`` of 0 and 1, what people accepted.
        novelty: ``[n]``, how far each is from its nearest neighbour.
        houses: institutions, sorted.
        from_house: ``[n, houses]``, the share of each manuscript that comes from each.
    """

    truth: Floats | None
    citations: Floats | None
    people: Floats | None
    novelty: Floats
    houses: Sequence[str]
    from_house: Floats

    @classmethod
    def of(cls, manuscripts: Sequence[Manuscript]) -> Pile:
        """What is known of these; several institutions share one manuscript equally."""
        houses = sorted({house for it in manuscripts for house in it.institutions})
        place = {house: number for number, house in enumerate(houses)}
        shares = np.zeros((len(manuscripts), len(houses)))
        for row, it in zip(shares, manuscripts, strict=True):
            for house in it.institutions:
                row[place[house]] += 1.0 / len(it.institutions)
        known = _all_known([it.novelty for it in manuscripts])
        texts = [f"{it.title} {it.abstract}" for it in manuscripts]
        return cls(
            _all_known([it.truth for it in manuscripts]),
            _all_known([it.citations for it in manuscripts]),
            _all_known([it.accepted for it in manuscripts]),
            unlikeness(texts) if known is None else known,
            houses,
            shares,
        )

    def measures(self, accepted: Ints, scores: Floats) -> dict[str, float]:
        """Everything that can be measured about one selection.

        Args:
            accepted: numbers of those accepted.
            scores: ``[n]``, what they were ordered by.
        """
        found = {}
        if self.truth is not None:
            best = top(self.truth, len(accepted))
            found["truly best among them"] = shared(accepted, best)
            found["rank correlation with the truth"] = spearman(scores, self.truth)
            found["NDCG"] = ndcg(self.truth, scores, len(accepted))
        if self.citations is not None:
            found["mean citations"] = float(self.citations[accepted].mean())
            found["median citations"] = float(np.median(self.citations[accepted]))
            found["mean log citations"] = float(np.log1p(self.citations[accepted]).mean())
        if self.people is not None:
            theirs = np.flatnonzero(self.people > 0)
            if 0 < len(theirs) < len(scores):
                same = shared(top(scores, len(theirs)), theirs)
                chance = len(theirs) / len(scores)
                found["agreement with people"] = same
                found["kappa with people"] = (same - chance) / (1 - chance)
        found["novelty"] = float(self.novelty[accepted].mean())
        if self.houses:
            found |= concentration(self.from_house[accepted].sum(axis=0))
        return found


def top(scores: Floats, count: int, ties: Floats | None = None) -> Ints:
    """Numbers of the highest scores; equals in the order of ``ties``, or of their numbers."""
    order = np.arange(len(scores)) if ties is None else ties
    return np.asarray(np.lexsort((order, -scores))[:count])


def shared(one: Ints, two: Ints) -> float:
    """How much of ``two`` is in ``one``."""
    return len(np.intersect1d(one, two)) / max(len(two), 1)


def ndcg(truth: Floats, scores: Floats, count: int) -> float:
    """Normalised discounted cumulative gain of the first ``count``.

    The gain of an item is the share of all that it is truly ahead of, so that no unit matters and
    one famous manuscript does not decide it.
    """
    from scipy.stats import rankdata

    gain = (rankdata(truth) - 1) / max(len(truth) - 1, 1)
    weight = 1 / np.log2(np.arange(2, count + 2))
    ideal = float(np.sort(gain)[::-1][:count] @ weight)
    return float(gain[top(scores, count)] @ weight) / ideal if ideal > 0 else 1.0


def concentration(counts: Floats) -> dict[str, float]:
    """How unequally institutions are accepted: Gini with those without any, share of the ten."""
    total = float(counts.sum())
    return {
        "Gini of institutions": gini(counts),
        "Gini among the accepted": gini(counts[counts > 0]),
        "share of the top ten": float(np.sort(counts)[::-1][:10].sum()) / total if total else 0.0,
    }


def by_area(areas: Sequence[str], scores: Floats, quota: Mapping[str, int]) -> Ints:
    """Accept so many of each area, the best of it.

    Args:
        areas: of each manuscript.
        scores: what they are ordered by.
        quota: how many of each area; :func:`quotas` shares out a total.
    """
    taken: list[int] = []
    for area, count in quota.items():
        inside = np.array([n for n, it in enumerate(areas) if it == area], dtype=np.int64)
        taken += inside[top(scores[inside], count)].tolist()
    return np.array(sorted(taken), dtype=np.int64)


def quotas(sizes: Mapping[str, float], total: int) -> dict[str, int]:
    """Share out ``total`` in proportion, by the largest remainder, so that none is lost."""
    whole = sum(sizes.values()) or 1.0
    exact = {name: total * size / whole for name, size in sizes.items()}
    given = {name: int(value) for name, value in exact.items()}
    order = sorted(exact, key=lambda name: (given[name] - exact[name], name))
    for name in order[: total - sum(given.values())]:
        given[name] += 1
    return given


def unlikeness(texts: Sequence[str]) -> Floats:
    """Cosine distance of each text to its nearest other, rare words counting for more (TF-IDF).

    Returns:
        ``[n]`` from 0 (somebody says the same) to 1.
    """
    from scipy.sparse import csr_array

    words: dict[str, int] = {}
    rows, columns = [], []
    for row, text in enumerate(texts):
        for word in _WORD.findall(text.lower()):
            rows.append(row)
            columns.append(words.setdefault(word, len(words)))
    shape = (len(texts), max(len(words), 1))
    counts = csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)
    counts.sum_duplicates()
    seen = np.bincount(counts.indices, minlength=shape[1])
    rare = np.log((1 + len(texts)) / (1 + seen)) + 1.0
    weights = (1 + np.log(counts.data)) * rare[counts.indices]
    row_of = np.repeat(np.arange(len(texts)), np.diff(counts.indptr))
    length = np.sqrt(np.bincount(row_of, weights * weights, len(texts)))
    unit = csr_array((weights / length[row_of], counts.indices, counts.indptr), shape=shape)
    nearest = np.zeros(len(texts))
    for start in range(0, len(texts), _ROWS):
        like = (unit[start : start + _ROWS] @ unit.T).toarray()
        here = np.arange(like.shape[0])
        like[here, start + here] = -1.0
        nearest[start : start + _ROWS] = like.max(axis=1)
    return np.asarray(np.clip(1.0 - nearest, 0.0, 1.0).round(12))


def _all_known(values: Sequence[Any]) -> Floats | None:
    return None if any(it is None for it in values) else np.array(values, dtype=np.float64)
