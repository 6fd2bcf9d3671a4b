"""Pair Sokoban: who sees what, what is said, who moves first, and that two can do it."""

from __future__ import annotations

import json
from collections import deque

import numpy as np
import pytest

from gymposium.envs import registry
from gymposium.envs.visual import grid_beliefs
from gymposium.envs.visual.kernels.sokoban_maker import BOX, BOX_ON, FLOOR, TARGET, WALL
from gymposium.envs.visual.pair_views import LABELS
from gymposium.errors import UnknownName, UsageError

ONE, TWO = "player_0", "player_1"
STAY, UP, DOWN, LEFT, RIGHT = range(5)


def pair(**params):
    return registry.make_world("pair_sokoban-v0", **{"shows": "text", **params})


def set_up(world, rows):
    """Begin a match in a room drawn with P for player_0 and A for player_1."""
    world.reset(0)
    codes = {"#": WALL, "_": FLOOR, "O": TARGET, "X": BOX, "√": BOX_ON, "P": FLOOR, "A": FLOOR}
    world._ground = np.array([[codes[mark] for mark in row] for row in rows], np.uint8)
    places = {
        mark: (y, x) for y, row in enumerate(rows) for x, mark in enumerate(row) if mark in "PA"
    }
    world._places = [places["P"], places["A"]]
    return world


def act(world, one=STAY, two=STAY, **said):
    said = {"say": "", **said}
    return world.step({ONE: {"move": one, **said}, TWO: {"move": two, **said}})


ROOM = ("######", "#P_X_#", "#A__O#", "######")


def test_one_sees_boxes_and_the_other_targets():
    world = set_up(pair(), ROOM)
    views = {seat: world.info(seat)["view"] for seat in (ONE, TWO)}
    assert views == {
        ONE: ["######", "#P_X_#", "#A___#", "######"],
        TWO: ["######", "#A___#", "#P__O#", "######"],
    }


def test_a_box_on_a_target_is_a_box_to_one_and_a_target_to_the_other():
    world = set_up(pair(), ("######", "#P_√X#", "#A__O#", "######"))
    assert world.info(ONE)["view"][1] == "#P_XX#"
    assert world.info(TWO)["view"][1] == "#A_O_#"


def test_with_windows_one_sees_what_is_near():
    world = set_up(pair(views="windows"), ROOM)
    assert world.info(ONE)["view"] == ["###???", "#P_???", "#A_???", "??????"]


def test_nothing_that_a_seat_is_handed_depends_on_what_it_cannot_see():
    shown = []
    for place in ((1, 3), (2, 2)):
        world = set_up(pair(shows="both"), ("######", "#P___#", "#A__O#", "######"))
        world._ground[place] = BOX
        observation, info = world.observe(TWO), world.info(TWO)
        words = world.describe(TWO, observation, info)
        shown.append((observation["image"].tobytes(), observation["text"], repr(info), words))
    assert shown[0] == shown[1]


def test_what_is_said_is_heard_in_the_next_step_and_set_off():
    world = set_up(pair(), ROOM)
    turns = act(world, say="box at (1, 3)\n".strip())
    assert turns[TWO].observation["heard"] == "box at (1, 3)"
    assert turns[TWO].text.endswith("player_0 said:\n| box at (1, 3)")
    assert act(world)[TWO].observation["heard"] == ""
    deaf = set_up(pair(talk=False), ROOM)
    assert act(deaf, say="box at (1, 3)")[TWO].observation["heard"] == ""


def test_the_first_to_move_alternates():
    corridor = ("######", "#P_A_#", "#_X_O#", "######")
    world = set_up(pair(), corridor)
    act(world, RIGHT, LEFT)  # step 0: player_0 takes the cell between
    assert world._places == [(1, 2), (1, 3)]
    world = set_up(pair(), corridor)
    act(world)
    act(world, RIGHT, LEFT)  # step 1: player_1 does
    assert world._places == [(1, 1), (1, 2)]


def test_the_partner_stops_a_push_and_a_walk():
    world = set_up(pair(), ("######", "#PXA_#", "#___O#", "######"))
    act(world, RIGHT)
    assert world._places[0] == (1, 1)
    assert world._metrics()["blocked"] == 1.0
    act(world, STAY, LEFT)  # pushes against player_0
    assert world._places[1] == (1, 3)


def test_both_earn_the_same_and_it_ends_with_the_box_at_home():
    world = set_up(pair(), ("######", "#PXO_#", "#A___#", "######"))
    assert act(world, RIGHT) == {}
    assert world.outcome.returns == pytest.approx({ONE: 10.9, TWO: 10.9})
    assert world.outcome.metrics["success"] == 1.0
    assert world.outcome.reason == "the box is on its target"


