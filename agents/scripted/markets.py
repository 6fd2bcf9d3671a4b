"""Bots for the markets: bargainers that concede over time, and bidders that follow the textbook.

The bargainers are the time-dependent and the tit-for-tat tactics of Faratin, Sierra and Jennings
(1998): how far a bot has come from its opening price to its limit is ``t ** (1 / beta)``, where t
is the part of its turns that is over; ``beta`` below 1 holds out (boulware), above 1 gives in early
(conceder). None ever offers or accepts a deal at a loss. The bidders play the symmetric equilibria
for uniform values (Vickrey 1961), rounded down to whole money.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from gymposium.errors import UsageError
from gymposium.types import Action, Seat, Turn

from ...envs.markets.haggling_words import ACCEPT, OFFER, QUIT

HAGGLING = ("haggling-v0",)
AUCTION = ("auction-v0",)
_EPSILON = 1e-9  # so that the last bit of a power does not decide over a unit of money


class Bargainer(ABC):
    """Base of the haggling bots: knows its limit, its gains and how to say a price.

    Args:
        margin: the least gain per good that it insists on, in money.
    """

    worlds: ClassVar[tuple[str, ...]] = HAGGLING
    deterministic: ClassVar[bool] = True

    def __init__(self, margin: int = 0) -> None:
        if margin < 0:
            raise UsageError(f"a bargainer's margin={margin!r} must be 0 or more")
        self.margin = margin

    def reset(self, seat: Seat, seed: int) -> None:
        """Learn which side this is, how long it may take and how high prices go."""
        try:
            price = seat.action_space["price"]  # type: ignore[index]
        except (KeyError, TypeError):
            raise UsageError(
                f"{type(self).__name__} plays haggling-v0 only; seat {seat.id!r} is another world's"
            ) from None
        self.buys = seat.role == "buyer"
        self.rounds = (seat.horizon or 2) // 2
        self.several = hasattr(price, "nvec")
        self.top = int(price.nvec[0]) - 2 if self.several else int(price.n) - 1

    def act(self, turn: Turn) -> Action:
        """Accept what is no worse than the own next offer, else make that."""
        seen = turn.observation
        own = [int(value) for value in seen["values"]]
        limits = [self._limit(value) for value in own]
        prices = self._prices(limits, seen)
        if seen["on_table"]:
            gain = self._gain(own, [int(price) for price in seen["offer"]])
            if gain >= max(self._gain(own, prices), 0) or self._last_chance(seen, gain):
                return self._say(ACCEPT, [0] * len(own), "Agreed.")
        if all(price < 0 for price in prices):
            return self._say(QUIT, [0] * len(own), "There is nothing here for me.")
        return self._say(OFFER, prices, self._words(prices))

    @abstractmethod
    def _prices(self, limits: list[int], seen: Any) -> list[int]:
        """The next own offer, by good; -1 leaves a good out."""

    def _last_chance(self, seen: Any, gain: int) -> bool:
        """Whether this is the last move of all, and accepting gains something."""
        least = max(1, self.margin)
        return bool(gain >= least and seen["rounds_left"] == 1 and not seen["opened"])

    def _limit(self, value: int) -> int:
        """The price at which a good is just worth dealing; -1 if there is none."""
        if self.buys:
            return max(value - self.margin, -1)
        limit = value + self.margin
        return limit if limit <= self.top else -1

    def _at(self, limit: int, concession: float) -> int:
        """The price ``concession`` (0 to 1) of the way from the extreme to ``limit``."""
        if limit < 0:
            return -1
        if self.buys:
            return math.floor(min(limit, self.top) * concession + _EPSILON)
        return self.top - math.floor((self.top - limit) * concession + _EPSILON)

    def _gain(self, own: list[int], prices: list[int]) -> int:
        gain = sum(value - price for value, price in zip(own, prices, strict=True) if price >= 0)
        return gain if self.buys else -gain

    def _words(self, prices: list[int]) -> str:
        if self.several:
            return "That is my offer."
        return f"I can pay {prices[0]}." if self.buys else f"It is yours for {prices[0]}."

    def _say(self, move: int, prices: list[int], words: str) -> dict[str, Any]:
        price: Any = prices[0]
        if self.several:
            listed = [self.top + 1 if amount < 0 else amount for amount in prices]
            price = np.array(listed, dtype=np.int64)
        return {"move": move, "price": price, "say": words}


class LinearBargainer(Bargainer):
    """Concedes in equal steps from the extreme price to its limit.

    Args:
        beta: how early it gives in: 1 in equal steps, less holds out, more yields.
        margin: the least gain per good that it insists on.
    """

    name: ClassVar[str] = "linear_bargainer"
    summary: ClassVar[str] = "Concedes in equal steps from the extreme price to its limit."

    def __init__(self, beta: float = 1.0, margin: int = 0) -> None:
        super().__init__(margin)
        if not beta > 0:
            raise UsageError(f"a bargainer's beta={beta!r} must be above 0")
        self.beta = beta

    def _prices(self, limits: list[int], seen: Any) -> list[int]:
        gone = self.rounds - int(seen["rounds_left"])
        time = gone / (self.rounds - 1) if self.rounds > 1 else 1.0
        concession = time ** (1 / self.beta)
        return [self._at(limit, concession) for limit in limits]


class BoulwareBargainer(LinearBargainer):
    """Holds out until shortly before the deadline, then concedes."""

    name: ClassVar[str] = "boulware_bargainer"
    summary: ClassVar[str] = "Holds out until shortly before the deadline, then concedes."

    def __init__(self, beta: float = 0.2, margin: int = 0) -> None:
        super().__init__(beta, margin)


class ConcederBargainer(LinearBargainer):
    """Goes most of the way to its limit in its first moves."""

    name: ClassVar[str] = "conceder_bargainer"
    summary: ClassVar[str] = "Goes most of the way to its limit in its first moves."

    def __init__(self, beta: float = 3.0, margin: int = 0) -> None:
        super().__init__(beta, margin)


class FirmBargainer(Bargainer):
    """Names one price and stands by it.

    Args:
        concession: how far its price lies from the extreme (0) to its limit (1).
        margin: the least gain per good that it insists on.
    """

    name: ClassVar[str] = "firm_bargainer"
    summary: ClassVar[str] = "Names one price and stands by it; takes any gain in the last move."

    def __init__(self, concession: float = 0.5, margin: int = 0) -> None:
        super().__init__(margin)
        if not 0 <= concession <= 1:
            raise UsageError(f"firm_bargainer: concession={concession!r} must be from 0 to 1")
        self.concession = concession

    def _prices(self, limits: list[int], seen: Any) -> list[int]:
        return [self._at(limit, self.concession) for limit in limits]


class ReciprocalBargainer(Bargainer):
    """Concedes as much as the other side has, and at least one unit a turn (tit for tat)."""

    name: ClassVar[str] = "reciprocal_bargainer"
    summary: ClassVar[str] = "Concedes as much as the other side, and at least one unit a turn."

    def reset(self, seat: Seat, seed: int) -> None:
        """Forget the other's opening offer."""
        super().reset(seat, seed)
        self._first: list[int] = []
        self._latest: list[int] = []

    def _prices(self, limits: list[int], seen: Any) -> list[int]:
        if seen["on_table"]:
            self._latest = [int(price) for price in seen["offer"]]
            self._first = self._first or self._latest
        prices = []
        for i, limit in enumerate(limits):
            step = self.rounds - int(seen["rounds_left"])  # or two of this kind never meet
            if self._first and self._first[i] >= 0 and self._latest[i] >= 0:
                moved = self._latest[i] - self._first[i]
                step = max(step, -moved if self.buys else moved)
            price = self._at(limit, 0.0)
            if limit >= 0:
                price = min(limit, self.top, step) if self.buys else max(limit, self.top - step)
            prices.append(price)
        return prices


