"""The tools there are: those of this package, of installed packages, and of the user's own files.

Other packages offer theirs by the entry-point group ``gymposium.room_tools`` (a class, or an
instance, of :class:`~.card.Tool`); what does not load is left out, with the reason kept. A world
may be given more as ``FILE.py:CLASS`` or ``module:CLASS``.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Sequence
from importlib.metadata import entry_points

from gymposium.errors import GymposiumError, UsageError

from ...own_module import module_at
from .card import Tool
from .implementers import AddAcdc, AddCrowd, AddGpt, AddRule
from .initialisers import InitGpt, InitMetascene, InitPhyscene
from .refiners import AddRelation, RemoveObject, Terminate, UpdateLayout, UpdateRotation, UpdateSize
from .strangers import checked, told

GROUP = "gymposium.room_tools"
BUILT_IN: tuple[type[Tool], ...] = (
    InitGpt,
    InitMetascene,
    InitPhyscene,
    AddGpt,
    AddCrowd,
    AddAcdc,
    AddRule,
    AddRelation,
    UpdateLayout,
    UpdateRotation,
    UpdateSize,
    RemoveObject,
    Terminate,
)
"""In this order they are numbered; those of others come behind."""


def toolbox(more: Sequence[str] = ()) -> tuple[Tool, ...]:
    """All tools: ours, those of installed packages, and ``more`` (``FILE.py:CLASS``).

    Raises:
        UsageError: one of ``more`` cannot be loaded, or two tools share a name.
    """
    found: list[Tool] = [kind() for kind in BUILT_IN]
    found += _plugins()[0]
    for place in more:
        where, _, name = place.rpartition(":")
        if not where or not name:
            raise UsageError(f"tool {place!r} must look like 'FILE.py:CLASS' or 'module:CLASS'")
        try:
            made = getattr(module_at(where), name)
        except GymposiumError:
            raise
        except (Exception, SystemExit) as error:  # the plug-in boundary
            raise UsageError(f"tool {place!r} cannot be loaded: {told(error)}") from error
        found.append(checked(made, f"tool {place!r}"))
    names = [tool.card.name for tool in found]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"two tools are called {name!r}; names must differ")
    return tuple(found)


def broken_tools() -> dict[str, str]:
    """Entry points that could not be loaded, by name, each with the reason."""
    return dict(_plugins()[1])


@functools.cache
def _plugins() -> tuple[tuple[Tool, ...], dict[str, str]]:
    found: list[Tool] = []
    broken: dict[str, str] = {}
    taken = {kind.card.name for kind in BUILT_IN}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        try:
            tool = checked(entry.load(), entry.value)
            if tool.card.name in taken:
                raise UsageError(
                    f"{entry.value}: there is a tool called {tool.card.name!r} already"
                )
        except GymposiumError as error:
            broken[entry.name] = str(error)[:400]
            continue
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the plug-in boundary: recorded
            broken[entry.name] = f"{entry.value}: {told(error)}"
            continue
        taken.add(tool.card.name)
        found.append(tool)
    if broken:
        reasons = "; ".join(f"{name} = {reason}" for name, reason in broken.items())
        warnings.warn(f"room tools left out, for they cannot be loaded: {reasons}", stacklevel=4)
    return tuple(found), broken
