"""``gymposium resume``: play exactly the matches that a stopped run still lacks."""

from __future__ import annotations

from pathlib import Path

import typer

from . import arguments

RUN = typer.Argument(help="a run's folder, or its name under runs/", metavar="RUN")


def resume(
    run: Path = RUN,
    budget: list[str] = typer.Option(
        [],
        "--budget",
        metavar="LIMIT=NUMBER",
        help="a new limit, e.g. calls=500 or per_agent.money=2, for a run whose budget was spent",
        show_default=False,
    ),
    concurrency: int = arguments.CONCURRENCY,
    workers: int | None = arguments.WORKERS,
    executor: str | None = arguments.EXECUTOR,
    cache: Path | None = arguments.CACHE,
    no_cache: bool = arguments.NO_CACHE,
    as_json: bool = arguments.JSON,
) -> None:
    """Go on with a run, of matches or of training, that was stopped, and print its table."""
    from gymposium.arenas.run import resume as go_on
    from gymposium.arenas.training.run import is_training_run

    from .progress import Progress
    from .summary import print_summary

    path = find_run(run)
    if is_training_run(path):
        from .train import go_on as train_on

        limits = arguments.pairs(budget)
        train_on(path, budget=limits, workers=workers, as_json=as_json)
        return
    finished = go_on(
        path,
        concurrency=concurrency,
        workers=workers,
        executor=executor,
        budget=arguments.pairs(budget) or None,
        progress=Progress(),
        cache=arguments.cache_choice(cache, no_cache),
    )
    print_summary(finished, as_json=as_json)


def find_run(run: Path) -> Path:
    """The folder meant by ``run``.

    Raises:
        UnknownName: there is neither such a folder nor such a name under ``runs/``.
    """
    from gymposium.errors import UnknownName

    runs = Path("runs")
    for path in (run, runs / run):
        if path.is_dir():
            return path
    known = [path.name for path in runs.iterdir() if path.is_dir()] if runs.is_dir() else []
    raise UnknownName("run", str(run), known)
