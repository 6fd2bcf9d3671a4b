"""Matches as a table: one row per seat of every finished match, JSON lines or Parquet.

The columns are those of ``Run.matches()`` and some more; ``metric.…`` holds the worlds' own
measures, empty where a world does not have one. Rows go from the store to the file in batches, so
that a run of any size takes little memory.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

from gymposium.errors import MissingExtra, UsageError

from ..rows import MatchRow, SeatRow
from ..store import RunFolder
from .writing import whole, write_lines

BATCH = 10_000


def export_matches(run: Path, out: Path) -> int:
    """Write a run's matches.

    Args:
        run: the run's folder.
        out: ``….jsonl`` or ``….parquet``; replaced if it exists, whole or not at all.

    Returns:
        Rows written.

    Raises:
        UsageError: another ending.
        MissingExtra: Parquet without pyarrow.
        StoreError: the run cannot be read or the file not written.
    """
    with RunFolder(run) as folder, closing(folder.each_row()) as matches:
        metrics = folder.metric_names()
        rows = (flat for row in matches for flat in flat_rows(row, metrics))
        if out.suffix == ".jsonl":
            return write_lines(rows, out)
        if out.suffix == ".parquet":
            return _write_parquet(rows, out, metrics)
    raise UsageError(f"{out}: matches are written as .jsonl or .parquet")


def flat_rows(row: MatchRow, metrics: list[str]) -> Iterator[dict[str, Any]]:
    """One flat row per seat.

    Args:
        row: the match.
        metrics: names that become columns; NaN and missing ones are None.
    """
    for place, seat in enumerate(row.seats):
        yield {
            "match": row.key,
            "cell": row.cell,
            "world": row.world,
            "kind": row.kind,
            "seed": row.seed,
            "block": row.block,
            "place": place,
            "seat": seat.seat,
            "agent": seat.agent,
            "role": seat.role,
            "team": seat.team,
            "return": seat.return_,
            "faults": sum(seat.faults.values()),
            "fault_kinds": ",".join(sorted(seat.faults)),
            "turns": seat.turns,
            "llm_turns": seat.llm_turns,
            "parsed_turns": seat.parsed_turns,
            "llm_calls": seat.llm_calls,
            "prompt_tokens": seat.prompt_tokens,
            "completion_tokens": seat.completion_tokens,
            "seconds": seat.seconds,
            "cached_calls": seat.cached_calls,
            "cached_tokens": seat.cached_tokens,
            "money": seat.money,
            "reason": row.reason,
            "deterministic": row.deterministic,
            **{f"metric.{name}": _number(row.metrics.get(name)) for name in metrics},
        }


def _number(value: float | None) -> float | None:
    return None if value is None or value != value else float(value)


def _write_parquet(rows: Iterator[dict[str, Any]], out: Path, metrics: list[str]) -> int:
    try:
        pa = importlib.import_module("pyarrow")
        pq = importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise MissingExtra("writing Parquet", extra="export", module="pyarrow") from None
    schema = _schema(pa, metrics)
    written = 0
    with whole(out) as part, pq.ParquetWriter(part, schema) as writer:
        while batch := list(islice(rows, BATCH)):
            writer.write_batch(pa.RecordBatch.from_pylist(batch, schema=schema))
            written += len(batch)
    return written


def _schema(pa: Any, metrics: list[str]) -> Any:
    words = ("match", "cell", "world", "kind", "seat", "agent", "role", "team", "fault_kinds")
    types = {name: pa.string() for name in (*words, "reason")}
    types |= {name: pa.float64() for name in ("return", "seconds", "money")}
    types["deterministic"] = pa.bool_()
    types |= {f"metric.{name}": pa.float64() for name in metrics}
    example = MatchRow("", "", "", "", 0, 0, (SeatRow("", "", "", None, 0.0),))
    columns = next(flat_rows(example, metrics))
    return pa.schema([(name, types.get(name, pa.int64())) for name in columns])
