"""Agents named by file or module: looked at without being run, then isolated or trusted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from gymposium.errors import UsageError
from gymposium.types import Agent

from .registry import AgentSpec
from .source import Definition, find_source
from .spec_text import SpecText, query
from .user_code import check_parameters, load_factory


def user_spec(spec: SpecText, root: Path, *, trusted: bool) -> AgentSpec:
    """The spec of an agent in a user's file or module.

    Args:
        spec: of kind ``file`` or ``module``.
        root: the folder relative files are relative to.
        trusted: import it here; otherwise nothing of it runs in this process.

    Raises:
        UsageError, UnknownName: the file, the attribute or a parameter does not exist.
    """
    source, target, short = find_source(spec.target, root, file=spec.kind == "file")
    if spec.attr:
        definition = source.find(spec.attr, spec.target)
        attr = spec.attr
    else:
        definition = source.only_agent(spec.target)
        attr = definition.name
    full = SpecText(spec.kind, spec.target, attr, spec.params)
    _check(definition, full)
    flags = definition.flags if definition else {}
    return AgentSpec(
        text=str(full),
        name=attr + query(spec.params),
        # The file's place does not matter to what it does; its name is kept for the reader.
        identity=f"{short}:{attr}{query(spec.params)} sha256:{source.sha256}",
        deterministic=flags.get("deterministic", False),
        isolated=not trusted,
        language=flags.get("language", False),
        factory=_trusted(target, attr, full) if trusted else _isolated(target, attr, full),
    )


def _check(definition: Definition | None, spec: SpecText) -> None:
    if definition is None or definition.kind == "other":
        return  # only running it can tell; the process that does will say it
    can = definition.acts or definition.inherits or definition.parameters is None
    if definition.kind == "class" and not can:
        raise UsageError(f"{spec.bare} cannot be an agent: the class has no act(self, turn)")
    check_parameters(spec.params, definition.parameters, definition.required, where=spec.bare)


def _trusted(target: str, attr: str, spec: SpecText) -> Callable[[], Agent]:
    try:
        return load_factory(target, attr, spec.params)
    except UsageError:
        raise
    except (Exception, SystemExit) as error:
        raise UsageError(
            f"{spec.bare} cannot be imported: {type(error).__name__}: {error}"
        ) from error


def _isolated(target: str, attr: str, spec: SpecText) -> Callable[[], Any]:
    from .isolation import ChildAgent, ChildSpec

    child = ChildSpec(target, attr, dict(spec.params), spec.bare)
    return lambda: ChildAgent(child)
