"""How card selections are scored: fine grades, classes of solutions, and the paper's own rewards.

From the code that goes with Nath and Krishnaswamy, Learning "Partner-Aware" Collaborators in
Multi-Party Collaboration (NeurIPS 2025), as far as it is described: the proxy reward reads a JSON
text of participants, cards and stances, with A and 7 as the cards that matter. It pays for leaving
cards out, so the world's own reward is the fine grade.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

CORRECT = "OV"
STANCES = ("support", "oppose", "unsure", "conditional")
KEY_CARDS = ("A", "7")
_GOLD = {"A": "support", "7": "support"}
_OTHERS = ("K", "2", "4", "3", "D")
_VOWEL = re.compile(r"""["'][AEIOU]["']""")
_ODD = re.compile(r"""["'][13579]["']""")


def fine(selected: str) -> float:
    """0.25 for each class rightly in or out of a selection such as ``"OV"``."""
    return 0.25 * sum((name in selected) == (name in CORRECT) for name in "CEOV")


def solution_class(cards: Iterable[str]) -> str:
    """The classes among the cards, in the order C, E, O, V; ``"none"`` if there is none."""
    kinds = {_class_of(card) for card in cards}
    return "".join(name for name in "CEOV" if name in kinds) or "none"


def _class_of(card: str) -> str:
    sign = card.strip().upper()
    if len(sign) != 1 or not sign.isascii() or not sign.isalnum():
        return ""
    if sign.isdigit():
        return "O" if int(sign) % 2 else "E"
    return "V" if sign in "AEIOU" else "C"


def cg_gain(initial: Iterable[str], discussed: Iterable[str]) -> int:
    """Kinds of solutions discussed less kinds at the start; "none" is no kind."""
    return len(set(discussed) - {"none", ""}) - len(set(initial) - {"none", ""})


def proxy_reward(text: str) -> float:
    """The training reward of the paper's code for one reply without words, from about -1 to 2."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return _unparsed(text)
    if not isinstance(found, dict):
        return _unparsed(text)
    people = found.get("participants")
    people = people if isinstance(people, dict) else {}
    books = [entry for entry in people.values() if isinstance(entry, dict)]
    worth = 2 * _mean([_correctness(_stances(entry)) for entry in books]) - 1
    shaped = 0.7 * worth + 0.2 * _agreement(books) + 0.1 * _form(people, "participants" in found)
    return 3.33 * shaped - 1 if shaped < 0.3 else 2.85 * (shaped - 0.3)


def gold_reward(text: str, gold: Mapping[str, Any]) -> float:
    """The paper's evaluation reward: likeness of names, cards and stances to those of ``gold``."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return -1.0
    mine = found.get("participants", {}) if isinstance(found, dict) else {}
    mine = mine if isinstance(mine, dict) else {}
    theirs = dict(gold["participants"])
    shared = [name for name in theirs if isinstance(mine.get(name), dict)]
    cards = [_jaccard(_cards(mine[name]), _cards(theirs[name])) for name in shared]
    stances = []
    for name in shared:
        own, due = _stances(mine[name]), _stances(theirs[name])
        stances.append(_mean([float(own.get(card) == stance) for card, stance in due.items()]))
    names = _jaccard(mine, theirs)
    return 3 * (0.3 * names + 0.4 * _mean(cards) + 0.3 * _mean(stances)) - 1


def _unparsed(text: str) -> float:
    vowel, odd = bool(_VOWEL.search(text)), bool(_ODD.search(text))
    return min(0.3, max(-0.8, 0.3 * vowel + 0.3 * odd + 0.2 * (vowel and odd) - 0.5))


def _stances(entry: Mapping[str, Any]) -> dict[str, str]:
    given = entry.get("stances")
    if not isinstance(given, dict):
        return {}
    return {card: stance for card, stance in given.items() if isinstance(stance, str)}


def _cards(entry: Mapping[str, Any]) -> list[str]:
    given = entry.get("cards")
    return [card for card in given if isinstance(card, str)] if isinstance(given, list) else []


def _correctness(stances: Mapping[str, str]) -> float:
    if not stances:
        return 0.0
    total = 0.0
    for card, stance in stances.items():
        if card in KEY_CARDS:
            total += 1.0 if stance == "support" else -0.5
        else:
            total += {"oppose": 0.5, "unsure": 0.5, "conditional": 0.2}.get(stance, -0.5)
        gold = "oppose" if card in _OTHERS else _GOLD.get(card)
        total += 0.2 * (stance == gold)
    return total / (1.2 * len(stances))


def _agreement(books: Sequence[Mapping[str, Any]]) -> float:
    cards = {card for entry in books for card in _cards(entry)}
    if not cards:
        return 0.0
    modal = 0
    for card in cards:
        given = [stances[card] for stances in map(_stances, books) if card in stances]
        if len(given) > 1:
            modal += Counter(given).most_common(1)[0][1]
    return modal / (len(cards) * len(books))


def _form(people: Mapping[str, Any], named: bool) -> float:
    form = 0.3 + 0.3 * named
    for entry in people.values():
        if isinstance(entry, dict):
            stances = entry.get("stances")
            legal = isinstance(stances, dict) and all(s in STANCES for s in stances.values())
            form += 0.1 + 0.1 * isinstance(entry.get("cards"), list)
            form += 0.1 * isinstance(stances, dict) + 0.1 * legal
    return min(1.0, form)


def _jaccard(one: Iterable[str], other: Iterable[str]) -> float:
    mine, theirs = set(one), set(other)
    return len(mine & theirs) / len(mine | theirs) if mine | theirs else 1.0


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
