"""A match as an animation in the terminal: two pixels a character, or the state in words.

Worlds with pictures are drawn in half blocks (▀, upper pixel in the foreground colour, lower in the
background); of worlds without, the words are shown. Under it stands the scoreboard.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from ...envs.palette import seat_colour
from .scenes import Scene

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.live import Live
    from rich.text import Text

    from gymposium.types import Image


class HalfBlocks:
    """A picture as rich draws it: at most ``columns`` characters wide and ``rows`` high."""

    def __init__(self, picture: Image, columns: int, rows: int) -> None:
        self.pixels = shrunk(picture, columns, 2 * rows)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """One line of segments for every two rows of pixels."""
        from rich.color import Color
        from rich.segment import Segment
        from rich.style import Style

        for upper, lower in zip(self.pixels[::2], self.pixels[1::2], strict=True):
            for top, bottom in zip(upper.tolist(), lower.tolist(), strict=True):
                style = Style(color=Color.from_rgb(*top), bgcolor=Color.from_rgb(*bottom))
                yield Segment("▀", style)
            yield Segment.line()


def shrunk(picture: Image, width: int, height: int) -> Image:
    """``picture`` averaged down into at most width x height pixels, height even; never enlarged."""
    from PIL import Image as Pictures

    rows, columns = picture.shape[:2]
    scale = min(1.0, width / columns, height / rows)
    size = max(1, int(columns * scale)), max(2, 2 * (int(rows * scale) // 2))
    resampled = Pictures.fromarray(picture).resize(size, Pictures.Resampling.BOX)
    return np.asarray(resampled)


class TerminalScreen:
    """A screen that is a terminal."""

    def __init__(self, *, fps: float, console: Console | None = None) -> None:
        """Begin.

        Args:
            fps: scenes a second.
            console: where to draw; the default is stdout.
        """
        from rich.console import Console

        self._console = console or Console(highlight=False, emoji=False)
        self._pause = 1 / fps
        self._live: Live | None = None

    def show(self, scene: Scene) -> bool:
        """Draw a scene and wait for the next one's time."""
        from rich.live import Live

        drawn = self._drawn(scene)
        if self._live is None:
            self._live = Live(drawn, console=self._console, auto_refresh=False, transient=False)
            self._live.start()
        self._live.update(drawn, refresh=True)
        if self._console.is_terminal:
            time.sleep(self._pause)
        return True

    def end(self) -> None:
        """Leave the last scene on the terminal."""
        if self._live is not None:
            self._live.stop()
            self._live = None
            if not self._console.is_terminal:
                self._console.print()

    def _drawn(self, scene: Scene) -> Any:
        from rich.console import Group

        below = [scoreboard(scene)]
        if scene.pictured:
            rows = max(4, self._console.height - len(scene.seats) - 4)
            return Group(HalfBlocks(scene.picture, self._console.width - 1, rows), *below)
        from rich.text import Text

        return Group(Text(_harmless(scene.text)), *below)


def scoreboard(scene: Scene) -> Text:
    """The seats in words: agent, return so far, action and reward."""
    from rich.text import Text

    text = Text(
        f"{scene.world}, step {scene.step}", style="bold", no_wrap=True, overflow="ellipsis"
    )
    for number, line in enumerate(scene.seats):
        red, green, blue = seat_colour(number)
        text.append("\n■ ", f"rgb({red},{green},{blue})")
        text.append(f"{_harmless(line.agent)} {line.total:g}", "not bold")
        done = f"  {line.seat}: {' '.join(_harmless(line.action).split())}" if line.action else ""
        text.append(done + (f" {line.reward:+g}" if line.reward else ""), "not bold dim")
    if scene.reason:
        text.append(f"\n{_harmless(scene.reason)}", "not bold")
    return text


def _harmless(text: str) -> str:
    """``text`` without what could move the cursor: agents say anything."""
    return "".join(c if c.isprintable() or c == "\n" else " " for c in text)
