"""``gymposium reproduce``: run a paper's claims and say what came of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from . import arguments
from .guard import fail, say
from .output import print_json, print_lines, print_table

if TYPE_CHECKING:
    from gymposium.arenas.claims import Result


class ScaleName(StrEnum):
    """How much is run."""

    smoke = "smoke"
    cpu = "cpu"
    full = "full"


FOLDER = "docs/claims"


def reproduce(
    paper: str | None = typer.Argument(
        None, help="a claim file's name (see --list) or YAML file", metavar="PAPER"
    ),
    scale: ScaleName = typer.Option(
        ScaleName.cpu,
        "--scale",
        "-s",
        help="smoke: under a minute, shows only that everything runs; cpu: minutes on two cores; "
        "full: for large machines",
    ),
    seeds: int | None = typer.Option(
        None, "--seeds", min=1, help="seeds of every arm (default: the scale's)"
    ),
    out: Path | None = typer.Option(
        None,
        "--out",
        "-o",
        help="folder of the measurements, which are never made twice (default: "
        "runs/claims/PAPER.SCALE)",
    ),
    listed: bool = typer.Option(False, "--list", help="list the papers there are claims of"),
    record: Path | None = typer.Option(
        None,
        "--record",
        metavar="DOCS",
        help=f"also keep the result and rewrite the tables below this folder, e.g. {FOLDER}",
    ),
    tables: Path | None = typer.Option(
        None,
        "--tables",
        metavar="DOCS",
        help=f"only rewrite the tables of kept results, e.g. {FOLDER}",
    ),
    as_json: bool = arguments.JSON,
) -> None:
    """Measure a paper's claims and judge them: shown, not shown, reversed or inconclusive."""
    if listed:
        _print_list(as_json=as_json)
    elif tables is not None:
        _update(tables)
    elif paper is None:
        fail("name a paper, or see which there are with `gymposium reproduce --list`", code=2)
    else:
        from gymposium.arenas.claims import reproduce as run

        from .claims_progress import ClaimsProgress

        try:
            result = run(paper, scale=scale, seeds=seeds, out=out, progress=ClaimsProgress())
        except KeyboardInterrupt:
            say("stopped: what is measured is stored, and the same command goes on from there")
            raise
        if record is not None:
            from gymposium.arenas.claims.reproduce import write
            from gymposium.arenas.claims.tables import RESULTS

            write(result, record / RESULTS)
            _update(record)
        if as_json:
            print_json({**asdict(result), "verdicts": result.verdicts})
        else:
            _print_result(result)


def _update(docs: Path) -> None:
    from gymposium.arenas.claims.tables import update

    if not docs.is_dir():
        fail(f"there is no folder {docs}; name the folder of the claims' pages", code=2)
    for path in update(docs):
        say(f"wrote {path}")  # stdout is for results


def _print_list(*, as_json: bool) -> None:
    from gymposium.scenarios.claim import SCALES
    from gymposium.scenarios.load_claims import load_claims, named_claims

    entries: list[dict[str, Any]] = []
    for name in named_claims():
        file = load_claims(name)
        entries.append(
            {
                "name": name,
                "paper": f"{file.paper.title} ({file.paper.venue}, {file.paper.year})",
                "title": file.title,
                "claims": len(file.claims),
                "arms": len(file.arms),
                "seeds": {scale: file.scale(scale).seeds for scale in SCALES},
            }
        )
    if as_json:
        print_json(entries)
        return
    print_table(
        ("name", "paper", "claims", "arms", "seeds (smoke/cpu/full)"),
        (
            (
                it["name"],
                it["paper"],
                it["claims"],
                it["arms"],
                "/".join(map(str, it["seeds"].values())),
            )
            for it in entries
        ),
    )


def _print_result(result: Result) -> None:
    from gymposium.arenas.claims.tables import number, spread, tally

    print_table(
        ("claim", "expected", "paper", f"ours ({result.confidence:.0%} interval)", "verdict"),
        (
            (
                it.name,
                it.expect,
                it.paper,
                f"{number(it.value)} {spread(it.low, it.high)}",
                it.verdict,
            )
            for it in result.claims
        ),
        title=result.title,
    )
    notes: Sequence[str] = [f"note: {it.name}: {it.note}" for it in result.claims if it.note]
    print_lines("\n".join(["", *notes, f"{tally(result)} ({len(result.seeds)} seeds)"]))
