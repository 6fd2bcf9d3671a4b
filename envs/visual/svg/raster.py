"""From an SVG document to pixels, by resvg: self-contained, and the same on every machine."""

from __future__ import annotations

import io
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from gymposium.errors import MissingExtra

from .reading import BadDrawing, clean_svg

if TYPE_CHECKING:
    from gymposium.types import Image

SIZE = 256


def rasterised(text: str, size: int = SIZE) -> Image:
    """The drawing in ``text`` on white.

    Args:
        text: one SVG document, from anybody: it is checked and cleaned first.
        size: width and height in pixels.

    Returns:
        uint8 ``[size, size, 3]``, a copy of one's own.

    Raises:
        BadDrawing: the document is refused; says why.
        MissingExtra: resvg is not installed.
    """
    return np.frombuffer(_pixels(text, size), np.uint8).reshape(size, size, 3).copy()


@lru_cache(maxsize=64)
def _pixels(text: str, size: int) -> bytes:
    from PIL import Image as Pictures

    document = clean_svg(text, size)
    try:
        png = _resvg().svg_to_bytes(
            svg_string=document,
            width=size,
            height=size,
            background="#ffffff",
            skip_system_fonts=True,
        )
    except ValueError as error:
        raise BadDrawing(f"the document cannot be drawn: {error}") from None
    except BaseException as error:
        # What panics in Rust comes as an exception that is no Exception, and cannot be imported.
        if type(error).__name__ != "PanicException":
            raise
        raise BadDrawing("the document is beyond what the rasteriser can draw") from None
    with Pictures.open(io.BytesIO(png)) as picture:
        return picture.convert("RGB").tobytes()


def _resvg() -> Any:
    try:
        import resvg_py
    except ModuleNotFoundError:
        raise MissingExtra("drawing SVG", extra="visual", module="resvg_py") from None
    return resvg_py
