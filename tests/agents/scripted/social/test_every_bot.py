"""What holds for every bot of the grid worlds, whatever it is after."""

from __future__ import annotations

import numpy as np
import pytest

from gymposium.agents.registry import resolve
from gymposium.agents.scripted.social import BOTS
from gymposium.agents.scripted.social.paths import NOWHERE, first_steps
from gymposium.envs import registry
from gymposium.errors import UsageError

from .table import Table

every_bot = pytest.mark.parametrize("name", sorted(BOTS))


def table(name, **params):
    (world,) = BOTS[name].worlds
    seats = registry.make_world(world).seats
    return Table(world, [name] * len(seats), **params)


def trace(name, seed, **params):
    seen = []
    table(name, seed=seed, horizon=60, **params).play(look=lambda _, acts: seen.append(acts))
    return seen


@every_bot
def test_equal_seeds_give_equal_play_and_other_seeds_other(name):
    assert trace(name, 1) == trace(name, 1)
    assert trace(name, 1) != trace(name, 2)


@every_bot
def test_a_row_plays_the_same_alone_and_in_any_batch(name):
    bots = [BOTS[name]() for _ in range(3)]
    made = table(name, horizon=40)
    seats = list(made.world.seats)
    for bot in bots:
        bot.reset(made.world.seats[seats[0]], 0)
    rows = len(seats)
    alone = [bots[0].start(seed) for seed in range(rows)]
    together = np.stack(alone)
    order = np.random.default_rng(0).permutation(rows)
    mixed = together[order]

    def compare(turns, _):
        nonlocal together, mixed
        codes = np.stack([turns[seat].observation for seat in seats])
        one_by_one = []
        for row in range(rows):
            acts, minds = bots[0].act_batch(codes[row : row + 1], [alone[row]], [None])
            alone[row] = minds[0]
            one_by_one.append(acts[0])
        before = together.copy()
        acts, new = bots[1].act_batch(codes, together, [None] * rows)
        assert np.array_equal(together, before)
        together = new
        assert acts.tolist() == one_by_one
        acts, mixed = bots[2].act_batch(codes[order], mixed, [None] * rows)
        assert acts.tolist() == [one_by_one[row] for row in order]
        assert np.array_equal(together, np.stack(alone))

    made.play(look=compare)


@every_bot
def test_act_is_the_batch_of_one(name):
    bot, twin = BOTS[name](), BOTS[name]()
    made = table(name, horizon=30)
    seat = next(iter(made.world.seats))
    bot.reset(made.world.seats[seat], 5)
    twin.reset(made.world.seats[seat], 5)
    minds = [twin.start(5)]

    def compare(turns, _):
        nonlocal minds
        acts, minds = twin.act_batch([turns[seat].observation], minds, [None])
        assert bot.act(turns[seat]) == int(acts[0])

    made.play(look=compare)


@every_bot
def test_steps_by_the_map_and_by_heading_are_the_same_play(name):
    by_map = table(name, horizon=80, zap="off") if zaps(name) else table(name, horizon=80)
    own = {"zap": "off"} if zaps(name) else {}
    by_heading = table(name, horizon=80, moves="egocentric", **own)
    assert np.array_equal(by_map.play().tally("RETURN"), by_heading.play().tally("RETURN"))
    assert np.array_equal(by_map.state.cell, by_heading.state.cell)


def zaps(name):
    (world,) = BOTS[name].worlds
    return "zap" in registry.parameters(world)


@every_bot
def test_no_bot_ever_acts_outside_the_space(name):
    made = table(name, horizon=120)
    made.play(look=lambda turns, acts: [made.world.check(s, a) for s, a in acts.items()])


@every_bot
def test_a_seat_of_another_world_is_refused(name):
    seat = next(iter(registry.make_world("iterated_matrix-v0").seats.values()))
    with pytest.raises(UsageError, match=f"{name} plays"):
        BOTS[name]().reset(seat, 0)


@every_bot
def test_a_bot_lists_what_it_does_and_says_so_in_its_docstring(name):
    bot = BOTS[name]
    assert resolve(f"scripted:{name}").deterministic
    assert bot.summary.endswith(".")
    assert len(bot.summary) < 90


def lengths_by_relaxation(walkable, goals, start):
    """Length of the shortest way to a goal, by relaxing until nothing changes."""
    height, width = walkable.shape
    far = np.full((height, width), np.inf)
    far[start] = 0
    for _ in range(height * width):
        for r in range(height):
            for c in range(width):
                if (r, c) == start or not (walkable[r, c] or goals[r, c]):
                    continue
                around = [(r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)]
                far[r, c] = min(
                    [far[r, c]]
                    + [
                        far[p] + 1
                        for p in around
                        if 0 <= p[0] < height
                        and 0 <= p[1] < width
                        and (p == start or (walkable[p] and not goals[p]))
                    ]
                )
    there = goals & (np.indices(goals.shape) != np.array(start)[:, None, None]).any(0)
    return far[there].min() if there.any() else np.inf


@pytest.mark.parametrize("seed", range(12))
def test_ways_are_shortest_and_their_first_step_is_possible(seed):
    rng = np.random.default_rng(seed)
    walkable, goals = rng.random((4, 7, 7)) < 0.6, rng.random((4, 7, 7)) < 0.06
    way, length, goal = first_steps(walkable, goals, (5, 3), rng.integers(0, 4, 4))
    for b in range(4):
        shortest = lengths_by_relaxation(walkable[b], goals[b], (5, 3))
        if way[b] == NOWHERE:
            assert np.isinf(shortest)
            continue
        assert length[b] == shortest
        assert goals[b].ravel()[goal[b]]
        row, column = [(4, 3), (5, 2), (6, 3), (5, 4)][way[b]]
        assert walkable[b, row, column] or goals[b, row, column]


def test_of_two_equal_ways_the_preferred_direction_is_taken():
    walkable = np.ones((4, 11, 11), np.bool_)
    goals = np.zeros((4, 11, 11), np.bool_)
    for r, c in ((8, 5), (9, 4), (10, 5), (9, 6)):
        goals[:, r, c] = True
    assert first_steps(walkable, goals, (9, 5), [0, 1, 2, 3])[0].tolist() == [0, 1, 2, 3]
