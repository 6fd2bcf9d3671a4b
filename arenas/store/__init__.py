"""The store: a run is a folder with ``run.sqlite`` and one compressed transcript per match."""

from .folder import RunFolder

__all__ = ["RunFolder"]
