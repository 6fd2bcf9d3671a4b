"""Pictures that were shown in a match, small enough to stand in a page."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gymposium.types import Image

SIDE = 200
"""Pixels of the longer side."""
EACH = 2
"""Pictures of one turn."""


def data_uris(look: Callable[[], Sequence[Image]]) -> list[str]:
    """Pictures as PNG in ``data:`` URIs; none where they cannot be drawn.

    Args:
        look: gives them, uint8 ``[H, W, 3]``; it may fail.
    """
    try:
        return [_data_uri(picture) for picture in list(look())[:EACH]]
    except Exception:  # noqa: BLE001 - the world boundary: a report does without
        return []


def _data_uri(picture: Any) -> str:
    from PIL import Image as Pictures

    image = Pictures.fromarray(picture)
    image.thumbnail((SIDE, SIDE))
    written = io.BytesIO()
    image.save(written, "PNG", optimize=True)
    return f"data:image/png;base64,{base64.b64encode(written.getvalue()).decode()}"
