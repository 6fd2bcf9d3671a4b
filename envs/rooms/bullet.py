"""Rooms in pybullet: what stays where it is put when gravity acts, and pictures by its renderer.

Every thing is a body of the convex parts it is made of, with its own weight; what is meant to be on
a wall or the ceiling is screwed on, rugs are a part of the floor. A room is stable so far as its
things stay within 5 cm and 10 degrees for two seconds. Collisions are *not* counted here but by
exact overlaps: Bullet keeps a margin about everything.
"""

from __future__ import annotations

import math
import os
import sys
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..adapters.foreign import must_import
from .bodies import centre_of_mass, mass, parts
from .catalogue import Mount, category
from .contacts import is_rug
from .decor import THICK, finish_of
from .metrics import counted_items
from .picture import camera_of
from .prisms import Floats, Prism, box
from .scene import WALL_KINDS, Item, RelationKind, Scene, wall_of, walls

if TYPE_CHECKING:
    from gymposium.types import Image

MOST_SHIFT, MOST_TURN = 0.05, 10.0
"""Metres and degrees that a stable thing may move."""
_HERTZ = 240
_STILL = 0.001
"""Metres a second, a fifth of radians a second, below which a thing is at rest."""
_LEAST = 0.02
"""Kilograms of the lightest body."""


class Settled(NamedTuple):
    """How far each thing went: by id, metres of its centre of mass and degrees it turned."""

    moved: Mapping[str, float]
    turned: Mapping[str, float]

    @property
    def stable_share(self) -> float:
        """The share of things that hardly moved; 1 for an empty room."""
        kept = [name for name in self.moved if self.stays(name)]
        return len(kept) / len(self.moved) if self.moved else 1.0

    def stays(self, name: str) -> bool:
        """Whether a thing moved less than 5 cm and turned less than 10 degrees."""
        return self.moved[name] < MOST_SHIFT and self.turned[name] < MOST_TURN


def library() -> Any:
    """The library pybullet.

    Raises:
        MissingExtra: it is not installed.
    """
    with _muted():
        return must_import("pybullet", "settling a room by physics", extra="rooms")


def settled(scene: Scene, seconds: float = 2.0) -> Settled:
    """Let gravity act for a while, or until all is at rest; equal scenes move equally.

    Args:
        scene: the room; rugs lie still and are not counted.
        seconds: how long.

    Raises:
        MissingExtra: pybullet is not installed.
    """
    with _simulation() as client:
        bullet, server, _ = client
        _add_room(client, scene)
        placed = {}
        for item in counted_items(scene):
            weight = 0.0 if _screwed(item) else max(mass(item), _LEAST)
            placed[item.id] = _add_body(client, item, weight)
        start = {name: _pose(client, body) for name, body in placed.items()}
        for step in range(round(seconds * _HERTZ)):
            bullet.stepSimulation(physicsClientId=server)
            if step >= _HERTZ // 2 and step % 24 == 0 and _at_rest(client, placed.values()):
                break
        moved, turned = {}, {}
        for name, body in placed.items():
            (at, spin), (was, before) = _pose(client, body), start[name]
            moved[name] = math.dist(at, was)
            along = min(1.0, abs(sum(a * b for a, b in zip(spin, before, strict=True))))
            turned[name] = math.degrees(2 * math.acos(along))
    return Settled(moved, turned)


