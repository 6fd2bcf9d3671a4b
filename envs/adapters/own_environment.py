"""An environment of one's own behind a prefix: ``gymnasium:FILE.py:CLASS``, ``pettingzoo:…``.

What stands before the last colon is imported, a file or a module; what stands behind it is what
makes the environment (a class or a function), or an id that the import registered with the library,
as Gymnasium writes it: ``gymnasium:my_package:Maze-v0``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gymposium.errors import UsageError

from ..own_module import import_failure, module_at


def found_at(prefix: str, name: str) -> tuple[Callable[..., Any] | None, str]:
    """What makes the environment, if a module holds it, and the library's own id otherwise.

    Raises:
        UsageError: the module cannot be imported, or what it holds makes nothing.
    """
    place, colon, last = name.rpartition(":")
    if not colon:
        return None, name
    where = f"{prefix}:{name}"
    try:
        module = module_at(place)
    except (Exception, SystemExit) as error:  # the plug-in boundary
        told = import_failure(error)
        raise UsageError(f"{where}: {place} cannot be imported: {told}") from error
    creator = getattr(module, last, None)
    if creator is not None and not callable(creator):
        raise UsageError(f"{where}: {last} is a {type(creator).__name__}; name a class or function")
    if creator is None and place.endswith(".py") and last.isidentifier():
        classes = ", ".join(it for it, value in vars(module).items() if isinstance(value, type))
        raise UsageError(f"{where}: {place} has no {last!r}; its classes: {classes:.300}")
    return creator, last


def made_with_pictures(creator: Callable[..., Any], params: Mapping[str, Any]) -> Any:
    """The environment, asked for pictures if its class says that it has them."""
    modes = getattr(creator, "metadata", {}).get("render_modes", ())
    if "rgb_array" in modes and "render_mode" not in params:
        try:
            return creator(render_mode="rgb_array", **params)
        except TypeError:
            pass  # it takes no render mode
    return creator(**params)
