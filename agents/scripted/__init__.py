"""Scripted bots, one module per family of worlds; each lists its own in ``BOTS``."""
