"""The planner of rooms by rule: which fault it takes up, whom it trusts, and when it stops."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

from gymposium.agents.registry import resolve
from gymposium.agents.scripted.room_planners import BOTS, IMPLEMENTERS, REFINERS, RoomPlanner
from gymposium.envs import registry
from gymposium.errors import UsageError
from gymposium.types import Seat, Turn

TOOLS = (*IMPLEMENTERS, *REFINERS, "terminate")


def turn(
    grades: tuple[float, ...] = (10, 10, 10, 10),
    comments: tuple[str, ...] = ("", "", "", ""),
    physics: tuple[float, ...] = (9, 0, 0, 0),
    offered: tuple[str, ...] = TOOLS,
    unmet: tuple[str, ...] = (),
) -> Turn:
    seen = {"grades": np.array(grades), "physics": np.array(physics)}
    info = {"offered": offered, "comments": comments, "unmet": unmet}
    return Turn("player_0", 1, seen, 0.0, spaces.Discrete(1), None, info)


def planner(**params: Any) -> RoomPlanner:
    made = RoomPlanner(**params)
    made.reset(Seat("player_0", spaces.Discrete(1), spaces.Discrete(1)), 0)
    return made


def called(bot: RoomPlanner, asked: Turn) -> str:
    return str(json.loads(str(bot.act(asked).text))["tool"])


def test_it_stops_where_only_slight_gains_are_left() -> None:
    assert called(planner(), turn(grades=(9.6, 10, 9.5, 9.7))) == "terminate"


def test_collisions_come_before_grades() -> None:
    bad = turn(grades=(10, 0, 10, 10), physics=(9, 0, 2, 0))
    assert called(planner(), bad) == "update_layout"


def test_the_lowest_grade_is_taken_up_with_what_suits_its_comment() -> None:
    floor, tops = "much of the floor is empty", "nothing stands on 3_desk"
    assert called(planner(), turn((9, 10, 9, 5), ("", "", "", floor))) == "add_rule"
    assert called(planner(), turn((9, 10, 9, 5), ("", "", "", tops))) == "add_crowd"
    assert called(planner(), turn((5, 10, 9, 6), ("of an unusual size: 1_x", "", "", ""))) == (
        "update_size"
    )


def test_what_was_asked_for_and_is_not_there_is_added_by_name_while_that_helps() -> None:
    bot = planner()
    said = json.loads(str(bot.act(turn(unmet=("piano", "floor_lamp"))).text))
    assert said["tool"] == "add_gpt"
    assert "piano, floor_lamp" in said["ideas"]
    calls = [called(bot, turn(unmet=("piano",))) for _ in range(3)]
    assert calls == ["add_gpt", "add_gpt", "terminate"]


def test_a_tool_that_did_not_help_is_trusted_less_and_the_end_comes() -> None:
    bot = planner()
    bad = turn((10, 10, 10, 5), ("", "", "", "much of the floor is empty"))
    calls = [called(bot, bad) for _ in range(5)]
    assert calls[:4] == ["add_rule", "add_gpt", "add_rule", "add_gpt"]
    assert calls[4] == "terminate"


def test_a_tool_that_helped_keeps_its_trust() -> None:
    bot = planner()
    grades = (5.0, 6.0, 7.0, 8.0)
    calls = [called(bot, turn((10, 10, 10, g), ("", "", "", "the floor"))) for g in grades]
    assert calls == ["add_rule"] * 4


def test_without_reflection_it_does_not_look() -> None:
    one, other = planner(reflect=False), planner(reflect=False)
    bad = turn((0, 0, 0, 0), ("", "", "", ""), (9, 5, 5, 5))
    for _ in range(6):
        assert called(one, turn()) == called(other, bad)


def test_many_steps_are_planned_at_the_first_look() -> None:
    bot = planner(multistep=True)
    first = turn((10, 10, 8, 7), ("", "", "with a blocked front: 3_x", "the floor"))
    calls = [called(bot, first), *(called(bot, turn()) for _ in range(4))]
    assert calls == ["add_rule", "add_gpt", "update_layout", "terminate", "terminate"]


@pytest.mark.parametrize(
    ("params", "barred"), [({"no_add": True}, IMPLEMENTERS), ({"no_modify": True}, REFINERS)]
)
def test_what_is_barred_is_never_called(params: dict[str, bool], barred: tuple[str, ...]) -> None:
    bot = planner(**params)
    for comment in ("the floor", "nothing stands on 3_x", ""):
        for physics in ((9, 0, 0, 0), (9, 1, 2, 0)):
            bad = turn((6, 5, 7, 8), (comment,) * 4, physics)
            assert called(bot, bad) not in barred


def test_wrong_parameters_and_worlds_are_a_sentence() -> None:
    with pytest.raises(UsageError, match="reflect must be true or false"):
        RoomPlanner(reflect=1)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="multistep plans"):
        RoomPlanner(reflect=False, multistep=True)
    codes = Turn("player_0", 0, np.zeros(3), 0.0, spaces.Discrete(2))
    with pytest.raises(UsageError, match="control: call"):
        planner().act(codes)


def played(spec: str, room: str, seed: int) -> dict[str, float]:
    world = registry.make_world("scene_weaver-v0", room=room, shows="text")
    bot, turns = resolve(spec).create(), world.reset(seed)
    bot.reset(world.seats["player_0"], seed)
    while turns:
        (asked,) = turns.values()
        said: Any = bot.act(asked)
        action = world.parse("player_0", said.text, asked.observation, asked.info)
        turns = world.step({"player_0": action})
    return dict(world.outcome.metrics)


@pytest.mark.parametrize("room", ["hallway", "bathroom", "studio"])
def test_who_reflects_furnishes_more_than_who_begins_and_stops(room: str) -> None:
    full, begun = (
        played(f"scripted:room_planner{query}", room, 2)
        for query in ("", "?no_add=true&no_modify=true")
    )
    assert full["rule_completion"] > begun["rule_completion"]
    assert full["objects"] > begun["objects"]
    for metrics in (full, begun):
        assert (metrics["outside"], metrics["collisions"]) == (0, 0)


def test_it_is_among_the_bots() -> None:
    assert BOTS["room_planner"] is RoomPlanner
