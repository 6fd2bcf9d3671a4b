"""Edits of scenes: what goes along, what is forgotten, what is refused."""

from __future__ import annotations

import math

import pytest

from gymposium.envs.rooms.bodies import footprint, mass, supports
from gymposium.envs.rooms.scene import Scene, walls
from gymposium.errors import UnknownName, UsageError

from .samples import K, block, furnished, room


def test_a_moved_thing_carries_what_stands_on_it() -> None:
    scene = furnished().moved("2_stand", (2.0, 2.0, 0.0), math.pi / 2)
    lamp = scene["3_lamp"]
    assert lamp.location == pytest.approx((2.0, 1.98, 0.5))
    assert lamp.rotation == pytest.approx(math.pi / 2)
    assert furnished()["3_lamp"].location == (0.2, 1.42, 0.5), "the old scene is as it was"


def test_a_removed_thing_takes_its_burden_and_is_forgotten() -> None:
    scene = furnished().without("2_stand", "4_desk")
    assert {item.id for item in scene} == {"1_bed", "5_chair", "6_wardrobe", "7_painting", "8_rug"}
    assert K.FRONT_AGAINST not in scene["5_chair"].kinds()


def test_a_resized_thing_keeps_its_burden_in_place_on_it() -> None:
    scene = furnished().resized("2_stand", (0.8, 0.5, 0.6))
    assert scene["3_lamp"].location == pytest.approx((0.18, 1.42, 0.6))
    assert scene["3_lamp"].size == furnished()["3_lamp"].size
    assert supports(scene["2_stand"])[-1].z == pytest.approx(0.6)


def test_ids_are_unique_and_fresh_ones_are_larger() -> None:
    scene = furnished()
    assert scene.fresh_id("cup") == "9_cup"
    assert scene.fresh_id("cup", ["12_cup"]) == "13_cup"
    with pytest.raises(UsageError, match="1_bed"):
        scene.with_items(scene["1_bed"])
    with pytest.raises(UsageError, match="room"):
        Scene(room(), (), (block("x", 1, 1, id="room"),))
    with pytest.raises(UnknownName, match="1_bed"):
        scene.moved("1_bad", (0, 0, 0))


def test_a_chair_faces_plus_x_and_size_is_depth_width_height() -> None:
    chair = furnished()["5_chair"]
    outline = footprint(chair)
    extent = outline.max(axis=0) - outline.min(axis=0)
    assert extent == pytest.approx(chair.size[:2])
    assert 2 < mass(chair) < 12


def test_walls_face_inwards() -> None:
    middle = (3.0, 2.5)
    for wall in walls(room()):
        ahead = (math.cos(wall.yaw), math.sin(wall.yaw))
        assert ahead == pytest.approx(wall.normal)
        inside = wall.normal[0] * middle[0] + wall.normal[1] * middle[1] - wall.offset
        assert inside > 0