@pytest.mark.parametrize("representation", ["natural", "structured", "symbolic"])
def test_a_belief_is_of_the_whole_room_before_the_step(representation):
    params = {"beliefs": True, "belief_reward": 0.5, "representation": representation}
    world = set_up(pair(**params), ROOM)
    truths = [grid_beliefs.told(world.truth(seat), representation) for seat in (ONE, TWO)]
    turns = world.step(
        {
            ONE: {"move": RIGHT, "say": "", "belief": truths[0]},
            TWO: {"move": RIGHT, "say": "", "belief": "who knows"},
        }
    )
    assert [turns[seat].reward for seat in (ONE, TWO)] == pytest.approx([0.4, -0.1])
    assert turns[ONE].info["belief_score"] == 1.0
    assert world._metrics()["belief"] == 0.5


def test_answers_are_read_as_json_or_as_a_bare_move():
    world = pair(beliefs=True)
    turn = world.reset(0)[ONE]
    for text, move, say in (
        ('{"move": "up", "say": "hi", "belief": "The box is above me."}', UP, "hi"),
        ('Sure: {"move": "left"}', LEFT, ""),
        ("I go down", DOWN, ""),
    ):
        read = world.parse(ONE, text, turn.observation, turn.info)
        assert (read["move"], read["say"]) == (move, say)
        world.check(ONE, read)
    said = {"move": 2, "say": "ok", "belief": "P_\n√"}
    assert world.parse(ONE, world.format(ONE, said), turn.observation, turn.info) == said
    assert json.loads(world.format(ONE, said))["move"] == LABELS[2]


def solvable_by_two(world):
    """Whether any order of single moves of the two solves it, breadth first over all states."""
    box = tuple(np.argwhere(world._ground == BOX)[0])
    start = (*world._places, box)
    floor = {tuple(place) for place in np.argwhere(world._ground != WALL)}
    (target,) = [place for place in floor if world._ground[place] == TARGET]
    seen, queue = {start}, deque([start])
    while queue:
        one, two, box = queue.popleft()
        if box == target:
            return True
        for who, dy, dx in [(w, *d) for w in (0, 1) for d in ((-1, 0), (1, 0), (0, -1), (0, 1))]:
            mine, other = (one, two) if who == 0 else (two, one)
            there, beyond = (mine[0] + dy, mine[1] + dx), (mine[0] + 2 * dy, mine[1] + 2 * dx)
            moved = box
            if there == box:
                moved = beyond
                if beyond not in floor or beyond == other:
                    continue
            if there not in floor or there == other:
                continue
            after = (there, other, moved) if who == 0 else (other, there, moved)
            if after not in seen:
                seen.add(after)
                queue.append(after)
    return False


def test_every_room_can_be_solved_by_the_two_together():
    world = pair(split="test")
    for level in range(0, 128, 4):
        world = pair(split="test", level=level)
        world.reset(level)
        assert solvable_by_two(world), world.render()


def test_the_room_is_that_of_the_world_for_one():
    one, two = registry.make_world("sokoban-v0"), pair()
    for seed in range(5):
        one.reset(seed)
        two.reset(seed)
        assert one.state_of(one.codes)["map"] == [
            row.replace("A", "_").replace("T", "O") for row in two.truth(ONE)["map"]
        ]


@pytest.mark.parametrize(
    ("params", "error"),
    [
        ({"views": "xray"}, UnknownName),
        ({"radius": 0}, UsageError),
        ({"belief_reward": 0.1}, UsageError),
        ({"beliefs": True, "belief_reward": 11}, UsageError),
        ({"size": 8}, UsageError),
        ({"split": "any", "level": 3}, UsageError),
        ({"split": "test", "level": 300}, UsageError),
    ],
)
def test_parameters_are_checked(params, error):
    with pytest.raises(error):
        pair(**params)


def test_the_table_of_turns_has_the_whole_room_before_each_step_and_what_both_said_and_believed():
    world = set_up(pair(beliefs=True, horizon=2), ROOM)
    room = world.render().partition("\n")[2]
    truth = grid_beliefs.told(world.truth(ONE), "natural")
    world.step({ONE: {"move": RIGHT, "say": "mine", "belief": truth}, TWO: None})
    world.step(dict.fromkeys((ONE, TWO)))
    turns = world.outcome.tables["turns"]
    assert turns["turn"] == [1, 2]
    assert turns["room"][0] == room != turns["room"][1]
    assert turns["player_0 said"] == ["mine", ""]
    assert turns["player_0 move"] == ["right", "stay"]
    assert turns["player_0 belief"] == [truth, ""]
    assert turns["player_0 belief score"] == [1.0, 0.0]
    assert turns["player_1 said"] == turns["player_1 belief"] == ["", ""]
    assert "player_0 belief" not in played_out(pair(horizon=1)).tables["turns"]


def played_out(world):
    world.reset(0)
    world.step({seat: {"move": 0, "say": ""} for seat in (ONE, TWO)})
    return world.outcome
