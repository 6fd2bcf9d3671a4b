"""Every grid world plays, step by step, as its twin in plain Python does."""

from __future__ import annotations

import numpy as np
import pytest

from gymposium.envs import registry

from ...oracles import grid_twin


def twin_of(world):
    p, rows = world.params, world.game.grid.rows
    conduct = (
        getattr(p, "zap", "off"),
        getattr(p, "zap_steps", 0),
        getattr(p, "zap_cooldown", 0),
        p.moves == "egocentric",
    )
    shared = {
        "agents": p.agents,
        "actions": world.game.actions,
        "conduct": conduct,
        "beam": (getattr(p, "beam", "short"), getattr(p, "beam_length", 3)),
    }
    if world.id.startswith("clean_up"):
        numbers = {
            "clean_cooldown": p.clean_cooldown,
            "growth": p.growth_max,
            "rate": p.dirt_rate,
            "delay": p.dirt_delay,
        }
        return grid_twin.CleanUpTwin(rows, **numbers, **shared)
    if world.id.startswith("harvest"):
        return grid_twin.HarvestTwin(rows, regrowth=p.regrowth, **shared)
    return grid_twin.CoinsTwin(rows, rate=p.rate, weights=p.colour_probs, **shared)


CLEAN = "hdhdhdhd\n.rr#rr..\n..S.S.S.\n.aaaaaa.\naaaaaaaa\n"
CASES = {
    "clean up": ("clean_up-v0", {}, 400),
    "clean up, crowded and clean": (
        "clean_up-v0",
        {
            "map": CLEAN.replace("d", "h").replace("..S.S.S.", "SSSSSSSS"),
            "agents": 8,
            "dirt_delay": 5,
            "growth_max": 0.3,
        },
        1500,
    ),
    "clean up, time-outs and own steps": (
        "clean_up-v0",
        {
            "map": CLEAN,
            "agents": 3,
            "zap": "timeout",
            "zap_steps": 7,
            "zap_cooldown": 2,
            "clean_cooldown": 1,
            "beam": "wide",
            "moves": "egocentric",
            "dirt_rate": 0.2,
        },
        1500,
    ),
    "harvest": ("harvest-v0", {}, 400),
    "harvest, closed, hungry": (
        "harvest-v0",
        {"map": "harvest_closed", "agents": 12, "regrowth": (0.0, 0.1, 0.2, 0.4), "zap": "off"},
        600,
    ),
    "harvest, mini": ("harvest-v0", {"map": "harvest_mini", "agents": 4}, 1500),
    "coins": ("coins-v0", {}, 1000),
    "coins, three on a small field": (
        "coins-v0",
        {"map": "ccccc\ncSScc\nccScc\nccccc", "agents": 3, "colour_probs": (7, 1, 1), "rate": 0.1},
        2000,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_world_plays_as_its_twin_does(case):
    id, params, steps = CASES[case]
    world = registry.make_world(id, horizon=steps + 1, **params)
    twin, names = twin_of(world), None
    seats = world.possible_seats
    world.reset(20 + len(case))
    twin.reset(20 + len(case))
    names = list(twin.names)
    rng = np.random.default_rng(1)
    for step in range(steps):
        chosen = rng.integers(0, len(world.game.actions), len(seats)).tolist()
        turns = world.step(dict(zip(seats, chosen, strict=True)))
        twin.step(chosen)
        assert [world.rewards[seat] for seat in seats] == twin.rewards, step
        for i, seat in enumerate(seats):
            for name in ("zapped", "cleaned"):
                if name in turns[seat].info:
                    assert turns[seat].info[name] == twin.events[i][name], (step, seat, name)
            if step % 5 == 0 or twin.rewards[i]:
                seen = np.array(twin.view(i, names))
                assert np.array_equal(turns[seat].observation, seen), (step, seat)
