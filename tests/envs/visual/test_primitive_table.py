"""Picking, placing and pushing by rule, and by pybullet where the two agree and where not."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gymposium.envs.registry import make_world
from gymposium.envs.visual.primitive_table import CUBE, Drawer, Item, Limits, Table
from gymposium.envs.visual.primitive_tasks import TASKS
from gymposium.envs.visual.primitive_view import picture
from gymposium.errors import MissingExtra

LIMITS = Limits((-100, 150), (-200, 200), (10, 200))
physical = pytest.mark.skipif(sys.version_info >= (3, 12), reason="pybullet has no wheel")


def cubes(*places, kind=Table):
    names = ("red_cube", "green_cube", "purple_cube")
    items = [Item(name, CUBE, place) for name, place in zip(names, places, strict=False)]
    return kind(items, LIMITS)


def apart(one, two):
    return np.abs(np.subtract(one.place, two.place))


def places(table):
    return [item.place for item in table.items]


def test_pick_lifts_what_has_its_middle_within_20_mm():
    for offset, taken in (((14, 14, 0), True), ((20, 0, 20), True), ((15, 14, 0), False)):
        table = cubes((0.0, 0.0, 20.0))
        assert table.pick(np.add((0, 0, 20), offset)) == taken
        assert (table.held == 0) == taken
        assert table.items[0].place == ((0, 0, 200) if taken else (0, 0, 20))
    assert not cubes((0.0, 0.0, 20.0)).pick((0, 0, 41))


def test_pick_takes_nothing_with_a_full_hand_or_from_under_something():
    table = cubes((0.0, 0.0, 20.0), (0.0, 0.0, 60.0), (100.0, 0.0, 20.0))
    assert not table.pick((0, 0, 20))
    assert table.pick((0, 0, 60))
    assert not table.pick((100, 0, 20))
    assert table.held == 1


def test_place_lets_down_onto_what_is_under_it():
    table = cubes((0.0, 0.0, 20.0), (100.0, 0.0, 20.0))
    assert not table.put((0, 0, 20))  # nothing to let go of
    table.pick((100, 0, 20))
    assert table.put((10, -10, 180))
    assert places(table)[1] == (10, -10, 60)
    assert table.held is None


def test_place_twenty_to_forty_off_tips_off_to_that_side():
    table = cubes((0.0, 0.0, 20.0), (100.0, 100.0, 20.0))
    table.pick((100, 100, 20))
    table.put((30, 12, 60))
    x, y, z = places(table)[1]
    assert z == 20
    assert (x, y) == pytest.approx((40, 16))


def test_what_tips_off_may_come_to_lie_on_the_next_thing():
    table = cubes((0.0, 0.0, 20.0), (42.0, 0.0, 20.0), (-100.0, 0.0, 20.0))
    table.pick((-100, 0, 20))
    table.put((0, 30, 60))
    assert places(table)[2] == (0, 40, 20)
    table.pick((0, 40, 20))
    table.put((18, 0, 60))
    assert places(table)[2][2] == 60


def test_actions_are_clipped_to_the_workspace():
    table = cubes((140.0, 0.0, 20.0))
    assert table.pick((159, 0, 20))
    table.put((999, 999, 999))
    assert places(table)[0] == (150, 200, 20)


def test_push_moves_a_cube_by_the_whole_way_with_what_it_meets():
    table = cubes((0.0, 0.0, 20.0), (80.0, 10.0, 20.0), (0.0, 100.0, 20.0))
    assert table.push((0, 0, 20), (100, 0, 20))
    assert places(table) == [(100, 0, 20), (140, 10, 20), (0, 100, 20)]
    assert not table.push((0, 0, 20), (50, 0, 20))  # nothing is there any more


def test_push_carries_what_stands_on_top_and_a_pushed_top_comes_down():
    table = cubes((0.0, 0.0, 20.0), (0.0, 0.0, 60.0))
    assert table.push((0, 0, 20), (50, 0, 20))
    assert places(table) == [(50, 0, 20), (50, 0, 60)]
    assert table.push((50, 0, 60), (110, 0, 60))
    assert places(table) == [(50, 0, 20), (110, 0, 20)]


def test_a_tower_pushed_against_goes_along():
    table = cubes((-60.0, 0.0, 20.0), (0.0, 0.0, 20.0), (0.0, 5.0, 60.0))
    table.push((-60, 0, 20), (-20, 0, 20))
    assert places(table) == [(-20, 0, 20), (20, 0, 20), (20, 5, 60)]


def test_what_would_tip_to_and_fro_between_two_things_lies_across_both():
    table = cubes((0.0, 0.0, 20.0), (61.0, 0.0, 20.0), (100.0, 100.0, 20.0))
    table.pick((100, 100, 20))
    table.put((30, 5, 60))  # too far from either's middle to stand on one, and no room between
    assert places(table)[2] == (30, 5, 60)
    table.pick((30, 5, 60))
    table.put((21, 0, 60))  # off balance: only the first is under it
    assert places(table)[2] == pytest.approx((30.5, 0, 60))


def test_what_lies_across_two_things_covers_both_and_falls_when_one_goes():
    table = cubes((0.0, 0.0, 20.0), (61.0, 0.0, 20.0), (30.0, 0.0, 60.0))
    assert not table.pick((0, 0, 20))
    assert not table.pick((61, 0, 20))
    assert table.push((61, 0, 20), (61, -150, 20))
    assert places(table) == [(0, 0, 20), (61, -150, 20), pytest.approx((40, 0, 20))]


def test_a_tower_of_three_is_pushed_along_and_loses_its_middle_in_order():
    table = cubes((0.0, 0.0, 20.0), (0.0, 0.0, 60.0), (0.0, 0.0, 100.0))
    table.push((0, 0, 20), (50, 0, 20))
    assert places(table) == [(50, 0, 20), (50, 0, 60), (50, 0, 100)]
    table.push((50, 0, 60), (100, 0, 60))
    assert places(table) == [(50, 0, 20), (100, 0, 20), (100, 0, 60)]


skills = st.lists(
    st.tuples(
        st.sampled_from(["pick", "put", "push"]),
        st.tuples(st.integers(-100, 150), st.integers(-200, 200), st.sampled_from([20, 60])),
        st.integers(0, 2),
        st.tuples(st.integers(-30, 30), st.integers(-30, 30)),
    ),
    max_size=12,
)


@settings(max_examples=60, deadline=None)
@given(skills, st.integers(0, 99))
def test_whatever_is_done_things_rest_on_something_and_never_in_one_another(done, seed):
    items, _ = TASKS["stack"].start(np.random.default_rng(seed))
    table = Table(items, LIMITS)
    for skill, at, index, offset in done:
        near = np.array(table.items[index].place)
        if skill == "pick":
            table.pick(near)
        elif skill == "put":
            table.put(np.add(near, (*offset, 40)) if offset[0] > 0 else at)
        else:
            table.push(near, at)
        standing = [item for i, item in enumerate(table.items) if i != table.held]
        for i, one in enumerate(standing):
            foot = one.place[2] - one.half
            others = standing[:i] + standing[i + 1 :]
            under = [two for two in others if apart(one, two)[:2].max() < 40]
            assert foot == pytest.approx(0) or any(
                foot == pytest.approx(two.top) for two in under
            ), (one, under)
            for two in others:
                # No looser than the places are exact: the rules leave two things 40 apart.
                assert apart(one, two).max() >= 40 - 1e-6, (one, two)


def kitchen(kind=Table):
    items, drawer = TASKS["drawer"].start(np.random.default_rng(0))
    return kind(items, TASKS["drawer"].limits, drawer)


def test_the_drawer_begins_sixty_percent_open_and_its_face_shuts_it():
    table = kitchen()
    assert table.drawer.opening == 0.6 * table.drawer.travel
    x, y, z = table.drawer.face
    assert not table.push((x, y, z), (x, y + 50, z))
    assert table.push((x, y + 15, z), (x, y - 45, z))
    assert table.drawer.opening == pytest.approx(120)
    assert table.push((x, y, z), (x, y - 999, z))
    assert table.drawer.opening == 0


def test_what_lies_in_the_drawer_goes_in_with_it_and_cannot_be_had_then():
    table = kitchen()
    assert table.pick(table.items[0].place)
    x, y, _ = table.drawer.centre
    table.put((x, y + 55, 400))
    before = places(table)[0]
    assert before[2] == table.drawer.floor + 35
    face = np.array(table.drawer.face)
    table.push(face, face - (0, 180, 0))
    assert places(table)[0] == (before[0], before[1] - 180, before[2])
    assert not table.pick(places(table)[0])
    assert all(TASKS["drawer"].reached(table))


def test_the_picture_shows_what_is_moved_and_what_is_held():
    table = cubes((100.0, -100.0, 20.0), (100.0, 100.0, 20.0))
    shots = [picture(table, {}, 60)]
    table.pick((100, -100, 20))
    shots.append(picture(table, {}, 60))
    table.put((0, 0, 20))
    shots.append(picture(table, {}, 60))
    assert shots[0].shape == (60, 60, 3)
    assert len({shot.tobytes() for shot in shots}) == 3


@pytest.mark.parametrize("corner", [(x, y) for x in (-100, 150) for y in (-200, 200)])
def test_every_place_of_the_workspace_is_in_the_picture_left_of_what_is_right(corner):
    table = cubes((*map(float, corner), 20.0))
    red = picture(table, {}, 100).astype(int)
    rows, columns = np.nonzero((red[..., 0] > 120) & (red[..., 1] < 90) & (red[..., 2] < 90))
    assert len(rows) > 15
    assert (columns.mean() < 50) == (corner[1] < 0)
    assert columns.min() > 0
    assert columns.max() < 99
    assert (rows.mean() > 50) == (corner[0] > 0)


# With pybullet.


@physical
def test_physics_agree_with_the_rules_where_nothing_tips():
    from gymposium.envs.visual.primitive_bullet import BulletTable

    for kind in (Table, BulletTable):
        table = cubes((0.0, 0.0, 20.0), (100.0, 100.0, 20.0), (100.0, -100.0, 20.0), kind=kind)
        table.pick((100, 100, 20))
        table.put((0, 5, 60))
        table.push((100, -100, 20), (0, -100, 20))
        assert np.allclose(places(table), [(0, 0, 20), (0, 5, 60), (0, -100, 20)], atol=4)


@physical
def test_physics_topple_and_turn_what_the_rules_only_move():
    from gymposium.envs.visual.primitive_bullet import BulletTable

    table = cubes((0.0, 0.0, 20.0), (100.0, 100.0, 20.0), kind=BulletTable)
    table.pick((100, 100, 20))
    table.put((0, 30, 60))
    assert places(table)[1][2] < 45
    assert np.abs(np.array(table.items[1].turn) - np.eye(3).ravel()).max() > 0.05


@physical
def test_physics_go_on_equally_from_equal_states():
    from gymposium.envs.visual.primitive_bullet import BulletTable

    ends = []
    for _ in range(2):
        table = cubes((0.0, 0.0, 20.0), (60.0, 15.0, 20.0), kind=BulletTable)
        table.push((0, 0, 20), (80, 10, 20))
        ends.append(table.items)
    assert ends[0] == ends[1]


@physical
def test_physics_have_an_apple_in_a_drawer():
    from gymposium.envs.visual.primitive_bullet import BulletTable

    table = kitchen(BulletTable)
    table.pick(table.items[0].place)
    x, y, _ = table.drawer.centre
    table.put((x, y + 55, 300))
    face = np.array(table.drawer.face)
    table.push(face, face - (0, 180, 0))
    assert all(TASKS["drawer"].reached(table))


@physical
def test_pybullet_draws_the_same_scene():
    shots = [
        make_world("primitive_skill-v0", task="place", renderer=renderer, size=60).reset(1)
        for renderer in ("rays", "tiny")
    ]
    red = []
    for turns in shots:
        image = turns["player_0"].images[0].astype(int)
        found = np.argwhere((image[..., 0] > 110) & (image[..., 1:].max(axis=2) < 80))
        red.append(found.mean(axis=0))
    assert np.allclose(red[0], red[1], atol=3)


def test_without_pybullet_physics_name_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pybullet", None)
    for params in ({"physics": "bullet"}, {"renderer": "tiny"}):
        with pytest.raises(MissingExtra, match="rooms"):
            make_world("primitive_skill-v0", **params)
    make_world("primitive_skill-v0", size=16).reset(0)


def test_a_drawer_knows_what_is_under_its_cabinet():
    drawer = Drawer(0.0)
    assert drawer.covers((-300, -400, 200))
    assert not drawer.covers((-300, -200, 200))
    assert not drawer.covers((-300, -400, 500))
