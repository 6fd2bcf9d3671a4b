"""One run on disk: ``run.sqlite``, ``transcripts/``, ``report.html``.

Matches are written as they end, those that arrive together together: first their transcripts, then,
in one transaction, their rows; the rows are what makes them finished. Killed at any instant, the
folder holds whole matches only. One process at a time may write (a lock the system drops when the
process dies); any number may read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import filelock
import orjson

from gymposium.errors import StoreError
from gymposium.types import Call

from ...envs.start_folder import located
from ..meter import Spent
from ..rows import Finished, MatchRow, SeatRow
from .database import open_database, telling

_PARTIAL = ".partial.zst"
_MATCH_COLUMNS = "key, world, kind, cell, seed, block, reason, seconds, deterministic"
_SEAT_COLUMNS = (
    "match_key, place, seat, agent, role, team, return, faults, turns, llm_turns, parsed_turns, "
    "llm_calls, prompt_tokens, completion_tokens, seconds, cached_calls, cached_tokens, money"
)


class RunFolder:
    """A run's folder, opened for reading or (exclusively) for writing."""

    def __init__(self, path: Path, *, write: bool = False, create: bool = False) -> None:
        """Open.

        Args:
            path: the folder.
            write: hold the writer's lock until ``close``.
            create: make folder and tables if they do not exist.

        Raises:
            StoreError: not a run folder, corrupt, or being written by another process.
        """
        self.path = path
        self._place = place = located(path)
        self._lock: filelock.BaseFileLock | None = None
        self._transcripts = str(place / "transcripts")
        self._made: set[str] = set()
        self._partial: set[str] = set()
        with telling(path):
            if create:
                (place / "transcripts").mkdir(parents=True, exist_ok=True)
            if write:
                self._lock = self._take_lock()
                self._partial = {
                    file.name[:32] for file in place.glob(f"transcripts/*/*{_PARTIAL}")
                }
        try:
            self._db = open_database(path / "run.sqlite", create=create)
        except BaseException:
            self._drop_lock()
            raise

    def _take_lock(self) -> filelock.BaseFileLock:
        if not self._place.is_dir():
            raise StoreError(f"there is no run folder {self.path}: check the path")
        lock = filelock.FileLock(self._place / ".lock", thread_local=False)
        try:
            lock.acquire(timeout=0)
        except filelock.Timeout:
            raise StoreError(
                f"another process is writing the run folder {self.path}: wait until it ends, "
                "stop it, or choose another folder with --out"
            ) from None
        return lock

    def _drop_lock(self) -> None:
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def close(self) -> None:
        """Release the database and the writer's lock; may be called twice."""
        self._db.close()
        self._drop_lock()

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # What the run is.

    def set_info(self, **values: Any) -> None:
        """Keep plain data about the run (scenario, agents, versions, status, …)."""
        rows = [(name, orjson.dumps(value).decode()) for name, value in values.items()]
        with telling(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany("INSERT OR REPLACE INTO runs VALUES (?, ?)", rows)
            self._db.execute("COMMIT")

    def info(self) -> dict[str, Any]:
        """All that ``set_info`` kept."""
        with telling(self.path):
            found = self._db.execute("SELECT name, value FROM runs").fetchall()
        try:
            return {name: orjson.loads(value) for name, value in found}
        except orjson.JSONDecodeError as error:
            raise StoreError(f"the run data in {self.path} is corrupt ({error})") from None

    # Matches.

    def keys(self) -> set[str]:
        """The keys of all finished matches."""
        with telling(self.path):
            return {key for (key,) in self._db.execute("SELECT key FROM matches")}

    def count(self) -> int:
        """How many matches are finished."""
        with telling(self.path):
            found: int = self._db.execute("SELECT count(*) FROM matches").fetchone()[0]
        return found

    def has(self, key: str) -> bool:
        """Whether the match of this key is finished."""
        with telling(self.path):
            found = self._db.execute("SELECT 1 FROM matches WHERE key = ?", (key,))
            return found.fetchone() is not None

    def transcript_path(self, key: str) -> Path:
        """Where a match's record is, or will be."""
        return self._place / "transcripts" / key[:2] / f"{key}.jsonl.zst"

    def add_matches(self, finished: Sequence[Finished]) -> None:
        """Store finished matches: their transcripts (if any), then all rows in one transaction.

        Raises:
            StoreError: full disk and the like; none of the matches counts as played.
        """
        db = self._db
        with telling(self.path):
            for match in finished:
                if match.record:
                    self._write_transcript(match.row.key, ".jsonl.zst", match.record)
            db.execute("BEGIN IMMEDIATE")
            try:
                for match in finished:
                    _insert(db, match)
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise
            for key in self._partial.intersection(match.row.key for match in finished):
                self._partial.discard(key)
                self.transcript_path(key).with_suffix(_PARTIAL).unlink(missing_ok=True)

    def add_partial(self, key: str, record: bytes) -> None:
        """Keep the record of an interrupted match, marked as such; it is played again on resume."""
        with telling(self.path):
            self._write_transcript(key, f".jsonl{_PARTIAL}", record)
            self._partial.add(key)

    def rows(self) -> list[MatchRow]:
        """All finished matches, in schedule order."""
        with telling(self.path), self._at_one_instant():
            return self._read()

    def each_row(self, batch: int = 1000) -> Generator[MatchRow, None, None]:
        """All finished matches, in schedule order, read in batches: for runs of any size.

        Args:
            batch: matches held in memory at a time.
        """
        with telling(self.path), self._at_one_instant():
            found = self._db.execute("SELECT key FROM matches ORDER BY position").fetchall()
            keys = [key for (key,) in found]
            for start in range(0, len(keys), batch):
                yield from self._read(keys[start : start + batch])

    def metric_names(self) -> list[str]:
        """Names of all measures of the worlds, sorted."""
        with telling(self.path):
            found = self._db.execute("SELECT DISTINCT name FROM metrics ORDER BY name")
            return [name for (name,) in found]

    def _read(self, keys: Sequence[str] | None = None) -> list[MatchRow]:
        """The matches of these keys, or all, in schedule order."""
        given = () if keys is None else tuple(keys)
        among = "" if keys is None else f"IN ({', '.join('?' * len(given))})"
        at_match, at_key = (
            f"WHERE {name} {among}" if among else "" for name in ("match_key", "key")
        )
        seats: dict[str, list[SeatRow]] = {}
        query = f"SELECT {_SEAT_COLUMNS} FROM seats {at_match} ORDER BY match_key, place"
        for key, _, seat, agent, role, team, total, faults, *counts in self._db.execute(
            query, given
        ):
            row = SeatRow(seat, agent, role, team, total, orjson.loads(faults), *counts)
            seats.setdefault(key, []).append(row)
        metrics: dict[str, dict[str, float]] = {}
        query = f"SELECT match_key, name, value FROM metrics {at_match}"
        for key, name, value in self._db.execute(query, given):
            metrics.setdefault(key, {})[name] = float("nan") if value is None else value
        found = self._db.execute(
            f"SELECT {_MATCH_COLUMNS} FROM matches {at_key} ORDER BY position", given
        )
        return [
            MatchRow(
                key=key,
                world=world,
                kind=kind,
                cell=cell,
                seed=int(seed),
                block=block,
                seats=tuple(seats.get(key, ())),
                metrics=metrics.get(key, {}),
                reason=reason,
                seconds=seconds,
                deterministic=bool(deterministic),
            )
            for key, world, kind, cell, seed, block, reason, seconds, deterministic in found
        ]

    @contextmanager
    def _at_one_instant(self) -> Iterator[None]:
        """All that is read inside is of one moment, though another process is writing."""
        self._db.execute("BEGIN")
        try:
            yield
        finally:
            self._db.execute("ROLLBACK")

    def spent(self) -> dict[str, Spent]:
        """What each agent's model calls took in all finished matches, cached ones left out."""
        query = (
            "SELECT agent, count(*), total(c.prompt_tokens), total(c.completion_tokens), "
            "total(c.seconds), total(c.money), count(c.money) FROM seats JOIN llm_calls AS c "
            "USING (match_key, seat) WHERE NOT c.cached GROUP BY agent"
        )
        with telling(self.path):
            found = self._db.execute(query).fetchall()
        return {
            agent: Spent(
                calls=calls,
                prompt_tokens=int(prompt),
                completion_tokens=int(completion),
                money=money if priced == calls else None,
                seconds=seconds,
            )
            for agent, calls, prompt, completion, seconds, money, priced in found
        }

    def _write_transcript(self, key: str, ending: str, record: bytes) -> None:
        folder = f"{self._transcripts}/{key[:2]}"
        if folder not in self._made:
            Path(folder).mkdir(exist_ok=True)
            self._made.add(folder)
        with open(f"{folder}/{key}{ending}", "wb") as file:
            file.write(record)


def _insert(db: sqlite3.Connection, match: Finished) -> None:
    row = match.row
    db.execute(
        "INSERT INTO matches VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            row.key,
            match.position,
            row.world,
            row.kind,
            row.cell,
            str(row.seed),
            row.block,
            row.reason,
            match.steps,
            row.deterministic,
            row.seconds,
        ),
    )
    db.executemany(
        f"INSERT INTO seats VALUES ({', '.join('?' * 18)})",
        [_seat_values(row.key, place, seat) for place, seat in enumerate(row.seats)],
    )
    if row.metrics:
        db.executemany(
            "INSERT INTO metrics VALUES (?, ?, ?)",
            [(row.key, name, value) for name, value in row.metrics.items()],
        )
    made = list(_call_values(row.key, match.calls))
    if made:
        db.executemany("INSERT INTO llm_calls VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", made)


def _seat_values(key: str, place: int, seat: SeatRow) -> tuple[Any, ...]:
    return (
        key,
        place,
        seat.seat,
        seat.agent,
        seat.role,
        seat.team,
        seat.return_,
        orjson.dumps(dict(seat.faults), option=orjson.OPT_SORT_KEYS).decode(),
        seat.turns,
        seat.llm_turns,
        seat.parsed_turns,
        seat.llm_calls,
        seat.prompt_tokens,
        seat.completion_tokens,
        seat.seconds,
        seat.cached_calls,
        seat.cached_tokens,
        seat.money,
    )


def _call_values(key: str, calls: Mapping[str, Sequence[Call]]) -> Iterable[tuple[Any, ...]]:
    for seat, made in calls.items():
        for number, call in enumerate(made):
            usage = call.usage
            yield (
                key,
                seat,
                number,
                call.model,
                usage.prompt_tokens,
                usage.completion_tokens,
                call.cached,
                call.seconds,
                call.money,
            )