def bullet_picture(
    scene: Scene, *, view: str = "corner", width: int = 300, height: int = 300
) -> Image:
    """The room as pybullet's software renderer draws it, uint8 ``[height, width, 3]``.

    Args:
        scene: what to draw.
        view: as for :func:`.picture.draw`.
        width: of the picture in pixels.
        height: likewise.

    Raises:
        MissingExtra: pybullet is not installed.
        UnknownName: there is no such view.
    """
    camera, cut, hidden = camera_of(scene, view, width / height)
    with _simulation() as client:
        bullet, server, _ = client
        _show_room(client, scene, cut)
        for item in scene:
            if item.id not in hidden:
                for part in parts(item):
                    _show(client, part)
        eye = np.array(camera.eye)
        ahead, right, up = camera.axes
        sight = bullet.computeViewMatrix(eye.tolist(), (eye + ahead).tolist(), up.tolist())
        lens = bullet.computeProjectionMatrixFOV(camera.view, width / height, 0.1, 60.0)
        pixels = bullet.getCameraImage(
            width,
            height,
            sight,
            lens,
            lightDirection=[-0.38 * right[0], -0.38 * right[1], 1.0],  # over the left shoulder
            lightDistance=12.0,
            shadow=1,
            lightAmbientCoeff=0.72,
            lightDiffuseCoeff=0.42,
            lightSpecularCoeff=0.05,
            renderer=bullet.ER_TINY_RENDERER,
            physicsClientId=server,
        )[2]
    return np.asarray(pixels, np.uint8).reshape(height, width, 4)[..., :3].copy()


def _at_rest(client: _Client, bodies: Iterable[int]) -> bool:
    """Whether nothing moves, so that nothing will: what tips has begun to within half a second."""
    bullet, server, _ = client
    for body in bodies:
        speed, spin = bullet.getBaseVelocity(body, physicsClientId=server)
        if math.hypot(*speed) > _STILL or math.hypot(*spin) > 5 * _STILL:
            return False
    return True


@contextmanager
def _muted() -> Iterator[None]:
    """Without the line about its build that pybullet writes to standard error when imported."""
    if "pybullet" in sys.modules:
        yield
        return
    try:
        heard = os.dup(2)
    except OSError:  # a program may run without a standard error
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(heard, 2)
        os.close(heard)
        os.close(nowhere)


class _Client(NamedTuple):
    """The library, one simulation in it, and a folder for the shapes that it reads."""

    bullet: Any
    server: int
    folder: Path


@contextmanager
def _simulation() -> Iterator[_Client]:
    bullet = library()
    server = bullet.connect(bullet.DIRECT)
    try:
        bullet.setGravity(0, 0, -9.81, physicsClientId=server)
        bullet.setPhysicsEngineParameter(
            fixedTimeStep=1 / _HERTZ,
            numSolverIterations=80,
            deterministicOverlappingPairs=1,
            enableFileCaching=0,
            physicsClientId=server,
        )
        with tempfile.TemporaryDirectory() as folder:
            yield _Client(bullet, server, Path(folder))
    finally:
        bullet.disconnect(server)


def _screwed(item: Item) -> bool:
    """Whether it is fixed to a wall or the ceiling, as the static rule has it."""
    kinds = item.kinds()
    on_wall = category(item.category).mount is Mount.WALL and bool(kinds & WALL_KINDS)
    return on_wall or RelationKind.HANGING in kinds


def _pose(client: _Client, body: int) -> tuple[Any, Any]:
    bullet, server, _ = client
    at, spin = bullet.getBasePositionAndOrientation(body, physicsClientId=server)
    return at, spin


def _add_room(client: _Client, scene: Scene) -> None:
    """A floor far beyond the room, the walls, and rugs, none of which moves."""
    x, y = scene.room.size
    _fixed_box(client, (x / 2, y / 2, -0.5), (x + 20, y + 20, 0.5))
    for wall in walls(scene.room):
        centre, half = _wall_box(scene, wall.name)
        _fixed_box(client, centre, half)
    for item in scene:
        if is_rug(item):
            _add_body(client, item, 0.0)


Point = tuple[float, float, float]


def _wall_box(scene: Scene, name: str) -> tuple[Point, Point]:
    (x, y), z = scene.room.size, scene.room.height / 2
    out = THICK / 2
    across = (out, y / 2 + THICK, z), (x / 2 + THICK, out, z)
    return {
        "west": ((-out, y / 2, z), across[0]),
        "east": ((x + out, y / 2, z), across[0]),
        "south": ((x / 2, -out, z), across[1]),
        "north": ((x / 2, y + out, z), across[1]),
    }[name]


