"""A match in a window (pygame): space pauses, the arrow keys step, q leaves.

Scenes already seen are kept, compressed, so that one can step back. The window draws nothing
itself: its frames are the film's, so it works with SDL's dummy driver too.
"""

from __future__ import annotations

import os
import zlib
from collections import deque
from typing import Any, NamedTuple

import numpy as np

from gymposium.errors import GymposiumError, MissingExtra

from .board import board
from .scenes import Scene

KEPT = 2000
"""Scenes one can step back; a grid world's take a few kilobytes each."""

_LINGER_SECONDS = 3.0
_TICK_MS = 15


class _Kept(NamedTuple):
    size: tuple[int, int]
    pixels: bytes


class Window:
    """A screen that is a window; it may be shut and opened again for the next match."""

    def __init__(self, *, fps: float) -> None:
        """Prepare; the window opens with the first scene.

        Raises:
            MissingExtra: pygame is not installed.
        """
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
        try:
            import pygame
        except ImportError as error:
            raise MissingExtra("a window", extra="ui", module="pygame") from error
        self._pg: Any = pygame
        self._pause_ms = 1000 / fps
        self._seen: deque[_Kept] = deque(maxlen=KEPT)
        self._at = 0
        self._surface: Any = None
        self.paused = False

    def show(self, scene: Scene) -> bool:
        """Show a scene for its time, or longer while paused; False if the viewer has left."""
        picture = board(scene)
        height, width = picture.shape[:2]
        self._seen.append(_Kept((width, height), zlib.compress(picture.tobytes(), 1)))
        if self._surface is None:
            self._open(width, height, scene.world)
        self._at = len(self._seen) - 1
        return self._wait(self._pause_ms)

    def end(self) -> None:
        """Linger on the last scene, as long as the viewer likes while paused, and close."""
        if self._surface is not None:
            if self._seen:
                self._wait(1000 * _LINGER_SECONDS)
            self._pg.display.quit()
            self._surface = None
        self._seen.clear()

    def _open(self, width: int, height: int, title: str) -> None:
        try:
            self._pg.display.init()
            self._surface = self._pg.display.set_mode((width, height))
        except self._pg.error as error:
            raise GymposiumError(
                f"no window can be opened ({error}): without a display, use --film or --terminal"
            ) from error
        self._pg.display.set_caption(f"{title}   space: pause   arrows: step   q: quit")

    def _wait(self, milliseconds: float) -> bool:
        """Let the viewer look and steer; False to leave, True for the next scene."""
        pg, newest = self._pg, len(self._seen) - 1
        self._draw()
        began = pg.time.get_ticks()
        while True:
            for event in pg.event.get():
                if event.type == pg.QUIT or _key(pg, event) in (pg.K_q, pg.K_ESCAPE):
                    self._seen.clear()
                    return False
                if _key(pg, event) == pg.K_SPACE:
                    self.paused = not self.paused
                    self._at = self._at if self.paused else newest
                elif _key(pg, event) == pg.K_LEFT:
                    self.paused, self._at = True, max(0, self._at - 1)
                elif _key(pg, event) == pg.K_RIGHT:
                    self.paused = True
                    if self._at == newest:
                        return True
                    self._at += 1
                self._draw()
            if not self.paused and pg.time.get_ticks() - began >= milliseconds:
                return True
            pg.time.wait(_TICK_MS)

    def _draw(self) -> None:
        kept = self._seen[self._at]
        width, height = kept.size
        pixels = np.frombuffer(zlib.decompress(kept.pixels), np.uint8).reshape(height, width, 3)
        self._surface.blit(self._pg.image.frombuffer(pixels.tobytes(), kept.size, "RGB"), (0, 0))
        self._pg.display.flip()


def _key(pg: Any, event: Any) -> int | None:
    return event.key if event.type == pg.KEYDOWN else None
