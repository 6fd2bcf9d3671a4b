"""The Harvest bots do what their names promise."""

from __future__ import annotations

import pytest

from gymposium.agents.registry import resolve
from gymposium.agents.scripted.social.bot import ZAP
from gymposium.agents.scripted.social.harvest import APPLE
from gymposium.envs.grid.state import FLAG_COLLECTED
from gymposium.errors import UsageError

from .table import Table


def harvest(*bots, **params):
    return Table("harvest-v0", bots, **params)


def apples(table):
    return int((table.items() == APPLE).sum())


def test_greedy_harvesters_empty_the_map_for_ever():
    table = harvest(*["greedy_harvester"] * 7, horizon=600).play(300)
    assert apples(table) == 0
    eaten = table.tally("RETURN").sum()
    table.play()
    assert table.tally("RETURN").sum() == eaten


def test_sustainable_harvesters_keep_the_patches_and_earn_more_in_the_end():
    returns = {}
    for bot in ("greedy_harvester", "sustainable_harvester"):
        table = harvest(*[bot] * 7, horizon=800).play()
        returns[bot] = table.tally("RETURN").sum()
    assert apples(table) > 15
    assert returns["sustainable_harvester"] > 2 * returns["greedy_harvester"]


@pytest.mark.parametrize("leave", [1, 3])
def test_a_sustainable_harvester_leaves_what_it_says_where_nobody_else_eats(leave):
    table = harvest(f"sustainable_harvester?leave={leave}", horizon=300)
    layout = table.world.game.layout
    eaten = []

    def note(turns, actions):
        nonlocal grid
        now = table.state.grid[0].copy()
        place = table.state.cell[0, 0]
        if grid is not None and grid[place] == APPLE and now[place] != APPLE:
            eaten.append(int((grid[place + layout.near] == APPLE).sum()))
        grid = now

    grid = None
    table.play(look=note)
    assert len(eaten) > 10
    assert min(eaten) >= leave


def test_a_sanctioner_zaps_greedy_eaters_and_nobody_else():
    table = harvest(*["harvest_sanctioner"] * 5, *["greedy_harvester"] * 2, horizon=400)
    shots = []

    def note(turns, actions):
        for seat, action in actions.items():
            if action == ZAP:
                people = turns[seat].observation[..., 1]
                reach = [people[8, 5], people[7, 5], people[8, 4], people[8, 6]]
                shots.append(any(code & FLAG_COLLECTED for code in reach))

    for seed in range(4):
        table = harvest(
            *["harvest_sanctioner"] * 5, *["greedy_harvester"] * 2, horizon=200, seed=seed
        )
        table.play(look=note)
        assert table.tally("ZAPS")[5:].sum() == 0
    assert len(shots) > 0
    assert all(shots)


def test_nonsense_parameters_are_refused():
    with pytest.raises(UsageError, match="from 0 to 12"):
        resolve("scripted:sustainable_harvester?leave=13").create()