def _fixed_box(client: _Client, centre: Point, half: Point) -> None:
    bullet, server, _ = client
    shape = bullet.createCollisionShape(bullet.GEOM_BOX, halfExtents=half, physicsClientId=server)
    body = bullet.createMultiBody(0, shape, -1, centre, physicsClientId=server)
    bullet.changeDynamics(body, -1, lateralFriction=0.8, physicsClientId=server)


def _add_body(client: _Client, item: Item, weight: float) -> int:
    """A thing of convex parts; the origin of the body is its centre of mass."""
    bullet, server, folder = client
    middle = np.array(centre_of_mass(item))
    path = folder / f"{len(list(folder.iterdir()))}.obj"
    path.write_text(_as_groups(parts(item), middle), encoding="ascii")
    shape = bullet.createCollisionShape(
        bullet.GEOM_MESH, fileName=str(path), physicsClientId=server
    )
    body = bullet.createMultiBody(weight, shape, -1, middle.tolist(), physicsClientId=server)
    bullet.changeDynamics(
        body,
        -1,
        lateralFriction=0.8,
        rollingFriction=0.002,
        spinningFriction=0.01,
        restitution=0.0,
        collisionMargin=0.0005,
        physicsClientId=server,
    )
    return int(body)


def _as_groups(solids: Sequence[Prism], middle: Floats) -> str:
    """Convex parts as the groups of an OBJ file, of which Bullet makes one hull each."""
    lines, base = [], 1
    for number, part in enumerate(solids):
        lines.append(f"o part_{number}")
        corners = _corners(part) - middle
        lines += [f"v {x:.6f} {y:.6f} {z:.6f}" for x, y, z in corners]
        lines += [f"f {a + base} {b + base} {c + base}" for a, b, c in _faces(len(part.outline))]
        base += len(corners)
    return "\n".join(lines) + "\n"


def _corners(part: Prism) -> Floats:
    """The corners [2N, 3] of a prism, the lower ones first."""
    return np.concatenate(
        [np.column_stack([part.outline, np.full(len(part.outline), z)]) for z in (part.z0, part.z1)]
    )


def _faces(count: int) -> list[tuple[int, int, int]]:
    """Triangles of a prism over ``count`` corners, seen counter-clockwise from outside."""
    found = []
    for k in range(count):
        after = (k + 1) % count
        found += [(k, after, count + after), (k, count + after, count + k)]
    for k in range(1, count - 1):
        found += [(0, k + 1, k), (count, count + k, count + k + 1)]
    return found


def _show_room(client: _Client, scene: Scene, cut: Collection[str]) -> None:
    finish = finish_of(scene.room)
    x, y = scene.room.size
    _show(client, box((0, x), (0, y), (-0.05, 0), finish.floor))
    for wall in walls(scene.room):
        if wall.name not in cut:
            (cx, cy, cz), (hx, hy, hz) = _wall_box(scene, wall.name)
            spans = (cx - hx, cx + hx), (cy - hy, cy + hy), (cz - hz, cz + hz)
            _show(client, box(*spans, finish.wall))
    for opening in scene.openings:
        if wall_of(scene.room, opening).name not in cut:
            paint = (190, 216, 234) if opening.kind == "window" else (206, 190, 168)
            deep, wide = 0.01, opening.size[1] / 2
            leaf = box((-deep, deep), (-wide, wide), (0, opening.size[2]), paint)
            _show(client, leaf.moved(*opening.location, opening.rotation))


def _show(client: _Client, part: Prism) -> None:
    """A prism to be seen only, with flat faces."""
    bullet, server, _ = client
    corners = _corners(part)
    triangles = corners[np.array(_faces(len(part.outline)))]
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    shape = bullet.createVisualShape(
        bullet.GEOM_MESH,
        vertices=triangles.reshape(-1, 3).tolist(),
        indices=list(range(3 * len(triangles))),
        normals=np.repeat(normals, 3, axis=0).tolist(),
        rgbaColor=[*(channel / 255 for channel in part.colour), 1.0],
        physicsClientId=server,
    )
    bullet.createMultiBody(0, -1, shape, [0, 0, 0], physicsClientId=server)
