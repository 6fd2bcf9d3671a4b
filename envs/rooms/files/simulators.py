"""Rooms for simulators of bodies: SDF with a model for every thing, URDF as one fixed scenery.

Parts become boxes where they are, else convex meshes: files beside the room's, named by what they
hold, so equal parts share one. In SDF what stands or rests is free to
move and what hangs on walls or from the ceiling is static; in URDF everything is fixed to the room,
since one URDF file is one jointed body.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np

from ..bodies import centre_of_mass, mass
from ..catalogue import Mount, category, model
from ..decor import THICK, finish_of
from ..prisms import Colour, Floats, Prism
from ..scene import ROOM, Item, Scene, walls
from .shell import panels, point, yaw

_Element = ElementTree.Element


class Files(NamedTuple):
    """A room's file and the meshes that it names, by their paths from its folder."""

    text: str
    meshes: dict[str, str]


class _Shape(NamedTuple):
    """A part as simulators know it: ``numbers`` are sides of a box or the scale of a mesh."""

    kind: str
    numbers: tuple[float, ...]
    at: tuple[float, float, float]
    turn: float
    colour: Colour
    mesh: str = ""

    def fields(self) -> list[tuple[str, str]]:
        """The geometry's fields, by the names that URDF and SDF share."""
        numbers = list(map(_number, self.numbers))
        if self.kind == "box":
            return [("size", " ".join(numbers))]
        return [("filename", self.mesh), ("scale", " ".join(numbers))]

    @property
    def rgba(self) -> str:
        """The colour as four shares."""
        return " ".join(_number(part / 255) for part in (*self.colour, 255))

    @property
    def hex(self) -> str:
        """The colour as six digits."""
        return bytes(self.colour).hex()


def sdf(scene: Scene, meshes: str = "meshes") -> Files:
    """The room as SDF 1.6: a static model ``room``, and one for each thing by its id.

    ``meshes`` is the folder of the meshes, from where the file lies.
    """
    top = ElementTree.Element("sdf", version="1.6")
    world = ElementTree.SubElement(top, "world", name="room")
    made: dict[str, str] = {}
    _model(world, None, _walls(scene))
    for item in scene:
        _model(world, item, _shapes(item, meshes, made))
    return Files(_text(top), made)


def urdf(scene: Scene, meshes: str = "meshes") -> Files:
    """The room as URDF: a link ``room``, and one for each thing by its id, fixed to it."""
    top = ElementTree.Element("robot", name="room")
    made: dict[str, str] = {}
    _link(top, None, _walls(scene))
    for item in scene:
        _link(top, item, _shapes(item, meshes, made))
        joint = ElementTree.SubElement(top, "joint", name=f"room.{item.id}", type="fixed")
        ElementTree.SubElement(joint, "parent", link=ROOM)
        ElementTree.SubElement(joint, "child", link=item.id)
        _origin(joint, item.location, item.rotation)
    return Files(_text(top), made)


def _walls(scene: Scene) -> list[_Shape]:
    """Floor and walls as slabs outside the room; openings stay open."""
    finish = finish_of(scene.room)
    (x, y), half = scene.room.size, THICK / 2
    slab = (x + 2 * THICK, y + 2 * THICK, THICK)
    found = [_Shape("box", slab, (x / 2, y / 2, -half), 0.0, finish.floor)]
    for wall in walls(scene.room):
        for panel in panels(scene, wall):
            low, top = panel.along
            if wall.normal[0]:  # west and east walls take the corners
                low, top = low - THICK * (low <= 0), top + THICK * (top >= wall.length)
            long, high = top - low, panel.height[1] - panel.height[0]
            at = point(wall, (low + top) / 2, half)
            centre = (*at, sum(panel.height) / 2)
            found.append(_Shape("box", (long, THICK, high), centre, yaw(wall), finish.wall))
    return found


def _shapes(item: Item, folder: str, made: dict[str, str]) -> list[_Shape]:
    """The parts in the thing's own frame; meshes that they need are added to ``made``."""
    parts = model(item.category, item.size, item.style).parts
    return [_shape(part, folder, made) for part in parts]


def _shape(part: Prism, folder: str, made: dict[str, str]) -> _Shape:
    tall, z = part.z1 - part.z0, (part.z0 + part.z1) / 2
    middle = part.outline.mean(axis=0)
    at = (float(middle[0]), float(middle[1]), z)
    corners = part.outline - middle
    sides = np.roll(corners, -1, axis=0) - corners
    reach = np.hypot(*corners.T)
    if len(corners) == 4 and np.ptp(reach) < 1e-9:  # equal diagonals that halve each other
        deep, wide = np.hypot(*sides[:2].T).tolist()
        size = (deep, wide, tall)
        return _Shape("box", size, at, math.atan2(sides[0, 1], sides[0, 0]), part.colour)
    text = _wavefront(corners)
    name = f"{folder}/{hashlib.sha256(text.encode()).hexdigest()[:16]}.obj"
    made[name] = text
    return _Shape("mesh", (1.0, 1.0, tall), at, 0.0, part.colour, name)


