"""The kernels of Gift: tokens that are worth more to the next who holds them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..grid.beams import draw_beam, erase_beams, first_hit, reach
from ..grid.cache import kernel, part
from ..grid.movement import ZAP, begin_match, occupied, resolve, turn_and_aim
from ..grid.rng import skip
from ..grid.state import (
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

TOKEN, SPAWN, HOLDS = 3, 4, 4
"""Item codes; ``HOLDS`` + bits is held by who has raw (1), refined (2), twice refined (4)."""
LEVELS = 3
CONSUME = 8
EVENT_GAVE, EVENT_GOT = 0, 1
# Columns of ``State.stock``.
GIFTS, CONSUMED = range(2)


class GiftRules(NamedTuple):
    """Gift's numbers, as the kernels take them.

    Attributes:
        conduct: moving.
        inverse_log: ``1 / log(1 - p)`` for the chance p of a token per empty cell; 0 if none comes.
        cooldown: steps between two gifts of one seat.
        multiplier: how many a gift below the highest level becomes.
        capacity: most of one level that a seat can hold.
    """

    conduct: Conduct
    inverse_log: float
    cooldown: int
    multiplier: int
    capacity: int


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
        _move_and_pick(state, rules, e, n, desk.target)
        for i in range(n):
            if actions[e, i] == CONSUME:
                _consume(state, e, i, rewards)
        _give(state, layout, rules, actions, e, n, desk)
        for i in range(n):
            held = 0
            for level in range(LEVELS):
                if state.carried[e, i, level]:
                    held |= 1 << level
            state.holding[e, i] = HOLDS + held if held else 0
        end_step(state, rewards, e, n)
        if len(desk.seen):
            see(state, layout, e, n, desk)
        erase_beams(state, e, desk)


@part
def _grow(state: Any, layout: Any, rules: Any, e: int, n: int) -> None:
    if rules.inverse_log == 0.0:
        return
    count, at = len(layout.sites), -1.0
    while True:
        at += 1.0 + skip(state.rng, e, rules.inverse_log)
        if at >= count:
            return
        site = layout.sites[np.int64(at)]
        if state.grid[e, site] == EMPTY and not occupied(state.cell, e, n, site):
            state.grid[e, site] = TOKEN


@part
def _move_and_pick(state: Any, rules: Any, e: int, n: int, target: Any) -> None:
    for i in range(n):
        place = target[i]
        state.cell[e, i] = place
        if state.grid[e, place] == TOKEN and state.carried[e, i, 0] < rules.capacity:
            state.grid[e, place] = EMPTY
            state.carried[e, i, 0] += 1
            state.events[e, i, EVENT_COLLECTED] = 1
            state.tally[e, i, COLLECTED] += 1
            state.flags[e, i] |= FLAG_COLLECTED


@part
def _consume(state: Any, e: int, i: int, rewards: Any) -> None:
    for level in range(LEVELS):
        earn(rewards, e, i, float(state.carried[e, i, level]))
        state.stock[e, CONSUMED] += state.carried[e, i, level]
        state.carried[e, i, level] = 0


@part
def _give(state: Any, layout: Any, rules: Any, actions: Any, e: int, n: int, desk: Any) -> None:
    """All gifts of the step: who gives and who has room is judged before any is handed over."""
    # ``rank`` holds what each seat gives (its receiver times levels plus the level), or -1.
    gift = desk.rank
    for i in range(n):
        gift[i] = -1
        if state.cool[e, i, 0] > 0:
            state.cool[e, i, 0] -= 1
        elif actions[e, i] == ZAP:
            state.cool[e, i, 0] = rules.cooldown
            state.flags[e, i] |= FLAG_ZAPS
            count = reach(state, layout, e, i, desk)
            other = first_hit(state, e, i, n, desk.lit, count)
            draw_beam(state, layout, e, count, BEAM, desk)
            level = 0
            while level < LEVELS and state.carried[e, i, level] == 0:
                level += 1
            if other >= 0 and level < LEVELS:
                becomes = min(level + 1, LEVELS - 1)
                if state.carried[e, other, becomes] < rules.capacity:
                    gift[i] = other * LEVELS + level
    for i in range(n):
        if gift[i] >= 0:
            state.carried[e, i, gift[i] % LEVELS] -= 1
            state.events[e, i, EVENT_GAVE] = 1
            state.stock[e, GIFTS] += 1
    for i in range(n):
        if gift[i] < 0:
            continue
        other, level = gift[i] // LEVELS, gift[i] % LEVELS
        becomes = min(level + 1, LEVELS - 1)
        more = rules.multiplier if becomes > level else 1
        total = state.carried[e, other, becomes] + more
        state.carried[e, other, becomes] = min(total, rules.capacity)
        state.events[e, other, EVENT_GOT] += 1
        state.flags[e, other] |= FLAG_SPECIAL
