"""Rooms by grammar: shells, wishes, and what comes of them when they are placed and executed."""

from __future__ import annotations

import numpy as np
import pytest

from gymposium.envs.rooms.bodies import supports
from gymposium.envs.rooms.catalogue import category
from gymposium.envs.rooms.execute import execute
from gymposium.envs.rooms.grades import grade
from gymposium.envs.rooms.grammar import shell, thing, things
from gymposium.envs.rooms.layout import layout, scene_of
from gymposium.envs.rooms.metrics import measure
from gymposium.envs.rooms.placing import place
from gymposium.envs.rooms.room_types import Where, Wish, room_type, room_types
from gymposium.envs.rooms.scene import ROOM, Item, RelationKind, Room, Scene, wall_of
from tests.envs.rooms.samples import FLOOR


@pytest.mark.parametrize("name", sorted(room_types()))
def test_a_shell_has_a_door_and_windows_in_different_walls(name: str) -> None:
    kind = room_type(name)
    for seed in range(10):
        empty = shell(kind, np.random.default_rng(seed))
        for side, low, high in zip(empty.room.size, kind.low, kind.high, strict=True):
            assert low - 0.05 <= side <= high + 0.05
        sides = [wall_of(empty.room, opening) for opening in empty.openings]
        assert len({wall.name for wall in sides}) == len(sides) >= 2
        assert [o.kind for o in empty.openings].count("door") == 1
        for wall, opening in zip(sides, empty.openings, strict=True):
            assert opening.rotation == wall.yaw
            x, y, z = opening.location
            along = y if wall.normal[0] else x
            assert opening.size[1] / 2 <= along <= wall.length - opening.size[1] / 2
            assert z + opening.size[2] < empty.room.height
            assert wall.normal[0] * x + wall.normal[1] * y == pytest.approx(wall.offset)


@pytest.fixture(scope="module")
def made() -> dict[str, tuple[Scene, tuple[str, ...]]]:
    """A room of each type, executed, and what found no place."""
    rooms = {}
    for name, kind in room_types().items():
        rng = np.random.default_rng(11)
        empty = shell(kind, rng)
        placement = place(empty, things(kind, empty, rng), rng)
        keep = kind.keeps(placement.scene)
        done = execute(placement.scene, rng, keep=keep)
        rooms[name] = done.scene, placement.left_out
    return rooms


@pytest.mark.parametrize("name", sorted(room_types()))
def test_the_wishes_fill_every_role_and_keep_to_sizes(name: str) -> None:
    kind = room_type(name)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        empty = shell(kind, rng)
        wanted = things(kind, empty, rng)
        assert all(kind.filled(wanted).values())
        ids = {item.id for item in wanted}
        assert len(ids) == len(wanted)
        for item in wanted:
            row = category(item.category)
            assert item.category in kind.plausible
            assert item.relations
            assert all(r.parent in ids or r.parent == ROOM for r in item.relations)
            assert all(s <= high + 1e-9 for s, high in zip(item.size, row.high, strict=True))


@pytest.mark.parametrize("wide", [0.85, 1.14, 1.3])
def test_what_goes_into_a_shelf_is_made_no_larger_than_a_board(wide: float) -> None:
    rng = np.random.default_rng(0)
    room = Room("library", (5.0, 4.0))
    shelf = Item("1_low_shelf", "low_shelf", (2.0, 2.0, 0.0), 0.0, (0.33, wide, 0.75), FLOOR)
    wish = Wish("books", where=(Where(RelationKind.ON, "low_shelf"),))
    board = next(support.size for support in supports(shelf) if support.inner)
    for _ in range(20):
        books = thing(wish, shelf, Scene(room), [], rng)
        assert books.size[0] <= board[0]
        assert books.size[1] <= board[1]


def test_what_is_there_already_is_furnished_on() -> None:
    kind = room_type("bedroom")
    rng = np.random.default_rng(0)
    empty = shell(kind, rng)
    bed = place(empty, things(kind, empty, rng, only=["double_bed"]), rng).scene
    more = things(kind, bed, rng, only=["nightstand"])
    assert [item.category for item in more] == ["nightstand"] * 2
    assert all(item.relations[-1].parent == bed.items[0].id for item in more)


@pytest.mark.parametrize("name", sorted(room_types()))
def test_a_room_by_grammar_is_sound_and_is_what_it_is_called(
    name: str, made: dict[str, tuple[Scene, tuple[str, ...]]]
) -> None:
    scene, left_out = made[name]
    figures = measure(scene)
    assert (figures.collisions, figures.outside) == (0, 0)
    assert figures.stable_share == 1
    assert len(left_out) <= 0.25 * (len(scene) + len(left_out))
    assert all(room_type(name).filled(scene).values())
    assert grade(scene).total > 28
    exact = scene_of(layout(scene, digits=6))
    again = measure(exact)
    assert (again.collisions, again.outside, again.objects) == (0, 0, figures.objects)
