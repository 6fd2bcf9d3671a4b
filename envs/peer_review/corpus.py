"""Manuscripts made by rule from a seed: their quality, novelty and fame are known.

The numbers follow the small reproduction of Zhang et al. (pairwise peer review) in our notes:
quality is normal, topics are clusters in a plane of ideas, novelty is the distance to the nearest
neighbour there, institutions are as unequal as ``rank^-0.9``, and citations are
``exp(1.6 + 0.9 quality + 0.35 prestige + 0.7 luck)``. Wording tells of quality, as in life
imperfectly: the better the manuscript, the more of its sentences report tests and the fewer hedge.
It was not made by any model, and nobody wrote it to be accepted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

import numpy as np

from .manuscript import Manuscript

MOST = 20_000
_PLAIN, _SENTENCES = 0.55, 5
_DIMENSIONS, _FAME, _LUCK = 8, 0.35, 0.7


@cache
def _words() -> Mapping[str, Any]:
    text = files(__package__).joinpath("corpus.json").read_text(encoding="utf-8")
    return json.loads(text)  # type: ignore[no-any-return]


@lru_cache(maxsize=8)
def corpus(size: int, seed: int) -> tuple[Manuscript, ...]:
    """Generated manuscripts.

    Args:
        size: how many, from 2 to ``MOST``.
        seed: equal sizes and seeds give equal manuscripts.
    """
    rng = np.random.default_rng([2025, seed])
    words = _words()
    topics = list(words["topics"])
    quality = rng.normal(size=size)
    topic = rng.integers(0, len(topics), size)
    centres = rng.normal(size=(len(topics), _DIMENSIONS))
    spread = rng.gamma(2.0, 0.35, size)
    ideas = centres[topic] + spread[:, None] * rng.normal(size=(size, _DIMENSIONS))
    novelty = _standard(_nearest(ideas))
    houses = words["institutions"]
    weight = np.arange(1, len(houses) + 1) ** -0.9
    house = rng.choice(len(houses), size, p=weight / weight.sum())
    fame = _standard(np.log(weight))[house]
    citations = np.floor(np.exp(1.6 + 0.9 * quality + _FAME * fame + _LUCK * rng.normal(size=size)))
    human = quality + 0.9 * rng.normal(size=size)
    accepted = human >= np.sort(human)[::-1][max(1, round(0.3 * size)) - 1]
    made = []
    for at in range(size):
        title, abstract, text = _write(words, topics[topic[at]], quality[at], novelty[at], rng)
        made.append(
            Manuscript(
                id=f"m{at:05}",
                title=title,
                abstract=abstract,
                text=text,
                topic=topics[topic[at]],
                institutions=(houses[house[at]],),
                citations=float(citations[at]),
                accepted=bool(accepted[at]),
                quality=float(quality[at]),
                novelty=float(novelty[at]),
            )
        )
    return tuple(made)


def _write(
    words: Mapping[str, Any], topic: str, quality: float, novelty: float, rng: np.random.Generator
) -> tuple[str, str, str]:
    """Title, abstract and text of one manuscript."""
    task, method = _one(words["topics"][topic], rng), _one(words["methods"], rng)
    given = {"task": task, "method": method, "topic": topic}
    given |= {"Task": task.capitalize(), "Method": method.capitalize()}
    sentences = [_evidence(words, quality, given, rng) for _ in range(2 * _SENTENCES)]
    origin = "new" if novelty + 0.5 * rng.normal() > 0 else "usual"
    opening = f"We study {task} and propose {method}."
    abstract = [opening, _filled(_one(words[origin], rng), given, rng), *sentences[:_SENTENCES]]
    return (
        _one(words["title"], rng).format(**given),
        " ".join(abstract),
        " ".join(sentences[_SENTENCES:]),
    )


def _evidence(
    words: Mapping[str, Any], quality: float, given: Mapping[str, str], rng: np.random.Generator
) -> str:
    level = quality + rng.normal()
    kind = "strong" if level > _PLAIN else "plain" if level > -_PLAIN else "weak"
    return _filled(_one(words[kind], rng), given, rng)


def _filled(sentence: str, given: Mapping[str, str], rng: np.random.Generator) -> str:
    return sentence.format(**given, many=int(rng.integers(3, 10)), seeds=int(rng.integers(3, 11)))


def _one(options: Sequence[str], rng: np.random.Generator) -> str:
    return options[int(rng.integers(len(options)))]


def _nearest(places: Any) -> Any:
    """Distance of each row to its nearest other."""
    from scipy.spatial import cKDTree

    return np.asarray(cKDTree(places).query(places, k=2)[0])[:, 1]


def _standard(values: Any) -> Any:
    spread = values.std()
    return (values - values.mean()) / spread if spread > 0 else values * 0.0
