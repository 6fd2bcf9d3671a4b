"""Manuscripts from a folder, a zip file, JSON lines, CSV, or an export of OpenReview.

All of it is hostile input. Links and anything that is no plain file are not followed, names within
archives are never used as paths, archives within archives are not opened, sizes are counted while
reading (so a small zip cannot become large), broken Unicode is replaced, and what a reader would
not see is taken out (:mod:`.visible_text`). Of fields only those that a review needs are taken:
no names of authors; addresses within texts are blotted out.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import re
import stat
import zipfile
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from gymposium.errors import UsageError

from ..start_folder import located
from .manuscript import Manuscript
from .visible_text import visible

MOST_MANUSCRIPTS = 20_000
MOST_BYTES = 4_000_000
"""Of one text file; of a file that holds many it is MOST_ALL."""
MOST_ALL = 400_000_000
MOST_TITLE, MOST_ABSTRACT, MOST_TEXT = 300, 6_000, 60_000
_TEXTS, _MANY = (".txt", ".md", ".tex"), (".jsonl", ".ndjson", ".json", ".csv")
_ADDRESS = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}")
_REJECTED = ("reject", "withdraw", "submitted to", "desk")


class Collection(NamedTuple):
    """Manuscripts read.

    Attributes:
        manuscripts: in order of file names and, within a file, of lines.
        digest: of what was read; changes with any of it.
        skipped: what was not read, and why, in words.
    """

    manuscripts: tuple[Manuscript, ...]
    digest: str
    skipped: tuple[str, ...]


def read_manuscripts(source: str | Path) -> Collection:
    """Read manuscripts.

    Args:
        source: a folder of ``.txt``, ``.md``, ``.tex`` (title in the first line) or of files that
            hold many; one such file (``.jsonl``, ``.json``, ``.csv``); or a ``.zip`` of either.

    Raises:
        UsageError: there is no such file, it is too large, or there are fewer than two manuscripts.
    """
    path, reader = Path(source), _Reader()
    try:
        for name, data in _files(located(path), reader):
            reader.take(name, data)
    except (OSError, zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
        raise UsageError(f"manuscripts {str(path)!r} cannot be read: {error}") from error
    if len(reader.found) < 2:
        why = f" ({'; '.join(reader.skipped[:3])})" if reader.skipped else ""
        raise UsageError(
            f"manuscripts {str(path)!r}: {len(reader.found)} found, and a review needs two{why}; "
            "give a folder of texts, JSON lines with title and abstract, CSV or OpenReview JSON"
        )
    return Collection(tuple(reader.found), reader.hash.hexdigest()[:16], tuple(reader.skipped))


class _Reader:
    """Turns files into manuscripts and counts what they cost."""

    def __init__(self) -> None:
        self.found: list[Manuscript] = []
        self.skipped: list[str] = []
        self.hash = hashlib.sha256()
        self._ids: set[str] = set()

    def skip(self, name: str, why: str) -> None:
        if len(self.skipped) < 100:
            self.skipped.append(f"{_plain(name, 80)}: {why}")

    def take(self, name: str, data: bytes) -> None:
        self.hash.update(len(data).to_bytes(8, "big") + data)
        text = data.decode("utf-8-sig", errors="replace")
        suffix = Path(name).suffix.lower()
        if suffix in _TEXTS:
            title, _, body = text.strip().partition("\n")
            record = {"id": Path(name).stem, "title": title.lstrip("#% "), "abstract": body}
            self._add(record, name, tex=suffix == ".tex")
            return
        records = _csv(text) if suffix == ".csv" else _json(text)
        for number, record in enumerate(records, 1):
            if len(self.found) >= MOST_MANUSCRIPTS:
                self.skip(name, f"more than {MOST_MANUSCRIPTS:,} manuscripts; the rest is left out")
                return
            if isinstance(record, Mapping):
                self._add(_openreview(record), f"{name}, {number}")
            else:
                self.skip(f"{name}, {number}", "no JSON object")

    def _add(self, record: Mapping[str, Any], where: str, *, tex: bool = False) -> None:
        fields, hidden = {}, []
        for key, most in (
            ("title", MOST_TITLE),
            ("abstract", MOST_ABSTRACT),
            ("text", MOST_TEXT),
        ):
            value = record.get(key)
            seen = visible(value if isinstance(value, str) else "", tex=tex)
            text = _ADDRESS.sub("(address)", seen.text)
            cut = " ".join(text.split()) if key == "title" else text
            fields[key] = cut[:most]
            hidden += [f"{what} in the {key}" for what in seen.hidden]
        if not fields["title"] and not fields["abstract"]:
            self.skip(where, "neither title nor abstract")
            return
        id = _plain(str(record.get("id") or f"m{len(self.found):05}"), 60)
        if id in self._ids:
            numbers = (f"{id}#{number}" for number in count(len(self.found)))
            id = next(it for it in numbers if it not in self._ids)
        self._ids.add(id)
        self.found.append(
            Manuscript(
                id,
                fields["title"],
                fields["abstract"],
                fields["text"],
                topic=_plain(_text(record.get("topic") or record.get("area")), 60),
                institutions=_institutions(record.get("institutions")),
                citations=_number(record.get("citations")),
                accepted=_decision(record.get("decision", record.get("accepted"))),
                hidden=tuple(hidden),
            )
        )


def _files(path: Path, reader: _Reader) -> Iterator[tuple[str, bytes]]:
    if path.is_dir():
        total = 0
        for entry in sorted(os.scandir(path), key=lambda entry: entry.name):
            suffix = Path(entry.name).suffix.lower()
            if entry.is_symlink() or not entry.is_file(follow_symlinks=False):
                reader.skip(entry.name, "no plain file")
            elif suffix in (*_TEXTS, *_MANY):
                data = _read(Path(entry.path), MOST_BYTES if suffix in _TEXTS else MOST_ALL)
                total += len(data or b"")
                if data is None or total > MOST_ALL:
                    reader.skip(entry.name, "too large")
                else:
                    yield entry.name, data
        return
    if path.suffix.lower() == ".zip":
        yield from _zipped(path, reader)
        return
    if path.suffix.lower() not in (*_TEXTS, *_MANY):
        kinds = ", ".join((*_MANY, *_TEXTS, ".zip"))
        raise UsageError(f"manuscripts {str(path)!r}: give a folder or one of {kinds}")
    data = _read(path, MOST_ALL)
    if data is None:
        raise UsageError(f"manuscripts {str(path)!r}: no plain file of at most {MOST_ALL:,} bytes")
    yield path.name, data


def _read(path: Path, most: int) -> bytes | None:
    """A plain file's bytes; None if it is none, or too large, also if it grows meanwhile."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    flags |= getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return None
        data = file.read(most + 1)
    return data if len(data) <= most else None


