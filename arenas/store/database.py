"""The tables of ``run.sqlite``, and how its troubles are told.

WAL mode: a reader never blocks the writer, and a writer killed at any instant leaves the last
committed state. One transaction per finished match.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gymposium.errors import StoreError

from ...envs.start_folder import located

SCHEMA_VERSION = 2
_TABLES = """
CREATE TABLE runs (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE matches (
  key TEXT PRIMARY KEY, position INTEGER NOT NULL, world TEXT NOT NULL, kind TEXT NOT NULL,
  cell TEXT NOT NULL, seed TEXT NOT NULL, block INTEGER NOT NULL, reason TEXT NOT NULL,
  steps INTEGER NOT NULL, deterministic INTEGER NOT NULL, seconds REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE seats (
  match_key TEXT NOT NULL, place INTEGER NOT NULL, seat TEXT NOT NULL, agent TEXT NOT NULL,
  role TEXT NOT NULL, team TEXT, return REAL NOT NULL, faults TEXT NOT NULL,
  turns INTEGER NOT NULL, llm_turns INTEGER NOT NULL, parsed_turns INTEGER NOT NULL,
  llm_calls INTEGER NOT NULL, prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL,
  seconds REAL NOT NULL, cached_calls INTEGER NOT NULL, cached_tokens INTEGER NOT NULL, money REAL,
  PRIMARY KEY (match_key, place)
) WITHOUT ROWID;
CREATE TABLE metrics (
  match_key TEXT NOT NULL, name TEXT NOT NULL, value REAL, PRIMARY KEY (match_key, name)
) WITHOUT ROWID;
CREATE TABLE llm_calls (
  match_key TEXT NOT NULL, seat TEXT NOT NULL, number INTEGER NOT NULL, model TEXT NOT NULL,
  prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, cached INTEGER NOT NULL,
  seconds REAL NOT NULL, money REAL, PRIMARY KEY (match_key, seat, number)
) WITHOUT ROWID;
"""


def open_database(path: Path, *, create: bool) -> sqlite3.Connection:
    """Connect to a run's database.

    Args:
        path: ``run.sqlite``.
        create: make the tables if the file is new; otherwise a missing file is an error.

    Raises:
        StoreError: missing, not a gymposium store, written by a newer version, or unreadable.
    """
    place = located(path)
    if not create and not place.exists():
        raise StoreError(f"{path.parent} is not a run folder: it holds no {path.name}")
    with telling(path):
        # In a notebook the run has a thread of its own; still one thread at a time uses it.
        still = not create and _still(place)
        connection = sqlite3.connect(
            f"{place.as_uri()}{'?immutable=1' if still else ''}",
            isolation_level=None,
            timeout=30.0,
            check_same_thread=False,
            uri=True,
        )
        try:
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version == 0:
                _make_tables(connection, path, create=create)
            elif version != SCHEMA_VERSION:
                raise StoreError(
                    f"{path} was written by another version of gymposium (store schema {version}, "
                    f"this one reads {SCHEMA_VERSION}): use the version that wrote it"
                )
            if not still:
                connection.execute("PRAGMA journal_mode=WAL")
                connection.execute("PRAGMA synchronous=NORMAL")
        except BaseException:
            connection.close()
            raise
    return connection


def _still(path: Path) -> bool:
    """Whether a finished run lies where sqlite cannot put its own files beside it."""
    beside = path.with_name(f"{path.name}-wal")
    return not os.access(path.parent, os.W_OK) and not beside.exists()


def _make_tables(connection: sqlite3.Connection, path: Path, *, create: bool) -> None:
    foreign = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if foreign or not create:
        raise StoreError(
            f"{path} is not a gymposium store, or its making was interrupted: "
            "delete the folder and start the run again"
        )
    # One transaction, so that a kill between two tables cannot leave a half-made store.
    connection.executescript(
        f"BEGIN EXCLUSIVE; {_TABLES} PRAGMA user_version={SCHEMA_VERSION}; COMMIT;"
    )


@contextmanager
def telling(path: Path) -> Iterator[None]:
    """Turn what sqlite and the file system raise into one sentence that names the file."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise StoreError(_sentence(path, error)) from error
    except FileNotFoundError as error:
        raise StoreError(
            f"there is no {error.filename or path} any more: the run folder was deleted or moved "
            "while it was written; put it back and resume, or begin again"
        ) from error
    except OSError as error:
        raise StoreError(
            f"cannot write {error.filename or path}: {error.strerror or error}; "
            "finished matches are safe: make room or mend the permissions, then resume"
        ) from error


def _sentence(path: Path, error: sqlite3.DatabaseError) -> str:
    text = str(error)
    if "full" in text:
        return (
            f"the disk that holds {path} is full: make room, then resume; no finished match is lost"
        )
    if "disk I/O" in text:
        return (
            f"cannot write {path} ({text}): finished matches are safe: make room or mend the disk, "
            "then resume"
        )
    if "locked" in text or "busy" in text:
        return f"{path} is locked by another process: wait until it ends, or stop it"
    if "readonly" in text or "unable to open" in text:
        return f"cannot open {path} for writing ({text}): check the permissions of its folder"
    return f"{path} is corrupt or not a gymposium store ({text}): restore it, or start a new run"
