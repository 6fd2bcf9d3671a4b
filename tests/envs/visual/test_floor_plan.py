"""Walking through floor plans, held against geometry done the slow way."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gymposium.envs.visual.floor_plan import (
    BODY,
    STEP,
    FloorPlan,
    Rectangle,
    Room,
    Thing,
    bearing,
    direction,
    moves_to,
)
from gymposium.envs.visual.floor_plan_maker import make_plan
from gymposium.envs.visual.floor_plan_view import Body, from_above, seen
from gymposium.envs.visual.furniture import furniture
from gymposium.envs.visual.navigation import ACTIONS, moved

HALL = FloorPlan((Room("living", Rectangle(-5, -5, 5, 5)),), (Rectangle(-5, 4.9, 5, 5),), ())


def with_things(*things):
    return FloorPlan(HALL.rooms, HALL.walls, things)


@pytest.mark.parametrize(
    ("angle", "word"),
    [
        (0, "ahead"),
        (45, "ahead"),
        (-45, "ahead"),
        (45.01, "right"),
        (-45.01, "left"),
        (135, "right"),
        (-135, "left"),
        (135.01, "back"),
        (-135.01, "back"),
        (180, "back"),
    ],
)
def test_directions_change_at_45_and_135_degrees(angle, word):
    assert direction(angle) == word


def test_bearings_are_clockwise_from_ahead_within_180_degrees():
    assert bearing(0, 0, 0, (0, 1)) == 0
    assert bearing(0, 0, 0, (1, 0)) == 90
    assert bearing(0, 0, 90, (0, 1)) == -90
    assert bearing(0, 0, 180, (0, 1)) == 180
    assert bearing(0, 0, 270, (1, 0)) == 180
    assert bearing(1, 1, 0, (2, 2)) == pytest.approx(45)


def test_four_turns_to_the_right_are_none():
    body = Body(0.3, 0.7, 90.0, 0.0)
    turned = body
    for _ in range(4):
        turned, went = moved(HALL, turned, "rotateright")
        assert went
    assert turned == body


@pytest.mark.parametrize("yaw", [0, 90, 180, 270, 30])
def test_there_and_back_is_the_same_place_if_nothing_is_in_the_way(yaw):
    body = Body(0.3, 0.7, float(yaw), 0.0)
    for there, back in (("moveahead", "moveback"), ("moveright", "moveleft")):
        away, went = moved(HALL, body, there)
        assert went
        assert np.hypot(away.x - body.x, away.z - body.z) == pytest.approx(STEP)
        assert moved(HALL, away, back) == (body, True)


def test_moves_go_where_one_looks():
    body = Body(0.0, 0.0, 90.0, 0.0)
    assert moved(HALL, body, "moveahead")[0][:2] == (0.5, 0.0)
    assert moved(HALL, body, "moveright")[0][:2] == (0.0, -0.5)
    assert moved(HALL, body, "moveleft")[0][:2] == (0.0, 0.5)


def test_one_looks_30_degrees_up_and_60_down_and_no_farther():
    body, tilts = Body(0, 0, 0, 0), []
    for action in ("lookup", "lookup", "lookdown", "lookdown", "lookdown", "lookdown"):
        body, went = moved(HALL, body, action)
        tilts.append((body.horizon, went))
    assert tilts == [(-30, True), (-30, False), (0, True), (30, True), (60, True), (60, False)]


def test_the_body_stops_a_quarter_metre_from_a_wall():
    assert moved(HALL, Body(0, 4.9 - BODY - STEP, 0, 0), "moveahead")[1]
    assert not moved(HALL, Body(0, 4.9 - BODY - STEP + 0.01, 0, 0), "moveahead")[1]


def test_a_move_does_not_jump_over_something_thin():
    plan = FloorPlan(HALL.rooms, (Rectangle(-1, 0.4, 1, 0.41),), ())
    assert not plan.clear([(0, 0.1)], [(0, 0.7)])[0]


def test_what_hangs_or_lies_on_something_is_not_in_the_way():
    plan = with_things(Thing("Painting", 0, 0.5, y=1.3), Thing("Mug", 0, 0.4, y=0.9))
    assert plan.clear([(0, 0)], [(0, 1)])[0]
    assert not with_things(Thing("Chair", 0, 0.5)).clear([(0, 0)], [(0, 1)])[0]


near = st.floats(-2, 2).map(lambda value: round(value, 2))


@settings(max_examples=60, deadline=None)
@given(
    near, near, near, near, st.sampled_from(["Chair", "Ottoman", "Sofa"]), st.sampled_from([0, 90])
)
def test_a_way_is_clear_if_every_point_of_it_is(x, z, a, b, type, yaw):
    thing = Thing(type, 0.0, 0.0, yaw)
    plan = with_things(thing)
    points = np.linspace((x, z), (a, b), 400)
    if thing.kind.round:
        gaps = np.hypot(*points.T) - thing.half[0]
    else:
        out = np.maximum(np.abs(points) - thing.half, 0)
        gaps = np.hypot(*out.T)
    if abs(gaps.min() - BODY) > 0.01:  # nearer, the points are too sparse to tell
        assert plan.clear([(x, z)], [(a, b)])[0] == (gaps.min() > BODY)


def walk(plan, start, goal, near, most):
    """Breadth first by single moves of a body, the slow way."""
    edge, seen = [Body(*start, 0.0, 0.0)], {start}
    for count in range(most + 1):
        if any(np.hypot(it.x - goal[0], it.z - goal[1]) <= near for it in edge):
            return count
        further = []
        for body in edge:
            for action in ACTIONS[:4]:
                there, went = moved(plan, body, action)
                key = (round(there.x, 3), round(there.z, 3))
                if went and key not in seen:
                    seen.add(key)
                    further.append(there)
        edge = further
    return None


@pytest.mark.parametrize("seed", range(3))
def test_the_fewest_moves_are_those_of_a_plain_search(seed):
    rng = np.random.default_rng(seed)
    plan = make_plan(rng, 1)
    x0, z0, x1, z1 = plan.rooms[0].floor
    free = [p for p in rng.uniform((x0, z0), (x1, z1), (60, 2)).round(1) if plan.clear([p], [p])[0]]
    start, goal = tuple(free[0].tolist()), (plan.things[0].x, plan.things[0].z)
    assert moves_to(plan, start, goal, 1.5, 12) == walk(plan, start, goal, 1.5, 12)


@pytest.mark.parametrize("seed", range(12))
def test_things_stand_apart_within_their_rooms_and_each_type_once(seed):
    plan = make_plan(np.random.default_rng(seed), 1 + seed % 3)
    types = [thing.type for thing in plan.things]
    assert len(types) == len(set(types))
    assert len(types) >= 4 * len(plan.rooms) - 2
    standing = [thing for thing in plan.things if thing.kind.blocks]
    for index, one in enumerate(standing):
        assert any(inside(one.foot, room.floor) for room in plan.rooms), one
        for two in standing[:index]:
            a, b = one.foot, two.foot
            assert a.x1 <= b.x0 or b.x1 <= a.x0 or a.z1 <= b.z0 or b.z1 <= a.z0, (one, two)
    for thing in plan.things:
        if thing.kind.place == "top":
            under = [it for it in plan.things if it.type in thing.kind.upon]
            assert any(inside(thing.foot, it.foot, 0.06) for it in under), thing


def inside(foot, floor, slack=0.01):
    return (
        foot.x0 >= floor.x0 - slack
        and foot.x1 <= floor.x1 + slack
        and foot.z0 >= floor.z0 - slack
        and foot.z1 <= floor.z1 + slack
    )


def test_a_plan_survives_being_written_as_json():
    plan = make_plan(np.random.default_rng(3), 3)
    assert FloorPlan.from_plain(json.loads(json.dumps(plan.to_plain()))) == plan


def test_every_type_is_told_apart_by_words_and_by_its_picture():
    kinds = [*furniture().values()]
    for words in ([it.name for it in kinds], [it.use for it in kinds], [it.looks for it in kinds]):
        assert len(set(words)) == len(kinds)
    looks = set()
    for kind in kinds:
        height = 0.9 if kind.place == "top" else kind.height
        plan = with_things(Thing(kind.type, 0, 2, y=height))
        view = seen(plan, Body(0, 0.8, 0, 30), width=48, height=48, view=90)
        assert (view.things == 0).any(), kind.type
        looks.add(view.picture.tobytes())
    assert len(looks) == len(kinds)


def test_things_are_seen_where_their_bearing_says():
    plan = with_things(Thing("Fridge", 1.5, 3.0), Thing("Sofa", -1.5, 3.0))
    view = seen(plan, Body(0, 0, 0, 0), width=60, height=60, view=100)
    columns = [np.argwhere(view.things == thing)[:, 1].mean() for thing in (0, 1)]
    assert columns[0] > 35
    assert columns[1] < 25


def test_what_is_behind_a_wall_is_not_seen():
    plan = FloorPlan(HALL.rooms, (Rectangle(-5, 1, 5, 1.1),), (Thing("Fridge", 0, 3),))
    assert (seen(plan, Body(0, 0, 0, 0), width=40, height=40, view=100).things == -1).all()


def test_the_view_from_above_shows_the_body_move():
    plan = make_plan(np.random.default_rng(1), 2)
    one, two = (from_above(plan, Body(x, 2, 0, 0), (1, 1), width=80, height=60) for x in (1.0, 1.5))
    assert one.shape == (60, 80, 3)
    assert (one != two).any()
