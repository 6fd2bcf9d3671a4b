"""Robust value iteration for two players: RTZ-VI-LCB and what it is compared with.

Algorithm 2 of Li et al., Sample-Efficient Tabular Self-Play for Offline Robust Reinforcement
Learning (NeurIPS 2025): backwards through the steps, each player's stage game is built from the
worst kernel in its own uncertainty set, and solved. ``max`` fears the infimum of the value within
its radius, ``min`` the supremum within its own, so that there are two values, V+ and V-.

Three modes. ``paper`` is the published one: V+ carries the bonus and V- the penalty, and the
policies are max's of V- and min's of V+. ``pess`` gives each player a lower bound on its own worst
case: max plays V+ with the penalty, min plays V- with the bonus (derived; the direction that makes
it a guarantee). Both solve zero-sum stage games. ``bimatrix`` solves the general-sum stage game of
the two, with pess's penalties, and carries both values on: with a known kernel that is an exact
robust Nash equilibrium. Where both radii are 0, all three are Nash value iteration.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from gymposium.errors import UnknownName

from ....envs.markov_games.stage_games import solve_general_sum, solve_zero_sum
from ....envs.markov_games.uncertainty import DIVERGENCES, best, check_radius, worst
from ...offline.records import Policies
from .model import Model, Penalty

Array: TypeAlias = np.ndarray[Any, Any]
Mode = Literal["paper", "pess", "bimatrix"]
MODES = ("paper", "pess", "bimatrix")


@dataclass(frozen=True, eq=False)
class Doubt:
    """How far from the known kernel either player thinks the world may be.

    Attributes:
        max, min: radius of each player's set, >= 0; numbers, or arrays ``[S, A, B]``.
        divergence: ``tv``, ``kl`` or ``chi2``.
    """

    max: Any = 0.0
    min: Any = 0.0
    divergence: str = "tv"

    def __post_init__(self) -> None:
        check_radius(self.max, "radius of max")
        check_radius(self.min, "radius of min")
        if self.divergence not in DIVERGENCES:
            raise UnknownName("divergence", str(self.divergence), DIVERGENCES, where="doubt")

    def low(self, transitions: Array, value: Array, slack: Any = None) -> Array:
        """The infimum that ``max`` fears, ``[S, A, B]``; ``slack`` is added to the radius."""
        radius = self.max if slack is None else self.max + slack
        return worst(transitions, value, radius, self.divergence)

    def high(self, transitions: Array, value: Array, slack: Any = None) -> Array:
        """The supremum that ``min`` fears; as :meth:`low`."""
        radius = self.min if slack is None else self.min + slack
        return best(transitions, value, radius, self.divergence)


def both(radius: Any, divergence: str = "tv") -> Doubt:
    """The same radius for either player."""
    return Doubt(radius, radius, divergence)


class Solution(NamedTuple):
    """What value iteration found.

    Attributes:
        policies: of either player.
        plus, minus: float64 ``[H + 1, S]``: V+ (the infimum's) and V- (the supremum's); in
            ``paper`` they are no bounds of each other once a radius is above 0.
    """

    policies: Policies
    plus: Array
    minus: Array


def solve(
    model: Model,
    doubt: Doubt,
    penalty: Penalty | None = None,
    *,
    mode: str = "paper",
    clip: Literal["horizon", "remaining"] = "horizon",
) -> Solution:
    """Robust value iteration.

    Args:
        model: what is known.
        doubt: the uncertainty sets.
        penalty: mistrust of estimates; default: none.
        mode: ``paper``, ``pess`` or ``bimatrix``.
        clip: values are kept in [0, H], or in [0, steps that remain].

    Raises:
        UnknownName: another mode.
    """
    if mode not in MODES:
        raise UnknownName("mode", str(mode), MODES, where="robust value iteration")
    beta = penalty or Penalty(0.0)
    states, rows, columns = model.shape
    horizon = model.horizon
    plus, minus = np.zeros((horizon + 1, states)), np.zeros((horizon + 1, states))
    row, column = np.empty((horizon, states, rows)), np.empty((horizon, states, columns))
    sign = 1.0 if mode == "paper" else -1.0
    for step in reversed(range(horizon)):
        kernel, rewards, counts, slack = model.at(step)
        up, down = plus[step + 1], minus[step + 1]
        top = float(horizon if clip == "horizon" else horizon - step)
        low = rewards + doubt.low(kernel, up, slack) + sign * beta(kernel, counts, up, horizon)
        high = (
            rewards + doubt.high(kernel, down, slack) - sign * beta(kernel, counts, down, horizon)
        )
        low, high = np.clip(low, 0.0, top), np.clip(high, 0.0, top)
        if mode == "bimatrix":
            made = solve_general_sum(low, -high)
            plus[step], minus[step] = made.value, -made.other
            row[step], column[step] = made.row, made.column
            continue
        first, second = solve_zero_sum(low), solve_zero_sum(high)
        plus[step], minus[step] = first.value, second.value
        mine, yours = (second, first) if mode == "paper" else (first, second)
        row[step], column[step] = mine.row, yours.column
    return Solution(Policies(row, column), plus, minus)
