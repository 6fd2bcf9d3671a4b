"""A manuscript: what reviewers may see of it, and what is known about it afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

DIGITS = 0.02
"""The share of such words in common text, which puts counts of them near 1."""


@dataclass(frozen=True)
class Manuscript:
    """One submission. Authors' names are never read: nothing here needs them.

    Attributes:
        id: its name in files and reports.
        title, abstract, text: what it says, made visible and cut (:mod:`.visible_text`).
        topic: its area; "" if unknown.
        institutions: where its authors work, for the count of institutions only.
        citations: later ones; None if unknown.
        accepted: what people decided; None if unknown.
        quality: where it was generated, in standard units; None for real ones.
        novelty: likewise.
        hidden: what was found in it that a reader would not see, in words.
    """

    id: str
    title: str
    abstract: str
    text: str = ""
    topic: str = ""
    institutions: tuple[str, ...] = ()
    citations: float | None = None
    accepted: bool | None = None
    quality: float | None = None
    novelty: float | None = None
    hidden: tuple[str, ...] = field(default=(), compare=False)

    @property
    def truth(self) -> float | None:
        """What a perfect reviewer would order by: quality where it is known, else citations."""
        return self.quality if self.quality is not None else self.citations

    def shown(self, letters: int, *, blind: bool) -> Mapping[str, Any]:
        """What a reviewer sees.

        Args:
            letters: of abstract and text together, at most.
            blind: leave out where it comes from.
        """
        abstract = self.abstract[:letters]
        seen = {"title": self.title, "abstract": abstract, "text": self.text}
        seen["text"] = self.text[: letters - len(abstract)]
        if not blind:
            seen["institutions"] = "; ".join(self.institutions)
        return seen


FEATURES = (
    "title words",
    "abstract words",
    "text words",
    "words a sentence",
    "letters a word",
    "different words",
    "figures",
    "hedges",
    "tests",
)
_HEDGES = frozenset(("preliminary", "may", "might", "could", "hope", "believe", "unclear", "plan"))
_TESTS = frozenset(
    (
        *("ablation", "ablations", "baseline", "baselines", "seeds", "intervals", "significant"),
        *("proof", "prove", "theorem", "datasets", "benchmarks", "replicate", "released"),
    )
)


def features(seen: Mapping[str, Any]) -> list[float]:
    """Surface of a manuscript in numbers, as ``FEATURES`` names them; each about 0 to 3."""
    title, abstract, text = (str(seen.get(key, "")) for key in ("title", "abstract", "text"))
    body = f"{abstract} {text}"
    words = [word.strip(".,;:!?()'\"").lower() for word in body.split()]
    words = [word for word in words if word]
    count = max(len(words), 1)
    sentences = max(sum(body.count(mark) for mark in ".!?"), 1)
    return [
        len(title.split()) / 10,
        len(abstract.split()) / 150,
        len(text.split()) / 150,
        len(words) / sentences / 20,
        sum(map(len, words)) / count / 5,
        len(set(words)) / count,
        sum(any(letter.isdigit() for letter in word) for word in words) / count / DIGITS,
        sum(word in _HEDGES for word in words) / count / DIGITS,
        sum(word in _TESTS for word in words) / count / DIGITS,
    ]
