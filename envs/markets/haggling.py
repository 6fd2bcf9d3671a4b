"""Haggling: a buyer and a seller take turns to offer, accept or walk away.

What it is
    Alternating-offers bargaining under a deadline with private values, the smallest world in
    which words and money meet. The seller owns one or several goods; each side knows only what
    a good is worth to itself. Either both find a price that leaves each better off, or both get
    nothing.

Seats
    ``buyer`` and ``seller``. One acts at a time; ``opening`` says who moves first.

Observation
    A dictionary: ``values`` (what each good is worth to the buyer, or costs the seller),
    ``on_table`` (1 if there is an offer to accept), ``offer`` (its price per good, -1 for a
    good left out or no offer), ``words`` (the other's words in its latest move),
    ``rounds_left`` (own moves left, this one included), ``opened`` (1 if this seat moved
    first).

Actions
    A dictionary: ``move`` (0 offer, 1 accept, 2 quit), ``price`` (used by an offer: an amount
    from 0 to ``max_price``; with several goods one entry per good, where ``max_price + 1``
    leaves the good out), ``say`` (up to 200 characters for the other to read). ``accept`` is
    legal only while an offer of the other side is on the table; the action mask says so.

Rules
    An offer can be accepted in the very next move only: any other move refuses it. The goods of
    an accepted offer change hands at its prices; goods left out stay with the seller. ``quit``
    ends the match, and so does the deadline, with no deal. A turn without a legal answer is a
    silent pass: it refuses the offer on the table, says nothing, and the clock advances.

Reward
    Paid at a deal, over the goods in it: the buyer earns the sum of value - price, the seller
    the sum of price - cost. Everything else pays 0, so a return can be negative only by a bad
    deal.

End
    Terminates with a deal, when somebody quits, or after ``rounds`` moves of each side.

Words
    ``{"move": "offer", "price": 12, "say": "…"}``, ``{"move": "accept"}``, ``{"move":
    "quit"}``, or plain speech ("offer 12", "$12", "I accept", "no deal"). With several goods,
    prices go by name: ``{"move": "offer", "price": {"lamp": 12, "chair": null}}`` or "lamp 12,
    chair 5". Plain speech is read as a move only; what the other side shall hear must stand in
    ``say``.

Parameters
    See :class:`HagglingParams`. Prices, values and costs are whole units of money.

Metrics
    ``agreement`` (1 if any good changed hands), ``efficiency`` (realised / possible surplus;
    absent when nothing could be gained), ``buyer_share`` (the buyer's part of the realised
    surplus; absent unless that is positive).

Source
    The alternating-offers game of Rubinstein (1982) with a deadline and no discounting, private
    values as in Myerson and Satterthwaite (1983), with talk beside the moves as in the
    bargaining task of Lewis et al. (2017). Rules and code are our own.

Versions
    v0: first version.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces

from gymposium.errors import IllegalAction
from gymposium.types import NOTHING, Action

from ..limits import choice, pair, whole, wholes
from ..world import RuleWorld
from .haggling_words import ACCEPT, GOODS, MOVES, OFFER, HagglingWords
from .money import CHARACTERS, MAX_SAY

SEATS = ("buyer", "seller")


@dataclass(frozen=True)
class HagglingParams:
    """Parameters of ``haggling-v0``; money is in whole units."""

    goods: int = field(
        default=1,
        metadata={"doc": "number of goods on sale", "unit": "goods", "range": (1, len(GOODS))},
    )
    rounds: int = field(
        default=5,
        metadata={"doc": "moves each side has before the deadline", "range": (1, 1000)},
    )
    value_range: tuple[int, int] = field(
        default=(8, 20),
        metadata={"doc": "lowest and highest worth of a good to the buyer", "unit": "money"},
    )
    cost_range: tuple[int, int] = field(
        default=(0, 12),
        metadata={"doc": "lowest and highest cost of a good to the seller", "unit": "money"},
    )
    values: tuple[int, ...] | None = field(
        default=None,
        metadata={"doc": "the buyer's worth of each good; drawn from value_range if not given"},
    )
    costs: tuple[int, ...] | None = field(
        default=None,
        metadata={"doc": "the seller's cost of each good; drawn from cost_range if not given"},
    )
    max_price: int | None = field(
        default=None,
        metadata={
            "doc": "highest price that can be offered; the highest of all values and costs if not "
            "given",
            "unit": "money",
            "range": (1, 1_000_000),
        },
    )
    opening: str = field(
        default="random",
        metadata={"doc": "who moves first", "choices": ("random", *SEATS)},
    )

    def __post_init__(self) -> None:
        world = "haggling-v0"
        whole(world, "goods", self.goods, 1, len(GOODS))
        whole(world, "rounds", self.rounds, 1, 1000)
        choice(world, "opening", self.opening, ("random", *SEATS))
        fixed: dict[str, Any] = {
            "value_range": pair(world, "value_range", self.value_range, 0, 1_000_000),
            "cost_range": pair(world, "cost_range", self.cost_range, 0, 1_000_000),
        }
        for name in ("values", "costs"):
            given = getattr(self, name)
            if given is not None:
                fixed[name] = wholes(world, name, given, self.goods, 0, 1_000_000)
        if self.max_price is not None:
            whole(world, "max_price", self.max_price, 1, 1_000_000)
        for name, value in fixed.items():
            object.__setattr__(self, name, value)

    @property
    def values_within(self) -> tuple[int, int]:
        """Lowest and highest worth of a good to the buyer."""
        return (min(self.values), max(self.values)) if self.values else self.value_range

    @property
    def costs_within(self) -> tuple[int, int]:
        """Lowest and highest cost of a good to the seller."""
        return (min(self.costs), max(self.costs)) if self.costs else self.cost_range

    @property
    def top(self) -> int:
        """The highest price that can be offered."""
        # The ranges count even where secrets are given: else the top would give them away.
        highest = (self.value_range, self.values_within, self.cost_range, self.costs_within)
        return self.max_price or max(1, *(high for _, high in highest))


class Haggling(HagglingWords, RuleWorld):
    """Alternating offers between a buyer and a seller with private values.

    Args:
        **params: the fields of :class:`HagglingParams`.

    Raises:
        UsageError: a parameter is unknown or out of its range.
    """

    id: ClassVar[str] = "haggling-v0"
    turn_based: ClassVar[bool] = True
    kind = "mixed"
    fault_rule = (
        "A turn without a legal answer is a silent pass: it refuses the offer on the table, "
        "makes none, says nothing, and the clock advances."
    )

    def __init__(self, **params: Any) -> None:
        self.params = p = HagglingParams(**params)
        self.horizon = 2 * p.rounds
        (poorest, dearest), (cheapest, costliest) = p.values_within, p.costs_within
        self.return_range = (
            float(p.goods * min(0, poorest - p.top, -costliest)),
            float(p.goods * max(0, dearest, p.top - cheapest)),
        )
        self._nothing = (-1,) * p.goods
        self._clock = -1
        self._seat_all(
            SEATS,
            {seat: self._observation_space() for seat in SEATS},
            {seat: self._action_space() for seat in SEATS},
            roles={seat: seat for seat in SEATS},
        )

    def _observation_space(self) -> spaces.Dict:
        p = self.params
        shape, highest = (p.goods,), max(p.values_within[1], p.costs_within[1], p.top)
        return spaces.Dict(
            {
                "values": spaces.Box(0, highest, shape, np.int64),
                "on_table": spaces.Discrete(2),
                "offer": spaces.Box(-1, p.top, shape, np.int64),
                "words": spaces.Text(MAX_SAY, min_length=0, charset=CHARACTERS),
                "rounds_left": spaces.Discrete(p.rounds + 1),
                "opened": spaces.Discrete(2),
            }
        )

    def _action_space(self) -> spaces.Dict:
        p = self.params
        price: spaces.Space[Any] = spaces.Discrete(p.top + 1)
        if p.goods > 1:
            price = spaces.MultiDiscrete([p.top + 2] * p.goods)
        return spaces.Dict(
            {
                "move": spaces.Discrete(len(MOVES)),
                "price": price,
                "say": spaces.Text(MAX_SAY, min_length=0, charset=CHARACTERS),
            }
        )

    # Rules.

    def _begin(self, rng: np.random.Generator) -> None:
        p = self.params
        # Everything is drawn whether or not it is given: equal seeds stay comparable.
        values = rng.integers(p.value_range[0], p.value_range[1] + 1, p.goods).tolist()
        costs = rng.integers(p.cost_range[0], p.cost_range[1] + 1, p.goods).tolist()
        opener = int(rng.integers(2))
        self._secrets = (p.values or tuple(values), p.costs or tuple(costs))
        self._opener = opener if p.opening == "random" else SEATS.index(p.opening)
        self._clock = 0
        self._offer: tuple[int, ...] | None = None
        self._deal: tuple[int, ...] | None = None
        self._said = ""
        self._last_mover = -1
        self._closing = ""  # "deal" or "quit" once one of them ended the match
        self._moves: list[tuple[int, str, str]] = []

    def _mover(self) -> int:
        return (self._opener + self._clock) % 2

    def _actors(self) -> tuple[str, ...]:
        return (SEATS[self._mover()],)

    def _play(self, actions: Mapping[str, Action]) -> Mapping[str, float]:
        mover = self._mover()
        action = actions[SEATS[mover]]
        rewards = {"buyer": 0.0, "seller": 0.0}
        self._clock += 1
        self._last_mover = mover
        if action is None:  # a silent pass refuses, as every other move does
            self._offer, self._said = None, ""
            self._moves.append((mover, "passes", ""))
            return rewards
        move, self._said = int(action["move"]), action["say"]
        if move == OFFER:
            self._offer = self._prices(action["price"])
            told = f"offers {self._listed(self._offer)}"
        elif move == ACCEPT:
            self._closing, told = "deal", "accepts"
            self._deal, self._offer = self._offer, None
            buyer, seller = self._surplus()
            rewards = {"buyer": float(buyer), "seller": float(seller)}
        else:
            self._closing, told, self._offer = "quit", "quits", None
        self._moves.append((mover, told, self._said))
        return rewards

    def _prices(self, price: Any) -> tuple[int, ...]:
        if self.params.goods == 1:
            return (int(price),)
        top = self.params.top
        return tuple(-1 if amount > top else int(amount) for amount in price)

    def _surplus(self) -> tuple[int, int]:
        """What buyer and seller gain by the deal."""
        offer = self._deal or self._nothing
        buyer = sum(
            v - price for v, price in zip(self._secrets[0], offer, strict=True) if price >= 0
        )
        seller = sum(
            price - c for c, price in zip(self._secrets[1], offer, strict=True) if price >= 0
        )
        return buyer, seller

    def _check(self, seat: str, action: Action) -> None:
        if action["move"] == ACCEPT and self._offer is None:
            raise IllegalAction(self.nothing_to_accept)

    def _mask(self, seat: str) -> Any:
        if self._answerable(seat):
            return None
        return {"move": np.array([1, 0, 1], dtype=np.int8), "price": None, "say": None}

    def _info(self, seat: str) -> Mapping[str, Any]:
        mask = self._mask(seat)
        return NOTHING if mask is None else {"action_mask": mask}

    def _answerable(self, seat: str) -> bool:
        """Whether the offer on the table is the other's, so that ``seat`` may accept it."""
        return self._offer is not None and SEATS[self._last_mover] != seat

    def _observe(self, seat: str) -> dict[str, Any]:
        me = SEATS.index(seat)
        heard, opened = self._last_mover == 1 - me, self._opener == me
        offer = self._offer if heard else None
        return {
            "values": np.array(self._secrets[me], dtype=np.int64),
            "on_table": 0 if offer is None else 1,
            "offer": np.array(offer or self._nothing, dtype=np.int64),
            "words": self._said if heard else "",
            "rounds_left": self.params.rounds - (self._clock + opened) // 2,
            "opened": int(opened),
        }

    def _ended(self) -> tuple[bool, bool, str]:
        mover = SEATS[self._last_mover]
        if self._closing == "deal":
            return True, False, f"deal: the {mover} accepted {self._listed(self._deal)}"
        if self._closing:
            return True, False, f"no deal: the {mover} quit"
        if self._clock == self.horizon:
            return True, False, f"no deal within {self.params.rounds} rounds"
        return False, False, ""

    def _state(self) -> bytes:
        state = (
            self._secrets,
            self._opener,
            self._clock,
            self._offer,
            self._deal,
            self._said,
            self._last_mover,
            self._closing,
        )
        return repr(state).encode()

    metric_names = ("agreement", "efficiency", "buyer_share")

    def _metrics(self) -> dict[str, float]:
        possible = sum(max(0, v - c) for v, c in zip(*self._secrets, strict=True))
        agreed = self._closing == "deal" and any(price >= 0 for price in self._deal or ())
        buyer, seller = self._surplus() if agreed else (0, 0)
        metrics = {"agreement": float(agreed)}
        if possible > 0:
            metrics["efficiency"] = (buyer + seller) / possible
        if buyer + seller > 0:
            metrics["buyer_share"] = buyer / (buyer + seller)
        return metrics

    # What a spectator sees.

    def _listed(self, offer: tuple[int, ...] | None) -> str:
        if offer is None:
            return "nothing"
        if len(offer) == 1:
            return str(offer[0])
        pairs = zip(self.goods, offer, strict=True)
        return ", ".join(f"{good} {price}" for good, price in pairs if price >= 0) or "nothing"

    def render(self) -> str:
        """The whole haggle so far, secrets included."""
        if self._clock < 0:
            return "Haggling: not begun."
        lines = [f"Haggling, {self._clock} of {self.horizon} turns taken."]
        for good, value, cost in zip(self.goods, *self._secrets, strict=True):
            lines.append(f"  {good}: worth {value} to the buyer, costs the seller {cost}")
        for mover, told, said in self._moves:
            lines.append(f"{SEATS[mover]:>6} {told}" + (f': "{said}"' if said else ""))
        terminated, _, reason = self._ended()
        if terminated:
            lines.append(f"{reason}." + self._gains())
        return "\n".join(lines)

    def _gains(self) -> str:
        if self._closing != "deal":
            return " Both earn 0."
        buyer, seller = self._surplus()
        return f" The buyer earns {buyer}, the seller {seller}."
