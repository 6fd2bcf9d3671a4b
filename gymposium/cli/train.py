"""``gymposium train``: let methods learn in a world, watch their curves, end in a table."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from . import arguments
from .guard import fail
from .resume import find_run

if TYPE_CHECKING:
    from gymposium.arenas.training.run import TrainingRun

WORKERS = typer.Option(
    None,
    "--workers",
    min=1,
    help="processes that learners are spread over (default: one a core); never changes a result",
    show_default=False,
)


def train(
    what: str | None = typer.Argument(
        None, help="a world id, or a training scenario's name or file", metavar="WHAT"
    ),
    methods: list[str] = typer.Option(
        [],
        "--method",
        "-m",
        help="who learns, e.g. fcgrad?beta=0.7; repeat for several",
        show_default=False,
    ),
    params: list[str] = typer.Option(
        [], "--param", "-p", metavar="KEY=VALUE", help="a world's parameter", show_default=False
    ),
    partners: list[str] = typer.Option(
        [],
        "--partner",
        metavar="SEAT=AGENT",
        help="an agent in a seat that does not learn",
        show_default=False,
    ),
    seeds: int | None = typer.Option(None, "--seeds", "-n", min=1, help="learners a method"),
    seed: int | None = typer.Option(None, "--seed", min=0, help="the first seed"),
    steps: float | None = typer.Option(None, "--steps", min=1, help="how far, e.g. 1e6"),
    seconds: float | None = typer.Option(None, "--seconds", help="how long each may learn"),
    every: float | None = typer.Option(None, "--every", min=1, help="steps between evaluations"),
    patience: int | None = typer.Option(
        None, "--patience", min=1, help="end after so many evaluations without improvement"
    ),
    changes: list[str] = arguments.SET,
    out: Path | None = arguments.OUT,
    workers: int | None = WORKERS,
    resume: Path | None = typer.Option(
        None, "--resume", metavar="RUN", help="go on with a run (further with --steps)"
    ),
    listing: bool = typer.Option(False, "--list", help="list the methods, train nothing"),
    as_json: bool = arguments.JSON,
) -> None:
    """Let methods learn in a world, on several seeds, measured by matches of the arena."""
    if listing:
        from .listing import Kind, list_things

        list_things(Kind.methods, as_json=as_json)
        return
    budget = {name: v for name, v in (("steps", steps), ("seconds", seconds)) if v is not None}
    if resume is not None:
        if what is not None or methods:
            fail("--resume goes on with a run as it is: leave out the world and --method", code=2)
        go_on(find_run(resume), budget=budget, workers=workers, as_json=as_json)
        return
    if what is None:
        fail("say in which world to train, or name a training scenario", code=2)
    wanted: dict[str, Any] = {
        "params": arguments.pairs(params),
        "partners": _partners(partners),
        "seeds": seeds,
        "seed": seed,
        "budget": budget,
        "evaluation": {} if every is None else {"every": every},
        "stop": {} if patience is None else {"patience": patience},
    }
    _begin(
        what,
        methods,
        {name: value for name, value in wanted.items() if value not in (None, {})},
        changes,
        out=out,
        workers=workers,
        as_json=as_json,
    )


def _begin(
    what: str,
    methods: Sequence[str],
    wanted: Mapping[str, Any],
    changes: Sequence[str],
    *,
    out: Path | None,
    workers: int | None,
    as_json: bool,
) -> None:
    from gymposium.arenas.training.train import merged, new_training_folder, train
    from gymposium.scenarios.training import load_training

    from .training_progress import TrainingProgress

    chosen = load_training(what, worlds=arguments.known_worlds())
    if methods:
        chosen = merged(chosen, {"methods": list(methods)})
    chosen = merged(chosen, wanted)
    if changes:
        chosen = chosen.changed(**arguments.put_all(chosen.model_dump(mode="json"), changes))
    path = out or new_training_folder(chosen.name)
    finished = train(
        chosen, out=path, workers=workers or os.cpu_count() or 1, progress=TrainingProgress()
    )
    show(finished, as_json=as_json)


def go_on(path: Path, *, budget: Mapping[str, float], workers: int | None, as_json: bool) -> None:
    """Resume a training run and print its table."""
    from gymposium.arenas.training.train import resume_training

    from .training_progress import TrainingProgress

    finished = resume_training(
        path,
        workers=workers or os.cpu_count() or 1,
        budget=budget or None,
        progress=TrainingProgress(),
    )
    show(finished, as_json=as_json)


def show(run: TrainingRun, *, as_json: bool) -> None:
    """Print the table, write the report, and say how to play what was learned."""
    from gymposium.arenas.report import figures
    from gymposium.arenas.training.table import SHOWN

    from .output import print_json, print_lines, print_table

    table = run.table()
    report = run.report()
    if as_json:
        plain = table.astype(object).where(table.notna(), None).to_dict("records")
        agents = run.agents()
        print_json({"run": str(run.path), "table": plain, "agents": agents, "report": str(report)})
        return
    measures = [name for name in table.columns if f"{name}_low" in table.columns]
    print_table(
        ("method", "seeds", "steps", *measures, "status"),
        (
            (
                row["method"],
                row["seeds"],
                figures.short(row["steps"]),
                *(
                    f"{figures.figure(row[name])} "
                    f"{figures.between(_known(row[f'{name}_low']), _known(row[f'{name}_high']))}"
                    for name in measures
                ),
                row["status"],
            )
            for row in table.to_dict("records")
        ),
    )
    shown = [name for name in SHOWN if name in measures]
    print_lines(
        f"{', '.join(shown) or 'measures'}: means over seeds of each learner's last evaluation, "
        "with 95 % intervals"
    )
    print_lines(f"run: {run.path} (report: {report})")
    agents = run.agents()
    if agents:
        params = "".join(
            f" -p {shlex.quote(f'{name}={json.dumps(value)}')}"
            for name, value in run.scenario.params.items()
        )
        print_lines(
            f"play: gymposium run {run.scenario.world}{params} --agent {agents[0]['spec']}"
            + (f"  (and {len(agents) - 1} more)" if len(agents) > 1 else "")
        )


def _known(value: float) -> float | None:
    return None if value != value else value


def _partners(texts: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        seat, equals, agent = text.partition("=")
        if not equals or not seat or not agent:
            fail(f"{text!r} is not of the form SEAT=AGENT; write e.g. player_1=random", code=2)
        found[seat] = agent
    return found
