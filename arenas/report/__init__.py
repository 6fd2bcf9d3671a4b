"""Reports: what a run found, as a self-contained page and as a table for the terminal."""

from __future__ import annotations

from .html import render_report, write_report
from .tables import leaderboard_table

__all__ = ["leaderboard_table", "render_report", "write_report"]
