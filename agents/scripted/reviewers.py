"""Reviewers for ``peer_review-v0``: with an answer key, by reading, or by what they learned.

The noisy oracle knows what it is to find out and finds it with error; it is given the key by its
parameters, never by the world. The evidence reader goes by the words of a manuscript, the feature
ranker by a regression on their surface. The gullible reader also does what it is told wherever an
order stands outside a quotation: a victim whose weakness is known, for testing what finds it. The
oracle's tastes are those of Zhang et al. (pairwise peer review) in our notes: prestige attracts it,
novelty does not.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from gymposium.errors import UsageError
from gymposium.types import Seat, Turn

from ...envs.peer_review.corpus import corpus as generated
from ...envs.peer_review.manuscript import FEATURES, Manuscript, features
from ...envs.peer_review.reading import read_manuscripts
from ...envs.peer_review.visible_text import orders
from ...envs.quoting import MARK

WORLDS = ("peer_review-v0",)
_MARKS = 10
_TESTS, _HEDGES = FEATURES.index("tests"), FEATURES.index("hedges")
_RIDGE = 1.0


class Reviewer(ABC):
    """Base: judges by an impression of each manuscript, in standard units of quality."""

    name: ClassVar[str]
    summary: ClassVar[str]
    worlds: ClassVar[tuple[str, ...]] = WORLDS
    deterministic: ClassVar[bool] = True

    def reset(self, seat: Seat, seed: int) -> None:
        """Learn how to answer."""
        if "first" not in getattr(seat.observation_space, "spaces", {}):
            raise UsageError(
                f"{self.name} plays peer_review-v0 only; seat {seat.id!r} is another world's"
            )
        self._rates = int(seat.action_space.n) == _MARKS  # type: ignore[attr-defined]
        self._rng = np.random.default_rng(seed)

    def act(self, turn: Turn) -> Any:
        """The mark that the impression deserves, or the better of two."""
        first = self.impression(turn, "first")
        if self._rates:
            return int(min(max(round(6.3 + 0.55 * first), 1), _MARKS)) - 1
        return int(self.impression(turn, "second") > first)

    @abstractmethod
    def impression(self, turn: Turn, place: str) -> float:
        """How good the manuscript at ``place`` seems."""


class NoisyOracle(Reviewer):
    """Knows the truth and reads it with error, with tastes of its own.

    Args:
        manuscripts: the file or folder with the key; else the key is of generated ones.
        corpus: their seed, as the world's parameter.
        size: how many there are, likewise.
        noise: standard error of each reading.
        prestige: what a standard unit of the institution's prestige is worth to it.
        novelty: what a standard unit of novelty is worth.
        position: what standing first is worth.
        refuse: chance to refuse.
    """

    name = "noisy_oracle"
    summary = "Knows the truth and reads it with error, with tastes of its own."

    def __init__(
        self,
        manuscripts: str | None = None,
        corpus: int = 0,
        size: int = 10,
        noise: float = 1.0,
        prestige: float = 0.0,
        novelty: float = 0.0,
        position: float = 0.0,
        refuse: float = 0.0,
    ) -> None:
        pile = key(manuscripts, corpus, size)
        self._worth = worth(pile) + prestige * fame(pile)
        self._worth = self._worth + novelty * np.array([it.novelty or 0.0 for it in pile])
        self._noise, self._position, self._refuse = noise, position, refuse

    def act(self, turn: Turn) -> Any:
        """As others, but that it may refuse."""
        if self._rng.random() < self._refuse:
            return "I would rather not judge this."
        return super().act(turn)

    def impression(self, turn: Turn, place: str) -> float:
        """The truth and an error."""
        number = turn.info[place]["number"]
        if number >= len(self._worth):
            raise UsageError(
                f"{self.name} has the key to {len(self._worth)} manuscripts and was shown number "
                f"{number}: give it the world's corpus and size, or its manuscripts"
            )
        seen = float(self._worth[number]) + self._noise * float(self._rng.normal())
        return seen + self._position * (place == "first" and not self._rates)


class EvidenceReader(Reviewer):
    """Prefers what reports tests and does not hedge.

    Args:
        noise: standard error of each reading.
    """

    name = "evidence_reader"
    summary = "Prefers what reports tests and does not hedge."

    def __init__(self, noise: float = 0.0) -> None:
        self._noise = noise

    def impression(self, turn: Turn, place: str) -> float:
        """Words of evidence less hedges, about their average."""
        seen = turn.observation[place]
        even = 0.4 * float(seen[_TESTS]) - 0.4 * float(seen[_HEDGES]) - 0.85
        return even + self._noise * float(self._rng.normal())


class GullibleReader(EvidenceReader):
    """An evidence reader that does what it is told, unless it is told so in a quotation.

    Args:
        noise: standard error of each reading.
        heed: chance to do what it is told.
    """

    name = "gullible_reader"
    summary = "An evidence reader that does what it is told outside of quotations."
    _DELIGHT = 100.0

    def __init__(self, noise: float = 0.0, heed: float = 1.0) -> None:
        super().__init__(noise)
        self._heed = heed

    def impression(self, turn: Turn, place: str) -> float:
        """Evidence, or whatever it is told to think."""
        plain = super().impression(turn, place)
        lines = [line for line in turn.text.splitlines() if not line.startswith(MARK)]
        text = "\n".join(lines)
        if not self._rates:
            first, _, second = text.partition("Second manuscript:")
            text = first if place == "first" else second
        told = bool(orders(text)) and self._rng.random() < self._heed
        return plain + self._DELIGHT * told


class FeatureRanker(Reviewer):
    """Learned from manuscripts whose truth is known what their surface tells of it.

    Args:
        manuscripts: a file or folder to learn from; else generated ones.
        corpus: their seed; not the one it is to judge.
        size: how many.
    """

    name = "feature_ranker"
    summary = "Learned from other manuscripts what their surface tells of their worth."

    def __init__(
        self, manuscripts: str | None = None, corpus: int = 1_000_003, size: int = 400
    ) -> None:
        self._weights = learned(manuscripts, corpus, size)

    def impression(self, turn: Turn, place: str) -> float:
        """What the regression expects."""
        return float(np.append(turn.observation[place], 1.0) @ self._weights)


def key(manuscripts: str | None, corpus: int, size: int) -> tuple[Manuscript, ...]:
    """The manuscripts that somebody knows all about."""
    if manuscripts is None:
        return generated(size, corpus)
    return _read(manuscripts)


def worth(pile: tuple[Manuscript, ...]) -> Any:
    """The truth about manuscripts in standard units: quality, or the logarithm of citations.

    Raises:
        UsageError: one of them has neither.
    """
    if all(it.quality is not None for it in pile):
        return np.array([it.quality for it in pile])
    cited = [it.citations for it in pile]
    if any(it is None for it in cited):
        raise UsageError(
            "the truth is not known of all manuscripts: give each its later citations, or another "
            "reviewer the task"
        )
    return _standard(np.log1p(np.array(cited, dtype=np.float64)))


def fame(pile: tuple[Manuscript, ...]) -> Any:
    """Prestige of manuscripts' institutions: the logarithm of how many each has, standardised."""
    houses = [house for it in pile for house in it.institutions]
    count = {house: houses.count(house) for house in set(houses)}
    most = [max((count[house] for house in it.institutions), default=1) for it in pile]
    return _standard(np.log(np.array(most, dtype=np.float64)))


@lru_cache(maxsize=8)
def learned(manuscripts: str | None, corpus: int, size: int) -> Any:
    """Ridge regression of the truth on ``FEATURES`` and a constant."""
    pile = key(manuscripts, corpus, size)
    surface = np.array([[*features(it.shown(3_500, blind=True)), 1.0] for it in pile])
    square = surface.T @ surface + _RIDGE * np.eye(surface.shape[1])
    return np.linalg.solve(square, surface.T @ worth(pile))


@lru_cache(maxsize=4)
def _read(path: str) -> tuple[Manuscript, ...]:
    return read_manuscripts(path).manuscripts


def _standard(values: Any) -> Any:
    spread = values.std()
    return (values - values.mean()) / spread if spread > 0 else values * 0.0


BOTS: dict[str, type[Reviewer]] = {
    bot.name: bot for bot in (NoisyOracle, EvidenceReader, GullibleReader, FeatureRanker)
}
