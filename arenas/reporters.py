"""Reporters for when nobody watches, or when somebody must not be disturbed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .rows import MatchRow
    from .runner import Reporter


class Silent:
    """A Reporter that says nothing."""

    def start(self, total: int, done: int) -> None:
        """Say nothing."""

    def match_done(self, row: MatchRow) -> None:
        """Say nothing."""

    def tick(self, stats: Mapping[str, Any]) -> None:
        """Say nothing."""

    def message(self, text: str) -> None:
        """Say nothing."""

    def stop(self) -> None:
        """Say nothing."""


class MessagesOnly(Silent):
    """A Reporter that passes on what must be seen, and nothing else."""

    def __init__(self, reporter: Reporter) -> None:
        self._reporter = reporter

    def message(self, text: str) -> None:
        """Say it."""
        self._reporter.message(text)
