"""Pictures of rooms as PNG files."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from gymposium.envs.rooms.scene import Scene
    from gymposium.types import Image

VIEW = typer.Option(
    [],
    "--view",
    help="corner, opposite, door, above or plan; repeat for several (default: all)",
    show_default=False,
)
WIDTH = typer.Option(960, "--width", min=32, max=2048, help="of a picture in pixels")
HEIGHT = typer.Option(720, "--height", min=32, max=2048, help="likewise")
PLAN = "plan"
PICTURES = ("corner", "opposite", "door", "above", PLAN)
"""The views of :mod:`gymposium.envs.rooms.picture`, and the plan with names."""


def chosen(views: Sequence[str]) -> tuple[str, ...]:
    """The views asked for, each once; all if none is.

    Raises:
        UnknownName: there is no such view.
    """
    from gymposium.errors import UnknownName

    for view in views:
        if view not in PICTURES:
            raise UnknownName("view", view, PICTURES)
    return tuple(dict.fromkeys(views)) or PICTURES


def pictures(
    scene: Scene, paths: Mapping[str, Path], *, width: int, height: int
) -> dict[Path, bytes]:
    """Views of a room, drawn for the files that they are given; a plan is square."""
    from gymposium.envs.rooms.picture import draw
    from gymposium.envs.rooms.plan_view import plan_view

    made = {}
    for view, path in paths.items():
        if view == PLAN:
            picture = plan_view(scene, size=max(width, height))
        else:
            picture = draw(scene, view=view, width=width, height=height)
        made[path] = png(picture)
    return made


def png(picture: Image) -> bytes:
    """A picture ``[H, W, 3]`` as the bytes of a PNG."""
    from PIL import Image as Pictures

    written = io.BytesIO()
    Pictures.fromarray(picture).save(written, "PNG", optimize=True)
    return written.getvalue()
