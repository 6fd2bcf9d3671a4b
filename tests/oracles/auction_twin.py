"""Sealed-bid auctions in plain Python and exact arithmetic; shares no code with the world."""

from __future__ import annotations

from fractions import Fraction
from math import comb


def winners(bids):
    """The bidders who may win: all with the highest bid."""
    made = [bid for bid in bids if bid is not None]
    return [i for i, bid in enumerate(bids) if made and bid == max(made)]


def payoffs(format, values, bids, winner):
    """Every bidder's payoff if ``winner`` (None: nobody) gets the good."""
    gains = []
    for i, (value, bid) in enumerate(zip(values, bids, strict=True)):
        rivals = [b for j, b in enumerate(bids) if j != i and b is not None]
        pays = {
            "first-price": bid if i == winner else 0,
            "second-price": max(rivals, default=0) if i == winner else 0,
            "all-pay": bid,
        }[format]
        gains.append((value if i == winner else 0) - (pays or 0))
    return gains


def first_price_payoff(value, bid, rivals, strategy, max_value) -> Fraction:
    """Exact expected payoff of ``bid`` against ``rivals`` who bid ``strategy(uniform value)``."""
    bids = [strategy(v) for v in range(max_value + 1)]
    below = Fraction(sum(b < bid for b in bids), max_value + 1)
    equal = Fraction(sum(b == bid for b in bids), max_value + 1)
    wins = sum(
        comb(rivals, k) * equal**k * below ** (rivals - k) / (k + 1) for k in range(rivals + 1)
    )
    return (value - bid) * wins
