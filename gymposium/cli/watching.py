"""How ``run`` and ``replay`` show matches: what is asked for on the line becomes screens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from gymposium.errors import UsageError

if TYPE_CHECKING:
    from gymposium.arenas.viewer.scenes import Screen

Render = Literal["human", "ansi", "gif", "mp4"]

FILM = typer.Option(
    None, "--film", metavar="FILE", help="write a film of the match: a .gif or .mp4", dir_okay=False
)
FPS = typer.Option(None, "--fps", min=0.1, max=240, help="steps a second (default: the world's)")


class Screens:
    """What a command line asks to be shown, opened anew for every match.

    Attributes:
        films: the films made so far.
    """

    def __init__(
        self,
        *,
        window: bool = False,
        terminal: bool = False,
        film: Path | None = None,
        fps: float | None = None,
    ) -> None:
        """Check what can be checked before anything is played.

        Raises:
            UsageError: the film is no .gif or .mp4.
            MissingExtra: what draws is not installed.
        """
        self._window, self._terminal, self._film, self._fps = window, terminal, film, fps
        self.films: list[Path] = []
        self._open(1.0, film)

    def __bool__(self) -> bool:
        return self._window or self._terminal or self._film is not None

    def of(self, header: Mapping[str, Any]) -> Sequence[Screen]:
        """Screens for the match that ``header`` (of its record) tells of."""
        from gymposium.envs.registry import world_class

        fps = self._fps or float(world_class(header["world"]).metadata["render_fps"])
        film = self._film
        if film is not None:
            if self.films:
                film = film.with_stem(f"{film.stem}-{len(self.films) + 1}")
            self.films.append(film)
        return self._open(fps, film)

    def _open(self, fps: float, film: Path | None) -> Sequence[Screen]:
        screens: list[Screen] = []
        if film is not None:
            from gymposium.arenas.viewer.film import Film

            screens.append(Film(film, fps=fps))
        if self._window:
            from gymposium.arenas.viewer.window import Window

            screens.append(Window(fps=fps))
        if self._terminal:
            from gymposium.arenas.viewer.terminal import TerminalScreen

            screens.append(TerminalScreen(fps=fps))
        return screens


def asked_for(render: Render | None, film: Path | None, fps: float | None, run: Path) -> Screens:
    """The screens of ``run --render … --film … --fps …``; a film lies in the run unless told where.

    Raises:
        UsageError: ``--render`` and ``--film`` name two kinds of film.
    """
    if render in ("gif", "mp4"):
        if film is not None and film.suffix.lower() != f".{render}":
            raise UsageError(f"--render {render} and --film {film} differ; give one of them")
        film = film or run / f"film.{render}"
    return Screens(window=render == "human", terminal=render == "ansi", film=film, fps=fps)
