"""Untrusted text on its way to a terminal."""

from __future__ import annotations


def harmless(text: str) -> str:
    """``text`` without what could move the cursor or retitle the terminal: models say anything."""
    return "".join(
        c if c in "\n\t" or c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text
    )
