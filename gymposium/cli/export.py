"""``gymposium export``: a run's matches as a table, its transcripts as training examples."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

import typer

from . import arguments
from .guard import fail
from .output import print_json, print_lines
from .resume import RUN, find_run


class Format(StrEnum):
    """What transcripts become."""

    chat = "chat"
    preferences = "preferences"


def export(
    run: Path = RUN,
    matches: Path | None = typer.Option(
        None, "--matches", metavar="FILE", help="a row per seat of every match: .jsonl or .parquet"
    ),
    transcripts: Path | None = typer.Option(
        None, "--transcripts", metavar="FILE", help="language models' answers: .jsonl"
    ),
    format: Format = typer.Option(
        Format.chat, "--format", help="conversations, or pairs of a better and a worse answer"
    ),
    min_return: float | None = typer.Option(
        None, "--min-return", help="leave out seats (or chosen answers) that earned less"
    ),
    own_answers: bool = typer.Option(
        False, "--own-answers", help="chat: only seats whose every turn the model itself decided"
    ),
    min_gap: float = typer.Option(
        0.0, "--min-gap", min=0.0, help="preferences: the least difference of two returns"
    ),
    as_json: bool = arguments.JSON,
) -> None:
    """Write a run's data for other tools."""
    from gymposium.arenas.export import export_matches, export_transcripts

    if matches is None and transcripts is None:
        fail("nothing to export: give --matches FILE, --transcripts FILE, or both", code=2)
    files = {file.resolve() for file in (matches, transcripts) if file is not None}
    if len(files) < (matches is not None) + (transcripts is not None):
        fail(f"{matches}: matches and transcripts need a file each", code=2)
    if transcripts is None and (min_return is not None or own_answers or min_gap):
        fail(
            "--min-return, --own-answers and --min-gap choose among --transcripts: name its file",
            code=2,
        )
    folder = find_run(run)
    written: dict[str, int] = {}
    if matches is not None:
        written[str(matches)] = export_matches(folder, matches)
    if transcripts is not None:
        written[str(transcripts)] = export_transcripts(
            folder,
            transcripts,
            format.value,
            min_return=min_return,
            own_answers=own_answers,
            min_gap=min_gap,
        )
    if as_json:
        print_json(written)
        return
    for name, rows in written.items():
        print_lines(f"{name}: {rows:,} {'line' if rows == 1 else 'lines'}")
