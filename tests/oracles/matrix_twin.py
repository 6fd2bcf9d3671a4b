"""Iterated matrix games in plain Python, and equilibria by brute force; no code of the world."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

T, R, P, S = 5, 3, 1, 0
TABLES = {
    "prisoners-dilemma": {(0, 0): (R, R), (0, 1): (S, T), (1, 0): (T, S), (1, 1): (P, P)},
    "stag-hunt": {(0, 0): (4, 4), (0, 1): (0, 3), (1, 0): (3, 0), (1, 1): (3, 3)},
    "chicken": {(0, 0): (3, 3), (0, 1): (1, 4), (1, 0): (4, 1), (1, 1): (0, 0)},
    "battle-of-the-sexes": {(0, 0): (3, 2), (0, 1): (0, 0), (1, 0): (0, 0), (1, 1): (2, 3)},
    "matching-pennies": {(0, 0): (1, -1), (0, 1): (-1, 1), (1, 0): (-1, 1), (1, 1): (1, -1)},
}


def public_goods(moves, multiplier):
    """Everyone's payoff, each having one unit to keep (1) or to give (0)."""
    pot = Fraction(multiplier).limit_denominator(1000) * sum(1 - move for move in moves)
    return tuple(pot / len(moves) + move for move in moves)


def round_payoffs(pay, moves, lowest):
    """Payoffs of one round in which None is a missing answer."""
    pays = list(pay(tuple(0 if move is None else move for move in moves)))
    return [lowest if move is None else pays[seat] for seat, move in enumerate(moves)]


def pure_equilibria(pay, counts):
    """Every profile from which no seat gains by deviating alone."""
    return [
        profile
        for profile in product(*map(range, counts))
        if all(
            pay((*profile[:seat], other, *profile[seat + 1 :]))[seat] <= pay(profile)[seat]
            for seat, count in enumerate(counts)
            for other in range(count)
        )
    ]


def strictly_dominant(pay, counts, seat):
    """The action of a seat that is strictly best whatever the others do, or None."""
    others = [range(count) for position, count in enumerate(counts) if position != seat]

    def gain(action, rest):
        return pay((*rest[:seat], action, *rest[seat:]))[seat]

    for action in range(counts[seat]):
        if all(
            gain(action, rest) > gain(other, rest)
            for rest in product(*others)
            for other in range(counts[seat])
            if other != action
        ):
            return action
    return None


def mixed_equilibrium(pay):
    """The inner mixed equilibrium of a two-by-two game: each seat's chance of its first action.

    Each seat mixes such that the other is indifferent between both actions.
    """

    def first_chance(payoff):
        # p * a + (1 - p) * b = p * c + (1 - p) * d for the other's two actions
        a, b, c, d = (Fraction(value) for value in payoff)
        return (d - b) / (a - b - c + d)

    row = first_chance([pay((0, 0))[1], pay((1, 0))[1], pay((0, 1))[1], pay((1, 1))[1]])
    column = first_chance([pay((0, 0))[0], pay((0, 1))[0], pay((1, 0))[0], pay((1, 1))[0]])
    return row, column
