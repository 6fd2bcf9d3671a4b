"""The kernels of Matrix Arena: gathering a strategy, meeting, and being paid by a matrix."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..grid.beams import draw_beam, erase_beams, first_hit, reach
from ..grid.cache import kernel, part
from ..grid.movement import (
    ZAP,
    begin_match,
    come_back,
    occupied,
    resolve,
    shuffle,
    turn_and_aim,
)
from ..grid.rng import below, uniform
from ..grid.state import (
    AWAY,
    BEAM,
    COLLECTED,
    EMPTY,
    EVENT_COLLECTED,
    FLAG_COLLECTED,
    FLAG_SPECIAL,
    FLAG_ZAPS,
    Conduct,
)
from ..grid.tallies import clear_step, earn, end_step
from ..grid.views import see

FIRST, SECOND, SPAWN, NOT_READY, MIXES = 3, 4, 5, 6, 7
"""Item codes; ``MIXES`` + k is held by who has a share of the first resource in the k-th fifth."""
EVENT_MET = 0
# Columns of ``State.stock``.
MEETINGS, SHARES = range(2)
MICRO = 1_000_000
"""Shares are summed in millionths."""


class MatrixArenaRules(NamedTuple):
    """Matrix Arena's numbers, as the kernels take them.

    Attributes:
        conduct: moving; ``zap_steps`` is how long both are away after a meeting.
        payoffs: float64 ``[2, 2]``, the payoff of the row's strategy against the column's.
        kinds: uint8 ``[n]``, item code of each site; 0 is drawn at the start.
        delay: steps after which a resource may come back.
        rate: its chance to do so in a step.
        cooldown: steps between two beams of one seat.
    """

    conduct: Conduct
    payoffs: Any
    kinds: Any
    delay: int
    rate: float
    cooldown: int


@kernel
def reset(state: Any, layout: Any, rules: Any, seeds: Any, which: Any, desk: Any) -> None:
    """Begin the matches in ``which``, each from its seed, and write what seats see."""
    n = state.cell.shape[1]
    count = len(layout.sites)
    for e in range(len(which)):
        if not which[e]:
            continue
        begin_match(state, layout, e, n, seeds[e])
        for k in range(count):
            kind = np.int64(rules.kinds[k])
            if kind == 0:
                kind = FIRST + below(state.rng, e, 2)
            state.extra[e, k] = kind
            state.grid[e, layout.sites[k]] = kind
        for i in range(n):
            _empty_hands(state, e, i)
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
        _regrow(state, layout, rules, e, n)
        come_back(state, layout, e, n)
        if turn_and_aim(state, layout, rules.conduct, actions, e, desk):
            resolve(state, e, n, desk)
        _move_and_gather(state, layout, rules.delay + 1, e, n, desk.target)
        _meet(state, layout, rules, actions, e, n, rewards, desk)
        for i in range(n):
            if state.holding[e, i] != NOT_READY:
                state.flags[e, i] |= FLAG_SPECIAL
        end_step(state, rewards, e, n)
        if len(desk.seen):
            see(state, layout, e, n, desk)
        erase_beams(state, e, desk)


@part
def _empty_hands(state: Any, e: int, i: int) -> None:
    """One of each resource to begin with; not ready to meet."""
    state.carried[e, i, 0] = 1
    state.carried[e, i, 1] = 1
    state.holding[e, i] = NOT_READY


@part
def _regrow(state: Any, layout: Any, rules: Any, e: int, n: int) -> None:
    count = len(layout.sites)
    for k in range(count):
        ready = state.extra[e, count + k]
        if ready == 0 or state.clock[e] < ready or occupied(state.cell, e, n, layout.sites[k]):
            continue
        if uniform(state.rng, e) <= rules.rate:
            state.grid[e, layout.sites[k]] = state.extra[e, k]
            state.extra[e, count + k] = 0


@part
def _move_and_gather(state: Any, layout: Any, delay: int, e: int, n: int, target: Any) -> None:
    for i in range(n):
        place = target[i]
        state.cell[e, i] = place
        if place == AWAY:
            continue
        kind = np.int64(state.grid[e, place])
        if kind in (FIRST, SECOND):
            state.grid[e, place] = EMPTY
            state.extra[e, len(layout.sites) + layout.index[place]] = state.clock[e] + delay
            state.carried[e, i, kind - FIRST] += 1
            first, second = state.carried[e, i, 0], state.carried[e, i, 1]
            state.holding[e, i] = MIXES + min(np.int64(4), 5 * first // (first + second))
            state.events[e, i, EVENT_COLLECTED] = 1
            state.tally[e, i, COLLECTED] += 1
            state.flags[e, i] |= FLAG_COLLECTED


@part
def _meet(
    state: Any, layout: Any, rules: Any, actions: Any, e: int, n: int, rewards: Any, desk: Any
) -> None:
    """Beams in a random order of the seats; nobody meets twice in a step."""
    shuffled = False
    for k in range(n):
        if actions[e, k] == ZAP and not shuffled:
            shuffled = True
            shuffle(state.rng, e, n, desk.rank)
    for k in range(n):
        i = desk.rank[k] if shuffled else k
        if state.cool[e, i, 0] > 0:
            state.cool[e, i, 0] -= 1
        elif actions[e, i] == ZAP and state.cell[e, i] != AWAY:
            state.cool[e, i, 0] = rules.cooldown
            state.flags[e, i] |= FLAG_ZAPS
            count = reach(state, layout, e, i, desk)
            other = first_hit(state, e, i, n, desk.lit, count)
            draw_beam(state, layout, e, count, BEAM, desk)
            ready = state.holding[e, i] != NOT_READY
            if other >= 0 and ready and state.holding[e, other] != NOT_READY:
                _pay(state, rules, e, i, other, rewards)


@part
def _pay(state: Any, rules: Any, e: int, i: int, j: int, rewards: Any) -> None:
    """Both play the mixture that they hold, are paid, lose it and go away."""
    mine = state.carried[e, i, 0] / (state.carried[e, i, 0] + state.carried[e, i, 1])
    theirs = state.carried[e, j, 0] / (state.carried[e, j, 0] + state.carried[e, j, 1])
    m = rules.payoffs
    first = theirs * m[0, 0] + (1.0 - theirs) * m[0, 1]
    second = theirs * m[1, 0] + (1.0 - theirs) * m[1, 1]
    earn(rewards, e, i, mine * first + (1.0 - mine) * second)
    first = mine * m[0, 0] + (1.0 - mine) * m[0, 1]
    second = mine * m[1, 0] + (1.0 - mine) * m[1, 1]
    earn(rewards, e, j, theirs * first + (1.0 - theirs) * second)
    state.stock[e, MEETINGS] += 1
    state.stock[e, SHARES] += np.int64((mine + theirs) * MICRO)
    for k in (i, j):
        state.events[e, k, EVENT_MET] = 1
        _empty_hands(state, e, k)
        state.out[e, k] = rules.conduct.zap_steps
        state.cell[e, k] = AWAY
