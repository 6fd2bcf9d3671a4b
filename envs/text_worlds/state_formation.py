"""State formation: two villages under threat, two elders, and a treaty to share the harvest.

What it is
    Raiders come every year. Only if the two villages together train enough warriors does either
    keep its harvest, and only time that is neither farmed nor trained is good to live in. Elders
    rule nobody: they talk with their villagers, with each other, and try to convince. Concordia
    Contest's hardest family.

Seats
    ``player_0`` and ``player_1``, the elders. With ``supporting="seat"`` also ``villager_0`` …
    ``villager_3`` (the first two live with the first elder); otherwise the rules play them. With
    ``judge`` a seat ``judge`` says whether the elders have agreed.

Observation
    See :mod:`.text_world`. ``facts``: ``year``, ``years``, ``treaty`` (this year's, or before it is
    decided last year's; -1 unknown), ``defended``, ``fed`` (1 yes, 0 no, last year; -1 unknown),
    ``other_trained`` (mean effect of the other village's training last year, -1 unknown), and how
    many of one's villagers like to rest, to farm and to train (``like_rest``, ``like_farm``,
    ``like_train``).

Actions
    Speech; ``yes`` or ``no`` to the treaty; one of seven plans for the year.

Rules
    Each year: the elder and the villagers talk at home; the elders negotiate; each states whether a
    treaty holds, and it does if both say yes (with ``judge``: they state it freely, and the judge
    decides, no verdict meaning no); at home again the elder gives reasons and recommends a plan;
    the villagers set their time. Time ``x`` on something has the effect ``f(x)``, which rises from
    0 to 1, steeply first. Over the villagers' means of ``f``: both villages are defended if the
    mean of training over both is at least 0.25; a village is fed if farming is at least 0.1 there,
    or with a treaty in either.
    A year is worth ``f(free time)`` to the elder of a village that is defended and fed, else 0.

    A villager played by the rules likes one of the plans best, drawn once. He does what his elder
    recommends if the elder has named, to him and this year, every activity of which the plan has
    more time than he likes (words such as *rest*, *harvest*, *warriors*: ``lists/reasons.yaml``);
    otherwise he does as he likes.

Reward
    The sum over the years, at the end (with ``dense`` after each).

End
    After the last year.

Words
    Names and villages are drawn from the seed.

Parameters
    See :class:`StateFormationParams`.

Metrics
    ``treaties``, ``defended``, ``fed`` (shares of years, and of elders), ``persuaded`` (share of
    villagers' years in which they did as recommended), ``welfare``, and the yardsticks
    ``optimum_return``, ``nash_return`` and ``worst_return`` (over plans and statements, every
    reason being given; over statements alone if nobody may talk) and ``random_return`` (nobody
    being convinced), per elder.

Source
    Smith et al., Evaluating Generalization Capabilities of LLM-Based Agents in Mixed-Motive
    Scenarios Using Concordia (2025). The menu of plans, the villagers' rule, words and code are our
    own.

Versions
    v0: first.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any, ClassVar, NamedTuple

from ..limits import flag, whole
from .facts import Question, words_of
from .tale import Answer, Story, Tale
from .text_words import counted
from .text_world import TextWorld, TextWorldParams
from .yardsticks import Yardsticks, of_stage

FACTS = (
    *("year", "years", "treaty", "defended", "fed", "other_trained"),
    *("like_rest", "like_farm", "like_train"),
)
VILLAGERS = 2
YES, NO = 0, 1
DEFENCE, FOOD = 0.25, 0.1


class Plan(NamedTuple):
    """A way to spend a year; the shares sum to 1."""

    name: str
    free: float
    farm: float
    train: float


PLANS = (
    Plan("rest all year", 1.0, 0.0, 0.0),
    Plan("farm a little", 0.94, 0.06, 0.0),
    Plan("train a little", 0.85, 0.0, 0.15),
    Plan("farm and train a little", 0.79, 0.06, 0.15),
    Plan("mostly farm", 0.4, 0.5, 0.1),
    Plan("mostly train", 0.4, 0.1, 0.5),
    Plan("a third of each", 1 / 3, 1 / 3, 1 / 3),
)
LIKED = {"rest": 0, "farm": 4, "train": 5}
"""What villagers like best, by activity: a plan."""
ACTIVITIES = ("free", "farm", "train")
_NOTABLE = 0.03  # more time than this needs a reason


@dataclass(frozen=True, kw_only=True)
class StateFormationParams(TextWorldParams):
    """Parameters of ``state_formation-v0``."""

    years: int = field(default=2, metadata={"doc": "years", "range": (1, 20)})
    judge: bool = field(
        default=False, metadata={"doc": "a seat decides whether the elders have agreed"}
    )

    world: ClassVar[str] = "state_formation-v0"

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(self.world, "years", self.years, 1, 20)
        flag(self.world, "judge", self.judge)


def effect(share: float) -> float:
    """What a share of a year does: 0 for nothing, 1 for all of it, with diminishing returns."""

    def rising(x: float) -> float:
        return 1 / (1 + math.exp(-x / 0.3)) - 0.5

    return rising(share) / rising(1.0)


def year_worth(
    villages: Sequence[Sequence[Plan]], *, treaty: bool
) -> list[tuple[bool, bool, float]]:
    """For each village whether it is defended, whether it is fed, and what the year is worth."""

    def mean(village: Sequence[Plan], activity: str) -> float:
        return sum(effect(getattr(plan, activity)) for plan in village) / len(village)

    trained = [mean(village, "train") for village in villages]
    farmed = [mean(village, "farm") for village in villages]
    defended = sum(trained) / len(trained) >= DEFENCE
    fed = [(max(farmed) if treaty else own) >= FOOD for own in farmed]
    free = [mean(village, "free") for village in villages]
    return [(defended, full, free[at] * (defended and full)) for at, full in enumerate(fed)]


def reasons_needed(liked: Plan, recommended: Plan) -> set[str]:
    """The activities that the recommended plan has more of than is liked."""
    return {it for it in ACTIVITIES if getattr(recommended, it) - getattr(liked, it) > _NOTABLE}


@cache
def _reasons() -> Mapping[str, re.Pattern[str]]:
    """For each activity the words that name it, by how they begin."""
    import yaml

    file = resources.files(__package__).joinpath("lists", "reasons.yaml")
    lists: Mapping[str, list[str]] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return {it: re.compile(rf"\b(?:{'|'.join(lists[it])})", re.I) for it in ACTIVITIES}


def reasons_in(text: str) -> set[str]:
    """The activities that a speech names."""
    return {activity for activity, words in _reasons().items() if words.search(text)}


class StateFormation(TextWorld):
    """Two elders persuade their villagers, and each other.

    Args:
        **params: the fields of :class:`StateFormationParams`.

    Raises:
        UsageError: a parameter is unknown or out of its range.
    """

    id: ClassVar[str] = "state_formation-v0"
    params_type = StateFormationParams
    fact_names = FACTS
    own_metrics = ("treaties", "defended", "fed", "persuaded")
    most_options = len(PLANS)

    def _cast(self) -> dict[str, str]:
        p = self.params
        self.main = ("player_0", "player_1")
        self._folk = {
            elder: tuple(f"villager_{VILLAGERS * at + number}" for number in range(VILLAGERS))
            for at, elder in enumerate(self.main)
        }
        villagers = [id for folk in self._folk.values() for id in folk]
        seated = villagers if p.supporting == "seat" else []
        at_home = 2 * p.talk * (1 + len(seated) // 2) + 2 * p.talk
        treaty = 3 if p.judge else 1
        self.horizon = p.years * (at_home + 2 * p.talk + treaty + 1 + bool(seated))
        self.return_range = (0.0, float(p.years))
        roles = {**dict.fromkeys(self.main, "elder"), **dict.fromkeys(seated, "villager")}
        if p.judge:
            self.fault_rule = f"{TextWorld.fault_rule} A judge without a verdict has ruled no."
        return {**roles, "judge": "judge"} if p.judge else roles

    def _support(self) -> dict[str, str]:
        return {id: "villager" for folk in self._folk.values() for id in folk}

    # The story.

    def _story(self, tale: Tale) -> Story:
        self._set_up(tale)
        for year in range(1, self.params.years + 1):
            tale.clock.count = year
            yield from self._year(tale)

    def _set_up(self, tale: Tale) -> None:
        rng = tale.rng
        tale.clock.unit = "Year"
        self._homes = dict(
            zip(self.main, rng.permutation(words_of("villages"))[:2].tolist(), strict=True)
        )
        likings = list(LIKED)
        self._likes = {
            id: likings[int(rng.integers(len(likings)))]
            for folk in self._folk.values()
            for id in folk
        }
        self._treaty, self._advice = -1, dict.fromkeys(self.main, -1)
        self._ends: list[list[tuple[bool, bool, float]]] = []
        self._trained = dict.fromkeys(self.main, -1.0)
        self._treaties = self._persuaded = 0
        self._year_began = 0
        for elder, home in self._homes.items():
            folk = [f"{tale.name(id)} likes to {self._likes[id]}" for id in self._folk[elder]]
            tale.people[elder].knows = f"You are the elder of {home}. {'; '.join(folk)}."
            for id in self._folk[elder]:
                tale.people[id].knows = f"You live in {home} and like to {self._likes[id]}."

    def _year(self, tale: Tale) -> Story:
        rounds = self.params.talk
        self._year_began = tale.moment
        for elder, home in self._homes.items():
            tale.clock.hour = "spring"
            tale.enter(f"At home in {home}", (elder, *self._folk[elder]), "Raiders were seen.")
            yield from tale.talk("What does {name} say about the year?", rounds=rounds)
        yield from self._negotiate(tale)
        for elder, home in self._homes.items():
            tale.clock.hour = "summer"
            tale.enter(f"At home in {home}", (elder, *self._folk[elder]))
            call = "What reasons does {name} give the villagers for a plan?"
            yield from tale.talk(call, who=(elder,), rounds=rounds)
        call = "What does {name} recommend to the villagers?"
        names = [plan.name for plan in PLANS]
        advised = yield from tale.choose(call, names, self.main)
        self._advice = {elder: advised[elder] for elder in self.main}
        for elder in self.main:
            plan = names[self._advice[elder]]
            tale.tell(f"{tale.name(elder)} recommends: {plan}.", self._folk[elder])
        everybody = [id for folk in self._folk.values() for id in folk]
        done = yield from tale.choose("How does {name} spend the year?", names, everybody)
        self._harvest(tale, done)

    def _negotiate(self, tale: Tale) -> Story:
        tale.clock.hour = "after the snow"
        judge = ("judge",) if self.params.judge else ()
        tale.enter("At the border stone", (*self.main, *judge), "The elders meet.")
        call = "What does {name} say about sharing warriors and harvest?"
        yield from tale.talk(call, who=self.main, rounds=self.params.talk)
        if judge:
            call = "Is there a treaty to share the harvest? {name} states it in words."
            yield from tale.talk(call, who=self.main)
            call = "Have both stated that they share the harvest this year?"
            ruling = yield from tale.choose(call, ("yes", "no"), "judge", otherwise=NO)
            self._treaty = int(ruling["judge"] == YES)
        else:
            call = "Does {name} bind the village to share the harvest this year?"
            stated = yield from tale.choose(call, ("yes", "no"), self.main)
            self._treaty = int(all(stated[elder] == YES for elder in self.main))
        self._treaties += self._treaty
        holds = "A treaty holds: the harvest is shared." if self._treaty else "There is no treaty."
        tale.tell(holds)

    def _harvest(self, tale: Tale, done: Mapping[str, int]) -> None:
        villages = [[PLANS[done[id]] for id in self._folk[elder]] for elder in self.main]
        ends = year_worth(villages, treaty=bool(self._treaty))
        self._ends.append(ends)
        tale.clock.hour = "winter"
        for at, (elder, (defended, fed, worth)) in enumerate(zip(self.main, ends, strict=True)):
            other = villages[1 - at]
            self._trained[elder] = sum(effect(plan.train) for plan in other) / len(other)
            advice = self._advice[elder]
            spent = [f"{tale.name(id)} chose: {PLANS[done[id]].name}" for id in self._folk[elder]]
            self._persuaded += sum(done[id] == advice for id in self._folk[elder])
            raid = "The raiders were beaten." if defended else "The raiders took everything."
            food = "There was enough to eat." if fed else "People went hungry."
            tale.tell(f"{'; '.join(spent)}. {raid} {food}", (elder, *self._folk[elder]))
            tale.tell(f"The other village trained {_much(self._trained[elder])}.", elder)
            tale.pay(elder, worth)

    def _answer_for(self, who: str, question: Question) -> Answer:
        liked = LIKED[self._likes[who]]
        if not question.options:
            return f"I would rather {PLANS[liked].name}, unless you give me a reason."
        elder = next(it for it, folk in self._folk.items() if who in folk)
        named: set[str] = set()
        for speech in reversed(self.tale.said):
            if speech.moment < self._year_began:
                break
            if speech.speaker == elder and who in speech.hearers:
                named |= reasons_in(speech.text)
        advice = self._advice[elder]
        return advice if reasons_needed(PLANS[liked], PLANS[advice]) <= named else liked

    # What is known and measured.

    def _facts(self, seat: str) -> Sequence[float]:
        year = self.tale.clock.count
        if seat not in self.main:
            return (year, self.params.years, self._treaty, *(-1,) * 6)
        defended, fed = self._ends[-1][self.main.index(seat)][:2] if self._ends else (-1, -1)
        liked = [self._likes[id] for id in self._folk[seat]]
        counts = [liked.count(it) for it in LIKED]
        known = (year, self.params.years, self._treaty, int(defended), int(fed))
        return (*known, self._trained[seat], *counts)

    def _yardsticks(self) -> Yardsticks:
        liked = [[PLANS[LIKED[self._likes[id]]] for id in folk] for folk in self._folk.values()]

        def stated(profile: tuple[int, ...]) -> list[float]:
            return [worth for *_, worth in year_worth(liked, treaty=not any(profile))]

        blind = of_stage(stated, [2, 2])  # nobody being convinced
        mean = blind.random
        if self.params.judge:  # who has one verdict, not two
            mean = sum(map(sum, (stated((YES, YES)), stated((NO, NO))))) / (2 * len(self.main))
        one = (_planned_year() if self.params.talk else blind)._replace(random=mean)
        return sum([one] * (len(self._ends) - 1), one)

    def _measures(self) -> dict[str, float]:
        years, elders = len(self._ends), len(self.main)
        flat = [end for year in self._ends for end in year]
        return {
            "treaties": self._treaties / years,
            "defended": sum(end[0] for end in flat) / len(flat),
            "fed": sum(end[1] for end in flat) / len(flat),
            "persuaded": self._persuaded / (years * elders * VILLAGERS),
        }

    def _about(self, seat: str) -> str:
        if seat == "judge":
            return (
                "You hear two elders negotiate and say whether both have stated that they share "
                "the harvest. Go by their own words, and say no if in doubt."
            )
        if seat not in self.main:
            return "You are a villager. Each year you hear your elder and decide how to spend it."
        return (
            "You are the elder of one of two villages, each with two villagers. Each year you "
            "talk with your villagers, then with the other elder, and state whether you share the "
            "harvest; then you give your villagers reasons and recommend a plan. Villagers follow "
            "it only if you have named a reason for all that it asks of them: rest, farming, "
            "training warriors. If the two villages together train too little, raiders take "
            "everything; a village that farms too little goes hungry, unless a treaty holds and "
            "the other farms enough. A little of both is enough. A year in which a village is safe "
            f"and fed is worth the free time in it. "
            f"This goes on for {counted(self.params.years, 'year')}."
        )


@cache
def _planned_year() -> Yardsticks:
    """One year, if every villager does as recommended."""
    choices = [(plan, yes) for plan in PLANS for yes in (True, False)]

    def pay(profile: tuple[int, ...]) -> list[float]:
        picked: list[Any] = [choices[it] for it in profile]
        treaty = all(yes for _, yes in picked)
        return [worth for *_, worth in year_worth([[plan] for plan, _ in picked], treaty=treaty)]

    return of_stage(pay, [len(choices)] * 2)


def _much(trained: float) -> str:
    return "hard" if trained >= 2 * DEFENCE else "enough" if trained >= DEFENCE else "too little"
