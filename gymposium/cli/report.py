"""``gymposium report``: write a run's HTML report again, from what is stored."""

from __future__ import annotations

from pathlib import Path

import typer

from . import arguments
from .resume import RUN, find_run


def report(
    run: Path = RUN,
    open_it: bool = typer.Option(False, "--open", help="open it in a browser"),
    as_json: bool = arguments.JSON,
) -> None:
    """Print a run's leaderboard and write its report, finished or not."""
    from gymposium.arenas.run import load

    from .summary import print_summary

    target = print_summary(load(find_run(run)), as_json=as_json)
    if open_it:
        import webbrowser

        webbrowser.open(target.resolve().as_uri())
