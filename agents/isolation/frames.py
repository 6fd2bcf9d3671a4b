"""Frames between parent and child: four bytes of length, then JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..wire.values import pack

HEADER = 4
REPLY_LIMIT = 8 * 2**20
"""Most bytes a child may answer with; more is an error of the agent, not a burden on the arena."""
UNSENDABLE = "unsendable"
"""The kind of the child's error when its agent answered what has no JSON form."""


def frame(message: Mapping[str, Any]) -> bytes:
    """``message`` (plain data) as one frame; raises UsageError if it has no JSON form."""
    payload = pack(message)
    return len(payload).to_bytes(HEADER, "big") + payload
