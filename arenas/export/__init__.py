"""Runs as data for other tools: matches as tables, transcripts as training examples."""

from __future__ import annotations

from .matches import export_matches
from .tables import export_table
from .transcripts import FORMATS, export_transcripts

__all__ = ["FORMATS", "export_matches", "export_table", "export_transcripts"]
