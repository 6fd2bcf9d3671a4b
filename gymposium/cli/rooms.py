"""``gymposium rooms``: furnish rooms, look at them, check them, and change their format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from . import arguments
from .output import heading, print_json, print_lines, print_table
from .rooms_make import make
from .rooms_pictures import HEIGHT, VIEW, WIDTH, chosen, pictures

if TYPE_CHECKING:
    from gymposium.envs.rooms.files import Imported
    from gymposium.envs.rooms.scene import Scene

app = typer.Typer(help="Make, draw, check and convert furnished rooms.", no_args_is_help=True)
app.command("make")(make)

FILE = typer.Argument(
    help="a room: .json (a layout, ours or SceneWeaver's; 3D-FRONT; PhyScene's boxes) or our .glb",
    metavar="FILE",
)
ROOM = typer.Option(
    None, "--room", metavar="NAME", help="which room of a house of 3D-FRONT", show_default=False
)
TYPE = typer.Option(
    None, "--type", metavar="TYPE", help="take it for a room of this type", show_default=False
)

_MOST_SHOWN = 50


@app.command("render")
def render(
    file: Path = FILE,
    out: Path = typer.Option(..., "--out", "-o", help="the folder of the pictures"),
    views: list[str] = VIEW,
    width: int = WIDTH,
    height: int = HEIGHT,
    room: str | None = ROOM,
    type: str | None = TYPE,
    as_json: bool = arguments.JSON,
) -> None:
    """Draw a room from its corners, from the door, from above, and as a plan with names."""
    from gymposium.envs.rooms.files.writing import put

    wanted = chosen(views)
    read = _read(file, room, type)
    paths = {view: out / f"{view}.png" for view in wanted}
    put(pictures(read.scene, paths, width=width, height=height))
    if as_json:
        print_json({view: str(path) for view, path in paths.items()})
        return
    _say_what_is_missing(read)
    for path in paths.values():
        print_lines(str(path))


@app.command("check")
def check(
    file: Path = FILE,
    room: str | None = ROOM,
    type: str | None = TYPE,
    as_json: bool = arguments.JSON,
) -> None:
    """Measure a room: what collides, what is outside, its figures and grades by rule.

    Exits with 1 if anything collides or is outside.
    """
    from gymposium.envs.rooms.contacts import collisions, outside

    read = _read(file, room, type)
    found, out = collisions(read.scene), outside(read.scene)
    figures = figures_of(read.scene)
    if as_json:
        pairs = [{"a": c.a, "b": c.b, "depth": c.depth, "volume": c.volume} for c in found]
        print_json(
            {
                **figures,
                "contacts": pairs,
                "out": out,
                "left_out": read.left_out,
                "notes": read.notes,
            }
        )
    else:
        _say_what_is_missing(read)
        print_figures(figures)
        if found:
            heading("in contact")
            deepest = sorted(found, key=lambda contact: -contact.depth)[:_MOST_SHOWN]
            rows = ((c.a, c.b, f"{1000 * c.depth:.1f}", f"{1000 * c.volume:.2f}") for c in deepest)
            print_table(("thing", "thing", "depth [mm]", "volume [l]"), rows)
            if len(found) > len(deepest):
                print_lines(f"and {len(found) - len(deepest):,} more, less deep: --json has all")
        if out:
            heading("outside the room")
            print_lines(", ".join(out))
    if found or out:
        raise typer.Exit(1)


@app.command("convert")
def convert(
    file: Path = FILE,
    out: Path = typer.Argument(help="ends in .json, .glb, .sdf or .urdf", metavar="OUT"),
    room: str | None = ROOM,
    type: str | None = TYPE,
    digits: int = typer.Option(6, "--digits", min=0, max=12, help="decimals of a layout"),
    as_json: bool = arguments.JSON,
) -> None:
    """Write a room in another format, and say what could not be taken over."""
    from gymposium.envs.rooms.files import write
    from gymposium.envs.rooms.files.writing import format_of

    format_of(out)
    read = _read(file, room, type)
    files = write(read.scene, out, digits=digits)
    if as_json:
        names = [str(path) for path in files]
        print_json({"files": names, "left_out": read.left_out, "notes": read.notes})
        return
    _say_what_is_missing(read)
    meshes = f" and {len(files) - 1} meshes beside it" if len(files) > 1 else ""
    print_lines(f"{out}: {len(read.scene)} things{meshes}")


def _read(file: Path, room: str | None, kind: str | None) -> Imported:
    from gymposium.envs.rooms.files import read
    from gymposium.envs.rooms.room_types import room_type

    if kind is not None:
        room_type(kind)  # refuses what is none
    found = read(file, room=room)
    if kind is None:
        return found
    scene = replace(found.scene, room=replace(found.scene.room, type=kind))
    return replace(found, scene=scene)


def _say_what_is_missing(read: Imported) -> None:
    for sentence in read.left_out:
        print_lines(f"left out: {sentence}")
    for sentence in read.notes:
        print_lines(f"note: {sentence}")


def figures_of(scene: Scene) -> dict[str, Any]:
    """Metrics and, where the type of room is known, grades by rule, as plain data."""
    from gymposium.envs.rooms.grades import GRADES, LABEL, grade
    from gymposium.envs.rooms.metrics import measure
    from gymposium.envs.rooms.room_types import room_types

    made: dict[str, Any] = {"type": scene.room.type, "metrics": asdict(measure(scene))}
    if scene.room.type in room_types():
        graded = grade(scene)
        made["grades"] = {
            "by": LABEL,
            **{
                name: {"grade": getattr(graded, name), "comment": comment}
                for name, comment in zip(GRADES, graded.comments, strict=True)
            },
            "total": round(graded.total, 2),
        }
    return made


HELD_OUT = {
    "stable_share": "held out; weight over what carries it",
    "settled_share": "held out; stays where it is while gravity acts for two seconds",
    "navigability": "held out; free floor that is reached from the door",
}
"""What no planner by rule looks at, and so comes first."""


def print_figures(figures: dict[str, Any], notes: Mapping[str, str] | None = None) -> None:
    """The figures as tables, with notes beside measures."""
    said = {**HELD_OUT, **(notes or {})}
    found = {name: value for name, value in figures["metrics"].items() if value is not None}
    order = [*(name for name in HELD_OUT if name in found), *found]
    print_table(
        ("measure", "value", ""),
        (
            (
                name.replace("_", " "),
                f"{found[name]:g}" if type(found[name]) is int else f"{found[name]:.3f}",
                said.get(name, ""),
            )
            for name in dict.fromkeys(order)
        ),
        title=f"{figures['type'].replace('_', ' ')}: measures",
    )
    if "grades" not in figures:
        print_lines(f"no grades: nothing is known of a {figures['type']!r}; say --type")
        return
    graded = dict(figures["grades"])
    heading(graded.pop("by"))
    total = graded.pop("total")
    rows = [(name, f"{each['grade']:.2f}", each["comment"]) for name, each in graded.items()]
    print_table(("grade", "of 10", "what is missing most"), [*rows, ("sum", f"{total:.2f}", "")])
