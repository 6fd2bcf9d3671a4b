"""``gymposium run``: one match (or a few) of a world or a scenario, to see what happens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from . import arguments
from .guard import fail
from .watching import FILM, FPS, Render, Screens, asked_for

if TYPE_CHECKING:
    from gymposium.arenas.run import Run
    from gymposium.scenarios.model import Scenario


def run(
    what: str = typer.Argument(
        help="a world id, FILE.py:CLASS, or a scenario's name or file", metavar="WHAT"
    ),
    agents: list[str] = arguments.AGENT,
    params: list[str] = typer.Option(
        [], "--param", "-p", metavar="KEY=VALUE", help="a world's parameter", show_default=False
    ),
    changes: list[str] = arguments.SET,
    repeats: int = typer.Option(1, "--repeats", "-n", min=1, help="matches, each on a new seed"),
    seed: int | None = arguments.SEED,
    out: Path | None = arguments.OUT,
    concurrency: int = arguments.CONCURRENCY,
    workers: int | None = arguments.WORKERS,
    executor: str | None = arguments.EXECUTOR,
    trusted: bool = arguments.TRUSTED,
    budget: list[str] = arguments.BUDGET,
    cache: Path | None = arguments.CACHE,
    no_cache: bool = arguments.NO_CACHE,
    show: bool = typer.Option(False, "--show", help="print every turn as it is played"),
    render: Render | None = typer.Option(
        None, "--render", help="watch it: in a window, in this terminal, or as a film in the run"
    ),
    film: Path | None = FILM,
    fps: float | None = FPS,
    as_json: bool = arguments.JSON,
) -> None:
    """Play a world, agents in seats in the order given; too few are dealt round the table."""
    from gymposium.arenas.plan import limited
    from gymposium.envs.registry import make_world
    from gymposium.scenarios.load import change, validate_against_registry

    from .progress import Progress
    from .summary import print_summary

    chosen = one_match(arguments.chosen_scenario(what, changes), agents, arguments.pairs(params))
    chosen = change(chosen, schedule={**IN_ORDER, "repeats": repeats})
    if seed is not None:
        chosen = change(chosen, seed=seed)
    if budget:
        chosen = limited(chosen, arguments.pairs(budget))
    answers = arguments.cache_choice(cache, no_cache)
    worlds = validate_against_registry(chosen, make_world)
    chosen = _seated(chosen, {name: len(world.seats) for name, world in worlds.items()}, agents)
    path = out or arguments.new_folder(chosen.name)
    screens = asked_for(render, film, fps, path)
    if show and screens:
        fail("--show prints every turn, --render and --film show pictures; choose one", code=2)
    with arguments.saying_how_to_resume(path):
        if show:
            from .show import play_shown

            finished = play_shown(chosen, out=path, trusted=trusted, cache=answers)
        elif screens:
            finished = _play_watched(chosen, screens, out=path, trusted=trusted)
        else:
            from gymposium.arenas.run import run as play

            finished = play(
                chosen,
                out=path,
                concurrency=concurrency,
                workers=workers,
                executor=executor,
                trusted=trusted,
                progress=Progress(),
                cache=answers,
            )
    if as_json:
        print_summary(finished, as_json=True)
    else:
        _print_results(finished, screens.films)


IN_ORDER: dict[str, Any] = {"kind": "round_robin", "rotate_seats": False, "self_play": False}


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
        changed["agents"] = told_apart(agents)
        for world in worlds:
            world["agents"] = []
    elif not scenario.agents and not any(entry.agents for entry in scenario.worlds):
        changed["agents"] = ["random"]
    return change(scenario, **changed)


def told_apart(agents: Sequence[str]) -> list[Any]:
    """Specs as a scenario takes them: one that is there again has a number in its name."""
    seen: Counter[str] = Counter()
    entries: list[Any] = []
    for agent in agents:
        seen[agent] += 1
        twin = {"spec": agent, "name": f"{agent}#{seen[agent]}"}
        entries.append(agent if seen[agent] == 1 else twin)
    return entries


def _seated(scenario: Scenario, sizes: dict[str, int], agents: Sequence[str]) -> Scenario:
    """No more agents than focal seats: those given must fit, a scenario's own are cut off."""
    from gymposium.scenarios.load import change

    worlds = []
    keep = len(scenario.agents)
    for entry in scenario.worlds:
        seats = sizes[entry.name] - sum(role != "focal" for role in entry.roles.values())
        if len(agents) > seats:
            fail(
                f"{entry.name} has {seats} {'seat' if seats == 1 else 'seats'} and {len(agents)} "
                "agents were given; leave some out, or let them all meet with `gymposium "
                "tournament`",
                code=2,
            )
        keep = min(keep, seats)
        extra = entry.model_dump(mode="json")
        extra["agents"] = extra["agents"][: max(0, seats - len(scenario.agents))]
        worlds.append(extra)
    kept = [entry.as_spec() for entry in scenario.agents[:keep]]
    return change(scenario, agents=kept, worlds=worlds)


def _play_watched(scenario: Scenario, screens: Screens, *, out: Path, trusted: bool) -> Run:
    """Play one match at a time, each on its screens."""
    from gymposium.arenas.run import run as play
    from gymposium.arenas.viewer.live import watched

    return play(scenario, out=out, concurrency=1, trusted=trusted, recorder=watched(screens.of))


def _print_results(finished: Run, films: Sequence[Path]) -> None:
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
    for film in films:
        print_lines(f"film: {film}")
    print_lines(f"run: {finished.path} (`gymposium report {finished.path}` rates and explains it)")


def _faults(faults: Any) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in faults.items())
