"""Stability, navigability, diversity: what can be said without a simulation."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from gymposium.envs.rooms.bodies import centre_of_mass, parts, supports
from gymposium.envs.rooms.catalogue import CATEGORIES, Mount
from gymposium.envs.rooms.execute import resting_share
from gymposium.envs.rooms.metrics import (
    _mark,
    category_entropy,
    diversity,
    is_stable,
    layout_distance,
    navigability,
    walkable,
)
from gymposium.envs.rooms.scene import Item, Opening, Relation, Room, Scene

from .samples import FLOOR, K, block, furnished, room

TABLE = Item("1_table", "dining_table", (3, 2, 0), 0.0, (0.9, 1.6, 0.74), FLOOR)


@pytest.mark.parametrize(("beyond", "stable"), [(0.005, False), (-0.005, True)])
def test_a_box_falls_when_its_centre_passes_the_edge_of_the_table(
    beyond: float, stable: bool
) -> None:
    support = supports(TABLE)[-1]
    edge = support.centre[0] + support.size[0] / 2
    box = Item(
        "2_box", "storage_box", (3, 2, 0.74), 0.0, (0.3, 0.3, 0.3), (Relation("1_table", K.ONTOP),)
    )
    off = centre_of_mass(box)[0] - box.location[0]
    box = replace(box, location=(edge + beyond - off, 2, 0.74))
    assert is_stable(Scene(room(), (), (TABLE, box)), box) is stable


def test_a_cell_under_a_part_is_on_the_inner_side_of_each_of_its_edges() -> None:
    sides, reach = (0.05, 0.048), 0.024
    scene = furnished().moved("6_wardrobe", (1.1, 4.8, 0.0), 0.4).moved("5_chair", None, 2.0)
    for part in (part for item in scene for part in parts(item)):
        taken = np.zeros((120, 100), dtype=bool)
        _mark(taken, part, sides)
        expected = np.zeros_like(taken)
        low, high = part.outline.min(axis=0), part.outline.max(axis=0)
        corners = part.outline.tolist()
        for i in range(max(0, int(low[0] / sides[0])), min(120, int(high[0] / sides[0]) + 1)):
            for j in range(max(0, int(low[1] / sides[1])), min(100, int(high[1] / sides[1]) + 1)):
                x, y = (i + 0.5) * sides[0], (j + 0.5) * sides[1]
                expected[i, j] = all(
                    (bx - ax) * (y - ay) - (by - ay) * (x - ax)
                    >= -reach * math.hypot(bx - ax, by - ay)
                    for (ax, ay), (bx, by) in zip(corners, [*corners[1:], corners[0]], strict=True)
                )
        assert (taken == expected).all()


@pytest.mark.parametrize("mount", [Mount.FLOOR, Mount.TOP, Mount.RUG])
def test_everything_that_stands_stands_by_itself(mount: Mount) -> None:
    for row in (row for row in CATEGORIES.values() if row.mount is mount):
        mixed = (row.high[0], row.low[1], row.high[2]), (row.low[0], row.high[1], row.high[2])
        for style, size in enumerate((row.low, row.high, *mixed)):
            item = Item("1_x", row.name, (3, 2, 0), 0.3, size, FLOOR, style)
            assert is_stable(Scene(room(), (), (item,)), item), (row.name, size)


def test_what_floats_is_not_stable_and_what_hangs_is() -> None:
    box = block("1", 2, 2, location=(2.0, 2.0, 0.5))
    assert not is_stable(Scene(room(), (), (box,)), box)
    scene = furnished()
    assert all(is_stable(scene, item) for item in scene)
    loose = replace(scene["7_painting"], relations=())
    assert not is_stable(scene.replaced(loose), loose)


@pytest.mark.parametrize(("share", "enough"), [(0.59, False), (0.61, True)])
def test_the_resting_share_is_that_of_the_outline(share: float, enough: bool) -> None:
    edge = 3 + 0.9 / 2
    box = Item("2_box", "storage_box", (edge + 0.3 * (0.5 - share), 2, 0.74), 0.0, (0.3, 0.3, 0.3))
    assert resting_share(box, TABLE) == pytest.approx(share)
    assert (resting_share(box, TABLE) >= 0.6) is enough


def walled(gap: float) -> Scene:
    """A room of 4 by 3 m cut in two by wardrobes that leave a gap at the north wall."""
    width = 3 - gap
    wall = Item("1_wall", "wardrobe", (2, width / 2, 0), 0.0, (0.6, width, 2.0), FLOOR)
    door = Opening("0_door", "door", (0.8, 0.0, 0.0), math.pi / 2, (0.1, 0.9, 2.0))
    return Scene(Room("bedroom", (4.0, 3.0)), (door,), (wall,))


def test_one_walks_through_a_gap_wider_than_oneself_only() -> None:
    assert navigability(walled(0.7)) == pytest.approx(1.0)
    assert navigability(walled(0.3)) == pytest.approx(0.5, abs=0.03)


def test_an_empty_room_is_free_but_for_a_rim() -> None:
    free, reached = walkable(Scene(Room("bedroom", (4.0, 3.0))))
    assert free.mean() == pytest.approx(3.5 * 2.5 / 12, rel=0.03)
    assert (free == reached).all()


def test_without_floor_or_behind_a_blocked_door_nothing_is_reached() -> None:
    full = Item("1_x", "storage_box", (1, 1, 0), 0.0, (2.0, 2.0, 1.0), FLOOR)
    assert navigability(Scene(Room("bedroom", (2.0, 2.0)), (), (full,))) == 0
    scene = walled(0.7)
    shut = Item("2_x", "storage_box", (0.8, 0.5, 0), 0.0, (1.0, 1.6, 1.0), FLOOR)
    assert navigability(scene.with_items(shut)) < 0.2


def test_one_steps_over_rugs_and_walks_under_lamps() -> None:
    scene = Scene(Room("bedroom", (4.0, 3.0)))
    rug = Item("1_rug", "rug", (2, 1.5, 0), 0.0, (1.6, 2.4, 0.02), FLOOR)
    lamp = Item("2_lamp", "ceiling_lamp", (2, 1.5, 2.3), 0.0, (0.5, 0.5, 0.5))
    furnished_free, _ = walkable(scene.with_items(rug, lamp))
    assert (furnished_free == walkable(scene)[0]).all()


def test_layouts_differ_by_what_how_far_and_how_turned() -> None:
    scene = furnished()
    assert layout_distance(scene, scene) == 0
    empty = replace(scene, items=())
    assert layout_distance(scene, empty) == 1
    assert layout_distance(empty, empty) == 0
    near = scene.moved("1_bed", (1.15, 2.5, 0))
    far = scene.moved("1_bed", (3.0, 2.5, 0))
    turned = scene.moved("1_bed", None, math.pi)
    assert 0 < layout_distance(scene, near) < layout_distance(scene, far) < 1
    assert layout_distance(scene, turned) > layout_distance(scene, near)
    assert layout_distance(scene, far) == pytest.approx(layout_distance(far, scene))
    assert diversity([scene, scene, far]) == pytest.approx(2 / 3 * layout_distance(scene, far))


def test_the_entropy_of_equally_many_categories_is_the_logarithm() -> None:
    assert category_entropy([furnished()]) == pytest.approx(np.log2(8))
    assert category_entropy([Scene(room(), (), (block("1", 1, 1), block("2", 3, 3)))]) == 0
