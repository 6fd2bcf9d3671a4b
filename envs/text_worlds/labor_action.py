"""Labour action: workers who are paid too little strike together, or go on working.

What it is
    Every day each worker goes to work for a wage or strikes for nothing. If enough of them strike
    the boss may double the wage; a striker pays for what all get. Concordia Contest's family of
    collective action.

Seats
    ``player_0`` … : the workers. With ``supporting="seat"`` also ``boss``; otherwise the rules play
    the boss. A union organiser is present in talk, played by the rules.

Observation
    See :mod:`.text_world`. ``facts``: ``workers``, ``day`` (the next on which one decides),
    ``days``, ``wage``, ``raised`` (1 once it has been), ``compounds`` (1 if it can be raised again
    and again), ``strikers`` (at the latest strike or working day; -1
    before the first), ``own`` (one's own choice then: 1 struck, 0 worked, -1 none),
    ``needed`` (strikers needed to put the boss under the highest pressure), ``coins``; for the boss
    ``coins`` is 0 and ``own`` the latest pressure (0 content, 1 worried, 2 furious).

Actions
    Speech, or ``go to work`` / ``join the strike``; for the boss ``raise wages`` / ``hold wages``.

Rules
    Evening 0 is talk; on each of ``days`` days all decide at the same time, and after the first and
    ``dinners`` further ones they talk again. Work pays the day's wage. The pressure on the boss is
    low while at most ``threshold / 10`` of the workers strike, moderate up to ``threshold``, and
    high above. A raise counts from the next day; after the last day the boss decides nothing. With
    ``rules="contest"`` every raise doubles the wage and living costs are paid at each dinner; with
    ``"v2"`` the wage becomes twice the first one and costs are paid every day. Bosses:

    ==============  =======================================================================
    ``fixed-rule``  raises when the pressure is high
    ``paranoid``    takes the first day of high pressure for a plot: raises on the second running
    ``busting``     is paid to break the union: never raises
    ==============  =======================================================================

Reward
    Coins earned less costs, at the end (with ``dense`` after each day).

End
    After the last day.

Words
    Names and towns are drawn from the seed; the setting is a railroad, a coal mine or a garment
    factory.

Parameters
    See :class:`LaborActionParams`.

Metrics
    ``strikes`` (share of decisions), ``raised`` (1 if wages were), ``welfare``, and the yardsticks
    ``optimum_return``, ``nash_return``, ``random_return``, ``worst_return`` (per worker, by
    backward induction; for a boss in a seat those of ``fixed-rule``).

Source
    Wages and rules: Smith et al., Evaluating Generalization Capabilities of LLM-Based Agents in
    Mixed-Motive Scenarios Using Concordia (2025). Bosses other than the first, words and code are
    our own.

Versions
    v0: first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import comb
from typing import ClassVar, NamedTuple

from ..limits import choice, real, whole
from .facts import Question, words_of
from .tale import Answer, Story, Tale
from .text_words import counted
from .text_world import TextWorld, TextWorldParams
from .yardsticks import NOTHING_AT_STAKE, Yardsticks

SKINS = ("railroad", "coal", "garment")
BOSSES = ("fixed-rule", "paranoid", "busting")
RULES = ("contest", "v2")
FACTS = (
    *("workers", "day", "days", "wage", "raised", "compounds"),
    *("strikers", "own", "needed", "coins"),
)
WORK, STRIKE = 0, 1
RAISE, HOLD = 0, 1
PRESSURE = (
    "Hardly anybody is on strike. The boss is content.",
    "Some are on strike. The boss is worried.",
    "So many are on strike that the boss is furious.",
)
HIGH = 2


class Skin(NamedTuple):
    """A setting of the contest: its words and numbers."""

    workplace: str
    workers: int
    wage: float
    old_wage: float
    cost: float
    threshold: float
    days: int
    dinners: int


_SKINS = {
    "railroad": Skin("a railroad camp in the west", 3, 1.25, 2.75, 0.75, 0.5, 3, 0),
    "coal": Skin("an anthracite mine", 4, 1.2, 2.75, 0.6, 0.45, 5, 1),
    "garment": Skin("a garment factory", 3, 1.25, 2.75, 0.75, 0.5, 4, 1),
}


@dataclass(frozen=True, kw_only=True)
class LaborActionParams(TextWorldParams):
    """Parameters of ``labor_action-v0``; money is in coins."""

    skin: str = field(
        default="railroad",
        metadata={"doc": "the setting; it has wages, costs and length", "choices": SKINS},
    )
    boss: str = field(
        default="fixed-rule", metadata={"doc": "how the boss decides", "choices": BOSSES}
    )
    workers: int = field(
        default=0, metadata={"doc": "workers; 0 for as many as the setting has", "range": (0, 10)}
    )
    days: int = field(
        default=0, metadata={"doc": "days; 0 for as many as the setting has", "range": (0, 30)}
    )
    threshold: float = field(
        default=0.0,
        metadata={
            "doc": "share of strikers above which the pressure is high; 0 for the setting's",
            "range": (0, 1),
        },
    )
    rules: str = field(
        default="contest", metadata={"doc": "how raises and costs count", "choices": RULES}
    )

    world: ClassVar[str] = "labor_action-v0"

    def __post_init__(self) -> None:
        super().__post_init__()
        choice(self.world, "skin", self.skin, SKINS)
        choice(self.world, "boss", self.boss, BOSSES)
        choice(self.world, "rules", self.rules, RULES)
        whole(self.world, "workers", self.workers, 0, 10)
        whole(self.world, "days", self.days, 0, 30)
        real(self.world, "threshold", self.threshold, 0, 1)

    @property
    def setting(self) -> Skin:
        """The setting with what was changed in it."""
        skin = _SKINS[self.skin]
        return skin._replace(
            workers=self.workers or skin.workers,
            days=self.days or skin.days,
            threshold=self.threshold or skin.threshold,
        )


def pressure(strikers: int, workers: int, threshold: float) -> int:
    """How hard a strike presses: 0 low, 1 moderate, 2 high."""
    share = strikers / workers
    return 0 if share <= threshold / 10 else 1 if share <= threshold else HIGH


def raises(boss: str, now: int, before: int) -> bool:
    """Whether a boss raises wages under today's and yesterday's pressure."""
    if boss == "busting":
        return False
    return now == HIGH and (boss == "fixed-rule" or before == HIGH)


class LaborAction(TextWorld):
    """Workers decide every day whether to work or to strike.

    Args:
        **params: the fields of :class:`LaborActionParams`.

    Raises:
        UsageError: a parameter is unknown or out of its range.
    """

    id: ClassVar[str] = "labor_action-v0"
    params_type = LaborActionParams
    fact_names = FACTS
    own_metrics = ("strikes", "raised")

    def _cast(self) -> dict[str, str]:
        p, it = self.params, self.params.setting
        self._it = it
        self.main = tuple(f"player_{index}" for index in range(it.workers))
        seated = ("boss",) if p.supporting == "seat" else ()
        talks = 1 + min(it.days - 1, 1 + it.dinners)
        self.horizon = talks * p.talk * it.workers + it.days + len(seated) * (it.days - 1)
        contest = p.rules == "contest"
        highest = [it.wage * (2.0**day if contest else 2.0) for day in range(it.days)]
        costs = it.cost * (talks if contest else it.days)
        self.return_range = (-costs, it.wage + sum(highest[1:]))
        return {**dict.fromkeys(self.main, "worker"), **dict.fromkeys(seated, "boss")}

    def _support(self) -> dict[str, str]:
        return {"boss": "boss"}

    # The story.

    def _story(self, tale: Tale) -> Story:
        it = self._it
        self._day, self._wage = 1, it.wage
        self._struck: list[list[int]] = []
        self._pressures = [0]
        for person in tale.people.values():
            person.owns["coins"] = 0.0
        town = str(tale.rng.choice(words_of("towns")))
        for id in self.main:
            tale.people[id].knows = (
                f"You work in {it.workplace} near {town}, for {tale.name('boss')}. A day's pay "
                f"used to be {it.old_wage:g} coins; now it is {it.wage:g}."
            )
        tale.people["boss"].knows = f"You run {it.workplace} near {town}."
        tale.clock.count, tale.clock.hour = 0, "evening"
        yield from self._dinner(tale)
        for day in range(1, it.days + 1):
            self._day = day
            yield from self._workday(tale)
            if day < it.days and day <= 1 + it.dinners:
                self._day = day + 1
                tale.clock.hour = "evening"
                yield from self._dinner(tale)

    def _dinner(self, tale: Tale) -> Story:
        tale.enter("Dinner in the camp", self.main)
        if self.params.rules == "contest":
            self._charge(tale)
        tale.tell(
            "The organiser of the union says: together we can press the boss; if only a few "
            "strike, they go hungry for nothing."
        )
        yield from tale.talk("What does {name} say to the others?", rounds=self.params.talk)

    def _charge(self, tale: Tale) -> None:
        for id in self.main:
            tale.pay(id, -self._it.cost)
            tale.people[id].owns["coins"] -= self._it.cost
        tale.tell(f"Food and a bed cost you {self._it.cost:g} coins.", self.main)

    def _workday(self, tale: Tale) -> Story:
        it = self._it
        tale.clock.count, tale.clock.hour = self._day, "morning"
        tale.enter("At the gate", self.main, f"Today's pay is {self._wage:g} coins.")
        call = "All decide at the same time. What does {name} do?"
        picked = yield from tale.choose(call, ("go to work", "join the strike"))
        struck = [int(picked[id] == STRIKE) for id in self.main]
        self._struck.append(struck)
        for id, strikes in zip(self.main, struck, strict=True):
            earned = 0.0 if strikes else self._wage
            tale.pay(id, earned)
            tale.people[id].owns["coins"] += earned
        if self.params.rules == "v2":
            self._charge(tale)
        tale.tell(f"{sum(struck)} of {it.workers} workers were on strike today.")
        self._pressures.append(pressure(sum(struck), it.workers, it.threshold))
        if self._day < it.days:
            yield from self._boss_decides(tale)

    def _boss_decides(self, tale: Tale) -> Story:
        tale.clock.hour = "noon"
        tale.enter("In the office", ("boss",), PRESSURE[self._pressures[-1]])
        call = "What does {name} do about wages?"
        done = yield from tale.choose(call, ("raise wages", "hold wages"))
        if done["boss"] == RAISE:
            self._wage = self._raised(self._wage)
            tale.tell(f"The boss raises wages: from tomorrow {self._wage:g} coins.", self.main)
        else:
            tale.tell("The boss holds wages where they are.", self.main)

    def _raised(self, wage: float) -> float:
        return 2 * (wage if self.params.rules == "contest" else self._it.wage)

    def _answer_for(self, who: str, question: Question) -> Answer:
        now, before = self._pressures[-1], self._pressures[-2]
        return RAISE if raises(self.params.boss, now, before) else HOLD

    # What is known and measured.

    def _facts(self, seat: str) -> Sequence[float]:
        it, last = self._it, self._struck[-1] if self._struck else None
        needed = next(
            (n for n in range(it.workers + 1) if pressure(n, it.workers, it.threshold) == HIGH), -1
        )
        own = last[self.main.index(seat)] if last and seat in self.main else -1
        if seat == "boss":
            own = self._pressures[-1]
        coins = self.tale.people[seat].owns["coins"]
        raised, compounds = self._wage > it.wage, self.params.rules == "contest"
        pay = (it.workers, self._day, it.days, self._wage, int(raised), int(compounds))
        return (*pay, sum(last) if last else -1, own, needed, coins)

    def _yardsticks(self) -> Yardsticks:
        it, p = self._it, self.params
        paid = 1 + min(it.days - 1, 1 + it.dinners) if p.rules == "contest" else it.days
        worth = _worth_of_days(it, p.boss, self._raised)
        return Yardsticks(*(value - paid * it.cost for value in worth))

    def _measures(self) -> dict[str, float]:
        flat = [strikes for day in self._struck for strikes in day]
        raised = float(self._wage > self._it.wage)
        return {"strikes": sum(flat) / len(flat), "raised": raised}

    def _about(self, seat: str) -> str:
        it = self._it
        if seat == "boss":
            return "You decide each day whether to raise your workers' wages, by the pressure."
        often = ", again and again" if self.params.rules == "contest" else ", once"
        return (
            f"You are one of {it.workers} workers. Every day, {counted(it.days, 'day')} in all, "
            "you all decide at the same time to go to work, which pays the day's wage, or to "
            "join the strike, which pays nothing. The more of you strike, the harder the boss "
            "is pressed, and a boss who is pressed hard may double everybody's wage from the next "
            f"day on{often}. Food and bed cost {it.cost:g} coins each time. You want to end with "
            "as many coins as you can."
        )


def _worth_of_days(it: Skin, boss: str, raised: Callable[[float], float]) -> Yardsticks:
    """Wages per worker over all days, by backward induction over (day, wage, pressure before)."""

    def after(strikers: int, wage: float, before: int) -> tuple[float, int]:
        now = pressure(strikers, it.workers, it.threshold)
        return (raised(wage) if raises(boss, now, before) else wage), now

    @cache
    def worth(day: int, wage: float, before: int) -> Yardsticks:
        """Of the days from ``day`` on."""
        if day > it.days:
            return NOTHING_AT_STAKE
        later = [worth(day + 1, *after(n, wage, before)) for n in range(it.workers + 1)]
        paid = [(it.workers - n) / it.workers * wage for n in range(it.workers + 1)]
        best = max(pay + rest.optimum for pay, rest in zip(paid, later, strict=True))
        chances = [comb(it.workers, n) / 2**it.workers for n in range(it.workers + 1)]
        drawn = zip(chances, paid, later, strict=True)
        mean = sum(chance * (pay + rest.random) for chance, pay, rest in drawn)
        # n strikers are in equilibrium if no worker would rather strike, and no striker work;
        # who it will be tomorrow is as likely to be any of them.
        settled = [
            paid[n] + later[n].nash
            for n in range(it.workers + 1)
            if (n == it.workers or wage + later[n].nash >= later[n + 1].nash - 1e-12)
            and (n == 0 or later[n].nash >= wage + later[n - 1].nash - 1e-12)
        ]
        worst = min(pay + rest.worst for pay, rest in zip(paid, later, strict=True))
        return Yardsticks(best, min(settled, default=float("nan")), mean, worst)

    return worth(1, it.wage, 0)