class Bidder(ABC):
    """Base of the auction bots: bids a function of its value, within what is allowed."""

    worlds: ClassVar[tuple[str, ...]] = AUCTION
    deterministic: ClassVar[bool] = True

    def reset(self, seat: Seat, seed: int) -> None:
        """Learn how high bids and values go."""
        try:
            self.max_value = int(seat.observation_space["value"].n) - 1  # type: ignore[index]
            self.max_bid = int(seat.action_space.n) - 1  # type: ignore[attr-defined]
        except (KeyError, TypeError, AttributeError):
            raise UsageError(
                f"{type(self).__name__} plays auction-v0 only; seat {seat.id!r} is another world's"
            ) from None

    def act(self, turn: Turn) -> Action:
        """The bid, rounded down."""
        bid = self._bid(int(turn.observation["value"]), turn.info)
        return min(self.max_bid, math.floor(bid + _EPSILON))

    @abstractmethod
    def _bid(self, value: int, info: Any) -> float:
        """The bid for a good worth ``value``, before it is rounded down."""


class TruthfulBidder(Bidder):
    """Bids what the good is worth to it."""

    name: ClassVar[str] = "truthful_bidder"
    summary: ClassVar[str] = "Bids its value: best in a second-price auction, whatever others do."

    def _bid(self, value: int, info: Any) -> float:
        return value


class ShadedBidder(Bidder):
    """Bids a fixed part of its value.

    Args:
        shade: the part, from 0 to 1; (n - 1) / n with n bidders if not given, which is the
            equilibrium of the first-price auction.
    """

    name: ClassVar[str] = "shaded_bidder"
    summary: ClassVar[str] = (
        "Bids (n-1)/n of its value: the equilibrium of the first-price auction."
    )

    def __init__(self, shade: float | None = None) -> None:
        if shade is not None and not 0 <= shade <= 1:
            raise UsageError(f"shaded_bidder: shade={shade!r} must be from 0 to 1")
        self.shade = shade

    def _bid(self, value: int, info: Any) -> float:
        bidders = int(info["bidders"])
        return value * ((bidders - 1) / bidders if self.shade is None else self.shade)


class EquilibriumBidder(Bidder):
    """Plays the symmetric equilibrium of the auction at hand, for uniform values."""

    name: ClassVar[str] = "equilibrium_bidder"
    summary: ClassVar[str] = "Plays the symmetric equilibrium of whichever auction this is."

    def _bid(self, value: int, info: Any) -> float:
        bidders = int(info["bidders"])
        if info["format"] == "second-price":
            return value
        if info["format"] == "first-price":
            return value * (bidders - 1) / bidders
        share: float = (value / self.max_value) ** (bidders - 1)
        return value * share * (bidders - 1) / bidders


BOTS: dict[str, type] = {
    bot.name: bot
    for bot in (
        LinearBargainer,
        BoulwareBargainer,
        ConcederBargainer,
        FirmBargainer,
        ReciprocalBargainer,
        TruthfulBidder,
        ShadedBidder,
        EquilibriumBidder,
    )
}
