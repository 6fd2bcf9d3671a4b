"""``langchain:package.module:factory?key=value``: somebody's LangChain model or LangGraph agent.

The factory is a user's code and treated as such: looked at without being run, then run in a child
process unless it is declared trusted. In the child its calls are counted by what it replies;
trusted, they also pass the door where answers are cached and budgets kept.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import orjson

from gymposium.errors import MissingExtra, UnknownName, UsageError

from .language.agent_spec import AGENT_PARAMETERS, read_parameters
from .language.prompt import LAYOUT
from .registry import AgentSpec
from .source import Definition, find_source
from .spec_text import SpecText, query

SAMPLING = frozenset({"temperature", "top_p", "max_tokens", "choose"})
"""Language agents' parameters that are the factory's affair here."""


def langchain_spec(spec: SpecText, root: Path, *, trusted: bool) -> AgentSpec:
    """The spec of a LangChain model in a user's file or module.

    Args:
        spec: of kind ``langchain``.
        root: the folder relative files are relative to.
        trusted: run it in this process.

    Raises:
        MissingExtra: langchain-core is not installed.
        UsageError, UnknownName: the file, the attribute or a parameter does not exist.
    """
    if importlib.util.find_spec("langchain_core") is None:
        raise MissingExtra("a LangChain agent", extra="langchain", module="langchain_core")
    source, target, short = find_source(spec.target, root, file=spec.target.endswith(".py"))
    params = dict(spec.params)
    ours = [key for key in params if key in AGENT_PARAMETERS and key not in SAMPLING]
    options = read_parameters({key: params.pop(key) for key in ours}, spec.bare)
    structured = bool(params.pop("structured", True))
    _check(source.find(spec.attr, spec.target), params, spec)
    told = {"options": options, "structured": structured, "prompt": LAYOUT, "params": params}
    plain = orjson.dumps(told, option=orjson.OPT_SORT_KEYS, default=str).decode()
    identity = f"langchain:{short}:{spec.attr} sha256:{source.sha256}|{plain}"
    made = {
        "target": target,
        "attr": spec.attr,
        "params": params,
        "identity": identity,
        "structured": structured,
        "options": options,
    }
    return AgentSpec(
        text=str(spec),
        name=spec.attr + query(spec.params),
        identity=identity,
        deterministic=False,
        isolated=not trusted,
        language=True,
        factory=_trusted(made) if trusted else _isolated(made, spec),
    )


def _check(definition: Definition | None, params: Mapping[str, Any], spec: SpecText) -> None:
    if definition is None or definition.kind == "other" or definition.parameters is None:
        return  # only running it can tell
    for key in params:
        if key not in definition.parameters and definition.kind == "function":
            known = (*definition.parameters, *(set(AGENT_PARAMETERS) - SAMPLING), "structured")
            raise UnknownName("parameter", key, known, where=spec.bare)


def _trusted(made: Mapping[str, Any]) -> Callable[[], Any]:
    from .language.langchain_agent import LangChainAgent

    try:
        LangChainAgent(**made)  # what is wrong with it is said before a match
    except (UsageError, MissingExtra):
        raise
    except (Exception, SystemExit) as error:
        raise UsageError(
            f"langchain:{made['target']}:{made['attr']} cannot be made: "
            f"{type(error).__name__}: {error}"
        ) from error
    return lambda: LangChainAgent(**made)


def _isolated(made: Mapping[str, Any], spec: SpecText) -> Callable[[], Any]:
    from .isolation import ChildAgent, ChildSpec

    module = "gymposium.agents.language.langchain_agent"
    child = ChildSpec(module, "LangChainAgent", made, spec.bare)
    return lambda: ChildAgent(child)
