"""``gymposium rooms make``: a room from a sentence, furnished by a planner in scene weaver."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from . import arguments
from .guard import fail, say
from .output import heading, print_json, print_lines, print_table
from .rooms_pictures import HEIGHT, VIEW, WIDTH, chosen, pictures

if TYPE_CHECKING:
    from gymposium.arenas.run import Run
    from gymposium.envs.rooms.scene import Scene
    from gymposium.scenarios.model import Scenario

PLANNERS = {"scripted": "scripted:room_planner"}
"""Short names of planners; any other agent is named as everywhere."""
TURN_SECONDS = 300
"""For one answer: a call that a large model thinks over, or a small one on a busy processor."""


def make(
    request: str = typer.Argument(
        help='what is wanted, e.g. "a bedroom for two with a reading corner"', metavar="REQUEST"
    ),
    out: Path = typer.Option(
        ..., "--out", "-o", help="the room's file: .glb (or .sdf, .urdf, .json)", metavar="FILE"
    ),
    planner: str = typer.Option(
        "scripted", "--planner", "-a", help="scripted, llm:MODEL, or any agent as in `run`"
    ),
    seed: int = typer.Option(0, "--seed", min=0, help="everything random derives from it"),
    steps: int = typer.Option(10, "--steps", min=2, max=100, help="most steps"),
    type: str | None = typer.Option(
        None, "--type", help="the type of room, if the request does not say it", show_default=False
    ),
    params: list[str] = typer.Option(
        [], "--param", "-p", metavar="KEY=VALUE", help="a parameter of scene_weaver-v0"
    ),
    run: Path | None = typer.Option(
        None, "--run", help="the run's folder (default: a new one under runs/)"
    ),
    views: list[str] = VIEW,
    width: int = WIDTH,
    height: int = HEIGHT,
    trusted: bool = arguments.TRUSTED,
    budget: list[str] = arguments.BUDGET,
    cache: Path | None = arguments.CACHE,
    no_cache: bool = arguments.NO_CACHE,
    as_json: bool = arguments.JSON,
) -> None:
    """Furnish a room as a request has it, and write it with pictures, measures and a report.

    Beside FILE come its layout (.json), views (-corner.png …) and figures (-figures.json); the run
    holds every step, for `report`, `replay` and `export`.
    """
    from gymposium.arenas.plan import limited
    from gymposium.arenas.run import run as play
    from gymposium.envs.rooms.files.writing import format_of, put
    from gymposium.envs.rooms.layout import scene_of_text

    from .progress import Progress

    format_of(out)
    drawn = {view: out.with_name(f"{out.stem}-{view}.png") for view in chosen(views)}
    beside = (out.with_suffix(".json"), out.with_name(f"{out.stem}-figures.json"))
    _refuse_early(out, (*beside, *drawn.values()))
    scenario = _scenario(request, type, planner, seed, {"steps": steps, **arguments.pairs(params)})
    if budget:
        scenario = limited(scenario, arguments.pairs(budget))
    folder = run or arguments.new_folder("room")
    again = f"the same command with `--run {folder}` goes on, and writes the room"
    try:
        with arguments.saying_how_to_resume(folder, again):
            finished = play(
                scenario,
                out=folder,
                concurrency=1,
                trusted=trusted,
                progress=Progress(),
                cache=arguments.cache_choice(cache, no_cache),
            )
    except KeyboardInterrupt:
        say(f"no room was written; {again}")
        raise
    report = finished.report()
    if not finished.rows:
        fail(f"the match did not finish; {again}")
    scene = scene_of_text(_table(finished, "room")[0]["layout"])
    figures = {"request": request, "seed": seed, **_figures(finished, scene)}
    files = {
        **_contents(scene, out, figures, *beside),
        **pictures(scene, drawn, width=width, height=height),
    }
    put(files)
    named = [str(path) for path in files]
    made = {**figures, "files": named, "run": str(folder), "report": str(report)}
    if as_json:
        print_json(made)
    else:
        _show(made)


def _refuse_early(out: Path, beside: Sequence[Path]) -> None:
    """Find out before the planner is at work whether the room could be written."""
    from gymposium.envs.rooms.files.glb import trimesh
    from gymposium.envs.rooms.files.writing import format_of, reason

    if format_of(out) == ".glb":
        trimesh()
    path = out
    try:
        for path in (out, *beside):
            if path.is_dir():
                fail(f"{path} is a folder; choose another name for the room's file")
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=out.parent):
            pass
    except OSError as error:
        fail(f"{path} cannot be written: {reason(error)}")


def _scenario(
    request: str, kind: str | None, planner: str, seed: int, params: dict[str, Any]
) -> Scenario:
    from gymposium.envs.registry import make_world
    from gymposium.scenarios.load import load, validate_against_registry

    from .run import IN_ORDER

    demand = str(params["room"]) if "room" in params else _demand(request, kind)
    scenario = load(
        {
            "name": "room",
            "world": "scene_weaver-v0",
            "params": {"room": demand, "shows": "both", **_told(planner), **params},
            "agents": [PLANNERS.get(planner, planner)],
            "schedule": IN_ORDER,
            "time_limit": TURN_SECONDS,
            "seed": seed,
        }
    )
    validate_against_registry(scenario, make_world)
    return scenario


def _demand(request: str, kind: str | None) -> str:
    """The request in one line, with the type of room before it where it names another or none."""
    from gymposium.envs.rooms.room_types import find_room_type, room_type, room_types
    from gymposium.envs.rooms.weaver_params import ANY, MOST_IDEAS
    from gymposium.errors import UsageError

    demand = " ".join(request.split())
    if kind is not None and find_room_type(demand) != room_type(kind).name:
        demand = f"{kind.replace('_', ' ')}: {demand}"
    if len(demand) > MOST_IDEAS:
        raise UsageError(f"a request has at most {MOST_IDEAS} characters, not {len(demand):,}")
    if demand != ANY and find_room_type(demand) is None:
        raise UsageError(
            f"{demand!r:.80} names no type of room; say one, in English, or give it by --type: "
            f"{', '.join(sorted(room_types()))}"
        )
    return demand


def _told(planner: str) -> dict[str, Any]:
    """How much the world says to a planner: brief to a model that runs here on little context."""
    from gymposium.agents.language.backends.settings import kind_of
    from gymposium.agents.spec_text import parse_spec
    from gymposium.errors import UsageError

    try:
        spec = parse_spec(planner)
    except UsageError:  # said with its place when the scenario is read
        return {}
    here = spec.kind == "llm" and kind_of(spec.target) == "embedded"
    return {"words": "brief"} if here else {}


def _figures(finished: Run, scene: Scene) -> dict[str, Any]:
    """What the match and the room came to, as plain data."""
    from .rooms import figures_of

    (row,) = finished.rows
    figures = figures_of(scene)
    figures["metrics"]["settled_share"] = _settled_share(scene)
    return {
        "planner": row.seats[0].agent,
        **figures,
        "match": dict(row.metrics),
        "faults": dict(row.seats[0].faults),
        "steps": _table(finished, "turns"),
    }


def _settled_share(scene: Scene) -> float | None:
    """The share of things that stay where they are put in pybullet; None where that is not there.

    The static rule of ``stable_share`` calls nearly every room of ours stable; this one does not.
    """
    from gymposium.envs.rooms.bullet import settled
    from gymposium.errors import MissingExtra

    try:
        return settled(scene).stable_share
    except MissingExtra:
        return None


def _contents(
    scene: Scene, out: Path, figures: dict[str, Any], layout: Path, place: Path
) -> dict[Path, bytes]:
    """The room's files, its layout and its figures."""
    import json

    from gymposium.envs.rooms.files.writing import contents

    text = json.dumps(figures, indent=1, ensure_ascii=False) + "\n"
    return {**contents(scene, out), **contents(scene, layout), place: text.encode()}


