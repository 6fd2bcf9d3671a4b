"""``gymposium audit``: put agents through a study."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from . import arguments
from .guard import fail
from .output import heading, print_json, print_lines, print_table

if TYPE_CHECKING:
    from gymposium.arenas.analysis.audit import Audit


def audit(
    study: str = typer.Argument("", help="a study's name", show_default=False),
    run: Path | None = typer.Argument(
        None, help="a finished run to read instead of playing", show_default=False
    ),
    agents: list[str] = typer.Option(
        [], "--agent", "-a", help="who is studied; repeat for several", show_default=False
    ),
    params: list[str] = typer.Option(
        [], "--param", "-p", metavar="KEY=VALUE", help="the study's parameter", show_default=False
    ),
    listed: bool = typer.Option(False, "--list", help="show the studies and their parameters"),
    seed: int = typer.Option(0, "--seed", help="everything random derives from it", min=0),
    out: Path | None = typer.Option(
        None, "--out", "-o", help="the folder; the same again goes on where it stopped"
    ),
    concurrency: int = arguments.CONCURRENCY,
    trusted: bool = arguments.TRUSTED,
    as_json: bool = arguments.JSON,
) -> None:
    """Study agents: how they act, in experiments that any agent can be put through."""
    if listed:
        _list(as_json=as_json)
        return
    if not study:
        fail("say which study; `gymposium audit --list` shows them", code=2)
    from gymposium.arenas.analysis.audit import audit as run_study

    from .progress import Progress

    path = out or arguments.new_folder(f"audit-{study}")
    try:
        made = run_study(
            study,
            agents,
            arguments.pairs(params),
            run=run,
            seed=seed,
            out=path,
            concurrency=concurrency,
            trusted=trusted,
            progress=Progress(),
        )
    except KeyboardInterrupt:
        print_lines(f"stopped; the same command with --out {path} goes on")
        raise
    if as_json:
        print_json([found.to_json() for found in made.findings])
    else:
        _show(made)


def _list(*, as_json: bool) -> None:
    from gymposium.arenas.analysis.studies import studies

    found = [
        {
            "name": spec.name,
            "summary": spec.summary,
            "needs": spec.needs,
            "parameters": spec.parameters(),
        }
        for spec in studies()
    ]
    if as_json:
        print_json(found)
        return
    for spec in found:
        print_lines(f"{spec['name']}: {spec['summary']}\n  needs: {spec['needs']}")
        for name, entry in spec["parameters"].items():  # type: ignore[attr-defined]
            print_lines(f"  {name}={entry['default']}: {entry.get('doc', '')}")


def _show(made: Audit) -> None:
    from gymposium.arenas.analysis.page import said

    for found in made.findings:
        heading(found.agent)
        for sentence in found.sentences:
            print_lines(sentence)
        for table in found.tables:
            heading(table.title)
            print_table(table.columns, ([said(cell) for cell in row] for row in table.rows))
        for grid in found.maps:
            heading(grid.title)
            columns = (f"{grid.down} / {grid.across}", *grid.columns)
            print_table(columns, ((name, *words) for name, words in grid.rows))
    print_lines(f"\nreport: {made.path / 'report.html'}; figures: {made.path / 'result.json'}")