def _zipped(path: Path, reader: _Reader) -> Iterator[tuple[str, bytes]]:
    total = 0
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist()[: 2 * MOST_MANUSCRIPTS]:
            suffix = Path(info.filename).suffix.lower()
            if info.is_dir() or stat.S_ISLNK(info.external_attr >> 16):
                continue
            if suffix not in (*_TEXTS, *_MANY):
                reader.skip(info.filename, "not a kind of file that is read")
                continue
            most = min(MOST_BYTES if suffix in _TEXTS else MOST_ALL, MOST_ALL - total)
            with archive.open(info) as member:  # what is inside decides, not what it says it is
                data = member.read(most + 1)
            if len(data) > most:
                reader.skip(info.filename, "too large")
                continue
            total += len(data)
            yield info.filename, data


def _json(text: str) -> Iterator[Any]:
    """The records of JSON lines, of a list, or of an object that holds one."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        for line in text.splitlines():
            if line.strip():
                try:
                    yield json.loads(line)
                except (ValueError, RecursionError):
                    yield None
        return
    if isinstance(whole, Mapping):
        held = next(
            (whole[key] for key in ("notes", "manuscripts", "papers") if key in whole), None
        )
        whole = held if isinstance(held, list) else [whole]
    yield from whole if isinstance(whole, list) else [whole]


def _csv(text: str) -> Iterator[Any]:
    csv.field_size_limit(MOST_BYTES)
    try:
        yield from csv.DictReader(io.StringIO(text, newline=""))
    except csv.Error:
        yield None


def _openreview(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """A note of an OpenReview export as one of our records; others are given back as they are."""
    content = record.get("content")
    if not isinstance(content, Mapping):
        return record
    flat = {
        key: value.get("value") if isinstance(value, Mapping) else value
        for key, value in content.items()
    }
    return {
        "id": record.get("id") or record.get("forum"),
        "title": flat.get("title"),
        "abstract": flat.get("abstract"),
        "text": flat.get("text"),
        "topic": flat.get("primary_area") or flat.get("area"),
        "institutions": flat.get("institutions"),
        "citations": flat.get("citations", record.get("citations")),
        "decision": flat.get("decision") or flat.get("venue"),
    }


def _institutions(value: Any) -> tuple[str, ...]:
    parts = value.split(";") if isinstance(value, str) else value
    if not isinstance(parts, list | tuple):
        return ()
    names = (_plain(part, 80) for part in parts[:20] if isinstance(part, str))
    return tuple(dict.fromkeys(name for name in names if name))


def _decision(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    said = _text(value).lower()
    if not said.strip():
        return None
    return not any(word in said for word in _REJECTED) and said not in ("no", "false", "0")


def _number(value: Any) -> float | None:
    try:
        number = float(value) if not isinstance(value, bool) else -1.0
    except (TypeError, ValueError, OverflowError):
        return None
    return number if 0 <= number < 1e9 else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _plain(text: str, most: int) -> str:
    return " ".join(visible(text[: 10 * most]).text.split())[:most]
