"""GIF files written one frame at a time, in exact colours and small.

Pillow's own way of saving an animation keeps all of it in memory; here each frame is encoded as it
comes. What has not changed since the last frame is transparent, and every frame has a palette of
just the colours that are new in it, which for drawn pictures is exact.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from gymposium.types import Image

_FOR_EVER = b"!\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"
_SAME = 0  # the palette's index for "as before"
_COLOURS = 255


class GifFile:
    """An endless GIF being written; complete after ``close``."""

    def __init__(self, path: Path, *, fps: float) -> None:
        """Open ``path``; OSError if that cannot be done."""
        self._file = path.open("wb")
        self._hundredths = 100 / fps
        self._last: Any = None
        self._waiting: tuple[Any, tuple[int, int]] | None = None
        self._shown = 0
        self._written = False

    def add(self, picture: Image, times: int = 1) -> None:
        """Show ``picture`` (uint8 HxWx3, always of one size) for so many frames."""
        if self._last is None:
            height, width = picture.shape[:2]
            self._file.write(struct.pack("<6sHH3s", b"GIF89a", width, height, b"\x70\0\0"))
            self._file.write(_FOR_EVER)
            changed = np.ones((height, width), np.bool_)
        else:
            changed = (picture != self._last).any(axis=2)
        if changed.any():
            self._write_waiting()
            self._waiting = _encoded(picture, changed)
            self._last = picture
        self._shown += times

    def close(self) -> None:
        """Write the last frame and the end."""
        if self._waiting is not None:
            self._write_waiting()
            self._file.write(b";")
        self._file.close()

    def _write_waiting(self) -> None:
        """Write the frame that waits, now that it is known how long it is shown."""
        from PIL.GifImagePlugin import getdata

        if self._waiting is not None:
            image, offset = self._waiting
            lasts = 10 * max(2, round(self._hundredths * self._shown))
            told: dict[str, Any] = {"duration": lasts, "include_color_table": True}
            if self._written:
                told["transparency"] = _SAME
            self._file.writelines(getdata(image, offset, **told))
            self._written = True
        self._shown = 0


def _encoded(picture: Image, changed: Any) -> tuple[Any, tuple[int, int]]:
    """The smallest part of ``picture`` that holds all changes, in palette colours, and where."""
    from PIL import Image as Pictures

    rows, columns = np.flatnonzero(changed.any(1)), np.flatnonzero(changed.any(0))
    top, left = int(rows[0]), int(columns[0])
    part = slice(top, rows[-1] + 1), slice(left, columns[-1] + 1)
    new = picture[part][changed[part]].astype(np.uint32)
    packed = new[:, 0] << 16 | new[:, 1] << 8 | new[:, 2]
    colours, index = np.unique(packed, return_inverse=True)
    coarser = 0
    while len(colours) > _COLOURS:  # photographs; drawn pictures never have so many
        coarser += 1
        mask = np.uint32(0x010101 * (0xFF << coarser & 0xFF))
        colours, index = np.unique(packed & mask, return_inverse=True)
    pixels = np.full(changed[part].shape, _SAME, np.uint8)
    pixels[changed[part]] = index + 1
    image = Pictures.fromarray(pixels, "P")
    table = np.stack([colours >> 16, colours >> 8 & 255, colours & 255], axis=1)
    image.putpalette(bytes(3) + table.astype(np.uint8).tobytes())
    return image, (left, top)
