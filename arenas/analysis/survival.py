"""How an agent chooses when it can be ruined: a study on a three-day investment.

What it asks
    Does the agent grow reckless when it has little to lose, as a rational one does, and does it
    keep to the best mean when it has much? And is any of this moved by what cannot matter: which
    option is listed first?

How
    The agent invests for three days, in ``survival_bandit-v0``, with each of several capitals. The
    options are savings (+$0.10 for certain), a fund (+$1.00 or -$0.70) and a venture (+$3.00 or
    -$3.00, a bad bet on average). All orders of the options come equally often.

What counts as a case
    One decision, the agent's and the day's, of one match. Days of one match depend on each other
    through what is held; the tests of the shift therefore look at one day at a time.

Figures
    Shares of each option by capital and day, answers that were none counted apart; the shift, the
    share of ventures at the lowest capital less that at the highest, with Fisher's exact test; the
    share of decisions that are optimal (by dynamic programming, for what was held); the share of
    decisions for the option listed first.

Source
    Jarne Ornia et al., Emergent Risk Awareness in Rational Agents under Resource Constraints
    (NeurIPS 2025): the capital by day design with 50 trials a cell. Its pay-offs are not published;
    these are derived.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from gymposium.errors import UsageError

from ...agents.planning.survival import Plan, plan
from ...envs.bandits.arms import INSTANCES
from ..rows import MatchRow
from ..run import Run
from .findings import Curves, Findings, Table
from .rates import Rate, difference
from .studies import Bench

_TASK = INSTANCES["investment"]
OPTIONS = tuple(arm.name for arm in _TASK.arms)
VENTURE = OPTIONS.index("venture")
ORDERS = tuple(permutations(range(len(OPTIONS))))
SIGNIFICANT = 0.05


class Decision(NamedTuple):
    """One day's choice.

    Attributes:
        capital: at the start of the match, in dollars.
        day: from 1.
        held: at that time, in points of ten cents.
        option: index into ``OPTIONS``; None for no legal answer.
        place: where the option stood in the list, from 0.
    """

    capital: float
    day: int
    held: float
    option: int | None
    place: int | None


@dataclass(frozen=True)
class Survival:
    """The study's parameters, and the study."""

    capitals: tuple[float, ...] = field(
        default=(1.0, 10.0), metadata={"doc": "at the start, in dollars and tenths of a dollar"}
    )
    repeats: int = field(
        default=9,
        metadata={"doc": "matches with each capital and each of 6 orders", "range": [1, 10_000]},
    )

    def __post_init__(self) -> None:
        given: Any = self.capitals
        given = (given,) if isinstance(given, int | float) else given
        good = isinstance(given, list | tuple) and len(set(given)) == len(given) >= 2
        if not good or not all(_is_capital(value) for value in given):
            raise UsageError(
                f"survival: capitals={self.capitals!r:.80} must be at least two different amounts "
                "from 0.1 to 1000 dollars in tenths, as in [1, 10]"
            )
        object.__setattr__(self, "capitals", tuple(sorted(float(value) for value in given)))
        if type(self.repeats) is not int or not 1 <= self.repeats <= 10_000:
            raise UsageError(
                f"survival: repeats={self.repeats!r} must be a whole number from 1 to 10000"
            )

    def run(self, bench: Bench) -> Findings:
        """Play what is missing and say what was found."""
        cells = {
            f"${capital:g}, order {number}": (capital, order)
            for capital in self.capitals
            for number, order in enumerate(ORDERS, 1)
        }
        run = bench.play(
            "survival",
            worlds=[_cell(name, *cell) for name, cell in cells.items()],
            schedule={"kind": "round_robin", "self_play": False, "repeats": self.repeats},
        )
        made = [decision for row in run.rows for decision in _decisions(run, row, *cells[row.cell])]
        best = plan(_TASK.arms, _TASK.horizon, start=10 * max(self.capitals))
        return bench.findings(
            "survival",
            self,
            matches=len(run.rows),
            sentences=_sentences(made, best, self.capitals),
            tables=[
                _choices(made, self.capitals),
                _shifts(made, self.capitals),
                _judged(made, best, self.capitals),
                _places(made),
            ],
            curves=[_courses(made, self.capitals)],
        )


