"""The kernels of Coop Mining: iron for one, gold for several who mine at nearly the same time."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..grid.beams import draw_beam, erase_beams, reach
from ..grid.cache import kernel, part
from ..grid.movement import ZAP, begin_match, occupied, resolve, shuffle, turn_and_aim
from ..grid.rng import skip, uniform
from ..grid.state import BEAM, COLLECTED, EVENT_COLLECTED, FLAG_COLLECTED, FLAG_ZAPS, Conduct
from ..grid.tallies import clear_step, earn, end_step
from ..grid.views import see

ORE_SITE, IRON, GOLD, STRUCK, SPAWN = range(3, 8)
ITEMS = (
    "empty",
    "wall",
    "mining beam",
    "rock",
    "iron ore",
    "gold ore",
    "struck gold ore",
    "spawn point",
)
EVENT_IRON, EVENT_GOLD = 0, 1
# Columns of ``State.stock``.
STRUCK_NOW, IRON_SUM, GOLD_SUM = range(3)


class CoopMiningRules(NamedTuple):
    """Coop Mining's numbers, as the kernels take them.

    Attributes:
        conduct: moving.
        cooldown: steps between two strokes of one seat.
        inverse_log: ``1 / log(1 - p)`` for the chance p of any ore on a bare site; 0 if none.
        iron_share: how much of p is iron.
        miners: how many must strike a piece of gold.
        most: more than so many lose it.
        window: within how many steps.
        iron, gold: the rewards.
    """

    conduct: Conduct
    cooldown: int
    inverse_log: float
    iron_share: float
    miners: int
    most: int
    window: int
    iron: float
    gold: float


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
        for i in range(n):
            state.cell[e, i] = desk.target[i]
        _expire(state, layout, e)
        _mine(state, layout, rules, actions, e, n, rewards, desk)
        end_step(state, rewards, e, n)
        if len(desk.seen):
            see(state, layout, e, n, desk)
        erase_beams(state, e, desk)


@part
def _grow(state: Any, layout: Any, rules: Any, e: int, n: int) -> None:
    """Let ore appear on bare sites, each by its own chance, then draw which."""
    if rules.inverse_log == 0.0:
        return
    count, at = len(layout.sites), -1.0
    while True:
        at += 1.0 + skip(state.rng, e, rules.inverse_log)
        if at >= count:
            return
        site = layout.sites[np.int64(at)]
        if state.grid[e, site] == ORE_SITE and not occupied(state.cell, e, n, site):
            state.grid[e, site] = IRON if uniform(state.rng, e) <= rules.iron_share else GOLD


@part
def _expire(state: Any, layout: Any, e: int) -> None:
    """Struck gold whose time is over is whole again, its miners forgotten."""
    if state.stock[e, STRUCK_NOW] == 0:
        return
    count = len(layout.sites)
    for k in range(count):
        if state.extra[e, count + k] > 0:
            state.extra[e, count + k] -= 1
            if state.extra[e, count + k] == 0:
                state.extra[e, k] = 0
                state.grid[e, layout.sites[k]] = GOLD
                state.stock[e, STRUCK_NOW] -= 1


@part
def _mine(
    state: Any, layout: Any, rules: Any, actions: Any, e: int, n: int, rewards: Any, desk: Any
) -> None:
    """All strokes of the step fall in a random order of the seats."""
    shuffled = False
    for k in range(n):
        if actions[e, k] == ZAP and not shuffled:
            shuffled = True
            shuffle(state.rng, e, n, desk.rank)
    for k in range(n):
        i = desk.rank[k] if shuffled else k
        if state.cool[e, i, 0] > 0:
            state.cool[e, i, 0] -= 1
        elif actions[e, i] == ZAP:
            state.cool[e, i, 0] = rules.cooldown
            state.flags[e, i] |= FLAG_ZAPS
            _strike(state, layout, rules, e, i, n, rewards, desk)
    if shuffled and state.stock[e, STRUCK_NOW] > 0:
        _finish(state, layout, rules, e, n, rewards)


@part
def _strike(
    state: Any, layout: Any, rules: Any, e: int, i: int, n: int, rewards: Any, desk: Any
) -> None:
    count = reach(state, layout, e, i, desk)
    for k in range(count):
        there = desk.lit[k]
        if there < 0:
            break
        ore = state.grid[e, there]
        if ore < IRON or ore > STRUCK:
            continue
        for after in range(k + 1, count):  # the beam ends at the ore
            desk.lit[after] = -1
        site = layout.index[there]
        if ore == IRON:
            state.grid[e, there] = ORE_SITE
            state.stock[e, IRON_SUM] += 1
            _extract(state, e, i, EVENT_IRON, rules.iron, rewards)
        else:
            if ore == GOLD:
                state.grid[e, there] = STRUCK
                state.stock[e, STRUCK_NOW] += 1
                state.extra[e, len(layout.sites) + site] = rules.window
            state.extra[e, site] |= np.int64(1) << i
        break
    draw_beam(state, layout, e, count, BEAM, desk)


@part
def _extract(state: Any, e: int, i: int, event: int, reward: float, rewards: Any) -> None:
    state.events[e, i, event] += 1
    state.events[e, i, EVENT_COLLECTED] += 1
    state.tally[e, i, COLLECTED] += 1
    state.flags[e, i] |= FLAG_COLLECTED
    earn(rewards, e, i, reward)


@part
def _finish(state: Any, layout: Any, rules: Any, e: int, n: int, rewards: Any) -> None:
    """After all strokes: enough distinct miners get the gold, too many lose it."""
    count = len(layout.sites)
    for k in range(count):
        if state.extra[e, count + k] == 0:
            continue
        miners = 0
        for i in range(n):
            miners += (state.extra[e, k] >> i) & 1
        if miners < rules.miners:
            continue
        state.grid[e, layout.sites[k]] = GOLD
        if miners <= rules.most:
            state.grid[e, layout.sites[k]] = ORE_SITE
            state.stock[e, GOLD_SUM] += 1
            for i in range(n):
                if (state.extra[e, k] >> i) & 1:
                    _extract(state, e, i, EVENT_GOLD, rules.gold, rewards)
        state.extra[e, k] = 0
        state.extra[e, count + k] = 0
        state.stock[e, STRUCK_NOW] -= 1
