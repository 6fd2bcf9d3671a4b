"""Transcripts as training examples, one JSON line each: written as they are read."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from gymposium.errors import UnknownName, UsageError

from ..record import read_record
from ..store import RunFolder
from .chat import chat_examples
from .preferences import preference_pairs
from .writing import write_lines

Format: TypeAlias = Literal["chat", "preferences"]
FORMATS: tuple[str, ...] = get_args(Format)


def export_transcripts(
    run: Path,
    out: Path,
    format: Format = "chat",
    *,
    min_return: float | None = None,
    own_answers: bool = False,
    min_gap: float = 0.0,
) -> int:
    """Write a run's language-model answers as training examples.

    Args:
        run: the run's folder.
        out: ``….jsonl``; replaced if it exists, whole or not at all.
        format: ``chat`` (:mod:`.chat`) or ``preferences`` (:mod:`.preferences`).
        min_return: leaves out seats (chat) or chosen answers (preferences) that earned less.
        own_answers: chat: only seats whose every turn the model's own answer decided. Preferences
            are never made of others.
        min_gap: preferences: the least difference of two returns.

    Returns:
        Lines written.

    Raises:
        UnknownName: another format.
        UsageError: another ending, a bound that is no number, or a gap of conversations.
        StoreError: a record is lost or corrupt, or the file cannot be written.
    """
    if format not in FORMATS:
        raise UnknownName("format", format, FORMATS, where="export")
    if out.suffix != ".jsonl":
        raise UsageError(f"{out}: transcripts are written as .jsonl")
    if math.isnan(min_gap) or (min_return is not None and math.isnan(min_return)):
        raise UsageError("an export's least return or gap must be a number, not NaN")
    if min_gap and format != "preferences":
        raise UsageError("a least gap is for preferences: leave it out, or choose that format")
    with RunFolder(run) as folder, closing(folder.each_row()) as rows:

        def record(key: str) -> Iterator[Mapping[str, Any]]:
            return read_record(folder.transcript_path(key))

        if format == "chat":
            made = chat_examples(rows, record, min_return=min_return, own_answers=own_answers)
        else:
            made = preference_pairs(rows, record, min_return=min_return, min_gap=min_gap)
        return write_lines(made, out)
