"""The puddle grid: its map, its costs, and a breadth-first check of every task."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

from gymposium.envs.trees.puddle_grid import (
    LABELS,
    TWO_BARS,
    PuddleGrid,
    steps_from,
    tasks_of,
)
from gymposium.errors import UsageError

UP, DOWN, LEFT, RIGHT = range(4)
STRAIGHT = [RIGHT] * 7
ROUND = [UP] * 3 + [RIGHT] * 3 + [DOWN] * 7 + [RIGHT] * 4 + [UP] * 4


def walk(world, moves, seed=0):
    world.reset(seed)
    for at, move in enumerate(moves):
        turns = world.step({"player_0": move})
        if not turns:
            assert at == len(moves) - 1
            return world.outcome
    raise AssertionError("the walk does not end")


def twin_distances(layout, start, closed):
    """Breadth first on a dictionary of (row, column), written apart."""
    walls = {(r, c) for r, row in enumerate(layout) for c, k in enumerate(row) if k in closed}
    height, width = len(layout), len(layout[0])
    first = divmod(start, width)
    seen, queue = {first: 0}, deque([first])
    while queue:
        r, c = queue.popleft()
        for there in ((r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)):
            inside = 0 <= there[0] < height and 0 <= there[1] < width
            if inside and there not in seen and there not in walls:
                seen[there] = seen[r, c] + 1
                queue.append(there)
    return seen


def test_straight_through_is_wet_and_not_paid():
    outcome = walk(PuddleGrid(), STRAIGHT)
    assert outcome.returns["player_0"] == 0
    assert outcome.metrics == {"cost": 4, "raw_return": 1, "feasible": 0}


def test_straight_through_is_paid_when_the_budget_allows_it():
    assert walk(PuddleGrid(budget=4), STRAIGHT).returns["player_0"] == 1
    assert walk(PuddleGrid(budget=3), STRAIGHT).returns["player_0"] == 0


def test_the_detour_is_dry_and_paid():
    outcome = walk(PuddleGrid(), ROUND)
    assert outcome.returns["player_0"] == 1
    assert outcome.metrics["cost"] == 0
    start, goal = 41, 48
    assert steps_from(TWO_BARS, start, dry=True)[goal] == len(ROUND)
    assert steps_from(TWO_BARS, start, dry=False)[goal] == len(STRAIGHT)


def test_distances_are_those_of_another_breadth_first_search():
    layout = ("..#~.", ".##..", "~...#", "#.~..")
    for start in range(20):
        kind = layout[start // 5][start % 5]
        if kind in "#~":
            continue
        for dry, closed in ((True, "#~"), (False, "#")):
            steps = steps_from(layout, start, dry=dry)
            twin = twin_distances(layout, start, closed)
            assert steps.tolist() == [twin.get(divmod(cell, 5), -1) for cell in range(20)]


def test_every_task_of_many_has_a_dry_way_in_time_and_far_enough():
    world = PuddleGrid(task="multi")
    found = tasks_of(TWO_BARS, 6, 50)
    assert len(found) > 1000
    for start, goal in found[:: len(found) // 60]:
        twin = twin_distances(TWO_BARS, start, "#~")
        assert twin[divmod(goal, 10)] <= 50
        (a, b), (c, d) = divmod(start, 10), divmod(goal, 10)
        assert abs(a - c) + abs(b - d) >= 6
    seen = {tuple(world.reset(seed)["player_0"].observation.tolist()) for seed in range(50)}
    assert len(seen) > 45
    assert seen <= set(found)


def test_a_task_that_is_held_comes_again_whatever_the_seed():
    world = PuddleGrid(task="multi")
    world.set_task(7)
    assert len({tuple(world.reset(seed)["player_0"].observation) for seed in range(9)}) == 1
    world.set_task(8)
    one = tuple(world.reset(0)["player_0"].observation)
    world.set_task(None)
    assert len({tuple(world.reset(seed)["player_0"].observation) for seed in range(9)} | {one}) > 5


def test_walls_and_edges_block_and_staying_in_a_puddle_costs():
    world = PuddleGrid(layout=["#S~G"], budget=9, horizon=6)
    world.reset(0)
    for move, cell in ((LEFT, 1), (UP, 1), (RIGHT, 2), (DOWN, 2), (None, 2)):
        turn = world.step({"player_0": move})["player_0"]
        assert turn.observation == cell
    world.step({"player_0": RIGHT})
    assert world.outcome.metrics["cost"] == 3


def test_the_horizon_truncates_and_pays_nothing():
    outcome = walk(PuddleGrid(horizon=25), [LEFT] * 25)
    assert outcome.truncated["player_0"]
    assert outcome.returns["player_0"] == 0


def test_slips_go_in_every_direction_as_often():
    layout = ["." * 9] * 4 + ["....S...."] + ["." * 9] * 4
    layout[0] = "G........"
    world = PuddleGrid(layout=layout, slip=1.0)
    cells = []
    for seed in range(800):
        world.reset(seed)
        cells.append(int(world.step({"player_0": UP})["player_0"].observation))
    counts = [cells.count(cell) for cell in (31, 49, 39, 41)]
    assert sum(counts) == 800
    assert min(counts) > 200 - 4 * np.sqrt(150)


def test_the_picture_shows_the_walker_and_the_goal():
    world = PuddleGrid()
    with pytest.raises(UsageError, match="reset"):
        world.draw()
    world.reset(0)
    before = world.draw()
    world.step({"player_0": UP})
    after = world.draw()
    assert before.shape == after.shape == (320, 320, 3)
    changed = np.argwhere((before != after).any(-1)) // 32
    assert {tuple(cell) for cell in changed.tolist()} == {(4, 1), (3, 1)}


def test_words_name_the_places_by_row_and_column():
    world = PuddleGrid()
    turn = world.reset(0)["player_0"]
    assert turn.text.startswith("You are at row 4, column 1; the goal is at row 4, column 8.")
    assert "no step may end in a puddle" in world.seats["player_0"].rules
    assert [world.format("player_0", move) for move in range(4)] == list(LABELS)


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"task": "many"}, "did you mean|known"),
        ({"layout": []}, "1 to 30 rows"),
        ({"layout": ["S.", "G"]}, "rows of one length"),
        ({"layout": ["S?G"]}, "layout has '\\?'"),
        ({"layout": ["S.."]}, "must have one G, got 0"),
        ({"layout": ["SGG"]}, "must have one G, got 2"),
        ({"layout": ["S~G"]}, "no dry way"),
        ({"horizon": 10}, "no dry way of at most 10 steps"),
        ({"task": "multi", "distance": 19}, "no dry way"),
        ({"budget": -1}, "budget must be"),
        ({"horizon": 0}, "horizon must be"),
        ({"slip": -0.1}, "slip must be"),
    ],
)
def test_bad_parameters_are_refused_with_a_sentence(params, said):
    with pytest.raises(UsageError, match=said):
        PuddleGrid(**params)


def test_walks_side_by_side_are_the_world_move_by_move():
    rng = np.random.default_rng(0)
    layout = ["S..", "~#.", "..G"]
    world = PuddleGrid(layout=layout, horizon=9)
    many = world.side_by_side(40)
    chosen = rng.integers(0, 4, (40, 9))
    asked, seen = many.begin(range(40)), [[] for _ in range(40)]
    for step in range(9):
        for row, cell in zip(*asked, strict=True):
            seen[row].append(int(cell))
        asked = many.step(chosen[asked[0], step])
        if asked is None:
            break
    assert asked is None
    for row in range(40):
        turns, cells = world.reset(row), []
        for move in chosen[row]:
            cells.append(int(turns["player_0"].observation))
            turns = world.step({"player_0": move})
            if not turns:
                break
        assert cells == seen[row]
        assert (world.cost, world.raw_return) == (many.costs[row], many.returns[row])
    assert 0 < many.returns.mean() < 1
    assert PuddleGrid(slip=0.1).side_by_side(2) is None
