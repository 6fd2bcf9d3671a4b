"""A match as a GIF or MP4 file, written frame by frame: in memory there is one frame at a time.

MP4s are made by ffmpeg (the binary that imageio brings), GIFs by :mod:`.gif`.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from gymposium.errors import GymposiumError, MissingExtra, UsageError

from ...envs.start_folder import located
from .board import board
from .scenes import Scene

if TYPE_CHECKING:
    from gymposium.types import Image

SUFFIXES = (".gif", ".mp4")
_LAST_SECONDS = 2.0  # the end is held so long, or a film that begins anew hides it


class _Writer(Protocol):
    def add(self, picture: Image, times: int = 1) -> None: ...

    def close(self) -> None: ...


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
        self.path = path
        self._fps = fps
        self._ffmpeg = _ffmpeg() if path.suffix.lower() == ".mp4" else None
        self._writer: _Writer | None = None
        self._latest: Image | None = None

    def show(self, scene: Scene) -> bool:
        """Write one frame.

        Raises:
            GymposiumError: it cannot be written.
        """
        self._latest = board(scene)
        try:
            if self._writer is None:
                self._writer = self._begin(self._latest)
            self._writer.add(self._latest)
        except (OSError, StopIteration) as error:
            self._writer = None
            raise GymposiumError(
                f"the film {self.path} cannot be written ({error or 'ffmpeg has stopped'}): is "
                "there such a folder, and room on the disk?"
            ) from error
        return True

    def end(self) -> None:
        """Hold the last frame and finish the file; harmless when there is none."""
        if self._writer is not None and self._latest is not None:
            self._writer.add(self._latest, max(1, round(_LAST_SECONDS * self._fps)))
            self._writer.close()
            self._writer = None

    def _begin(self, picture: Image) -> _Writer:
        place = located(self.path)
        place.parent.mkdir(parents=True, exist_ok=True)
        if self._ffmpeg is not None:
            return _Mp4File(self._ffmpeg, place, picture.shape, self._fps)
        from .gif import GifFile

        return GifFile(place, fps=self._fps)


class _Mp4File:
    """ffmpeg, fed through a pipe."""

    def __init__(self, ffmpeg: Any, path: Path, shape: tuple[int, ...], fps: float) -> None:
        self._pipe: Generator[None, Any, None] = ffmpeg.write_frames(
            str(path),
            (shape[1], shape[0]),
            fps=fps,
            quality=None,
            macro_block_size=1,
            ffmpeg_log_level="error",
            codec="libx264",
            pix_fmt_out="yuv420p",
            output_params=["-crf", "18", "-movflags", "+faststart"],
        )
        self._pipe.send(None)

    def add(self, picture: Image, times: int = 1) -> None:
        frame = np.ascontiguousarray(picture).tobytes()
        for _ in range(times):
            self._pipe.send(frame)

    def close(self) -> None:
        self._pipe.close()


def _ffmpeg() -> Any:
    try:
        import imageio_ffmpeg
    except ImportError as error:
        raise MissingExtra("an MP4 film", extra="ui", module="imageio-ffmpeg") from error
    return imageio_ffmpeg
