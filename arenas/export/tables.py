"""Tables that worlds keep of their matches (``Outcome.tables``), read back from the records.

A society's data collector, for one, keeps a row per hour: such rows are too many for a match's
metrics and belong to the world's own view, so they stand in the outcome of the record.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any

from gymposium.errors import MissingExtra, UnknownName, UsageError

from ..record import decode, read_record
from ..rows import MatchRow
from ..store import RunFolder
from .writing import whole, write_lines

ABOUT = ("match", "cell", "world", "seed", "block", "agents")
"""Columns before the table's own: which match, and who sat in it, as ``seat=agent`` in order."""


def export_table(run: Path, name: str, out: Path) -> int:
    """Write one table of every match that has it.

    Args:
        run: the run's folder.
        name: of the table, as the world calls it.
        out: ``….jsonl`` or ``….parquet``; replaced if it exists, whole or not at all.

    Returns:
        Rows written.

    Raises:
        UnknownName: no match has such a table.
        UsageError: another ending.
        MissingExtra: Parquet without pyarrow.
        StoreError: the run cannot be read or the file not written.
    """
    with RunFolder(run) as folder, closing(folder.each_row()) as matches:
        batches = table_rows(folder, matches, name)
        if out.suffix == ".jsonl":
            return write_lines((row for batch in batches for row in batch), out)
        if out.suffix == ".parquet":
            return _write_parquet(batches, out)
    raise UsageError(f"{out}: tables are written as .jsonl or .parquet")


def table_rows(
    folder: RunFolder, matches: Iterable[MatchRow], name: str
) -> Iterator[list[dict[str, Any]]]:
    """The rows of each match that has the table, match by match.

    Raises:
        UnknownName: no match has it.
    """
    others: set[str] = set()
    found = False
    for row in matches:
        tables = _tables(folder.transcript_path(row.key))
        others |= tables.keys()
        if name not in tables:
            continue
        found = True
        agents = ", ".join(f"{seat.seat}={seat.agent}" for seat in row.seats)
        about = (row.key, row.cell, row.world, row.seed, row.block, agents)
        columns = tables[name]
        yield [
            {**dict(zip(ABOUT, about, strict=True)), **dict(zip(columns, values, strict=True))}
            for values in zip(*columns.values(), strict=True)
        ]
    if not found:
        raise UnknownName("table", name, others, where=str(folder.path))


def _tables(record: Path) -> dict[str, dict[str, list[Any]]]:
    *_, last = read_record(record)
    tables: dict[str, dict[str, list[Any]]] = decode(last["outcome"].get("tables", {}))
    return tables


def _write_parquet(batches: Iterator[list[dict[str, Any]]], out: Path) -> int:
    try:
        pa = importlib.import_module("pyarrow")
        pq = importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise MissingExtra("writing Parquet", extra="export", module="pyarrow") from None
    first = next(batches)
    schema, written = pa.RecordBatch.from_pylist(first).schema, 0
    with whole(out) as part, pq.ParquetWriter(part, schema) as writer:
        for batch in chain([first], batches):
            writer.write_batch(pa.RecordBatch.from_pylist(batch, schema=schema))
            written += len(batch)
    return written