def _wavefront(corners: Floats) -> str:
    """A prism of height 1 about the origin as OBJ."""
    n = len(corners)
    lines = [f"v {x:.6f} {y:.6f} {z}" for z in (-0.5, 0.5) for x, y in corners]
    for k in range(2, n):
        lines += [f"f 1 {k + 1} {k}", f"f {n + 1} {n + k} {n + k + 1}"]
    for k in range(1, n + 1):
        after = k % n + 1
        lines += [f"f {k} {after} {n + after}", f"f {k} {n + after} {n + k}"]
    return "\n".join(lines) + "\n"


def _model(world: _Element, item: Item | None, shapes: Sequence[_Shape]) -> None:
    """A model of SDF; without an item that of the room."""
    name = ROOM if item is None else item.id
    made = ElementTree.SubElement(world, "model", name=name)
    fixed = item is None or category(item.category).mount in (Mount.WALL, Mount.CEILING)
    if fixed:
        _leaf(made, "static", "1")
    if item is not None:
        _leaf(made, "pose", _pose(item.location, item.rotation))
    link = ElementTree.SubElement(made, "link", name="link")
    if item is not None:
        inertial = ElementTree.SubElement(link, "inertial")
        _leaf(inertial, "pose", _pose(_centre(item), 0.0))
        _leaf(inertial, "mass", _number(mass(item)))
        moments = ElementTree.SubElement(inertial, "inertia")
        for axis, value in _moments(item).items():
            _leaf(moments, axis, value)
    for number, shape in enumerate(shapes):
        for role in ("visual", "collision"):
            part = ElementTree.SubElement(link, role, name=f"{role}-{number}")
            _leaf(part, "pose", _pose(shape.at, shape.turn))
            form = ElementTree.SubElement(ElementTree.SubElement(part, "geometry"), shape.kind)
            for field, value in shape.fields():
                _leaf(form, "uri" if field == "filename" else field, value)
            if role == "visual":
                paint = ElementTree.SubElement(part, "material")
                _leaf(paint, "diffuse", shape.rgba)


def _link(robot: _Element, item: Item | None, shapes: Sequence[_Shape]) -> None:
    """A link of URDF; without an item that of the room."""
    link = ElementTree.SubElement(robot, "link", name=ROOM if item is None else item.id)
    if item is not None:
        inertial = ElementTree.SubElement(link, "inertial")
        _origin(inertial, _centre(item), 0.0)
        ElementTree.SubElement(inertial, "mass", value=_number(mass(item)))
        ElementTree.SubElement(inertial, "inertia", _moments(item))
    for shape in shapes:
        for role in ("visual", "collision"):
            part = ElementTree.SubElement(link, role)
            _origin(part, shape.at, shape.turn)
            form = ElementTree.SubElement(part, "geometry")
            ElementTree.SubElement(form, shape.kind, dict(shape.fields()))
            if role == "visual":
                paint = ElementTree.SubElement(part, "material", name=f"colour-{shape.hex}")
                ElementTree.SubElement(paint, "color", rgba=shape.rgba)


def _centre(item: Item) -> tuple[float, float, float]:
    """Its centre of mass in its own frame."""
    return centre_of_mass(replace(item, location=(0.0, 0.0, 0.0), rotation=0.0))


def _moments(item: Item) -> dict[str, str]:
    """The inertia of a full box of its size and mass."""
    a, b, c = (side * side * mass(item) / 12 for side in item.size)
    names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    values = (b + c, 0.0, 0.0, a + c, 0.0, a + b)
    return {name: _number(value) for name, value in zip(names, values, strict=True)}


def _origin(parent: _Element, at: Sequence[float], turn: float) -> None:
    xyz, rpy = " ".join(map(_number, at)), f"0 0 {_number(turn)}"
    ElementTree.SubElement(parent, "origin", xyz=xyz, rpy=rpy)


def _pose(at: Sequence[float], turn: float) -> str:
    return f"{' '.join(map(_number, at))} 0 0 {_number(turn)}"


def _leaf(parent: _Element, name: str, text: str) -> None:
    ElementTree.SubElement(parent, name).text = text


def _number(value: float) -> str:
    return f"{value + 0.0:.6g}" if abs(value) >= 1e-9 else "0"


def _text(top: _Element) -> str:
    ElementTree.indent(top)
    return '<?xml version="1.0"?>\n' + ElementTree.tostring(top, encoding="unicode") + "\n"
