"""Files that are whole or not there: written beside the target, which is replaced last."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import orjson

from gymposium.errors import StoreError

from ...envs.start_folder import located

_OPTIONS = orjson.OPT_APPEND_NEWLINE | orjson.OPT_SERIALIZE_NUMPY


@contextmanager
def whole(path: Path, what: str = "") -> Iterator[Path]:
    """A path to write to, which becomes ``path`` if nothing is raised.

    Args:
        path: the file; replaced in one step if it exists.
        what: said before its name where it cannot be written.

    Raises:
        StoreError: the file cannot be written.
    """
    place = located(path)
    part = place.with_name(f".{path.name}.part")
    try:
        yield part
        part.replace(place)
    except OSError as error:
        raise StoreError(
            f"{what}{path} cannot be written ({error.strerror or error}): free some space, or "
            "choose a folder that exists and is writable"
        ) from error
    finally:
        with suppress(OSError):
            part.unlink()


def write_lines(rows: Iterable[Mapping[str, Any]], path: Path) -> int:
    """Write JSON lines, one at a time; returns how many."""
    written = 0
    with whole(path) as part, part.open("wb") as file:
        for row in rows:
            file.write(orjson.dumps(row, option=_OPTIONS))
            written += 1
    return written
