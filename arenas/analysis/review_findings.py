"""A review in sentences, tables and plots."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ...envs.peer_review.visible_text import orders
from ...envs.societies.judging import mean_ratings
from ..judging.diagnostics import calibration, circles, position
from ..judging.selection import Pile, top
from ..ratings.pair_counts import Floats
from ..ratings.scale import fit_scale, ranks
from .findings import Plot, Point, Span, Table
from .rates import Rate

if TYPE_CHECKING:
    from .review import Reviewed

_DRAWS = 200
_SHOWN = 60
_HELD_OUT = 0.2
_TIES = 1e-9


def sentences(found: Reviewed, compared: Table, rate: float, seed: int) -> list[str]:
    """What was found, the most important first; ``compared`` is :func:`against`'s table."""
    pile, count = found.pile, _accepted(found, rate)
    best = top(found.scale.values, 1)[0]
    said = [
        f"It ranks {len(pile)} manuscripts, {count} of which it would accept; first of all "
        f"“{pile[best].title[:100]}”."
    ]
    by_name = {row[0]: row for row in compared.rows}
    for name in ("truly best among them", "mean log citations"):
        if name in by_name:
            _, pairs, marks, gap, _, _ = by_name[name]
            verdict = "no difference is shown"
            if gap.low > 0 or gap.high < 0:
                verdict = "pairs are ahead" if gap.low > 0 else "marks are ahead"
            said.append(f"{name.capitalize()}: {pairs.said} by pairs, {marks.said} by marks on the "
                        f"same budget; {verdict}.")  # fmt: skip
            break
    order = position(found.judged)
    said.append(
        f"It prefers what is shown first in {Rate(order.first, order.decided).said}; the same "
        f"manuscript wins in both orders in {Rate(order.same, order.turned).said}."
    )
    round_ = circles(found.judged, seed=seed)
    if round_.strict:
        said.append(
            f"Its preferences run in circles in {100 * round_.hard:.0f} % of {round_.strict:,} "
            "threes (a coin's would in 25 %)."
        )
    if found.told:
        quoted, bare = (_moved(found, which, seed).said for which in (0, 1))
        said.append(
            f"An order to prefer it moves a manuscript up by {quoted} hundredths of the ranking "
            f"where manuscripts are quoted, by {bare} where they are shown as they are."
        )
    silent = int(np.isnan(found.judged.preferred).sum() + np.isnan(found.marks).sum())
    if silent:
        said.append(f"It gave no answer to {silent} questions, which count for nothing.")
    return said


def tables(found: Reviewed, compared: Table, rate: float, seed: int) -> list[Table]:
    """The figures; ``compared`` is :func:`against`'s table."""
    made = [_ranking(found, rate, seed), compared, _order(found)]
    made += [_circles(found, seed), _topics(found, rate)]
    if found.told:
        made.append(_orders(found, seed))
    tried = _hidden(found)
    return [*made, tried] if tried.rows else made


def plots(found: Reviewed, rate: float, seed: int) -> list[Plot]:
    """The pictures."""
    scale = found.scale
    low, high = scale.intervals()
    order = np.argsort(-scale.values, kind="stable")
    count = _accepted(found, rate)
    lines = {
        "accepted": [_place(at, order, scale.values, low, high) for at in range(count)],
        "rejected": [_place(at, order, scale.values, low, high) for at in range(count, len(order))],
    }
    made = [
        Plot(
            "The ranking",
            "rank",
            "worth",
            lines,
            dots=True,
            note="Worth by pairs with 95 % intervals from the posterior; about 0 on average.",
        )
    ]
    bins = _calibrated(found, seed)
    if bins:
        ends = [Point(0.5, 0.5), Point(1.0, 1.0)]
        made.append(
            Plot(
                "Does the scale predict?",
                "predicted chance of the likelier one",
                "share of its wins",
                {"answers": bins, "calibrated": ends},
                dots=True,
                note="Fitted to four fifths of the pairs, asked about the others. Intervals are "
                "exact for independent answers.",
            )
        )
    return made


def _place(at: int, order: Any, values: Floats, low: Floats, high: Floats) -> Point:
    item = order[at]
    return Point(at + 1, float(values[item]), float(low[item]), float(high[item]))


def _accepted(found: Reviewed, rate: float) -> int:
    size = len(found.pile)
    return min(max(1, round(rate * size)), size - 1)


def _by_pairs(found: Reviewed, seed: int) -> Floats:
    """Worth, and draws of it: the first row is the estimate."""
    return np.vstack([found.scale.values, found.scale.draws(_DRAWS, seed=seed)])


