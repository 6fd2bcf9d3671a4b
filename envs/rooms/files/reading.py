"""A room read from a file of anybody's: our layouts and glTF, SceneWeaver's layouts, 3D-FRONT."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gymposium.errors import UsageError

from ...start_folder import located
from ..layout import MOST_TEXT, document_of, scene_of
from .front import front_room, is_front
from .imported import Imported
from .physcene import is_physcene, physcene_room
from .sceneweaver import is_layout, layout_room

MOST_BYTES = 48 * 2**20
"""Of a file; houses of 3D-FRONT have a few million."""
_GLTF, _JSON = b"glTF", b"JSON"


def read(path: Path | str, *, room: str | None = None) -> Imported:
    """The room of a file, whatever wrote it; what could not be taken over is listed.

    ``room`` names the one meant where a file has several (3D-FRONT).

    Raises:
        UsageError: the file is not there, too large, of no form known here, or a field of it is
            wrong; the sentence names file and field.
    """
    path = Path(path)
    data = _bytes(path)
    try:
        if data[:4] == _GLTF:
            return Imported(scene_of(_layout_of_glb(data)))
        return _from_text(data.decode("utf-8-sig"), room)
    except UnicodeDecodeError:
        raise UsageError(f"{path}: is neither glTF nor JSON in UTF-8") from None
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None


def _bytes(path: Path) -> bytes:
    try:
        if path.is_dir():
            raise UsageError(f"{path} is a folder; name a file")
        with located(path).open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    if len(data) > MOST_BYTES:
        raise UsageError(f"{path} is larger than {MOST_BYTES:,} bytes; that is no room")
    return data


def _from_text(text: str, room: str | None) -> Imported:
    if text.lstrip().startswith("<"):
        raise UsageError("is XML; SDF and URDF are written here, not read: give the .glb or .json")
    document = document_of(text, "the file", MOST_BYTES)
    if is_front(document):
        return front_room(document, room)
    if room is not None:
        raise UsageError(f"the file has one room; leave out the name {room!r}")
    if is_physcene(document):
        return physcene_room(document)
    if is_layout(document):
        if len(text) > MOST_TEXT:
            raise UsageError(f"a layout has at most {MOST_TEXT:,} characters, not {len(text):,}")
        return layout_room(document)
    raise UsageError(
        "is no room: a layout has 'roomsize', 3D-FRONT 'furniture' and 'scene', boxes 'ThreedFront'"
    )


def _layout_of_glb(data: bytes) -> object:
    """The layout that our glTF carries in the extras of its scene."""
    if len(data) < 20:
        raise UsageError("is cut short: glTF begins with 20 bytes")
    long, kind = struct.unpack_from("<I4s", data, 12)
    if kind != _JSON or 20 + long > len(data):
        raise UsageError("is cut short: its JSON is not all there")
    text = data[20 : 20 + long].decode("utf-8", errors="replace")
    tree = document_of(text, "the header", MOST_BYTES)
    scenes = tree.get("scenes") if isinstance(tree, Mapping) else None
    first = scenes[0] if isinstance(scenes, list) and scenes else None
    extras = first.get("extras") if isinstance(first, Mapping) else None
    found: Any = extras.get("layout") if isinstance(extras, Mapping) else None
    if found is None:
        raise UsageError("has no layout in it: only glTF that gymposium wrote can be read")
    if len(json.dumps(found)) > MOST_TEXT:
        raise UsageError(f"holds a layout of more than {MOST_TEXT:,} characters")
    return found
