"""What cooperating, defecting, reciprocating and punishing mean in each text world.

A part is played by what a seat is in its world. Parts read the numbers among what the seat was told
(``facts``), as a person would remember them, and of words only the names they need to speak.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, ClassVar, NamedTuple

from gymposium.types import Seat

from ....envs.text_worlds import (
    labor_action,
    pub_coordination,
    reality_show,
    state_formation,
    text_haggling,
)

Facts = Mapping[str, float]
Seen = Mapping[str, Any]


class Spirit(Enum):
    """How a bot means to play."""

    COOPERATE = "cooperate"
    DEFECT = "defect"
    RECIPROCATE = "reciprocate"
    PUNISH = "punish"


class Part:
    """Base of the parts."""

    names: ClassVar[Sequence[str]] = ()

    def __init__(self, spirit: Spirit, seat: Seat) -> None:
        self.spirit = spirit
        self.seat = seat
        self._angry = False

    def look(self, seen: Seen) -> Facts:
        """The facts by name."""
        return dict(zip(self.names, seen["facts"].tolist(), strict=True))

    def say(self, facts: Facts, seen: Seen) -> str:
        """What to say."""
        return ""

    def choose(self, facts: Facts, seen: Seen) -> int:
        """What to choose."""
        return 0

    def kind(self, *, failed: bool) -> bool:
        """Whether to cooperate now, given whether most others failed to the last time."""
        if self.spirit in (Spirit.COOPERATE, Spirit.DEFECT):
            return self.spirit is Spirit.COOPERATE
        self._angry = failed or (self._angry and self.spirit is Spirit.PUNISH)
        return not self._angry


class Patron(Part):
    """Pub coordination: to cooperate is to go where most want to, and to warn of closed doors."""

    names = pub_coordination.FACTS

    def say(self, facts: Facts, seen: Seen) -> str:
        """A proposal; a defector names what it likes and keeps what it knows to itself."""
        names = seen["knows"].partition("The pubs: ")[2].partition(".")[0].split("; ")
        proposed = self._proposal(facts)
        self._said = proposed
        closed = int(facts["closed"])
        if closed >= 0 and self._kind(facts):
            return f"{names[closed]} is closed tonight. Let us all go to {names[proposed]}."
        return f"Let us all go to {names[proposed]}."

    _said = -1

    def choose(self, facts: Facts, seen: Seen) -> int:
        """Where most spoke of going, oneself included."""
        if not self._kind(facts):
            return self._liked(facts)
        votes = self._numbers(facts, "named")
        if self._said >= 0:
            votes[self._said] += 1
        return self._best(facts, votes)

    def _kind(self, facts: Facts) -> bool:
        went = self._numbers(facts, "went")
        scattered = facts["night"] > 1 and 2 * max(went) <= sum(went)
        return self.kind(failed=scattered)

    def _proposal(self, facts: Facts) -> int:
        if not self._kind(facts):
            return self._liked(facts)
        named = self._numbers(facts, "named")
        return self._best(facts, named) if any(named) else self._liked(facts)

    def _liked(self, facts: Facts) -> int:
        liked, closed = int(facts["favourite"]), int(facts["closed"])
        return liked if liked != closed else self._best(facts, self._numbers(facts, "named"))

    def _best(self, facts: Facts, votes: Sequence[float]) -> int:
        open_ = [pub for pub in range(int(facts["pubs"])) if pub != facts["closed"]]
        return max(open_, key=lambda pub: (votes[pub], -pub))

    def _numbers(self, facts: Facts, name: str) -> list[float]:
        return [facts[f"{name}_{pub}"] for pub in range(pub_coordination.MOST_PUBS)]


class Deal(NamedTuple):
    """What a trader thinks of a meeting: its side, its own values, what it expects of the other."""

    buys: bool
    own: Sequence[float]
    other: float


class Trader(Part):
    """Haggling: to cooperate is to split the gains, to defect to want nearly all of them."""

    names = text_haggling.FACTS
    _least: ClassVar[Mapping[Spirit, float]] = {
        Spirit.COOPERATE: 0.0,
        Spirit.DEFECT: 0.75,
        Spirit.RECIPROCATE: 0.25,
        Spirit.PUNISH: 0.4,
    }
    """The share of the expected gains below which a seller refuses."""

    def say(self, facts: Facts, seen: Seen) -> str:
        """The price it has in mind."""
        deal = self._deal(facts)
        if deal.buys:
            return f"I think of {self._price(facts, deal, max(deal.own)):g} coins."
        if self.spirit is Spirit.DEFECT:
            return "It is worth a lot more to you than you say."
        return "Let us split what there is to gain."

    def choose(self, facts: Facts, seen: Seen) -> int:
        """An offer, or an answer to one."""
        deal = self._deal(facts)
        if deal.buys:
            best = max(deal.own)
            price = self._price(facts, deal, best)
            return deal.own.index(best) * int(facts["top"]) + price - 1
        cost = deal.own[int(facts["good"])]
        gain, least = facts["price"] - cost, self._least[self.spirit] * (deal.other - cost)
        return text_haggling.ACCEPT if gain >= max(0.0, least) else 1 - text_haggling.ACCEPT

    def _deal(self, facts: Facts) -> Deal:
        own = [facts[f"value_{good}"] for good in text_haggling.GOODS]
        own = [value for value in own if value >= 0]
        return Deal(facts["buys"] == 1, own, (facts["low"] + facts["high"]) / 2)

    def _price(self, facts: Facts, deal: Deal, value: float) -> int:
        half_way = -(-(value + deal.other) // 2)  # rounded up
        wanted = facts["low"] if self.spirit is Spirit.DEFECT else half_way
        return int(min(max(1, min(wanted, value)), facts["top"]))


class Worker(Part):
    """Labour: to cooperate is to strike while a raise is worth more than the days it costs."""

    names = labor_action.FACTS
    _wasted = 0
    _day = 0.0

    def say(self, facts: Facts, seen: Seen) -> str:
        """A call to strike, or to work."""
        if self._strikes(facts):
            return "Tomorrow we all join the strike. If enough of us do, he must raise wages."
        return "I go to work tomorrow."

    def choose(self, facts: Facts, seen: Seen) -> int:
        """Strike or work."""
        return labor_action.STRIKE if self._strikes(facts) else labor_action.WORK

    def _strikes(self, facts: Facts) -> bool:
        others = facts["strikers"] - facts["own"]
        began = facts["strikers"] >= 0
        if began and facts["day"] > self._day:
            self._day = facts["day"]
            enough = facts["strikers"] >= facts["needed"] and not facts["raised"]
            self._wasted += bool(enough)
        alone = began and not facts["raised"] and 2 * others < facts["workers"] - 1
        left = facts["days"] - facts["day"]
        worth = left > 1 if facts["raised"] and facts["compounds"] else left > 0
        open_ = not facts["raised"] or facts["compounds"]
        # A boss who has twice let a full strike pass will not give in.
        return self.kind(failed=alone) and bool(open_) and worth and self._wasted < 2


class Candidate(Part):
    """The reality show: cooperate or defect."""

    names = reality_show.FACTS

    def say(self, facts: Facts, seen: Seen) -> str:
        """A promise; a defector's is as good as any."""
        return "If we all stand together, all of us win."

    def choose(self, facts: Facts, seen: Seen) -> int:
        """The first option is the cooperative one."""
        others = facts["cooperators"] - facts["own"]
        failed = facts["round"] > 0 and 2 * others < facts["people"] - 1
        return 0 if self.kind(failed=failed) else 1


