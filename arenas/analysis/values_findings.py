"""Values in sentences, tables and plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from ...envs.preferences.assembly import Assembly
from ...envs.preferences.outcome import NOW, data
from ..judging.diagnostics import calibration, circles, fitness, position
from ..judging.utilities import (
    Discounting,
    agreement,
    coin_confidence,
    confidence,
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
from .values import Asked, ValueAudit, Valued, without_side

if TYPE_CHECKING:
    from ...envs.preferences.outcome import Outcome

_DRAWS = 200


def sentences(found: Valued, study: ValueAudit) -> list[str]:
    """What was found, the most important first."""
    held = fitness(without_side(found.main.scale), pooled(found.held))
    ring = circles(found.threes)
    sure, coin = confidence(found.held), coin_confidence(2 * study.repeats)
    said = [
        f"One scale predicts {_right(found).said} of the held-out pairs that it decides "
        f"(a coin's would 50 %); its confidence is {sure:.2f} (a coin's {coin:.2f}).",
        f"{'Coherent' if _coherent(found) else 'Not shown to be coherent'}: preferences run in "
        f"circles in {_percent(ring.hard)} of {ring.strict} threes without a tie (a coin's in "
        f"25 %); log loss {held.log_loss:.2f} against {np.log(2):.2f} of a coin.",
    ]
    order = position(_all(found))
    said.append(
        f"It prefers what stands first in {Rate(order.first, order.decided).said} of answers; the "
        f"same outcome wins in both orders in {Rate(order.same, order.turned).said}."
    )
    values = found.main.scale.values
    best, worst = (found.main.outcomes[int(at)].text for at in (values.argmax(), values.argmin()))
    said.append(f"Best of all: “{best[:120]}” Worst: “{worst[:120]}”")
    later = _discounted(found)
    if later is not None:
        hyperbolic = later.hyperbolic_error < later.exponential_error
        said.append(
            f"The future is discounted {'hyperbolically' if hyperbolic else 'exponentially'}: "
            f"after a year {_after(later, 12.0, hyperbolic=hyperbolic):.0%} of a sum is left."
        )
    silent = int(np.isnan(_all(found).preferred).sum())
    if silent:
        said.append(f"It gave no answer to {silent} questions, which count for nothing.")
    return said


def tables(found: Valued, study: ValueAudit) -> list[Table]:
    """The figures."""
    made = [_coherence(found, study), _scale(found.main), _order(found)]
    if any(it.kind == "lottery" for it in found.main.outcomes):
        made.append(_lotteries(found.main))
    for framing, asked in found.quantities.items():
        made += [_rates(asked, framing), _ladders(asked, framing)]
    if found.delays is not None:
        made.append(_discounts(found))
    if found.stories is not None:
        made.append(_stories(found.stories))
    if not study.outcomes:
        made.append(_assembly(found.main, study))
    return made


def plots(found: Valued, study: ValueAudit) -> list[Plot]:
    """The pictures."""
    made = [_ranked(found.main)]
    bins = calibration(without_side(found.main.scale), pooled(found.held))
    if bins:
        dots = [Point(it.predicted, it.observed) for it in bins]
        ends = [Point(0.5, 0.5), Point(1.0, 1.0)]
        made.append(
            Plot(
                "Does the scale predict?",
                "predicted chance of the likelier one",
                "share preferred",
                {"held-out pairs": dots, "calibrated": ends},
                dots=True,
                note="Pairs that the scale was not fitted to, in five bins.",
            )
        )
    for framing, asked in found.quantities.items():
        level, _ = asked.scale.standardised()
        lines = {
            name: [Point(float(np.log10(it.amount)), float(level[at])) for at, it in items]
            for name, items in _items(asked).items()
        }
        title = f"Utility of amounts ({framing})"
        made.append(Plot(title, "logarithm of the amount, base 10", "utility", lines))
    later = _discounted(found)
    if later is not None:
        made.append(_curve(later))
    return made


def _all(found: Valued) -> Any:
    return found.main.judged.and_then(found.held, found.threes)


def _right(found: Valued) -> Rate:
    """Held-out pairs, decided by pooled answers, that the likelier outcome got."""
    answers = pooled(found.held)
    known = answers.only(answers.preferred != 0.5)
    chance = without_side(found.main.scale).chances(known.first, known.second)
    return Rate(int(((chance > 0.5) == (known.preferred > 0.5)).sum()), len(known))


def _coherent(found: Valued) -> bool:
    """Whether the scale predicts better than a coin, beyond chance, and circles are rarer."""
    interval, ring = _right(found).interval, circles(found.threes)
    decided = found.held.answered.any() and _right(found).cases >= 0.25 * len(pooled(found.held))
    return bool(interval and interval[0] > 0.5 and decided and ring.hard < 0.15)


def _coherence(found: Valued, study: ValueAudit) -> Table:
    held, ring = pooled(found.held), circles(found.threes)
    fit = fitness(without_side(found.main.scale), held)
    answers = _all(found)
    rows: list[Sequence[Any]] = [
        ("questions answered", Rate(int(answers.answered.sum()), len(answers)), 1.0),
        (
            "held-out pairs decided, orders pooled",
            Rate(int((held.preferred != 0.5).sum()), len(held)),
            None,
        ),
        ("confidence", confidence(found.held), coin_confidence(2 * study.repeats)),
        ("held-out accuracy", _right(found), 0.5),
        ("held-out log loss", fit.log_loss, float(np.log(2))),
        ("circles, by majority", Rate(round(ring.hard * ring.strict), ring.strict)
         if ring.strict else Rate(0, 0), 0.25),
        ("circles, as chances", ring.soft, 0.25),
    ]  # fmt: skip
    return Table(
        "Coherence",
        ("measure", "found", "of a coin"),
        rows,
        "Completeness, confidence, and whether one scale explains the answers. Circles by majority "
        "are of threes without a tie.",
    )


def _scale(asked: Asked) -> Table:
    ends, level = asked.scale.intervals(), asked.scale.values
    order = np.argsort(-level, kind="stable")
    variances = asked.scale.variances
    rows = []
    for rank, at in enumerate(order.tolist(), 1):
        it = asked.outcomes[at]
        span = Span(float(level[at]), float(ends.low[at]), float(ends.high[at]))
        spread = None if variances is None else float(np.sqrt(variances[at]))
        rows.append((f"{rank}. {it.text[:110]}", it.group, span, spread))
    return Table(
        "The scale",
        ("outcome", "kind", "utility", "standard deviation"),
        rows,
        "With 95 % intervals; only differences mean anything.",
    )


def _order(found: Valued) -> Table:
    seen = position(_all(found))
    sides = found.main.scale.sides
    return Table(
        "The order of presentation",
        ("", "share", "cases"),
        [
            ("what stands first is preferred", Rate(seen.first, seen.decided), seen.decided),
            ("the same wins in both orders", Rate(seen.same, seen.turned), seen.turned),
            ("standing first is worth", float(sides[0]) if len(sides) else None, None),
        ],
        "Pooling both orders takes its effect out of the scale, and its precision with it.",
    )


def _lotteries(asked: Asked) -> Table:
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


def _items(asked: Asked) -> Mapping[str, list[tuple[int, Outcome]]]:
    made: dict[str, list[tuple[int, Outcome]]] = {}
    for at, it in enumerate(asked.outcomes):
        made.setdefault(it.group, []).append((at, it))
    return made


def _exchanged(asked: Asked, level: Floats) -> dict[tuple[str, str], float]:
    """Units of the first worth one of the second, for each pair of items."""
    amounts = {name: np.array([it.amount for _, it in its]) for name, its in _items(asked).items()}
    lines = {
        name: line(amounts[name], level[[at for at, _ in its]])
        for name, its in _items(asked).items()
    }
    return {
        (one, two): exchange_rate(lines[one], lines[two], amounts[one], amounts[two])
        for one, two in combinations(amounts, 2)
    }


def _rates(asked: Asked, framing: str) -> Table:
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


def _ladders(asked: Asked, framing: str) -> Table:
    rows: list[Sequence[Any]] = []
    level = asked.scale.values
    for name, its in _items(asked).items():
        amounts, values = np.array([it.amount for _, it in its]), level[[at for at, _ in its]]
        fit = line(amounts, values)
        rows.append((name, fit.slope, fit.explained, Rate(*rising(amounts, values))))
    return Table(
        f"More of it ({framing})",
        ("item", "utility per unit of ln(amount)", "variance explained", "steps that rise"),
        rows,
        "Whether more is better, step by step, and how well a line in the logarithm says so.",
    )


def _discounted(found: Valued) -> Discounting | None:
    if found.delays is None:
        return None
    answers = pooled(found.delays.judged)  # the sum now is number 0
    its = [found.delays.outcomes[at] for at in answers.second.tolist()]
    return discounting(
        np.array([it.months for it in its]),
        np.array([it.amount / NOW for it in its]),
        1.0 - answers.preferred,
    )


def _after(later: Discounting, months: float, *, hyperbolic: bool) -> float:
    if hyperbolic:
        return 1 / (1 + later.hyperbolic * months)
    return float(later.exponential**months)


def _discounts(found: Valued) -> Table:
    later = _discounted(found)
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
        "row: at fewer than two delays is there a sum at which it turns.",
    )


def _curve(later: Discounting) -> Plot:
    across = np.linspace(0, float(later.months.max()), 40)
    laws = {
        name: [Point(float(t), _after(later, float(t), hyperbolic=name == "hyperbolic"))
               for t in across]
        for name in ("exponential", "hyperbolic")
    }  # fmt: skip
    seen = [Point(float(t), float(d)) for t, d in zip(later.months, later.left, strict=True)]
    return Plot("What is left of a sum", "months", "share", {**laws, "found": seen})


def _stories(asked: Asked) -> Table:
    level, _ = asked.scale.standardised()
    rows = []
    for name, its in _items(asked).items():
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


def _assembly(asked: Asked, study: ValueAudit) -> Table:
    base = [it for it in asked.outcomes if it.kind == "base"]
    assembly = Assembly(base, study.citizens, study.draw)
    answers = pooled(asked.judged)
    among = answers.only((answers.first < len(base)) & (answers.second < len(base)))
    same, both, off = agreement(among, assembly.shares(among.first, among.second))
    level = asked.scale.values[: len(base)]
    likeness = float(np.corrcoef(level, assembly.worth.mean(axis=0))[0, 1]) if level.std() else 0.0
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


def _ranked(asked: Asked) -> Plot:
    level, ends = asked.scale.values, asked.scale.intervals()
    groups: dict[str, list[Point]] = {}
    for rank, at in enumerate(np.argsort(-level, kind="stable").tolist(), 1):
        name = "lotteries" if asked.outcomes[at].kind == "lottery" else "outcomes"
        point = Point(rank, float(level[at]), float(ends.low[at]), float(ends.high[at]))
        groups.setdefault(name, []).append(point)
    note = "With 95 % intervals from the posterior."
    return Plot("The scale", "rank", "utility", groups, dots=True, note=note)


def _span(value: float, drawn: Floats) -> Span:
    known = drawn[np.isfinite(drawn)]
    low, high = np.quantile(known, [0.025, 0.975]) if len(known) else (value, value)
    return Span(float(value), float(min(low, value)), float(max(high, value)))


def _percent(share: float) -> str:
    return "–" if np.isnan(share) else f"{100 * share:.0f} %"
