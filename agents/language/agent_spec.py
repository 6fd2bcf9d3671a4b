"""From ``llm:MODEL?key=value`` to a language agent: parameters checked, identity computed.

Every check happens here, before a match begins: a misspelt parameter or a missing model file is
wrong usage, not something to discover in the middle of a tournament.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import orjson

from gymposium.errors import UnknownName, UsageError

from .backends.pool import SETTINGS, check_settings, get_backend, is_scripted, outcome_settings
from .llm_agent import MEMORY_TOKENS, LLMAgent
from .models import ModelFacts, known_models, model_digest, model_facts, model_file
from .prompt import LAYOUT

AGENT_PARAMETERS: Mapping[str, str] = {
    "temperature": "of sampling, from 0 to 2",
    "top_p": "nucleus to sample from, above 0 and at most 1",
    "max_tokens": "where a reply is cut off; the longest legal reply unless given",
    "memory_tokens": "how much of the match is remembered",
    "persona": "who the model is to be, in words put before the rules",
    "think": "1 asks for a short thought before the action",
    "max_text": "longest string in an action, in characters; the world's own limit unless given",
}
"""What a language agent can be given, with its meaning."""

_DEFAULTS: Mapping[str, Any] = {
    "temperature": 0.7,
    "top_p": 1.0,
    "max_tokens": None,
    "memory_tokens": MEMORY_TOKENS,
    "persona": "",
    "think": True,
    "max_text": None,
}


class LLMAgentSpec(NamedTuple):
    """A resolved ``llm:`` specification.

    Attributes:
        factory: makes a fresh agent for one seat of one match.
        identity: all that can change what it does; enters match keys.
        deterministic: equal matches give equal play.
        name: short, for tables; a stand-in says that it is one.
    """

    factory: Callable[[], LLMAgent]
    identity: str
    deterministic: bool
    name: str


def llm_agent_spec(model_text: str, params: Mapping[str, Any] | None = None) -> LLMAgentSpec:
    """Resolve what stands behind ``llm:``.

    Args:
        model_text: ``smollm2``, ``scripted/legal``, or the path of a GGUF file.
        params: agent parameters (``AGENT_PARAMETERS``) and backend settings (``SETTINGS``).

    Returns:
        The factory and what the arena must know about its agents.

    Raises:
        UnknownName: no such model or parameter.
        UsageError: a wrong value, or the model's file is not on this machine.
    """
    given = dict(params or {})
    settings = {key: given.pop(key) for key in list(given) if key in SETTINGS}
    where = f"llm:{model_text}"
    for key in given:
        if key not in AGENT_PARAMETERS:
            raise UnknownName("parameter", key, (*AGENT_PARAMETERS, *SETTINGS), where=where)
    settings = check_settings(model_text, settings)
    advised: Mapping[str, Any]
    if is_scripted(model_text):
        backend = get_backend(model_text)
        name = full_name = backend.name
        digest, advised, deterministic = "stand-in", {"think": False}, backend.deterministic
    else:
        facts = model_facts(model_text)
        model_file(model_text)  # a missing file is said now, not in the middle of a run
        name, full_name = _short(facts), facts.name
        digest, advised = model_digest(model_text), facts.agent
        deterministic = bool(settings.get("exact", False))
    options = {key: _checked(key, value, where) for key, value in given.items()}
    effective = {**_DEFAULTS, **advised, **options}
    identity = _identity(full_name, digest, effective, settings)

    def factory() -> LLMAgent:
        return LLMAgent(get_backend(model_text, settings), **effective)

    return LLMAgentSpec(factory, identity, deterministic, name)


def llm_models() -> Mapping[str, str]:
    """The model names that can follow ``llm:``, each with one line about it."""
    known = {_short(facts): facts.summary for facts in known_models().values()}
    return {**known, "scripted/legal": "a stand-in that plays legally at random, not a model"}


def _short(facts: ModelFacts) -> str:
    return facts.aliases[0] if facts.aliases else facts.name


def _identity(
    name: str, digest: str, options: Mapping[str, Any], settings: Mapping[str, Any]
) -> str:
    told = {**options, **outcome_settings(settings), "prompt": LAYOUT}
    return f"llm:{name}|{digest}|{orjson.dumps(told, option=orjson.OPT_SORT_KEYS).decode()}"


def _checked(key: str, value: Any, where: str) -> Any:
    """``value`` converted to what the parameter takes, or a sentence on what it takes."""
    made = _read(key, value)
    if made is None:
        raise UsageError(
            f"{where}: {key}={value!r} is not allowed; {key} is {AGENT_PARAMETERS[key]}"
        )
    return made


def _read(key: str, value: Any) -> Any:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if key == "temperature":
        return float(value) if number and 0 <= value <= 2 else None
    if key == "top_p":
        return float(value) if number and 0 < value <= 1 else None
    if key in ("max_tokens", "memory_tokens", "max_text"):
        whole = number and value == int(value)
        return int(value) if whole and value >= (0 if key == "memory_tokens" else 1) else None
    if key == "think":
        return bool(value) if value in (0, 1) else None
    return str(value) if isinstance(value, str | int | float) else None
