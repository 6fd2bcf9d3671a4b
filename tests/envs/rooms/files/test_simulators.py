"""Rooms as SDF and URDF, loaded by pybullet and held against the layout."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from gymposium.envs.rooms.bodies import mass, parts
from gymposium.envs.rooms.files import write
from gymposium.envs.rooms.files.simulators import sdf, urdf
from gymposium.envs.rooms.scene import Scene

from ..samples import furnished

HANGS = {"7_painting"}
physical = pytest.mark.skipif(sys.version_info >= (3, 12), reason="pybullet has no wheel")


@pytest.fixture(scope="module")
def scene() -> Scene:
    """Turned, so that a sign that is wrong shows."""
    return furnished().moved("5_chair", (3.5, 3.3, 0.0), 0.4)


@pytest.fixture(scope="module")
def folder(scene: Scene, tmp_path_factory: Any) -> Path:
    path: Path = tmp_path_factory.mktemp("rooms")
    write(scene, path / "room.sdf")
    write(scene, path / "room.urdf")
    return path


@pytest.fixture
def bullet() -> Iterator[Any]:
    import pybullet

    pybullet.connect(pybullet.DIRECT)
    yield pybullet
    pybullet.disconnect()


def bounds(scene: Scene, name: str) -> np.ndarray[Any, Any]:
    found = parts(scene[name])
    corners = np.concatenate([part.outline for part in found])
    low = (*corners.min(axis=0), min(part.z0 for part in found))
    high = (*corners.max(axis=0), max(part.z1 for part in found))
    return np.array([low, high])


@physical
def test_sdf_has_a_body_for_every_thing_where_the_layout_has_it(
    bullet: Any, folder: Path, scene: Scene
) -> None:
    loaded = bullet.loadSDF(str(folder / "room.sdf"))
    names = [bullet.getBodyInfo(body)[1].decode() for body in loaded]
    assert names == ["room", *(item.id for item in scene)]
    for body, name in zip(loaded[1:], names[1:], strict=True):
        item = scene[name]
        dynamics = bullet.getDynamicsInfo(body, -1)
        back = bullet.invertTransform(dynamics[3], dynamics[4])
        at, turn = bullet.multiplyTransforms(*bullet.getBasePositionAndOrientation(body), *back)
        assert at == pytest.approx(item.location, abs=1e-5)
        yaw = bullet.getEulerFromQuaternion(turn)[2]
        assert math.remainder(yaw - item.rotation, 2 * math.pi) == pytest.approx(0, abs=1e-5)
        assert np.array(bullet.getAABB(body)) == pytest.approx(bounds(scene, name), abs=0.015)
        wanted = 0.0 if name in HANGS else mass(item)
        assert dynamics[0] == pytest.approx(wanted, rel=1e-5)
        assert len(bullet.getCollisionShapeData(body, -1)) == len(parts(item))


@physical
def test_what_stands_stays_where_it_is_for_a_second(bullet: Any, folder: Path) -> None:
    loaded = bullet.loadSDF(str(folder / "room.sdf"))
    before = [bullet.getBasePositionAndOrientation(body)[0] for body in loaded]
    bullet.setGravity(0, 0, -9.81)
    for _ in range(240):
        bullet.stepSimulation()
    for body, old in zip(loaded, before, strict=True):
        new = bullet.getBasePositionAndOrientation(body)[0]
        assert math.dist(old, new) < 0.02


@physical
def test_urdf_fixes_a_link_for_every_thing_to_the_room(
    bullet: Any, folder: Path, scene: Scene
) -> None:
    body = bullet.loadURDF(str(folder / "room.urdf"), useFixedBase=True)
    assert bullet.getNumJoints(body) == len(scene)
    for joint, item in enumerate(scene):
        assert bullet.getJointInfo(body, joint)[12].decode() == item.id
        assert bullet.getJointInfo(body, joint)[2] == bullet.JOINT_FIXED
        assert bullet.getLinkState(body, joint)[4] == pytest.approx(item.location, abs=1e-5)
        box = np.array(bullet.getAABB(body, joint))
        assert box == pytest.approx(bounds(scene, item.id), abs=0.015)


@physical
def test_walls_have_their_openings(bullet: Any, folder: Path) -> None:
    bullet.loadSDF(str(folder / "room.sdf"))
    through_door = bullet.rayTest((5.0, 1.0, 1.0), (5.0, -1.0, 1.0))[0]
    beside_it = bullet.rayTest((4.0, 1.0, 1.0), (4.0, -1.0, 1.0))[0]
    over_it = bullet.rayTest((5.0, 1.0, 2.4), (5.0, -1.0, 2.4))[0]
    assert through_door[0] == -1
    assert beside_it[0] == over_it[0] == 0
    assert beside_it[3][1] == pytest.approx(0.0, abs=0.005)


def test_equal_parts_share_a_mesh_and_each_named_one_is_there(folder: Path, scene: Scene) -> None:
    made = sdf(scene, "room_meshes")
    assert (folder / "room.sdf").read_text() == made.text
    uris = [uri.text or "" for uri in ElementTree.fromstring(made.text).iter("uri")]
    assert set(uris) == set(made.meshes)
    assert len(uris) > 2 * len(made.meshes)
    assert {(folder / uri).read_text() for uri in uris} == set(made.meshes.values())
    assert urdf(scene, "room_meshes").meshes == made.meshes


def test_ids_are_escaped(scene: Scene) -> None:
    strange = Scene(scene.room, (), (replace(scene["8_rug"], id='<&">'),))
    top = ElementTree.fromstring(sdf(strange).text)
    assert [model.get("name") for model in top.iter("model")] == ["room", '<&">']
