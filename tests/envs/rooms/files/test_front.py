"""Houses of 3D-FRONT and sampled boxes: a small one of each, written by hand, and broken ones."""

from __future__ import annotations

import copy
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gymposium.envs.rooms.files import read
from gymposium.envs.rooms.files.front import front_room
from gymposium.envs.rooms.files.physcene import physcene_room
from gymposium.envs.rooms.scene import Relation, RelationKind, Scene
from gymposium.errors import UnknownName, UsageError

UP = [0.0, 0.0, 0.0, 1.0]


def about_y(degrees: float) -> list[float]:
    half = math.radians(degrees) / 2
    return [0.0, math.sin(half), 0.0, math.cos(half)]


def slab(uid: str, kind: str, low: tuple[float, ...], high: tuple[float, ...]) -> dict[str, Any]:
    """A mesh: the rectangle between two corners, in two triangles."""
    (a, b, c), (d, e, f) = low, high
    flat = b == e
    corners = [(a, b, c), (d, b, c), (d, e, f), (a, e, f)] if flat else []
    corners = corners or [(a, b, c), (d, b, f), (d, e, f), (a, e, c)]
    return {
        "uid": uid, "jid": "", "type": kind, "faces": [0, 1, 2, 0, 2, 3],
        "xyz": [number for corner in corners for number in corner],
    }  # fmt: skip


def child(ref: str, pos: list[float], degrees: float = 0.0, **more: Any) -> dict[str, Any]:
    return {
        "ref": ref, "pos": pos, "rot": about_y(degrees), "scale": [1, 1, 1],
        "instanceid": f"furniture/{ref}", **more,
    }  # fmt: skip


def house() -> dict[str, Any]:
    """A bedroom of 4 x 3 m between x = 10 and 14 and z = -3 and 0, and an empty hall."""
    furniture = [
        {"uid": "1/model", "jid": "8f0a", "aid": [], "title": "bed/king-size bed", "valid": True,
         "category": "King-size Bed", "bbox": [1.8, 1.1, 2.1]},
        {"uid": "2/model", "jid": "77c1", "title": "cabinet", "valid": True,
         "category": "Nightstand", "bbox": [0.5, 0.5, 0.4]},
        {"uid": "3/model", "jid": "5d22", "title": "lighting/pendant lamp", "valid": True,
         "category": None, "size": [0.5, 0.6, 0.5]},
        {"uid": "4/model", "jid": "1111", "title": "curtain", "category": "curtain",
         "bbox": [1, 2, 0.1], "valid": True},
        {"uid": "5/model", "jid": "2222", "category": "Dining Chair", "bbox": [0.5, 0.9, 0.5],
         "valid": False},
        {"uid": "6/model", "jid": "3333", "category": "armchair", "valid": True},
    ]  # fmt: skip
    meshes = [
        slab("f", "Floor", (10, 0, -3), (14, 0, 0)),
        slab("w", "WallInner", (10, 0, -3), (14, 2.7, -3)),
        slab("d", "Door", (13, 0, -3), (13.8, 2.0, -3)),
        slab("v", "Window", (14, 0.9, -2), (14, 2.1, -1)),
        slab("t", "Door", (11.5, 0, -1.5), (12.5, 2.0, -1.5)),
    ]
    children = [
        child("1/model", [11.06, 0, -1.5], 90),
        child("2/model", [10.21, 0, -0.3], 90),
        child("3/model", [12, 2.1, -1.5]),
        child("4/model", [12, 0, -2.9]),
        child("5/model", [12, 0, -2]),
        child("6/model", [13.4, 0, -0.6], 180, scale=[1, 1.0, 1]),
        child("gone", [0, 0, 0]),
        {**child("2/model", [12, 0, -1]), "rot": [0.3, 0, 0, 0.954]},
        *(child(uid, [0, 0, 0]) for uid in "fwdvt"),
    ]
    rooms = [
        {"type": "MasterBedroom", "instanceid": "MasterBedroom-1", "children": children},
        {"type": "Hallway", "instanceid": "Hallway-2", "children": []},
    ]
    return {"uid": "h", "furniture": furniture, "mesh": meshes, "scene": {"room": rooms}}


