"""The table of ``primitive_skill-v0`` with physics by pybullet: things settle, slide and topple.

The hand still picks by rule; what is let go of or pushed moves as Bullet says. Every skill is one
simulation of its own, begun from the poses at rest and ended at rest, so that a state is plain
numbers and equal states go on equally. Lengths are metres inside.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..adapters.foreign import must_import
from .primitive_table import APPLE, CUBE, Drawer, Place, Table
from .primitive_view import COLOURS, camera_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gymposium.types import Image

_MM = 1000.0
_HERTZ = 240
_STILL = 0.002
"""Metres a second below which a thing is at rest."""
_LONGEST = 3 * _HERTZ
_FINGER = 8.0
"""Radius of what pushes, in millimetres."""


def library() -> Any:
    """The library pybullet; raises MissingExtra where it is not installed."""
    return must_import("pybullet", "physics=bullet", extra="rooms")


class BulletTable(Table):
    """A table whose things obey pybullet."""

    def _land(self, index: int, place: Place, ceiling: float = math.inf) -> None:
        under, floor = self._under(index, place[0], place[1], ceiling)
        height = max([floor, *(self.items[other].top for other in under)])
        item = self.items[index]
        z = max(place[2], height + item.half + 1.0)
        self._move(index, (place[0], place[1], z))
        with self._simulated() as (client, bodies):
            self._settle(client, bodies)

    def _shift(self, index: int, dx: float, dy: float) -> None:
        item, length = self.items[index], math.hypot(dx, dy)
        if length < 1.0:
            return
        ahead = np.array([dx, dy, 0.0]) / length
        side = item.half * max(abs(ahead[0]) + abs(ahead[1]), 1.0)
        start = np.array(item.place) - ahead * (side + _FINGER + 1.0)
        with self._simulated() as (client, bodies):
            self._drive(client, start / _MM, ahead, length / _MM)
            self._settle(client, bodies)

    @staticmethod
    def _drive(client: Any, start: Any, ahead: Any, length: float) -> None:
        """Move a finger along, then take it away."""
        bullet, scene = client
        shape = bullet.createCollisionShape(
            bullet.GEOM_SPHERE, radius=_FINGER / _MM, physicsClientId=scene
        )
        finger = bullet.createMultiBody(2.0, shape, -1, list(start), physicsClientId=scene)
        held = bullet.createConstraint(
            finger, -1, -1, -1, bullet.JOINT_FIXED, [0, 0, 0], [0, 0, 0], list(start),
            physicsClientId=scene,
        )  # fmt: skip
        steps = max(24, int(length / 0.25 * _HERTZ))
        for step in range(1, steps + 1):
            at = list(start + ahead * (length + 0.001) * step / steps)
            bullet.changeConstraint(held, at, maxForce=60, physicsClientId=scene)
            bullet.stepSimulation(physicsClientId=scene)
        bullet.removeBody(finger, physicsClientId=scene)

    def _settle(self, client: Any, bodies: Sequence[tuple[int, int]]) -> None:
        """Let time pass until all is still, and write down where things are."""
        bullet, scene = client
        for step in range(_LONGEST):
            bullet.stepSimulation(physicsClientId=scene)
            if step > 24 and all(
                math.hypot(*bullet.getBaseVelocity(body, physicsClientId=scene)[0]) < _STILL
                for _, body in bodies
            ):
                break
        for index, body in bodies:
            place, spin = bullet.getBasePositionAndOrientation(body, physicsClientId=scene)
            turn = bullet.getMatrixFromQuaternion(spin)
            self.items[index] = replace(
                self.items[index],
                place=tuple(round(part * _MM, 3) for part in place),
                turn=tuple(round(part, 6) for part in turn),
            )

    @contextmanager
    def _simulated(self) -> Iterator[tuple[Any, list[tuple[int, int]]]]:
        """Bullet with all that stands there but what is held; and the bodies of the items."""
        bullet = library()
        scene = bullet.connect(bullet.DIRECT)
        client = (bullet, scene)
        try:
            bullet.setGravity(0, 0, -9.81, physicsClientId=scene)
            bullet.setPhysicsEngineParameter(
                deterministicOverlappingPairs=1, numSolverIterations=60, physicsClientId=scene
            )
            _solid(client, (0.0, 0.0, -50.0), (2000.0, 2000.0, 50.0))
            if self.drawer is not None:
                for middle, half in _boards(self.drawer):
                    _solid(client, middle, half)
            yield (
                client,
                [
                    (index, _body(client, item.half, item.place, item.turn))
                    for index, item in enumerate(self.items)
                    if index != self.held
                ],
            )
        finally:
            bullet.disconnect(scene)


def tiny_picture(table: Table, marks: Mapping[str, Place], size: int) -> Image:
    """The table through pybullet's own software renderer, from the same camera.

    Args:
        table: what stands there; the arm is not drawn.
        marks: discs on the table, by name.
        size: in pixels.

    Returns:
        uint8 ``[size, size, 3]``.
    """
    bullet = library()
    scene = bullet.connect(bullet.DIRECT)
    client = (bullet, scene)
    try:
        _shown(client, (-100.0, 0.0, -20.0), (700.0, 620.0, 20.0), (204, 174, 138))
        for name, (x, y, _) in marks.items():
            _shown(client, (x, y, 0.5), (50.0, 50.0, 0.5), COLOURS[name], bullet.GEOM_CYLINDER)
        if table.drawer is not None:
            for middle, half in _boards(table.drawer):
                _shown(client, middle, half, (160, 120, 84))
        for item in table.items:
            spin = _quaternion(item.turn)
            kind = bullet.GEOM_BOX if item.half == CUBE else bullet.GEOM_SPHERE
            _shown(client, item.place, (item.half,) * 3, COLOURS[item.name], kind, spin)
        camera = camera_of(table)
        eye = np.array(camera.eye) / _MM
        view = bullet.computeViewMatrix(list(eye), list(eye + camera.axes[0]), [0, 0, 1])
        lens = bullet.computeProjectionMatrixFOV(camera.view, 1.0, 0.05, 10.0)
        pixels = bullet.getCameraImage(
            size, size, view, lens, lightDirection=[0.45, -0.55, 1.15],
            renderer=bullet.ER_TINY_RENDERER, physicsClientId=scene,
        )[2]  # fmt: skip
    finally:
        bullet.disconnect(scene)
    return np.asarray(pixels, np.uint8).reshape(size, size, 4)[..., :3].copy()


def _boards(drawer: Drawer) -> list[tuple[Place, Place]]:
    """Middles and half extents of the boards of a cabinet and its drawer."""
    low, rim, front = drawer.floor - 15, drawer.rim + 10, drawer.front
    x0, x1, y0, y1, back = drawer.x0, drawer.x1, drawer.y0, drawer.y1, front - 350
    extents = (
        (x0, x1, y0, y1, 0, low),
        (x0, x1, y0, y1, rim, drawer.height),
        (x0, x0 + 12, y0, y1, low, rim),
        (x1 - 12, x1, y0, y1, low, rim),
        (x0 + 15, x1 - 15, back, front, drawer.floor - 10, drawer.floor),
        (x0 + 15, x0 + 25, back, front, drawer.floor, drawer.rim - 40),
        (x1 - 25, x1 - 15, back, front, drawer.floor, drawer.rim - 40),
        (x0, x1, front, front + 14, low, rim),
    )
    return [
        (
            ((a0 + a1) / 2, (b0 + b1) / 2, (c0 + c1) / 2),
            ((a1 - a0) / 2, (b1 - b0) / 2, (c1 - c0) / 2),
        )
        for a0, a1, b0, b1, c0, c1 in extents
    ]


def _solid(client: Any, middle: Place, half: Place) -> None:
    """A board that does not move."""
    bullet, scene = client
    shape = bullet.createCollisionShape(
        bullet.GEOM_BOX, halfExtents=[part / _MM for part in half], physicsClientId=scene
    )
    body = bullet.createMultiBody(
        0, shape, -1, [part / _MM for part in middle], physicsClientId=scene
    )
    bullet.changeDynamics(body, -1, lateralFriction=0.8, physicsClientId=scene)


def _body(client: Any, half: float, place: Place, turn: Sequence[float]) -> int:
    """A cube or an apple that moves."""
    bullet, scene = client
    size = half / _MM
    if half == APPLE:
        shape = bullet.createCollisionShape(bullet.GEOM_SPHERE, radius=size, physicsClientId=scene)
    else:
        shape = bullet.createCollisionShape(
            bullet.GEOM_BOX, halfExtents=[size] * 3, physicsClientId=scene
        )
    at = [part / _MM for part in place]
    body = bullet.createMultiBody(0.08, shape, -1, at, _quaternion(turn), physicsClientId=scene)
    bullet.changeDynamics(
        body, -1, lateralFriction=0.8, rollingFriction=0.002, spinningFriction=0.002,
        restitution=0.0, linearDamping=0.05, angularDamping=0.2, physicsClientId=scene,
    )  # fmt: skip
    return int(body)


def _shown(
    client: Any,
    middle: Place,
    half: Place,
    colour: Sequence[int],
    kind: int | None = None,
    spin: Sequence[float] = (0, 0, 0, 1),
) -> None:
    """Something to be seen only."""
    bullet, scene = client
    rgba = [*(part / 255 for part in colour), 1.0]
    size = [part / _MM for part in half]
    if kind == bullet.GEOM_SPHERE:
        given: dict[str, Any] = {"radius": size[0]}
    elif kind == bullet.GEOM_CYLINDER:
        given = {"radius": size[0], "length": 2 * size[2]}
    else:
        given = {"halfExtents": size}
    shape = bullet.createVisualShape(
        bullet.GEOM_BOX if kind is None else kind, rgbaColor=rgba, physicsClientId=scene, **given
    )
    at = [part / _MM for part in middle]
    bullet.createMultiBody(0, -1, shape, at, list(spin), physicsClientId=scene)


def _quaternion(turn: Sequence[float]) -> list[float]:
    """x, y, z, w of a turn."""
    from scipy.spatial.transform import Rotation

    spin: list[float] = Rotation.from_matrix(np.array(turn).reshape(3, 3)).as_quat().tolist()
    return spin