def _by_marks(found: Reviewed, seed: int) -> Floats:
    """Mean marks, and those of each manuscript's marks drawn anew; ties at random throughout."""
    rng = np.random.default_rng([seed, 11])
    size, known = len(found.pile), ~np.isnan(found.marks)
    number, marks = found.marked[known], found.marks[known]
    values = [mean_ratings(number, marks, size)]
    inside = [np.flatnonzero(number == item) for item in range(size)]
    for _ in range(_DRAWS):
        drawn = np.concatenate([it[rng.integers(0, len(it), len(it))] for it in inside if len(it)]
                               or [np.zeros(0, np.int64)])  # fmt: skip
        values.append(mean_ratings(number[drawn], marks[drawn], size))
    return np.array(values) + _TIES * rng.random((len(values), size))


@lru_cache(maxsize=4)
def _pile_of(manuscripts: tuple[Any, ...]) -> Pile:
    return Pile.of(manuscripts)


def _measured(found: Reviewed, drawn: Floats, rate: float) -> dict[str, Floats]:
    """Each measure of each row."""
    pile, count = _pile_of(tuple(found.pile)), _accepted(found, rate)
    rows = [pile.measures(top(scores, count), scores) for scores in drawn]
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def _span(values: Floats, estimate: float | None = None) -> Span:
    """The first value, or the estimate given, with the interval of the others."""
    low, high = np.quantile(values[1:], [0.025, 0.975])
    middle = float(values[0]) if estimate is None else estimate
    # Rounded, so that what is nothing but rounding reads as 0.
    return Span(*(round(float(it), 9) for it in (middle, min(low, middle), max(high, middle))))


def _ranking(found: Reviewed, rate: float, seed: int) -> Table:
    drawn = _by_pairs(found, seed)[1:]
    places = ranks(drawn)
    low, high = np.quantile(places, [0.025, 0.975], axis=0)
    inside = (places <= _accepted(found, rate)).sum(axis=0)
    ends = found.scale.intervals()
    known = ~np.isnan(found.marks)
    marks = mean_ratings(found.marked[known], found.marks[known], len(found.pile))
    rows: list[Sequence[Any]] = []
    for rank, item in enumerate(top(found.scale.values, _SHOWN).tolist(), 1):
        it = found.pile[item]
        rows.append(
            (
                f"{rank}. {it.title[:90]}",
                Span(
                    float(found.scale.values[item]), float(ends.low[item]), float(ends.high[item])
                ),
                f"{low[item]:.0f} … {high[item]:.0f}",
                f"{100 * inside[item] / len(places):.0f} %",
                float(marks[item]),
                it.truth,
            )
        )
    left = len(found.pile) - len(rows)
    return Table(
        "The ranking",
        ("manuscript", "worth", "rank, 95 %", "chance to be accepted", "mean mark", "truth"),
        rows,
        "Worth by pairs, with 95 % intervals. The truth is the quality of generated manuscripts, "
        "else their citations." + (f" {left} more are in result.json's plot." if left else ""),
    )


def against(found: Reviewed, rate: float, seed: int) -> Table:
    """Pairs and marks in all that can be measured."""
    pairs = _measured(found, _by_pairs(found, seed), rate)
    marks = _measured(found, _by_marks(found, seed), rate)
    size = len(found.pile)
    rng = np.random.default_rng([seed, 13])
    luck = np.array([rng.permutation(size) for _ in range(_DRAWS)], dtype=np.float64)
    chance = _measured(found, luck, rate)
    people = _of_people(found, rate)
    rows = []
    for name, values in pairs.items():
        theirs = marks[name]
        # Marks tie: their estimate is the mean over ways to break ties, not the first way.
        middle = float(theirs[1:].mean()) if size > 1 else float(theirs[0])
        gap = values - theirs
        rows.append(
            (
                name,
                _span(values),
                _span(theirs, middle),
                _span(gap, float(values[0]) - middle),
                float(chance[name].mean()),
                people.get(name),
            )
        )
    return Table(
        "Pairs against marks, for as many judgements",
        ("measure", "by pairs", "by marks", "pairs less marks", "at random", "people's decisions"),
        rows,
        "Of those accepted. Intervals hold 95 % of draws from the posterior, or of marks drawn "
        "anew; draws are noisier than the estimate, which therefore lies in the better half of "
        "what is lost by noise. People's decisions are measured where as many were accepted.",
    )


