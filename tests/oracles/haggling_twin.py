"""Haggling in plain Python, told from its whole list of moves; shares no code with the world."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple


class Told(NamedTuple):
    turns: int
    over: bool
    buyer: int
    seller: int
    deal: tuple[int | None, ...] | None


def tell(values, costs, rounds, moves) -> Told:
    """What became of ``moves``: None (no answer), "accept", "quit", or a tuple of prices."""
    for turn, move in enumerate(moves, start=1):
        if move == "quit":
            return Told(turn, True, 0, 0, None)
        if move == "accept":
            deal = moves[turn - 2] if turn > 1 else None
            if not isinstance(deal, tuple):
                raise ValueError("accepted what was not offered")
            sold = [i for i, price in enumerate(deal) if price is not None]
            buyer = sum(values[i] for i in sold) - sum(deal[i] for i in sold)
            seller = sum(deal[i] for i in sold) - sum(costs[i] for i in sold)
            return Told(turn, True, buyer, seller, deal)
    return Told(len(moves), len(moves) >= 2 * rounds, 0, 0, None)


@cache
def equilibrium(value: int, cost: int, top: int, turns: int, buyer_moves: bool, table=None):
    """(buyer, seller) under perfect information; ties go to what the other side prefers."""
    if turns == 0:
        return (0, 0)
    me = 0 if buyer_moves else 1
    ways = [(0, 0)]  # quit
    if table is not None:
        ways.append((value - table, table - cost))
    ways += [
        equilibrium(value, cost, top, turns - 1, not buyer_moves, price) for price in range(top + 1)
    ]
    return max(ways, key=lambda way: (way[me], way[1 - me]))
