"""A match as a GIF or MP4 file, written frame by frame by ffmpeg (through imageio's binary).

Only one frame is in memory at a time, however long the match. GIFs get a palette per frame, which
is exact for the few colours of our pictures and needs no look ahead.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import numpy as np

from gymposium.errors import GymposiumError, MissingExtra, UsageError

from .board import board
from .scenes import Scene

SUFFIXES = (".gif", ".mp4")
_LAST_SECONDS = 2.0  # the end is held so long, or a looping GIF hides it

_PALETTES = "split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=new=1:dither=none"
_CODECS: dict[str, dict[str, Any]] = {
    ".gif": {
        "codec": "gif",
        "pix_fmt_out": "pal8",
        "output_params": ["-lavfi", _PALETTES, "-loop", "0"],
    },
    ".mp4": {
        "codec": "libx264",
        "pix_fmt_out": "yuv420p",
        "output_params": ["-crf", "18", "-movflags", "+faststart"],
    },
}


class Film:
    """A screen that is a file.

    Attributes:
        path: where the film is; it is complete after ``end``.
    """

    def __init__(self, path: Path, *, fps: float) -> None:
        """Begin a film; nothing is written before the first scene.

        Args:
            path: ends in one of SUFFIXES; its folder is made.
            fps: scenes a second.

        Raises:
            UsageError: another suffix.
            MissingExtra: imageio's ffmpeg is not installed.
        """
        if path.suffix.lower() not in SUFFIXES:
            raise UsageError(f"a film is {' or '.join(SUFFIXES)}, not {path.name!r}")
        try:
            import imageio_ffmpeg
        except ImportError as error:
            raise MissingExtra("a film", extra="ui", module="imageio-ffmpeg") from error
        self.path = path
        self._fps = fps
        self._ffmpeg = imageio_ffmpeg
        self._writer: Generator[None, Any, None] | None = None
        self._frame = b""

    def show(self, scene: Scene) -> bool:
        """Write one frame."""
        picture = board(scene)
        if self._writer is None:
            self._writer = self._begin(picture.shape[1], picture.shape[0])
        self._frame = np.ascontiguousarray(picture).tobytes()
        self._send()
        return True

    def end(self) -> None:
        """Hold the last frame and finish the file; harmless when there is none."""
        if self._writer is not None:
            for _ in range(round(_LAST_SECONDS * self._fps)):
                self._send()
            self._writer.close()
            self._writer = None

    def _begin(self, width: int, height: int) -> Generator[None, Any, None]:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        writer: Generator[None, Any, None] = self._ffmpeg.write_frames(
            str(self.path),
            (width, height),
            fps=self._fps,
            quality=None,
            macro_block_size=1,
            ffmpeg_log_level="error",
            **_CODECS[self.path.suffix.lower()],
        )
        writer.send(None)
        return writer

    def _send(self) -> None:
        if self._writer is None:
            return
        try:
            self._writer.send(self._frame)
        except (OSError, StopIteration) as error:
            self._writer = None
            raise GymposiumError(
                f"the film {self.path} cannot be written: ffmpeg has stopped (its reason stands "
                "above); is there such a folder, and room on the disk?"
            ) from error
