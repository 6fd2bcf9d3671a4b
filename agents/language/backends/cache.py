"""Answers that were paid for once: a SQLite file that any number of processes may share.

An answer is kept under the key of its question (:mod:`.cache_key`) with the question itself, so
that a miss can be explained, and with who paid: a run that is killed and resumed finds what its
unfinished matches had already bought, and counts it as bought, not as found. The first answer to a
question stays; a process that asked the same at the same time takes over what is there.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import zstandard

from gymposium.errors import StoreError, UsageError
from gymposium.types import Usage

from ....envs.start_folder import located
from .cache_key import differences, nearness
from .protocol import Completion

_LOG = logging.getLogger("gymposium.llm")
SCHEMA_VERSION = 1
_MARK = 0x67796D61  # "gyma": whose file this is
_TABLE = """
CREATE TABLE answers (
  key BLOB PRIMARY KEY, model TEXT NOT NULL, question BLOB NOT NULL, answer BLOB NOT NULL,
  run TEXT NOT NULL, match TEXT NOT NULL, made REAL NOT NULL,
  prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX by_run ON answers (run);
"""
_CANDIDATES = 2000


def default_path() -> Path:
    """``$GYMPOSIUM_ANSWERS``, else ``answers.sqlite`` where models are kept."""
    from ..models import models_folder

    named = os.environ.get("GYMPOSIUM_ANSWERS")
    return Path(named).expanduser() if named else models_folder().parent / "answers.sqlite"


class Payer(NamedTuple):
    """Who asks: a run and one of its matches."""

    run: str = ""
    match: str = ""


class Kept(NamedTuple):
    """An answer found."""

    completions: list[Completion]
    payer: Payer


class ResponseCache:
    """The answers in one file.

    A file that cannot be used when it is opened is an error; one that fails later (a full disk) is
    said once, and the run goes on without it.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        """Open or make the file.

        Args:
            path: of the file; default: :func:`default_path`.

        Raises:
            StoreError: it is corrupt, not a cache, of another version, or cannot be written.
        """
        self.path = located(path) if path is not None else default_path()
        self._lock = threading.Lock()
        self._broken = False
        self._pack = zstandard.ZstdCompressor(level=3)
        self._unpack = zstandard.ZstdDecompressor()
        with self._telling():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(
                self.path, isolation_level=None, timeout=30.0, check_same_thread=False
            )
            try:
                self._prepare()
            except BaseException:
                self._db.close()
                raise

    def _prepare(self) -> None:
        db = self._db
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=NORMAL")
        db.execute("BEGIN IMMEDIATE")  # one process makes the table, the others find it made
        tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if not tables:
            for statement in _TABLE.split(";")[:-1]:
                db.execute(statement)
            db.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
            db.execute(f"PRAGMA application_id={_MARK}")
        elif db.execute("PRAGMA application_id").fetchone()[0] != _MARK:
            raise StoreError(f"{self.path} is another program's file; name another with --cache")
        elif version != SCHEMA_VERSION:
            raise StoreError(
                f"the answer cache {self.path} was written by another version of gymposium; name "
                "another with --cache, or empty it with `gymposium cache clear`"
            )
        db.execute("COMMIT")

    @contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise StoreError(
                f"the answer cache {self.path} is corrupt or cannot be used ({error}): empty it "
                "with `gymposium cache clear`, name another with --cache, or use none with "
                "--no-cache"
            ) from error
        except OSError as error:
            raise StoreError(
                f"the answer cache {self.path} cannot be written ({error.strerror or error}): name "
                "another with --cache, or use none with --no-cache"
            ) from error

    def get(self, key: bytes) -> Kept | None:
        """The answer kept under a key, or None."""
        query = "SELECT answer, run, match FROM answers WHERE key = ?"
        found = self._try(lambda: self._db.execute(query, (key,)).fetchone())
        if not found:
            return None
        try:
            made = [_read(each) for each in orjson.loads(found[0])]
            if not made:
                raise ValueError("an answer without text")
            return Kept(made, Payer(*found[1:]))
        except (ValueError, TypeError, KeyError) as error:
            self._give_up(error)
            return None

    def put(
        self, key: bytes, asked: Mapping[str, Any], made: list[Completion], payer: Payer
    ) -> list[Completion]:
        """Keep an answer, unless there is one already.

        Returns:
            The answer that counts from now on: ``made``, or what another process put there first
            (with the usage of ``made``, for that was paid as well).
        """
        usages = [each.usage for each in made]
        row = (
            key,
            asked["model"],
            self._pack.compress(orjson.dumps(asked, default=dict)),
            orjson.dumps([_written(each) for each in made]),
            *payer,
            time.time(),
            sum(usage.prompt_tokens for usage in usages),
            sum(usage.completion_tokens for usage in usages),
        )
        insert = "INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
        cursor = self._try(lambda: self._db.execute(insert, row))
        if cursor is not None and cursor.rowcount == 0 and (first := self.get(key)) is not None:
            return [
                theirs._replace(usage=mine.usage, seconds=mine.seconds)
                for theirs, mine in zip(first.completions, made, strict=False)
            ]
        return made

    def _try(self, act: Any) -> Any:
        if self._broken:
            return None
        try:
            with self._lock:
                return act()
        except sqlite3.Error as error:
            self._give_up(error)
            return None

    def _give_up(self, error: Exception) -> None:
        self._broken = True
        _LOG.warning(
            "the answer cache %s cannot be used any more (%s); the run goes on without it",
            self.path,
            error,
        )

    def stats(self) -> dict[str, Any]:
        """What is in it: answers and tokens, by model, and bytes on disk."""
        with self._telling():
            found = self._db.execute(
                "SELECT model, count(*), total(prompt_tokens), total(completion_tokens), "
                "min(made), max(made) FROM answers GROUP BY model ORDER BY count(*) DESC, model"
            ).fetchall()
        names = ("model", "answers", "prompt_tokens", "completion_tokens", "oldest", "newest")
        models = [dict(zip(names, row, strict=True)) for row in found]
        for row in models:
            row |= {name: int(row[name]) for name in names[2:4]}
        size = sum(file.stat().st_size for file in _files(self.path) if file.exists())
        answers = sum(row["answers"] for row in models)
        return {"path": str(self.path), "bytes": size, "answers": answers, "models": models}

    def explain(self, run: str, *, most: int = 50) -> list[dict[str, Any]]:
        """Why a run's calls were not found: the nearest older question of each, and what differs.

        Args:
            run: the run's id.
            most: how many of its calls are looked at, the earliest first.

        Returns:
            For each call ``match``, ``made`` and ``differs`` (field -> both values); an empty
            ``differs`` where nothing older is in the cache.
        """
        with self._telling():
            missed = self._db.execute(
                "SELECT question, match, made, model FROM answers WHERE run = ? ORDER BY made "
                "LIMIT ?",
                (run, most),
            ).fetchall()
            explained = []
            for packed, match, made, model in missed:
                asked = self._question(packed)
                nearest = self._nearest(asked, model, run, made)
                differs = {} if nearest is None else differences(asked, nearest)
                explained.append({"match": match, "made": made, "differs": differs})
        return explained

    def _nearest(
        self, asked: Mapping[str, Any], model: str, run: str, before: float
    ) -> dict[str, Any] | None:
        """The older question of another run that is most like ``asked``; the same model first."""
        for condition in ("model = ?", "model <> ?"):
            found = self._db.execute(
                f"SELECT question FROM answers WHERE run <> ? AND made < ? AND {condition} "
                "ORDER BY made DESC LIMIT ?",
                (run, before, model, _CANDIDATES),
            )
            questions = [self._question(packed) for (packed,) in found]
            if questions:
                return max(questions, key=lambda each: nearness(asked, each))
        return None

    def _question(self, packed: bytes) -> dict[str, Any]:
        try:
            loaded: dict[str, Any] = orjson.loads(self._unpack.decompress(packed))
        except (zstandard.ZstdError, ValueError, TypeError) as error:
            raise sqlite3.DatabaseError(f"a question cannot be read: {error}") from error
        return loaded

    def close(self) -> None:
        """Release the file."""
        self._db.close()


def clear(path: str | Path | None = None) -> int:
    """Delete a cache's file, corrupt or not.

    Returns:
        The bytes freed.

    Raises:
        UsageError: the file is not an answer cache.
        StoreError: it cannot be deleted.
    """
    target = Path(path) if path is not None else default_path()
    freed = 0
    try:
        if target.exists() and not _is_ours(target):
            raise UsageError(f"{target} is not an answer cache; delete it yourself if you mean it")
        for file in _files(target):
            if file.exists():
                freed += file.stat().st_size
                file.unlink()
    except OSError as error:
        raise StoreError(f"cannot delete {target}: {error.strerror or error}") from error
    return freed


def _is_ours(path: Path) -> bool:
    """By the mark in SQLite's header; a file at the default place is ours whatever it holds."""
    with path.open("rb") as file:
        header = file.read(72)
    return header[68:72] == _MARK.to_bytes(4, "big") or path == default_path() or not header


def _files(path: Path) -> list[Path]:
    return [path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))]


def _written(done: Completion) -> dict[str, Any]:
    plain = {name: value for name, value in done._asdict().items() if value not in (None, ())}
    return {**plain, "usage": list(done.usage)}


def _read(plain: Mapping[str, Any]) -> Completion:
    made = dict(plain)
    for name in ("logprobs", "completion_ids", "prompt_ids", "trace"):
        if name in made:
            made[name] = tuple(made[name])
    return Completion(**{**made, "usage": Usage(*made["usage"])})
