"""``gymposium replay``: watch a stored match again, every state checked against its record."""

from __future__ import annotations

from pathlib import Path

import typer

from .resume import RUN, find_run
from .watching import FILM, FPS


def replay(
    run: Path = RUN,
    match: str = typer.Argument(
        "1", help="a match's number in the run, its key, or the key's start", metavar="MATCH"
    ),
    film: Path | None = FILM,
    window: bool = typer.Option(
        False, "--window", help="in a window: space pauses, arrows step, q quits"
    ),
    terminal: bool = typer.Option(False, "--terminal", help="in this terminal"),
    fps: float | None = FPS,
) -> None:
    """Play a stored match again and show it; without a screen it is only checked."""
    from gymposium.arenas.run import load
    from gymposium.arenas.viewer.replay import find_match
    from gymposium.arenas.viewer.replay import replay as play_again

    from .output import print_lines
    from .watching import Screens

    screens = Screens(window=window, terminal=terminal, film=film, fps=fps)
    stored = load(find_run(run))
    row = find_match(stored, match)
    steps = play_again(stored, row.key, screens.of({"world": row.world}))
    print_lines(f"match {row.key[:12]} of {row.cell}, seed {row.seed}: {steps} steps as recorded")
    for path in screens.films:
        print_lines(f"film: {path}")
