"""``gymposium scenario``: look at scenarios without running them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from . import arguments
from .guard import fail, say
from .output import console, print_json, print_lines, print_table

if TYPE_CHECKING:
    from gymposium.arenas.schedule import MatchSpec
    from gymposium.scenarios.model import Scenario

app = typer.Typer(help="List, show and check scenarios.", no_args_is_help=True)


@app.command("schema")
def schema(
    training: bool = typer.Option(False, "--training", help="of a training scenario"),
) -> None:
    """Print the JSON Schema of a scenario file, for editors."""
    from gymposium.scenarios.model import Scenario
    from gymposium.scenarios.training import TrainingScenario

    model = TrainingScenario if training else Scenario
    print_json(
        {"$schema": "https://json-schema.org/draft/2020-12/schema", **model.model_json_schema()}
    )


@app.command("validate")
def validate(
    files: list[Path] = typer.Argument(help="scenario files"),
    as_json: bool = arguments.JSON,
) -> None:
    """Check scenario files, worlds and their parameters included; says all that is wrong."""
    from gymposium.errors import UsageError
    from gymposium.scenarios.load import ScenarioError

    problems: dict[str, list[str]] = {}
    for file in files:
        try:
            _make_all(file)
            problems[str(file)] = []
        except ScenarioError as error:
            problems[str(file)] = error.problems
        except UsageError as error:
            problems[str(file)] = [str(error)]
    bad = [problem for each in problems.values() for problem in each]
    if as_json:
        print_json([{"file": name, "problems": each} for name, each in problems.items()])
    else:
        for name, each in problems.items():
            if not each:
                print_lines(f"{name}: fine")
        for problem in bad:
            say(problem)
    if bad:
        raise typer.Exit(2)


def _make_all(file: Path) -> None:
    """Make everything that a scenario, of matches or of training, names; raises UsageError."""
    from gymposium.arenas.training.train import checked
    from gymposium.envs.registry import make_world
    from gymposium.scenarios.load import load_file, validate_against_registry
    from gymposium.scenarios.training import is_training_file, load_training

    if is_training_file(file):
        checked(load_training(file))
    else:
        validate_against_registry(load_file(file), make_world)


@app.command("list")
def list_scenarios(as_json: bool = arguments.JSON) -> None:
    """List the scenarios that come with the package."""
    from .listing import Kind, list_things

    list_things(Kind.scenarios, as_json=as_json)


@app.command("show")
def show(
    name: str = typer.Argument(help="a scenario's name or file, or a world id"),
    agents: list[str] = arguments.AGENT,
    changes: list[str] = arguments.SET,
    dry_run: bool = typer.Option(False, "--dry-run", help="print the match list"),
    as_json: bool = arguments.JSON,
) -> None:
    """Print a scenario, or with --dry-run the matches it would play."""
    from gymposium.scenarios.load import change, dump

    scenario = arguments.chosen_scenario(name, changes)
    if agents:
        scenario = change(scenario, agents=agents)
    if dry_run:
        print_matches(scenario, as_json=as_json)
    elif as_json:
        print_json(scenario.model_dump(mode="json"))
    else:
        print_lines(dump(scenario).rstrip())


def planned(scenario: Scenario) -> list[MatchSpec]:
    """The scenario's matches (for swiss: the first round), its worlds checked."""
    from gymposium.arenas.rateable import kinds_of, refuse_unrateable
    from gymposium.arenas.schedule import schedule
    from gymposium.envs.registry import make_world
    from gymposium.scenarios.load import validate_against_registry

    worlds = validate_against_registry(scenario, make_world)
    refuse_unrateable(scenario, worlds)
    names = [entry.label for entry in scenario.agents]
    seats = {name: tuple(its.seats) for name, its in worlds.items()}
    return schedule(scenario, names, seats, kinds_of(worlds))


def print_matches(scenario: Scenario, *, as_json: bool) -> None:
    """The match list, without playing."""
    matches = planned(scenario)
    if as_json:
        print_json([_plain(spec) for spec in matches])
        return
    print_table(
        ("#", "cell", "block", "seed", "seats"),
        (
            (number, spec.cell, spec.block, spec.seed, seating(spec))
            for number, spec in enumerate(matches, 1)
        ),
    )
    rounds = " in the first round" if scenario.schedule.kind == "swiss" else ""
    console(stderr=True).print(f"{len(matches)} matches{rounds}; nothing was played", markup=False)


def seating(spec: MatchSpec) -> str:
    """``seat: agent`` of every seat, with the role of those that are not focal."""
    parts = []
    for seat, agent in spec.seating.items():
        role = spec.roles.get(seat, "focal")
        parts.append(f"{seat}: {agent}{'' if role == 'focal' else f' ({role})'}")
    return ", ".join(parts)


def _plain(spec: MatchSpec) -> dict[str, Any]:
    return {
        "world": spec.world,
        "params": dict(spec.params),
        "cell": spec.cell,
        "block": spec.block,
        "seed": spec.seed,
        "seating": dict(spec.seating),
        "roles": dict(spec.roles),
        "time_limit": spec.time_limit,
    }


def need(scenario: Scenario) -> None:
    """Say so if nobody plays."""
    if not scenario.agents and not any(entry.agents for entry in scenario.worlds):
        fail(f"scenario {scenario.name} lists no agents; add some with --agent", code=2)
