"""The command line: one file per verb; nothing heavy is imported before a verb needs it."""

from __future__ import annotations

import sys


def main() -> None:
    """Entry point of the ``gymposium`` command."""
    try:
        from .app import app
    except KeyboardInterrupt:  # this soon: `guard.py` is not there yet
        sys.exit(130)
    app(prog_name="gymposium")
