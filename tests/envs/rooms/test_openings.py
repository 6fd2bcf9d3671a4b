"""Doors and windows: in a wall of their room, or refused by field, or left out and said."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from gymposium.envs.rooms.files.front import front_room
from gymposium.envs.rooms.files.sceneweaver import layout_room
from gymposium.envs.rooms.layout import layout, scene_of
from gymposium.errors import UsageError

from .files.test_front import house
from .samples import furnished

WRONG = [
    ({"location": [5, -40, 0]}, r"location: .*1 m from the nearest wall, the east one"),
    ({"location": [3, 2.5, 0]}, r"location: .*2\.5 m from the nearest wall"),
    ({"size": [0.1, 9, 2]}, r"size\[1\]: .*9 m wide, the south wall 6 m"),
    ({"size": [0.1, 0.9, 5]}, r"size\[2\]: .*5 m high, the room 2\.8 m"),
    (
        {"location": [50, 0, 0]},
        r"location\[0\]: .*from 49\.55 to 50\.45 m, the south wall from 0 to 6 m",
    ),
    ({"location": [50, 0, 0]}, r"location\[0\]: .*from 49\.55 to 50\.45 m, the south wall"),
    ({"location": [5.8, 0.1, 0]}, r"location\[0\]: .*from 5\.35 to 6\.25 m"),
    ({"location": [5, 0, -1]}, r"location\[2\]: .*from -1 to 1 m in height"),
    ({"location": [5, 0, 1.5]}, r"location\[2\]: .*from 1\.5 to 3\.5 m in height"),
]


def document(**changes: Any) -> dict[str, Any]:
    """A room of 6 x 5 m, its door in the south wall changed."""
    made = layout(furnished())
    made["structure"]["0_door"] |= changes
    return made


@pytest.mark.parametrize(("changes", "said"), WRONG)
def test_an_opening_in_no_wall_is_refused_with_its_field(
    changes: dict[str, Any], said: str
) -> None:
    with pytest.raises(UsageError, match=rf"structure\.0_door\.{said}"):
        scene_of(document(**changes))
    with pytest.raises(UsageError, match=rf"structure\.0_door\.{said}"):
        layout_room(document(**changes))  # as files are read


@pytest.mark.parametrize(("changes", "said"), WRONG)
def test_in_layouts_of_others_it_is_left_out_and_said(changes: dict[str, Any], said: str) -> None:
    foreign = document(**changes)
    for entry in foreign["structure"].values():
        del entry["kind"]
    made = layout_room(foreign)
    assert [opening.id for opening in made.scene.openings] == ["0_window"]
    (sentence,) = made.left_out
    assert sentence.startswith("structure.0_door.")
    assert "is in no wall: " in sentence


def test_what_sticks_out_by_little_or_is_off_the_walls_face_is_taken() -> None:
    for changes in (
        {"location": [5.6, 0, 0]},
        {"location": [5, -0.3, 0]},
        {"size": [0.1, 1, 2.85]},
    ):
        assert len(scene_of(document(**changes)).openings) == 2


def test_a_window_of_3d_front_that_reaches_round_a_corner_is_left_out() -> None:
    moved = copy.deepcopy(house())
    window = next(mesh for mesh in moved["mesh"] if mesh["type"] == "Window")
    before = len(front_room(moved).scene.openings)
    window["xyz"] = [v + 1.2 * (n % 3 == 2) for n, v in enumerate(window["xyz"])]
    made = front_room(moved)
    assert len(made.scene.openings) == before - 1
    assert sum("it is in no wall" in said for said in made.left_out) == 2