class Elder(Part):
    """State formation: to cooperate is to share, and to have one's village train its part."""

    names = state_formation.FACTS

    def say(self, facts: Facts, seen: Seen) -> str:
        """Reasons for all that a village can do."""
        if self._kind(facts):
            return "We share. We need warriors against the raiders, food from the fields, and rest."
        return "Let others train warriors. We need food from the fields, and rest."

    def choose(self, facts: Facts, seen: Seen) -> int:
        """The treaty, or the plan to recommend."""
        kind = self._kind(facts)
        if len(seen["options"].split("\n")) == len(state_formation.PLANS):
            return self._plan("farm and train a little" if kind else "farm a little")
        return state_formation.YES if kind else state_formation.NO

    def _kind(self, facts: Facts) -> bool:
        left_alone = 0 <= facts["other_trained"] < state_formation.DEFENCE
        return self.kind(failed=left_alone)

    def _plan(self, name: str) -> int:
        return [plan.name for plan in state_formation.PLANS].index(name)


# Supporting people, where they have seats: they do their part, whatever the spirit.


class StubbornFriend(Patron):
    """Always goes to the favourite pub."""

    def kind(self, *, failed: bool) -> bool:
        """Never."""
        return False


class Merchant(Trader):
    """Takes anything and offers three coins, or deals at four only: as the rules tell it."""

    def say(self, facts: Facts, seen: Seen) -> str:
        """Its price."""
        return f"My price is {self._fixed()} coins."

    def choose(self, facts: Facts, seen: Seen) -> int:
        """An offer at its price, or an answer."""
        deal, price = self._deal(facts), self._fixed()
        if deal.buys:
            return deal.own.index(max(deal.own)) * int(facts["top"]) + price - 1
        taken = price == text_haggling.GULLIBLE_PRICE or facts["price"] == price
        return text_haggling.ACCEPT if taken else 1 - text_haggling.ACCEPT

    def _fixed(self) -> int:
        gullible = "accept every offer" in self.seat.rules
        return text_haggling.GULLIBLE_PRICE if gullible else text_haggling.STUBBORN_PRICE


class Boss(Part):
    """Raises wages when the pressure is high."""

    names = labor_action.FACTS

    def choose(self, facts: Facts, seen: Seen) -> int:
        """Raise or hold."""
        high = facts["own"] == labor_action.HIGH
        return labor_action.RAISE if high else labor_action.HOLD


class Villager(Part):
    """Does as the elder recommends."""

    names = state_formation.FACTS

    def say(self, facts: Facts, seen: Seen) -> str:
        """Assent."""
        return "I will do as you say."

    def choose(self, facts: Facts, seen: Seen) -> int:
        """The plan recommended last; the first one if there is none."""
        advice = re.findall(r"recommends: ([^.\n]+)\.", seen["news"])
        plans = seen["options"].split("\n")
        return plans.index(advice[-1]) if advice and advice[-1] in plans else 0


class Judge(Part):
    """Says that there is a treaty if nothing in the latest two statements denies it."""

    names = state_formation.FACTS

    def choose(self, facts: Facts, seen: Seen) -> int:
        """Yes or no."""
        said = re.findall(r'^[^:\n]+: "(.*)"$', seen["news"], re.M)[-2:]
        agreed = len(said) == 2 and all(
            re.search(r"\b(yes|we share|agree)", it, re.I) for it in said
        )
        denied = any(re.search(r"\b(no|not|never|refuse|let others)\b", it, re.I) for it in said)
        return 0 if agreed and not denied else 1


PARTS: Mapping[str, type[Part]] = {
    "patron": Patron,
    "stubborn friend": StubbornFriend,
    "trader": Trader,
    "merchant": Merchant,
    "worker": Worker,
    "boss": Boss,
    "candidate": Candidate,
    "elder": Elder,
    "villager": Villager,
    "judge": Judge,
}
