"""Haggling in words: every two traders of a market meet, talk, and one makes the other an offer.

What it is
    Traders meet two by two, in drawn roles. They talk, then the buyer offers a price, which the
    seller takes or leaves. Each knows only what the goods are worth to himself. Some partners take
    anything; some deal at one price only. Concordia Contest's family of bargains.

Seats
    ``player_0`` … : the traders who are scored. With ``partner`` one more trader is in the market,
    played by the rules or, with ``supporting="seat"``, by seat ``merchant``.

Observation
    See :mod:`.text_world`. ``facts``: ``buys`` (1 if one buys now, 0 if one sells, -1 if one
    looks on), ``value_apple`` … (what each good is worth to the buyer, or costs the seller; -1
    unknown), ``price`` and ``good`` of the offer on the table (-1 none), ``top`` (highest price),
    ``low`` and ``high`` (between which the other side's values are drawn), ``deals`` (done so far).

Actions
    Speech; for the buyer a price (``3 coins``; with several goods ``apple for 3 coins``), for the
    seller ``accept`` or ``reject``.

Rules
    Every two traders meet ``games`` times, the buyer being drawn each time. The buyer's value and
    the seller's cost of each good are drawn from ``values`` and ``costs``. A deal at price ``p``
    pays the buyer ``value - p`` and the seller ``p - cost``; a refused offer pays nothing. Only the
    two hear what is said. A ``gullible`` merchant accepts everything and offers 3 coins, a
    ``stubborn`` one deals at exactly 4.

Reward
    The sum over all deals, at the end (with ``dense`` after each).

End
    After the last meeting.

Words
    Names and market towns are drawn from the seed.

Parameters
    See :class:`TextHagglingParams`.

Metrics
    ``agreement`` (share of meetings with a deal), ``efficiency`` (gains made of gains possible
    between scored traders; absent where there were none), ``welfare``, and the yardsticks
    ``optimum_return``, ``nash_return`` (buyers who know the distribution of costs make the best
    single offer, sellers take what does not lose) ``random_return`` and
    ``worst_return``.

Source
    Smith et al., Evaluating Generalization Capabilities of LLM-Based Agents in Mixed-Motive
    Scenarios Using Concordia (2025). Words and code are our own.

Versions
    v0: first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import ClassVar, NamedTuple

from ..limits import choice, pair, whole
from .facts import Question, words_of
from .tale import Answer, Story, Tale
from .text_words import counted
from .text_world import TextWorld, TextWorldParams
from .yardsticks import Yardsticks

GOODS = ("apple", "banana", "pear")
FACTS = (
    *("buys", *(f"value_{good}" for good in GOODS)),
    *("price", "good", "top", "low", "high", "deals"),
)
PARTNERS = ("none", "gullible", "stubborn")
MERCHANT = "merchant"
GULLIBLE_PRICE, STUBBORN_PRICE = 3, 4
ACCEPT = 0


@dataclass(frozen=True, kw_only=True)
class TextHagglingParams(TextWorldParams):
    """Parameters of ``text_haggling-v0``; money is in whole coins."""

    players: int = field(default=3, metadata={"doc": "traders scored", "range": (1, 8)})
    partner: str = field(
        default="none", metadata={"doc": "a further trader, not scored", "choices": PARTNERS}
    )
    goods: int = field(default=1, metadata={"doc": "goods to deal in", "range": (1, len(GOODS))})
    games: int = field(default=2, metadata={"doc": "meetings of each pair", "range": (1, 50)})
    values: tuple[int, int] = field(
        default=(5, 6), metadata={"doc": "lowest and highest worth to a buyer", "unit": "coins"}
    )
    costs: tuple[int, int] = field(
        default=(1, 2), metadata={"doc": "lowest and highest cost to a seller", "unit": "coins"}
    )
    top: int = field(
        default=5, metadata={"doc": "highest price", "unit": "coins", "range": (4, 20)}
    )

    world: ClassVar[str] = "text_haggling-v0"

    def __post_init__(self) -> None:
        super().__post_init__()
        choice(self.world, "partner", self.partner, PARTNERS)
        whole(self.world, "players", self.players, 1 if self.partner != "none" else 2, 8)
        whole(self.world, "goods", self.goods, 1, len(GOODS))
        whole(self.world, "games", self.games, 1, 50)
        whole(self.world, "top", self.top, 4, 20)
        for name in ("values", "costs"):
            object.__setattr__(self, name, pair(self.world, name, getattr(self, name), 0, 100))


class Meeting(NamedTuple):
    """Two traders at a stall: what each good is worth to the buyer, and costs the seller."""

    buyer: str
    seller: str
    values: tuple[int, ...]
    costs: tuple[int, ...]


def best_offer(values: Sequence[int], costs: tuple[int, int], top: int) -> tuple[int, int]:
    """The offer with the highest expected profit, of those the cheapest: (good, price).

    Args:
        values: of each good to the buyer.
        costs: between which the seller's are drawn, evenly.
        top: the highest price.
    """
    low, high = costs

    def profit(good: int, price: int) -> float:
        taken = min(max(0, price - low + 1), high - low + 1) / (high - low + 1)
        return (values[good] - price) * taken

    offers = [(good, price) for good in range(len(values)) for price in range(1, top + 1)]
    return max(offers, key=lambda it: (profit(*it), -it[1], -it[0]))


class TextHaggling(TextWorld):
    """Traders meet in pairs, talk, and make one offer.

    Args:
        **params: the fields of :class:`TextHagglingParams`.

    Raises:
        UsageError: a parameter is unknown or out of its range.
    """

    id: ClassVar[str] = "text_haggling-v0"
    turn_based: ClassVar[bool] = True
    params_type = TextHagglingParams
    fact_names = FACTS
    own_metrics = ("agreement", "efficiency")

    def _cast(self) -> dict[str, str]:
        p = self.params
        self.main = tuple(f"player_{index}" for index in range(p.players))
        self._traders = (*self.main, *([MERCHANT] if p.partner != "none" else []))
        self._pairs = list(combinations(self._traders, 2))
        seated = self._traders[p.players :] if p.supporting == "seat" else ()
        self.most_options = p.goods * p.top
        self.horizon = len(self._pairs) * p.games * (2 * p.talk + 2)
        met = p.games * (len(self._traders) - 1)
        worst = min(0, p.values[0] - p.top, 1 - p.costs[1])
        best = max(0, p.values[1] - 1, p.top - p.costs[0])
        self.return_range = (float(met * worst), float(met * best))
        return {**dict.fromkeys(self.main, "trader"), **dict.fromkeys(seated, MERCHANT)}

    def _support(self) -> dict[str, str]:
        return dict.fromkeys(self._traders[len(self.main) :], MERCHANT)

    # The story.

    def _story(self, tale: Tale) -> Story:
        rng, p = tale.rng, self.params
        self._meeting: Meeting | None = None
        self._offer = (-1, -1)
        self._past: list[tuple[Meeting, tuple[int, int] | None]] = []
        town = str(rng.choice(words_of("towns")))
        for id in self._traders:
            tale.people[id].knows = f"You trade fruit in {town}."
        for number in range(p.games):
            for one, other in self._pairs:
                tale.clock.count = number + 1
                swap = bool(rng.integers(2))
                values = rng.integers(p.values[0], p.values[1] + 1, p.goods).tolist()
                costs = rng.integers(p.costs[0], p.costs[1] + 1, p.goods).tolist()
                buyer, seller = (other, one) if swap else (one, other)
                yield from self._meet(tale, Meeting(buyer, seller, tuple(values), tuple(costs)))

    def _meet(self, tale: Tale, meeting: Meeting) -> Story:
        p = self.params
        self._meeting, self._offer = meeting, (-1, -1)
        buyer, seller = meeting.buyer, meeting.seller
        tale.enter("At a fruit stall", (buyer, seller))
        for who, other, does, each in (
            (buyer, seller, "buy from", "A farm will pay you {} for"),
            (seller, buyer, "sell to", "It costs you {} to get"),
        ):
            worth = meeting.values if who == buyer else meeting.costs
            told = [
                f"{each.format(_coins(amount))} one {good}."
                for good, amount in zip(GOODS, worth, strict=False)
            ]
            tale.tell(f"You may {does} {tale.name(other)}. {' '.join(told)}", who)
        yield from tale.talk("What does {name} say to the other?", rounds=p.talk)
        call = "{name} makes one offer. Which?"
        made = yield from tale.choose(call, self._offers(), buyer)
        good, price = divmod(made[buyer], p.top)
        self._offer = (good, price + 1)
        tale.tell(f"{tale.name(buyer)} offers {_coins(price + 1)} for one {GOODS[good]}.")
        taken = yield from tale.choose("What does {name} do?", ("accept", "reject"), seller)
        deal = taken[seller] == ACCEPT
        self._past.append((meeting, self._offer if deal else None))
        tale.tell(f"{tale.name(seller)} {'accepts' if deal else 'rejects'} the offer.")
        self._settle(tale, meeting, self._offer if deal else None)
        self._meeting, self._offer = None, (-1, -1)

    def _settle(self, tale: Tale, meeting: Meeting, deal: tuple[int, int] | None) -> None:
        """Pay both, also after a refusal: that is what a missing answer forfeits."""
        good, price = deal or (0, 0)
        gains = (meeting.values[good] - price, price - meeting.costs[good]) if deal else (0, 0)
        for who, gain in zip((meeting.buyer, meeting.seller), gains, strict=True):
            tale.pay(who, float(gain))

    def _offers(self) -> list[str]:
        prices = [_coins(price) for price in range(1, self.params.top + 1)]
        if self.params.goods == 1:
            return prices
        return [f"{good} for {price}" for good in GOODS[: self.params.goods] for price in prices]

    def _answer_for(self, who: str, question: Question) -> Answer:
        """The merchant's part, by the rule of its kind."""
        gullible, meeting = self.params.partner == "gullible", self._meeting
        price = GULLIBLE_PRICE if gullible else STUBBORN_PRICE
        if not question.options or meeting is None:
            return "Whatever you say." if gullible else f"My price is {_coins(price)}, always."
        if who == meeting.buyer:  # the good it likes best
            good = meeting.values.index(max(meeting.values))
            return good * int(self.params.top) + price - 1
        return ACCEPT if gullible or self._offer[1] == price else 1 - ACCEPT

    # What is known and measured.

    def _facts(self, seat: str) -> Sequence[float]:
        p, now = self.params, self._meeting
        deals = sum(deal is not None and seat in (it.buyer, it.seller) for it, deal in self._past)
        if now is None or seat not in (now.buyer, now.seller):
            return (-1, *(-1,) * len(GOODS), -1, -1, p.top, -1, -1, deals)
        buys = seat == now.buyer
        own = now.values if buys else now.costs
        low, high = p.costs if buys else p.values
        good, price = self._offer
        padded = (*own, *(-1,) * (len(GOODS) - len(own)))
        return (int(buys), *padded, price, good, p.top, low, high, deals)

    def _yardsticks(self) -> Yardsticks:
        found = [self._yardsticks_of(meeting) for meeting, _ in self._past]
        return Yardsticks(*(sum(column) / len(self.main) for column in zip(*found, strict=True)))

    def _yardsticks_of(self, meeting: Meeting) -> Yardsticks:
        """Of one meeting, summed over its scored traders."""
        p = self.params
        scored = [who in self.main for who in (meeting.buyer, meeting.seller)]
        offers = [(good, price) for good in range(p.goods) for price in range(1, p.top + 1)]

        def worth(good: int, price: int) -> float:
            gains = (meeting.values[good] - price, price - meeting.costs[good])
            return float(sum(gain for gain, own in zip(gains, scored, strict=True) if own))

        if all(scored):
            good, price = best_offer(meeting.values, p.costs, p.top)
            taken = price >= meeting.costs[good]
            blind = sum(worth(*offer) for offer in offers) / (2 * len(offers))
            best = max(0.0, *(worth(*offer) for offer in offers))
            worst = min(0.0, *(worth(*offer) for offer in offers))
            return Yardsticks(best, worth(good, price) if taken else 0.0, blind, worst)
        merchant = GULLIBLE_PRICE if p.partner == "gullible" else STUBBORN_PRICE
        if meeting.buyer in self.main:  # the merchant takes everything, or one price
            taken_at = range(1, p.top + 1) if p.partner == "gullible" else (merchant,)
            paid = [worth(*it) if it[1] in taken_at else 0.0 for it in offers]
            return Yardsticks(max(paid), max(paid), sum(paid) / len(paid), min(paid))
        offer = worth(meeting.values.index(max(meeting.values)), merchant)
        return Yardsticks(max(0.0, offer), max(0.0, offer), offer / 2, min(0.0, offer))

    def _measures(self) -> dict[str, float]:
        agreed = [deal is not None for _, deal in self._past]
        made = possible = 0
        for meeting, deal in self._past:
            if MERCHANT not in (meeting.buyer, meeting.seller):
                gains = [v - c for v, c in zip(meeting.values, meeting.costs, strict=True)]
                possible += max(0, *gains)
                made += gains[deal[0]] if deal else 0
        measures = {"agreement": sum(agreed) / len(agreed)}
        return {**measures, "efficiency": made / possible} if possible else measures

    def _about(self, seat: str) -> str:
        p = self.params
        if seat == MERCHANT:
            return {
                "gullible": "As seller you accept every offer; as buyer you offer 3 coins.",
                "stubborn": "You deal at exactly 4 coins, buying or selling, and never otherwise.",
            }[p.partner]
        several = " for one of several fruits" if p.goods > 1 else ""
        return (
            f"You are one of {len(self._traders)} fruit traders. Every two of you meet "
            f"{counted(p.games, 'time')}: you talk, then the buyer makes one offer of 1 to "
            f"{p.top} coins{several}, which the seller accepts or rejects. If it is "
            "accepted, the buyer earns what the fruit is worth to him less the price, the seller "
            "the price less what it cost him; if not, both earn nothing. You want "
            "to earn as much as you can."
        )


def _coins(amount: int) -> str:
    return counted(amount, "coin")
