"""What can be said of a room's arrangement, what of it is so, and who wants what.

Every :class:`Topic` is a question with two answers, "it is so" and "it is not": a proposition that
the partners can claim, and that holds of an arrangement or does not. A private wish is a topic with
a sign and a weight.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ...common_ground.questions import Question, Questions
from .pieces import CORNERS, MIDDLE, SPOTS
from .site import CLEAR, Bools, Ints, Plan, Site, site_of

FOR, AGAINST = 1, 2
"""The codes of a topic's two answers."""
_CORNER = np.isin(np.arange(len(SPOTS)), CORNERS)
VERDICT = "the room as it stands"
ACCEPT, REJECT = FOR, AGAINST


class Topic(NamedTuple):
    """``kind`` with the numbers of the ``one`` and the ``other`` piece, -1 where there is none.

    Attributes:
        name: what it is about.
        so: the sentence that it is so.
        not_so: the contrary.
        limit: of the price of all.
    """

    kind: str
    name: str
    so: str
    not_so: str
    one: int = -1
    other: int = -1
    limit: int = 0


@lru_cache(maxsize=32)
def topics_of(room: str, pieces: int) -> tuple[Topic, ...]:
    """All that can be said of a room of this type with so many of its pieces."""
    site = Site(Plan(room, pieces, 1, 1, 1, 0))
    known = site.furniture
    names = [piece.name for piece in known.pieces]
    articles = ["an" if name[0] in "aeiou" else "a" for name in names]
    found = []
    for one, n in enumerate(names):
        found.append(Topic("there", n, f"there is {articles[one]} {n}", f"there is no {n}", one))
    for one, n in enumerate(names):
        so, no = f"the {n} stands by the window", f"the {n} does not stand by the window"
        found.append(Topic("window", f"{n} by the window", so, no, one))
    for one, n in enumerate(names):
        so, no = f"the {n} stands in a corner", f"the {n} does not stand in a corner"
        found.append(Topic("corner", f"{n} in a corner", so, no, one))
    for one, other in known.facing:
        a, b = names[one], names[other]
        so, no = f"the {a} faces the {b}", f"the {a} does not face the {b}"
        found.append(Topic("faces", f"{a} facing the {b}", so, no, one, other))
    for one, other in known.near:
        a, b = names[one], names[other]
        so, no = f"the {a} stands near the {b}", f"the {a} does not stand near the {b}"
        found.append(Topic("near", f"{a} near the {b}", so, no, one, other))
    for one in known.clear:
        n = names[one]
        so = f"{CLEAR:g} m are clear before the {n}"
        no = f"{CLEAR:g} m are not clear before the {n}"
        found.append(Topic("clear", f"{CLEAR:g} m before the {n}", so, no, one))
    found.append(
        Topic("middle", "middle", "the middle of the room is free", "the middle is furnished")
    )
    limit = 10 * round(0.07 * sum(piece.price for piece in known.pieces))
    found.append(
        Topic(
            "cost",
            "cost",
            f"all costs at most {limit}",
            f"all costs more than {limit}",
            limit=limit,
        )
    )
    return tuple(found)


@lru_cache(maxsize=32)
def questions_of(room: str, pieces: int) -> Questions:
    """The topics as questions, and last the verdict on the room as it stands."""
    topics = topics_of(room, pieces)
    says: dict[str, tuple[str, ...]] = {}
    there = {topic.one: topic for topic in topics if topic.kind == "there"}
    needing: dict[int, list[str]] = {piece: [] for piece in there}
    for topic in topics:
        involved = _involved(topic) if topic.kind != "there" else ()
        if involved:
            says[topic.so] = tuple(there[piece].so for piece in involved)
        for piece in involved:
            needing[piece].append(topic.not_so)
    says |= {there[piece].not_so: tuple(names) for piece, names in needing.items()}
    items = [Question(t.name, (t.so, t.not_so), (t.kind, t.kind)) for t in topics]
    verdict = Question(VERDICT, ("accept the room", "reject the room"), ("verdict", "verdict"))
    return Questions((*items, verdict), says)


def _involved(topic: Topic) -> tuple[int, ...]:
    return tuple(piece for piece in (topic.one, topic.other) if piece >= 0)


def holds(site: Site, arrangements: Ints) -> Bools:
    """Which topics are so in ``[N, K]`` arrangements: ``[N, T]``."""
    topics = topics_of(site.plan.room, site.plan.pieces)
    return np.stack([_holds(site, topic, arrangements) for topic in topics], 1)


class Known(NamedTuple):
    """One room: what anybody would want of it, and which topics are so (not to be written to)."""

    quality: float
    holds: Bools


@lru_cache(maxsize=64)
def known(site: Site, spots: tuple[int, ...]) -> Known:
    """What is known of one arrangement, worked out once for all who ask in a turn."""
    room = np.array([spots])
    return Known(float(site.quality(room)[0]), holds(site, room)[0])


@lru_cache(maxsize=8)
def possible(plan: Plan) -> Bools:
    """Which topics are so in each valid arrangement of a plan: ``[N, T]``."""
    site = site_of(plan)
    return holds(site, site.arrangements)


def _holds(site: Site, topic: Topic, arrangements: Ints) -> Bools:
    one, other = topic.one, topic.other
    at = arrangements[:, one]
    if topic.kind == "there":
        return np.asarray(at > 0)
    if topic.kind == "window":
        return np.asarray(site.by_window[one, at])
    if topic.kind == "corner":
        return np.asarray(_CORNER[at])
    if topic.kind in ("faces", "near"):
        table = site.faces if topic.kind == "faces" else site.near
        return np.asarray(table[one, at, other, arrangements[:, other]])
    if topic.kind == "clear":
        walled, taken = site.narrows
        found = (at > 0) & ~walled[one, at]
        for who in range(arrangements.shape[1]):
            if who != one:
                found &= ~taken[one, at, who, arrangements[:, who]]
        return np.asarray(found)
    if topic.kind == "middle":
        return np.asarray((arrangements != MIDDLE).all(1))
    prices = np.array([piece.price for piece in site.furniture.pieces])
    return np.asarray((arrangements > 0) @ prices <= topic.limit)


def draw_wishes(
    site: Site, people: int, count: int, shared: int, conflict: float, rng: np.random.Generator
) -> Any:
    """What each wants: ``[people, T]``, positive for and negative against; shares of 1.

    Each has ``count`` wishes about topics that the room can meet and fail; ``shared`` topics are
    everybody's, with the contrary sign at chance ``conflict``.
    """
    true = possible(site.plan)
    open_topics = np.flatnonzero(true.any(0) & ~true.all(0))
    order = rng.permutation(open_topics)
    common, rest = order[:shared], order[shared:]
    wishes = np.zeros((people, true.shape[1]))
    signs = rng.choice([-1, 1], true.shape[1], p=[0.3, 0.7])
    for who in range(people):
        own = np.concatenate([common, rng.permutation(rest)[: count - shared]])
        weights = rng.integers(1, 6, len(own))
        turned = np.where((rng.random(len(own)) < conflict) & (who > 0), -1, 1)
        wishes[who, own] = weights * signs[own] * turned
    return wishes / np.abs(wishes).sum(1, keepdims=True)


def met(wishes: Any, true: Bools) -> Any:
    """The share of each one's wishes ``[n, T]`` that ``true`` ``[N, T]`` meets: ``[N, n]``."""
    plus, minus = np.maximum(wishes, 0.0), np.maximum(-wishes, 0.0)
    return true @ plus.T + ~true @ minus.T
