"""Preference pairs: a better and a worse answer to the very same prompt.

Two rules make a pair, and ``by`` says which did:

* ``return``: the same prompt, message for message, was answered in matches of the same *place*: the
  same cell, seed and seat, with the same agents in all other seats (:mod:`..ratings.comparisons`
  compares agents by the same rule). Equal answers are one, with the mean of their seats' returns.
  Chosen is the answer whose seat earned more by the end. The best is paired with the worst, the
  second best with the second worst, and so on, so that each answer is used at most once per place.
* ``legal``: an answer was refused by the world and another one, asked for again, was not. Chosen is
  the one that stood.

Only turns that the model's own answer decided count. A return says little about one answer in a
long match: ``min_gap`` asks for a clearer difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from ..ratings.comparisons import is_tie
from ..rows import MatchRow, SeatRow
from .answers import Answer, answers

Lines = Iterable[Mapping[str, Any]]
By: TypeAlias = Literal["return", "legal"]
Place: TypeAlias = tuple[str, int, str, tuple[tuple[str, str], ...]]


def preference_pairs(
    rows: Iterable[MatchRow],
    record: Callable[[str], Lines],
    *,
    by: Sequence[By] = ("return", "legal"),
    min_return: float | None = None,
    min_gap: float = 0.0,
) -> Iterator[dict[str, Any]]:
    """All pairs, place by place.

    Args:
        rows: finished matches; of each only a key, a seed and returns are kept.
        record: match key -> the lines of its record; each is read once for every model's seat.
        by: the rules wanted.
        min_return: leaves out pairs whose chosen answer's seat earned less.
        min_gap: for ``return``: leaves out pairs whose returns differ by less.

    Yields:
        ``prompt`` (messages), ``chosen`` and ``rejected`` (one message each), and what is known.
    """
    places: dict[Place, list[tuple[str, float]]] = {}
    for row in rows:
        for seat in row.seats:
            if seat.llm_turns:
                places.setdefault(_place(row, seat), []).append((row.key, seat.return_))
    for place, matches in places.items():
        name = place[2]
        met: dict[bytes, tuple[Answer, dict[str, list[float]]]] = {}
        for key, total in matches:
            for answer in answers(record(key), (name,)):
                if not answer.own:
                    continue
                if "legal" in by and _earned(total, min_return):
                    yield from _legal(place, key, answer, total)
                if "return" in by and len(matches) > 1:
                    known = met.setdefault(answer.prompt_id, (answer, {}))
                    known[1].setdefault(answer.completion, []).append(total)
        for answer, found in met.values():
            for pair in _by_return(place, answer, found, min_gap):
                if _earned(pair["chosen_return"], min_return):
                    yield pair


def _place(row: MatchRow, seat: SeatRow) -> Place:
    others = tuple((other.seat, other.agent) for other in row.seats if other is not seat)
    return row.cell, row.seed, seat.seat, others


def _earned(total: float, min_return: float | None) -> bool:
    return min_return is None or total >= min_return


def _by_return(
    place: Place, answer: Answer, found: Mapping[str, list[float]], min_gap: float
) -> Iterator[dict[str, Any]]:
    means = [(sum(each) / len(each), said) for said, each in found.items()]
    means.sort(key=lambda pair: (-pair[0], pair[1]))
    for (high, best), (low, worst) in zip(means, reversed(means), strict=True):
        if high <= low or is_tie(high, low):
            break
        if high - low >= min_gap:
            yield _pair("return", place, answer, best, worst) | {
                "chosen_return": high,
                "rejected_return": low,
            }


def _legal(place: Place, key: str, answer: Answer, total: float) -> Iterator[dict[str, Any]]:
    for refused in dict.fromkeys(answer.refused):
        if refused != answer.completion:
            yield _pair("legal", place, answer, answer.completion, refused) | {
                "chosen_return": total,
                "rejected_return": None,
                "match": key,
            }


def _pair(by: By, place: Place, answer: Answer, chosen: str, rejected: str) -> dict[str, Any]:
    cell, seed, seat, others = place
    return {
        "prompt": list(answer.prompt),
        "chosen": [{"role": "assistant", "content": chosen}],
        "rejected": [{"role": "assistant", "content": rejected}],
        "by": by,
        "cell": cell,
        "seed": seed,
        "seat": seat,
        "others": dict(others),
        "step": answer.step,
    }
