"""The kernels of Coins: coins of the seats' colours, and who took whose."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..grid.cache import kernel, part
from ..grid.movement import begin_match, occupied, resolve, turn_and_aim
from ..grid.rng import uniform
from ..grid.state import COLLECTED, EMPTY, EVENT_COLLECTED, FLAG_COLLECTED, FLAG_SPECIAL, Conduct
from ..grid.tallies import clear_step, earn, end_step
from ..grid.views import see

SPAWN, COIN = 2, 3
"""Item codes; the coin of seat k is ``COIN + k``."""
EVENT_LOST, EVENT_FOREIGN = 0, 1
# Columns of ``State.stock``.
OWN, FOREIGN, COINS, COINS_SUM = range(4)


class CoinsRules(NamedTuple):
    """Coins' numbers, as the kernels take them.

    Attributes:
        conduct: moving.
        inverse_log: ``1 / log(1 - p)`` for the chance of a coin per empty cell; 0 if none comes.
        no_coin: the chance that a step brings none on any cell.
        colours: float64 ``[A]``, cumulative chances of the colours.
        gain, loss: rewards of taking a coin and of losing one's own to another.
    """

    conduct: Conduct
    inverse_log: float
    no_coin: float
    colours: Any
    gain: float
    loss: float


@kernel
def reset(state: Any, layout: Any, rules: Any, seeds: Any, which: Any, desk: Any) -> None:
    """Begin the matches in ``which``, each from its seed, and write what seats see."""
    n = state.cell.shape[1]
    for e in range(len(which)):
        if which[e]:
            begin_match(state, layout, e, n, seeds[e])
            see(state, layout, e, n, desk)


@kernel
def step(
    state: Any,
    layout: Any,
    rules: Any,
    actions: Any,
    idle: Any,
    rewards: Any,
    desk: Any,
    low: int,
    high: int,
) -> None:
    """Play one step of the matches from ``low`` to ``high`` that are not ``idle``."""
    n = state.cell.shape[1]
    for e in range(low, high):
        if idle[e]:
            continue
        clear_step(state, e, n)
        _grow(state, layout, rules, e, n)
        if turn_and_aim(state, layout, rules.conduct, actions, e, desk):
            resolve(state, e, n, desk)
        _move_and_take(state, rules, e, n, desk.target, rewards)
        state.stock[e, COINS_SUM] += state.stock[e, COINS]
        end_step(state, rewards, e, n)
        if len(desk.seen):
            see(state, layout, e, n, desk)


@part
def _grow(state: Any, layout: Any, rules: Any, e: int, n: int) -> None:
    """Let coins appear on empty cells, each by its own chance, then draw their colours."""
    if rules.inverse_log == 0.0:
        return
    drawn = uniform(state.rng, e)
    if drawn < rules.no_coin:  # the usual case, without a logarithm
        return
    count = len(layout.sites)
    at = np.floor(np.log(drawn) * rules.inverse_log)
    while at < count:
        site = layout.sites[np.int64(at)]
        if state.grid[e, site] == EMPTY and not occupied(state.cell, e, n, site):
            colour, drawn = 0, uniform(state.rng, e)
            while drawn > rules.colours[colour]:
                colour += 1
            state.grid[e, site] = COIN + colour
            state.stock[e, COINS] += 1
        at += 1.0 + np.floor(np.log(uniform(state.rng, e)) * rules.inverse_log)


@part
def _move_and_take(state: Any, rules: Any, e: int, n: int, target: Any, rewards: Any) -> None:
    for i in range(n):
        place = target[i]
        state.cell[e, i] = place
        owner = np.int64(state.grid[e, place]) - COIN
        if owner < 0:
            continue
        state.grid[e, place] = EMPTY
        state.stock[e, COINS] -= 1
        state.events[e, i, EVENT_COLLECTED] = 1
        state.tally[e, i, COLLECTED] += 1
        state.flags[e, i] |= FLAG_COLLECTED
        earn(rewards, e, i, rules.gain)
        if owner == i:
            state.stock[e, OWN] += 1
        else:
            state.stock[e, FOREIGN] += 1
            state.events[e, i, EVENT_FOREIGN] = 1
            state.events[e, owner, EVENT_LOST] += 1
            state.flags[e, i] |= FLAG_SPECIAL
            earn(rewards, e, owner, rules.loss)
