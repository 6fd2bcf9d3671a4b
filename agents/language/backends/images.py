"""Pictures in chat messages, as the data URLs that every endpoint with vision takes.

A message may carry ``images``, uint8 arrays of shape [height, width, 3], beside its ``content``;
here they become the content parts of the chat-completions interface. PNG is written directly
(filter 0 in every row): no imaging library is needed for it (RFC 2083).
"""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

import numpy as np

from gymposium.errors import UsageError


def with_images(message: Mapping[str, Any]) -> dict[str, Any]:
    """The message as it is sent: pictures as ``image_url`` parts after the text.

    Raises:
        UsageError: a picture is not uint8 [height, width, 3].
    """
    sent = {key: value for key, value in message.items() if key != "images"}
    images = message.get("images", ())
    if len(images):
        parts: list[dict[str, Any]] = [{"type": "text", "text": message["content"]}]
        parts += [{"type": "image_url", "image_url": {"url": data_url(image)}} for image in images]
        sent["content"] = parts
    return sent


def data_url(image: Any) -> str:
    """``data:image/png;base64,…`` of a picture."""
    return f"data:image/png;base64,{b64encode(png(image)).decode()}"


def checked(image: Any) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """A picture in a message.

    Raises:
        UsageError: it is not uint8 [height, width, 3].
    """
    pixels = np.ascontiguousarray(image)
    if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 3 or not pixels.size:
        raise UsageError(
            f"a picture in a message must be uint8 of shape [height, width, 3], not {pixels.dtype} "
            f"{list(pixels.shape)}"
        )
    return pixels


def png(image: Any) -> bytes:
    """A picture, uint8 [height, width, 3], as the bytes of a PNG file."""
    pixels = checked(image)
    height, width, _ = pixels.shape
    rows = np.zeros((height, 1 + 3 * width), np.uint8)
    rows[:, 1:] = pixels.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = (_chunk(b"IHDR", header), _chunk(b"IDAT", zlib.compress(rows.tobytes(), 6)))
    return b"\x89PNG\r\n\x1a\n" + b"".join(body) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