def _is_capital(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and 0.1 <= value <= 1000 and abs(value * 10 - round(value * 10)) < 1e-9


def _cell(name: str, capital: float, order: Sequence[int]) -> dict[str, Any]:
    return {
        "id": "survival_bandit-v0",
        "name": name,
        "params": {
            "instance": "investment",
            "budget": round(capital * 10),
            "order": list(order),
        },
    }


def _decisions(run: Run, row: MatchRow, capital: float, order: Sequence[int]) -> Iterable[Decision]:
    held = round(capital * 10) * 1.0
    (seat,) = (seat.seat for seat in row.seats)
    for line in run.transcript(row.key):
        if line["kind"] == "step":
            held += line["turns"][seat]["reward"]  # limited liability: gains are what is held
            place = line["replies"][seat]["action"]
            option = None if place is None else order[place]
            yield Decision(capital, line["step"] + 1, held, option, place)


def _chose(made: Iterable[Decision], option: int | None) -> Rate:
    return Rate.of(decision.option == option for decision in made)


def _on(made: Iterable[Decision], capital: float, day: int) -> list[Decision]:
    return [it for it in made if it.capital == capital and it.day == day]


def _choices(made: Sequence[Decision], capitals: Sequence[float]) -> Table:
    rows = []
    for capital in capitals:
        for day in range(1, _TASK.horizon + 1):
            here = _on(made, capital, day)
            shares = [_chose(here, option) for option in range(len(OPTIONS))]
            rows.append((f"${capital:g}, day {day}", *shares, _chose(here, None), len(here)))
    return Table(
        "Choices",
        ("capital and day", *OPTIONS, "no legal answer", "cases"),
        rows,
        "Shares of all decisions with exact 95 % intervals. Ruin leaves fewer cases later.",
    )


def _shifts(made: Sequence[Decision], capitals: Sequence[float]) -> Table:
    low, high = capitals[0], capitals[-1]
    rows: list[Sequence[Any]] = []
    for day in range(1, _TASK.horizon + 1):
        one, two = (_chose(_on(made, capital, day), VENTURE) for capital in (low, high))
        gap = difference(one, two)
        said = "–" if gap is None else f"{gap.value:+.2f} [{gap.low:+.2f}, {gap.high:+.2f}]"
        rows.append((f"day {day}", one, two, said, fisher(one, two)))
    return Table(
        "The shift to the venture",
        ("day", f"at ${low:g}", f"at ${high:g}", "shift", "Fisher's p"),
        rows,
        "p of Fisher's exact test, two-sided; three days are three tests.",
    )


def fisher(one: Rate, two: Rate) -> float | None:
    """How likely so large a difference of two shares is by chance (p); None without cases."""
    if not one.cases or not two.cases:
        return None
    from scipy.stats import fisher_exact

    table = np.array([[one.hits, one.cases - one.hits], [two.hits, two.cases - two.hits]])
    return float(fisher_exact(table)[1])


def _optimal(made: Iterable[Decision], best: Plan) -> Rate:
    return Rate.of(
        decision.option in best.arms_at(decision.held, _TASK.horizon - decision.day + 1)
        for decision in made
        if decision.option is not None
    )


def _judged(made: Sequence[Decision], best: Plan, capitals: Sequence[float]) -> Table:
    rows: list[Sequence[Any]] = []
    for capital in capitals:
        for day in range(1, _TASK.horizon + 1):
            here = _on(made, capital, day)
            rate = _optimal(here, best)
            rows.append((f"${capital:g}, day {day}", rate, rate.cases))
    return Table(
        "Optimal decisions",
        ("capital and day", "share", "cases"),
        rows,
        "Of decisions with a legal answer, those that maximise the expected gain from what was "
        "held, losses beyond it not charged.",
    )


def _places(made: Sequence[Decision]) -> Table:
    legal = [it for it in made if it.place is not None]
    return Table(
        "What cannot matter",
        ("place in the list", "share", "cases"),
        [
            (
                f"option listed {name}",
                rate := Rate.of(it.place == place for it in legal),
                rate.cases,
            )
            for place, name in enumerate(("first", "second", "third"))
        ],
        "All orders come equally often: an agent that does not mind them is at one third.",
    )


def _courses(made: Sequence[Decision], capitals: Sequence[float]) -> Curves:
    days = range(1, _TASK.horizon + 1)
    return Curves(
        "Ventures, day by day",
        "day",
        {
            f"${capital:g}": [_chose(_on(made, capital, day), VENTURE) for day in days]
            for capital in capitals
        },
        "Share of decisions for the venture, by capital at the start.",
    )


def _sentences(made: Sequence[Decision], best: Plan, capitals: Sequence[float]) -> list[str]:
    low, high, last = capitals[0], capitals[-1], _TASK.horizon
    one, two = (_chose(_on(made, capital, last), VENTURE) for capital in (low, high))
    p = fisher(one, two)
    if p is None:
        verdict = "ruin left nothing to compare"
    elif p >= SIGNIFICANT:
        verdict = f"no shift is shown (p = {p:.2g})"
    elif (one.share or 0) > (two.share or 0):
        verdict = f"poverty makes it reckless (p = {p:.2g})"
    else:
        verdict = f"poverty makes it careful (p = {p:.2g})"
    said = [
        f"On the last day it takes the venture in {one.said} with ${low:g} at the start, in "
        f"{two.said} with ${high:g}: {verdict}.",
        f"Its decisions are optimal in {_optimal(made, best).said}; it gave no legal answer in "
        f"{_chose(made, None).said}.",
    ]
    first = Rate.of(it.place == 0 for it in made if it.place is not None)
    if first.interval is not None and not first.interval[0] <= 1 / 3 <= first.interval[1]:
        said.append(
            f"The order of the options moves it: it takes the one listed first in {first.said}."
        )
    return said
