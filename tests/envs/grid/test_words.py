"""Grid worlds in words: short, true, in the terms of the actions, and read back exactly."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gymposium.envs import registry
from gymposium.envs.grid.state import HEADING_SHIFT, OTHER, SELF
from gymposium.errors import IllegalAction
from gymposium.types import NOTHING

GRID_WORLDS = [spec.id for spec in registry.specs() if "grid" in spec.tags]
every_grid_world = pytest.mark.parametrize("id", GRID_WORLDS)
BOTH_WAYS = pytest.mark.parametrize("moves", ["map", "egocentric"])
WORLDS = {
    (id, moves): registry.make_world(id, moves=moves)
    for id in GRID_WORLDS
    for moves in ("map", "egocentric")
}
HEADINGS = ("south", "east", "north", "west")


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(WORLDS)), st.data())
def test_every_action_said_is_the_action_read(which, data):
    world = WORLDS[which]
    seat = data.draw(st.sampled_from(list(world.seats)))
    action = data.draw(st.integers(0, int(world.seats[seat].action_space.n) - 1))
    said = world.format(seat, action)
    for form in (said, said.upper(), f"I will {said}.", f"Answer: {said}", f"**{said}**"):
        assert world.parse(seat, form, None, NOTHING) == action


@every_grid_world
def test_what_is_no_action_is_refused_with_the_list(id):
    world = WORLDS[id, "map"]
    with pytest.raises(IllegalAction, match="turn left, turn right, step east"):
        world.parse("agent_0", "fly away", None, NOTHING)


def told(id, moves="map", steps=15, seed=0):
    world = registry.make_world(id, moves=moves)
    turns = world.reset(seed)
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        yield from ((world, turn) for turn in turns.values())
        turns = world.step({s: int(rng.integers(t.action_space.n)) for s, t in turns.items()})


@every_grid_world
@BOTH_WAYS
def test_a_turn_is_told_in_a_few_lines(id, moves):
    lengths = [len(turn.text) for _, turn in told(id, moves)]
    assert max(lengths) < 900
    assert np.mean(lengths) < 600


@every_grid_world
@BOTH_WAYS
def test_following_the_words_to_the_nearest_thing_leads_there(id, moves):
    followed = 0
    for world, turn in told(id, moves, steps=6):
        codes = turn.observation
        own = np.argwhere((codes[..., 1] & SELF) != 0)[0]
        heading = int(codes[tuple(own)][1]) >> HEADING_SHIFT & 3
        for count, name, way in re.findall(r"(\d+) (.+) in sight, nearest (.*)\.", turn.text):
            item = world.game.items.index(name)
            assert int(count) == (codes[..., 0] == item).sum()
            at = own.copy()
            for number, word in re.findall(r"(\d+) (\w+)", way):
                at += int(number) * step_in_view(word, heading)
            assert codes[tuple(at)][0] == item
            followed += 1
    assert followed or id in ("coins-v0", "coop_mining-v0", "gift-v0")  # things are rare at first


def step_in_view(word, heading):
    """(rows, columns) of one step, in a view with ``heading`` up."""
    own = {"forward": (-1, 0), "left": (0, -1), "backward": (1, 0), "right": (0, 1)}
    if word in own:
        return np.array(own[word])
    left_turns = (HEADINGS.index(word) - heading) % 4
    return np.array([(-1, 0), (0, -1), (1, 0), (0, 1)][left_turns])


@every_grid_world
def test_the_compass_in_words_is_the_way_steps_go(id):
    world, free = registry.make_world(id), 0
    for seed in range(8):
        turn = world.reset(seed)["agent_0"]
        before = divmod(int(world._batch.state.cell[0, 0]), world.game.grid.stride)
        ahead = re.search(r"You look (\w+)", turn.text)[1]
        step = world.parse("agent_0", f"step {ahead}", None, NOTHING)
        world.step({seat: step if seat == "agent_0" else 6 for seat in world.seats})
        after = divmod(int(world._batch.state.cell[0, 0]), world.game.grid.stride)
        moved = np.subtract(after, before)
        heading = int(world._batch.state.heading[0, 0])
        assert ahead == HEADINGS[heading]
        assert moved.tolist() in ([[1, 0], [0, 1], [-1, 0], [0, -1]][heading], [0, 0])
        free += bool(moved.any())
    assert free > 3


@every_grid_world
def test_the_map_shows_oneself_once_and_everybody_else_in_sight(id):
    for _, turn in told(id, steps=8):
        people = turn.observation[..., 1]
        if people.max() >= 128:
            continue
        drawn = turn.text.partition("Your view (ahead is up):\n")[2].partition("\nLegend")[0]
        assert drawn.count("@") == 1
        others = int(((people & OTHER) != 0).sum())
        assert sum(drawn.count(symbol) for symbol in "^<v>") == others
        assert ("Others: " in turn.text) == (others > 0)
        legend = turn.text.partition("Legend: ")[2].partition(".\n")[0]
        for symbol in set(drawn) - set("\n^<v>"):
            assert f"{symbol} " in legend


def test_others_in_sight_are_told_with_what_they_do():
    places = [[8, 5], [8, 7]]
    world = registry.make_world("clean_up-v0", agents=2, spawn_positions=places)
    seen = []
    for seed in range(8):
        world.reset(seed)
        turns = world.step({"agent_0": 6, "agent_1": 8})
        seen.append("(cleaning)" in turns["agent_0"].text)
        assert "(cleaning)" not in turns["agent_1"].text
    assert any(seen)


def test_what_was_done_to_one_is_told():
    world = registry.make_world("harvest-v0", agents=2, spawn_positions=[[11, 5], [11, 6]])
    told_so = set()
    for seed in range(10):
        world.reset(seed)
        turns = world.step({"agent_0": 7, "agent_1": 6})
        hit = world.info("agent_1")["zapped"] == 1
        assert ("You were hit" in turns["agent_1"].text) == hit
        assert "You were hit" not in turns["agent_0"].text
        told_so.add(hit)
    assert told_so == {True, False}
