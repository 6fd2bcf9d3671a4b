"""Rooms as binary glTF: one node per thing, named by its id, its facts in ``extras``.

glTF is Y-up and our rooms are Z-up, so the file's root turns by -90 degrees about x and says so.
Walls, floor and ceiling are seen from inside only: from without one looks into the room, as into a
doll's house. The whole layout is in the extras of the glTF scene, so a file reads back without
loss.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gymposium.errors import MissingExtra

from ..catalogue import model
from ..decor import finish_of
from ..layout import layout
from ..prisms import Colour, Floats, Prism
from ..scene import Item, Opening, Scene, Wall, walls
from .shell import Panel, holes, panels, point

DIGITS = 6
"""Decimals of what is written down beside the mesh."""
WORLD = "room.world"
ROOT = "room"
UP = "z is up in the rooms and y in glTF: the root node turns by -90 degrees about x"
_CEILING: Colour = (250, 249, 246)
_DOOR: Colour = (150, 116, 84)
_GLASS: Colour = (186, 214, 230)
Faces = NDArray[np.int64]
_Mesh = tuple[Floats, Faces, NDArray[np.uint8]]
_TURN = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]])


def glb(scene: Scene) -> bytes:
    """The room as the bytes of a ``.glb`` file; equal scenes give equal bytes.

    Raises:
        MissingExtra: trimesh is not installed.
    """
    library = trimesh()
    made = library.Scene(base_frame=WORLD)
    made.metadata["layout"] = layout(scene, digits=DIGITS)
    made.metadata["axes"] = UP
    made.graph.update(ROOT, WORLD, matrix=_TURN, metadata={"axes": UP})
    for name, mesh, facts in _shell(scene):
        _add(library, made, name, mesh, np.eye(4), facts)
    for item in scene:
        _add(library, made, item.id, _prisms(item), _pose(item), _facts(item))
    data: bytes = library.exchange.gltf.export_glb(
        made, include_normals=False, tree_postprocessor=_matt
    )
    return data


def trimesh() -> Any:
    """The library.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        return importlib.import_module("trimesh")
    except ImportError:
        raise MissingExtra("writing glTF", extra="rooms", module="trimesh") from None


def _add(
    library: Any, made: Any, name: str, mesh: _Mesh, pose: Floats, facts: dict[str, Any]
) -> None:
    points, faces, colours = mesh
    body = library.Trimesh(points, faces, vertex_colors=colours, process=False)
    made.add_geometry(
        body,
        node_name=name,
        geom_name=name,
        parent_node_name=ROOT,
        transform=pose,
        metadata=facts,
    )


def _matt(tree: dict[str, Any]) -> None:
    """A material for all: glTF's own default is a metal."""
    tree["materials"] = [
        {
            "name": "matt",
            "pbrMetallicRoughness": {"metallicFactor": 0.0, "roughnessFactor": 0.9},
        }
    ]
    for mesh in tree.get("meshes", ()):
        for primitive in mesh["primitives"]:
            primitive["material"] = 0


def _facts(item: Item) -> dict[str, Any]:
    return {
        "category": item.category,
        "relations": [[relation.parent, str(relation.kind)] for relation in item.relations],
        "size": [round(side, DIGITS) for side in item.size],
        "style": item.style,
    }


def _pose(item: Item) -> Floats:
    c, s = math.cos(item.rotation), math.sin(item.rotation)
    x, y, z = item.location
    return np.array([[c, -s, 0, x], [s, c, 0, y], [0, 0, 1, z], [0, 0, 0, 1.0]])


def _prisms(item: Item) -> _Mesh:
    """The parts in the thing's own frame."""
    return _joined(_prism(part) for part in model(item.category, item.size, item.style).parts)


def _prism(body: Prism) -> _Mesh:
    """A closed prism, faces outwards."""
    n = len(body.outline)
    low = np.column_stack([body.outline, np.full(n, body.z0)])
    high = np.column_stack([body.outline, np.full(n, body.z1)])
    k = np.arange(n)
    after = (k + 1) % n
    fan = np.column_stack([np.zeros(n - 2, dtype=np.int64), k[1:-1], k[2:]])
    faces = np.concatenate(
        [
            fan[:, ::-1],
            fan + n,
            np.column_stack([k, after, after + n]),
            np.column_stack([k, after + n, k + n]),
        ]
    )
    return np.concatenate([low, high]), faces, _painted(body.colour, 2 * n)


def _shell(scene: Scene) -> Iterable[tuple[str, _Mesh, dict[str, Any]]]:
    x, y = scene.room.size
    top = scene.room.height
    finish = finish_of(scene.room)
    corners = np.array([(0.0, 0.0), (x, 0.0), (x, y), (0.0, y)])
    floor = np.column_stack([corners, np.zeros(4)])
    ceiling = np.column_stack([corners, np.full(4, top)])[::-1]
    yield "room.floor", _quads([(floor, finish.floor)]), {"kind": "floor"}
    yield "room.ceiling", _quads([(ceiling, _CEILING)]), {"kind": "ceiling"}
    for wall in walls(scene.room):
        pieces = [(_corners(wall, panel), finish.wall) for panel in panels(scene, wall)]
        if pieces:
            yield f"room.{wall.name}", _quads(pieces), {"kind": "wall"}
        for opening, panel in holes(scene, wall):
            colour = _DOOR if opening.kind == "door" else _GLASS
            yield opening.id, _quads([(_corners(wall, panel), colour)]), _opening(opening)


def _opening(opening: Opening) -> dict[str, Any]:
    return {"kind": opening.kind, "size": [round(side, DIGITS) for side in opening.size]}


def _corners(wall: Wall, panel: Panel) -> Floats:
    ends = [point(wall, along) for along in panel.along]
    low, high = panel.height
    return np.array(
        [(*ends[0], low), (*ends[1], low), (*ends[1], high), (*ends[0], high)], dtype=np.float64
    )


def _quads(pieces: Iterable[tuple[Floats, Colour]]) -> _Mesh:
    """Rectangles seen from the side from which their corners run counter-clockwise."""
    faces = np.array([(0, 1, 2), (0, 2, 3)])
    return _joined((corners, faces, _painted(colour, 4)) for corners, colour in pieces)


def _joined(meshes: Iterable[_Mesh]) -> _Mesh:
    points, faces, colours = zip(*meshes, strict=True)
    starts = np.cumsum([0, *(len(each) for each in points[:-1])])
    moved = [each + start for each, start in zip(faces, starts, strict=True)]
    return np.concatenate(points), np.concatenate(moved), np.concatenate(colours)


def _painted(colour: Colour, count: int) -> NDArray[np.uint8]:
    """The colour of ``count`` corners: glTF multiplies light, so its colours are linear."""
    share = np.array(colour) / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    row = np.append(np.round(255 * linear), 255).astype(np.uint8)
    return np.tile(row, (count, 1))