def _table(finished: Run, name: str) -> list[dict[str, Any]]:
    """A table that the world kept of the match, without the columns that say which match."""
    from gymposium.arenas.export.tables import ABOUT, table_rows
    from gymposium.arenas.store import RunFolder

    with RunFolder(finished.path) as folder:
        rows = [row for batch in table_rows(folder, finished.rows, name) for row in batch]
    return [{key: value for key, value in row.items() if key not in ABOUT} for row in rows]


def _show(made: dict[str, Any]) -> None:
    from .rooms import print_figures

    heading("step by step")
    columns = ("step", "tool", "result", "things", "contacts", "grades", "plan", "what came of it")
    print_table(columns, [_line(row) for row in made["steps"]])
    heading(f"{made['request']} ({made['planner']}, seed {made['seed']})")
    print_figures(made, _corrected(made["steps"]))
    for kind, count in made["faults"].items():
        say(f"the planner gave no legal call {count} times ({kind})")
    heading("files")
    for name in made["files"]:
        print_lines(name)
    print_lines(f"report: {made['report']}")
    print_lines(f"run: {made['run']} (`gymposium replay` and `gymposium export` read it)")


def _corrected(rows: Sequence[dict[str, Any]]) -> dict[str, str]:
    """What the finished room is free of because it was corrected, over all calls."""
    met = {name: sum(row[name] for row in rows) for name in ("collisions_edit", "outside_edit")}
    left = sum(row["collisions_optimised"] for row in rows)
    causes = ("deleted_components", "deleted_relations", "deleted_carried")
    gone = sum(row[name] for row in rows for name in causes)
    return {
        "collisions": f"{met['collisions_edit']} as edited, {left} after the optimiser, "
        f"{gone} things deleted",
        "outside": f"{met['outside_edit']} as edited",
    }


def _line(row: dict[str, Any]) -> Sequence[object]:
    from gymposium.envs.rooms.grades import GRADES

    again = f".{row['try'] + 1}" if row["try"] else ""
    contacts = f"{row['collisions_edit']} > {row['collisions_left']}"
    grades = sum(row[name] for name in GRADES)
    told = " ".join(str(part) for part in (row["said"], row["deleted"]) if part)
    return (
        f"{row['step'] + 1}{again}",
        row["tool"] or "none",
        row["result"],
        row["objects"],
        contacts,
        f"{grades:.1f}",
        _short(row["plan"]),
        _short(told),
    )


def _short(text: str, most: int = 70) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
