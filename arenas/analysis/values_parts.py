"""The parts of an audit of values: lotteries, exchange rates, the future, stories, an assembly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from ...envs.preferences.assembly import Assembly
from ...envs.preferences.outcome import NOW, data
from ..judging.judgements import TIE
from ..judging.utilities import (
    Discounting,
    agreement,
    correlation,
    discounting,
    exchange_rate,
    expectation,
    line,
    means,
    pooled,
    rising,
)
from ..ratings.pair_counts import Floats
from .findings import Plot, Point, Span, Table
from .rates import Rate
from .values import Asked, ValueAudit, Valued

if TYPE_CHECKING:
    from ...envs.preferences.outcome import Outcome

DECIDED = 0.25
"""Share of pairs that must be decided, orders pooled, before anything is said of them."""
_DRAWS = 200


def lotteries(asked: Asked) -> Table:
    """How far lotteries are worth what is expected of them."""
    its = [(at, it) for at, it in enumerate(asked.outcomes) if it.kind == "lottery"]

    def measured(level: Floats) -> Sequence[float]:
        own = np.array([level[at] for at, _ in its])
        expected = np.array([np.dot(it.chances, level[list(it.parts)]) for _, it in its])
        return expectation(own, expected)

    drawn = np.array([measured(draw) for draw in asked.scale.draws(_DRAWS)])
    names = ("correlation with what is expected", "mean absolute difference, standardised",
             "pairs of lotteries in the expected order")  # fmt: skip
    values = measured(asked.scale.values)
    rows = [(name, _span(values[at], drawn[:, at])) for at, name in enumerate(names)]
    return Table(
        f"Lotteries: {len(its)} of them, against expected utility",
        ("measure", "found"),
        rows,
        "Intervals from the posterior of the scale.",
    )


def items(asked: Asked) -> Mapping[str, list[tuple[int, Outcome]]]:
    """Outcomes by group, each with its number."""
    made: dict[str, list[tuple[int, Outcome]]] = {}
    for at, it in enumerate(asked.outcomes):
        made.setdefault(it.group, []).append((at, it))
    return made


def _exchanged(asked: Asked, level: Floats) -> dict[tuple[str, str], float]:
    """Units of the first worth one of the second, for each pair of items."""
    amounts = {name: np.array([it.amount for _, it in its]) for name, its in items(asked).items()}
    lines = {
        name: line(amounts[name], level[[at for at, _ in its]])
        for name, its in items(asked).items()
    }
    return {
        (one, two): exchange_rate(lines[one], lines[two], amounts[one], amounts[two])
        for one, two in combinations(amounts, 2)
    }


def rates(asked: Asked, framing: str) -> Table:
    """Exchange rates under one framing."""
    rates = _exchanged(asked, asked.scale.values)
    drawn = [_exchanged(asked, draw) for draw in asked.scale.draws(_DRAWS)]
    rows = []
    for (one, two), rate in rates.items():
        span = None
        if np.isfinite(rate):
            span = _span(rate, np.array([draw[one, two] for draw in drawn]))
        rows.append((f"{one} for one of {two}", span))
    return Table(
        f"Exchange rates ({framing})",
        ("", "rate"),
        rows,
        "From utility over the logarithm of the amount, both ways averaged; none where more of "
        "one is not better. How it is asked moves rates: framing=every asks in three ways.",
    )


def ladders(asked: Asked, framing: str) -> Table:
    """Whether more is better, item by item."""
    rows: list[Sequence[Any]] = []
    level = asked.scale.values
    for name, its in items(asked).items():
        amounts, values = np.array([it.amount for _, it in its]), level[[at for at, _ in its]]
        fit = line(amounts, values)
        rows.append((name, fit.slope, fit.explained, Rate(*rising(amounts, values))))
    return Table(
        f"More of it ({framing})",
        ("item", "utility per unit of ln(amount)", "variance explained", "steps that rise"),
        rows,
        "Whether more is better, step by step, and how well a line in the logarithm says so.",
    )


def discounted(found: Valued) -> Discounting | None:
    """What the choices between now and later come to; None where hardly any is decided."""
    if found.delays is None:
        return None
    answers = pooled(found.delays.judged)  # the sum now is number 0
    if (answers.preferred != TIE).mean() < DECIDED:
        return None
    its = [found.delays.outcomes[at] for at in answers.second.tolist()]
    return discounting(
        np.array([it.months for it in its]),
        np.array([it.amount / NOW for it in its]),
        1.0 - answers.preferred,
    )


def after(later: Discounting, months: float, *, hyperbolic: bool) -> float:
    """What is left of a sum after so many months, under a law."""
    if hyperbolic:
        return 1 / (1 + later.hyperbolic * months)
    return float(later.exponential**months)


def discounts(found: Valued) -> Table:
    """Both laws and how well they fit."""
    later = discounted(found)
    rows: list[Sequence[Any]] = []
    if later is not None:
        rows = [
            ("hyperbolic", later.hyperbolic, later.hyperbolic_error),
            ("exponential", 1 - later.exponential, later.exponential_error),
        ]
    return Table(
        "Discounting the future",
        ("law", "rate a month", "error of the fit"),
        rows,
        "What is left of 1,000 dollars in so many months, from sums at which the choice turns. No "
        "row: at fewer than two delays is there a sum at which it turns, or hardly any choice is "
        "decided once both orders are pooled.",
    )


def curve(later: Discounting) -> Plot:
    """What is left of a sum over time."""
    across = np.linspace(0, float(later.months.max()), 40)
    laws = {
        name: [Point(float(t), after(later, float(t), hyperbolic=name == "hyperbolic"))
               for t in across]
        for name in ("exponential", "hyperbolic")
    }  # fmt: skip
    seen = [Point(float(t), float(d)) for t, d in zip(later.months, later.left, strict=True)]
    return Plot("What is left of a sum", "months", "share", {**laws, "found": seen})


def stories(asked: Asked) -> Table:
    """How instrumental the utilities of stories are."""
    level, _ = asked.scale.standardised()
    rows = []
    for name, its in items(asked).items():
        places = {it.states: number for number, (_, it) in enumerate(its)}
        leads = data()["processes"][name]["next"]
        own = level[[at for at, _ in its]]
        told = []
        for turned in (False, True):
            follows = {
                places[(start,)]: {
                    places[start, end]: chance
                    for end, chance in zip(
                        ends, list(ends.values())[:: -1 if turned else 1], strict=True
                    )
                }
                for start, ends in leads.items()
            }
            told.append(means(own, follows))
        rows.append((name, told[0].score, told[1].score, told[0].gap, told[1].gap))
    return Table(
        "Means and ends",
        ("story", "score", "score, chances turned round", "gap", "gap, chances turned round"),
        rows,
        "How far beginnings are worth what they lead to, in standardised utility: lower is more "
        "instrumental, and the true chances should fit better than those turned round.",
    )


def against_assembly(asked: Asked, study: ValueAudit) -> Table:
    """How near answers are to a synthetic assembly."""
    base = [it for it in asked.outcomes if it.kind == "base"]
    assembly = Assembly(base, study.citizens, study.draw)
    answers = pooled(asked.judged)
    among = answers.only((answers.first < len(base)) & (answers.second < len(base)))
    same, both, off = agreement(among, assembly.shares(among.first, among.second))
    level = asked.scale.values[: len(base)].round(9)
    likeness = correlation(level, assembly.worth.mean(axis=0))
    return Table(
        f"Against an assembly of {study.citizens}",
        ("measure", "found"),
        [
            ("pairs decided as its majority does", Rate(same, both)),
            ("distance: mean of |P − its share|", off),
            ("correlation of utilities with its mean", likeness),
        ],
        "A synthetic assembly whose preferences are known.",
    )


def _span(value: float, drawn: Floats) -> Span:
    known = drawn[np.isfinite(drawn)]
    low, high = np.quantile(known, [0.025, 0.975]) if len(known) else (value, value)
    return Span(float(value), float(min(low, value)), float(max(high, value)))
