"""``concordia:PREFAB?model=MODEL``: an entity of Concordia's (PyPI ``gdm-concordia``) in a seat.

PREFAB is the name of one that comes with Concordia (``basic``, ``minimal``, ``basic_with_plan``;
``basic__Entity``, as its configurations spell it, means the same), and runs here; or a class of
your own, ``FILE.py:CLASS`` or ``package.module:CLASS``, and runs in a child process unless it is
trusted.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import orjson

from gymposium.errors import MissingExtra, UnknownName

from .language.backends.settings import SETTINGS, kind_of
from .registry import AgentSpec
from .source import find_source
from .spec_text import SpecText, query

OPTIONS = ("temperature", "max_tokens")
"""Parameters of the model that Concordia is given, beside those of its backend."""


def concordia_spec(spec: SpecText, root: Path, *, trusted: bool) -> AgentSpec:
    """The spec of a Concordia entity.

    Args:
        spec: of kind ``concordia``.
        root: the folder relative files are relative to.
        trusted: run a user's prefab in this process.

    Raises:
        MissingExtra: Concordia is not installed.
        UsageError, UnknownName: no such prefab, model or parameter, or a wrong value.
    """
    if importlib.util.find_spec("concordia") is None:
        raise MissingExtra("a Concordia entity", extra="concordia", module="concordia")
    from .language.agent_spec import llm_agent_spec, read_parameters
    from .language.minds.associative_memory import AssociativeMemory
    from .language.minds.families import DEFAULT_MODEL

    params = dict(spec.params)
    model = str(params.pop("model", DEFAULT_MODEL))
    settings = {key: params.pop(key) for key in list(params) if key in SETTINGS[kind_of(model)]}
    options = read_parameters({k: params.pop(k) for k in OPTIONS if k in params}, spec.bare)
    target, attr, short = _shipped(spec, params) if not spec.attr else _users(spec, root)
    thinking = llm_agent_spec(model, settings)  # what is wrong with it is said now
    told = {"options": options, "params": params, "memory": AssociativeMemory().by}
    plain = orjson.dumps(told, option=orjson.OPT_SORT_KEYS, default=str).decode()
    made = {
        "target": target,
        "attr": attr,
        "params": params,
        "model": model,
        "settings": settings,
        "options": options,
    }
    isolated = bool(spec.attr) and not trusted
    return AgentSpec(
        text=str(spec),
        name=f"concordia:{spec.attr or spec.target}{query(spec.params)}",
        identity=f"concordia:{short}|{plain}|{thinking.identity}",
        deterministic=False,
        isolated=isolated,
        language=True,
        factory=_isolated(made, spec) if isolated else _here(made),
        priced=thinking.priced,
    )


def _shipped(spec: SpecText, params: Mapping[str, Any]) -> tuple[str, str, str]:
    """Module, class and identity of a prefab of Concordia's own."""
    from importlib.metadata import version

    from .language.concordia_agent import PACKAGE, shipped_parameters, shipped_prefabs

    name = spec.target.removesuffix("__Entity")
    if name not in shipped_prefabs():
        raise UnknownName("prefab", spec.target, shipped_prefabs(), where="Concordia")
    known = shipped_parameters(name)
    for key in params:
        if key not in known:
            raise UnknownName("parameter", key, (*known, "model", *OPTIONS), where=spec.bare)
    return f"{PACKAGE}.{name}", "Entity", f"{name}@{version('gdm-concordia')}"


def _users(spec: SpecText, root: Path) -> tuple[str, str, str]:
    """Module or file, class and identity of a user's prefab; nothing of it is run."""
    source, target, short = find_source(spec.target, root, file=spec.target.endswith(".py"))
    source.find(spec.attr, spec.target)
    return target, spec.attr, f"{short}:{spec.attr} sha256:{source.sha256}"


def _here(made: Mapping[str, Any]) -> Callable[[], Any]:
    def factory() -> Any:
        from .language.concordia_agent import ConcordiaAgent

        return ConcordiaAgent(**made)

    return factory


def _isolated(made: Mapping[str, Any], spec: SpecText) -> Callable[[], Any]:
    from .isolation import ChildAgent, ChildSpec

    child = ChildSpec(
        "gymposium.agents.language.concordia_agent", "ConcordiaAgent", made, spec.bare
    )
    return lambda: ChildAgent(child)
