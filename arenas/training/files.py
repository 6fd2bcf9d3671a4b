"""A learner's files: its folder is held by one process, and what is in it is whole or not there."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import filelock

from gymposium.errors import StoreError

_LOCK_SECONDS = 20.0
"""How long a killed run's workers may take to notice and let go of their folders."""


def write_json(path: Path, value: Any) -> None:
    """Write plain data in one step; StoreError (and the old file) where the disk refuses it."""
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("w", encoding="utf-8") as file:
            json.dump(value, file, indent=2, ensure_ascii=False)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> StoreError:
    return StoreError(
        f"{error.filename or path} cannot be written ({error.strerror}): make room or mend the "
        "permissions, then resume; or choose another folder with --out"
    )


@contextmanager
def own_folder(folder: Path) -> Iterator[None]:
    """Hold a learner's folder; one process at a time may."""
    lock = filelock.FileLock(folder / ".lock")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=_LOCK_SECONDS)
    except filelock.Timeout:
        raise StoreError(
            f"another process is training in {folder}: wait until it ends, or stop it"
        ) from None
    except OSError as error:
        raise _unwritable(folder, error) from error
    try:
        yield
    except OSError as error:  # of our own files: what a method raises never comes this far
        raise _unwritable(folder, error) from error
    finally:
        lock.release()
