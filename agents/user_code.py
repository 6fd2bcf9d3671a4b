"""Runs a user's file or module and takes the agent out of it.

Used in two places: in the child process (``isolation/child.py``), and here for code the user has
declared trusted.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from gymposium.errors import UnknownName, UsageError
from gymposium.types import Agent

from ..envs.start_folder import here
from .agent import as_agent, is_factory


def load_thing(target: str, attr: str) -> Any:
    """Import user code and return what is called ``attr`` in it.

    Args:
        target: an absolute path ending in ``.py``, or a module's name.
        attr: dotted if nested.

    Raises:
        UnknownName: there is no such attribute.
        Exception: whatever the code raises while it is imported.
    """
    module = load_file(Path(target)) if target.endswith(".py") else _import(target)
    thing: Any = module
    for part in attr.split("."):
        try:
            thing = getattr(thing, part)
        except AttributeError:
            known = [name for name in vars(thing) if not name.startswith("_")]
            raise UnknownName("agent", part, known, where=Path(target).name) from None
    return thing


def load_factory(target: str, attr: str, params: Mapping[str, Any]) -> Callable[[], Agent]:
    """Import user code and return what makes its agent.

    Args:
        target: an absolute path ending in ``.py``, or a module's name.
        attr: the class, function or instance in it, dotted if nested.
        params: constructor arguments.

    Returns:
        A function that makes a fresh agent.

    Raises:
        UnknownName, UsageError: there is no such attribute or parameter.
        Exception: whatever the code raises while it is imported.
    """
    return bind(load_thing(target, attr), params, where=f"{Path(target).name}:{attr}")


def load_file(path: Path) -> ModuleType:
    """Run a source file as a module of its own; its folder is importable while it runs."""
    # A prefix keeps a file called random.py from becoming everybody's ``random``.
    name = f"gymposium_user_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path.name} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickle look their module up
    with _importable(str(path.parent)):
        spec.loader.exec_module(module)
    return module


def _import(name: str) -> ModuleType:
    with _importable(str(here())):
        return importlib.import_module(name)


@contextmanager
def _importable(folder: str) -> Any:
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        if folder in sys.path:
            sys.path.remove(folder)


def bind(thing: Any, params: Mapping[str, Any], *, where: str) -> Callable[[], Agent]:
    """A function that makes a fresh agent of a class, function or instance.

    Args:
        thing: what the user named.
        params: arguments for a class's constructor, or for the rest of a function's parameters.
        where: how the user calls it, for messages.

    Raises:
        UnknownName, UsageError: the parameters do not fit.
    """
    if inspect.isclass(thing):
        check_parameters(params, *_signature(thing), where=where)
        return lambda: as_agent(thing(**params))
    if callable(thing) and not callable(getattr(thing, "act", None)):
        names, required = _signature(thing)
        check_parameters(params, names, required[1:], where=where)
        made = functools.partial(thing, **params) if params else thing
        if is_factory(made):
            return lambda: as_agent(made())
        agent = as_agent(made)
        return lambda: agent
    if params:
        raise UsageError(f"{where} is already made and takes no parameters; name its class")
    return copier(thing, where=where)


def copier(instance: Any, *, where: str) -> Callable[[], Agent]:
    """A function that copies ``instance``, so that no match sees what another left in it.

    Raises:
        UsageError: it cannot be copied.
    """
    import copy

    as_agent(instance)  # says what is missing, if anything is
    try:
        copy.deepcopy(instance)
    except Exception as error:
        raise UsageError(
            f"{where} cannot be copied for each match ({type(error).__name__}: {error}): hand "
            "over its class, or a function without parameters that makes one"
        ) from error
    return lambda: as_agent(copy.deepcopy(instance))


def _signature(thing: Any) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    """(names, required names); names is None if anything goes."""
    try:
        parameters = list(inspect.signature(thing).parameters.values())
    except (TypeError, ValueError):
        return None, ()
    named = [p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    open_ended = any(p.kind is p.VAR_KEYWORD for p in parameters)
    names = None if open_ended else tuple(p.name for p in named)
    return names, tuple(p.name for p in named if p.default is p.empty)


def check_parameters(
    params: Mapping[str, Any],
    names: Iterable[str] | None,
    required: Iterable[str] = (),
    *,
    where: str,
) -> None:
    """Compare a spec's parameters with what the constructor takes.

    Args:
        params: given.
        names: allowed; None if that cannot be told.
        required: must be given.
        where: the agent, for the message.

    Raises:
        UnknownName: one does not exist (names the nearest).
        UsageError: a required one is missing, or the agent takes none.
    """
    if names is not None:
        known = tuple(names)
        for name in params:
            if name not in known and not known:
                raise UsageError(f"{where} takes no parameters, but was given {name!r}")
            if name not in known:
                raise UnknownName("parameter", name, known, where=where)
    missing = [name for name in required if name not in params]
    if missing:
        raise UsageError(
            f"{where} needs the parameter {missing[0]!r}: write ?{missing[0]}=VALUE behind it"
        )
