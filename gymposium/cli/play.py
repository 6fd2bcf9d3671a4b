"""``gymposium play``: a person takes seats of a world, at this terminal."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from . import arguments
from .guard import fail, say
from .output import heading, print_lines, print_table
from .run import IN_ORDER, told_apart

if TYPE_CHECKING:
    from gymposium.agents.registry import AgentSpec
    from gymposium.arenas.run import Run
    from gymposium.scenarios.model import Scenario
    from gymposium.types import World

ALL = "all"
HUMAN = "human"


def play(
    world: str = typer.Argument(help="a world id", metavar="WORLD"),
    seats: list[str] = typer.Option(
        [], "--seat", "-s", help="your seat; repeat for several, or all (default: the first)"
    ),
    agents: list[str] = typer.Option(
        [],
        "--agent",
        "-a",
        help="who sits in the other seats, in order, dealt round if too few (default: random)",
        show_default=False,
    ),
    params: list[str] = typer.Option(
        [], "--param", "-p", metavar="KEY=VALUE", help="a world's parameter", show_default=False
    ),
    seed: int | None = typer.Option(None, "--seed", min=0, help="play a certain match again"),
    reveal: bool | None = typer.Option(
        None,
        "--reveal/--no-reveal",
        help="show the whole state too, hidden parts included (default: if all seats are yours)",
    ),
    out: Path | None = typer.Option(None, "--out", "-o", help="keep the match in this run folder"),
    trusted: bool = arguments.TRUSTED,
) -> None:
    """Take a seat in a world, in words, against any agents."""
    from gymposium.envs.registry import make_world, spec

    given = arguments.pairs(params)
    id = spec(world).id
    table = list(make_world(id, **given).seats)
    mine = _my_seats(table, seats, id)
    seed = _new_seed() if seed is None else seed
    scenario = _scenario(id, given, _dealt(table, mine, agents), seed)
    shown = len(mine) == len(table) if reveal is None else reveal
    with ExitStack() as stack:
        if out is None:
            path = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gymposium-")))
            path /= "run"
        else:
            path = out
            stack.enter_context(arguments.saying_how_to_resume(out))
        try:
            final, finished = _played(scenario, path, trusted=trusted, reveal=shown)
        except KeyboardInterrupt:
            say("interrupted; the match was stopped and does not count")
            raise
        _end_screen(finished, final, mine, kept=out)


def _my_seats(table: Sequence[str], wanted: Sequence[str], world: str) -> list[str]:
    """The person's seats, in seating order.

    Raises:
        UnknownName: the world has no such seat.
    """
    from gymposium.errors import UnknownName

    if ALL in wanted:
        return list(table)
    for seat in wanted:
        if seat not in table:
            raise UnknownName("seat", seat, [*table, ALL], where=world)
    return [seat for seat in table if seat in wanted] or [table[0]]


def _dealt(table: Sequence[str], mine: Sequence[str], agents: Sequence[str]) -> list[str]:
    """Who sits in each seat of the table."""
    others = [seat for seat in table if seat not in mine]
    if len(agents) > len(others):
        fail(
            f"{len(agents)} agents for {len(others)} seats that are not yours; leave some out",
            code=2,
        )
    dealt = list(agents) or ["random"]
    theirs = {seat: dealt[place % len(dealt)] for place, seat in enumerate(others)}
    return [theirs.get(seat, HUMAN) for seat in table]


def _new_seed() -> int:
    import secrets

    return secrets.randbelow(1_000_000)


def _scenario(world: str, params: dict[str, Any], dealt: Sequence[str], seed: int) -> Scenario:
    from gymposium.scenarios.load import load

    return load(
        {
            "name": f"play-{world}",
            "world": world,
            "params": params,
            "agents": told_apart(dealt),
            "schedule": IN_ORDER,
            "seed": seed,
        }
    )


def _played(scenario: Scenario, path: Path, *, trusted: bool, reveal: bool) -> tuple[World, Run]:
    """The world as the match left it, and the run."""
    from gymposium.arenas.casting import seat_agents
    from gymposium.arenas.plan import Plan
    from gymposium.arenas.playing import Means, play_plan
    from gymposium.arenas.run import load
    from gymposium.arenas.store import RunFolder
    from gymposium.envs.registry import make_world
    from gymposium.errors import UsageError

    made: list[World] = []

    def make(id: str, **params: Any) -> World:
        made.append(make_world(id, **params))
        return made[-1]

    scenario, specs = seat_agents(scenario, None, trusted=trusted)
    if reveal:
        specs = {name: _seeing(spec, made) for name, spec in specs.items()}
    plan = Plan(scenario, specs, make)
    with RunFolder(path, write=True, create=True) as folder:
        if folder.info():
            raise UsageError(f"the folder {path} holds a run already; choose another with --out")
        folder.set_info(**plan.describe())
        play_plan(plan, folder, Means(concurrency=1))
    return made[-1], load(path)


def _seeing(spec: AgentSpec, worlds: Sequence[World]) -> AgentSpec:
    """A person who is also shown the world, as a spectator sees it."""
    if not spec.human:
        return spec

    def factory() -> Any:
        agent: Any = spec.create()
        agent.view = lambda: _rendered(worlds[-1])
        return agent

    return dataclasses.replace(spec, factory=factory)


def _rendered(world: World) -> str:
    render = getattr(world, "render", None)
    shown = None if render is None else render()
    return shown if isinstance(shown, str) else ""


def _end_screen(finished: Run, world: World, mine: Sequence[str], *, kept: Path | None) -> None:
    """How it looked at last, who got what, and how to have it again."""
    row = finished.rows[0]
    if last := _rendered(world):
        heading("At the end")
        print_lines(last)
    heading("Returns")
    print_table(
        ("seat", "agent", "return", "faults"),
        (
            (
                seat.seat,
                "you" if seat.seat in mine else seat.agent,
                f"{seat.return_:g}",
                ", ".join(f"{count} {kind}" for kind, count in seat.faults.items()),
            )
            for seat in row.seats
        ),
    )
    again = f"--seed {finished.info['seed']} plays the same match again"
    print_lines(f"\n{again}; " + (f"the record is in {kept}" if kept else "--out keeps the record"))
