"""Pictures and plans of rooms: whole, the same every time, and showing what they should."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

from gymposium.envs.rooms.bullet import bullet_picture, settled
from gymposium.envs.rooms.catalogue import CATEGORIES
from gymposium.envs.rooms.picture import VIEWS, camera_of, draw
from gymposium.envs.rooms.plan_view import LONGEST_LABEL, plan_view
from gymposium.envs.rooms.scene import Item, Scene
from gymposium.errors import MissingExtra, UnknownName, UsageError
from tests.envs.rooms.samples import FLOOR, block, furnished, quarter_turned, room

RED = np.array([214, 40, 40])


@pytest.fixture(scope="module")
def scene():
    return furnished()


def small(scene, view="corner"):
    return draw(scene, view=view, width=96, height=72)


def reddish(picture):
    return int((np.abs(picture.astype(int) - RED).max(axis=-1) < 12).sum())


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_is_a_picture_of_the_asked_size_that_shows_the_room(scene, view):
    picture = draw(scene, view=view, width=88, height=64)
    assert picture.shape == (64, 88, 3)
    assert picture.dtype == np.uint8
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 300


def test_equal_scenes_give_equal_pictures_and_plans(scene):
    assert small(scene).tobytes() == small(furnished()).tobytes()
    assert plan_view(scene).tobytes() == plan_view(furnished()).tobytes()


def test_an_unknown_view_is_refused_with_the_views_there_are(scene):
    with pytest.raises(UnknownName, match="corner"):
        draw(scene, view="conrer")


def test_sizes_that_no_picture_has_are_refused(scene):
    for width, height in ((0, 60), (60, -1), (60, 4000), (60.0, 60)):
        with pytest.raises(UsageError, match="must be a whole number from 16 to 2048"):
            draw(scene, width=width, height=height)
    for size in (0, 5000, "512"):
        with pytest.raises(UsageError, match="must be a whole number from 32 to 2048"):
            plan_view(scene, size=size)


@pytest.mark.parametrize("view", ["corner", "opposite", "above"])
def test_the_whole_room_is_in_the_picture(scene, view):
    for size in ((2.0, 8.0), (8.0, 2.0), (4.0, 4.0)):
        bare = Scene(replace(scene.room, size=size))
        picture = small(bare, view).astype(int)
        edge = np.concatenate([picture[0], picture[-1], picture[:, 0], picture[:, -1]])
        assert np.ptp(edge, axis=0).max() == 0  # nothing of the room reaches the frame
        shown = np.abs(picture - edge[0]).max(axis=-1) > 8
        rows, columns = np.flatnonzero(shown.any(axis=1)), np.flatnonzero(shown.any(axis=0))
        assert np.ptp(rows) > 0.8 * 72 or np.ptp(columns) > 0.8 * 96


def test_what_is_moved_moves_in_the_picture(scene):
    moved = scene.moved("6_wardrobe", (3.0, 1.2, 0.0))
    for view in ("corner", "above"):
        changed = (small(moved, view) != small(scene, view)).any(axis=-1).mean()
        assert 0.02 < changed < 0.9
    assert (plan_view(moved, size=256) != plan_view(scene, size=256)).any(axis=-1).mean() > 0.01


def test_what_hangs_on_a_cut_wall_is_left_out(scene):
    hidden = {view: camera_of(scene, view, 1.0)[2] for view in VIEWS}
    for view in ("south_west", "south_east", "above", "door"):  # the painting is on the south wall
        assert hidden[view] == {"7_painting"}
    assert not hidden["north_east"] | hidden["north_west"]
    without = scene.without("7_painting")
    assert small(scene, "south_west").tobytes() == small(without, "south_west").tobytes()
    assert small(scene, "north_east").tobytes() != small(without, "north_east").tobytes()


def test_no_ceiling_lamp_hides_the_room_from_above(scene):
    lamp = Item("9_lamp", "ceiling_lamp", (3.0, 2.5, 2.4), 0.0, (0.5, 0.5, 0.4))
    with_lamp = scene.with_items(lamp)
    assert small(with_lamp, "above").tobytes() == small(scene, "above").tobytes()
    assert small(with_lamp).tobytes() != small(scene).tobytes()


def test_the_chosen_corner_turns_with_the_room(scene):
    ways = [camera_of(s, "corner", 1.0)[0].ahead for s in (scene, quarter_turned(scene))]
    before, after = ([np.sign(way[0]), np.sign(way[1])] for way in ways)
    assert after == [-before[1], before[0]]
    across = camera_of(scene, "opposite", 1.0)[0].ahead
    assert [np.sign(across[0]), np.sign(across[1])] == [-before[0], -before[1]]


def test_everything_in_the_catalogue_can_be_drawn():
    names = sorted(CATEGORIES)
    items = []
    for n, name in enumerate(names):
        at = (1.5 + 2.5 * (n % 12), 1.5 + 2.5 * (n // 12), 0.0)
        items.append(Item(f"{n}_{name}", name, at, 0.3, CATEGORIES[name].middle, (), n))
    wide = (30.0, 2.5 * (len(names) // 12 + 1) + 1)
    crowd = Scene(room(*wide), (), tuple(items))
    bare = Scene(room(*wide))
    empty = plan_view(bare, size=1200, labels=False)
    full = plan_view(crowd, size=1200, labels=False)
    zoom = 1200 / 30
    assert (empty != full).any(axis=-1).sum() > len(names) * 0.02 * zoom**2
    changed = draw(crowd, width=160, height=120) != draw(bare, width=160, height=120)
    assert changed.any(axis=-1).mean() > 0.1


def test_marks_are_where_things_collide_or_leave_the_room_and_only_when_asked():
    apart = Scene(room(), (), (block("a", 1.5, 1.5), block("b", 4.5, 3.5)))
    meet = apart.moved("b_storage_box", (2.2, 1.5, 0.0))
    out = apart.moved("b_storage_box", (6.2, 3.5, 0.0))
    assert reddish(plan_view(apart, marks=True)) == 0
    assert reddish(plan_view(meet)) == 0
    assert reddish(plan_view(meet, marks=True)) > reddish(plan_view(out, marks=True)) > 100


@pytest.mark.parametrize("size", [32, 96, 512])
def test_labels_stay_within_the_frame_whatever_is_written_where(size):
    long = "W" * 64
    items = [
        replace(block("a", x, y), id=f"{long[: 60 - n]}{n}")
        for n, (x, y) in enumerate([(0.5, 0.5), (5.5, 4.5), (-3.0, 9.0), (80.0, -70.0)])
    ]
    scene = Scene(room(), (), tuple(items))
    with_labels, bare = (plan_view(scene, size=size, labels=on) for on in (True, False))
    rows, columns = np.nonzero((with_labels != bare).any(axis=-1))
    assert rows.min() > 0
    assert rows.max() < size - 1
    assert columns.min() > 0
    assert columns.max() < size - 1


def test_an_id_is_cut_where_labels_end():
    def labelled(name):
        only = replace(block("a", 3.0, 2.5), id=name, relations=FLOOR)
        return plan_view(Scene(room(), (), (only,))).tobytes()

    start = "1_" + "a" * LONGEST_LABEL
    assert labelled(start + "b") == labelled(start + "c")
    assert labelled("1_ab") != labelled("1_ac")


def test_labels_of_a_heap_of_things_are_all_there():
    names = "abcdef"
    items = tuple(block(n, 3.0 + 0.01 * k, 2.5) for k, n in enumerate(names))
    scene = Scene(room(), (), items)
    for name in names:
        less = scene.without(f"{name}_storage_box")
        assert plan_view(scene).tobytes() != plan_view(less).tobytes()


@pytest.mark.parametrize("work", [settled, bullet_picture])
def test_without_pybullet_one_is_told_what_to_install(scene, monkeypatch, work):
    monkeypatch.setitem(sys.modules, "pybullet", None)
    with pytest.raises(MissingExtra, match=r"gymposium\[rooms\]"):
        work(scene)
