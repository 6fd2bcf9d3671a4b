"""What a game is worth: the most and the least all could earn, and selfish and blind play between.

All are returns per main seat, so that scores of different games can be compared: 0 is the least
that all together could earn by legal choices, 1 the most. Supporting people are taken to do as the
rules would have them, also where they have seats.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import NamedTuple


class Yardsticks(NamedTuple):
    """Returns per main seat.

    Attributes:
        optimum: the most that all main seats together can earn, shared out.
        nash: in the pure equilibrium that is worst for all together; NaN where there is none.
        random: expected, when every choice is drawn with equal chances and nothing is said.
        worst: the least that all main seats together can earn, shared out.
    """

    optimum: float
    nash: float
    random: float
    worst: float

    def __add__(self, other: object) -> Yardsticks:
        """Of two games played one after the other."""
        if not isinstance(other, Yardsticks):
            return NotImplemented
        return Yardsticks(*(one + two for one, two in zip(self, other, strict=True)))


NOTHING_AT_STAKE = Yardsticks(0.0, 0.0, 0.0, 0.0)


def of_stage(pay: Callable[[tuple[int, ...]], Sequence[float]], sizes: Sequence[int]) -> Yardsticks:
    """The yardsticks of a game that is played once, by trying every profile.

    Args:
        pay: from everybody's choice to everybody's payoff.
        sizes: how many choices each has.
    """
    profiles = list(product(*map(range, sizes)))
    paid = {profile: pay(profile) for profile in profiles}
    mean = {profile: sum(it) / len(sizes) for profile, it in paid.items()}

    def stable(profile: tuple[int, ...]) -> bool:
        return all(
            paid[(*profile[:who], other, *profile[who + 1 :])][who] <= paid[profile][who] + 1e-12
            for who, size in enumerate(sizes)
            for other in range(size)
        )

    settled = [mean[profile] for profile in profiles if stable(profile)]
    return Yardsticks(
        max(mean.values()),
        min(settled, default=float("nan")),
        sum(mean.values()) / len(profiles),
        min(mean.values()),
    )
