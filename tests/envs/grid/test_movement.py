"""The one resolver of conflicts between moving seats, case by case and at random."""

from __future__ import annotations

import numpy as np
import pytest

import gymposium

WEST, EAST, NORTH, SOUTH, STAY = 3, 2, 5, 4, 6


def field(places, rows=6, columns=8):
    """A bare field with seats at ``places``, which is also where they may appear."""
    text = [["." for _ in range(columns)] for _ in range(rows)]
    for r, c in places:
        text[r][c] = "S"
    text[rows - 1][columns - 1] = "a"
    return "\n".join("".join(row) for row in text)


def play(places, actions, seed=0, text=None):
    """Where each seat is after one step."""
    world = gymposium.make(
        "harvest-v0",
        api="world",
        map=text or field(places),
        agents=len(places),
        spawn_positions=tuple(places),
        zap="off",
    )
    world.reset(seed)
    world.step(dict(zip(world.possible_seats, actions, strict=True)))
    layout, cells = world.game.layout, world._batch.state.cell[0]
    return [(int(layout.row[c]) - 9, int(layout.column[c]) - 9) for c in cells]


def test_who_stays_keeps_the_cell():
    for seed in range(20):
        assert play([(2, 2), (2, 3)], [EAST, STAY], seed) == [(2, 2), (2, 3)]


def test_a_contested_cell_goes_to_each_comer_equally_often():
    wins = np.zeros(4)
    places = [(2, 2), (2, 4), (1, 3), (3, 3)]
    world = gymposium.make_vec(
        "harvest-v0", 6000, map=field(places), agents=4, spawn_positions=tuple(places), zap="off"
    )
    world.reset(1)
    world.step(np.tile([EAST, WEST, SOUTH, NORTH], (6000, 1)))
    layout, cells = world._game.layout, world._batch.state.cell
    there = (layout.row[cells] == 2 + 9) & (layout.column[cells] == 3 + 9)
    wins = there.sum(0)
    assert wins.sum() == 6000
    chi_square = ((wins - 1500) ** 2 / 1500).sum()
    assert chi_square < 16.3  # three degrees of freedom, one in a thousand


def test_a_swap_is_blocked():
    assert play([(2, 2), (2, 3)], [EAST, WEST]) == [(2, 2), (2, 3)]


def test_a_train_may_follow():
    assert play([(2, 2), (2, 3), (2, 4)], [EAST] * 3) == [(2, 3), (2, 4), (2, 5)]


def test_a_train_stops_when_its_head_is_stopped():
    assert play([(2, 5), (2, 6), (2, 7)], [EAST] * 3) == [(2, 5), (2, 6), (2, 7)]


def test_a_circle_of_four_may_turn():
    places = [(1, 1), (1, 2), (2, 2), (2, 1)]
    assert play(places, [EAST, SOUTH, WEST, NORTH]) == [(1, 2), (2, 2), (2, 1), (1, 1)]


def test_walls_stop_a_step():
    text = "S#.\n..a"
    assert play([(0, 0)], [EAST], text=text) == [(0, 0)]
    assert play([(0, 0)], [NORTH], text=text) == [(0, 0)]
    assert play([(0, 0)], [SOUTH], text=text) == [(1, 0)]


@pytest.mark.parametrize("agents", [2, 9, 30])
def test_crowds_never_overlap_and_move_at_most_one_cell(agents):
    text = "\n".join(["SSSSSS"] * 6 + [".....a"])
    vector = gymposium.make_vec("harvest-v0", 16, map=text, agents=agents, zap="off")
    vector.reset(3)
    rng, layout = np.random.default_rng(0), vector._game.layout
    for _ in range(100):
        before = vector._batch.state.cell.copy()
        vector.step(rng.integers(2, 7, (16, agents)))
        after = vector._batch.state.cell
        assert all(len(set(row)) == agents for row in after.tolist())
        steps = np.abs(layout.row[after] - layout.row[before])
        steps += np.abs(layout.column[after] - layout.column[before])
        assert steps.max() <= 1