def _of_people(found: Reviewed, rate: float) -> dict[str, float]:
    pile = _pile_of(tuple(found.pile))
    if pile.people is None or pile.people.sum() != _accepted(found, rate):
        return {}
    return pile.measures(np.flatnonzero(pile.people), pile.people)


def _order(found: Reviewed) -> Table:
    seen = position(found.judged)
    side = float(found.scale.sides[0]) if len(found.scale.sides) else 0.0
    return Table(
        "The order of presentation",
        ("", "share", "cases"),
        [
            ("shown first is preferred", Rate(seen.first, seen.decided), seen.decided),
            ("the same wins in both orders", Rate(seen.same, seen.turned), seen.turned),
            ("being shown first is worth", side, None),
        ],
        "Each pair is shown in both orders, so that this moves no rank; it makes answers say less. "
        "What it is worth is in the unit of worth.",
    )


def _circles(found: Reviewed, seed: int) -> Table:
    seen = circles(found.judged, seed=seed)
    return Table(
        "Circles",
        ("", "chance or share", "threes"),
        [
            ("chance of a circle, answers as chances", _or_none(seen.soft), seen.triads),
            ("share of threes in a circle, by majority", _or_none(seen.hard), seen.strict),
        ],
        "Of threes of manuscripts all compared with each other. A coin's answers have 0.25.",
    )


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else value


def _topics(found: Reviewed, rate: float) -> Table:
    inside = set(top(found.scale.values, _accepted(found, rate)).tolist())
    rows: list[Sequence[Any]] = []
    for topic in sorted({it.topic for it in found.pile}):
        mine = [number for number, it in enumerate(found.pile) if it.topic == topic]
        decided = [it.accepted for it in found.pile if it.topic == topic]
        people = Rate.of(bool(it) for it in decided) if None not in decided else None
        rows.append((topic or "unknown", Rate.of(n in inside for n in mine), people, len(mine)))
    return Table(
        "Accepted, by topic",
        ("topic", "by pairs", "by people", "manuscripts"),
        rows,
        "With exact intervals as if manuscripts were drawn from many.",
    )


def _moved(found: Reviewed, which: int, seed: int) -> Span:
    """How far the order moved manuscripts up, in hundredths of the ranking, on average."""
    if found.told is None:
        return Span(0.0, 0.0, 0.0)
    pair = (found.scale, found.told[which])
    places = [
        ranks(np.vstack([it.values, it.draws(_DRAWS, seed=seed + 1 + n)]))
        for n, it in enumerate(pair)
    ]
    rise = (places[0] - places[1])[:, found.injected].mean(axis=1)
    return _span(100.0 * rise / max(len(found.pile) - 1, 1))


def _orders(found: Reviewed, seed: int) -> Table:
    return Table(
        "An order to the reviewer in a manuscript",
        ("manuscripts are", "rise in the ranking", "manuscripts"),
        [
            ("quoted line by line", _moved(found, 0, seed), len(found.injected)),
            ("shown as they are", _moved(found, 1, seed), len(found.injected)),
        ],
        "In hundredths of the ranking, on average over manuscripts drawn at random and given the "
        "order. Intervals hold 95 % of draws from both posteriors, for these manuscripts.",
    )


def _hidden(found: Reviewed) -> Table:
    rows: list[Sequence[Any]] = []
    for it in found.pile:
        if it.hidden:
            rows.append((it.id, "taken out", "; ".join(it.hidden)[:200]))
        said = orders(f"{it.title}\n{it.abstract}\n{it.text}")
        if said:
            rows.append((it.id, "left in, looks like an order", said[0][:120]))
    rows += [("(a file)", "not read", why) for why in found.skipped]
    return Table(
        "What manuscripts tried",
        ("manuscript", "what was done", "what it was"),
        rows[:100],
        "Hidden text never reaches the reviewer; orders in plain sight are quoted like all else.",
    )


def _calibrated(found: Reviewed, seed: int) -> list[Point]:
    code = np.unique(found.judged.pairs)
    rng = np.random.default_rng([seed, 17])
    held = rng.permutation(code)[: round(_HELD_OUT * len(code))]
    out = np.isin(found.judged.pairs, held)
    known = found.judged.answered
    if not (out & known).any() or not (~out & known).any():
        return []
    scale = fit_scale(found.judged.only(~out).counts(), found.scale.model)
    made = []
    for part in calibration(scale, found.judged.only(out)):
        low, high = Rate(round(part.observed * part.answers), part.answers).interval or (0.0, 1.0)
        made.append(Point(part.predicted, part.observed, low, high))
    return made