def test_a_room_of_a_house_is_where_it_was() -> None:
    made = front_room(house())
    scene = made.scene
    assert scene.room.type == "bedroom"
    assert (*scene.room.size, scene.room.height) == pytest.approx((4, 3, 2.7))
    bed, stand, lamp, chair = scene.items
    assert [item.category for item in scene] == [
        "double_bed", "nightstand", "ceiling_lamp", "armchair"
    ]  # fmt: skip
    # Our y runs against their z from the floor's far edge, and our sizes are depth, width, height.
    assert bed.location == pytest.approx((1.06, 1.5, 0))
    assert bed.size == pytest.approx((2.1, 1.8, 1.1))
    # What faces +z and is turned by 90 degrees about y faces +x: its back is to the wall x = 0.
    assert bed.rotation == pytest.approx(0.0)
    assert Relation("room", RelationKind.AGAINST_WALL) in bed.relations
    assert stand.location == pytest.approx((0.21, 0.3, 0))
    assert Relation("room", RelationKind.HANGING) in lamp.relations
    assert math.remainder(chair.rotation - math.pi / 2, 2 * math.pi) == pytest.approx(0)


def test_doors_and_windows_are_in_their_walls() -> None:
    door, window = front_room(house()).scene.openings
    assert (door.kind, window.kind) == ("door", "window")
    assert door.location == pytest.approx((3.4, 3.0, 0.0))
    assert door.size == pytest.approx((0.1, 0.8, 2.0))
    assert door.rotation == pytest.approx(-math.pi / 2)
    assert window.location == pytest.approx((4.0, 1.5, 0.9))
    assert window.size == pytest.approx((0.1, 1.0, 1.2))


def test_what_cannot_be_taken_over_is_listed() -> None:
    made = front_room(house())
    said = "\n".join(made.left_out)
    assert len(made.left_out) == 5
    assert "scene.room[0].children[3]: nothing in the catalogue is like 'curtain'" in said
    assert "children[4]: '5/model' is marked not valid" in said
    assert "children[6]: nothing in the file is called 'gone'" in said
    assert "children[7]: it is tilted" in said
    assert "children[12]: it is in no wall" in said
    assert any("children[5]: has no size" in note for note in made.notes)


def test_of_several_furnished_rooms_one_must_be_named() -> None:
    document = house()
    document["scene"]["room"][1]["children"] = [child("2/model", [0, 0, 0])]
    with pytest.raises(UsageError, match="MasterBedroom-1, Hallway-2"):
        front_room(document)
    hall = front_room(document, "Hallway-2")
    assert [item.category for item in hall.scene] == ["nightstand"]
    assert "no floor" in hall.notes[0]
    with pytest.raises(UnknownName, match="Hallway-2"):
        front_room(document, "Hallway")


def test_an_odd_floor_becomes_the_rectangle_about_it() -> None:
    document = house()
    document["mesh"][0]["faces"] = [0, 1, 2]
    made = front_room(document)
    assert made.scene.room.size == pytest.approx((4, 3))
    assert "no rectangle" in made.notes[-1] + made.notes[0] + made.notes[1]


def put(document: dict[str, Any], path: str, value: Any) -> None:
    *way, last = [int(step) if step.isdecimal() else step for step in path.split(".")]
    for step in way:
        document = document[step]
    document[last] = value


BED = "scene.room.0.children.0"


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        (f"{BED}.pos", [math.nan, 0, 0], r"scene\.room\[0\]\.children\[0\]\.pos\[0\]"),
        (f"{BED}.pos", [1e9, 0, 0], r"children\[0\]\.pos\[0\]"),
        (f"{BED}.pos", [0, 0], r"children\[0\]\.pos"),
        (f"{BED}.rot", [0, 0, 0, 0], r"children\[0\]\.rot"),
        (f"{BED}.rot", [0, 0, 0, math.inf], r"children\[0\]\.rot\[3\]"),
        (f"{BED}.scale", [-1, 1, 1], r"children\[0\]\.scale\[0\]"),
        (f"{BED}.scale", [900, 1, 1], r"size of scene\.room\[0\]\.children\[0\]"),
        (f"{BED}.ref", 7, r"children\[0\]\.ref"),
        ("furniture.0.bbox", [1, -1, 1], r"furniture\[0\]\.bbox\[1\]"),
        ("furniture.0.bbox", "large", r"furniture\[0\]\.bbox"),
        ("furniture.0.uid", None, r"furniture\[0\]\.uid"),
        ("furniture.0", [], r"furniture\[0\]"),
        ("furniture", {}, "furniture must be a list"),
        ("furniture", [{}] * 50_001, "furniture must be a list of at most"),
        ("mesh.0.xyz", [0.0] * 8, r"mesh\[0\]\.xyz"),
        ("mesh.0.xyz", [0.0] * 300_003, r"mesh\[0\]\.xyz"),
        ("mesh.0.xyz", [0, 0, 0, 0.1, 0, 0, 0, 0, 0.1, 0, 0, 0], r"0\.1 x 0\.1 m"),
        ("mesh.0.faces", [0, 1, 9], r"mesh\[0\]\.faces"),
        ("scene.room", 3, r"scene\.room must be a list"),
        ("scene", None, "scene must be an object"),
        ("scene.room.0.instanceid", ["x"], r"scene\.room\[0\]\.instanceid"),
        ("scene.room.0.children", [child("1/model", [11, 0, -1])] * 501, "at most 500 things"),
    ],
)
def test_a_wrong_field_of_a_house_is_refused_by_name(path: str, value: Any, field: str) -> None:
    document = house()
    put(document, path, value)
    with pytest.raises(UsageError, match=field):
        front_room(document, "MasterBedroom-1")


