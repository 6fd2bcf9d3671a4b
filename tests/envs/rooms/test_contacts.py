"""#OB and #CN: the thresholds, the exemptions, and what must not change them."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from gymposium.envs.rooms import contacts as module
from gymposium.envs.rooms.bodies import parts, supports
from gymposium.envs.rooms.contacts import collisions, contacts, exempt, outside
from gymposium.envs.rooms.grades import grade
from gymposium.envs.rooms.metrics import measure
from gymposium.envs.rooms.prisms import Packed
from gymposium.envs.rooms.relations import holds
from gymposium.envs.rooms.scene import Item, Relation, Room, Scene

from .samples import FLOOR, K, block, furnished, quarter_turned, random_edit, renamed, room


@pytest.mark.parametrize(("offset", "pairs"), [(0.9, 1), (0.99, 1), (1.0, 0), (1.01, 0)])
def test_two_boxes_collide_until_they_touch(offset: float, pairs: int) -> None:
    scene = Scene(room(), (), (block("1", 1, 1), block("2", 1 + offset, 1)))
    assert len(collisions(scene)) == pairs


@pytest.mark.parametrize(("deep", "counts"), [(0.0001, False), (0.0009, False), (0.0011, True)])
def test_faces_must_overlap_by_more_than_a_millimetre(deep: float, counts: bool) -> None:
    scene = Scene(room(), (), (block("1", 1, 1), block("2", 2 - deep, 1)))
    (contact,) = contacts(scene)
    assert contact.depth == pytest.approx(deep)
    assert contact.counts is counts


def test_a_deep_contact_of_less_than_a_tenth_of_a_litre_does_not_count() -> None:
    cups = [
        Item(f"{n}_cup", "cup", (1 + 0.03 * n, 1, 0), 0.0, (0.1, 0.08, 0.03), FLOOR)
        for n in range(2)
    ]
    (contact,) = contacts(Scene(room(), (), tuple(cups)))
    assert contact.depth > 0.001
    assert contact.volume < 1e-4
    assert not contact.counts


@pytest.mark.parametrize(("x", "out"), [(0.5, 0), (0.491, 0), (0.489, 1)])
def test_a_box_may_stand_out_of_the_room_by_a_centimetre(x: float, out: int) -> None:
    assert len(outside(Scene(room(), (), (block("1", x, 2),)))) == out


@pytest.mark.parametrize(("x", "out"), [(0.6972, 0), (0.6970, 1)])
def test_of_a_box_turned_by_45_degrees_the_diagonal_decides(x: float, out: int) -> None:
    scene = Scene(room(), (), (block("1", x, 2, rotation=math.pi / 4),))
    assert len(outside(scene)) == out


def test_rugs_and_what_rests_on_a_thing_are_exempt() -> None:
    scene = furnished()
    assert collisions(scene) == []
    sunk = scene.moved("3_lamp", (0.2, 1.42, 0.49))  # still on the nightstand, 1 cm into it
    assert collisions(sunk) == []
    beside = sunk["3_lamp"].relations, (Relation("1_bed", K.ONTOP),)
    stranger = sunk.replaced(Item(**{**vars(sunk["3_lamp"]), "relations": beside[1]}))
    assert {c.a for c in collisions(stranger)} == {"2_stand"}
    through = scene.moved("3_lamp", (0.2, 1.42, 0.2))  # half inside: the relation does not hold
    assert len(collisions(through)) == 1


def test_all_pairs_at_once_find_what_one_pair_at_a_time_does() -> None:
    rng, met, let = np.random.default_rng(3), 0, 0
    sunk = furnished().moved("3_lamp", (0.2, 1.42, 0.49))  # 1 cm into what it stands on
    for _ in range(30):
        scene = random_edit(random_edit(sunk, rng), rng)
        expected = []
        for a, b in itertools.combinations(scene, 2):
            found = Packed([parts(a), parts(b)]).all_pairs()
            volume, depth = float(found.volume[0, 1]), float(found.depth[0, 1])
            if volume > 0.0 and not exempt(scene, a, b, depth):
                expected.append((a.id, b.id, depth, volume, tuple(found.push[0, 1].tolist())))
            let += volume > 0.0 and exempt(scene, a, b, depth)
        assert contacts(scene) == expected
        met += len(expected)
    assert met
    assert let


def test_the_contacts_of_a_scene_are_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def counted(bodies: object) -> Packed:
        calls.append(bodies)
        return Packed(bodies)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "Packed", counted)
    scene = Scene(room(), (), (block("1", 1, 1), block("2", 1.7, 1.6)))
    contacts(scene).clear()  # a list of one's own
    assert len(collisions(scene)) == measure(scene).collisions == 1
    grade(scene)
    assert len(calls) == 1
    assert len(collisions(scene.moved("2_storage_box", (3.0, 3.0, 0.0)))) == 0


@pytest.mark.parametrize(("wide", "fits"), [(0.3, True), (0.44, False)])
def test_books_through_the_side_of_a_shelf_are_not_in_it(wide: float, fits: bool) -> None:
    shelf = Item("1_shelf", "low_shelf", (3.0, 2.5, 0.0), 0.0, (0.33, 1.14, 0.75), FLOOR)
    board = supports(shelf)[0]
    inside = (Relation("1_shelf", K.ON),)
    books = Item("2_books", "books", (*board.centre, board.z), 0.0, (0.2, wide, 0.22), inside)
    scene = Scene(room(), (), (shelf, books))
    assert holds(scene, books, inside[0]) == fits
    assert (collisions(scene) == []) == fits


def test_what_rests_on_a_thing_and_sticks_into_it_collides_with_it() -> None:
    desk = Item("1_desk", "reception_desk", (3.0, 2.5, 0.0), 0.0, (0.85, 2.0, 1.1), FLOOR)
    (top,) = (support for support in supports(desk) if support.z < 1.0)
    onto = (Relation("1_desk", K.ONTOP),)
    for deep, pairs in ((top.size[0], 0), (0.7, 1)):  # behind the raised front; into it
        box = Item("2_box", "storage_box", (*top.centre, top.z), 0.0, (deep, 0.5, 0.2), onto)
        scene = Scene(room(), (), (desk, box))
        assert holds(scene, box, onto[0])
        assert len(collisions(scene)) == pairs


def test_a_chair_under_a_table_and_a_book_in_a_shelf_do_not_collide() -> None:
    table = Item("1_table", "dining_table", (3, 2, 0), 0.0, (0.9, 1.6, 0.75), FLOOR)
    stool = Item("2_stool", "stool", (3, 2, 0), 0.0, (0.36, 0.36, 0.45), FLOOR)
    shelf = Item("3_shelf", "bookshelf", (1, 4, 0), 0.0, (0.35, 0.8, 1.8), FLOOR)
    book = Item("4_books", "books", (1, 4, 0.4), 0.0, (0.2, 0.3, 0.22), FLOOR)
    assert contacts(Scene(room(), (), (table, stool, shelf, book))) == []


def test_names_order_and_a_turn_of_the_room_change_no_figure() -> None:
    scene = furnished().with_items(
        block("10", 3, 2.5), block("11", 3.4, 2.9), block("12", 5.9, 0.2)
    )
    figures, grades = measure(scene), grade(scene)
    assert figures.collisions == 1
    assert figures.outside == 1
    for other in (renamed(scene), quarter_turned(scene)):
        again, graded_anew = measure(other), grade(other)
        assert again.objects == figures.objects
        assert again.collisions == figures.collisions
        assert again.outside == figures.outside
        assert again.collided_share == figures.collided_share
        assert again.stable_share == figures.stable_share
        assert again.navigability == pytest.approx(figures.navigability, abs=0.02)
        assert again.covered == pytest.approx(figures.covered)
        for name in ("realism", "function", "layout", "completion"):
            assert getattr(graded_anew, name) == pytest.approx(getattr(grades, name), abs=0.05)


def test_removing_things_never_adds_to_them() -> None:
    scene = furnished()
    for item in scene:
        fewer = scene.without(item.id)
        assert measure(fewer).objects <= measure(scene).objects
        assert item.id not in fewer
    assert "3_lamp" not in scene.without("2_stand")


def test_an_empty_room_has_no_figures() -> None:
    empty = Scene(Room("bedroom", (4.0, 4.0)))
    figures = measure(empty)
    assert (figures.objects, figures.collisions, figures.outside) == (0, 0, 0)
    assert grade(empty).function == 0


def test_a_bed_alone_makes_no_bedroom() -> None:
    bed = Item("1_bed", "double_bed", (1.05, 2, 0), 0.0, (2.0, 1.6, 1.0), FLOOR)
    grades = grade(Scene(Room("bedroom", (4.0, 4.0)), (), (bed,)))
    assert 0 < grades.function <= 5
    assert grades.completion < 5
    assert "storage" in grades.comments[1]
