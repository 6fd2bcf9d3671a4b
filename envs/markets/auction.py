"""Sealed-bid auctions: one good a round, private values, and one bid from everybody.

What it is
    The three textbook auctions, repeated with fresh values: the first-price auction (shade your
    bid), the second-price auction (bid your value), and the all-pay auction (a contest: every
    bid is lost). Theory says what good play is in each, so an agent's bids can be read against
    it.

Seats
    ``bidder_0``, ``bidder_1``, … All bid at the same time.

Observation
    A dictionary: ``value`` (what this round's good is worth to the bidder; 0 after the last
    round), ``rounds_left`` (this one included), and of the round before: ``winning_bid`` and
    ``price`` (what the winner paid), both -1 if there was none, and ``won`` (1 if this bidder
    won it).

Actions
    A whole number from 0 to ``max_bid``: the bid.

Rules
    The highest bid wins; ties are broken uniformly at random. The winner pays its own bid
    (``first-price``) or the highest of the other bids, 0 if there is none (``second-price``);
    with ``all-pay`` every bidder pays its bid, winner or not. A turn without a legal answer
    makes no bid: it cannot win and pays nothing. A round without bids sells nothing.

Reward
    Each round the winner earns its value; whoever pays loses the payment.

End
    Terminates after ``rounds`` rounds.

Words
    A number in any dress: ``12``, "$12", "I bid 12.", ``{"bid": 12}``.

Parameters
    See :class:`AuctionParams`. Values are independent and uniform on 0 to ``max_value``, or
    given.

Metrics
    ``efficiency`` (values of the winners / highest values; absent if nothing was worth
    anything), ``highest_value_won`` (share of rounds won by a bidder who valued the good most),
    ``revenue`` (mean over rounds of all payments).

Source
    Vickrey (1961) for the formats and their equilibria, Myerson (1981) for revenue equivalence;
    the equilibrium of the all-pay auction as in Krishna, "Auction Theory". Rules and code are
    our own.

Versions
    v0: first version.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces

from gymposium.errors import IllegalAction, UsageError
from gymposium.types import Action

from .. import speech
from ..limits import choice, whole, wholes
from ..world import RuleWorld
from .money import amounts, money, object_in

FORMATS = ("first-price", "second-price", "all-pay")
_HIGHEST = 1_000_000
_BID = re.compile(r"\b(?:bid(?:ding)?|offer|answer|pay)\b(?P<rest>(?:[^.;!?\n]|\.(?=\d)){0,40})")


@dataclass(frozen=True)
class AuctionParams:
    """Parameters of ``auction-v0``; money is in whole units."""

    format: str = field(
        default="first-price",
        metadata={"doc": "who pays what", "choices": FORMATS},
    )
    bidders: int = field(
        default=3,
        metadata={"doc": "number of bidders", "unit": "seats", "range": (2, 100)},
    )
    rounds: int = field(
        default=5,
        metadata={"doc": "number of auctions, one after the other", "range": (1, 10_000)},
    )
    max_value: int = field(
        default=20,
        metadata={
            "doc": "private values are uniform on 0 to this",
            "unit": "money",
            "range": (1, _HIGHEST),
        },
    )
    max_bid: int | None = field(
        default=None,
        metadata={
            "doc": "highest bid allowed; max_value if not given",
            "unit": "money",
            "range": (1, _HIGHEST),
        },
    )
    values: tuple[Any, ...] | None = field(
        default=None,
        metadata={
            "doc": "values instead of drawn ones: one per bidder, the same in every round, "
            "or a list of such lists, one per round",
            "unit": "money",
        },
    )

    def __post_init__(self) -> None:
        world = "auction-v0"
        choice(world, "format", self.format, FORMATS)
        whole(world, "bidders", self.bidders, 2, 100)
        whole(world, "rounds", self.rounds, 1, 10_000)
        whole(world, "max_value", self.max_value, 1, _HIGHEST)
        if self.max_bid is not None:
            whole(world, "max_bid", self.max_bid, 1, _HIGHEST)
        if self.values is not None:
            object.__setattr__(self, "values", self._given_values(world))

    def _given_values(self, world: str) -> tuple[Any, ...]:
        given = self.values
        if isinstance(given, list | tuple) and given and isinstance(given[0], list | tuple):
            if len(given) != self.rounds:
                raise UsageError(
                    f"{world}: values has {len(given)} rows, but rounds={self.rounds}; "
                    "give one row per round, or a single row for all"
                )
            return tuple(
                wholes(world, f"values[{i}]", row, self.bidders, 0, self.max_value)
                for i, row in enumerate(given)
            )
        return wholes(world, "values", given, self.bidders, 0, self.max_value)

    @property
    def top(self) -> int:
        """The highest bid allowed."""
        return self.max_bid or self.max_value


def settle(format: str, bids: list[int | None], winner: int) -> tuple[int, list[int]]:
    """What a round costs.

    Args:
        format: one of FORMATS.
        bids: by bidder, None for no bid.
        winner: index of the winning bidder.

    Returns:
        The price the winner pays, and the payment of every bidder.
    """
    if format == "all-pay":
        payments = [bid or 0 for bid in bids]
        return payments[winner], payments
    if format == "second-price":
        price = max((bid or 0 for i, bid in enumerate(bids) if i != winner), default=0)
    else:
        price = bids[winner] or 0
    return price, [price if i == winner else 0 for i in range(len(bids))]


class Auction(RuleWorld):
    """Repeated sealed-bid auctions with private values.

    Args:
        **params: the fields of :class:`AuctionParams`.

    Raises:
        UsageError: a parameter is out of its range.
    """

    id: ClassVar[str] = "auction-v0"
    kind = "mixed"
    fault_rule = (
        "A turn without a legal answer makes no bid: it cannot win that round and pays nothing."
    )

    def __init__(self, **params: Any) -> None:
        self.params = p = AuctionParams(**params)
        self.horizon = p.rounds
        self.return_range = (float(-p.rounds * p.top), float(p.rounds * p.max_value))
        ids = tuple(f"bidder_{i}" for i in range(p.bidders))
        self._ids = ids
        self._values: list[list[int]] | None = None
        self._seat_all(
            ids,
            {seat: self._observation_space() for seat in ids},
            {seat: spaces.Discrete(p.top + 1) for seat in ids},
            roles=dict.fromkeys(ids, "bidder"),
        )

    def _observation_space(self) -> spaces.Dict:
        p = self.params
        return spaces.Dict(
            {
                "value": spaces.Discrete(p.max_value + 1),
                "rounds_left": spaces.Discrete(p.rounds + 1),
                "winning_bid": spaces.Discrete(p.top + 2, start=-1),
                "price": spaces.Discrete(p.top + 2, start=-1),
                "won": spaces.Discrete(2),
            }
        )

    # Rules.

    def _begin(self, rng: np.random.Generator) -> None:
        p = self.params
        # All luck is drawn at once, so that it does not depend on the bids: equal seeds give
        # different bidders the same goods, and nobody gains by disturbing later ties.
        drawn = rng.integers(p.max_value + 1, size=(p.rounds, p.bidders)).tolist()
        self._luck = rng.random((p.rounds, p.bidders)).tolist()
        if p.values is not None:
            rows = p.values if isinstance(p.values[0], tuple) else (p.values,) * p.rounds
            drawn = [list(row) for row in rows]
        self._values = drawn
        self._round = 0
        self._last = (-1, -1, -1)  # winner, winning bid, price
        self._history: list[tuple[tuple[int | None, ...], int, int]] = []
        self._won = self._best = self._paid = 0.0
        self._topped = 0
        # Values and luck never change: their digest stands for them in every fingerprint.
        self._key = blake2b(repr((drawn, self._luck)).encode(), digest_size=16).digest()

    def _actors(self) -> tuple[str, ...]:
        return self._ids

    def _play(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        values = self._row()
        bids = [None if actions[seat] is None else int(actions[seat]) for seat in self._ids]
        winner = self._winner(bids)
        rewards = dict.fromkeys(self._ids, 0.0)
        price = -1
        if winner >= 0:
            price, payments = settle(self.params.format, bids, winner)
            for i, seat in enumerate(self._ids):
                rewards[seat] = float((values[i] if i == winner else 0) - payments[i])
            self._paid += sum(payments)
            self._won += values[winner]
            self._topped += values[winner] == max(values)
        self._best += max(values)
        self._last = (winner, -1 if winner < 0 else bids[winner] or 0, price)
        self._history.append((tuple(bids), winner, price))
        self._round += 1
        return rewards

    def _row(self) -> list[int]:
        rows = self._values or []
        return rows[self._round] if self._round < len(rows) else [0] * self.params.bidders

    def _winner(self, bids: list[int | None]) -> int:
        """Index of the winner, -1 if nobody bids."""
        best, leaders = -1, []
        for i, bid in enumerate(bids):
            if bid is None or bid < best:
                continue
            if bid > best:
                best, leaders = bid, [i]
            else:
                leaders.append(i)
        if len(leaders) > 1:  # the greatest of independent draws is anybody's with equal chance
            return max(leaders, key=self._luck[self._round].__getitem__)
        return leaders[0] if leaders else -1

    def _observe(self, seat: str) -> dict[str, int]:
        me = self._ids.index(seat)
        winner, bid, price = self._last
        return {
            "value": self._row()[me],
            "rounds_left": self.params.rounds - self._round,
            "winning_bid": bid,
            "price": price,
            "won": int(winner == me),
        }

    def _info(self, seat: str) -> Mapping[str, Any]:
        return {"format": self.params.format, "bidders": self.params.bidders}

    def _ended(self) -> tuple[bool, bool, str]:
        rounds = self.params.rounds
        over = self._round >= rounds
        return over, False, f"all {rounds} rounds are sold" if over else ""

    def _state(self) -> bytes:
        state = (self._round, self._last, self._paid, self._won, self._best, self._topped)
        return b"%b%b" % (repr(state).encode(), self._key)

    metric_names = ("revenue", "highest_value_won", "efficiency")

    def _metrics(self) -> dict[str, float]:
        rounds = self.params.rounds
        metrics = {"revenue": self._paid / rounds, "highest_value_won": self._topped / rounds}
        if self._best > 0:
            metrics["efficiency"] = self._won / self._best
        return metrics

    # Words.

    def rules(self, seat: str) -> str:
        """All that a newcomer in ``seat`` must know to play."""
        p = self.params
        others = "1 other bidder" if p.bidders == 2 else f"{p.bidders - 1} other bidders"
        payment = {
            "first-price": "The highest bid wins the good and pays its own bid; the others pay "
            "nothing. If you win you earn your value minus your bid.",
            "second-price": "The highest bid wins the good and pays the second highest bid; the "
            "others pay nothing. If you win you earn your value minus that price.",
            "all-pay": "The highest bid wins the good, but every bidder pays its own bid, winner "
            "or not. You earn your value if you win, minus your bid in any case.",
        }[p.format]
        drawn = (
            "Your value for it is told to you alone."
            if p.values is not None
            else f"Your value for it is told to you alone; every bidder's is drawn anew each "
            f"round, any whole number from 0 to {p.max_value} being equally likely."
        )
        return (
            f"You are {seat} in a sealed-bid auction against {others}. There are {p.rounds} "
            f"rounds; each round one good is sold. {drawn}\n"
            f"All bid at the same time, without seeing the other bids. {payment} "
            "Ties are broken at random.\n"
            f"Answer with your bid, a whole number from 0 to {p.top}."
        )

    def describe(self, seat: str, observation: Any, info: Mapping[str, Any]) -> str:
        """The observation as ``seat`` is told it: the last round, then this one."""
        rounds, left = self.params.rounds, int(observation["rounds_left"])
        told = []
        if left < rounds:
            bid, price = int(observation["winning_bid"]), int(observation["price"])
            if bid < 0:
                told.append("Last round: nobody bid, nothing was sold.")
            else:
                who = "you won" if observation["won"] else "you did not win"
                told.append(f"Last round: {who}; the winning bid was {bid}, the price {price}.")
        if left:
            value = int(observation["value"])
            told.append("This is the last round." if left == 1 else f"Rounds left: {left}.")
            told.append(f"The good on sale now is worth {value} to you.")
        else:
            told.append("The auction is over.")
        return "\n".join(told)

    def parse(self, seat: str, text: str, observation: Any, info: Mapping[str, Any]) -> Action:
        """The bid that ``text`` means, as JSON or in plain speech.

        Raises:
            IllegalAction: it names no bid, several, or one that is not allowed.
        """
        top = self.params.top
        found = object_in(text)
        if found is not None:
            named = {str(key).strip().lower(): value for key, value in found.items()}
            for key in ("bid", "action", "amount", "price", "offer", "answer", "value"):
                if key in named:
                    value = named[key]
                    if isinstance(value, dict):
                        value = value.get("bid")
                    return money(value, what="the bid", top=top)
        said = speech.clean(text).lower()
        bids = {x for match in _BID.finditer(said) for x in amounts(match["rest"])[:1]}
        for candidates in (bids, set(amounts(said))):
            if len(candidates) == 1:
                return money(candidates.pop(), what="the bid", top=top)
        raise IllegalAction(f"the bid cannot be read: answer with one whole number from 0 to {top}")

    # What a spectator sees.

    def render(self) -> str:
        """All rounds so far, with values and bids of everybody."""
        if self._values is None:
            return "Auction: not begun."
        p = self.params
        lines = [f"{p.format} auction, {self._round} of {p.rounds} rounds sold."]
        for i, (bids, winner, price) in enumerate(self._history):
            columns = ", ".join(
                f"{seat} {'-' if bid is None else bid} (worth {value})"
                for seat, bid, value in zip(self._ids, bids, self._values[i], strict=True)
            )
            sold = f"{self._ids[winner]} wins at {price}" if winner >= 0 else "not sold"
            lines.append(f"  round {i + 1}: {columns}: {sold}")
        if self._round < p.rounds:
            values = ", ".join(map(str, self._row()))
            lines.append(f"  round {self._round + 1}: worth {values}; bids are awaited")
        return "\n".join(lines)
