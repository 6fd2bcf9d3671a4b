"""``gymposium run``: one match (or a few) of a world or a scenario, to see what happens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from . import arguments
from .guard import fail

if TYPE_CHECKING:
    from gymposium.scenarios.model import Scenario


def run(
    what: str = typer.Argument(help="a world id, or a scenario's name or file", metavar="WHAT"),
    agents: list[str] = arguments.AGENT,
    params: list[str] = typer.Option(
        [], "--param", "-p", metavar="KEY=VALUE", help="a world's parameter", show_default=False
    ),
    changes: list[str] = arguments.SET,
    repeats: int = typer.Option(1, "--repeats", "-n", min=1, help="matches, each on a new seed"),
    seed: int | None = arguments.SEED,
    out: Path | None = arguments.OUT,
    concurrency: int = arguments.CONCURRENCY,
    trusted: bool = arguments.TRUSTED,
    show: bool = typer.Option(False, "--show", help="print every turn as it is played"),
    as_json: bool = arguments.JSON,
) -> None:
    """Play a world, agents in seats in the order given; too few are dealt round the table."""
    from gymposium.envs.registry import make_world
    from gymposium.scenarios.load import change, validate_against_registry

    from .progress import Progress
    from .summary import print_summary

    chosen = one_match(arguments.chosen_scenario(what, changes), agents, arguments.pairs(params))
    chosen = change(chosen, schedule={**_IN_ORDER, "repeats": repeats})
    if seed is not None:
        chosen = change(chosen, seed=seed)
    worlds = validate_against_registry(chosen, make_world)
    chosen = _seated(chosen, {name: len(world.seats) for name, world in worlds.items()}, agents)
    path = out or arguments.new_folder(chosen.name)
    with arguments.saying_how_to_resume(path):
        if show:
            from .show import play_shown

            finished = play_shown(chosen, out=path, trusted=trusted)
        else:
            from gymposium.arenas.run import run as play

            finished = play(
                chosen, out=path, concurrency=concurrency, trusted=trusted, progress=Progress()
            )
    if as_json:
        print_summary(finished, as_json=True)
    else:
        _print_results(finished)


_IN_ORDER: dict[str, Any] = {"kind": "round_robin", "rotate_seats": False, "self_play": False}


def one_match(scenario: Scenario, agents: Sequence[str], params: dict[str, Any]) -> Scenario:
    """``scenario`` with other parameters and agents, equal agents told apart by a number."""
    from gymposium.scenarios.load import change

    worlds = [entry.model_dump(mode="json") for entry in scenario.worlds]
    if params:
        if len(worlds) > 1:
            names = ", ".join(scenario.cells)
            fail(f"-p needs a single world, and {scenario.name} has {names}; use --set", code=2)
        worlds[0]["params"] = {**worlds[0]["params"], **params}
    changed: dict[str, Any] = {"worlds": worlds}
    if agents:
        seen: Counter[str] = Counter()
        entries: list[Any] = []
        for agent in agents:
            seen[agent] += 1
            twin = {"spec": agent, "name": f"{agent}#{seen[agent]}"}
            entries.append(agent if seen[agent] == 1 else twin)
        changed["agents"] = entries
        for world in worlds:
            world["agents"] = []
    elif not scenario.agents and not any(entry.agents for entry in scenario.worlds):
        changed["agents"] = ["random"]
    return change(scenario, **changed)


def _seated(scenario: Scenario, sizes: dict[str, int], agents: Sequence[str]) -> Scenario:
    """No more agents than focal seats: those given must fit, a scenario's own are cut off."""
    from gymposium.scenarios.load import change

    worlds = []
    keep = len(scenario.agents)
    for entry in scenario.worlds:
        seats = sizes[entry.name] - sum(role != "focal" for role in entry.roles.values())
        if len(agents) > seats:
            fail(
                f"{entry.name} has {seats} seats and {len(agents)} agents were given; leave some "
                "out, or let them all meet with `gymposium tournament`",
                code=2,
            )
        keep = min(keep, seats)
        extra = entry.model_dump(mode="json")
        extra["agents"] = extra["agents"][: max(0, seats - len(scenario.agents))]
        worlds.append(extra)
    kept = [entry.as_spec() for entry in scenario.agents[:keep]]
    return change(scenario, agents=kept, worlds=worlds)


def _print_results(finished: Any) -> None:
    """Who got what, match by match."""
    from .output import print_lines, print_table

    rows = sorted(finished.rows, key=lambda row: (row.cell, row.block))
    print_table(
        ("cell", "seed", "seat", "agent", "return", "faults"),
        (
            (row.cell, row.seed, seat.seat, seat.agent, f"{seat.return_:g}", _faults(seat.faults))
            for row in rows
            for seat in row.seats
        ),
    )
    for reason in dict.fromkeys(f"{row.cell}: {row.reason}" for row in rows if row.reason):
        print_lines(reason)
    print_lines(f"run: {finished.path} (`gymposium report {finished.path}` rates and explains it)")


def _faults(faults: Any) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in faults.items())
