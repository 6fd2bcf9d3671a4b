"""Users' code in killable child processes, so that whatever it does costs only its own turns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .child_agent import ChildAgent
    from .pool import ChildPool, shutdown
    from .process import ChildSpec

__all__ = ["ChildAgent", "ChildPool", "ChildSpec", "shutdown"]
_HOME = {
    "ChildAgent": "child_agent",
    "ChildPool": "pool",
    "ChildSpec": "process",
    "shutdown": "pool",
}


def __getattr__(name: str) -> Any:
    # Lazy, for the child imports this package too and needs none of the parent's half.
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
