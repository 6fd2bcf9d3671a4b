"""Rooms as glTF, loaded back by trimesh and taken apart by hand."""

from __future__ import annotations

import io
import json
import math
import struct
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import trimesh

from gymposium.envs.rooms.bodies import parts, volume
from gymposium.envs.rooms.files import read, write
from gymposium.envs.rooms.files.glb import glb
from gymposium.envs.rooms.scene import Opening, Room, Scene
from gymposium.errors import MissingExtra

from ..samples import furnished, quarter_turned


@pytest.fixture(scope="module")
def scene() -> Scene:
    return furnished()


@pytest.fixture(scope="module")
def loaded(scene: Scene) -> trimesh.Scene:
    return trimesh.load(io.BytesIO(glb(scene)), file_type="glb")


def header(data: bytes) -> dict[str, Any]:
    magic, version, length, long, kind = struct.unpack_from("<4sIII4s", data)
    assert (magic, version, length, kind) == (b"glTF", 2, len(data), b"JSON")
    return json.loads(data[20 : 20 + long])


def test_every_thing_is_a_node_with_its_facts(scene: Scene) -> None:
    nodes = {node["name"]: node for node in header(glb(scene))["nodes"]}
    for item in scene:
        facts = nodes[item.id]["extras"]
        assert facts["category"] == item.category
        assert facts["size"] == pytest.approx(item.size)
        assert facts["relations"] == [[r.parent, str(r.kind)] for r in item.relations]
    shell = {"room.floor", "room.ceiling", "room.west", "room.south", "room.east", "room.north"}
    openings = {opening.id for opening in scene.openings}
    assert set(nodes) == {item.id for item in scene} | shell | openings | {"room"}


def test_the_root_turns_z_up_into_y_up_and_says_so(scene: Scene) -> None:
    tree = header(glb(scene))
    (root,) = [tree["nodes"][n] for n in tree["scenes"][0]["nodes"]]
    turn = np.array(root["matrix"]).reshape(4, 4).T
    assert turn @ (1, 2, 3, 1) == pytest.approx([1, 3, -2, 1])
    assert "-90 degrees about x" in root["extras"]["axes"]


def test_bounds_are_the_layouts_after_the_swap_of_axes(scene: Scene, loaded: trimesh.Scene) -> None:
    x, y = scene.room.size
    assert loaded.bounds == pytest.approx(
        np.array([(0, 0, -y), (x, scene.room.height, 0)]), abs=1e-6
    )
    for item in scene:
        corners = np.concatenate([part.outline for part in parts(item)])
        heights = [z for part in parts(item) for z in (part.z0, part.z1)]
        low = (corners[:, 0].min(), min(heights), -corners[:, 1].max())
        high = (corners[:, 0].max(), max(heights), -corners[:, 1].min())
        pose, name = loaded.graph.get(item.id)
        points = trimesh.transform_points(loaded.geometry[name].vertices, pose)
        assert points.min(axis=0) == pytest.approx(low, abs=1e-5)
        assert points.max(axis=0) == pytest.approx(high, abs=1e-5)


def test_meshes_are_closed_face_outwards_and_have_the_volume_of_the_parts(
    scene: Scene, loaded: trimesh.Scene
) -> None:
    for item in scene:
        mesh = loaded.geometry[loaded.graph.get(item.id)[1]]
        assert mesh.is_watertight
        assert mesh.volume == pytest.approx(volume(item), rel=1e-4)


def test_the_shell_faces_inwards_and_openings_fill_its_holes(
    scene: Scene, loaded: trimesh.Scene
) -> None:
    names = [node for node in loaded.graph.nodes_geometry if node not in scene]
    shell = trimesh.util.concatenate(
        [loaded.geometry[n].copy().apply_transform(p) for p, n in map(loaded.graph.get, names)]
    )
    x, y = scene.room.size
    assert shell.volume == pytest.approx(-x * y * scene.room.height, rel=1e-6)  # inside out
    assert shell.area == pytest.approx(2 * x * y + 2 * (x + y) * scene.room.height, rel=1e-6)
    door = loaded.geometry["0_door"]
    assert door.area == pytest.approx(0.9 * 2.0)


def test_equal_scenes_give_equal_bytes(scene: Scene) -> None:
    assert glb(furnished()) == glb(scene)
    assert glb(scene.without("5_chair")) != glb(scene)


def test_colours_are_linear_and_matt(scene: Scene, loaded: trimesh.Scene) -> None:
    (matt,) = header(glb(scene))["materials"]
    assert matt["pbrMetallicRoughness"]["metallicFactor"] == 0
    colours = loaded.geometry["5_chair"].visual.vertex_attributes["color"][:, :3]
    said = {part.colour for part in parts(scene["5_chair"])}
    for colour in np.unique(colours, axis=0) / 255:
        shown = 255 * np.where(
            colour <= 0.0031308, 12.92 * colour, 1.055 * colour ** (1 / 2.4) - 0.055
        )
        assert min(np.abs(shown - other).max() for other in said) < 8  # of eight bits of light


def test_a_wall_without_a_hole_and_holes_that_overlap_or_leave_the_wall() -> None:
    window = Opening("1_window", "window", (2.0, 0.0, 1.0), math.pi / 2, (0.1, 1.0, 1.0))
    other = replace(window, id="2_window", location=(2.5, 0.0, 1.5))
    edge = replace(window, id="3_window", location=(4.0, 0.0, 2.0), size=(0.1, 1.0, 3.0))
    far = replace(window, id="4_window", location=(9.0, 0.0, 1.0))
    room = Scene(Room("bedroom", (4.0, 3.0)), (window, other, edge, far))
    made = trimesh.load(io.BytesIO(glb(room)), file_type="glb")
    union = 1.0 * 1.0 + 1.0 * 1.0 - 0.5 * 0.5 + 0.5 * 0.8
    assert made.geometry["room.south"].area == pytest.approx(4 * 2.8 - union)
    assert made.geometry["room.north"].area == pytest.approx(4 * 2.8)
    assert "4_window" not in made.geometry


def test_a_file_reads_back_as_the_room(scene: Scene, tmp_path: Any) -> None:
    for each in (scene, quarter_turned(scene), Scene(scene.room)):
        write(each, tmp_path / "room.glb")
        again = read(tmp_path / "room.glb")
        assert not again.left_out
        assert len(again.scene) == len(each)
        for old, new in zip(each, again.scene, strict=True):
            assert new.location == pytest.approx(old.location, abs=1e-6)
            assert (new.id, new.category, new.relations) == (old.id, old.category, old.relations)


def test_without_trimesh_the_extra_is_named(scene: Scene, monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(MissingExtra, match=r"gymposium\[rooms\]"):
        glb(scene)
