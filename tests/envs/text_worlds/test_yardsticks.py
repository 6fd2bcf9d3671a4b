"""Optimum, worst and random return of every family and preset against every way to play."""

from __future__ import annotations

from itertools import product
from math import isnan, prod

import numpy as np
import pytest

from gymposium.envs import registry
from gymposium.envs.text_worlds.reality_show import GAMES
from gymposium.envs.text_worlds.state_formation import PLANS, year_worth
from gymposium.envs.text_worlds.yardsticks import Yardsticks, of_stage

from .telling import options, play

SHORT = {
    "labor_action-v0": {"days": 3, "workers": 2},
    "pub_coordination-v0": {"players": 3, "games": 1},
    "state_formation-v0": {"years": 1},
    "text_haggling-v0": {"players": 2, "games": 1},
}
PRESETS = [
    (id, {**preset, **short, "talk": 0, "supporting": "rule"}
     | ({"players": 1} if "partner" in preset else {}))
    for id, short in SHORT.items()
    for preset in registry.spec(id).presets.values()
]  # fmt: skip
MORE = [
    ("labor_action-v0", {"workers": 1, "days": 4, "boss": "paranoid"}),
    ("labor_action-v0", {"workers": 2, "threshold": 1.0}),
    ("labor_action-v0", {"rules": "v2", "workers": 3, "days": 2}),
    ("pub_coordination-v0", {"friendship": "single", "closure": 0.5, "players": 3, "games": 2}),
    ("text_haggling-v0", {"partner": "gullible", "players": 1, "games": 2}),
    ("text_haggling-v0", {"partner": "gullible", "players": 1, "values": [0, 0], "games": 2}),
    ("text_haggling-v0", {"partner": "stubborn", "players": 1, "goods": 2, "games": 2}),
    ("text_haggling-v0", {"values": [0, 0], "costs": [1, 1], "players": 2}),
]


def every_way(id, seed, params):
    """Mean return of the main seats for every way to choose, its chance, and what is told of it."""

    def leaves(path, chance):
        world, sizes = registry.make_world(id, **params), None
        left = list(path)
        turns = world.reset(seed)
        while turns and sizes is None:
            asked = [seat for seat, turn in turns.items() if options(turn)]
            if asked and not left:
                sizes = [len(options(turns[seat])) for seat in asked]
                break
            chosen = dict(zip(asked, left.pop(0) if asked else (), strict=True))
            turns = world.step({s: {"say": "", "choose": chosen.get(s, 0)} for s in turns})
        if sizes is None:
            earned = [world.outcome.returns[seat] for seat in world.main]
            yield sum(earned) / len(earned), chance, world.yardsticks
            return
        for profile in product(*map(range, sizes)):
            yield from leaves([*path, profile], chance / prod(sizes))

    return list(leaves([], 1.0))


@pytest.mark.parametrize(("id", "params"), PRESETS + [(id, {"talk": 0, **p}) for id, p in MORE])
def test_yardsticks_agree_with_every_way_to_play(id, params):
    for seed in range(2 if id in ("pub_coordination-v0", "text_haggling-v0") else 1):
        found = every_way(id, seed, params)
        told = found[0][2]
        assert all(yards == told for *_, yards in found)  # whatever was chosen
        earned = [mean for mean, *_ in found]
        assert told.optimum == pytest.approx(max(earned))
        assert told.worst == pytest.approx(min(earned))
        assert told.random == pytest.approx(sum(mean * chance for mean, chance, _ in found))
        assert told.worst - 1e-9 <= told.nash <= told.optimum + 1e-9


@pytest.mark.parametrize("game", GAMES)
def test_a_seasons_yardsticks_are_those_of_any_stage_played_all_along(game):
    earned = []
    for profile in product(range(2), repeat=3):
        world = registry.make_world("reality_show-v0", game=game, talk=0)
        play(world, 5, lambda s, t, it=profile: {"say": "", "choose": it[int(s[-1])]})
        earned.append(world.outcome.metrics["welfare"])
    told = world.yardsticks
    assert told.optimum == pytest.approx(max(earned))
    assert told.worst == pytest.approx(min(earned))
    assert told.random == pytest.approx(np.mean(earned))


def test_elders_who_give_every_reason_can_have_all_that_plans_and_a_treaty_give():
    every = [
        np.mean([worth for *_, worth in year_worth([[one], [other]], treaty=treaty)])
        for one, other in product(PLANS, repeat=2)
        for treaty in (True, False)
    ]
    reasons = "We need warriors, and food from the fields, and time to rest."
    best = []
    for plan in range(len(PLANS)):
        world = registry.make_world("state_formation-v0", years=2)

        def answer(seat, turn, plan=plan):
            found = options(turn)
            return {"say": "" if found else reasons, "choose": plan if len(found) > 2 else 0}

        play(world, 0, answer)
        assert world.yardsticks.optimum == pytest.approx(2 * max(every))
        assert world.yardsticks.worst == 2 * min(every) == 0
        best.append(world.outcome.metrics["welfare"])
    alike = [np.mean([w for *_, w in year_worth([[it]] * 2, treaty=True)]) for it in PLANS]
    assert max(best) == pytest.approx(2 * max(alike))


def test_a_stage_without_a_pure_equilibrium_has_none():
    pennies = of_stage(lambda it: (it[0] == it[1], it[0] != it[1]), [2, 2])
    assert isnan(pennies.nash)
    assert pennies._replace(nash=0) == Yardsticks(0.5, 0, 0.5, 0.5)
