"""Learning curves on disk: a CSV file that only grows, and TensorBoard's event files.

A row is added at each moment of progress, so that a killed process loses none but the last; on
resuming, rows later than the checkpoint that is gone on from are taken back. Columns that appear
later (a measure that needs a finished episode) are added to the file as it stands.
"""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

Row = dict[str, float]


class CurveFile:
    """One CSV file of rows with a ``step`` and figures.

    Attributes:
        rows: all of them, oldest first.
    """

    def __init__(self, path: Path, *, last_step: int | None = None) -> None:
        """Open, or begin.

        Args:
            path: the file.
            last_step: rows of later steps are removed; None removes all.
        """
        self.path = path
        kept = read_rows(path) if last_step is not None else []
        self.rows = [row for row in kept if row["step"] <= (last_step or 0)]
        self._columns = _columns(self.rows)
        self._rewrite()

    def add(self, row: Mapping[str, float]) -> None:
        """Write one row; unknown columns widen the file."""
        self.rows.append(dict(row))
        if not set(row) <= set(self._columns):
            self._columns = _columns(self.rows)
            self._rewrite()
            return
        with self.path.open("a", encoding="utf-8", newline="") as file:
            file.write(_line([_shown(row.get(name)) for name in self._columns]))

    def _rewrite(self) -> None:
        part = self.path.with_name(f".{self.path.name}.part")
        with part.open("w", encoding="utf-8", newline="") as file:
            if self._columns:
                file.write(_line(self._columns))
            for row in self.rows:
                file.write(_line([_shown(row.get(name)) for name in self._columns]))
            file.flush()
            os.fsync(file.fileno())
        part.replace(self.path)


def read_rows(path: Path) -> list[Row]:
    """The rows of a curve file; a torn last line (a process was killed) is left out."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines.pop()
    rows = []
    for found in csv.DictReader(lines):
        try:
            row = {k: float(v) for k, v in found.items() if v not in ("", None)}
        except (TypeError, ValueError):
            continue
        if "step" in row:
            rows.append({**row, "step": int(row["step"])})
    return rows


def _columns(rows: list[Row]) -> list[str]:
    names = dict.fromkeys(name for row in rows for name in row)
    first = [name for name in ("step", "seconds") if name in names]
    return [*first, *(name for name in names if name not in first)]


def _line(cells: list[str]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue()


def _shown(value: float | None) -> str:
    """A figure that is read back as the same figure."""
    if value is None:
        return ""
    number = float(value)
    if number.is_integer() and abs(number) < 2**53:
        return str(int(number))
    return repr(number)


class TensorBoard:
    """Event files for TensorBoard, in ``folder``; nothing at all where it is not installed."""

    def __init__(self, folder: Path, *, last_step: int) -> None:
        """Begin a file; TensorBoard forgets steps after ``last_step`` of earlier files."""
        self._writer: Any = None
        try:
            from tensorboard.compat.proto import event_pb2, summary_pb2
            from tensorboard.summary.writer.event_file_writer import EventFileWriter
        except ModuleNotFoundError:
            return
        self._event, self._summary = event_pb2, summary_pb2
        self._writer = EventFileWriter(str(folder))
        log = event_pb2.SessionLog(status=event_pb2.SessionLog.START)
        self._writer.add_event(event_pb2.Event(step=last_step + 1, session_log=log))

    def add(self, step: int, wall_time: float, figures: Mapping[str, float]) -> None:
        """Add figures under their names, at ``step``."""
        if self._writer is None:
            return
        values = [
            self._summary.Summary.Value(tag=name, simple_value=float(value))
            for name, value in figures.items()
            if math.isfinite(value)
        ]
        summary = self._summary.Summary(value=values)
        self._writer.add_event(self._event.Event(step=step, wall_time=wall_time, summary=summary))

    def __enter__(self) -> TensorBoard:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._writer is not None:
            self._writer.close()