def boxes() -> dict[str, Any]:
    bed = {
        "path": "/data/3D-FUTURE-model/0a/raw_model.obj", "scale": [1, 1, 1], "label": "double_bed",
        "size": [0.9, 0.5, 1.0], "theta": math.pi / 2, "position": [0.5, -0.004, 0.25],
    }  # fmt: skip
    lamp = {
        "label": "pendant_lamp",
        "size": [0.2, 0.4, 0.2],
        "theta": 0,
        "position": [-1, 2, -0.75],
    }
    odd = {**lamp, "label": "spaceship"}
    return {"ThreedFront": {"0a": [bed], "0b": [lamp, odd]}, "GPN": {}}


def test_sampled_boxes_have_half_sizes() -> None:
    made = physcene_room(boxes())
    bed, lamp = made.scene.items
    assert bed.size == pytest.approx((2.0, 1.8, 1.0))
    assert bed.rotation == pytest.approx(0)
    assert (bed.location[2], lamp.location[2]) == (0.0, 2)
    between = [a - b for a, b in zip(bed.location, lamp.location, strict=True)]
    assert between[:2] == pytest.approx([1.5, -1.0])
    assert made.left_out == ("ThreedFront.0b[1]: nothing in the catalogue is like 'spaceship'",)
    assert made.scene.room.height == pytest.approx(2.8)


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        ("ThreedFront.0a.0.size", [0.9, 0.5, -1], r"ThreedFront\.0a\[0\]\.size\[2\]"),
        ("ThreedFront.0a.0.theta", math.nan, r"ThreedFront\.0a\[0\]\.theta"),
        ("ThreedFront.0a.0.position", [0, 0, 1e7], r"ThreedFront\.0a\[0\]\.position\[2\]"),
        ("ThreedFront.0a.0.label", 3, r"ThreedFront\.0a\[0\]\.label"),
        ("ThreedFront.0a", None, r"ThreedFront\.0a must be a list"),
        ("ThreedFront", [], "ThreedFront must be an object"),
    ],
)
def test_a_wrong_field_of_boxes_is_refused_by_name(path: str, value: Any, field: str) -> None:
    document = boxes()
    put(document, path, value)
    with pytest.raises(UsageError, match=field):
        physcene_room(document)


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)


def places(value: Any, way: str = "") -> list[str]:
    """Every path into a document."""
    steps = value.items() if isinstance(value, dict) else enumerate(value)
    found = []
    for step, inner in steps:
        found.append(f"{way}{step}")
        if isinstance(inner, dict | list):
            found += places(inner, f"{way}{step}.")
    return found


HOUSE, BOXES = house(), boxes()


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.sampled_from(places(HOUSE)), PLAIN), min_size=1, max_size=3))
def test_a_house_with_anything_anywhere_is_a_room_or_is_refused(
    changes: list[tuple[str, Any]],
) -> None:
    document = copy.deepcopy(HOUSE)
    _try(document, changes, lambda changed: front_room(changed, "MasterBedroom-1").scene)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(places(BOXES)), PLAIN), min_size=1, max_size=3))
def test_boxes_with_anything_anywhere_are_a_room_or_are_refused(
    changes: list[tuple[str, Any]],
) -> None:
    document = copy.deepcopy(BOXES)
    _try(document, changes, lambda changed: physcene_room(changed).scene)


def _try(document: Any, changes: list[tuple[str, Any]], make: Any) -> None:
    for path, value in changes:
        try:
            put(document, path, value)
        except (KeyError, IndexError, TypeError):  # an earlier change took the place away
            continue
    try:
        scene = make(document)
    except UsageError:
        return
    assert isinstance(scene, Scene)
    for item in scene:
        assert all(math.isfinite(value) for value in (*item.location, *item.size, item.rotation))
        assert min(item.size) > 0


def test_files_are_told_apart(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text(json.dumps(house()))
    assert read(file, room="MasterBedroom-1").scene == front_room(house()).scene
    file.write_text(json.dumps(boxes()))
    assert read(file).scene == physcene_room(boxes()).scene
