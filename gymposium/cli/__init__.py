"""The command line: one file per verb; nothing heavy is imported before a verb needs it."""

from __future__ import annotations


def main() -> None:
    """Entry point of the ``gymposium`` command."""
    from .app import app

    app(prog_name="gymposium")
