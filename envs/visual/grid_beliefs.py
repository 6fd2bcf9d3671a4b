"""Beliefs of a grid in any of three representations: written from a state, read and scored.

Writing and reading are inverse for what counts, kinds and directions; a test goes over all states.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from gymposium.errors import UnknownName

from . import beliefs
from .belief_words import from_words
from .beliefs import Relation, relation
from .reasoned_params import REPRESENTATIONS

Place = Sequence[int]
_SAME = {"vertical": "in the same row", "horizontal": "in the same column"}


def relations(state: Mapping[str, Any]) -> list[Relation]:
    """Where all things are, seen from the player.

    Args:
        state: ``player``, a place (row, column), and lists of places by kind; what is no such list
            is left out.
    """
    return [
        relation(kind, state["player"], place)
        for kind, places in state.items()
        if kind != "player"
        for place in places
        if not isinstance(place, str)
    ]


def told(state: Mapping[str, Any], representation: str) -> str:
    """A state as a reply would describe it.

    Args:
        state: as for :func:`relations`, with ``map``, its rows in symbols.
        representation: ``natural``, ``structured`` or ``symbolic``.

    Raises:
        UnknownName: no such representation.
    """
    if representation == "natural":
        return " ".join(_sentence(each) for each in relations(state))
    if representation == "structured":
        kinds = {kind: places for kind, places in state.items() if kind != "map"}
        return json.dumps({kind: _compact(places) for kind, places in kinds.items() if places})
    if representation == "symbolic":
        return "\n".join(state["map"])
    raise UnknownName("representation", representation, REPRESENTATIONS, where="a belief")


def score(
    text: str,
    state: Mapping[str, Any],
    representation: str,
    *,
    legend: Mapping[str, Sequence[str]],
    weights: Mapping[str, float],
    partly: bool,
) -> float:
    """How right a belief is, 0 to 1; 0 if it cannot be read.

    Args:
        text: the belief.
        state: the truth, as for :func:`relations`.
        representation: how ``text`` is written.
        legend: the kinds in a cell, by its symbol.
        weights: of the kinds that count.
        partly: whether one right axis counts half.
    """
    found = believed(text, representation, legend)
    if found is None:
        return 0.0
    return beliefs.score(found, relations(state), weights, partly=partly)


def believed(
    text: str, representation: str, legend: Mapping[str, Sequence[str]]
) -> list[Relation] | None:
    """The relations that a belief states, or None if it cannot be read."""
    if representation == "natural":
        return from_words(text)
    if representation == "structured":
        return beliefs.from_json(text)
    return beliefs.from_drawing(text, legend)


def _sentence(each: Relation) -> str:
    side = {"left": "to the left", "right": "to the right"}
    if each.vertical == each.horizontal:
        return f"The {each.kind} is at the same place as me."
    if each.vertical == "same":
        return f"The {each.kind} is {side[str(each.horizontal)]} of me, {_SAME['vertical']}."
    if each.horizontal == "same":
        return f"The {each.kind} is {each.vertical} me, {_SAME['horizontal']}."
    return f"The {each.kind} is {each.vertical} and {side[str(each.horizontal)]} of me."


def _compact(places: Any) -> Any:
    """One place by itself, several as a list."""
    return places[0] if len(places) == 1 else places
