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
    table: list[str] = typer.Option(
        [],
        "--table",
        metavar="NAME=FILE",
        help="a table that the worlds keep, as town-v0 its series: .jsonl or .parquet",
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
    from gymposium.arenas.export import export_matches, export_table, export_transcripts

    tables = [_named(each) for each in table]
    _refuse([matches, transcripts, *(file for _, file in tables)])
    if transcripts is None and (min_return is not None or own_answers or min_gap):
        fail(
            "--min-return, --own-answers and --min-gap choose among --transcripts: name its file",
            code=2,
        )
    folder = find_run(run)
    written: dict[str, int] = {}
    if matches is not None:
        written[str(matches)] = export_matches(folder, matches)
    for name, file in tables:
        written[str(file)] = export_table(folder, name, file)
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


def _named(table: str) -> tuple[str, Path]:
    name, equals, file = table.partition("=")
    if not (name and equals and file):
        fail(
            f"--table {table}: give the table's name and a file, as in series=series.jsonl", code=2
        )
    return name, Path(file)


def _refuse(files: list[Path | None]) -> None:
    given = [file for file in files if file is not None]
    if not given:
        fail("nothing to export: give --matches, --transcripts or --table, and a file", code=2)
    if len({file.resolve() for file in given}) < len(given):
        fail(f"{given[0]}: matches, transcripts and tables need a file each", code=2)
