"""Live Python objects as agents: ``gymposium.run(..., agents=[MyAgent, my_function, instance])``.

They are the caller's own code and run in this process. A class is instantiated for each match and
an instance is copied for each, so that no match sees what another left behind. They cannot be
written into a run folder; resuming such a run needs the objects again, in the same order.
"""

from __future__ import annotations

import functools
import inspect
import weakref
from typing import Any

from gymposium.errors import UsageError

from .registry import AgentSpec, source_hash
from .user_code import bind

_numbers: dict[str, list[Any]] = {}


def live_spec(thing: Any) -> AgentSpec:
    """The spec of a class, function or instance.

    Raises:
        UsageError: it is no agent, or an instance that cannot be copied.
    """
    core = thing
    while isinstance(core, functools.partial):
        core = core.func
    named = core if inspect.isclass(core) or inspect.isroutine(core) else type(core)
    qualname = named.__qualname__.replace("<locals>.", "")
    if not (inspect.isclass(thing) or callable(thing) or hasattr(thing, "act")):
        raise UsageError(
            f"{qualname} cannot be an agent: give a spec string, a class with act(turn), a "
            "function of the turn, or an instance"
        )
    factory = bind(thing, {}, where=qualname)
    probe = core if inspect.isclass(core) else thing
    return AgentSpec(
        text=f"python:{qualname}#{_number(qualname, thing)}",
        name=_name(thing, qualname),
        identity=f"python:{qualname}#{_number(qualname, thing)} sha256:{source_hash(core)}",
        deterministic=bool(getattr(probe, "deterministic", False)),
        isolated=False,
        language=bool(getattr(probe, "language", False)),
        factory=factory,
    )


def _name(thing: Any, qualname: str) -> str:
    given = getattr(thing, "name", None)
    if isinstance(given, str) and given and not inspect.isclass(thing):
        return given
    return qualname.rpartition(".")[2]


def _number(qualname: str, thing: Any) -> int:
    """How many objects of that name this process had seen when it first saw this one, and one."""
    seen = _numbers.setdefault(qualname, [])
    for index, reference in enumerate(seen):
        if reference() is thing or (inspect.ismethod(thing) and reference() == thing):
            return index + 1
    try:
        # A bound method is made anew at each access: a weak reference to it would die at once.
        seen.append((lambda: thing) if inspect.ismethod(thing) else weakref.ref(thing))
    except TypeError:
        seen.append(lambda: thing)
    return len(seen)
