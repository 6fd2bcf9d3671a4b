"""A room written to a file, in the format that the file's name ends in."""

from __future__ import annotations

import contextlib
import errno
import json
import secrets
from collections.abc import Callable, Mapping
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
    files = contents(scene, Path(path), digits)
    put(files)
    return list(files)


def format_of(path: Path) -> str:
    """The ending of ``path``, in lower case.

    Raises:
        UnknownName: rooms are not written so.
    """
    if path.suffix.lower() not in FORMATS:
        raise UnknownName("format of rooms", path.suffix, FORMATS, where=str(path))
    return path.suffix.lower()


def contents(scene: Scene, path: Path, digits: int = DIGITS) -> dict[Path, bytes]:
    """Every file that :func:`write` would write, the named one last."""
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


def put(files: Mapping[Path, bytes]) -> None:
    """Write files, making their folders: all of them, or none where one finds no room.

    Each is written beside its place, under a name of this call's own, and moved there when all are
    complete; whoever writes the same files at the same time gets in nobody's way.

    Raises:
        GymposiumError: one cannot be written; the sentence names it.
    """
    parts: dict[Path, Path] = {}
    path = Path()
    try:
        for path in files:
            if path.is_dir():
                raise GymposiumError(f"{path} is a folder; choose another name for the file")
        for path, content in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            part = path.with_name(f".{secrets.token_hex(8)}.part")
            parts[path] = part
            part.write_bytes(content)
        for path, part in parts.items():
            part.replace(path)
    except OSError as error:
        raise GymposiumError(f"{path} cannot be written: {reason(error)}") from None
    finally:
        for part in parts.values():
            # What could not be made, for want of a folder or of leave, is not there to be removed.
            with contextlib.suppress(OSError):
                part.unlink()


def reason(error: OSError) -> str:
    """Why nothing can be written, and what to do about it."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "the disk is full; make room, or name a file on another disk"
    if error.errno in (errno.EEXIST, errno.ENOTDIR):
        return "what should be a folder above it is a file; name another place"
    return f"{(error.strerror or str(error)).lower()}; name a file that can be written"
