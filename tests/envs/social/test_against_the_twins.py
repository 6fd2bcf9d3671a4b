"""Every grid world plays, step by step, as its twin in plain Python does."""

from __future__ import annotations

import numpy as np
import pytest

from gymposium.envs import registry

from ...oracles import grid_twin, grid_twin_more


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
    more = {
        "coop_mining-v0": grid_twin_more.CoopMiningTwin,
        "gift-v0": grid_twin_more.GiftTwin,
        "mushrooms-v0": grid_twin_more.MushroomsTwin,
        "matrix_arena-v0": grid_twin_more.MatrixArenaTwin,
    }
    if world.id in more:
        return more[world.id](rows, p=p, **shared)
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
    "coop mining": (
        "coop_mining-v0",
        {"map": "coop_mining_mini", "agents": 4, "iron_rate": 0.02, "gold_rate": 0.05},
        2000,
    ),
    "coop mining, three at least": (
        "coop_mining-v0",
        {
            "map": "coop_mining_mini",
            "agents": 4,
            "gold_rate": 0.1,
            "min_miners": 3,
            "max_miners": 3,
            "window": 4,
            "cooldown": 1,
            "moves": "egocentric",
        },
        2000,
    ),
    "gift": ("gift-v0", {"map": "gift_mini", "agents": 3, "rate": 0.05, "cooldown": 1}, 2000),
    "gift, small hands": (
        "gift-v0",
        {"map": "gift_mini", "agents": 3, "rate": 0.2, "capacity": 2, "multiplier": 5},
        1000,
    ),
    "mushrooms": ("mushrooms-v0", {}, 600),
    "mushrooms, quick": (
        "mushrooms-v0",
        {
            "map": "SSRSO\nSBSGS\nSSSSS",
            "agents": 3,
            "digestion": (0, 2, 3, 1),
            "zap": "timeout",
            "zap_steps": 4,
            "lasting": (30, 20, 15, 0),
        },
        1500,
    ),
    "matrix arena": ("matrix_arena-v0", {"absence": 9}, 400),
    "matrix arena, crowded": (
        "matrix_arena-v0",
        {"map": "S1?S\n2S?1\n12S#\nS..2", "agents": 3, "absence": 4, "game": "chicken"},
        1500,
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
        got = [world.rewards[seat] for seat in seats]
        assert got == pytest.approx(twin.rewards, abs=1e-5), step  # rewards are float32
        for i, seat in enumerate(seats):
            for name in ("zapped", "cleaned"):
                if name in turns[seat].info:
                    assert turns[seat].info[name] == twin.events[i][name], (step, seat, name)
            if step % 5 == 0 or twin.rewards[i]:
                seen = np.array(twin.view(i, names))
                assert np.array_equal(turns[seat].observation, seen), (step, seat)
