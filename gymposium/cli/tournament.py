"""``gymposium tournament``: play a scenario to its end and print the leaderboard."""

from __future__ import annotations

from pathlib import Path

import typer

from . import arguments
from .guard import fail

OWN_ANSWERS = typer.Option(
    None,
    "--min-own-answers",
    min=0.0,
    max=1.0,
    metavar="SHARE",
    help="fail (exit 1) if fewer language-model turns were decided by the model's own answer",
)


def tournament(
    scenario: str = typer.Argument(help="a scenario's name or file, a world id, or FILE.py:CLASS"),
    agents: list[str] = arguments.AGENT,
    changes: list[str] = arguments.SET,
    seed: int | None = arguments.SEED,
    out: Path | None = arguments.OUT,
    rating: str | None = arguments.RATING,
    concurrency: int = arguments.CONCURRENCY,
    workers: int | None = arguments.WORKERS,
    executor: str | None = arguments.EXECUTOR,
    trusted: bool = arguments.TRUSTED,
    budget: list[str] = arguments.BUDGET,
    cache: Path | None = arguments.CACHE,
    no_cache: bool = arguments.NO_CACHE,
    dry_run: bool = typer.Option(False, "--dry-run", help="print the match list, play nothing"),
    min_own_answers: float | None = OWN_ANSWERS,
    as_json: bool = arguments.JSON,
) -> None:
    """Play a scenario to its end, rate its agents and write a report."""
    from gymposium.scenarios.load import change

    from .scenario import need, print_matches

    chosen = arguments.chosen_scenario(scenario, changes)
    if agents:
        chosen = change(chosen, agents=agents)
    if seed is not None:
        chosen = change(chosen, seed=seed)
    if rating is not None:
        chosen = change(chosen, rating=rating)
    need(chosen)
    if dry_run:
        print_matches(chosen, as_json=as_json)
        return

    from gymposium.arenas.run import run
    from gymposium.envs.registry import make_world
    from gymposium.scenarios.load import validate_against_registry

    from .progress import Progress
    from .summary import own_answer_share, print_summary

    validate_against_registry(chosen, make_world)  # its errors point into the file
    limits = arguments.pairs(budget)
    answers = arguments.cache_choice(cache, no_cache)
    path = out or arguments.new_folder(chosen.name)
    with arguments.saying_how_to_resume(path):
        finished = run(
            chosen,
            out=path,
            concurrency=concurrency,
            workers=workers,
            executor=executor,
            trusted=trusted,
            budget=limits,
            progress=Progress(),
            cache=answers,
        )
    print_summary(finished, as_json=as_json)
    share = own_answer_share(finished)
    if min_own_answers is not None and (share is None or share < min_own_answers):
        found = "no language-model turn was played" if share is None else f"only {share:.0%} were"
        fail(
            f"at least {min_own_answers:.0%} of the language-model turns should be decided by the "
            f"model's own answer, but {found}"
        )
