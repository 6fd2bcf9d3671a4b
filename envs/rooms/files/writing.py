"""A room written to a file, in the format that the file's name ends in."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from gymposium.errors import GymposiumError, UnknownName, UsageError

from ..layout import layout
from ..scene import Scene
from .glb import glb
from .simulators import Files, sdf, urdf

DIGITS = 6
"""Decimals by default: rooms free of contacts stay so from four on."""
SIMULATORS: dict[str, Callable[[Scene, str], Files]] = {".sdf": sdf, ".urdf": urdf}
FORMATS = (".json", ".glb", *SIMULATORS)
_MOST_DIGITS = 12


def write(scene: Scene, path: Path | str, *, digits: int = DIGITS) -> list[Path]:
    """Write a room as ``.json`` (its layout), ``.glb``, ``.sdf`` or ``.urdf``.

    ``digits`` is the number of decimals in a layout. Folders are made as needed; a file is
    complete or not there. Returns all files: meshes that ``.sdf`` and ``.urdf`` name lie in a
    folder ``NAME_meshes`` beside them.

    Raises:
        UsageError: another ending, or digits out of 0 to 12.
        MissingExtra: ``.glb`` needs trimesh.
        GymposiumError: the file cannot be written.
    """
    path = Path(path)
    files = _contents(scene, path, digits)
    try:
        for file, content in files.items():
            put(file, content)
    except OSError as error:
        raise GymposiumError(
            f"{error.filename or path}: {error.strerror}; name a file that can be written"
        ) from None
    return list(files)


def format_of(path: Path) -> str:
    """The ending of ``path``, in lower case.

    Raises:
        UnknownName: rooms are not written so.
    """
    if path.suffix.lower() not in FORMATS:
        raise UnknownName("format of rooms", path.suffix, FORMATS, where=str(path))
    return path.suffix.lower()


def _contents(scene: Scene, path: Path, digits: int) -> dict[Path, bytes]:
    """Every file to be written, the named one last."""
    if not 0 <= digits <= _MOST_DIGITS:
        raise UsageError(f"digits must lie in 0 to {_MOST_DIGITS}, not {digits}")
    kind = format_of(path)
    if kind == ".glb":
        return {path: glb(scene)}
    if kind == ".json":
        text = json.dumps(layout(scene, digits=digits), indent=1) + "\n"
        return {path: text.encode()}
    made = SIMULATORS[kind](scene, f"{path.stem}_meshes")
    files = {path.parent / name: text.encode() for name, text in made.meshes.items()}
    return {**files, path: made.text.encode()}


def put(path: Path, content: bytes) -> None:
    """Write a file in one stroke, making its folder.

    Raises:
        OSError: it cannot be.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_bytes(content)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
