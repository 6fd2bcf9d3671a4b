from __future__ import annotations

from pathlib import Path

import pytest

import gymposium
from gymposium.agents.scripted.room_beginners import RoomBeginner
from gymposium.arenas.analysis.room_claims import planned
from gymposium.envs.rooms.layout import scene_of_text
from gymposium.errors import UsageError

TOOL = "gymposium.envs.rooms.baselines.tool:InitBaseline"


def beginner(model: str) -> str:
    return f"scripted:room_beginner?tool=init_baseline&model={model}"


def test_a_beginner_furnishes_in_one_go_and_only_the_executor_mends_it() -> None:
    params = {"agent": beginner("holodeck"), "rooms": ["bedroom"]}
    raw = planned({**params, "world": {"tools": [TOOL], "physics": False}}, 0, "cpu")
    mended = planned({**params, "world": {"tools": [TOOL]}}, 0, "cpu")
    assert raw["steps"] == mended["steps"] == 2
    assert raw["collisions"] > 1
    assert raw["faulty"] == 1
    assert mended["collisions"] == mended["outside"] == mended["faulty"] == 0
    assert mended["collisions_edit"] == raw["collisions"]
    made = mended["objects"] / (1 - mended["deleted_share"])
    assert made == pytest.approx(raw["objects"])


def test_all_planners_meet_the_same_empty_rooms(tmp_path: Path) -> None:
    cells = [
        {"id": "scene_weaver-v0", "name": "b", "params": {"shows": "text", "tools": [TOOL]}},
    ]
    shells = []
    for model in ("layoutgpt", "physcene"):
        scenario = {"name": "x", "worlds": cells, "schedule": {"kind": "self_play", "repeats": 2}}
        run = gymposium.run(scenario, [beginner(model)], out=tmp_path / model)
        rooms = [scene_of_text(text) for text in run.world_table("room")["layout"]]
        shells.append([(room.room, room.openings) for room in rooms])
    assert shells[0] == shells[1]
    assert shells[0][0] != shells[0][1]


def test_variety_is_told_where_there_are_several_rooms_of_a_type() -> None:
    params = {
        "agent": beginner("atiss"),
        "rooms": ["bedroom", "living_room"],
        "world": {"tools": [TOOL], "physics": False},
    }
    one, two = (planned({**params, "each": each}, 3, "cpu") for each in (1, 2))
    assert "diversity" not in one
    assert 0 < two["diversity"] <= 1
    assert two["entropy"] > 1
    assert one["objects"] == pytest.approx(
        (one["objects@bedroom"] + one["objects@living_room"]) / 2
    )


def test_a_beginner_takes_names_and_sits_in_a_planners_seat_only() -> None:
    with pytest.raises(UsageError, match="tool must be a name"):
        RoomBeginner(tool=3)  # type: ignore[arg-type]
    world = gymposium.make("scene_weaver-v0", api="world", control="choice")
    RoomBeginner().act(world.reset(seed=0)["player_0"])
    other = gymposium.make("iterated_matrix-v0", api="world")
    with pytest.raises(UsageError, match="plays scene_weaver-v0"):
        RoomBeginner().act(other.reset(seed=0)["player_0"])
