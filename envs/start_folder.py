"""The folder that relative paths mean: where a command was started, wherever its worlds go.

A world or an agent may change the current folder of its process, to find files of its own. Whatever
else is named by a relative path (a run's folder, a film, another world's file) is where it was when
the run began: nothing here asks for the current folder in the midst of a run.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_entered: list[Path] = []


def here() -> Path:
    """Where what is under way was started; the current folder if nothing is."""
    return _entered[0] if _entered else Path.cwd()


def located(path: str | Path) -> Path:
    """``path`` from :func:`here`: absolute, whatever becomes of the current folder."""
    path = Path(path)
    return path if path.is_absolute() else here() / path


@contextmanager
def start_folder(folder: Path | None = None) -> Iterator[None]:
    """For as long as it lasts, relative paths mean one folder; then it is the current one again.

    Within another such block nothing new begins: the outermost says which folder it is.

    Args:
        folder: default, and where there is no such folder: the current one.
    """
    try:
        there = folder is not None and folder.is_dir()
        start = _entered[0] if _entered else folder if there and folder else Path.cwd()
    except FileNotFoundError:  # the current folder has been deleted, and means nothing any more
        yield
        return
    _entered.append(start)
    _go_to(start)
    try:
        yield
    finally:
        _entered.pop()
        _go_to(start)


def _go_to(folder: Path) -> None:
    with suppress(OSError):  # it may be gone by now
        os.chdir(folder)
