"""Beliefs about where things are: written as JSON or drawn in characters, and scored exactly.

Wang et al., VAGEN (2025), section 4 and the authors' program: a state of a grid is what kinds of
things lie above or below and to the left or right of the player. A belief of it is compared kind by
kind, by F1 of the best matching; for FrozenLake half right counts half, for Sokoban not at all.
Rows grow downwards, columns to the right.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

MAX_READ = 4_000
"""Characters of a belief that are read."""
MAX_THINGS = 64
"""Things of a belief that are read."""
SOKOBAN, FROZEN_LAKE = {"target": 0.5, "box": 0.5}, {"target": 0.7, "hole": 0.3}
"""Weights of kinds, by world."""


class Relation(NamedTuple):
    """Where a thing is, seen from the player.

    Attributes:
        kind: ``box``, ``hole``, ``target``.
        vertical: ``above``, ``below``, ``same``, or None if nothing was said.
        horizontal: ``left``, ``right``, ``same``, or None.
    """

    kind: str
    vertical: str | None
    horizontal: str | None


def relation(kind: str, player: Sequence[float], place: Sequence[float]) -> Relation:
    """Where ``place`` is seen from ``player``, both (row, column)."""
    down, right = place[0] - player[0], place[1] - player[1]
    vertical = "below" if down > 0 else "above" if down < 0 else "same"
    return Relation(kind, vertical, "right" if right > 0 else "left" if right < 0 else "same")


def from_drawing(text: str, legend: Mapping[str, Sequence[str]]) -> list[Relation] | None:
    """Relations in a character grid.

    Args:
        text: one line a row; spaces and blank lines do not count.
        legend: the kinds in a cell, by its character; the player's is ``player``.

    Returns:
        The relations row by row, or None if there is not exactly one player.
    """
    rows = ["".join(line.split()) for line in text[:MAX_READ].strip().splitlines()]
    places = [
        (kind, (row, column))
        for row, line in enumerate(filter(None, rows))
        for column, mark in enumerate(line)
        for kind in legend.get(mark, ())
    ]
    players = [place for kind, place in places if kind == "player"]
    if len(players) != 1:
        return None
    others = [(kind, place) for kind, place in places if kind != "player"]
    return [relation(kind, players[0], place) for kind, place in others[:MAX_THINGS]]


def from_json(text: str) -> list[Relation] | None:
    """Relations in JSON, or None if it is no belief.

    Args:
        text: ``{"player": (r, c), "box": (r, c), "hole": [(r, c), …]}``, parentheses allowed, or a
            list of ``{"object_id", "vertical_relation", "horizontal_relation"}``; digits after a
            name (``hole_2``) do not count.
    """
    try:
        value = json.loads(text[:MAX_READ].strip().replace("(", "[").replace(")", "]"))
    except (ValueError, RecursionError):
        return None
    if isinstance(value, list):
        return _listed(value[:MAX_THINGS])
    if not isinstance(value, dict) or not _is_place(value.get("player")):
        return None
    player, found = value.pop("player"), []
    for name, places in value.items():
        for place in [places] if _is_place(places) else places if isinstance(places, list) else []:
            if not _is_place(place):
                return None
            found.append(relation(_kind(name), player, place))
    return found[:MAX_THINGS]


def _listed(items: Sequence[Any]) -> list[Relation] | None:
    found = []
    for item in items:
        if not isinstance(item, dict) or not isinstance(item.get("object_id"), str):
            return None
        vertical, horizontal = item.get("vertical_relation"), item.get("horizontal_relation")
        found.append(
            Relation(
                _kind(item["object_id"]),
                vertical if vertical in ("above", "below", "same") else None,
                horizontal if horizontal in ("left", "right", "same") else None,
            )
        )
    return found


def _kind(name: str) -> str:
    return name.strip().lower().rstrip("0123456789_ ")


def _is_place(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(isinstance(part, int) and not isinstance(part, bool) for part in value)
    )


def score(
    believed: Iterable[Relation],
    true: Iterable[Relation],
    weights: Mapping[str, float],
    *,
    partly: bool = False,
) -> float:
    """How right a belief is, 0 to 1; the order of things does not matter.

    Args:
        believed: what was said; more than MAX_THINGS of a kind are not read.
        true: what is.
        weights: of the kinds that count.
        partly: one axis right counts half (FrozenLake); else both must be (Sokoban).

    Returns:
        The weighted mean of F1 over the kinds in either; 1 if there are none in both.
    """
    said, here = list(believed), list(true)
    total = weight = 0.0
    for kind, share in weights.items():
        mine = [each for each in said if each.kind == kind][:MAX_THINGS]
        real = [each for each in here if each.kind == kind]
        if mine or real:
            total += share * _f1(mine, real, partly=partly)
            weight += share
    return total / weight if weight else 1.0


def _f1(mine: Sequence[Relation], real: Sequence[Relation], *, partly: bool) -> float:
    if not mine or not real:
        return 0.0
    from scipy.optimize import linear_sum_assignment

    likeness = [[_alike(a, b, partly=partly) for b in real] for a in mine]
    rows, columns = linear_sum_assignment(likeness, maximize=True)
    matched = sum(likeness[row][column] for row, column in zip(rows, columns, strict=True))
    return 2 * matched / (len(mine) + len(real))


def _alike(a: Relation, b: Relation, *, partly: bool) -> float:
    vertical = a.vertical is not None and a.vertical == b.vertical
    horizontal = a.horizontal is not None and a.horizontal == b.horizontal
    return (vertical + horizontal) / 2 if partly else float(vertical and horizontal)


class Repetition:
    """The rule against templates: what is said all the time must be right to be paid.

    Args:
        top: how many of the most frequent texts are suspect.
        kept: how many texts are counted; the rarest are forgotten.
        least: a suspect text scored below this is fined.
        fine: what it gets instead.
    """

    def __init__(
        self, *, top: int = 5, kept: int = 1000, least: float = 0.35, fine: float = -0.1
    ) -> None:
        self._top, self._kept, self._least, self._fine = top, kept, least, fine
        self._counts: Counter[str] = Counter()

    def settle(self, text: str, scored: float) -> float:
        """The score, or the fine; then counts the text."""
        suspect = {said for said, _ in self._counts.most_common(self._top)}
        settled = self._fine if text in suspect and scored < self._least else scored
        self._counts[text] += 1
        if len(self._counts) > self._kept:
            self._counts = Counter(dict(self._counts.most_common(self._kept)))
        return settled


def world_modeling_reward(
    now: float, after: float, *, correct: bool, weights: tuple[float, float] = (0.5, 0.5)
) -> float:
    """What a turn's beliefs earn.

    Args:
        now: score of the belief of the state before the turn; 0 if the strategy has none.
        after: score of the belief of the state after all its actions that were executed.
        correct: whether the format reward was earned; without it the beliefs earn nothing.
        weights: of the two.
    """
    return weights[0] * now + weights[1] * after if correct else 0.0
