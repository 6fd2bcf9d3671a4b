"""Claims: measure the arms of a claim file, compare them over seeds, and judge."""

from __future__ import annotations

from .reproduce import reproduce
from .results import ClaimResult, Result

__all__ = ["ClaimResult", "Result", "reproduce"]
