"""Bots for the text worlds: known cooperators, defectors and punishers that play any of them."""

from .bots import BOTS

__all__ = ["BOTS"]
