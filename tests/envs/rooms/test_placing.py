"""First places: everything wished stands as wished, or is said to be left out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gymposium.envs.rooms import placing
from gymposium.envs.rooms.contacts import collisions, outside
from gymposium.envs.rooms.placing import place
from gymposium.envs.rooms.relations import broken
from gymposium.envs.rooms.scene import ROOM, Item, Relation, Room, Scene
from gymposium.envs.rooms.zones import all_shares, before, door_zones, front_zone, zone_of

from .samples import FLOOR, K, block, furnished, room


@pytest.fixture(scope="module")
def refurnished() -> tuple[Scene, tuple[str, ...]]:
    """The sample room, emptied and furnished anew with the same things."""
    scene = furnished()
    placement = place(replace(scene, items=()), scene.items, np.random.default_rng(1))
    return placement.scene, placement.left_out


def test_everything_stands_as_its_relations_say(
    refurnished: tuple[Scene, tuple[str, ...]],
) -> None:
    scene, left_out = refurnished
    assert left_out == ()
    assert {item.id for item in scene} == {item.id for item in furnished()}
    assert collisions(scene) == []
    assert outside(scene) == ()
    assert not any(broken(scene, item) for item in scene)


def test_nothing_stands_before_the_door(refurnished: tuple[Scene, tuple[str, ...]]) -> None:
    scene, _ = refurnished
    (zone,) = door_zones(scene)
    assert all(zone.shares(zone_of(item)) == 0 for item in scene if item.category != "rug")


def test_the_same_seed_gives_the_same_room_and_another_another() -> None:
    scene = furnished()
    empty = replace(scene, items=())
    things = scene.items[:5]
    first, again, other = (
        place(empty, things, np.random.default_rng(seed)).scene for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_the_search_goes_back_for_what_no_longer_fits() -> None:
    """A large box in the middle of a short wall leaves no room for the second one."""
    at_wall = (*FLOOR, Relation(ROOM, K.AGAINST_WALL))
    boxes = [
        block(str(n), 0, 0, size=(1.0, 1.0, h), relations=at_wall) for n, h in enumerate((1, 1))
    ]
    scene = Scene(Room("bedroom", (2.2, 1.2)))
    for seed in range(5):
        placement = place(scene, boxes, np.random.default_rng(seed))
        assert placement.left_out == ()
        assert collisions(placement.scene) == []


def test_what_finds_no_place_is_named_with_its_children_and_nothing_is_forced() -> None:
    big = block("1", 0, 0, size=(3.0, 3.0, 1.0))
    cup = Item("2_cup", "cup", (0, 0, 0), 0.0, (0.1, 0.08, 0.09), (Relation(big.id, K.ONTOP),))
    small = block("3", 0, 0)
    scene = Scene(Room("bedroom", (2.5, 2.5)))
    placement = place(scene, [big, cup, small], np.random.default_rng(0))
    assert set(placement.left_out) == {big.id, "2_cup"}
    assert [item.id for item in placement.scene] == [small.id]


def test_what_was_there_stays_where_it_was() -> None:
    scene = furnished()
    more = [block(str(n), 0, 0, size=(0.5, 0.5, 0.5)) for n in range(20, 24)]
    after = place(scene, more, np.random.default_rng(0)).scene
    assert after.items[: len(scene)] == scene.items


def test_zones_lie_before_doors_and_fronts() -> None:
    scene = furnished()
    door = scene.openings[0]
    for span, wanted in zip(before(door, 0.9), ((4.55, 5.45), (0, 0.9), (0.03, 2)), strict=True):
        assert span == pytest.approx(wanted)
    desk = front_zone(scene["4_desk"])
    assert desk is not None
    assert desk.x == pytest.approx((5.25 - 0.8, 5.25))
    assert front_zone(scene["8_rug"]) is None
    assert zone_of(block("1", 2, 2)).volume == pytest.approx(1.0)
    assert zone_of(block("1", 2, 2)).shares(zone_of(block("2", 2.5, 2))) == pytest.approx(0.5)
    assert room().size == (6.0, 5.0)


def test_what_many_zones_share_is_what_each_two_share_to_the_last_digit() -> None:
    zones = [zone_of(item) for item in furnished()]
    strips = [front for item in furnished() if (front := front_zone(item)) is not None]
    found = all_shares(strips, zones)
    assert found.tolist() == [[ahead.shares(zone) for zone in zones] for ahead in strips]
    assert found.max() > 0
    assert (found == 0).any()


def test_a_search_that_nothing_can_help_ends_after_so_many_looks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked = 0
    cost = placing._Taste.cost

    def counted(self: placing._Taste, pose: Item) -> float:
        nonlocal looked
        looked += 1
        return cost(self, pose)

    monkeypatch.setattr(placing._Taste, "cost", counted)
    shelf = Item("1_bookshelf", "bookshelf", (2.0, 0.2, 0.0), np.pi / 2, (0.3, 0.8, 1.8), FLOOR)
    on = (Relation("1_bookshelf", K.ON),)
    crowd = [
        Item(f"{n}_books", "books", (0.0, 0.0, 0.0), 0.0, (0.2, 0.3, 0.25), on)
        for n in range(2, 32)
    ]
    found = place(Scene(Room("library", (4.0, 4.0)), (), (shelf,)), crowd, np.random.default_rng(0))
    assert len(found.left_out) > 10
    a_thing = placing.SAMPLES * placing._SAMPLE
    assert looked <= placing.LOOKS + len(crowd) * a_thing + 5 * a_thing
