"""Rooms under gravity: what should fall falls, and the static rule says which."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from gymposium.envs.rooms.bullet import bullet_picture, settled
from gymposium.envs.rooms.catalogue import CATEGORIES, Mount
from gymposium.envs.rooms.execute import execute
from gymposium.envs.rooms.grammar import shell, things
from gymposium.envs.rooms.metrics import counted_items, is_stable
from gymposium.envs.rooms.placing import place
from gymposium.envs.rooms.room_types import room_type
from gymposium.envs.rooms.scene import Item, Scene
from tests.envs.rooms.samples import FLOOR, furnished, room

pytestmark = pytest.mark.skipif(sys.version_info >= (3, 12), reason="pybullet has no wheel")
TABLE = Item("1_table", "coffee_table", (3.0, 2.5, 0.0), 0.0, (0.6, 1.2, 0.74), FLOOR)


def on_the_edge(beyond):
    """A box whose weight is ``beyond`` metres past the long edge of a table 74 cm high."""
    box = Item("2_box", "storage_box", (3.3 + beyond, 2.5, 0.74), 0.0, (0.3, 0.3, 0.3))
    return Scene(room(), (), (TABLE, box))


def test_what_has_its_weight_past_the_edge_falls_and_what_has_not_stays():
    over, within = on_the_edge(0.005), on_the_edge(-0.005)
    fell, stayed = settled(over), settled(within)
    assert fell.moved["2_box"] > 0.5
    assert not fell.stays("2_box")
    assert fell.stays("1_table")
    assert fell.stable_share == 0.5
    assert stayed.stable_share == 1.0
    assert not is_stable(over, over["2_box"])


def test_what_floats_falls_as_far_as_gravity_takes_it():
    high = Item("1_box", "storage_box", (3.0, 2.5, 2.0), 0.0, (0.3, 0.3, 0.3))
    fallen = settled(Scene(room(), (), (high,)), 0.5)
    assert fallen.moved["1_box"] == pytest.approx(0.5 * 9.81 * 0.25, rel=0.03)
    assert fallen.turned["1_box"] < 0.5


def test_what_hangs_stays_and_the_same_thing_unfixed_does_not():
    scene = furnished()
    assert settled(scene).stays("7_painting")
    loose = scene.replaced(replace(scene["7_painting"], relations=()))
    assert not settled(loose).stays("7_painting")
    assert not is_stable(loose, loose["7_painting"])


def test_an_empty_room_is_stable_and_rugs_are_not_counted():
    rug = furnished()["8_rug"]
    assert settled(Scene(room())).stable_share == 1.0
    assert not settled(Scene(room(), (), (rug,))).moved


def test_rooms_settle_equally_every_time():
    assert settled(on_the_edge(0.005), 1.0) == settled(on_the_edge(0.005), 1.0)


@pytest.mark.parametrize("kind", ["bathroom", "bedroom"])
def test_the_static_rule_agrees_with_the_simulation_on_furnished_rooms(kind):
    rng = np.random.default_rng(5)
    bare = shell(room_type(kind), rng)
    scene = place(bare, things(room_type(kind), bare, rng), rng).scene
    scene = execute(scene, rng).scene
    found = settled(scene)
    assert set(found.moved) == {item.id for item in counted_items(scene)}
    for item in counted_items(scene):
        assert found.stays(item.id) == is_stable(scene, item), item


def test_everything_that_stands_on_floors_stands_by_itself():
    names = sorted(n for n, row in CATEGORIES.items() if row.mount in (Mount.FLOOR, Mount.TOP))
    items = tuple(
        Item(f"{n}_{name}", name, (2.0 + 3 * (n % 10), 2.0 + 3 * (n // 10), 0.0), 0.0,
             CATEGORIES[name].middle, FLOOR, n)
        for n, name in enumerate(names)
    )  # fmt: skip
    scene = Scene(room(34.0, 34.0), (), items)
    found = settled(scene, 1.0)
    for item in scene:
        assert found.stays(item.id) == is_stable(scene, item), item.id


def test_its_pictures_show_the_room_and_what_is_moved():
    scene = furnished()
    picture = bullet_picture(scene, width=100, height=80)
    assert picture.shape == (80, 100, 3)
    assert picture.dtype == np.uint8
    moved = bullet_picture(scene.moved("6_wardrobe", (3.0, 1.2, 0.0)), width=100, height=80)
    assert 0.02 < (picture != moved).any(axis=-1).mean() < 0.9
    assert (bullet_picture(scene, width=100, height=80) == picture).all()


def test_pybullet_is_loaded_without_a_word():
    code = "from gymposium.envs.rooms.bullet import library; library()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout + done.stderr == ""
